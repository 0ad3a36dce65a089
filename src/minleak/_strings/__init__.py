"""Plans over strings that cannot be listed."""

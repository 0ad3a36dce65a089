"""What an attacker gets: other priors, several looks, the world behind the counts, rivals."""

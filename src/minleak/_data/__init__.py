"""What everything starts from: priors, channels and labels, and reading them from files."""

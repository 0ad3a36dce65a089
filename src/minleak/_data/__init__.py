"""Priors, channels, joints and labels, and reading them from files and frames."""

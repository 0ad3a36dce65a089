"""Secrets that come in sequences: chains, what a walk gives away, and tracks that give away no more than their start."""

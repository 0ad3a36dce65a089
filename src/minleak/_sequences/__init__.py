"""Secrets that come in sequences: chains, what walks give away, and tracks that give away no more than their start."""

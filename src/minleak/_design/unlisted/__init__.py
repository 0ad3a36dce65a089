"""Secrets that cannot be listed: models of strings, and the optimal plan over all of them, in big integers."""

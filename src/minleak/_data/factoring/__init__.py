"""Factoring: a stochastic R with A R = B, or gains that show that there is none."""

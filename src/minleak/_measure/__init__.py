"""Measuring: leakage, capacity, attackers, and the order of distributions."""

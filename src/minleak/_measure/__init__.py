"""Measuring: leakage, capacity, what is told about a property, and the order of distributions."""

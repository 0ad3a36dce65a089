"""Designing the optimal channel: giants, rings and layouts make a plan; what is claimed of it is certified apart."""

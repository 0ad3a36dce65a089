"""Lineages: plans that last, made of parts that never change."""

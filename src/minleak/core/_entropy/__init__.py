"""Generalised entropies: one file for each family, all of them `eta` and a perspective."""

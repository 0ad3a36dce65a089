"""Matroids: the theorem for every family of allowed sets that is one, exact, for some dozens of secrets."""

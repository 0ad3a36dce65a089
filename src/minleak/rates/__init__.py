"""The true population that counts are a sample of: rates, what a plan leaks there, and the k that is enough."""

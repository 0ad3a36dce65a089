"""Lookups by hash prefix: what the buckets of today tell, selectors that mend it, and names asked for together."""

"""Blocks: the best deterministic plan, in which a secret's set never changes."""

"""Convex design: the channel that leaks least where only some pairs are allowed, or an expected cost is capped."""

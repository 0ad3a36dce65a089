"""Caps on groups: how many members of a group a set may have, and the plans that keep them."""

"""Padding: sizes and times that can only be made larger, under a budget on the mean overhead."""

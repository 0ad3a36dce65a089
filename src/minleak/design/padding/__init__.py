"""Padding: an observable that can only be made larger than its natural value, under a budget on the mean overhead."""

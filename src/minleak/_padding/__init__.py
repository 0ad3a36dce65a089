"""Padding: sizes and times that can only be made larger, within limits on what is added."""

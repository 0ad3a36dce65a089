"""Refinement: whether one channel is never worse than another, with a post-processing or gains that show it is not."""

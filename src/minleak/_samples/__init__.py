"""Samples: what a channel leaks that is known only by pairs of secret and observable, with bounds that hold.

Raw pairs become `events`; `attacks` are trained on some and tried on others (`trials`); `bounds` make of that what is
sure, `permuting` tests whether anything leaks at all, and `auditing` puts it together. `repeated_observations` is about
channels that are known and show the same secret several times.
"""

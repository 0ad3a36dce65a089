"""Samples: the leakage of a channel that is known only by pairs of secret and observable, with bounds that hold.

`events` reads the pairs and `sample` deals them into parts; `attacks` are trained on some parts and tried on others
(`trials`); `bounds` and `measures` turn the results into brackets, `permuting` tests whether anything leaks at all, and
`auditing` puts it together; `told` says it.
"""

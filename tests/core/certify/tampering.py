"""Ways to tamper with a plan, and what a certificate must then say."""

from __future__ import annotations

import numpy as np

import minleak as ml

# How the checks of a plan begin or end, in their order.
SECRETS = "the secrets are the prior's"
FORM = "the fields of the plan fit together"
WEIGHTS = "the weights are the prior's"
HOMES = "homes are sets"
APART = "no set has a secret twice"
OWNED = "every secret owns"
GIANTS = "giants are the heaviest"
SHARE = "every other secret fits"
FIXED = "only secrets that cannot occur"

# At k = 4: one giant, homes that keep most, a ring of the rest, two of weight zero.
PRIOR = (400, 60, 59, 55, 52, 51, 50, 44, 41, 40, 33, 31, 30, 21, 20, 11, 0, 9, 0)


def tampered(plan, **fields):
    """The plan with other fields, past the constructor, which refuses most of them: certify looks for itself."""
    copy = object.__new__(type(plan))
    vars(copy).update({name: value for name, value in vars(plan).items() if name in plan.__dataclass_fields__} | fields)
    return copy


def refused(plan, *whats, prior=PRIOR):
    """Not certified, for exactly these reasons."""
    certificate = ml.certify(plan, prior)
    assert not certificate
    assert not certificate.ok
    failed = [check.what for check in certificate.checks if not check.ok]
    assert len(failed) == len(whats), failed
    assert all(what in failure for what, failure in zip(whats, failed, strict=True)), failed
    assert str(certificate).startswith("NOT certified")
    assert "NO " in str(certificate)


def changed(array, at, value):
    copy = np.array(array)
    copy[at] = value
    return copy


def swapped(array, i, j):
    copy = np.array(array)
    copy[[i, j]] = copy[[j, i]]
    return copy

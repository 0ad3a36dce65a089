"""Cadence: when waiting secrets become a part."""

from __future__ import annotations

from minleak.core._parameters import whole

# With cohort="auto" a part is made after one day, one more for each so many days that the lineage has lasted, and so
# many at the most: at first those that wait weigh most, and later small parts add up.
_SLOWER, _WEEK = 2, 7


def is_due(cohort: int | str, *, day: int, began: int, share: float, success: float) -> bool:
    """Whether a part is due on this day, the newest being of the day it `began`.

    `share` is that of today's events whose secrets wait, and `success` how often a guess is right at a listed secret.
    Secrets that wait are as good as known: with "auto" a part is also due when their share passes that success.

    >>> [is_due("auto", day=day, began=0, share=0.01, success=0.1) for day in (1, 2, 4, 8)]
    [True, True, True, True]
    >>> [is_due("auto", day=20, began=15, share=share, success=0.1) for share in (0.01, 0.2)]
    [False, True]
    >>> is_due(7, day=20, began=15, share=0.2, success=0.1)
    False
    """
    if isinstance(cohort, str) and cohort == "auto":
        return day - began >= min(_WEEK, 1 + day // _SLOWER) or share > success
    return day - began >= whole(cohort, 'cohort is "auto" or a number')

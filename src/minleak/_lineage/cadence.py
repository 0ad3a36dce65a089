"""When secrets that wait become a part."""

from __future__ import annotations

from minleak._data.parameters import whole

# With cohort="auto" a part is made after one day, one more for each so many days that the lineage has lasted, and so
# many at the most: at first those that wait weigh most, and later small parts add up.
_SLOWER, _WEEK = 2, 7


def days_to_wait(cohort: int | str, today: int) -> int:
    """After how many days without a part the next one is due.

    >>> [days_to_wait("auto", day) for day in (1, 2, 4, 8, 30)], days_to_wait(3, 30)
    ([1, 2, 3, 5, 7], 3)
    """
    if isinstance(cohort, str) and cohort == "auto":
        return min(_WEEK, 1 + today // _SLOWER)
    return whole(cohort, 'cohort is "auto" or a number')

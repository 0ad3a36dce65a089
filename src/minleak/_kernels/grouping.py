"""What the principal partition of secrets in groups is found from, and secrets in the order of their groups."""

from __future__ import annotations

import numpy as np

from minleak._kernels.compiling import kernel


@kernel()
def sum_groups(weights, group_of, groups):  # type: ignore[no-untyped-def]
    """The weight of each group, and how many of its members have some."""
    sums, counts = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    for x in range(weights.shape[0]):
        sums[group_of[x]] += weights[x]
        counts[group_of[x]] += weights[x] > 0
    return sums, counts


@kernel()
def find_heaviest(weights, group_of, begins):  # type: ignore[no-untyped-def]
    """The heaviest members of each group, from the heaviest down, ties in order: so many as `begins` leaves room for."""
    top = np.empty(begins[-1], np.int64)
    found = np.zeros(begins.shape[0] - 1, np.int64)
    for x in range(weights.shape[0]):
        group = group_of[x]
        begin, room = begins[group], begins[group + 1] - begins[group]
        if weights[x] == 0 or room == 0:
            continue
        at = found[group]
        if at == room:
            if weights[x] <= weights[top[begin + room - 1]]:
                continue
            at -= 1
        else:
            found[group] += 1
        while at > 0 and weights[top[begin + at - 1]] < weights[x]:
            top[begin + at] = top[begin + at - 1]
            at -= 1
        top[begin + at] = x
    return top


@kernel()
def order_by_group(secrets, group_of, places):  # type: ignore[no-untyped-def]
    """The secrets by the places of their groups, within a group as they come: sorted by counting."""
    begins = np.zeros(places.shape[0] + 1, np.int64)
    for x in secrets:
        begins[places[group_of[x]] + 1] += 1
    for place in range(places.shape[0]):
        begins[place + 1] += begins[place]
    ordered = np.empty_like(secrets)
    for x in secrets:
        place = places[group_of[x]]
        ordered[begins[place]] = x
        begins[place] += 1
    return ordered


@kernel()
def fill_homes(secrets, number_of, homes, size):  # type: ignore[no-untyped-def]
    """The members of the sets that have a home number, a row each, in the order in which the secrets come; and for each
    row where its last member stands among the secrets.
    """
    many = 0
    for home in homes:
        many = max(many, home + 1)
    members, filled = np.empty((many, size), secrets.dtype), np.zeros(many, np.int64)
    last = np.empty(many, np.int64)
    for i in range(secrets.shape[0]):
        home = homes[number_of[i]]
        if home >= 0:
            members[home, filled[home]] = secrets[i]
            filled[home] += 1
            last[home] = i
    return members, last

"""What the principal partition of secrets in groups is found from, and secrets in the order of their groups."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel


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
    """The heaviest members of each group, from the heaviest down, ties in order: as many as `begins` has room for."""
    top = np.empty(begins[-1], np.int64)
    found, bar = np.zeros(begins.shape[0] - 1, np.int64), np.zeros(begins.shape[0] - 1, np.int64)
    for x in range(weights.shape[0]):
        group = group_of[x]
        if weights[x] <= bar[group]:  # zero as long as there is room, then the least of those found
            continue
        begin, room = begins[group], begins[group + 1] - begins[group]
        at = found[group]
        if at == room:
            at -= 1
        else:
            found[group] += 1
        while at > 0 and weights[top[begin + at - 1]] < weights[x]:
            top[begin + at] = top[begin + at - 1]
            at -= 1
        top[begin + at] = x
        if found[group] == room:
            bar[group] = weights[top[begin + room - 1]]
    return top


@kernel()
def sum_some(weights, groups, many):  # type: ignore[no-untyped-def]
    """The weight of each of so many groups, where secrets in these have these weights."""
    sums = np.zeros(many, np.int64)
    for i in range(groups.shape[0]):
        sums[groups[i]] += weights[i]
    return sums


@kernel()
def lay_by_group(secrets, weights, groups, places):  # type: ignore[no-untyped-def]
    """The secrets that have weight by the places of their groups, within a group as they come, and where each begins if
    they lie one after the other; the last number is where all end. Sorted by counting.
    """
    begins = np.zeros(places.shape[0] + 1, np.int64)
    for i in range(secrets.shape[0]):
        if weights[i] > 0:
            begins[places[groups[i]] + 1] += 1
    for place in range(places.shape[0]):
        begins[place + 1] += begins[place]
    members, starts = np.empty(begins[-1], secrets.dtype), np.empty(begins[-1] + 1, np.int64)
    for i in range(secrets.shape[0]):
        if weights[i] > 0:
            place = places[groups[i]]
            members[begins[place]] = secrets[i]
            starts[begins[place] + 1] = weights[i]
            begins[place] += 1
    starts[0] = 0
    for i in range(members.shape[0]):
        starts[i + 1] += starts[i]
    return members, starts


@kernel()
def fill_homes(secrets, weights, number_of, homes, size):  # type: ignore[no-untyped-def]
    """The members of the sets that have a home number, a row each, and the weight of the lightest, which comes last.
    `number_of` becomes the home of each secret, -1 for none, and its weight what is left of it.
    """
    many = 0
    for home in homes:
        many = max(many, home + 1)
    members, filled = np.empty((many, size), secrets.dtype), np.zeros(many, np.int32)
    lightest = np.empty(many, np.int64)
    for i in range(secrets.shape[0]):
        home = homes[number_of[i]]
        number_of[i] = home
        if home >= 0:
            members[home, filled[home]] = secrets[i]
            filled[home] += 1
            lightest[home] = weights[i]
    for i in range(secrets.shape[0]):
        if number_of[i] >= 0:
            weights[i] -= lightest[number_of[i]]
    return members, lightest

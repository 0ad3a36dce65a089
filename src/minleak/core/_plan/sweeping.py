"""Sums over the phase cells of a ring, one member changing at a time."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel


@kernel()
def sweep_cells(first, tracks, members, density, giants, order):  # type: ignore[no-untyped-def]
    """For the first cell of a ring and after each change: the sum of the densities of its members and of the giants,
    and the Renyi entropy of their shares, in nats.

    Sums are carried from cell to cell, and formed anew every u changes so that rounding does not pile up, and where
    most of one went away, and with it the digits of what is left.
    """
    u, changes = first.shape[0], tracks.shape[0]
    current = np.empty(u, np.float64)
    for i in range(u):
        current[i] = density[first[i]]
    base_sum, base_power, base_top = 0.0, 0.0, 0.0
    for value in giants:
        base_sum += value
        base_power += _term(value, order)
        base_top = max(base_top, value)
    sums = np.empty(changes + 1, np.float64)
    entropies = np.empty(changes + 1, np.float64)
    total, power, top = 0.0, 0.0, 0.0
    most_total, most_power = 0.0, 0.0  # since the sums were last formed
    for cell in range(changes + 1):
        anew = cell % u == 0
        if cell > 0:
            track = tracks[cell - 1]
            old, new = current[track], density[members[cell - 1]]
            current[track] = new
            total += new - old
            power += _term(new, order) - _term(old, order)
            most_total, most_power = max(most_total, total), max(most_power, power)
            anew |= 16.0 * total < most_total or (order != 1.0 and 16.0 * power < most_power)
            if new >= top:
                top = new
            elif old == top:
                top = base_top
                for value in current:
                    top = max(top, value)
        if anew:
            total, power, top = base_sum, base_power, base_top
            for value in current:
                total += value
                power += _term(value, order)
                top = max(top, value)
            most_total, most_power = total, power
        sums[cell] = total
        entropies[cell] = 0.0
        if (total > 0.0 and power > 0.0) or (order == 1.0 and total > 0.0):
            if order == np.inf:
                entropies[cell] = np.log(total / top)
            elif order == 1.0:
                entropies[cell] = np.log(total) - power / total
            elif order == 0.0:
                entropies[cell] = np.log(power)
            else:
                entropies[cell] = (np.log(power) - order * np.log(total)) / (1.0 - order)
            entropies[cell] = max(entropies[cell], 0.0)
    return sums, entropies


@kernel()
def _term(value, order):  # type: ignore[no-untyped-def]
    if value <= 0.0:
        return 0.0
    if order == 1.0:
        return value * np.log(value)
    if order == 0.0 or order == np.inf:
        return 1.0
    return value**order

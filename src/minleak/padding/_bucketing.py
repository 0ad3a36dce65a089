"""Cutting a line of sizes into the contiguous buckets of most value less a price on overhead: dynamic programming."""

from __future__ import annotations

import numpy as np

from minleak.core._compiling import kernel

# How the value of a bucket is got: from the number of its secrets alone (a uniform prior), from its largest
# probability, from the Renyi entropy of order 1, close to 1, or any other; or from how often each secret has its sizes.
BY_COUNT, BY_LARGEST, SHANNON, NEAR_ONE, BY_POWERS, BY_JOINT = range(6)
# How two stretches are put together.
ADD, LARGEST, ADD_LOGS = range(3)
# What is known of the value V(i, j) of all buckets that start in a block l..r and end at j, as a function of the start:
# convex in mass[i] (below its chord), concave in it (below its tangent), at most V(r, j) + (mass[r] - mass[i]) / -c
# since the perspective grows with the bucket, or at most V(l, j) - V(l, i) since merging loses nothing.
CHORD, TANGENT, GROWING, MERGING = range(4)
# Starts that are ruled out together.
_BLOCK = 128


@kernel(nogil=True)
def stretches(values, join):  # type: ignore[no-untyped-def]
    """A table from which any stretch values[i:j] is joined from two entries, without subtracting what was added before.

    Row k holds, for every place in a block of 2^(k+1) places, the stretch between it and the middle of the block.
    """
    m = values.shape[0]
    depth = 1
    while (1 << depth) < m:
        depth += 1
    table = np.empty((depth, m))
    for k in range(depth):
        half = 1 << k
        for middle in range(half, m + half, 2 * half):
            for i in range(min(middle, m) - 1, middle - half - 1, -1):
                last = i == middle - 1 or i == m - 1
                table[k, i] = values[i] if last else join_two(values[i], table[k, i + 1], join)
            for i in range(middle, min(middle + half, m)):
                table[k, i] = values[i] if i == middle else join_two(table[k, i - 1], values[i], join)
    return table


@kernel(nogil=True)
def join_two(a, b, join):  # type: ignore[no-untyped-def]
    if join == ADD:
        return a + b
    if join == LARGEST:
        return max(a, b)
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@kernel(nogil=True)
def stretch(i, j, table, join, level):  # type: ignore[no-untyped-def]
    """values[i:j], for i < j."""
    if j - i == 1:
        return table[0, i]
    k = level[i ^ (j - 1)]
    return join_two(table[k, i], table[k, j - 1], join)


@kernel(nogil=True)
def joint_value(i, j, a, c, below, total):  # type: ignore[no-untyped-def]
    """The value of sizes i, ..., j-1 where secret x was seen below[j, x] - below[i, x] times with them; whole numbers,
    whose differences are exact.
    """
    mass = 0.0
    for x in range(below.shape[1]):
        mass += below[j, x] - below[i, x]
    if not mass > 0.0:
        return 0.0
    most, terms = 0.0, 0.0
    for x in range(below.shape[1]):
        share = (below[j, x] - below[i, x]) / mass
        most = max(most, share)
        if share > 0.0 and a != np.inf:
            terms += -share * np.log(share) if a == 1.0 else share**a
    r = -np.log(most) if a == np.inf else terms
    if a not in (1.0, np.inf):
        r = np.log(terms) / (1.0 - a)
    r = max(r, 0.0)
    return mass / total * (r if c == 0.0 else np.expm1(c * r) / c)


@kernel(nogil=True)
def bucket_value(i, j, kind, a, c, count, by_count, masses, others, level):  # type: ignore[no-untyped-def]
    """P (exp(c R) - 1) / c of the sizes i, ..., j-1, with P their probability and R their Renyi entropy in nats.

    The order of R is a. `count` are the secrets before each size, `by_count` is the value by number of secrets,
    `masses` and `others` are tables of stretches: of probabilities, and of what the kind needs. BY_JOINT, `masses` has
    a column for each secret: how many of its observations are below each size; by_count[0] is their number in all.
    """
    if kind == BY_COUNT:
        return by_count[count[j] - count[i]]
    if kind == BY_JOINT:
        return joint_value(i, j, a, c, masses, by_count[0])
    mass = stretch(i, j, masses, ADD, level)
    if kind == BY_LARGEST:
        return max(mass - stretch(i, j, others, LARGEST, level), 0.0)
    if not mass > 0.0:
        return 0.0
    if kind == SHANNON:
        return max(mass * np.log(mass) - stretch(i, j, others, ADD, level), 0.0)
    if kind == NEAR_ONE:
        mean = stretch(i, j, others, ADD, level) / mass
        r = np.log(mass) - (mean if a == 1.0 else np.log1p((a - 1.0) * mean) / (a - 1.0))
    else:
        r = (stretch(i, j, others, ADD_LOGS, level) - a * np.log(mass)) / (1.0 - a)
    r = max(r, 0.0)
    return mass * (r if c == 0.0 else np.expm1(c * r) / c)


@kernel(nogil=True)
def lower_hull(begin, end, x, y, hull):  # type: ignore[no-untyped-def]
    """The corners of the lower convex hull of the points begin..end-1 where y is finite; x increases. Their number."""
    h = 0
    for i in range(begin, end):
        if y[i] == np.inf:
            continue
        while h >= 2:
            u, v = hull[h - 2], hull[h - 1]
            if (y[v] - y[u]) * (x[i] - x[v]) < (y[i] - y[v]) * (x[v] - x[u]):
                break
            h -= 1
        hull[h] = i
        h += 1
    return h


@kernel(nogil=True)
def least_on_hull(x, y, slope, hull, h):  # type: ignore[no-untyped-def]
    """The least y - slope * x on a hull of h corners."""
    low, high = 0, h - 1
    while low < high:
        middle = (low + high) // 2
        u, v = hull[middle], hull[middle + 1]
        if y[v] - y[u] < slope * (x[v] - x[u]):
            low = middle + 1
        else:
            high = middle
    return y[hull[low]] - slope * x[hull[low]]


@kernel(nogil=True)
def fewest_buckets(size, x, rule, count, price, each, floor):  # type: ignore[no-untyped-def]
    """What `best_buckets` finds, without caps and where all buckets lose `each` of the value, however large: the least
    sum of price * overhead + each. O(m).

    A start i costs first[i] - t x[i] at t = price * size_j: a line in t for each start, steeper with each, and t only
    grows, so that the lowest line is always the first of those that are left of their lower envelope. What is added up
    in `load` is the same for all buckets together, and left out.
    """
    m = size.shape[0]
    start, first, lines = np.full(m + 1, -1, np.int64), np.full(m + 1, np.inf), np.empty(m + 1, np.int64)
    first[0] = 0.0
    begin, end, coming = 0, 0, 0
    for j in range(1, m + 1):
        if rule[j - 1] > 0:
            begin, end, coming = 0, 0, max(coming, j - 1)
        while coming < j and count[j] - count[coming] >= floor:
            if first[coming] < np.inf:
                while end - begin >= 2:
                    a, b = lines[end - 2], lines[end - 1]
                    if (first[coming] - first[a]) * (x[b] - x[a]) > (first[b] - first[a]) * (x[coming] - x[a]):
                        break
                    end -= 1
                lines[end] = coming
                end += 1
            coming += 1
        if rule[j] < 0 or begin == end:
            continue
        t = price * size[j - 1]
        while end - begin >= 2 and first[lines[begin + 1]] - t * x[lines[begin + 1]] <= (
            first[lines[begin]] - t * x[lines[begin]]
        ):
            begin += 1
        start[j] = lines[begin]
        first[j] = first[start[j]] + t * (x[j] - x[start[j]]) + each
    return start


@kernel(nogil=True)
def best_buckets(size, mass, x, load, rule, reach, w, price, use, floor):  # type: ignore[no-untyped-def]
    """The least sum over buckets of price * overhead - use * value: where the last bucket of the best starts, for every
    number j of sizes from the bottom; -1 where no buckets of at least `floor` secrets fit.

    A bucket i..j-1 has the overhead size_j-1 * (x[j] - x[i]) - (load[j] - load[i]), where x adds up what a unit of
    padding costs with each size, which is its probability (then x is `mass`) or anything else that is positive.
    rule[j] is 1 where a bucket must end before size j, -1 where none may; none that ends there starts before reach[j].

    A start i costs first[i] = least[i] + price * load[i], and then - price * size_j * x[i] - use * V(i, j), V being
    the bucket's value. Starts are kept in blocks. Over a block, V(i, j) is at most V(l, j) - V(l, i), which rules most
    blocks out by one number kept for each; and it is at most a line in mass[i] plus something of i alone (see CHORD and
    the others), which is below a line in x[i], so that what the block can reach at best is found on the lower convex
    hull of its starts, by bisection. Where the value is convex in x[i] only corners of the hull can be best, and only
    those are tried. The result is that of trying all starts.
    """
    kind, bound, a, c, count, by_count, additive, masses, others, level = w  # once: inside the loops it is slow
    m = size.shape[0]
    same = True  # whether x is the mass
    for j in range(m + 1):
        same = same and x[j] == mass[j]
    blocks = m // _BLOCK + 1
    start = np.full(m + 1, -1, np.int64)
    first, shifted = np.full(m + 1, np.inf), np.full(m + 1, np.inf)
    hulls, corners, low = np.empty((blocks, _BLOCK), np.int64), np.zeros(blocks, np.int64), np.full(blocks, np.inf)
    least_rate, most_rate = np.full(blocks, np.inf), np.zeros(blocks)  # of mass by x, from the start of the block on
    first[0] = 0.0
    ended, last, guess = 0, 0, 0
    for j in range(1, m + 1):
        if j % _BLOCK == 0:  # a block of starts is full
            b = j // _BLOCK - 1
            l = b * _BLOCK
            for i in range(l, j):
                own = 0.0 if i == l else bucket_value(l, i, kind, a, c, count, by_count, masses, others, level)
                shifted[i] = first[i] + use * (own if bound == MERGING else -additive[i])
                low[b] = min(low[b], first[i] + price * size[j - 1] * (x[j - 1] - x[i]) + use * own)
                if i > l:
                    rate = 1.0 if same else (mass[i] - mass[l]) / (x[i] - x[l])
                    least_rate[b], most_rate[b] = min(least_rate[b], rate), max(most_rate[b], rate)
            corners[b] = lower_hull(l, j, x, shifted, hulls[b])
        if rule[j - 1] > 0:
            ended = j - 1
        earliest = max(ended, reach[j])
        while last + 1 < j and count[j] - count[last + 1] >= floor:
            last += 1
        if rule[j] < 0 or last < earliest or count[j] - count[last] < floor:
            continue
        slope = price * size[j - 1]
        base = slope * x[j] - price * load[j]
        best, arg = np.inf, -1
        if guess >= earliest and first[guess] < np.inf:
            best = first[guess] + base - slope * x[guess]
            best -= use * bucket_value(guess, j, kind, a, c, count, by_count, masses, others, level)
            arg = guess
        for b in range(last // _BLOCK, earliest // _BLOCK - 1, -1):
            l = b * _BLOCK
            r = l + _BLOCK - 1
            closed = r < j
            if closed:
                if corners[b] == 0:
                    continue
                whole = bucket_value(l, j, kind, a, c, count, by_count, masses, others, level)
                if low[b] + base - slope * x[r] - use * whole >= best:
                    continue
                height, tilt = whole, 0.0  # V(i, j) <= height + tilt * (mass[i] - mass[l]) + what `shifted` holds
                if bound in (CHORD, TANGENT):
                    height -= additive[l]
                    near = bucket_value(r, j, kind, a, c, count, by_count, masses, others, level) - additive[r]
                    if bound == CHORD:
                        tilt = (near - height) / (mass[r] - mass[l])
                    else:  # the slope at the far end, where a concave function of the bucket's size is flattest
                        one = bucket_value(l + 1, j, kind, a, c, count, by_count, masses, others, level)
                        tilt = (one - additive[l + 1] - height) / (mass[l + 1] - mass[l])
                elif bound == GROWING:
                    tilt = 1.0 / c
                    height = bucket_value(r, j, kind, a, c, count, by_count, masses, others, level)
                    height -= tilt * (mass[r] - mass[l])
                tilt *= least_rate[b] if tilt < 0.0 else most_rate[b]
                reached = least_on_hull(x, shifted, slope + use * tilt, hulls[b], corners[b])
                if reached + base - use * (height - tilt * x[l]) >= best:
                    continue
            if closed and bound == CHORD and same and last >= r and earliest <= l:
                for h in range(corners[b]):
                    i = hulls[b, h]
                    value = first[i] + base - slope * x[i]
                    value -= use * bucket_value(i, j, kind, a, c, count, by_count, masses, others, level)
                    if value < best:
                        best, arg = value, i
            else:
                for i in range(min(r, last), max(l, earliest) - 1, -1):
                    if first[i] < np.inf:
                        value = first[i] + base - slope * x[i]
                        value -= use * bucket_value(i, j, kind, a, c, count, by_count, masses, others, level)
                        if value < best:
                            best, arg = value, i
        if arg >= 0:
            start[j], guess = arg, arg
            first[j] = best + price * load[j]
    return start


@kernel(nogil=True)
def total_value(cuts, w):  # type: ignore[no-untyped-def]
    """The value of the buckets that end before the sizes `cuts`, added up."""
    kind, _, a, c, count, by_count, _, masses, others, level = w
    total, i = 0.0, 0
    for j in cuts:
        total += bucket_value(i, j, kind, a, c, count, by_count, masses, others, level)
        i = j
    return total


@kernel(nogil=True)
def best_move(cuts, size, xs, rule, reach, w, left, floor):  # type: ignore[no-untyped-def]
    """The end of a bucket to move, and where to, for most value at no more than left[k] additional overhead k, which
    xs[k] is the x of (see `best_buckets`).

    (b, j, gain): the end cuts[b] goes to size j, anywhere between its neighbours or onto that below it, which merges
    two buckets, where the `rule` lets it. b is -1 where no move gains. O(m) for m sizes.
    """
    kind, _, a, c, count, by_count, _, masses, others, level = w
    which, where, most = -1, -1, 0.0
    for b in range(cuts.shape[0] - 1):
        before = cuts[b - 1] if b > 0 else 0
        here, after = cuts[b], cuts[b + 1]
        if rule[here] > 0:
            continue
        had = bucket_value(before, here, kind, a, c, count, by_count, masses, others, level)
        had += bucket_value(here, after, kind, a, c, count, by_count, masses, others, level)
        for j in range(max(before, reach[after]), after):
            if j == here or (j > before and (rule[j] < 0 or count[j] - count[before] < floor or reach[j] > before)):
                continue
            if count[after] - count[j] < floor:
                break
            fits = True
            for k in range(xs.shape[0]):
                # Padded to the size below j are those up to j, to the top of the bucket above all others.
                x = xs[k]
                under = 0.0 if j == before else size[j - 1] * (x[j] - x[before])
                more = under + size[after - 1] * (x[here] - x[j]) - size[here - 1] * (x[here] - x[before])
                fits = fits and more <= left[k]
            if not fits:
                continue
            gain = bucket_value(j, after, kind, a, c, count, by_count, masses, others, level) - had
            if j > before:
                gain += bucket_value(before, j, kind, a, c, count, by_count, masses, others, level)
            if gain > most:
                which, where, most = b, j, gain
    return which, where, most

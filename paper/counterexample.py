"""The counterexample: where only some pairs (secret, observable) are allowed, the best channel depends on the entropy.

Secret 1 shows a, secrets 3 and 4 show b, secret 2 either. One number is free, x = p(2, b), between 0 and p_2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from minleak import Arimoto, Channel, Guesswork, Shannon
from minleak.errors import MissingExtra
from minleak.lab import Entropy, optimise
from paper import draw
from paper.claims import Claim, Figure, Part, Table, digits, statement

Prior = tuple[float, float, float, float]

# The paper does not print its prior. This one gives its three numbers to the digits printed; so do others.
CONSISTENT: Prior = (0.19993, 0.49868, 0.1518, 0.14959)
# One of our own, for which each of the three entropies has a single maximiser.
SEPARATING: Prior = (0.25, 0.35, 0.2, 0.2)

ENTROPIES: dict[str, Entropy] = {"guesswork": Guesswork(), "Renyi 2 (Arimoto)": Arimoto(2), "Shannon": Shannon()}
ALLOWED = ((1, 0), (1, 1), (0, 1), (0, 1))
PRINTED = {"guesswork": 0.1518, "Renyi 2 (Arimoto)": 0.2573, "Shannon": 0.2998}
ONE_OF_MANY = "the print is the least of many optima"
FLAT = 1e-13  # values this close to the largest count as the largest


def channel(p: Prior, x: float) -> Channel:
    """The channel in which secret 2 shows b with probability x/p_2."""
    return Channel([[1, 0], [1 - x / p[1], x / p[1]], [0, 1], [0, 1]], outputs=["a", "b"])


def maximisers(p: Prior, H: Entropy) -> tuple[float, float]:
    """The ends of the interval on which H(X|Y) is largest, by the convex designer.

    Strictly concave entropies have one maximiser; among those of guesswork the cheapest and the dearest are the ends,
    a cost of one on x and of minus one breaking the ties. Where the designer is not installed it is searched for.
    """
    try:
        if isinstance(H, Guesswork):
            return _designed(p, H, 1.0), _designed(p, H, -1.0)
        return _designed(p, H, None), _designed(p, H, None)
    except MissingExtra:
        return searched(p, H)


def _designed(p: Prior, H: Entropy, price: float | None) -> float:
    cost = None if price is None else [[0, 0], [0, price], [0, 0], [0, 0]]
    return p[1] * float(optimise(p, entropy=H, allowed=ALLOWED, cost=cost).channel.toarray()[1, 1])


def searched(p: Prior, H: Entropy) -> tuple[float, float]:
    """The same by golden section, then bisection, H(X|Y) being quasi-concave in x: a second way."""

    def value(x: float) -> float:
        return H.conditional(p, channel(p, x))

    best = golden(value, 0.0, p[1])
    least = value(best) - FLAT
    low, high = bisect(value, best, 0.0, least), bisect(value, best, p[1], least)
    if high - low < 1e-5:  # a single one, as wide as rounding makes it
        return (low + high) / 2, (low + high) / 2
    return low, high


def golden(f: Callable[[float], float], low: float, high: float) -> float:
    """A maximiser of a quasi-concave f by golden section."""
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = f(left), f(right)
    while high - low > 1e-10:
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = f(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = f(right)
    return left if at_left >= at_right else right


def bisect(f: Callable[[float], float], inside: float, outside: float, least: float) -> float:
    """The place between the two where f falls below `least`."""
    if f(outside) >= least:
        return outside
    while abs(outside - inside) > 1e-13:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if f(middle) >= least else (inside, middle)
    return inside


def by_hand(p: Prior) -> dict[str, tuple[float, float]]:
    """The maximisers in closed form: a second way to them.

    Shannon: the posterior of secret 2 is the same after a as after b. Arimoto 2: |(p_1, p_2 - x)| + |(x, p_3, p_4)| is
    least where both norms have the same slope. Guesswork: the slope is the rank of secret 2 after b minus the rank
    after a, zero from x = max(p_3, p_4) (it becomes first after b) to x = p_2 - p_1 (it becomes second after a), if
    that is more; else the slope changes sign at max(p_3, p_4), for the two priors here.
    """
    norm = math.hypot(p[2], p[3])
    shannon, arimoto = p[1] * (p[2] + p[3]) / (p[0] + p[2] + p[3]), p[1] * norm / (p[0] + norm)
    return {
        "guesswork": (max(p[2:]), max(*p[2:], p[1] - p[0])),
        "Renyi 2 (Arimoto)": (arimoto, arimoto),
        "Shannon": (shannon, shannon),
    }


def part() -> Part:
    found = {name: maximisers(CONSISTENT, H) for name, H in ENTROPIES.items()}
    own = {name: maximisers(SEPARATING, H) for name, H in ENTROPIES.items()}
    claims = [_judge(name, found[name], by_hand(CONSISTENT)[name]) for name in ENTROPIES]
    renyi, shannon = (_middle(found[name]) for name in ("Renyi 2 (Arimoto)", "Shannon"))
    lost = [
        H.conditional(CONSISTENT, channel(CONSISTENT, a)) - H.conditional(CONSISTENT, channel(CONSISTENT, b))
        for H, a, b in ((Shannon(), shannon, renyi), (Arimoto(2), renyi, shannon))
    ]
    claims.append(
        statement(
            "No channel is best for every entropy here",
            "three maximisers",
            f"the best for Renyi 2 loses {lost[0]:.4f} bits in Shannon, the best for Shannon {lost[1]:.4f} in Renyi 2",
            min(lost) > 1e-3,
        )
    )
    apart = _unlike(own)
    claims.append(
        statement(
            "The same for a prior with one maximiser for each entropy, (0.25, 0.35, 0.2, 0.2)",
            "not in the paper",
            ", ".join(f"{name} {_middle(ends):.6f}" for name, ends in own.items()),
            apart and all(_close(own[name], by_hand(SEPARATING)[name]) for name in own),
        )
    )
    rows = tuple(
        (kind, name, *ends, *by_hand(p)[name], PRINTED[name] if kind == "consistent" else "")
        for kind, p, results in (("consistent", CONSISTENT, found), ("our own", SEPARATING, own))
        for name, ends in results.items()
    )
    table = Table(
        "counterexample",
        "The x that maximise H(X|Y): from and to as designed, the same by hand, and the print.",
        ("prior", "entropy", "from", "to", "from, by hand", "to, by hand", "printed"),
        rows,
    )
    return Part(
        "The counterexample to metric invariance",
        (
            "Four secrets, two observables: secret 1 must show a, secrets 3 and 4 must show b, secret 2 may show "
            "either. With x the probability of secret 2 and b together, the paper prints the x that is best for three "
            "entropies, but not the prior. They are consistent with the prior (0.19993, 0.49868, 0.1518, 0.14959), "
            "which gives all three to the digits printed, and with others, such as "
            "(0.20432, 0.56261, 0.1518, 0.08127).",
            "With this prior guesswork is largest not at one x but on all of [0.1518, 0.29875], which begins at the x "
            "printed and holds the best x of Renyi 2. Renyi 2 and Shannon disagree. With our own prior "
            "(0.25, 0.35, 0.2, 0.2) all three have a single best x, and these differ.",
        ),
        tuple(claims),
        (table,),
        (_figure(),),
    )


def _judge(name: str, ends: tuple[float, float], exact: tuple[float, float]) -> Claim:
    printed = PRINTED[name]
    what = f"The x that is best for {name}"
    right = _close(ends, exact)
    if ends[1] - ends[0] > 1e-3:
        ours = f"every x from {ends[0]:.7f} to {ends[1]:.7f}"
        begins = abs(ends[0] - printed) <= 5e-5
        return statement(what, f"{printed}", ours, right and begins, verdict=ONE_OF_MANY)
    found = digits(what, [printed], [_middle(ends)])
    return statement(what, found.printed, found.ours, right and found.ok, verdict=found.verdict)


def _figure() -> Figure:
    rows = []
    for name, H in ENTROPIES.items():
        values = [(i / 200, H.conditional(CONSISTENT, channel(CONSISTENT, i / 200))) for i in range(100)]
        top = max(value for _, value in values)
        rows += [{"x": x, "share": round(value / top, 12), "of": name} for x, value in values]
    chart = draw.lines(
        rows,
        x="x",
        y="share",
        series="of",
        order=tuple(ENTROPIES),
        axes=("x, the probability of secret 2 with observable b", "H(X|Y), best = 1"),
        whole=False,
        zero=False,
        points=False,
    )
    return Figure(
        "counterexample", "H(X|Y) against x for a prior consistent with the print, each entropy over its best.", chart
    )


def _middle(ends: tuple[float, float]) -> float:
    return (ends[0] + ends[1]) / 2


def _close(ends: tuple[float, float], exact: tuple[float, float]) -> bool:
    return all(abs(a - b) <= 1e-6 for a, b in zip(ends, exact, strict=True))


def _unlike(found: dict[str, tuple[float, float]]) -> bool:
    """Whether no x is best for two of them."""
    spans = sorted(found.values())
    return all(before[1] + 1e-3 < after[0] for before, after in pairwise(spans))

"""The paper's figure over k = 1..30, p = (30, ..., 1)/465: least leakage, the baseline, the ignorant adversary."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from minleak import Guesswork, MinEntropy, Plan, Shannon, design, leakage
from minleak.lab import MismatchedAdversary, OptimalAdversary, UniformAdversary, baselines
from paper import draw
from paper.claims import Figure, Part, Table, statement, tiny
from paper.priors import FIGURES

Array = npt.NDArray[np.float64]

KS = tuple(range(1, len(FIGURES) + 1))
ZERO = 1e-12  # bits; below it a difference is rounding
ENTROPIES = ("Shannon", "log-guesswork", "min-entropy")


def plans() -> list[Plan]:
    """The optimal plan for each k."""
    return [design(FIGURES, k, layout="circle") for k in KS]


def least_leakage(plans: list[Plan]) -> dict[str, Array]:
    """In bits for each k: Shannon, log2 of the guesswork before minus after, and min-entropy, from closed forms."""
    guesses = Guesswork()
    return {
        "Shannon": np.array([plan.leakage(Shannon()) for plan in plans]),
        "log-guesswork": np.array([math.log2(guesses(FIGURES) / plan.entropy(guesses)) for plan in plans]),
        "min-entropy": np.array([plan.leakage(MinEntropy()) for plan in plans]),
    }


def measured_leakage(plans: list[Plan]) -> dict[str, Array]:
    """The same, measured on the channels themselves, entry by entry."""
    channels, guesses = [plan.channel() for plan in plans], Guesswork()
    ratios = [guesses(FIGURES) / guesses.conditional(FIGURES, channel) for channel in channels]
    return {
        "Shannon": np.array([leakage(FIGURES, channel, Shannon()) for channel in channels]),
        "log-guesswork": np.log2(ratios),
        "min-entropy": np.array([leakage(FIGURES, channel, MinEntropy()) for channel in channels]),
    }


def adversaries(plans: list[Plan]) -> dict[str, Array]:
    """-log2 of the expected success against the optimal channel, for each k."""
    kinds: dict[str, OptimalAdversary | UniformAdversary | MismatchedAdversary] = {
        "informed": OptimalAdversary(),
        "guesses uniformly in the set": UniformAdversary(),
        "believes in a uniform prior": MismatchedAdversary([1] * len(FIGURES)),
    }
    channels = [plan.channel() for plan in plans]
    return {
        name: -np.log2([kind.success(FIGURES, channel) for channel in channels]) + 0.0 for name, kind in kinds.items()
    }


def vanishing(values: Array) -> list[int]:
    """The k at which there is no leakage."""
    return [k for k, value in zip(KS, values, strict=True) if abs(value) <= ZERO]


def leakage_part() -> Part:
    made = plans()
    found, measured = least_leakage(made), measured_leakage(made)
    apart = max(float(np.abs(found[name] - measured[name]).max()) for name in ENTROPIES)
    shannon, least = vanishing(found["Shannon"]), vanishing(found["min-entropy"])
    falls = all((np.diff(values) <= ZERO).all() for values in found.values())
    claims = (
        statement("The least leakage does not grow with k", "for all three", "for all three" if falls else "no", falls),
        statement("Shannon leakage vanishes", "only at k = n = 30", f"at k = {_span(shannon)}", shannon == [KS[-1]]),
        statement(
            "Min-entropy leakage vanishes",
            "for every k >= 16 = ceil(465/30)",
            f"at k = {_span(least)}",
            least == list(range(16, KS[-1] + 1)),
        ),
        statement(
            "Theorem 1: the channels leak what H(pi) says",
            "H(X|Y) = H(pi)",
            f"largest difference over all k: {tiny(apart)} bits",
            apart <= 1e-9,
        ),
    )
    return Part(
        "Least leakage against the cap k",
        (
            "For p = (30, 29, ..., 1)/465 and every cap k, the least leakage in bits. The paper shows curves only; its "
            "two statements about where they reach zero are checked.",
            "Guesswork enters as in the paper, by the logarithm of the expected number of guesses before minus after.",
        ),
        claims,
        (_table("least-leakage", "The least leakage for each k, in bits.", found),),
        (_figure("least-leakage", "Least leakage under a cap k on the size of a set.", found, "least leakage (bits)"),),
    )


def baseline_part() -> Part:
    optimal = least_leakage(plans())["min-entropy"]
    uniform = np.array([_uniform_randomisation(FIGURES, k) for k in KS])
    found = {"uniform randomisation": uniform, "optimal": optimal}
    worse = [k for k, a, b in zip(KS, uniform, optimal, strict=True) if a > b + ZERO]
    equal_prior = max(abs(_uniform_randomisation([1] * 30, k) - design([1] * 30, k).leakage(MinEntropy())) for k in KS)
    gap = int(np.argmax(uniform - optimal))
    claims = (
        statement(
            "Uniform randomisation is worse than the optimum",
            "for any intermediate k",
            f"at k = {_span(worse)}; most at k = {KS[gap]}, by {uniform[gap] - optimal[gap]:.4f} bits",
            worse == list(KS[1:-1]),
        ),
        statement(
            "It is optimal for a uniform prior",
            "optimal",
            f"largest difference over all k: {tiny(equal_prior)} bits",
            equal_prior <= 1e-9,
        ),
    )
    return Part(
        "Optimal against uniform randomisation",
        (
            "The paper's baseline shows a uniformly random set of k that contains the secret. Its min-entropy leakage "
            "is computed in closed form, without listing the sets.",
        ),
        claims,
        (_table("uniform-randomisation", "Min-entropy leakage for each k, in bits.", found),),
        (
            _figure(
                "uniform-randomisation",
                "Min-entropy leakage of the optimal channel and of uniform randomisation.",
                found,
                "min-entropy leakage (bits)",
            ),
        ),
    )


def adversary_part() -> Part:
    made = plans()
    found = adversaries(made)
    informed = found["informed"]
    claims = []
    for name in ("guesses uniformly in the set", "believes in a uniform prior"):
        values = found[name]
        apart = float(np.abs(values - informed)[:15].max())
        above = [k for k, a, b in zip(KS, values, informed, strict=True) if a > b + 1e-9]
        claims.append(
            statement(
                f"Ignorant adversary who {name}: as good as the informed one for k < 16",
                "equal",
                f"largest difference {tiny(apart)} bits",
                apart <= 1e-9,
            )
        )
        claims.append(
            statement(
                f"Ignorant adversary who {name}: worse off for k >= 16",
                "larger min-entropy for k >= 16",
                f"larger at k = {_span(above)}",
                above == list(range(16, KS[-1] + 1)),
            )
        )
    return Part(
        "Informed against ignorant adversary",
        (
            "The channel is the optimal one, made for an informed adversary. The text has an ignorant adversary guess "
            "uniformly in the set he sees; the caption has him assume a uniform prior. These are two adversaries: the "
            "second knows the channel, so that he names the secret that shows this set most readily, which for k >= 16 "
            "is the unlikeliest member. He does worse than one who guesses blindly, until at k = 30 there is one set "
            "only and the two are the same.",
        ),
        tuple(claims),
        (_table("ignorant-adversary", "-log2 of the expected success for each k, in bits.", found),),
        (
            _figure(
                "ignorant-adversary",
                "Adversaries who know the prior, and who do not, against the optimal channel.",
                found,
                "-log2 of the success (bits)",
            ),
        ),
    )


def _uniform_randomisation(weights: Sequence[int], k: int) -> float:
    """The min-entropy leakage of showing a uniformly random set of k that contains the secret."""
    (kind,) = [kind for kind in baselines(weights, k) if kind.name == "uniform randomisation"]
    return kind.leakage(MinEntropy()).value


def _table(name: str, caption: str, found: dict[str, Array]) -> Table:
    rows = zip(KS, *(values.tolist() for values in found.values()), strict=True)
    return Table(name, caption, ("k", *found), tuple(rows))


def _figure(name: str, caption: str, found: dict[str, Array], axis: str) -> Figure:
    rows = [{"k": k, "bits": v, "of": of} for of, values in found.items() for k, v in zip(KS, values, strict=True)]
    chart = draw.lines(
        [{**row, "bits": round(float(row["bits"]), 12)} for row in rows],
        x="k",
        y="bits",
        series="of",
        order=tuple(found),
        axes=("k, the cap on the size of a set", axis),
    )
    return Figure(name, caption, chart)


def _span(ks: list[int]) -> str:
    """30, or 16..30 where they follow one another."""
    if len(ks) > 1 and ks == list(range(ks[0], ks[-1] + 1)):
        return f"{ks[0]}..{ks[-1]}"
    return ", ".join(map(str, ks)) or "none"

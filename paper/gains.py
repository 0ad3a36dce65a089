"""The proposition on diagonal gains, on an example of our own: ours reaches the optimum, no capped channel is above."""

from __future__ import annotations

from minleak import Arimoto, Channel, Gain, Guesswork, MinEntropy, Shannon, design
from minleak.lab import Entropy
from paper.claims import Part, Table, statement, tiny

PRIOR = (30, 25, 20, 12, 8, 5)
GAINS = (1, 1, 2, 8, 1, 4)
CAP = 3
# gamma_x p(x) = 0.30, 0.25, 0.40, 0.96, 0.08, 0.20: 0.96 is above a third of their sum, 0.40 not above half the rest.
BY_HAND = (0.96, 0.615, 0.615)

ENTROPIES: tuple[Entropy, ...] = (Shannon(), MinEntropy(), Guesswork(), Arimoto(2))
RANDOM = 500


def part() -> Part:
    plan, plain = design(PRIOR, CAP, gains=GAINS), design(PRIOR, CAP)
    channel, unaware = plan.channel(), plain.channel()
    others = [Channel.random(len(PRIOR), 4 + seed % 9, seed=seed, cap=CAP) for seed in range(RANDOM)]
    rows = []
    for H in ENTROPIES:
        gained = Gain(H, GAINS)
        best = max(gained.conditional(PRIOR, other) for other in others)
        measured, blind = gained.conditional(PRIOR, channel), gained.conditional(PRIOR, unaware)
        rows.append((H.name, gained(PRIOR), plan.entropy(H), measured, blind, best))
    apart = max(abs(optimum - measured) for _, _, optimum, measured, _, _ in rows)
    above = min(optimum - max(blind, best) for _, _, optimum, _, blind, best in rows)
    claims = (
        statement(
            "pi of gamma_x p(x)",
            "by hand: " + " ".join(f"{value:g}" for value in BY_HAND),
            " ".join(f"{value:.10g}" for value in plan.target),
            len(plan.target) == CAP and max(abs(plan.target - BY_HAND)) <= 1e-12,
        ),
        statement(
            "The algorithm on gamma_x p(x) reaches eta(Fhat(pi))",
            "reached, for every entropy",
            f"largest difference over {len(rows)} entropies: {tiny(apart)}",
            apart <= 1e-12 * 10,
        ),
        statement(
            "No channel with sets of at most k does better",
            "the largest H_g(X|Y)",
            f"{RANDOM} random channels and the plan without gains stay below, by {above:.4f} at least",
            above > 0,
        ),
    )
    return Part(
        "Gains",
        (
            "The paper works no example of its proposition on diagonal gains. Ours has the prior "
            "(0.30, 0.25, 0.20, 0.12, 0.08, 0.05), the gains (1, 1, 2, 8, 1, 4) and sets of at most three. The fourth "
            "secret, of probability 0.12 only, is worth so much that it is the giant.",
        ),
        claims,
        (
            Table(
                "gains",
                "H_g before and after an observation, for an attacker who gains (1, 1, 2, 8, 1, 4).",
                ("entropy", "before", "optimum", "our channel", "plan without gains", f"best of {RANDOM} random"),
                tuple(rows),
            ),
        ),
    )

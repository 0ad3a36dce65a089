"""Where the print is wrong: for each erratum the printed and the right value, side by side."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from minleak import Arimoto, Channel, Gain, GuessError, Guesswork, Hartley, Shannon, design
from minleak.lab import FehrBerens, Hayashi, SharmaMittal, Tsallis, posteriors
from paper.claims import Claim, Part, Table, erratum, statement, tiny
from paper.priors import TOY_CAP, TOYS

# Three secrets, of which the first shows itself.
PRIOR = (2, 1, 1)
CHANNEL = ((1, 0), (0, 1), (0, 1))


def part() -> Part:
    claims = (
        sharma_mittal(),
        tsallis(),
        zero_guess_leakage(),
        posterior_guesswork(),
        zero_gains(),
        as_many_guesses(),
        fehr_berens(),
        extreme_points(),
        core_concave_gains(),
        arimoto_at_zero(),
    )
    rows = tuple((n, claim.what, claim.printed, claim.ours) for n, claim in enumerate(claims, start=1))
    return Part(
        "Errata",
        (
            "Slips of the print, each with a number that shows it. The verdict stands only if the printed form is "
            "wrong and ours is right on the example. Where not said otherwise the example is the prior "
            "(1/2, 1/4, 1/4) and a channel in which the first secret shows itself and the other two look alike.",
        ),
        claims,
        (Table("errata", "The errata in short.", ("erratum", "about", "printed", "right"), rows),),
    )


def sharma_mittal() -> Claim:
    near = SharmaMittal(2, 1 + 1e-9).conditional(PRIOR, CHANNEL)
    arimoto, hayashi = (form(2, base=math.e).conditional(PRIOR, CHANNEL) for form in (Arimoto, Hayashi))
    return statement(
        "The limit of Sharma-Mittal(2, b) as b tends to 1, in nats",
        f"Arimoto's form: {arimoto:.6f}",
        f"{near:.6f} at b = 1 + 1e-9; Hayashi's form: {hayashi:.6f}",
        abs(near - hayashi) < 1e-8 and abs(near - arimoto) > 0.01,
        verdict=erratum(1),
    )


def tsallis() -> Claim:
    printed = (1 - (0.5**2 + 0.5**2)) / (1 - 2)
    ours, family = Tsallis(2)([1, 1]), SharmaMittal(2, 2)([1, 1])
    return statement(
        "The sign of the Tsallis entropy: two equally likely secrets, order 2",
        f"(1 - |p|^2)/(1 - 2) = {printed}",
        f"{ours}, as Sharma-Mittal(2, 2) gives: {family}",
        abs(ours - 0.5) < 1e-12 and abs(family - 0.5) < 1e-12 and printed < 0,
        verdict=erratum(2),
    )


def zero_guess_leakage() -> Claim:
    l, weights = 2, TOYS[0]
    p = [Fraction(w, sum(weights)) for w in weights]
    as_printed, right = (p[l - 1] >= sum(p[l - 1 : end]) / (TOY_CAP - l + 1) for end in (TOY_CAP, len(p)))
    leaks = design(weights, TOY_CAP).leakage(GuessError(l))
    least = l / TOY_CAP - float(sum(p[:l]))  # two of three equally likely secrets, against the two likeliest
    skewed = design(TOYS[2], TOY_CAP).leakage(GuessError(l))
    return statement(
        "When two guesses need not leak: toy prior p_1, k = 3",
        "0, as 0.28 >= (0.28 + 0.22)/2: the sum up to k",
        f"{leaks:.4f}: 0.28 < (0.28 + 0.22 + 0.20)/2, the sum up to n; for p_3, where that holds, {skewed:.4f}",
        as_printed and not right and abs(leaks - least) < 1e-12 and abs(skewed) < 1e-12,
        verdict=erratum(3),
    )


def posterior_guesswork() -> Claim:
    nothing = Channel([[0.5, 0.5], [0.5, 0.5]])
    printed = sum(Guesswork()(posterior) for posterior in posteriors([1, 1], nothing).matrix.T)
    ours = Guesswork().conditional([1, 1], nothing)
    return statement(
        "Guesses for one of two secrets after a useless observation",
        f"{printed:g}: the sum over y without p(y)",
        f"{ours:g}, as before the observation",
        printed > 2 and abs(ours - Guesswork()([1, 1])) < 1e-12,
        verdict=erratum(4),
    )


def zero_gains() -> Claim:
    prior, gains, k = (4, 3, 2, 1), (1, 1, 1, 0), 2
    plan = design(prior, k, gains=gains)
    channel = plan.channel()
    worthless = gains.index(0)
    row = float(channel.toarray()[worthless].sum())
    # Step 2 on e = gamma_x p(x) makes the v_M of its sets add up to e = 0, so that the row v_M/e is 0/0 throughout
    e = gains[worthless] * prior[worthless] / sum(prior)
    printed = 0.0 if e == 0 else 1.0
    apart = abs(plan.entropy(Shannon()) - Gain(Shannon(), gains).conditional(prior, channel))
    return statement(
        "The row of a secret that is worth nothing, gains (1, 1, 1, 0)",
        f"sums to {printed:g}, by 0/0 = 0: no channel",
        f"sums to {row:g}, with a set of its own; H_g(X|Y) is off the optimum by {tiny(apart)}",
        printed == 0 and abs(row - 1) < 1e-12 and apart < 1e-12 and int(channel.preimage_sizes.max()) <= k,
        verdict=erratum(5),
    )


def as_many_guesses() -> Claim:
    ours = [design(weights, TOY_CAP).entropy(GuessError(TOY_CAP)) for weights in TOYS]
    try:
        printed = str(Fraction(TOY_CAP - TOY_CAP, TOY_CAP - TOY_CAP))  # the term (l-j)/(k-j) at j = l = k
    except ZeroDivisionError:
        printed = "0/0"
    return statement(
        "The corollary on l guesses at l = k: all three toy priors",
        f"{printed} in the term j = l",
        f"{max(map(abs, ours)):.1g}: k guesses in a set of k are never all wrong",
        printed == "0/0" and max(map(abs, ours)) < 1e-12,
        verdict=erratum(6),
    )


def fehr_berens() -> Claim:
    shannon = Shannon().conditional(PRIOR, CHANNEL)
    limit, near = (FehrBerens(a).conditional(PRIOR, CHANNEL) for a in (1, 1 + 1e-9))
    others = [form(1 + 1e-9).conditional(PRIOR, CHANNEL) for form in (Arimoto, Hayashi)]
    right = abs(limit + math.log2(0.75)) < 1e-12 and abs(near - limit) < 1e-6
    return statement(
        "The limit of the conditional Renyi entropies as the order tends to 1",
        f"Shannon's, {shannon:g}, for all three forms",
        f"Arimoto {others[0]:.6f}, Hayashi {others[1]:.6f}, but Fehr-Berens {limit:.6f} = -log2(3/4)",
        right and all(abs(other - shannon) < 1e-6 for other in others) and abs(limit - shannon) > 0.05,
        verdict=erratum(7),
    )


def extreme_points() -> Claim:
    """The vertices of {0 <= omega_i <= s/u, sum s}, for toy p_2 without its giant: s = 0.64, u = 2, three entries."""
    tail = [Fraction(w, 100) for w in TOYS[1][1:]]
    s, u = sum(tail, Fraction(0)), TOY_CAP - 1
    found = vertices(len(tail), s, s / u)
    full = {sum(value == s / u for value in vertex) for vertex in found}
    rest = {sum(value == 0 for value in vertex) for vertex in found}
    return statement(
        "The proof of the second sub-lemma: entries of an extreme point that are s/u",
        '"w of their elements", a letter with no meaning there',
        f"u = {u} of {len(tail)} entries, in all {len(found)} extreme points for toy p_2",
        full == {u} and rest == {len(tail) - u} and len(found) == math.comb(len(tail), u),
        verdict=erratum(8),
    )


def core_concave_gains() -> Claim:
    """H_g(p) = Fhat(Gp) for Shannon's entropy, eta being the identity: at the middle of two priors, and on average."""
    draw = random.Random(0)
    least = math.inf
    for _ in range(200):
        G = [[draw.random() for _ in range(3)] for _ in range(3)]
        p, q = ([draw.random() for _ in range(3)] for _ in range(2))
        p, q = ([value / sum(prior) for value in prior] for prior in (p, q))
        H = Gain(Shannon(), G)
        middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
        least = min(least, H(middle) - (H(p) + H(q)) / 2)
    return statement(
        "Gains and core-concavity: H_g of Shannon's entropy at the middle of two priors, less the mean of both",
        '"no longer ... core-concave"',
        f"never negative, 200 random gains: at least {tiny(max(least, 0.0))}",
        least > -1e-12,
        verdict=erratum(9),
    )


def arimoto_at_zero() -> Claim:
    """One secret that shows itself and m others that look alike, of probability t together."""
    found = {
        m: {
            round(Hartley().conditional([1 - t, *[t / m] * m], [[1, 0], *[[0, 1]] * m]), 12)
            for t in (0.001, 0.5, 0.999)
        }
        for m in (2, 3)
    }
    return statement(
        "Arimoto's form at order 0",
        "a case of eta(sum of p(y) F) for 0 <= a < 1",
        "log of the largest support, whatever the p(y): "
        + ", ".join(f"{min(values):.6f} bits for supports of 1 and {m}" for m, values in found.items())
        + "; a mean would tend to 0 with p(y)",
        all(values == {round(math.log2(m), 12)} for m, values in found.items()),
        verdict=erratum(10),
    )


def vertices(t: int, total: Fraction, most: Fraction) -> set[Sequence[Fraction]]:
    """All points with every entry but one at a bound, the last one given by the sum and within its bounds."""
    found: set[Sequence[Fraction]] = set()
    for free, bounds in product(range(t), product((Fraction(0), most), repeat=t - 1)):
        left = total - sum(bounds, Fraction(0))
        if 0 <= left <= most:
            found.add((*bounds[:free], left, *bounds[free:]))
    return found

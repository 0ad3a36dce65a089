"""Unlisted: how long strings that cannot be listed take to fit and to draw, whether a secret's place in its set is
uniform, and what attackers with other knowledge than the model's make of honeywords."""

from __future__ import annotations

import random
import secrets
import string
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from scipy.stats import chisquare

import minleak as ml
from minleak.strings._string_prior import StringPrior

K = 20
EVENTS = 60_000
TRIALS = 3_000
#: Zipf's exponent for passwords: Wang, Cheng, Wang, Huang, Jian: Zipf's law in passwords (2017), between 0.75 and 0.91.
ZIPF = 0.9

Draw = Callable[[str, random.Random], list[str]]
Weight = Callable[[str], float]


def main() -> None:
    fitting()
    drawing()
    uniformity()
    honeywords()
    policies()
    queries()


def fitting() -> None:
    import wordsegment

    wordsegment.load()
    strings = [*wordsegment.UNIGRAMS, *wordsegment.BIGRAMS]
    strings += [first[::-1] + second for first, second in pairwise(strings)]
    strings = [text[:32] for text in strings[:1_000_000]]
    start = time.perf_counter()
    model = ml.strings.NGram.fit(strings)
    print(f"\nfitting {len(strings):,} strings: {time.perf_counter() - start:.1f} s (bar 30 s)  {model}", flush=True)


def passwords() -> tuple[list[str], np.ndarray]:
    """Real passwords by rank, and probabilities by Zipf's law, since nobody publishes counts with a free licence."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    ranked = list(FREQUENCY_LISTS["passwords"])
    weights = np.arange(1.0, len(ranked) + 1) ** -ZIPF
    return ranked, weights / weights.sum()


def sampled(
    ranked: list[str], truth: np.ndarray, seed: int, accept: ml.strings.Policy | None = None
) -> tuple[ml.Prior, ml.strings.NGram]:
    """What somebody knows who saw so many logins: counts, and a model of what he did not see."""
    counts = np.random.default_rng(seed).multinomial(EVENTS, truth)
    seen = np.flatnonzero(counts)
    names = [ranked[i] for i in seen.tolist()]
    return ml.Prior(counts[seen].tolist(), labels=names), ml.strings.NGram.fit(names, accept=accept)


def drawing() -> None:
    prior, model = sampled(*passwords(), seed=1)
    rng = random.Random(1)
    for what, plan in (
        ("all strings", ml.design(model, K)),
        ("counted and others", ml.design(prior, K, unknown=model)),
    ):
        cloak = ml.Cloak(plan, key=ml.Key.new())
        texts = [model.at(rng.randrange(model.total)) for _ in range(1000)]
        cloak.draw(texts[0], scope="first")
        start = time.perf_counter()
        for text in texts:
            cloak.draw(text, scope="user-1")
        print(f"a sticky draw of {K}, {what}: {time.perf_counter() - start:.3f} ms (bar 1 ms)  {plan}", flush=True)


def uniformity(draws: int = 200_000) -> None:
    _, model = sampled(*passwords(), seed=1)
    plan = ml.design(model, K)
    rng, places = random.Random(2), np.zeros(K, dtype=np.int64)
    for _ in range(draws):
        secret = model.at(rng.randrange(model.total))
        places[plan.members(secret, rng.randrange(plan.owned(secret))).index(secret)] += 1
    print(f"{draws:,} secrets from the model: chi-square of their places in sets p = {chisquare(places).pvalue:.3f}")


def honeywords() -> None:
    ranked, truth = passwords()
    prior, model = sampled(ranked, truth, seed=1)
    other = StringPrior.of(*reversed(sampled(ranked, truth, seed=2)), None)
    known = dict(zip(ranked, truth.tolist(), strict=True))
    print(
        f"\n{K} honeywords, {EVENTS:,} logins of {len(ranked):,} passwords by Zipf's law; attackers rank words by how "
        "much\nlikelier they are to be real than to be decoys. Success in 1, 2, 5, 10 guesses."
    )
    for what, claimed, draw, weight in schemes(prior, model):
        held_out = flatness(ranked, truth, draw, lambda x, w=weight: other.weight(x) / other.total / w(x))
        trawling = flatness(ranked, truth, draw, lambda x, w=weight: known.get(x, 0.0) / w(x))
        print(f"{what:<22} claimed {claimed}  held-out truth {held_out}  every frequency {trawling}", flush=True)
    plan = ml.design(prior, K, unknown=model)
    print(f"counted and others: who saw the lists of two sites is right {twice(plan, ranked, truth):.3f}")


def policies() -> None:
    """Passwords that a policy holds to some lengths and classes: decoys that it refuses, which a thief drops, and a
    thief who learned from other logins.
    """
    ranked, _ = passwords()
    for policy in (ml.strings.Policy(min_length=8), ml.strings.Policy(min_length=8, require=["digit", "letter"])):
        fitting = [x for x in ranked if policy.counts(x)]
        truth = np.arange(1.0, len(fitting) + 1) ** -ZIPF
        truth /= truth.sum()
        other = StringPrior.of(*reversed(sampled(fitting, truth, 2, policy)), None)
        print(f"\n{len(fitting):,} passwords of {policy}; {K} honeywords, {TRIALS:,} lists")
        for what, accept in (("any string", None), ("accept=policy", policy)):
            prior, model = sampled(fitting, truth, 1, accept)
            plan, rng = ml.design(prior, K, unknown=model), random.Random(3)
            refused, first = 0, 0
            for secret in rng.choices(fitting, truth.tolist(), k=TRIALS):
                words = plan.members(secret, rng.randrange(plan.owned(secret)))
                left = [x for x in words if policy.counts(x)]
                refused += len(words) - len(left)
                first += secret == max(left, key=lambda x: other.weight(x) * plan.likelihood(x))
            alone = ml.strings.NGram.fit(fitting, accept=accept)
            words = [word for x in rng.choices(fitting, k=300) for word in ml.strings.honeywords(x, K, model=alone)]
            print(
                f"{what:<14} refused by the policy: {sum(not policy.counts(x) for x in words):,} of {300 * (K - 1):,} "
                f"decoys of a model alone,\n{refused:,} of {TRIALS * (K - 1):,} beside counts, where a thief who drops "
                f"them and learned from {EVENTS:,} others is right {first / TRIALS:.3f}; claimed {plan.success:.3f}",
                flush=True,
            )


def queries() -> None:
    """Two-word phrases as search queries: counted and new ones apart, and what a second set of the same one gives."""
    import wordsegment

    wordsegment.load()
    phrases, weights = list(wordsegment.BIGRAMS), np.array(list(wordsegment.BIGRAMS.values()))
    truth = weights / weights.sum()
    prior, model = sampled(phrases, truth, seed=1)
    other = StringPrior.of(*reversed(sampled(phrases, truth, seed=2)), None)
    plan = ml.design(prior, K, unknown=model)
    listed = set(prior.labels)
    new = sum(share for phrase, share in zip(phrases, truth.tolist(), strict=True) if phrase not in listed)
    print(f"\n{EVENTS:,} queries of {len(phrases):,}: new {plan.unlisted:.3f} as told, {new:.3f} in truth; {plan}")
    rng = random.Random(4)
    asked = [phrases[i] for i in np.random.default_rng(4).choice(len(phrases), size=TRIALS, p=truth).tolist()]
    for what, chosen in (
        ("counted", [x for x in asked if x in listed]),
        ("new", [x for x in asked if x not in listed]),
    ):
        right, second, made_up = 0.0, 0.0, 0.0
        for secret in chosen:
            shown = plan.members(secret, rng.randrange(plan.owned(secret)))
            ratios = [other.weight(x) / plan.owned(x) for x in shown]
            best = max(ratios)
            right += (ratios[shown.index(secret)] == best) / ratios.count(best)
            again = set(shown) & set(plan.members(secret, rng.randrange(plan.owned(secret))))
            second += intersected(plan, again)
            made_up += sum(x not in listed for x in shown) / K
        n = len(chosen)
        print(
            f"{what:<8} {n:>5} secrets: held-out truth right {right / n:.3f}, claimed {plan.success:.3f}; "
            f"after a second set {second / n:.3f}; members never counted {made_up / n:.3f}",
            flush=True,
        )


def intersected(plan: ml.results.UnlistedPlan, both: set[str]) -> float:
    """The success of who saw two sets of one secret: a member that weighs w shows a given set with odds of 1/w, so that
    after two of them it is as likely as 1/w.
    """
    odds = [plan.string_prior.total / plan.string_prior.weight(x) for x in both]
    return max(odds) / sum(odds)


def twice(plan: ml.results.UnlistedPlan, ranked: list[str], truth: np.ndarray) -> float:
    """The same for secrets as they come, with two sets drawn for each."""
    rng, found = random.Random(5), 0.0
    for at in np.random.default_rng(5).choice(len(ranked), size=TRIALS, p=truth).tolist():
        places = plan.owned(ranked[at])
        one, other = (set(plan.members(ranked[at], rng.randrange(places))) for _ in range(2))
        found += intersected(plan, one & other)
    return found / TRIALS


def schemes(prior: ml.Prior, model: ml.strings.NGram) -> Iterator[tuple[str, str, Draw, Weight]]:
    """(name, claimed success, how words are drawn, how likely a word is as a decoy, up to a factor)."""
    yield "tweaked tails", "  -  ", lambda real, _: tweaks(real), lambda _: 1.0
    listed = ml.design(prior, K)
    cloak, weights = ml.Cloak(listed), dict(zip(prior.labels, prior.p.tolist(), strict=True))

    def by_list(real: str, _: random.Random) -> list[str]:
        return list(cloak.draw_fresh(real)) if real in weights else tweaks(real)

    yield "listed, else tweaked", f"{listed.success:.3f}", by_list, lambda x: weights.get(x, 1.0)
    for what, plan in (
        ("all strings", ml.design(model, K)),
        ("counted and others", ml.design(prior, K, unknown=model)),
    ):

        def by_plan(real: str, rng: random.Random, plan=plan) -> list[str]:
            return list(plan.members(real, rng.randrange(plan.owned(real))))

        yield (
            what,
            f"{plan.success:.3f}",
            by_plan,
            lambda x, plan=plan: plan.string_prior.weight(x) / plan.string_prior.total,
        )


def tweaks(real: str, places: int = 4) -> list[str]:
    """The rule that is used today: characters at the end replaced by random ones of their kind."""
    kinds = (string.ascii_lowercase, string.ascii_uppercase, string.digits, string.punctuation)
    alike = [next((kind for kind in kinds if c in kind), string.ascii_letters) for c in real[-places:]]
    words = {real}
    while len(words) < K:
        words.add(real[:-places] + "".join(map(secrets.choice, alike)))
        if len(real) < 2 and len(words) == 10:
            alike.append(string.digits)
    return sorted(words)


def flatness(ranked: list[str], truth: np.ndarray, draw: Draw, ratio: Weight) -> str:
    """How often the real word is among the first few by that ratio, ties in random order."""
    rng, places = random.Random(3), np.zeros(K)
    for at in np.random.default_rng(3).choice(len(ranked), size=TRIALS, p=truth).tolist():
        words = draw(ranked[at], rng)
        order = sorted(words, key=lambda x: (-ratio(x), rng.random()))
        places[order.index(ranked[at])] += 1
    return " ".join(f"{share:.3f}" for share in (np.cumsum(places) / TRIALS)[[0, 1, 4, 9]])


if __name__ == "__main__":
    main()

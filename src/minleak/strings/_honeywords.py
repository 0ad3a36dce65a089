"""Honeywords: k passwords to store for an account, one of them right, equally likely to a thief who has the model."""

from __future__ import annotations

import secrets
from typing import Any
from weakref import WeakKeyDictionary

from minleak.core._plan.fields import cap
from minleak.errors import InvalidParameter, UnknownSecret
from minleak.strings._make import design_unlisted
from minleak.strings._model import StringModel
from minleak.strings._plan import UnlistedPlan

# A plan over a model takes longer to make than a list of words: one is kept for each model and k.
_plans: WeakKeyDictionary[Any, dict[int, UnlistedPlan]] = WeakKeyDictionary()


def honeywords(password: str, k: int = 20, *, model: StringModel | UnlistedPlan) -> list[str]:
    """k different passwords, the given one among them, in an order drawn anew.

    With a model every password has k - 1 others as likely as itself, or stands beside the giants that are in every
    list. `model` is one of strings, such as `NGram.fit(passwords)`, or a plan, `design(prior, k, unknown=model)`, in
    which those that were counted are as likely as they were counted. Call it once for each password that is set: two
    lists for the same one are intersected.

    The order is the system's randomness and says nothing. A sorted list would betray the password to whoever sees which
    word was moved by a package that puts the right one at a place of its own.

    >>> import minleak as ml
    >>> model = ml.strings.NGram.fit(["dragon", "monkey", "sunshine", "letmein", "qwerty"])
    >>> words = honeywords("dragon99", 4, model=model)
    >>> len(set(words)), "dragon99" in words
    (4, True)
    """
    plan = _plan(model, cap(k))
    if plan.k != k:
        raise InvalidParameter(f"the plan is for {plan.k} words, not {k}")
    places = plan.owned(password) if isinstance(password, str) else 0
    if not places:
        raise UnknownSecret(
            "the model cannot hold this password: it is too long, no text, or does not meet the model's policy; ask "
            "for another one, or fit a model with another longest= or accept="
        )
    words = list(plan.members(password, secrets.randbelow(places)))
    secrets.SystemRandom().shuffle(words)
    return words


def _plan(model: StringModel | UnlistedPlan, k: int) -> UnlistedPlan:
    if isinstance(model, UnlistedPlan):
        return model
    try:
        known = _plans.setdefault(model, {})
    except Exception:  # what cannot be kept, or is no model, whatever its own code raises
        return design_unlisted(model, k)
    if k not in known:
        known[k] = design_unlisted(model, k)
    return known[k]

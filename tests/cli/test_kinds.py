"""Every kind of plan is asked everything: it answers, or refuses in one line that says what to do instead."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.cli.files import QUERIES
from tests.cli.test_every_command import IN_PYTHON

import minleak as ml
from minleak.core._load import KINDS
from minleak.errors import InvalidParameter

PRIOR = ml.Prior.from_counts(QUERIES)
STRINGS = ml.strings.NGram.fit(list(QUERIES), order=2, longest=8)
PLANS = {
    "plan": ml.design(PRIOR, 4),
    "gains": ml.design(PRIOR, 4, gains=range(1, 41)),
    "blocks": ml.design(PRIOR, 4, layout="blocks"),
    "channel": ml.lab.mechanisms.rounded(ml.Channel(np.full((40, 2), 0.5), inputs=PRIOR.labels), PRIOR),
    "model": ml.design(STRINGS, 4),
    "strings": ml.design(PRIOR, 4, unknown=STRINGS, unknown_share=0.1),
    "lineage": ml.design(PRIOR, 4).update(QUERIES | {f"new-{i}": 9 for i in range(5)}).update(QUERIES | {"later": 2}),
}


def drawn(plan):
    """What a cloak shows."""
    return ml.Cloak(plan, key=bytes(32)).draw("query-9", scope="s")


def chain_of(plan):
    """Walks among its secrets."""
    prior = plan.prior if isinstance(plan.prior, ml.Prior) else PRIOR
    return ml.lab.sequences.Chain(prior, np.ones((len(prior), len(prior)), dtype=int))


# What a plan refuses, and the commands that do not end with code 0.
REFUSED = {
    "channel": {"sets", "table", "update", "exposure"},
    "strings": {
        *("leakage", "leakage under a prior", "sets", "channel", "table", "update"),
        *("estimate_prior", "sequence_leakage", "exposure"),
    },
}
REFUSED["model"] = REFUSED["strings"]
CODES = {
    "gains": {"certify for counts": 1},
    "channel": {"dry run": 2, "update": 2, "export": 2},
    "strings": {"draw anew": 2, "dry run": 2, "update": 2, "export": 2},
    "lineage": {"certify for counts": 2},
}
CODES["model"] = CODES["strings"] | {"certify for counts": 1}
VERBS = {
    "success": lambda plan: plan.success,
    "entropy": lambda plan: plan.entropy("shannon"),
    "leakage": lambda plan: plan.leakage("shannon"),
    "leakage under a prior": lambda plan: plan.leakage("min-entropy", prior=PRIOR),
    "sets": lambda plan: list(plan.sets()),
    "channel": lambda plan: plan.channel(),
    "table": lambda plan: plan.table(),
    "update": lambda plan: plan.update(PRIOR),
    "certify": lambda plan: (
        ml.certify(plan) if plan.kind == "lineage" else ml.certify(plan, plan.prior, gains=getattr(plan, "gains", None))
    ),
    "draw": drawn,
    "estimate_prior": lambda plan: ml.lab.estimate_prior(
        plan, [0 if plan.kind == "channel" else drawn(plan)], bootstrap=0
    ),
    "sequence_leakage": lambda plan: ml.lab.sequences.leakage(chain_of(plan), plan, steps=2, trials=2),
    "exposure": lambda plan: ml.exposure([plan]),
}
COMMANDS = {
    "show": ["show", "x.cloak"],
    "certify": ["certify", "x.cloak"],
    "certify for counts": ["certify", "x.cloak", "queries.csv"],
    "draw": ["draw", "x.cloak", "query-9", "--key", "queries.key", "--scope", "s"],
    "draw anew": ["draw", "x.cloak", "query-9", "--fresh"],
    "dry run": ["update", "x.cloak", "tomorrow.csv", "--dry-run"],
    "update": ["update", "x.cloak", "tomorrow.csv", "-o", "newer.cloak"],
    "export": ["export", "x.cloak", "-o", "table.csv"],
    "report": ["report", "x.cloak", "-o", "r.html", "--trials", "20"],
}


def test_all_kinds_are_here():
    """Those that a file holds."""
    assert {plan.kind for plan in PLANS.values()} == set(KINDS)


@pytest.mark.parametrize("name", PLANS)
def test_plans_answer_or_refuse(name):
    """Just what is listed is refused, each in one line."""
    for verb, asked in VERBS.items():
        if verb not in REFUSED.get(name, ()):
            assert asked(PLANS[name]) is not None
            continue
        with pytest.raises(InvalidParameter) as refused:
            asked(PLANS[name])
        assert "\n" not in str(refused.value), verb


@pytest.mark.parametrize("name", PLANS)
def test_commands_answer_or_refuse_in_one_line(name, run):
    """Exit code 0, or 1 for a certificate that says no; else one line and exit code 2."""
    PLANS[name].save("x.cloak")
    for command, arguments in COMMANDS.items():
        code, out, err = run(*arguments)
        assert code == CODES.get(name, {}).get(command, 0), (command, err)
        assert code != 1 or out.startswith("NOT certified")
        assert code != 2 or (err.startswith("minleak: ") and err.count("\n") == 1), command
        assert not IN_PYTHON.search(err), err
        assert not re.search(r"\b(gains|prior|events|limit)=", out), out

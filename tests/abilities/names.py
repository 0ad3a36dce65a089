"""Where each ability is found: the public addresses of what the tests of this folder call, the newest first.

`from tests.abilities.names import design` gives what stands at the first address of "design" that there is. So a
renaming changes this table and no test, and an older commit can be called with the same words. An address that begins
with a dot is a method or a field of the first argument. Keywords that other commits call otherwise are in `KEYWORDS`;
what is called in another way than the tests say is a function at the end. Exceptions are given as they are, everything
else as a function. Fields of results that every design keeps (`ok`, `success`, `leakage`) are read without the table.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import json
import os
import select
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import minleak

ROOT = Path(minleak.__file__).parents[2]

NAMES = {
    # data
    "Prior": "Prior",
    "Channel": "Channel",
    "prior_from_counts": "Prior.from_counts",
    "channel_from_rows": "Channel.from_rows",
    "deterministic": "Channel.deterministic",
    "random_channel": "Channel.random",
    "exact_channel": ".exact",
    "read_prior": "read_prior",
    "read_channel": "read_channel",
    "read_pairs": "lab.read_pairs | read_pairs",
    "read_places": "read_places | io.read_places",
    # entropies and what is measured in them
    "entropy": "entropy",
    "Shannon": "Shannon",
    "MinEntropy": "MinEntropy",
    "GuessError": "GuessError",
    "Guesswork": "Guesswork",
    "Arimoto": "Arimoto",
    "Hayashi": "lab.Hayashi | theory.Hayashi",
    "FehrBerens": "lab.FehrBerens | theory.FehrBerens",
    "SharmaMittal": "lab.SharmaMittal | theory.SharmaMittal",
    "Tsallis": "lab.Tsallis | theory.Tsallis",
    "Hartley": "lab.Hartley | Hartley",
    "Collision": "lab.Collision | Collision",
    "CoreConcave": "lab.CoreConcave | theory.CoreConcave",
    "Gain": "Gain",
    "leakage": "leakage",
    "leakage_table": "leakage_table",
    "property_leakage": "property_leakage | theory.property_leakage",
    "capacity": "capacity",
    "Joint": "Joint | lab.Joint | theory.Joint",
    # orders and measures of researchers
    "refined_by": "lab.refined_by | refined_by | refines",
    "majorizes": "lab.majorizes | theory.majorizes",
    "posterior_vulnerability": "lab.posterior_vulnerability | theory.posterior_vulnerability",
    "multiplicative_leakage": "lab.multiplicative_leakage | theory.multiplicative_leakage",
    "maximal_leakage": "lab.maximal_leakage | theory.maximal_leakage",
    "sibson": "lab.sibson | theory.sibson",
    "renyi_divergence": "lab.renyi_divergence | theory.renyi_divergence",
    "total_variation": "lab.total_variation | theory.total_variation",
    "d_privacy": "lab.d_privacy | theory.d_privacy",
    "local_dp_epsilon": "lab.local_dp_epsilon | theory.local_dp_epsilon",
    "kantorovich": "lab.kantorovich | theory.kantorovich",
    "deficiency": "lab.deficiency | theory.deficiency",
    "additive_leakage": "lab.additive_leakage | theory.additive_leakage",
    "guesswork_moment": "lab.guesswork_moment | theory.guesswork_moment",
    "repeated_success": "lab.repeated_success | theory.repeated_success",
    "estimate_prior": "lab.estimate_prior | theory.estimate_prior",
    "baselines": "lab.baselines | theory.baselines",
    "OptimalAdversary": "lab.OptimalAdversary | theory.OptimalAdversary",
    "MismatchedAdversary": "lab.MismatchedAdversary | theory.MismatchedAdversary",
    "UniformAdversary": "lab.UniformAdversary | theory.UniformAdversary",
    "matroid_optimum": "lab.matroid_optimum | theory.matroid_optimum",
    "matroid_partition": "lab.Matroid.partition | theory.Matroid.partition",
    "matroid_uniform": "lab.Matroid.uniform | theory.Matroid.uniform",
    "best_pairs": "lab.pairs",
    "certify_pairs": "lab.certify_pairs",
    "invariance": "lab.invariance",
    "least_capacity": "lab.least_capacity",
    "pml_channel": "lab.pml_channel",
    "online_buckets": "lab.online_buckets",
    "privacy_funnel": "lab.privacy_funnel | theory.privacy_funnel",
    # plans and what is done with them
    "design": "design",
    "Stable": "Stable",
    "Circle": "Circle",
    "Blocks": "Blocks",
    "Near": "Near",
    "Cheapest": "Cheapest",
    "Groups": "Groups",
    "cost": ".cost",
    "cost_bound": ".cost_bound",
    "decoy_distances": ".decoy_distances",
    "exact_target": ".exact_target",
    "lineage_of": ".lineage",
    "digest": ".digest",
    "parts": ".parts",
    "pending": ".pending",
    "property_success": ".success_of",
    "plan_property_leakage": ".property_leakage",
    "rows_read": "rows_read | rivals.rows_read | .rows_read",
    "partitions": ".partitions",
    "certify": "certify",
    "load": "load",
    "export": "export | .export",
    "population": "population | .in_the_world",
    "update": "update | .update",
    "repeated": "repeated | .repeated",
    "exposure": "exposure",
    "sweep": "sweep",
    "least_k": "least_k",
    "compare": "compare",
    # lookups by hash prefix
    "Buckets": "Buckets",
    "selector": "selector",
    "find_block": ".find",
    "bucket_of": ".bucket",
    "add_layer": ".add",
    "visits": "visits",
    # draws
    "Cloak": "Cloak",
    "Key": "Key",
    "Pins": "Pins",
    "load_key": "Key.load",
    "new_key": "Key.new",
    # strings
    "fit_strings": "strings.NGram.fit",
    "load_strings": "strings.NGram.load",
    "Policy": "strings.Policy",
    "honeywords": "strings.honeywords",
    "unlisted": ".unlisted",
    "check_model": "testing.check_model",
    # padding, streams, middleware
    "pad_design": "padding.design",
    "pad_compare": "padding.compare",
    "pad_frontier": "padding.frontier",
    "pad_least_budget": "padding.least_budget",
    "pad_from_samples": "padding.from_samples",
    "pad_update": "padding.update",
    "universal": "padding.universal",
    "load_sizes": "padding.SizeTable.load",
    "size_table": ".table",
    "padme": "padding.padme",
    "to_power_of_two": "padding.to_power_of_two",
    "profile_of_messages": "padding.profiles.messages",
    "profile_of_dns": "padding.profiles.dns",
    "read_streams": "padding.read_streams",
    "split_streams": ".split",
    "frames": "padding.frames",
    "Frames": "padding.Frames",
    "load_frames": "padding.Frames.load",
    "AsgiPadding": "padding.asgi.PadResponses",
    "AsgiFrames": "padding.asgi.FrameEvents",
    "WsgiPadding": "padding.wsgi.PadResponses",
    # samples
    "audit": "audit",
    "assert_no_leak": "testing.assert_no_leak",
    # optimal channels, mechanisms, sequences
    "optimise": "lab.optimise | optimise",
    "least_budget": "lab.least_budget | least_budget",
    "tradeoff": "lab.tradeoff | tradeoff",
    "geometric": "lab.mechanisms.geometric | mechanisms.geometric",
    "randomised_response": "lab.mechanisms.randomised_response | mechanisms.randomised_response",
    "privacy_curve": "lab.mechanisms.privacy_curve | mechanisms.privacy_curve",
    "rounded": "lab.mechanisms.rounded | mechanisms.rounded",
    "Chain": "lab.sequences.Chain | sequences.Chain",
    "chain_of": "lab.sequences.Chain.from_sequences | sequences.Chain.from_sequences",
    "load_chain": "lab.sequences.Chain.load | sequences.Chain.load",
    "entropy_rate": ".entropy_rate",
    "DecoyWalks": "lab.sequences.DecoyWalks | lab.sequences.Tracks | sequences.Tracks",
    "sequence_leakage": "lab.sequences.leakage | sequences.leakage",
    # engines, pages, strategies
    "engine_audit": "scale.audit | warehouse.audit",
    "write_page": "report.write",
    "entropies": "testing.entropies",
    "priors": "testing.priors",
    "channels": "testing.channels",
    "systems": "testing.systems",
    "capped_channels": "testing.capped_channels",
    # errors
    "MinleakError": "errors.MinleakError",
    "Infeasible": "errors.Infeasible",
    "InvalidParameter": "errors.InvalidParameter",
    "InvalidPrior": "errors.InvalidPrior",
    "PendingSecret": "errors.PendingSecret",
    "UnknownSecret": "errors.UnknownSecret",
    "InvalidCloak": "errors.InvalidCloak",
    "UnreadableFile": "errors.UnreadableFile",
}

KEYWORDS = {
    "max_success": "max_success | success",
    "max_growth": "max_growth | most",
    "fallback": "fallback | stand_in",
    "observations": "observations | looks",
    "rng": "rng | seed",
}


class Absent(AttributeError):
    """A name with no address in this tree."""


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"tests/abilities/names.py has no {name!r}")
    addresses = NAMES[name].split(" | ")
    members = [address[1:] for address in addresses if address.startswith(".")]
    for address in addresses:
        if address.startswith("."):
            return partial(_member, members)
        with contextlib.suppress(AttributeError):
            found = _at(address)
            return found if inspect.isclass(found) and issubclass(found, Exception) else partial(_call, found)
    raise Absent(f"nothing at {NAMES[name]}: say in tests/abilities/names.py where {name!r} is now")


def _at(address: str) -> Any:
    """What stands at a dotted address of the package, submodules included."""
    found: Any = minleak
    for part in address.split("."):
        if inspect.ismodule(found) and not hasattr(found, part):
            try:
                importlib.import_module(f"{found.__name__}.{part}")
            except ModuleNotFoundError as error:
                if error.name != f"{found.__name__}.{part}":
                    raise
        found = getattr(found, part)
    return found


def _member(members: list[str], subject: Any, *arguments: Any, **keywords: Any) -> Any:
    name = next((name for name in members if hasattr(subject, name)), members[0])
    found = getattr(subject, name)
    return _call(found, *arguments, **keywords) if callable(found) else found


def _call(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Call a function, with each keyword as it calls that."""
    known = inspect.signature(function).parameters if keywords else {}
    if "on_counts" in keywords and "on_counts" not in known:
        keywords["in_the_world"] = not keywords.pop("on_counts")
    for newest in [name for name in keywords if name in KEYWORDS and name not in known]:
        keywords[next(name for name in KEYWORDS[newest].split(" | ") if name in known)] = keywords.pop(newest)
    return function(*arguments, **keywords)


# -- what is called in another way than the tests say ----------------------------------------------------------------


def design_strings(model: Any, k: int, *, counts: Any = None) -> Any:
    """A plan for strings that nobody can list; `counts` are of those that were seen."""
    with contextlib.suppress(AttributeError):
        return _at("strings.design")(model, k, counts=counts)
    return minleak.design(model, k) if counts is None else minleak.design(counts, k, unknown=model)


def price_limits(found: Any) -> dict[str, float]:
    """By limit, a lower bound on the leakage without it."""
    prices = _at("padding.price_limits")(found)
    return prices if isinstance(prices, dict) else {price.limit: price.without for price in prices}


def padding_channel(sizes: Any, weights: Any, **limits: Any) -> tuple[Any, float]:
    """The randomised padding that leaks least, as a matrix, and what it leaks."""
    with contextlib.suppress(AttributeError):
        best = _at("lab.padding_channel")(sizes, weights, **limits)
        return best.channel.toarray(), best.leakage
    padding = _at("padding.design")(sizes, weights, randomised=True, **limits)
    return padding.channel().toarray(), padding.leakage


def engine_draws(counts: dict[str, int], k: int, asked: list[tuple[str, str]], *, key: bytes) -> tuple[Any, bool, list]:
    """Design, certify and draw inside DuckDB: the plan brought into memory, whether the engine certified it, the sets
    that it drew for pairs of a secret and a scope.
    """
    import pyarrow as pa

    engine = _at("scale" if importlib.util.find_spec("minleak.scale") else "warehouse")
    table = pa.table({"secret": list(counts), "count": list(counts.values())})
    plan = engine.design(table, k)
    secrets, scopes = zip(*asked, strict=True)
    events = pa.table({"secret": secrets, "scope": scopes, "event": range(len(asked))})
    drawn = engine.cloak(plan, events, key=minleak.Key(key)).order_by("event").to_pyarrow().to_pylist()
    return engine.to_plan(plan), engine.certify(plan, table).ok, [tuple(row["set"]) for row in drawn]


def runtime_draw(table: Any, secret: str, *, scope: str, key: bytes, hash_key: bytes | None = None) -> tuple[str, ...]:
    """A draw by the runtime that needs Python's standard library alone."""
    path = ROOT / "runtimes" / "python" / "minleak_draw.py"
    spec = importlib.util.spec_from_file_location("minleak_draw", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return tuple(module.Table(table, hash_key=hash_key).draw(secret, scope=scope, key=key))


def _script() -> list[str]:
    """The program that the package installs as `minleak`, as pyproject.toml of this tree says."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, function = scripts["minleak"].split(":")
    return [sys.executable, "-c", f"import sys; from {module} import {function}; sys.exit({function}())"]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1", "COLUMNS": "120"}


def command(*arguments: Any, cwd: str | os.PathLike[str], stdin: str = "") -> tuple[int, str]:
    """The exit code of a command, and what it printed (not its errors)."""
    ended = subprocess.run(
        [*_script(), *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        env=_environment(),
        timeout=120,
    )
    return ended.returncode, ended.stdout


@contextlib.contextmanager
def service(plan: str, key: str, *, cwd: Path) -> Iterator[Callable[[str, dict[str, str]], dict[str, Any]]]:
    """A running service on a socket of its own: a function from a path and a question to its answer."""
    arguments = ["serve", plan, "--key", key, "--socket", "service.sock", "--json"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [*_script(), *arguments], cwd=cwd, stdout=pipe, stderr=pipe, env=_environment(), text=True
    )

    def ask(path: str, question: dict[str, str]) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(60)
            one.connect(str(cwd / "service.sock"))
            body = json.dumps(question).encode()
            head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n"
            one.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            return json.loads(one.makefile("rb").read().split(b"\r\n\r\n", 1)[1])

    try:
        ready, _, _ = select.select([process.stdout], [], [], 60)
        assert ready, "the service did not start"
        assert process.stdout.readline(), "the service ended"
        yield ask
    finally:
        process.terminate()
        process.communicate(timeout=60)

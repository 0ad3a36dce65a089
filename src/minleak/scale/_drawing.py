"""cloak: draw the sets to show for the secrets of events inside the engine; the key stays in Python."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

import numpy as np

from minleak.core._keys import Key, scope_problem, streams
from minleak.core._label_bytes import labels_in_bytes
from minleak.errors import InvalidKey, InvalidParameter, PendingSecret, UnknownSecret, UnreadableFile
from minleak.scale._certifying import DAMAGED
from minleak.scale._counts import count_if
from minleak.scale._engines.base import Engine, ibis_module, path_text
from minleak.scale._lineage import WarehouseLineage, begin
from minleak.scale._lookups import PlanLine
from minleak.scale._plan import GIANT, Header, WarehousePlan, check_plan
from minleak.scale._tables import as_table, check_columns, engine_of


def cloak(
    plan: WarehousePlan | WarehouseLineage,
    events: Any,
    *,
    key: Key | str | os.PathLike[str],
    secret: str = "secret",
    scope: str = "scope",
    observable: str = "set",
    stand_in: Any = None,
    keep_secret: bool = False,
) -> Any:
    """The events with a column `observable`: the set of k labels to show for each, in the plan's order.

    p(set | secret) is exactly that of the plan's channel: a keyed function of plan, scope and secret gives a uniform
    integer below u w_x, a place among those that the secret owns. Draws are sticky: events of the same scope and secret
    have the same set, that of `Cloak(to_plan(plan), key=key).draw(secret, scope=scope)`.

    Parameters
    ----------
    plan
        A plan by `design`, or a lineage by `update`, whose parts are checked as far as they are drawn from.
    events
        A table in the engine of the plan.
    key
        A `Key` or the path of its file. It stays in Python, inside the function that the engine calls: no query, query
        plan or log holds it. Spark sends the function to its executors, so their connections must be secure
        (spark.network.crypto.enabled).
    secret, scope
        The columns of the secret, of the plan's type, and of the subject, text or bytes.
    observable
        The name of the column that is added.
    stand_in
        A label of the plan that replaces unknown secrets, which are refused otherwise.
    keep_secret
        Keep the column of the secret, to check draws. By default it is dropped, since it must not be published.

    One draw for each pair of scope and secret, at the cost of the checks of `certify`, one pass over the plan and u
    rows for each pair. A plan that `certify` does not accept is refused. The sets stay in the engine for as long as the
    connection, in a temporary table that the result reads.
    """
    key = key if isinstance(key, Key) else _load(key)
    table = as_table(events)
    lineage = plan if isinstance(plan, WarehouseLineage) else begin(plan)
    engine = engine_of(lineage.ledger, table)
    _check_columns(table, secret, scope, observable, lineage.parts[0].header)
    lines: dict[int, PlanLine] = {}
    if lineage is not plan:  # a single plan is checked before its secrets, a lineage part by part
        lines[0] = PlanLine.of(engine, lineage.parts[0])
    asked = table.select(scope=table[scope], secret=table[secret]).distinct()
    with ExitStack() as kept:
        known = kept.enter_context(engine.hold(_find_parts(engine, asked, lineage.ledger, stand_in)))
        wanted = {int(row["part"]) for row in engine.rows(known.select("part").distinct())}
        if not wanted <= set(range(len(lineage.parts))):
            raise UnreadableFile(DAMAGED)
        shown = [
            _draw_part(
                engine,
                lines.get(number) or PlanLine.of(engine, check_plan(lineage.parts[number])),
                known.filter(known.part == number),
                key,
                lineage.lineage,
            )
            for number in sorted(wanted) or [0]
        ]
    sets = ibis_module().union(*shown) if len(shown) > 1 else shown[0]
    named = sets.rename(**{scope: "scope", secret: "asked", observable: "members"}).select(scope, secret, observable)
    result = table.join(named, [scope, secret])
    return result if keep_secret else result.drop(secret)


def _draw_part(engine: Engine, line: PlanLine, known: Any, key: Key, lineage: bytes) -> Any:
    """(scope, asked, members) for pairs whose secrets are in the part of this line, kept in the engine."""
    part = line.plan
    draws = _draws(engine, known, part.everybody, part.header, key, lineage)
    with (
        engine.hold(known) as asked,
        engine.hold(draws) as drawn,
        engine.hold(_sets(drawn, line), lasting=True) as sets,
    ):
        _check_drawn(engine, sets, asked, part.header.k)
    return sets.select("scope", "asked", "members")


def _load(key: Any) -> Key:
    if not isinstance(key, str | os.PathLike):
        raise InvalidKey("a key is a Key, or the path of its file")
    return Key.load(path_text(key, InvalidKey))


def _check_columns(table: Any, secret: str, scope: str, observable: str, header: Header) -> None:
    check_columns(table, InvalidParameter, secret=secret, scope=scope)
    if secret == scope:
        raise InvalidParameter(f"secret and scope both name the column {secret!r}: name two columns")
    if not isinstance(observable, str) or not observable:
        raise InvalidParameter("observable is the name of a new column, for the sets")
    if observable.casefold() in (name.casefold() for name in table.columns):
        raise InvalidParameter(f"the events have a column {observable!r} already: choose another name for the sets")
    kind, wanted = table[secret].type(), "text" if header.is_text else "int64"
    if not (kind.is_string() if header.is_text else kind.is_int64()):
        raise InvalidParameter(f"the plan's secrets are {wanted}, those in {secret!r} are {kind}: cast them")
    kind = table[scope].type()
    if not (kind.is_string() or kind.is_binary()):
        raise InvalidParameter(f"scopes are text or bytes, those in {scope!r} are {kind}: cast them to text")


def _find_nobody(scopes: list[Any]) -> list[int]:
    return [int(scope_problem(scope) is not None) for scope in scopes]


def _find_parts(engine: Engine, asked: Any, ledger: Any, stand_in: Any) -> Any:
    """(scope, asked, secret, part) for every pair; secrets that are in no part are replaced or refused."""
    ibis = ibis_module()
    names = ledger.filter(ledger.part >= 0).select("secret", "part")
    unknown = asked.anti_join(names, "secret")
    if engine.count(asked.filter(asked.scope.isnull() | asked.secret.isnull())):
        raise InvalidParameter("some events have no scope or no secret: say for each who asks, and for what")
    named = asked.select("scope").distinct()
    wrong = engine.vectorise(_find_nobody, (named.scope.type(),), "int64")
    if engine.row(named.aggregate(wrong=wrong(named.scope).max()))["wrong"]:
        raise InvalidParameter(
            "some events have no scope that names somebody: it is blank, holds a NUL character, or is what programs "
            "write for a missing value, such as None or nan"
        )
    if stand_in is None:
        if count := engine.count(unknown):
            if waiting := engine.count(unknown.semi_join(ledger, "secret")):
                raise PendingSecret(
                    f"{waiting} pairs of scope and secret have a secret that was counted in an update and has no set "
                    "yet: refuse these events until it is in a part, or choose a stand_in"
                )
            raise UnknownSecret(
                f"{count} pairs of scope and secret have a secret that the plan does not know: refuse these events, or "
                "choose a stand_in for all such secrets"
            )
        return asked.mutate(asked=asked.secret).join(names, "secret").select("scope", "asked", "secret", "part")
    kind = str if asked.secret.type().is_string() else int
    if type(stand_in) is not kind:
        raise InvalidParameter(f"the stand-in for unknown secrets is {kind.__name__}, as they are")
    if not engine.count(names.filter(names.secret == stand_in)):
        raise InvalidParameter("the stand-in for unknown secrets must itself be a label of the plan")
    replaced = unknown.select("scope", asked=unknown.secret, secret=ibis.literal(stand_in, asked.secret.type()))
    listed = asked.semi_join(names, "secret").mutate(asked=ibis._.secret).select("scope", "asked", "secret")
    return listed.union(replaced).join(names, "secret").select("scope", "asked", "secret", "part")


def _draws(engine: Engine, known: Any, everybody: Any, header: Header, key: Key, lineage: bytes) -> Any:
    """(scope, asked, secret, ring, at): the ring of a home or an idle set, or ring 0 and a phase of the common ring;
    for a giant drawn with a home, GIANT and a position of that home.
    """
    ibis, u = ibis_module(), header.u
    joined = known.select("scope", "secret", "asked").join(everybody, "secret")
    homely, common = joined.ring > 0, joined.ring == 0
    owned = joined.group_by(["scope", "asked", "secret"]).aggregate(
        position=joined.position.max(),
        # at most one row each, so the largest is the sum, and stays a 64-bit integer in every engine
        home=ibis.ifelse(homely, joined.weight, 0).max(),
        away=ibis.ifelse(homely, 0, joined.weight).max(),
        ring=ibis.ifelse(common, GIANT - 1, joined.ring).max(),  # the ring other than the common one
        start=ibis.ifelse(common, joined.start, 0).max(),
    )
    giant = owned.ring == GIANT
    lone = (owned.ring < 0) & (owned.ring > GIANT)
    bound = ibis.cases((giant, header.tail), (lone, 0), else_=u * (owned.home + owned.away))
    owned = owned.mutate(bound=bound.cast("int64"))
    places = engine.vectorise(_places(key, lineage), (owned.scope.type(), owned.secret.type(), "int64"), "int64")
    owned = owned.mutate(place=places(owned.scope, owned.secret, owned.bound))
    giant, lone = owned.ring == GIANT, (owned.ring < 0) & (owned.ring > GIANT)
    at_home = (owned.ring > 0) & (owned.place < u * owned.home)
    line = owned.start + owned.place - u * owned.home
    if not header.tail:  # nobody is left beside the giants: all are in one set
        ring, at = ibis.ifelse(giant, -1, owned.ring), ibis.literal(0, "int64")
    else:
        with_home = giant & (owned.place < header.at_home)
        ring = ibis.cases((with_home, GIANT), (at_home | lone, owned.ring), else_=0)
        at = ibis.cases(
            (with_home, u * (header.length + owned.place)),
            (giant, owned.place - header.at_home),
            else_=line % max(header.length, 1),
        )
    return owned.select("scope", "asked", "secret", ring=ring.cast("int64"), at=at.cast("int64"))


def _places(key: Key, lineage: bytes) -> Any:
    """The function from scopes, secrets and bounds N to places floor(r N), keyed for the lineage."""
    secret = key.reveal()

    def places(scopes: list[Any], secrets: list[Any], bounds: list[int]) -> Any:
        numbers = streams(Key(secret), lineage, scopes, labels_in_bytes(secrets))
        return numbers.below(np.array(bounds, dtype=np.int64))

    return places


def _sets(drawn: Any, line: PlanLine) -> Any:
    """(scope, asked, secret, ring, members): the labels of each draw, in the order of their positions."""
    ibis, header, rows = ibis_module(), line.plan.header, line.plan.table
    draw = ("scope", "asked", "secret")
    if header.at_home and header.giants:
        found = line.at_home(drawn.filter(drawn.ring == GIANT).select(*draw, "at")).select(*draw, ring="home")
        drawn = drawn.filter(drawn.ring != GIANT).select(*draw, "ring", "at")
        drawn = drawn.union(found.mutate(at=ibis.literal(0, "int64")))
    together = drawn.filter(drawn.ring != 0).select(*draw, "ring")
    members = rows.filter(rows.ring != 0).select("ring", "position", member="secret")
    listed = together.join(members, "ring").select(*draw, "ring", "position", "member")
    if header.length:
        found = line.on_ring(drawn.filter(drawn.ring == 0).select(*draw, "ring", "at"))
        listed = listed.union(found.select(*draw, "ring", "position", "member"))
    collected = listed.group_by([*draw, "ring"]).aggregate(
        rest=ibis.struct({"position": listed.position, "member": listed.member}).collect()
    )
    collected = collected.mutate(rest=collected.rest.sort().map(lambda one: one.member))
    kind = "string" if header.is_text else "int64"
    giants = ibis.literal([name for name, _ in header.giants], f"array<{kind}>")
    if not header.tail:  # giants whose set holds no idle secret had nothing to be joined with
        lonely = drawn.filter(drawn.ring == -1).anti_join(collected, ["scope", "asked"])
        lonely = lonely.select(*draw, "ring", rest=ibis.literal([], f"array<{kind}>"))
        collected = collected.select(*draw, "ring", "rest").union(lonely)
    # the giants have the first positions; sets of idle secrets alone are without them
    joins = collected.ring >= 0 if header.tail else collected.ring >= -1
    whole = ibis.ifelse(joins, giants.concat(collected.rest), collected.rest) if header.giants else collected.rest
    return collected.select(*draw, "ring", members=whole)


def _check_drawn(engine: Engine, sets: Any, asked: Any, k: int) -> None:
    """Refuse draws unless there is one for each row of `asked`, of the right size and with its secret."""
    ibis = ibis_module()
    size = sets.members.length()
    right = ibis.ifelse(sets.ring >= 0, size == k, size <= k) & (sets.members.unique().length() == size)
    right = ibis.coalesce(right & sets.members.contains(sets.secret), False)
    good = engine.row(sets.aggregate(rows=sets.count(), right=count_if(right)))
    if not engine.count(asked) == good["rows"] == good["right"]:
        raise UnreadableFile(DAMAGED)

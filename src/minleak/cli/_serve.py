"""serve: answer draws over HTTP."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import typer

from minleak.cli._options import argument, option
from minleak.cli._output import Outcome, emit, working
from minleak.core._result import Result
from minleak.core._text_tables import Table
from minleak.errors import InvalidParameter, MissingExtra

_TIME = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)(ms|s)")


@dataclass(frozen=True)
class ServiceSummary(Result):
    """What is served."""

    address: str | None
    """Where; None if it was only checked."""
    workers: int
    """How many processes answer."""
    plans: tuple[dict[str, Any], ...]
    """Of each plan `k`, `layout`, `leakage`, `parts`, `pending`, `digest`, `lineage`, `version` and `written`."""

    def to_parts(self) -> list[str | Table]:
        where = "everything was checked" if self.address is None else f"serving at {self.address}"
        newest = self.plans[-1]
        rows: list[list[Any]] = [
            [plan["lineage"][:16], plan["version"], len(plan["parts"]), plan["k"], plan["leakage"]["min-entropy"]]
            for plan in self.plans
        ]
        columns = ("lineage", "version", "parts", "k", "leakage in min-entropy")
        return [f"{where}; new subjects are drawn by {newest['lineage'][:16]}", Table("plans", columns, rows)]


def serve(
    plans: list[str] = argument("PLAN...", "The .cloak file; or several of different lineages, newest last."),
    *,
    key: str | None = option("Key file made by `minleak keygen`."),
    host: str | None = option("Address to listen on. Default: 127.0.0.1."),
    port: int = option("Port to listen on; 0 picks a free one.", default=8642),
    socket: str | None = option("Listen on this Unix socket instead; its file mode decides who may connect."),
    token: str | None = option("File (mode 0600) with the bearer token that requests must carry."),
    tls_cert: str | None = option("TLS certificate (PEM)."),
    tls_key: str | None = option("Private key of --tls-cert (PEM)."),
    workers: int = option("Number of processes; they share the memory of the plans.", default=1),
    every: str | None = option(
        "Send answers only at multiples of this time, from 1ms to 1s, to hide how long a draw takes."
    ),
    chain: str | None = option(".chain file, to also draw tracks of walks."),
    k: int | None = option("With --chain: number of tracks of a walk. Default: the k of the plan.", "-k"),
    padding: str | None = option("Table written by `minleak pad -o buckets.csv`, to also pad sizes."),
    access_log: bool = option("Log time, path, status and duration of each request to stderr.", default=False),
    check: bool = option("Load and certify everything, print what would be served, and exit.", default=False),
) -> Outcome[ServiceSummary]:
    """Serve draws over HTTP; beyond this machine only with a token and TLS.

    POST /draw with {"secret": ..., "scope": ...} returns the set to show; GET /openapi.json describes the rest. When a
    plan's file is replaced by a later version of the plan, that is certified and then served; any other file is
    refused and the old plan stays. SIGHUP checks at once, and reloads the token and the certificate.

    Example: minleak serve queries.cloak --key queries.key --check
    """
    try:
        from minleak.serve._address import Address
        from minleak.serve._service import make_service
        from minleak.serve._supervisor import Supervisor
    except ImportError as error:
        raise MissingExtra.of("serve", f"the service needs the package {error.name}") from None
    if socket is not None and host is not None:
        raise InvalidParameter("give either --socket or --host, not both")
    if not 0 <= port < 1 << 16:
        raise InvalidParameter("--port is from 0 to 65535")
    with working("certifying the plans"):
        service = make_service(
            plans,
            Address(host or "127.0.0.1", port, socket),
            key=key,
            token=token,
            tls_cert=tls_cert,
            tls_key=tls_key,
            workers=workers,
            every=0.0 if every is None else _parse_time(every),
            chain=chain,
            k=k,
            padding=padding,
            access_log=access_log,
        )
        supervisor = Supervisor(service)

    def summarize(address: str | None) -> Outcome[ServiceSummary]:
        return Outcome(ServiceSummary(address, workers, tuple(supervisor.facts())))

    if check:
        return summarize(None)
    supervisor.run(lambda address: emit("serve", summarize(address)))
    raise typer.Exit


def _parse_time(text: str) -> float:
    found = _TIME.fullmatch(text)
    seconds = float(found[1]) / (1000 if found[2] == "ms" else 1) if found else 0.0
    if not 0.001 <= seconds <= 1:
        raise InvalidParameter("--every is a time between 1ms and 1s, such as 5ms")
    return seconds

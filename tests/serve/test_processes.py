"""A service at work: several processes, plans that are replaced, workers that die, and clients in other languages."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.plans import KEY
from tests.serve.conftest import COUNTS, numbered_plan, older_plan
from tests.serve.running import answer, ask, connect, metric, request, service, wait_for

import minleak as ml

EXAMPLES = Path(__file__).parents[2] / "examples" / "service"
TOKEN = "hush" * 16


def asked(secret="hush-gout", scope="ann"):
    return {"secret": secret, "scope": scope}


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def tampered(plan):
    """Of the same lineage by its name only: a ring whose segments are of other lengths."""
    starts = np.array(plan.starts)
    starts[1] += 1
    return replace(plan, starts=starts)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Two workers at a socket."""
    folder = tmp_path_factory.mktemp("service")
    KEY.save(folder / "key")
    older_plan().save(folder / "plan.cloak")
    with service("plan.cloak", "--key", "key", "--socket", "s", "--workers", "2", cwd=folder, HOME="/nowhere") as one:
        one.folder, one.path = folder, folder / "s"
        yield one
    assert one.returncode == 0
    assert not (folder / "s").exists()
    assert "hush" not in one.errors
    assert "Traceback" not in one.errors


def served(running):
    return ask(running.path, "/plan")[1]["plans"][0]["version"]


def test_sets_stay_whatever_happens(running):
    """New versions, files that are refused, and a worker that is killed: the same sets, and the right metrics."""
    path, plan = running.folder / "plan.cloak", older_plan()
    cloak = ml.Cloak(plan, key=KEY)
    expected = {(x, scope): list(cloak.draw(x, scope=scope)) for x in COUNTS for scope in ("ann", "bob")}

    def same():
        drawn = ask(running.path, "/draws", {"draws": [asked(*one) for one in expected]})[1]["sets"]
        return [one["members"] for one in drawn] == list(expected.values())

    assert same()
    assert ask(running.path, "/draw", asked("hush-new"))[1]["error"]["code"] == "unknown_secret"

    newer = ml.update(ml.update(plan, {**COUNTS, "hush-new": 9}), {**COUNTS, "hush-new": 9, "hush-newer": 8})
    assert len(newer.parts) == 2
    with connect(running.path) as kept:
        kept.sendall(request("/draw", asked()))
        assert answer(kept)[0] == 200
        newer.save(path)
        wait_for(lambda: served(running) == 3)
        kept.sendall(request("/draw", asked()))  # an old connection is answered once more, and ends
        status, headers, body = answer(kept)
        assert (status, headers["connection"]) == (200, "close")
        assert json.loads(body)["members"] == expected["hush-gout", "ann"]
    assert same()
    assert ask(running.path, "/draw", asked("hush-new"))[0] == 200

    refusals = {
        "another_lineage": lambda: numbered_plan().save(path),
        "not_later": lambda: plan.save(path),
        "uncertified": lambda: tampered(plan).save(path),
        "unreadable": lambda: (path.with_suffix(".new").write_bytes(b"hush"), path.with_suffix(".new").replace(path)),
    }
    for why, write in refusals.items():
        write()
        wait_for(lambda why=why: metric(running.path, f'minleak_plans_refused_total{{why="{why}"}}') == 1)
    assert same()
    assert served(running) == 3
    assert metric(running.path, "minleak_plan_updates_total") == 1

    before = set(children(running.pid))
    os.kill(min(before), signal.SIGKILL)
    wait_for(lambda: len(set(children(running.pid)) - {min(before)}) == 2)
    assert metric(running.path, "minleak_worker_restarts_total") == 1
    assert same()


def test_a_signal_replaces_the_workers(running):
    """SIGHUP: the certificate and the token are read again, by workers that are forked anew."""
    before = set(children(running.pid))
    running.send_signal(signal.SIGHUP)
    wait_for(lambda: not before & set(children(running.pid)) and len(children(running.pid)) == 2)
    assert ask(running.path, "/draw", asked())[0] == 200


def test_no_connection_is_dropped_while_workers_are_replaced(running):
    """A connection that a worker has just taken when it is told to retire is answered. Five replacements: a worker that
    drops such connections passes this about once in fifty runs.
    """
    done = threading.Event()

    def keep_asking():
        asked = 0
        while not done.is_set():
            assert ask(running.path, "/plan")[0] == 200
            asked += 1
        return asked

    with ThreadPoolExecutor(3) as pool:
        asking = [pool.submit(keep_asking) for _ in range(3)]
        try:
            for _ in range(5):
                before = set(children(running.pid))
                running.send_signal(signal.SIGHUP)
                wait_for(lambda before=before: not before & set(children(running.pid)))
        finally:
            done.set()
        assert all(one.result() for one in asking)


RAW = {
    "no HTTP": b"hush hush\r\n\r\n",
    "TLS": bytes.fromhex("1603010200010001fc0303") + bytes(40) + b"\r\n\r\n",
    "a length that is none": b"POST /draw HTTP/1.1\r\nhost: localhost\r\ncontent-length: +3\r\n\r\nabc",
    "a negative length": b"POST /draw HTTP/1.1\r\nhost: localhost\r\ncontent-length: -3\r\n\r\nabc",
    "two lengths": b"POST /draw HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc",
    "a blank before the colon": b"GET /plan HTTP/1.1\r\nhost : localhost\r\n\r\n",
    "a carriage return in a value": b"GET /plan HTTP/1.1\r\nhost: localhost\r\nx: a\rhush: b\r\n\r\n",
    "a NUL": b"GET /plan\0 HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "no host": b"GET /plan HTTP/1.1\r\n\r\n",
    "a huge header": b"GET /plan HTTP/1.1\r\nhost: localhost\r\nx: " + b"a" * 20_000,
}
# Both headers, and a second request hidden in what one of them calls the body.
SMUGGLED = (
    b"POST /draw HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 4\r\n"
    b"transfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /plan HTTP/1.1\r\nhost: localhost\r\n\r\n"
)


@pytest.mark.parametrize("data", RAW.values(), ids=RAW)
def test_what_is_no_request_is_refused_and_ends(running, data):
    """In JSON, without a word of it."""
    with connect(running.path) as connection:
        connection.sendall(data)
        whole = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    head, _, body = whole.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body)["error"]["code"] == "bad_request"
    assert b"hush" not in whole


def test_a_hidden_request_is_not_answered(running):
    """One answer, and the connection ends."""
    with connect(running.path) as connection:
        connection.sendall(SMUGGLED)
        whole = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert whole.count(b"HTTP/1.1 ") == 1
    assert whole.startswith(b"HTTP/1.1 411 ")


def test_requests_one_after_the_other(running):
    """Pipelined ones are answered in order."""
    with connect(running.path) as connection:
        connection.sendall(request("/draw", asked()) + request("/healthz") + request("/draw", asked("hush-none")))
        file = connection.makefile("rb")
        found = []
        for _ in range(3):
            found.append(int(file.readline().split()[1]))
            headers = dict(line.split(b": ") for line in iter(file.readline, b"\r\n"))
            file.read(int(headers[b"content-length"]))
    assert found == [200, 200, 422]


def test_workers_end_with_their_supervisor(tmp_path):
    """Killed, it leaves no process behind."""
    KEY.save(tmp_path / "key")
    older_plan().save(tmp_path / "plan.cloak")
    with service("plan.cloak", "--key", "key", "--socket", "s", cwd=tmp_path) as one:
        workers = children(one.pid)
        one.kill()
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


@pytest.fixture(scope="module")
def listening(tmp_path_factory):
    """One worker at a port, with a token, tracks and paddings."""
    folder = tmp_path_factory.mktemp("tcp")
    KEY.save(folder / "key")
    older_plan().save(folder / "plan.cloak")
    (folder / "token").write_text(TOKEN)
    (folder / "header").write_text(f"Authorization: Bearer {TOKEN}")
    for name in ("token", "header"):
        (folder / name).chmod(0o600)
    options = ("--port", "0", "--token", "token", "--access-log")
    with service("plan.cloak", "--key", "key", *options, cwd=folder) as one:
        one.folder = folder
        yield one
    assert "hush" not in one.errors


def test_the_access_log_holds_no_body(tmp_path):
    KEY.save(tmp_path / "key")
    older_plan().save(tmp_path / "plan.cloak")
    with service("plan.cloak", "--key", "key", "--socket", "s", "--access-log", cwd=tmp_path) as one:
        assert ask(tmp_path / "s", "/draw", asked())[0] == 200
        assert ask(tmp_path / "s", "/draw", asked("hush-none"))[0] == 422
    assert "POST /draw 200" in one.errors
    assert "hush" not in one.errors


CLIENTS = {
    "curl": (["sh", str(EXAMPLES / "client.sh")], "header", "curl"),
    "python": ([sys.executable, str(EXAMPLES / "client.py")], "token", sys.executable),
    "javascript": (["node", str(EXAMPLES / "client.mjs")], "token", "node"),
}


@pytest.mark.parametrize(("command", "secret", "needed"), CLIENTS.values(), ids=CLIENTS)
def test_clients(listening, command, secret, needed):
    """The examples show what the library shows, and fail where the service refuses."""
    if shutil.which(needed) is None:
        pytest.skip(f"no {needed} here")
    given = [*command, listening.said["address"], str(listening.folder / secret)]
    for one in (asked(), asked("hush-flu", "bob")):
        done = subprocess.run(given, input=json.dumps(one), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        members = found["members"] if isinstance(found, dict) else found
        assert members == list(ml.Cloak(older_plan(), key=KEY).draw(one["secret"], scope=one["scope"]))
    refused = subprocess.run(given, input=json.dumps(asked("hush-none")), capture_output=True, text=True)
    assert refused.returncode != 0


def test_neither_key_nor_token_is_in_the_process_list(listening):
    for pid in (listening.pid, *children(listening.pid)):
        for name in ("cmdline", "environ"):
            text = Path(f"/proc/{pid}/{name}").read_bytes()
            assert TOKEN.encode() not in text
            assert KEY.reveal().hex().encode() not in text

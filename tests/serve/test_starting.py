"""How a service may be started: addresses, tokens, files; and which plans it takes."""

from __future__ import annotations

import os
import socket
import stat

import pytest
from tests.plans import KEY
from tests.serve.conftest import CHAIN, COUNTS, older_plan

import minleak as ml
from minleak.errors import InvalidKey, InvalidParameter, UnreadableFile
from minleak.padding._size_table import SizeTable
from minleak.serve._address import Address
from minleak.serve._plans import Refused, check_successor, make_cloak, open_plan
from minleak.serve._service import make_service

LOCAL = Address("127.0.0.1")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    KEY.save("key")
    older_plan().save("plan.cloak")
    CHAIN.save("walks.chain")
    return tmp_path


def token_file(text, mode=0o600):
    with open("token", "w") as file:
        file.write(text)
    os.chmod("token", mode)
    return "token"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_others_reach_it_only_with_a_token_and_tls(files, host):
    for given in ({}, {"token": token_file("t" * 40)}):
        with pytest.raises(InvalidParameter, match="reached by others"):
            make_service(["plan.cloak"], Address(host), key="key", **given)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "localhost"])
def test_this_machine_needs_neither(files, host):
    assert make_service(["plan.cloak"], Address(host), key="key").terms.token is None


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        ("t" * 40, 0o640, "can be read by others"),
        ("t" * 31, 0o600, "no token of 32"),
        ("t" * 300, 0o600, "no token of 32"),
        ("t" * 20 + "\n" + "t" * 20, 0o600, "no token"),
        ("\xe9" * 40, 0o600, "no token"),
        ("", 0o600, "no token"),
    ],
)
def test_tokens_that_are_none(files, text, mode, message):
    with pytest.raises(InvalidKey, match=message) as caught:
        make_service(["plan.cloak"], LOCAL, token=token_file(text, mode))
    assert "tttt" not in str(caught.value)


def test_a_token_in_place_of_its_file(files):
    with pytest.raises(InvalidKey, match="not shown") as caught:
        make_service(["plan.cloak"], LOCAL, token="hush" * 10)
    assert "hush" not in str(caught.value)


BAD = {
    "half of TLS": ({"tls_cert": "key"}, "both"),
    "no certificate": ({"tls_cert": "key", "tls_key": "key"}, "PEM"),
    "no workers": ({"workers": 0}, "workers"),
    "never": ({"every": float("nan")}, "every="),
    "tracks without a key": ({"chain": "walks.chain"}, "key="),
    "a padding that is none": ({"padding": "plan.cloak"}, "column padded"),
}


@pytest.mark.parametrize(("given", "message"), BAD.values(), ids=BAD)
def test_options_that_are_refused(files, given, message):
    with pytest.raises((InvalidParameter, UnreadableFile), match=message):
        make_service(["plan.cloak"], LOCAL, **given)


def test_tracks_have_the_plan_s_k(files):
    assert make_service(["plan.cloak"], LOCAL, key="key", chain="walks.chain").tracks.k == 2
    assert make_service(["plan.cloak"], LOCAL, key="key", chain="walks.chain", k=3).tracks.k == 3


def test_sockets(tmp_path):
    """The mode is the umask's, never for everybody; one that a killed service left is taken over, others are not."""
    address = Address(path=str(tmp_path / "s"))
    mask = os.umask(0o007)
    try:
        listener = address.listen()
    finally:
        os.umask(mask)
    assert stat.S_IMODE(os.stat(address.path).st_mode) == 0o660
    with pytest.raises(InvalidParameter, match="another process"):
        address.listen()
    listener.close()  # and its file stays
    again = address.listen()
    assert again.getsockname() == address.path
    address.remove(again)
    assert not os.path.exists(address.path)
    (tmp_path / "s").write_text("")
    with pytest.raises(InvalidParameter, match="no socket"):
        address.listen()
    with pytest.raises(InvalidParameter, match="cannot listen"):
        Address(path=str(tmp_path / ("s" * 200))).listen()
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InvalidParameter, match="in use"):
        Address("127.0.0.1", taken.getsockname()[1]).listen()


def test_hosts_of_this_machine():
    assert b"localhost:81" in Address("127.0.0.1").hosts(81)
    assert b"[::1]:81" in Address("::1").hosts(81)
    assert Address(path="s").hosts(0) is None
    assert Address("192.0.2.1").hosts(81) is None


def test_only_later_versions_follow(files):
    """The same first parts, one by one; a part that was changed is found though the lineage is the same."""
    plan = older_plan()
    second = ml.update(ml.update(plan, {**COUNTS, "a": 9, "b": 8}), {**COUNTS, "c": 9, "d": 8})
    other = ml.update(ml.update(plan, {**COUNTS, "a": 9, "x": 8}), {**COUNTS, "c": 9, "d": 8})
    opened = []
    for number, one in enumerate((plan, second, other)):
        one.save(f"{number}.cloak")
        opened.append(open_plan(f"{number}.cloak"))
    assert len({one.plan.lineage for one in opened}) == 1
    check_successor(opened[0], opened[1])
    check_successor(opened[1], opened[1])
    for old, new in ((1, 0), (1, 2), (2, 1)):
        with pytest.raises(Refused) as caught:
            check_successor(opened[old], opened[new])
        assert caught.value.why == "not_later"


def test_another_plan_than_the_certified_one_is_refused(files):
    assert open_plan("plan.cloak", certified=older_plan().digest).facts.k == 2
    with pytest.raises(Refused, match="replaced"):
        open_plan("plan.cloak", certified=bytes(32))


def test_plans_of_every_kind_are_served(files):
    """Blocks, which need no key; rows; strings that cannot be listed."""
    prior = ml.Prior.from_counts(COUNTS)
    ml.design(prior, k=2, layout="blocks").save("blocks.cloak")
    shown = ml.Channel([[0.5, 0.5]] * len(COUNTS), inputs=list(COUNTS))
    ml.lab.mechanisms.rounded(shown, prior).save("rows.cloak")
    model = ml.strings.NGram.fit(["water", "fire", "earth"])
    ml.design(model, 3).save("strings.cloak")
    for name, secret in (("blocks", "hush-flu"), ("rows", "hush-flu"), ("strings", "wind")):
        plan = open_plan(f"{name}.cloak")
        expected = ml.Cloak(f"{name}.cloak", key=KEY).draw(secret, scope="u")
        assert make_cloak([plan], KEY).draw(secret, scope="u") == expected
    assert make_cloak([open_plan("blocks.cloak")], None).draw("hush-flu")
    with pytest.raises(InvalidParameter, match="need a key"):
        make_cloak([open_plan("plan.cloak")], None)


def test_paddings_of_a_file(tmp_path):
    best = ml.padding.design([10, 20, 21, 40], budget=6)
    rows = "".join(f"{bucket.above},{bucket.padded}\n" for bucket in best.buckets())
    (tmp_path / "t.csv").write_text(f"above,padded\n{rows}")
    table = SizeTable.load(str(tmp_path / "t.csv"))
    assert [table.pad(size) for size in range(41)] == [best.pad(size) for size in range(41)]
    for text in ("", "above,padded\n", "padded\n3\n2\n", "padded\nnan\n", "padded\n-1\n", "padded\nx\n"):
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(UnreadableFile):
            SizeTable.load(str(tmp_path / "t.csv"))


VALID = {
    "under caps of groups": {"k": 3, "groups": ml.Groups([0, 1, 0, 1, 0, 1, 2, 2], at_most=1), "layout": "blocks"},
    "within rows": {"k": 8, "layout": ml.Blocks(worst_rows=12)},
}


@pytest.mark.parametrize("how", VALID.values(), ids=VALID)
def test_blocks_that_are_valid_and_not_proved_best_are_served(files, how):
    """There is no theorem on them, so that designing them anew could not help; what is not valid is refused."""
    counts = {f"s{i}": 9 - i for i in range(8)}
    plan = ml.design(counts, **how)
    found = ml.certify(plan, counts)
    assert (found.ok, found.valid) == (False, True)
    plan.save("blocks.cloak")
    assert open_plan("blocks.cloak").plan.digest == plan.digest
    updated = ml.update(plan, {**counts, "new": 5, "newer": 4}, groups=_grouped(how, counts))
    updated.save("updated.cloak")
    assert not ml.certify(updated)
    assert open_plan("updated.cloak").plan.version == updated.version


def _grouped(how, counts):
    return None if "groups" not in how else ml.Groups({"new": 0, "newer": 1}, at_most=1)

"""Secrecy: no representation, error, traceback, log or output names a secret, a key or a draw."""

from __future__ import annotations

import base64
import copy
import hashlib
import logging
import os
import pickle
import traceback

import numpy as np
import pytest
from tests.core.file.files import sealed

import minleak as ml
from minleak.errors import InvalidParameter

# Everything below is to be kept from what the library says. Tests name it by these variables only, since a traceback
# quotes the lines that it passes through.
SECRETS = ("hush-alpha", "hush-beta", "hush-gamma", "hush-delta", "hush-epsilon")
UNSEEN = "hush-unseen"
SCOPE = "hush-subject"
INDEX = 987_654_321
KEY_BYTES = hashlib.sha256(b"the key of these tests").digest()
KEY = ml.Key(KEY_BYTES)
FORBIDDEN = ("hush", "987654321", "987_654_321", KEY_BYTES.hex()[:16], KEY_BYTES.hex()[-16:], repr(KEY_BYTES)[2:20])
FORBIDDEN += (base64.b64encode(KEY_BYTES).decode()[:16], str(list(KEY_BYTES))[1:20])


def plan():
    return ml.design(ml.Prior([5, 3, 2, 2, 0], labels=SECRETS), 2)


def odd_plan():
    """With labels that no file holds, one of which is half of a surrogate pair."""
    return ml.design(ml.Prior([5, 3, 2], labels=[(SECRETS[0], 1), SECRETS[1] + "\udc80", 3]), 2)


def is_kept(*texts):
    return not any(word in text for text in texts for word in FORBIDDEN)


def spoken(error):
    """All that an error and those behind it say: as text, as a traceback, in their arguments and attributes."""
    waiting, texts = [error], []
    while waiting:
        said = waiting.pop()
        texts += ["".join(traceback.format_exception(said)), str(said), repr(said), repr(said.args), repr(vars(said))]
        texts += [repr(getattr(said, name, None)) for name in ("object", "name", "obj", "value", "key", "__notes__")]
        waiting += [behind for behind in (said.__cause__, said.__context__) if behind is not None]
    return texts


def test_what_is_looked_for_would_be_found():
    """A chained error that quotes a secret is caught by the means of these tests, even where it is not printed."""
    caught = []
    for secret in (SECRETS[0], INDEX, KEY_BYTES.hex(), KEY_BYTES):
        try:
            try:
                {}[secret]
            except KeyError:
                raise InvalidParameter("nothing to see") from None
        except InvalidParameter as error:
            caught.append(error)
    assert not any(is_kept(*spoken(error)) for error in caught)


def cloak(**options):
    return ml.Cloak(plan(), key=KEY, **options)


def key_file(folder, content, mode=0o600):
    path = folder / "key"
    path.write_bytes(content)
    path.chmod(mode)
    return path


def saved_key(folder):
    KEY.save(folder / "key")
    return folder / "key"


def damaged_file(folder):
    plan().save(folder / "plan")
    content = bytearray((folder / "plan").read_bytes())
    content[-100] ^= 1
    (folder / "plan").write_bytes(content)
    return folder / "plan"


def foreign_file(folder):
    (folder / "plan").write_bytes(sealed("\n".join(SECRETS).encode()))
    return folder / "plan"


# Every way to fail, given a folder.
FAILURES = {
    "an unknown secret": lambda _: cloak().draw(UNSEEN, scope=SCOPE),
    "an unknown secret, fresh": lambda _: cloak().draw_fresh(UNSEEN),
    "half of a surrogate pair": lambda _: cloak().draw(UNSEEN + "\udc80", scope=SCOPE),
    "bytes": lambda _: cloak().draw(UNSEEN.encode(), scope=SCOPE),
    "not hashable": lambda _: cloak().draw([UNSEEN], scope=SCOPE),
    "not hashable among odd labels": lambda _: ml.Cloak(odd_plan(), key=KEY).draw([UNSEEN], scope=SCOPE),
    "unknown among odd labels": lambda _: ml.Cloak(odd_plan(), key=KEY).draw(UNSEEN, scope=SCOPE),
    "a huge number": lambda _: ml.Cloak(ml.design([2, 1], 1), key=KEY).draw(INDEX * 10**30, scope=SCOPE),
    "a number out of range": lambda _: ml.Cloak(ml.design([2, 1], 1), key=KEY).draw(INDEX, scope=SCOPE),
    "a float": lambda _: ml.Cloak(ml.design([2, 1], 1), key=KEY).draw(float(INDEX), scope=SCOPE),
    "positions": lambda _: cloak().positions([SECRETS[0], UNSEEN]),
    "a set id": lambda _: cloak().set_id([SECRETS[0], UNSEEN]),
    "an unknown stand-in": lambda _: cloak(stand_in=UNSEEN),
    "a stand-in that is not hashable": lambda _: ml.Cloak(odd_plan(), stand_in=[UNSEEN]),
    "an index out of range": lambda _: cloak().draw_many([0, INDEX], fresh=True),
    "a negative index": lambda _: cloak().draw_many([-INDEX], scopes=[SCOPE]),
    "an index beyond 64 bits": lambda _: cloak().draw_many([INDEX * 10**30], fresh=True),
    "an index as a float": lambda _: cloak().draw_many([float(INDEX)], fresh=True),
    "labels in place of indices": lambda _: cloak().draw_many(list(SECRETS), fresh=True),
    "ragged indices": lambda _: cloak().draw_many([INDEX, [INDEX]], fresh=True),
    "a table of indices": lambda _: cloak().draw_many(np.full((2, 2), INDEX), fresh=True),
    "too few scopes": lambda _: cloak().draw_many([0, 1], scopes=[SCOPE]),
    "one scope for a list": lambda _: cloak().draw_many([0], scopes=SCOPE),
    "a scope that is a list": lambda _: cloak().draw(SECRETS[0], scope=[SCOPE]),
    "a scope that is a number": lambda _: cloak().draw(SECRETS[0], scope=INDEX),
    "sticky and fresh": lambda _: cloak().draw_many([0], scopes=[SCOPE], fresh=True),
    "no key": lambda _: ml.Cloak(plan()).draw(SECRETS[0], scope=SCOPE),
    "a short key": lambda _: ml.Key(KEY_BYTES[:31]),
    "a key as text": lambda _: ml.Key(KEY_BYTES.hex()),
    "a key file of bare bytes": lambda folder: ml.Key.load(key_file(folder, KEY_BYTES)),
    "a key file of bare text": lambda folder: ml.Key.load(key_file(folder, KEY_BYTES.hex().encode())),
    "a damaged key file": lambda folder: ml.Key.load(
        key_file(folder, b"minleak-key-1 " + KEY_BYTES.hex().encode() + b" 00000000\n")
    ),
    "a key file that others read": lambda folder: ml.Key.load(key_file(folder, KEY_BYTES.hex().encode(), 0o644)),
    "a key that is there": lambda folder: KEY.save(saved_key(folder)),
    "a key that cannot be there": lambda folder: KEY.save(saved_key(folder) / "key"),
    "a key file that is missing": lambda folder: ml.Cloak(plan(), key=folder / "none"),
    "a damaged file": lambda folder: ml.load(damaged_file(folder)),
    "a file that holds no plan": lambda folder: ml.load(foreign_file(folder)),
    "labels that no file holds": lambda folder: odd_plan().save(folder / "plan"),
    "a file that cannot be there": lambda folder: plan().save(saved_key(folder) / "plan"),
    "a pickled cloak": lambda _: pickle.dumps(cloak()),
    "a copied cloak": lambda _: copy.deepcopy(cloak()),
    "a pickled key": lambda _: pickle.dumps(KEY),
    "a pickled key of old": lambda _: pickle.dumps(KEY, protocol=0),
    "a copied key": lambda _: copy.copy(KEY),
}


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
def test_errors_keep_quiet(fail, tmp_path):
    """Neither an error nor any error behind it says more than what kind of thing was wrong."""
    with pytest.raises(ml.errors.MinleakError) as caught:
        fail(tmp_path)
    assert is_kept(*spoken(caught.value))


def no_space(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("write", [lambda to: KEY.save(to), lambda to: plan().save(to)], ids=["key", "plan"])
def test_a_full_disk_keeps_quiet(write, tmp_path, monkeypatch):
    """Half-written keys and plans are not shown either."""
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(ml.errors.MinleakError) as caught:
        write(tmp_path / "file")
    assert is_kept(*spoken(caught.value))


def working(folder):
    """A day in the life of a cloak, and the objects that it leaves."""
    folder.mkdir()
    KEY.save(folder / "key")
    plan().save(folder / "plan")
    made, loaded = cloak(stand_in=SECRETS[0]), ml.Cloak(folder / "plan", key=folder / "key")
    for each in (made, loaded):
        shown = each.draw(SECRETS[1], scope=SCOPE)
        each.set_id(shown)
        each.draw_fresh(SECRETS[2])
        each.draw_many(each.positions(SECRETS), scopes=[SCOPE] * 5)
        each.draw_many(each.positions(SECRETS), fresh=True)
    made.draw(UNSEEN, scope=SCOPE)
    for name, fail in FAILURES.items():
        (folder / name).mkdir()
        with pytest.raises(ml.errors.MinleakError):
            fail(folder / name)
    return [made, loaded, KEY, made.plan, loaded.plan, *vars(made).values(), *vars(loaded).values()]


def test_nothing_is_logged_or_printed(tmp_path, caplog, capfd):
    """At any level, by any logger, whether it goes well or not."""
    working(tmp_path / "first")  # compiling is logged by numba, and would only be slow
    caplog.set_level(logging.NOTSET)
    logging.getLogger().setLevel(logging.NOTSET)
    working(tmp_path / "second")
    assert is_kept(caplog.text, *(repr(vars(record)) for record in caplog.records))
    assert not [record for record in caplog.records if record.name.startswith("minleak")]
    assert capfd.readouterr() == ("", "")


def test_objects_keep_quiet(tmp_path):
    """Cloaks, keys and plans and what cloaks are made of, as text, as representation and formatted."""
    for thing in working(tmp_path / "folder"):
        assert is_kept(repr(thing), str(thing), f"{thing}", f"{thing!a}", repr([thing]))

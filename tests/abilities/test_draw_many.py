"""Many draws at once: the same sets as one by one."""

from tests.abilities.names import Cloak, Key, design

COUNTS = {"flu": 5, "cold": 4, "gout": 3, "mumps": 2, "ague": 1, "scurvy": 1}


def test_one_by_one():
    cloak = Cloak(design(COUNTS, 3), key=Key(bytes(32)))
    secrets, scopes = [*COUNTS] * 5, [f"user-{i}" for i in range(30)]
    known = [cloak.draw(secret, scope=scope) for secret, scope in zip(secrets, scopes, strict=True)]
    assert cloak.draw_all(secrets, scopes=scopes) == known
    assert cloak.draw_all(secrets, scope="ann") == [cloak.draw(secret, scope="ann") for secret in secrets]
    names = [*COUNTS]
    rows = cloak.draw_many([names.index(secret) for secret in secrets], scopes=scopes)
    assert [tuple(names[x] for x in row) for row in rows.tolist()] == known

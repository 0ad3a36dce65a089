"""The command line: design, draw, certify and show, each with its exit code and a number."""

import json

from tests.abilities.names import Cloak, Key, command, design, load

COUNTS = {"flu": 50, "cold": 40, "gout": 30, "mumps": 20, "ague": 10, "scurvy": 10}


def test_four_commands(tmp_path):
    (tmp_path / "names.csv").write_text("secret,count\n" + "".join(f"{name},{n}\n" for name, n in COUNTS.items()))
    code, text = command("design", "names.csv", "-k", 3, "-o", "names.cloak", cwd=tmp_path)
    assert code == 0
    assert "0.333333" in text
    plan = load(tmp_path / "names.cloak")
    assert dict(plan.sets()) == dict(design(COUNTS, 3).sets())

    Key(bytes(range(32))).save(tmp_path / "names.key")
    code, text = command(
        "draw", "names.cloak", "-", "--key", "names.key", "--scope", "ann", cwd=tmp_path, stdin="gout\n"
    )
    assert (code, tuple(text.split())) == (0, Cloak(plan, key=Key(bytes(range(32)))).draw("gout", scope="ann"))

    assert command("certify", "names.cloak", "names.csv", cwd=tmp_path)[0] == 0
    (tmp_path / "other.csv").write_text("secret,count\n" + "".join(f"{name},{n + 7}\n" for name, n in COUNTS.items()))
    assert command("certify", "names.cloak", "other.csv", cwd=tmp_path)[0] == 1

    code, text = command("show", "names.cloak", "--json", cwd=tmp_path)
    assert (code, json.loads(text)["k"]) == (0, 3)
    assert command("show", "missing.cloak", cwd=tmp_path)[0] == 2

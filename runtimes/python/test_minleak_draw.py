"""python -m unittest: the vectors of the specification from .json and .sqlite, and what must be refused."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
import threading
import unittest
from contextlib import closing
from pathlib import Path

import minleak_draw
from minleak_draw import Refused, Table, UnknownSecret

TOLD = json.loads((Path(__file__).parents[1] / "vectors.json").read_text())
CASES = {case["name"]: case for case in TOLD["cases"]}
KEY = bytes(range(32))


def write_sqlite(path, table, *, more=()):
    """The table of a .json as a database, as the page says; then more statements."""
    Path(path).unlink(missing_ok=True)
    source = minleak_draw._Json.__new__(minleak_draw._Json)
    source._integers = integers = table["labels"] == "integers" and not table["hashed"]
    rows = [(int(label) if integers else label, places) for label, places in table["secrets"]]
    blocks = b"".join(source._hash_secrets(rows) + source._hash_sets(table["sets"]))
    header = {**table, "secrets": str(len(rows)), "sets": str(len(table["sets"])), "blocks": blocks}
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"pragma application_id = {int.from_bytes(b'mltb', 'big')}")
        for statement in ("header (name text primary key, value) without rowid",
                          "secrets (number integer primary key, secret, places text)",
                          "sets (number integer primary key, members text)"):  # fmt: skip
            database.execute(f"create table {statement}")
        database.executemany("insert into header values (?, ?)", header.items())
        database.executemany("insert into secrets values (?, ?, ?)", [(i, *row) for i, row in enumerate(rows)])
        database.executemany("insert into sets values (?, ?)", enumerate(table["sets"]))
        database.execute("create unique index by_secret on secrets (secret)")
        for statement in more:
            database.execute(statement)
    return path


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json, self.sqlite = f"{folder.name}/t.json", f"{folder.name}/t.sqlite"

    def write(self, table):
        """Both files of a table."""
        Path(self.json).write_text(json.dumps(table))
        return [self.json, write_sqlite(self.sqlite, table)]

    def refused(self, what, *given, **named):
        with self.assertRaises(Refused) as seen:
            what(*given, **named)
        self.assertNotIn("hidden", str(seen.exception))
        self.assertNotIn("\n", str(seen.exception))
        self.assertIsNone(seen.exception.__cause__)


class Vectors(Files):
    def test_every_vector(self):
        """From the newest version of the lineage, in both formats."""
        for case in CASES.values():
            hash_key = bytes.fromhex(case["hash_key"]) if "hash_key" in case else None
            for kind in (0, 1):
                tables = {}
                for table in case["tables"]:
                    opened = Table(self.write(table)[kind], digest=table["digest"], hash_key=hash_key)
                    self.assertEqual(opened.version, int(table["version"]))
                    tables[opened.lineage.hex()] = opened, table["labels"] == "integers"
                for draw in case["draws"]:
                    table, integers = tables[draw["lineage"]]
                    secret = int(draw["secret"]) if integers else draw["secret"]
                    found = table.draw(secret, scope=draw["scope"], key=bytes.fromhex(draw["key"]))
                    self.assertEqual(list(map(str, found)), draw["set"], case["name"])
                    self.assertTrue(hash_key is not None or secret in found)

    def test_asked_by_hashes(self):
        """Without the hash key, the same set."""
        case = CASES["hashed labels"]
        for path in self.write(case["tables"][1]):
            named, asked = Table(path, hash_key=bytes.fromhex(case["hash_key"])), Table(path)
            shown = named.draw("flu", scope="u", key=KEY)
            self.assertIn(shown, [asked.draw(label, scope="u", key=KEY) for label in shown])
            self.refused(asked.draw, "flu", scope="u", key=KEY)
            self.refused(Table, path, hash_key=bytes(32))

    def test_blocks_need_no_key(self):
        for path in self.write(CASES["blocks"]["tables"][0]):
            self.assertEqual(len(Table(path).draw("flu")), 3)

    def test_threads(self):
        table, shown = Table(self.write(CASES["giants"]["tables"][0])[1]), []

        def draw():
            shown.append([table.draw("flu", scope=f"u{i}", key=KEY) for i in range(200)])

        threads = [threading.Thread(target=draw) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(shown), 4)
        self.assertTrue(all(one == shown[0] for one in shown))

    def test_long_places_are_kept(self):
        """A giant of many sets, drawn twice, and more of them than are kept."""
        count, giants = 600, 70
        sets = [" ".join(map(str, [*range(giants), giants + i])) for i in range(count)]
        line = ";".join(f"{i} {i}" for i in range(count))
        secrets = [[f"g{i}", line] for i in range(giants)] + [[f"s{i}", f"{i} 0"] for i in range(count)]
        source = minleak_draw._Json.__new__(minleak_draw._Json)
        source._integers = False
        head = {**CASES["giants"]["tables"][0], "secrets": str(giants + count), "sets": str(count)}
        blocks = b"".join(source._hash_secrets(secrets) + source._hash_sets(sets))
        text = "".join(f"{head[name]}\n" for name in minleak_draw._HEADER)
        head |= {"digest": hashlib.sha256(text.encode() + blocks).hexdigest(), "secrets": secrets, "sets": sets}
        for path in self.write(head):
            table = Table(path)
            shown = [[table.draw(f"g{i}", scope="u", key=KEY) for i in range(giants)] for _ in range(2)]
            self.assertEqual(shown[0], shown[1])
            self.assertLessEqual(len(table._kept), 64)


class Refusals(Files):
    def test_tables(self):
        """When they are opened, or when what is wrong is drawn from."""
        for told in TOLD["refused_tables"]:
            Path(self.json).write_text(told["text"])
            with self.subTest(told["name"]):
                self.refused(lambda: Table(self.json).draw("hidden", scope="u", key=KEY))

    def test_tables_of_sqlite(self):
        """The same wherever a database can hold it."""
        for told in TOLD["refused_tables"]:
            try:
                table = json.loads(told["text"])
                write_sqlite(self.sqlite, table)
            except (ValueError, TypeError, KeyError, RecursionError, AttributeError, Refused, sqlite3.Error):
                continue
            with self.subTest(told["name"]):
                self.refused(lambda: Table(self.sqlite).draw("hidden", scope="u", key=KEY))

    def test_databases(self):
        """Another schema, records that are not those of the digest, types, an index that lies, and no database."""
        table = CASES["homes and a ring"]["tables"][0]
        wrong = [
            "create view v as select 1",
            "create trigger t after insert on sets begin select 1; end",
            "create table hidden (a)",
            "drop index by_secret",
            "pragma application_id = 7",
            "update sets set members = '0 1 2'",
            "update sets set members = null",
            "update sets set members = x'00'",
            "update secrets set places = '0 14'",
            "update secrets set places = places || ';9 99' where number = 0",
            "update secrets set secret = 'hidden-' || number",
            "delete from secrets where number = 7",
            "update secrets set number = 20 where number = 7",
            "update secrets set number = -7 where number = 7",
            "delete from sets",
            "delete from header where name = 'blocks'",
            "update header set value = x'00' where name = 'blocks'",
            "update header set value = 'hidden' where name = 'digest'",
            "insert into header values ('hidden', 'hidden')",
            "update secrets set secret = cast(x'ff68696464656e' as text) where number = 1",
        ]
        for statement in wrong:
            with self.subTest(statement):
                write_sqlite(self.sqlite, table, more=[statement])
                self.refused(self.draw_all, table)
        write_sqlite(self.sqlite, table)
        whole = Path(self.sqlite).read_bytes()
        for cut in (whole[:20], whole[:4096], whole[: len(whole) // 2], whole.replace(b"0 14;2 20", b"0 15;2 20")):
            Path(self.sqlite).write_bytes(cut)
            self.refused(self.draw_all, table)
        Path(self.sqlite).unlink()
        self.refused(Table, self.sqlite)

    def test_an_index_that_lies(self):
        """By places, though the schema says by labels: what it finds is not what was asked for."""
        schema = "CREATE UNIQUE INDEX by_secret on secrets (secret)"
        more = ["drop index by_secret", "create index by_secret on secrets (places)", "pragma writable_schema = on"]
        more += [f"update sqlite_master set sql = '{schema}' where name = 'by_secret'"]
        write_sqlite(self.sqlite, CASES["homes and a ring"]["tables"][0], more=more)
        with self.assertRaisesRegex(Refused, "leads elsewhere"):
            Table(self.sqlite).draw("0 14", scope="u", key=KEY)

    def draw_all(self, table):
        opened = Table(self.sqlite)
        for label, _ in table["secrets"]:
            opened.draw(label, scope="u", key=KEY)

    def test_who_asks_for_what(self):
        for path in self.write(CASES["homes and a ring"]["tables"][0]):
            table = Table(path)
            for scope in [*TOLD["refused_scopes"], b"", b"nan", None, 7]:
                self.refused(table.draw, "flu", scope=scope, key=KEY)
            self.assertEqual(table.draw("flu", scope="é", key=KEY), table.draw("flu", scope="é".encode(), key=KEY))
            for key in (bytes(31), "0" * 32, None):
                self.refused(table.draw, "flu", scope="u", key=key)
            for secret in ("hidden", "flu ", "FLU", 7, None, b"flu", "\ud800", "fl\0u"):
                with self.assertRaises(UnknownSecret):
                    table.draw(secret, scope="u", key=KEY)
            self.refused(Table, path, digest="00" * 32)
            self.refused(Table, path, hash_key=KEY)
        for path in self.write(CASES["whole numbers"]["tables"][0]):
            for secret in ("7", 8, 2**70, True, 7.0):
                self.refused(Table(path).draw, secret, scope="u", key=KEY)


if __name__ == "__main__":
    unittest.main()

"""Mutants of a stored plan: its folder copied, and one thing in it changed at random."""

from __future__ import annotations

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq

INTEGERS = ("position", "ring", "start", "weight")
NUMBERS = ("k", "n", "total", "u", "tail", "length", "at_home", "idle")


def change_value(rows, rng):
    row, column = rows[rng.integers(len(rows))], INTEGERS[rng.integers(4)]
    row[column] += int(rng.choice([-1000, -2, -1, 1, 2, 1000]))
    return rows


def copy_value(rows, rng):
    a, b = rng.integers(len(rows), size=2)
    column = (*INTEGERS, "secret")[rng.integers(5)]
    rows[a][column] = rows[b][column]
    return rows


def swap_values(rows, rng):
    a, b = rng.integers(len(rows), size=2)
    column = (*INTEGERS, "secret")[rng.integers(5)]
    rows[a][column], rows[b][column] = rows[b][column], rows[a][column]
    return rows


def swap_values_of_an_idle_secret(rows, rng):
    idle = [row for row in rows if row["ring"] < 0]
    row = idle[rng.integers(len(idle))] if idle else rows[0]
    row[INTEGERS[rng.integers(4)]] = int(rng.choice([-(2**62), -5, -1, 0, 1, 2**61]))
    return rows


def drop_rows(rows, rng):
    gone = set(rng.integers(len(rows), size=rng.integers(1, 4)).tolist())
    return [row for i, row in enumerate(rows) if i not in gone]


def drop_a_secret(rows, rng):
    gone = rows[rng.integers(len(rows))]["secret"]
    return [row for row in rows if row["secret"] != gone]


def double_rows(rows, rng):
    return [*rows, *(dict(rows[i]) for i in rng.integers(len(rows), size=rng.integers(1, 4)))]


def shift_ranges(rows, rng):
    first, by = rng.integers(len(rows)), int(rng.integers(1, 50))
    return [row | {"start": row["start"] + by} if i >= first else row for i, row in enumerate(rows)]


def join_segments(rows, rng):
    """One is longer by what is taken from the next on the line, whose start moves: the line is still tiled."""
    on_line = sorted((row for row in rows if row["ring"] >= 0), key=lambda row: row["start"])
    at = rng.integers(len(on_line) - 1)
    one, other = on_line[at], on_line[at + 1]
    u = (other["start"] - one["start"]) // one["weight"]
    by = int(rng.integers(1, max(other["weight"], 2)))
    one["weight"], other["weight"], other["start"] = one["weight"] + by, other["weight"] - by, other["start"] + u * by
    return rows


def rename_a_secret(rows, rng):
    """To nothing, to another's name, or to a new one, in all rows of it or in one."""
    old, others = rows[rng.integers(len(rows))], rows[rng.integers(len(rows))]["secret"]
    new = [None, others, "nobody" if isinstance(others, str) else 10**9][rng.integers(3)]
    everywhere, name = rng.integers(2), old["secret"]
    return [row | {"secret": new} if row is old or (everywhere and row["secret"] == name) else row for row in rows]


def renumber_rings(rows, rng):
    old, new = (rows[i]["ring"] for i in rng.integers(len(rows), size=2))
    return [row | {"ring": new} if row["ring"] == old else row for row in rows]


def empty_values(rows, rng):
    rows[rng.integers(len(rows))][INTEGERS[rng.integers(4)]] = None
    return rows


def add_an_empty_row(rows, rng):
    return [*rows, rows[rng.integers(len(rows))] | {"weight": 0, "ring": [None, 0, 1, -1][rng.integers(4)]}]


IN_ROWS = [
    change_value,
    copy_value,
    swap_values,
    swap_values_of_an_idle_secret,
    drop_rows,
    drop_a_secret,
    double_rows,
    shift_ranges,
    join_segments,
    rename_a_secret,
    renumber_rings,
    empty_values,
    add_an_empty_row,
]


def change_number(header, rng):
    header[NUMBERS[rng.integers(len(NUMBERS))]] += int(rng.choice([-1, 1, 10]))


def move_between_numbers(header, rng):
    """Of numbers that must add up, so that the header still fits."""
    one, other = [("length", "at_home"), ("at_home", "length")][rng.integers(2)]
    by = int(rng.integers(1, 10))
    header[one], header[other] = header[one] + by, max(header[other] - by, 0)


def change_giants(header, rng):
    giants = header["giants"]
    by = int(rng.integers(1, 5))
    if giants and rng.integers(2):
        giants[0][1] += by
        header["total"] += by
    elif giants:
        giants[-1][0] = "nobody" if header["is_text"] else 10**9
    else:
        header["giants"] = [["nobody" if header["is_text"] else 10**9, header["tail"]]]


def change_kind(header, rng):
    header[["is_text", "layout"][rng.integers(2)]] = [False, True, "circle"][rng.integers(3)]


IN_HEADERS = [change_number, move_between_numbers, change_giants, change_kind]


def retype(table, rng):
    column = (*INTEGERS, "secret")[rng.integers(5)]
    kind = [pa.string(), pa.float64(), pa.int32()][rng.integers(3)]
    if column == "secret" and kind != pa.string():
        kind = pa.large_string()
    return table.set_column(table.column_names.index(column), column, table[column].cast(kind, safe=False))


def rename_column(table, rng):
    names = list(table.column_names)
    a, b = rng.integers(len(names), size=2)
    names[a], names[b] = (names[b], names[a]) if a != b else ("another", "another")
    return table.rename_columns(names)


IN_TABLES = [retype, rename_column]


def mutate(plan, copy, rng):
    """A copy of the folder in which something at random is changed; what was."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(plan, copy)
    every = [*IN_ROWS, *IN_HEADERS, *IN_TABLES]
    change = every[rng.integers(len(every))]
    if change in IN_HEADERS:
        header = json.loads((copy / "header.json").read_text())
        change(header, rng)
        (copy / "header.json").write_text(json.dumps(header))
        return change.__name__
    files = sorted((copy / "segments").iterdir())
    table = pa.concat_tables(pq.read_table(file) for file in files)
    if change in IN_TABLES:
        table = change(table, rng)
    else:
        kinds = pa.schema([(field.name, field.type) for field in table.schema])  # all of them may be null
        table = pa.Table.from_pylist(change(table.to_pylist(), rng), schema=kinds)
    for file in files:
        file.unlink()
    pq.write_table(table, files[0])
    return change.__name__

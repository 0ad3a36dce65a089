"""Labels cleaned inside an engine, as `LabelCleaner` cleans them in memory."""

from __future__ import annotations

from typing import Any

from minleak.core._parameters import truth
from minleak.errors import InvalidParameter
from minleak.scale._engines.base import ibis_module
from minleak.scale._tables import engine_of

# What Python takes for blanks at the ends of a text.
_BLANKS = r"^[\s\x0b\x1c-\x1f\x{85}\p{Z}]+|[\s\x0b\x1c-\x1f\x{85}\p{Z}]+$"


def clean_labels(table: Any, secret: str, *, strip: bool, nfc: bool, events: bool) -> Any:
    """The table with blanks stripped from its secrets, or with these in Unicode's normal form C; `events` that are then
    blank are left out. Secrets that are no text stay as they are.
    """
    if not (truth(strip, "strip") or truth(nfc, "nfc")) or secret not in table.columns:
        return table
    column = table[secret]
    if not column.type().is_string():
        return table
    if nfc:
        if engine_of(table).ibis_name != "duckdb":
            raise InvalidParameter(
                "nfc=True: this engine knows no normal forms of Unicode; take duckdb, or clean in memory"
            )
        normal = ibis_module().udf.scalar.builtin(_nfc_normalize, name="nfc_normalize")
        column = normal(column)
    if strip:
        column = column.re_replace(_BLANKS, "")
    cleaned = table.mutate(**{secret: column})
    return cleaned.filter(cleaned[secret] != "") if events else cleaned


def _nfc_normalize(text: str) -> str:  # type: ignore[empty-body]
    """DuckDB's own."""

"""Labels that a spreadsheet takes for formulas when it opens a table of text: such a table is not written unasked."""

from __future__ import annotations

from typing import Any

from minleak.errors import InvalidParameter

# Cells that begin so are formulas for some spreadsheet, in full width too, or become ones when they are saved again.
_FORMULA = r"^[=@+\-\t\r\n\x{ff1d}\x{ff20}\x{ff0b}\x{ff0d}]"
_NUMBER = r"^[+-][0-9]+([.,][0-9]+)?$"


def refuse_formulas(labels: Any, remedy: str) -> None:
    """Refuse an Arrow column with texts that are formulas; those that are numbers with a sign are none.

    They cannot be written in another way without becoming other labels for programs that read the table.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_string(labels.type) or pa.types.is_large_string(labels.type)):
        return
    formulas = pc.and_not(pc.match_substring_regex(labels, _FORMULA), pc.match_substring_regex(labels, _NUMBER))
    if count := len(labels.filter(formulas).unique()):
        raise InvalidParameter(
            f"{count:,} labels begin with =, +, -, @, a tab or a line break, which a spreadsheet that opens the table "
            f"would run as formulas: {remedy}"
        )

"""JSON: one mapping from secret to weight."""

from __future__ import annotations

import json
from typing import Any

from minleak.errors import UnreadableFile
from minleak.io._sources import check_utf8
from minleak.io._tables import CountsFile


class Json(CountsFile):
    """A mapping from secret to weight. Integers are exact, and a secret that is there twice is noticed."""

    endings = (".json",)

    def counts(self) -> tuple[list[str], Any]:
        try:
            found = json.loads(self.data, object_pairs_hook=_Mapping)
        except json.JSONDecodeError as error:
            raise self.unparsable(f"{error.msg} at line {error.lineno}") from None
        except RecursionError:
            raise self.unparsable("its brackets are nested too deeply") from None
        except ValueError:
            check_utf8(self.data, self.name)
            raise self.unparsable("an integer has more digits than can be read") from None
        if not isinstance(found, _Mapping):
            raise UnreadableFile(f"{self.name} holds a {type(found).__name__}, not a mapping from secret to weight")
        return [secret for secret, _ in found], [
            dict(weight) if isinstance(weight, _Mapping) else weight for _, weight in found
        ]

    def where(self, i: int) -> str:
        return f"entry {i + 1} of {self.name}"


class _Mapping(list[tuple[str, Any]]):
    """The entries of a mapping, also those with the same key."""

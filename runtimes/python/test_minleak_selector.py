"""python -m unittest: the vectors of runtimes/selector.md, or those of the file that MINLEAK_VECTORS names."""

import json
import os
import unittest
from pathlib import Path

from minleak_selector import Selector

TOLD = json.loads(Path(os.environ.get("MINLEAK_VECTORS", Path(__file__).parents[1] / "selector.json")).read_text())


class TestSelector(unittest.TestCase):
    def test_find(self):
        for one in TOLD["files"]:
            selector = Selector(bytes.fromhex(one["file"]))
            self.assertEqual([[name, selector.find(name)] for name, _ in one["find"]], one["find"], one["name"])

    def test_refused(self):
        for one in TOLD["refused"]:
            with self.assertRaises(ValueError, msg=one["name"]):
                Selector(bytes.fromhex(one["file"]))

    def test_text_that_utf_8_cannot_hold(self):
        for one in TOLD["files"]:
            selector = Selector(bytes.fromhex(one["file"]))
            for units in TOLD["unencodable"]:
                self.assertIsNone(selector.find("".join(map(chr, units))))

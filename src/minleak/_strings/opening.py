"""Opening a .cloak file that holds a plan over strings: what it was made of, from which it is made again."""

from __future__ import annotations

from minleak._file.format import Contents
from minleak._strings.files import plan_parts
from minleak._strings.make import design_unlisted
from minleak._strings.ngram import NGram
from minleak._strings.plan import StringDrawable


def drawable(contents: Contents) -> StringDrawable:
    """The plan, made again."""
    parts, prior, k, share = plan_parts(contents)
    return design_unlisted(NGram(*parts), k, prior=prior, share=None if prior is None else share).drawable()

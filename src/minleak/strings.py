"""strings: secrets that cannot be listed, such as passwords: models of them, what a system accepts, and honeywords.

>>> from minleak import strings
>>> model = strings.NGram.fit(["dragon", "monkey", "sunshine"], accept=strings.Policy(min_length=6))
>>> model.weight("dragon") > model.weight("xqzxqz") > model.weight("abc") == 0
True
"""

from minleak._draw.decoy_words import honeywords
from minleak._strings.ngram import NGram
from minleak._strings.policy import Policy

__all__ = ["NGram", "Policy", "honeywords"]

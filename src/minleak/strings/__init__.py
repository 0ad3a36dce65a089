"""strings: secrets that cannot be listed, such as passwords: models of them, what a system accepts, and honeywords.

>>> from minleak import strings
>>> model = strings.NGram.fit(["dragon", "monkey", "sunshine"], accept=strings.Policy(min_length=6))
>>> model.weight("dragon") > model.weight("xqzxqz") > model.weight("abc") == 0
True
"""

from minleak.strings._honeywords import honeywords
from minleak.strings._ngram import NGram
from minleak.strings._policy import Policy

__all__ = ["NGram", "Policy", "honeywords"]

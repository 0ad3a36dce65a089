"""sequences: secrets that come one after the other: chains, what walks leak, and tracks that hide them.

>>> from minleak.lab import sequences
>>> chain = sequences.Chain([1, 1], [[0, 1], [1, 0]], labels=["home", "work"])
>>> sequences.leakage(chain, "buckets", k=2, steps=3).filtered.values
(0.5, 0.5, 0.5)
"""

from minleak.lab.sequences._chain import Chain
from minleak.lab.sequences._measuring import baselines, leakage
from minleak.lab.sequences._reading import read_chain
from minleak.lab.sequences._tracks import Tracks

__all__ = ["Chain", "Tracks", "baselines", "leakage", "read_chain"]

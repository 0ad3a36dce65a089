"""paper: Khouzani and Malacaria's paper to the letter, for those who compare with it: its algorithm, which `design`
replaces, and the forms that its theorem does not take.

>>> from minleak.lab import paper
>>> paper.algorithm_1([0.4, 0.35, 0.15, 0.1], 3).shape
(4, 2)
"""

from minleak.lab.paper._algorithm import algorithm_1
from minleak.lab.paper._forms import Cachin, JizbaArimitsu, LogGuesswork, NonMonotone, RennerWolf

__all__ = ["Cachin", "JizbaArimitsu", "LogGuesswork", "NonMonotone", "RennerWolf", "algorithm_1"]

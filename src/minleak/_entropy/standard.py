"""The entropies that tables show when nobody says which: the one list of them."""

#: An attacker for every temper.
STANDARD = ("shannon", "min-entropy", "guess-error:1", "guesswork", "collision", "hartley", "tsallis:2")

#: Where there is room for few: questions, one guess, guessing until right.
FEW = ("shannon", "min-entropy", "guesswork")

"""The standard entropies: what tables show unless others are asked for."""

#: An attacker who asks questions, has one guess, guesses until right, compares two draws, counts, or sees a power.
STANDARD = ("shannon", "min-entropy", "guess-error:1", "guesswork", "collision", "hartley", "tsallis:2")

#: Where there is room for few: questions, one guess, guessing until right.
FEW = ("shannon", "min-entropy", "guesswork")

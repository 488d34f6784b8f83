"""Its name is a word of Python's."""

from savegen import Saved, saveable


@saveable
class Goblin:
    hp: Saved[int] = 0

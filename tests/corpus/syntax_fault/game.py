"""A file that is not Python is one finding; the others are read all the same."""

from savegen import Saved, saveable


@saveable
class Goblin:
    hp: Saved[int] = 0
    mp: Saved[int = 0

"""Bytes that are no UTF-8, in a file that does not say what else they are: größe."""

from savegen import Saved, saveable


@saveable
class Goblin:
    hp: Saved[int] = 0

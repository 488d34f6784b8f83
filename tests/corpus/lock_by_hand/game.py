"""A line that says nothing that savegen knows."""

from savegen import Saved, saveable


@saveable
class Mage:
    hp: Saved[int] = 0

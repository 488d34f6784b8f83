"""A merge that was not finished is told before anything is read."""

from savegen import Saved, saveable


@saveable
class Mage:
    hp: Saved[int] = 0

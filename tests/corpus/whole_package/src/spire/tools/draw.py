"""Excluded: its class is not known."""

from savegen import Saved, saveable


@saveable
class Brush:
    size: Saved[int] = 0

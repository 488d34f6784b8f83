"""A class that went to another module needs no word: its name says enough."""

from savegen import Saved, saveable

from _savegen.components.game import OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 0

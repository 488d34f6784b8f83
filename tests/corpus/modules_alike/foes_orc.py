"""Modules whose names would be one in the registry, or one of its own."""

from savegen import Saved, saveable

from _savegen.components.foes_orc import OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 0

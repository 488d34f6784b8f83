"""A field that is gone for good stays in the lock: old saves may hold it."""

from savegen import Saved, saveable

from _savegen.components.game import MageSaveLoad


@saveable
class Mage(MageSaveLoad):
    hp: Saved[int] = 0
    name: Saved[str] = ""

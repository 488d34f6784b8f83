"""Two names with one number: one in 2,000 million, or a lock file edited by hand."""

from savegen import Saved, saveable

from _savegen.components.game import MageSaveLoad, OrcSaveLoad


@saveable
class Mage(MageSaveLoad):
    hp: Saved[int] = 0
    mana: Saved[int] = 0


@saveable
class Orc(OrcSaveLoad):
    # The number of a field of another class is no matter.
    hp: Saved[int] = 0

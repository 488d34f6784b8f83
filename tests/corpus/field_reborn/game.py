"""What was absent comes back with its number; what was retired is born again with another."""

from savegen import Saved, saveable

from _savegen.components.game import MageSaveLoad


@saveable
class Mage(MageSaveLoad):
    absent: Saved[int] = 0
    retired: Saved[int] = 0
    other_kind: Saved[str] = ""

"""Größe."""

from savegen import Saved, saveable

from _savegen.components.windows import OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
	hp: Saved[int] = 0
	set_of: Saved[set["Orc"]]

"""Two classes of one name are gone, and one is new that says it was called so."""

from savegen import Saved, saveable

from _savegen.components.game import OrkSaveLoad


@saveable(was="Orc")
class Ork(OrkSaveLoad):
    hp: Saved[int] = 0

"""A field that says what it was keeps its number, and its birth name in the lock."""

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import MageSaveLoad


class Caster:
    might: Annotated[int, Save(was="power")] = 0


@saveable
class Mage(MageSaveLoad, Caster):
    hp: Saved[int] = 0
    magic: Annotated[int, Save(was=("energy", "mana"))] = 0
    spells: Annotated[list[str], Save(was="cantrips")]

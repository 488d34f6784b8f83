"""Two bases have different fields under one name: an object has only one attribute."""

from __future__ import annotations

from savegen import Saved, saveable

from _savegen.components.game import (
    CursedSaveLoad,
    EliteSaveLoad,
    FoeSaveLoad,
    ItemSaveLoad,
    SwordSaveLoad,
)


@saveable
class Foe(FoeSaveLoad):
    level: Saved[int] = 1
    name: Saved[str] = ""


class Ranked:
    level: Saved[str] = "low"


@saveable
class Item(ItemSaveLoad):
    name: Saved[str] = ""


@saveable
class Elite(EliteSaveLoad, Foe, Ranked):
    pass


@saveable
class Sword(SwordSaveLoad, Foe, Item):
    """What both declare alike is one field."""


@saveable
class Cursed(CursedSaveLoad, Foe, Ranked):
    """What the class itself marks again is settled."""

    level: Saved[int | str] = 1

"""Fields come from all bases, over modules, and keep the number of who marked them first."""

from __future__ import annotations

import monsters as m
from savegen import Saved, saveable

from _savegen.components.game import GoblinSaveLoad, KingSaveLoad, OrcSaveLoad


@saveable
class Goblin(GoblinSaveLoad, m.Monster, m.Noisy):
    gold: Saved[int] = 0
    # Marked again: the number stays that of `Monster.weapon`.
    weapon: Saved[str] = "knife"


@saveable
class King(KingSaveLoad, Goblin):
    court: Saved[list[Goblin]]
    heir: Saved[m.Monster | None] = None
    throne: Saved[m.Thing | None] = None


@saveable
class Orc(OrcSaveLoad, m.Monster):
    # No mark, so it is the field that the base has marked.
    hp = 30


class Ogre(m.Monster):
    """Not marked, so nothing is generated for it."""

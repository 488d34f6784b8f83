"""Level authors must be able to tell parameters apart."""

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import GoblinSaveLoad, MonsterSaveLoad


@saveable
class Monster(MonsterSaveLoad):
    hp: Saved[int] = 0
    health: Annotated[int, Save("hp")] = 0
    _wound: Saved[int] = 0
    hurt: Annotated[int, Save("wound")] = 0


@saveable
class Goblin(GoblinSaveLoad, Monster):
    vigour: Annotated[int, Save("hp")] = 0
    # What is not shown is in nobody's way.
    strength: Annotated[int, Save("hp", editor=False)] = 0
    power: Annotated[int, Save("force")] = 0
    force: Annotated[int, Save(editor=False)] = 0

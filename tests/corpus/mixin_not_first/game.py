"""The own mixin comes first, or it is hidden by the one that a base brings along."""

from savegen import Saved, saveable

from _savegen.components.game import GoblinSaveLoad, MonsterSaveLoad, OrcSaveLoad


@saveable
class Monster(MonsterSaveLoad):
    hp: Saved[int] = 0


@saveable
class Goblin(Monster, GoblinSaveLoad):
    gold: Saved[int] = 0


@saveable
class Orc(OrcSaveLoad, Monster):
    rage: Saved[int] = 0

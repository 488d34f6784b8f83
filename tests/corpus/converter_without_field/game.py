from savegen import Saved, converter, saveable

from _savegen.components.game import GoblinSaveLoad


class Creature:
    hp: Saved[float] = 1.0


@saveable
class Goblin(GoblinSaveLoad, Creature):
    gold: Saved[int] = 3


class Orc:
    gold = 3


@converter(Goblin, "gould")
def with_a_typing_error(old):
    return old


@converter(Creature, "gold")
def of_an_heir(old):
    return old


@converter(Orc, "gold")
def of_no_saveable_class(old):
    return old


@converter(Creature, "hp")
def of_a_base(old):
    return old


@converter(Goblin, "hp")
def of_an_inherited_field(old):
    return old

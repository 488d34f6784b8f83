from savegen import Saved, converter, migration, saveable

from _savegen.components.game import GoblinSaveLoad

NEWEST = 3


@saveable
class Goblin(GoblinSaveLoad):
    hp: Saved[float] = 7.0


@migration(to=NEWEST)
def version_is_no_number(save):
    pass


@migration
def no_version(save):
    pass


@migration(to=0)
def version_zero(save):
    pass


@migration(to=True)
def version_true(save):
    pass


@migration(3)
def by_position(save):
    pass


@migration(to=3)
def no_argument():
    pass


@migration(to=3)
def two_arguments(save, level):
    pass


@migration(to=3)
async def answers_later(save):
    pass


@converter(Goblin, field="hp")
def by_keyword(old):
    return old


@converter("Goblin", "hp")
def class_as_text(old):
    return old


@converter(Goblin, "hp")
def wants_a_keyword(old, *, scale):
    return old * scale


# These can be read.


@migration(to=3)
def has_a_default(save, log=None):
    pass


@converter(Goblin, "hp")
def takes_anything(*given):
    return given[0]

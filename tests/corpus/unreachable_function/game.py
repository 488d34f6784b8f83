from savegen import Saved, converter, migration, saveable

from _savegen.components.game import GoblinSaveLoad


@saveable
class Goblin(GoblinSaveLoad):
    hp: Saved[float] = 7.0

    @staticmethod
    @migration(to=2)
    def in_a_class(save):
        pass


def declare():
    @migration(to=2)
    def in_a_function(save):
        pass

    @converter(Goblin, "hp")
    def share(old):
        return old / 100


@migration(to=2)
def _(save):
    pass


@migration(to=3)
def _(save):
    pass


if True:

    @migration(to=2)
    def in_a_branch(save):
        pass

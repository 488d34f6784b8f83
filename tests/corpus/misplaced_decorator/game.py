"""Marks above what they do not mark."""

from savegen import Activation, Saved, on_activate, prefab, saveable
from savegen.runtime import before_save

from _savegen.components.game import HeroSaveLoad


@saveable
def make_hero() -> object:
    return Hero()


@on_activate
def wake(hero: object, reason: Activation) -> None: ...


@before_save
class Late:
    pass


@saveable
class Hero(HeroSaveLoad):
    hp: Saved[int] = 3

    @prefab
    def copy(self) -> object:
        return Hero()

    @on_activate()
    def wake(self, reason: Activation) -> None: ...

    @before_save
    def tidy(self) -> None: ...

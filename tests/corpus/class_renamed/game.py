"""A class that says what it was keeps its number and those of its fields."""

from savegen import Saved, saveable

from _savegen.components.game import FlittermouseSaveLoad, HobgoblinSaveLoad, UrukSaveLoad


@saveable(was="Goblin")
class Hobgoblin(HobgoblinSaveLoad):
    hp: Saved[int] = 0


@saveable(was=("Snaga", "game.Orc"))
class Uruk(UrukSaveLoad):
    hp: Saved[int] = 0


@saveable(was="Bat")
class Flittermouse(FlittermouseSaveLoad):
    hp: Saved[int] = 0

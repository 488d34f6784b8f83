"""A class as a value must be saveable: nothing else gives it a number."""

from savegen import Saved, saveable

from _savegen.components.game import SpawnerSaveLoad


class Bullet:
    pass


@saveable
class Spawner(SpawnerSaveLoad):
    number: Saved[type[int]]
    bullets: Saved[list[type[Bullet]]]
    anything: Saved[type]

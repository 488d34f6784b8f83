"""A base is imported under a name that its module has only where there is no `source`."""

from game.actors.base import Actor  # type: ignore # pyright: ignore
from savegen import Saved, saveable


@saveable
class Orc(Actor):  # type: ignore[misc]
    mp: Saved[int] = 3

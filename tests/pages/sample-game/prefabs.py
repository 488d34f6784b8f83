from collections import deque

from savegen import part, prefab

from enemies import Bat
from items import Heart
from shapes import Vec2


@prefab(static=True)
class Rock:
    """Solid ground."""


@prefab(position="position")
class CaveBat:
    bat = part(Bat, Vec2(), rounds=deque([Vec2(0, 1), Vec2(6, 1)])).set(hp=1)


@prefab(position="position")
class Medicine:
    heart = part(Heart)

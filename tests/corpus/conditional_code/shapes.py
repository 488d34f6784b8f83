from typing import NamedTuple


class Vec2(NamedTuple):
    x: float = 0.0
    y: float = 0.0


class Vec3(NamedTuple):
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0

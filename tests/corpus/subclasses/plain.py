"""Nothing is marked here, and savegen is not named."""

import game as g
from game import Orc as Brute

from again import Rider


class Chief(Brute):
    def __init__(self) -> None:
        self.plan = ""


class Bone(
    g.Undead,  # (not Enemy)
): ...


class Wolf(Rider): ...


class Enemy:
    """Another class of that name."""


class Tree(Enemy): ...

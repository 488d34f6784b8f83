"""No mark is here."""

from typing import Any

import settings
from game import Fighter, Item
from window import Missile, Window


class Actor:
    fighter: Fighter

    def __init__(self, fighter: Fighter) -> None:
        self.fighter = fighter
        self.target: Fighter | None = None
        self.armed: list[Item] = []

    def hit(self, damage: int) -> None:
        # not a statement: self.fighter.reach = 3
        self.fighter.hp -= damage
        if self.target is not None:
            self.target.mana, self.target.luck = 0, 3
        self.fighter.power = self.fighter.shade = self.fighter.glow = 0

    def slow(self) -> None:
        for item in self.armed:
            item.weight = 3
        def later(orc: Any) -> None:  # its class is not declared, but its name says it
            orc.speed = 0


def rename(window: Window, missile: Missile) -> None:
    window.name = "a window"
    missile.speed = 4
    Fighter.title = "all of them"
    Fighter.limit = 3
    settings.title = "the module"
    if window.title == "":
        window.size.width = 640  # many libraries have such a name
    other = Item()
    other.price += 1
    other.place = 3 + 1j
    other.seller = window
    fighters = [Fighter()]
    fighters[0].mode = (1, 1)
    fighters[0].boots = 2

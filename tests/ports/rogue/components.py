from __future__ import annotations

from typing import TYPE_CHECKING, List

if TYPE_CHECKING:
    from .engine import Engine
    from .entity import Actor, Item
    from .game_map import GameMap


class BaseComponent:
    parent: Actor

    @property
    def gamemap(self) -> GameMap:
        return self.parent.gamemap

    @property
    def engine(self) -> Engine:
        return self.gamemap.engine


class Fighter(BaseComponent):
    def __init__(self, hp, base_defense, base_power):
        self.max_hp = hp
        self._hp = hp
        self.base_defense = base_defense
        self.base_power = base_power

    @property
    def hp(self) -> int:
        return self._hp

    @hp.setter
    def hp(self, value: int) -> None:
        self._hp = max(0, min(value, self.max_hp))
        if self._hp == 0 and self.parent.ai:
            self.die()

    def die(self) -> None:
        engine = self.engine
        if self.parent is engine.player:
            engine.message_log.add_message("You wake up again.", (255, 0, 0))
            self._hp = self.max_hp
            engine.deaths += 1
            return
        engine.message_log.add_message(f"The {self.parent.name} dies.", (255, 160, 0))
        engine.player.level.add_xp(self.parent.level.xp_given)
        self.parent.char = "%"
        self.parent.blocks = False
        self.parent.ai = None
        self.parent.name = f"remains of {self.parent.name}"

    def heal(self, amount: int) -> int:
        before = self.hp
        self.hp += amount
        return self.hp - before


class Inventory(BaseComponent):
    def __init__(self, capacity: int):
        self.capacity = capacity
        self.items: List[Item] = []

    def drop(self, item: Item) -> None:
        self.items.remove(item)
        item.place(self.parent.x, self.parent.y, self.gamemap)


class Level(BaseComponent):
    def __init__(self, level: int = 1, xp: int = 0, base: int = 0, xp_given: int = 0):
        self.current_level = level
        self.current_xp = xp
        self.base = base
        self.xp_given = xp_given
        self.history = []

    def add_xp(self, xp: int) -> None:
        self.current_xp += xp
        while self.base and self.current_xp > self.current_level * self.base:
            self.current_xp -= self.current_level * self.base
            self.current_level += 1
            self.history.append(self.current_level)
            self.parent.fighter.max_hp += 2
            self.parent.fighter.hp += 2

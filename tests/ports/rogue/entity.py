from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Optional, Tuple, Type, TypeVar, Union

if TYPE_CHECKING:
    from .ai import BaseAI
    from .components import Fighter, Inventory, Level
    from .consumables import Consumable
    from .game_map import GameMap

T = TypeVar("T", bound="Entity")


class Entity:
    """Anything that stands on a map or lies in a pack."""

    parent: Union[GameMap, Inventory, None]

    def __init__(
        self,
        parent: Optional[GameMap] = None,
        x: int = 0,
        y: int = 0,
        char: str = "?",
        color: Tuple[int, int, int] = (255, 255, 255),
        name: str = "<unnamed>",
        blocks: bool = False,
    ):
        self.x = x
        self.y = y
        self.char = char
        self.color = color
        self.name = name
        self.blocks = blocks
        self.parent = None
        if parent:
            self.parent = parent
            parent.entities.add(self)

    @property
    def gamemap(self) -> GameMap:
        return self.parent.gamemap

    def spawn(self: T, gamemap: GameMap, x: int, y: int) -> T:
        clone = copy.deepcopy(self)
        clone.x = x
        clone.y = y
        clone.parent = gamemap
        gamemap.entities.add(clone)
        return clone

    def place(self, x: int, y: int, gamemap: Optional[GameMap] = None) -> None:
        self.x = x
        self.y = y
        if gamemap:
            if self.parent is not None and self.parent is self.gamemap:
                self.gamemap.entities.remove(self)
            self.parent = gamemap
            gamemap.entities.add(self)

    def move(self, dx: int, dy: int) -> None:
        self.x += dx
        self.y += dy


class Actor(Entity):
    def __init__(
        self,
        *,
        char: str,
        color: Tuple[int, int, int],
        name: str,
        ai_cls: Type[BaseAI],
        fighter: Fighter,
        inventory: Inventory,
        level: Level,
        speed: int = 10,
    ):
        super().__init__(char=char, color=color, name=name, blocks=True)
        self.ai: Optional[BaseAI] = ai_cls(self)
        self.fighter = fighter
        self.fighter.parent = self
        self.inventory = inventory
        self.inventory.parent = self
        self.level = level
        self.level.parent = self
        self.speed = speed
        self.last_attacker = None

    @property
    def is_alive(self) -> bool:
        return bool(self.ai)


class Item(Entity):
    def __init__(self, *, char, color, name, consumable: Consumable):
        super().__init__(char=char, color=color, name=name)
        self.consumable = consumable
        self.consumable.parent = self


class Altar(Entity):
    def __init__(self, blessing: int):
        super().__init__(char="_", name="altar")
        self.blessing = blessing
        self.visits = {}

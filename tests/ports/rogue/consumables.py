from __future__ import annotations

from typing import TYPE_CHECKING

from .ai import ConfusedEnemy
from .components import BaseComponent

if TYPE_CHECKING:
    from .entity import Actor, Item


class Consumable(BaseComponent):
    parent: Item

    def activate(self, user: Actor) -> None:
        raise NotImplementedError()

    def consume(self):
        inventory = self.parent.parent
        inventory.items.remove(self.parent)


class Healing(Consumable):
    def __init__(self, amount: int):
        self.amount = amount

    def activate(self, user: Actor) -> None:
        amount = user.fighter.heal(self.amount)
        self.engine.message_log.add_message(f"You recover {amount}.", (0, 255, 0))
        self.consume()


class Confusion(Consumable):
    def __init__(self, number_of_turns):
        self.number_of_turns = number_of_turns

    def activate(self, user: Actor) -> None:
        target = self.engine.game_map.nearest_enemy(user.x, user.y)
        if target:
            target.ai = ConfusedEnemy(target, target.ai, self.number_of_turns)
            self.engine.message_log.add_message(f"The {target.name} stumbles.")
        self.consume()


class Fireball(Consumable):
    def __init__(self, damage: int, radius: int):
        self.damage = damage
        self.radius = radius

    def activate(self, user: Actor) -> None:
        for actor in self.engine.game_map.actors:
            if actor is not user and abs(actor.x - user.x) <= self.radius:
                actor.fighter.hp -= self.damage
        self.consume()

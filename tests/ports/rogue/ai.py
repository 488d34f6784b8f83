from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Tuple

if TYPE_CHECKING:
    from .entity import Actor


class BaseAI:
    def __init__(self, entity: Actor):
        self.entity = entity

    @property
    def engine(self):
        return self.entity.gamemap.engine

    def perform(self) -> None:
        raise NotImplementedError()

    def step(self, dx, dy):
        actor = self.entity
        other = actor.gamemap.blocking_at(actor.x + dx, actor.y + dy)
        if other is not None and other is not actor:
            if (other is self.engine.player) != (actor is self.engine.player):
                hit(actor, other)
        elif actor.gamemap.walkable(actor.x + dx, actor.y + dy):
            actor.move(dx, dy)


def hit(attacker, target):
    damage = attacker.fighter.base_power - target.fighter.base_defense
    if damage > 0:
        target.last_attacker = attacker
        target.fighter.hp -= damage


class HostileEnemy(BaseAI):
    def __init__(self, entity: Actor):
        super().__init__(entity)
        self.path: List[Tuple[int, int]] = []

    def perform(self) -> None:
        target = self.engine.player
        if not self.path:
            self.path = self.get_path_to(target.x, target.y)
        if self.path:
            x, y = self.path.pop(0)
            self.step(x - self.entity.x, y - self.entity.y)
            if (self.entity.x, self.entity.y) != (x, y):
                self.path = []

    def get_path_to(self, x: int, y: int) -> List[Tuple[int, int]]:
        path = []
        here = [self.entity.x, self.entity.y]
        for axis, end in enumerate((x, y)):
            while here[axis] != end and len(path) < 4:
                here[axis] += 1 if end > here[axis] else -1
                path.append((here[0], here[1]))
        return path


class ConfusedEnemy(BaseAI):
    """Stumbles for some turns, then goes back to the AI that the actor had before."""

    def __init__(self, entity: Actor, previous_ai: Optional[BaseAI], turns: int):
        super().__init__(entity)
        self.previous_ai = previous_ai
        self.turns_remaining = turns

    def perform(self) -> None:
        if self.turns_remaining <= 0:
            self.entity.ai = self.previous_ai
            return
        self.turns_remaining -= 1
        self.step(*self.engine.rng.choice([(0, 1), (0, -1), (1, 0), (-1, 0)]))


class Wanderer(BaseAI):
    """What the player does when nobody is at the keyboard."""

    def __init__(self, entity):
        super().__init__(entity)
        self.heading = (1, 0)

    def perform(self):
        engine = self.engine
        actor = self.entity
        items = actor.inventory.items
        if items and engine.rng.random() < 0.3:
            items[0].consumable.activate(actor)
            return
        for item in engine.game_map.items_at(actor.x, actor.y):
            if len(items) < actor.inventory.capacity:
                engine.game_map.entities.remove(item)
                item.parent = actor.inventory
                items.append(item)
                engine.message_log.add_message(f"You take the {item.name}.")
        if engine.rng.random() < 0.4:
            self.heading = engine.rng.choice([(0, 1), (0, -1), (1, 0), (-1, 0)])
        self.step(*self.heading)

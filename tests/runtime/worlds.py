"""Random worlds: built, changed at random, and built again exactly alike."""

from __future__ import annotations

import random
import weakref
from collections import deque
from collections.abc import Callable
from types import ModuleType
from typing import Any

from savegen.runtime import GameObject, SaveLoadManager
from savegen.runtime.values.basics.keys import slots_of


def assert_consistent(manager: SaveLoadManager) -> None:
    """Assert that all that is known of who is in a world says the same."""
    world = manager._world
    found = {
        key: each for table in world.tables.values() for key, each in table.items()
    }
    assert {id(each): key for key, each in found.items()} | {id(None): 0} == world.keys
    assert {k: each for k, each in found.items() if k < 0} == world.reached
    preserved = world.preserved.added_keys() if world.preserved else []
    world.slots.check(world.slots.state(), slots_of([*found, *preserved]))
    for key, thing in found.items():
        assert world.at(key) is thing
        assert thing not in world.destroyed
    dice = world.generators
    assert {id(each): key for key, each in dice._by_key.items()} == dice._keys
    expected = {
        world.keys[id(component)]: (world.keys[id(thing)], number)
        for thing in world.tables.get(GameObject, {}).values()
        for number, component in thing.numbered
        if world.keys[id(thing)] > 0
    }
    assert expected == world.owners
    placed = {p.placement: k for k, p in world.placements.items() if p.placement}
    assert placed == world.placed and placed.keys().isdisjoint(world.tombstones)
    for key, thing in world.tables.get(GameObject, {}).items():
        assert thing.watcher is (world if key > 0 else None)
        assert all(child.parent is thing for child in thing.children)


class Storm:
    """Changes a world at random: whoever has the same dice changes it alike."""

    def __init__(
        self, game: ModuleType, manager: SaveLoadManager, dice: random.Random
    ) -> None:
        self.game = game
        self.manager = manager
        self.dice = dice
        for _ in range(4):
            self._add()

    def blow(self, times: int = 8) -> None:
        for _ in range(times):
            self.dice.choice(self._steps())()

    def _steps(self) -> list[Any]:
        often = [self._change, self._refer, self._change, self._refer]
        return [*often, self._add, self._destroy, self._assemble, self._gather]

    def _units(self) -> list[Any]:
        return [*self.manager.find(self.game.Unit)]

    def _any_unit(self) -> Any:
        units = self._units()
        if units and self.dice.random() < 0.8:
            return self.dice.choice(units)
        unit = self.game.Unit(self.dice.randrange(100))  # never added
        if units:
            unit.foe = self.dice.choice(units)
        return unit

    def _add(self) -> None:
        game, number = self.game, self.dice.randrange(1000)
        made = self.dice.choice(
            [
                lambda: game.Unit(number),
                lambda: game.Boss(number),
                lambda: game.Slotted(number, game.Slotted(number + 1)),
                lambda: game.Coin(number, self._any_unit()),
                lambda: GameObject(game.Unit(number), game.Empty()),
                lambda: game.Map(),
                lambda: game.Bag(),
            ]
        )
        self.manager.add(made())

    def _destroy(self) -> None:
        objects = [*self.manager.objects]
        if len(objects) > 3:
            self.manager.destroy(self.dice.choice(objects))
            self._forget_shadows()

    def _forget_shadows(self) -> None:
        # A weak reference that is dead comes back as `None`, and when it dies is not ours
        # to say.
        for unit in self._units():
            unit.shadow = None

    def _change(self) -> None:
        dice, game = self.dice, self.game
        for unit in self._units():
            if dice.random() < 0.4:
                unit.hp = dice.randrange(50)
                unit.position = game.Vec2(dice.choice([0.0, -0.0, 1.5]), 2.0)
                unit.mood = dice.choice([*game.Mood])
                unit.trail.append(unit.position)
        for boss in self.manager.find(game.Boss):
            boss.orders[f"order {dice.randrange(3)}"] = deque([dice.randrange(9)])
        for bag in self.manager.find(game.Bag):
            bag.items.append(f"item {dice.randrange(9)}")
            bag.bearer = self._any_unit()

    def _refer(self) -> None:
        dice = self.dice
        for unit in self._units():
            if dice.random() < 0.4:
                unit.foe = dice.choice([None, self._any_unit()])
                unit.friends = [self._any_unit() for _ in range(dice.randrange(3))]
                units = self._units()
                unit.shadow = dice.choice([None, weakref.ref(dice.choice(units))])
                low, high = unit.position, self.game.Vec2(1.0, dice.random())
                unit.area = dice.choice([None, self.game.Box(low, high, ["n"])])

    def _assemble(self) -> None:
        for thing in self.manager.find(GameObject):
            if self.dice.random() < 0.5:
                thing.add_component(self.game.Unit(self.dice.randrange(50)))
            elif len(thing.components) > 1:
                thing.remove_component(self.dice.choice(thing.components))
                self._forget_shadows()
            thing.transform.rotation = self.dice.random()

    def _gather(self) -> None:
        for atlas in self.manager.find(self.game.Map):
            towns = [self.game.Town(f"town {n}") for n in range(self.dice.randrange(4))]
            for town in towns:
                town.mayor = self.dice.choice([None, self._any_unit()])
            atlas.towns = {*towns}
            atlas.roads = {town: {towns[0]: self.dice.random()} for town in towns}
            atlas.capital = self.dice.choice([None, *towns])


def digests_of_a_game(
    game: Any,
    manager: SaveLoadManager,
    dice: random.Random,
    reload: Callable[[SaveLoadManager], SaveLoadManager],
    *,
    units: int,
) -> list[str]:
    """Play a thousand ticks, with a `reload` after each; return a few digests on the way."""
    everyone = [manager.add(game.Unit(n)) for n in range(units)]
    for unit in everyone:
        unit.foe = dice.choice(everyone)
    digests = []
    for tick in range(1_000):
        _tick(game, manager, dice)
        manager = reload(manager)
        if tick % 50 == 0:
            digests.append(manager.create_snapshot().digest())
    return digests


def _tick(game: Any, manager: SaveLoadManager, dice: random.Random) -> None:
    for unit in [*manager.find(game.Unit)]:
        x, y = unit.position
        unit.position = game.Vec2(x + dice.random(), y - unit.speed)
        unit.trail = [*unit.trail[-3:], unit.position]
        if unit.foe is not None:
            unit.foe.hp -= 1
    for unit in [*manager.find(game.Unit)]:
        if unit.hp < 0:
            manager.destroy(unit)
            spawned = manager.add(game.Unit(dice.randrange(20)))
            spawned.foe = next(iter(manager.find(game.Unit)))
    for unit in manager.find(game.Unit):
        if unit.foe is not None and manager.key_of(unit.foe) is None:
            unit.foe = None

"""A game that is played by a script, and can be rolled back at any moment and played again."""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from savegen.runtime import GameObject, History, SaveError, SaveLoadManager
from savegen.runtime.generated.registry import Registry
from savegen.saves import decode, encode

Step = tuple[str, int, int]
"""A method of `Play`, and two numbers for it."""


class Seen(NamedTuple):
    """What there is to see of a step: nothing in it may tell a replay from the first time."""

    digest: str
    found: list[Any]  # all objects, in the order of `find`
    objects: list[Any]
    hooks: list[Any]  # in the order in which they were called


class Play:
    """Plays steps in one world, and remembers the state after each of them.

    A step may use nothing but the world and its numbers, so that it can be played again.
    """

    def __init__(self, game: ModuleType, registry: Registry) -> None:
        self.game: Any = game
        self.registry = registry
        self.root: Any = None
        self.hooks: list[Any] = []
        self._enter()
        self.history: History | None = None
        self.trail = [self.manager.create_snapshot()]
        self.steps: list[Step] = []
        self.seen: list[Seen] = []

    def _enter(self) -> None:
        """Enter a new world."""
        self.manager = SaveLoadManager(self.registry)
        self.manager.add_state(
            "root", lambda: self.root, lambda root: setattr(self, "root", root)
        )

    def keep_history(self) -> None:
        self.history = History(self.manager)
        self.history.record()

    def play(self, step: Step) -> Seen:
        self.hooks = []
        self.game.Actor.does = staticmethod(self._hear)
        name, a, b = step
        try:
            getattr(self, name)(a, b)
        except SaveError as error:  # the same one in a replay
            self.hooks.append(str(error).split("#")[0])
        if self.history is not None:
            self.history.record()
            if name == "load":  # how far one can rewind is not in the world
                self.trail.clear()
        snapshot = self.manager.create_snapshot()
        found = [self.described(obj) for obj in self.manager.find(object)]
        objects = [self.described(obj) for obj in self.manager.objects]
        seen = Seen(snapshot.digest(), found, objects, [*self.hooks])
        self.trail.append(snapshot)
        self.steps.append(step)
        self.seen.append(seen)
        return seen

    # -- detours, after which the world must be as if there had been none

    def go_back(self, steps: int) -> list[Step]:
        """Bring the world back by some steps; return those to play again."""
        steps = min(steps, len(self.trail) - 1, len(self.steps))
        if steps == 0:
            return []
        again = self.steps[-steps:]
        del self.steps[-steps:], self.seen[-steps:], self.trail[-steps:]
        if self.history is not None:
            self.history.rewind(steps)
        else:
            self.manager.apply_snapshot(self.trail[-1])
        return again

    def move(self, _: int = 0) -> list[Step]:
        """Go on in a new world that reads the save of this one."""
        save = encode(self.trail[-1])
        self._enter()
        return self.load_save(save)

    def load_save(self, save: bytes) -> list[Step]:
        self.root = None
        self.trail = [decode(save, self.manager)]
        self.manager.apply_snapshot(self.trail[-1])
        return self.forget()

    def forget(self) -> list[Step]:
        """Forget all earlier states, because in a new world levels may be newer than a save."""
        del self.trail[:-1]
        if self.history is not None:
            self.keep_history()
        return []

    # -- steps

    def put(self, kind: int, n: int) -> None:
        game, manager = self.game, self.manager
        kinds: list[Callable[[], Any]] = [
            lambda: game.Unit(n),
            lambda: self._actor(n),
            lambda: GameObject(game.Unit(n), self._actor(n)),
            lambda: game.Stage(self._actor(n)),
            lambda: game.Gambler(random.Random(n)),
            lambda: game.Radio(),
            lambda: game.Coin(n, game.Unit(n)),
            lambda: game.Bag(),
        ]
        manager.add(kinds[kind % len(kinds)]())

    def place(self, which: int, n: int) -> None:
        level = "ab"[which % 2]
        self.manager.add(self.game.Unit(n), placement=f"{level}{n % 3}", level=level)

    def destroy(self, which: int, _: int) -> None:
        if obj := self._one(self.manager.objects, which):
            self.manager.destroy(obj[0])

    def change(self, which: int, n: int) -> None:
        for unit in self._one(self.manager.find(self.game.Unit), which):
            unit.hp = n if n % 4 else self._any(n)
            unit.friends = [*self._one(self.manager.find(self.game.Unit), n)] * 2

    def refer(self, which: int, n: int) -> None:
        for unit in self._one(self.manager.find(self.game.Unit), which):
            foe = self._one(self.manager.find(self.game.Unit), n) if n % 2 else []
            unit.foe = foe[0] if foe else self.game.Unit(n)
            unit.foe.foe = self.game.Unit(n + 1) if n % 3 else unit

    def gather(self, which: int, n: int) -> None:
        for stage in self._one(self.manager.find(self.game.Stage), which):
            stage.crowd = [*stage.crowd[n % 2 :], self._actor(n)]

    def assemble(self, which: int, n: int) -> None:
        for obj in self._one(self.manager.find(GameObject), which):
            if n % 3 == 0 and len(obj.components) > 1:
                obj.remove_component(obj.components[n % len(obj.components)])
            elif n % 3 == 1:
                obj.add_component(self._actor(n))
            else:
                obj.parent = self._any_of(GameObject, n)

    def roll(self, which: int, n: int) -> None:
        for gambler in self._one(self.manager.find(self.game.Gambler), which):
            gambler.purse += int(gambler.dice.random() * 6)
            if other := self._any_of(self.game.Gambler, n):
                gambler.dice = other.dice if n % 3 else random.Random(n)
            gambler.idol = self._actor(n)

    def tune(self, which: int, n: int) -> None:
        for radio in self._one(self.manager.find(self.game.Radio), which):
            radio.tune(self._any(n) if n % 2 else [n, self._actor(n), random.Random(n)])

    def carry(self, which: int, n: int) -> None:
        for bag in self._one(self.manager.find(self.game.Bag), which):
            bag.items = [f"item {n}"]
            bag.extra = None
            bag.bearer = self._any_of(self.game.Unit, n)

    def crown(self, which: int, n: int) -> None:
        self.root = [self._any(which), self._actor(n), random.Random(n)][: 1 + n % 3]

    def adopt(self, which: int, n: int) -> None:
        actors = [*self.manager.find(self.game.Actor)]
        reached = [a for a in actors if not self.manager.record_of(a).registered]
        for actor in self._one(reached, which):
            self.manager.add(actor)

    def load(self, steps: int, n: int) -> None:
        """Load an earlier state, as a player does."""
        if self.history is not None:
            self.history.rewind(min(steps % 4, len(self.history)))
        else:
            self.manager.apply_snapshot(
                self.trail[-1 - steps % min(len(self.trail), 4)]
            )

    def fail(self, steps: int, n: int) -> None:
        """Load an earlier state, which fails at the end."""

        def raise_once() -> None:
            self.manager.after_load.remove(raise_once)
            self.hooks.clear()  # which hooks the load has called depends on what has changed
            raise ValueError(n)

        if self.history is None:
            self.manager.after_load.append(raise_once)
            self.manager.apply_snapshot(
                self.trail[-1 - steps % min(len(self.trail), 4)]
            )

    def part(self, which: int, n: int) -> None:
        """Load a part of the world, after some changes."""
        cls = [self.game.Unit, self.game.Stage, GameObject][which % 3]
        part = self.manager.create_snapshot(filter=cls)
        self.change(which, n)
        self.destroy(which, n)
        self.put(which, n)
        self.manager.apply_snapshot(part)

    # -- what steps need

    def described(self, obj: Any) -> Any:
        if isinstance(obj, GameObject):
            return [self.described(part) for part in obj.components]
        value = getattr(obj, "hp", getattr(obj, "purse", getattr(obj, "worth", 0)))
        return type(obj).__name__, value if type(value) is int else "an object"

    def _hear(self, actor: Any, what: str) -> None:
        self.hooks.append((actor.hp, what.replace("restored", "reloaded")))

    def _actor(self, n: int) -> Any:
        actor = self.game.Actor()
        actor.hp = n
        return actor

    def _any(self, n: int) -> Any:
        return next(iter(self._one(self.manager.find(object), n)), None)

    def _any_of(self, cls: Any, n: int) -> Any:
        return next(iter(self._one(self.manager.find(cls), n)), None)

    def _one(self, objects: Any, which: int) -> list[Any]:
        objects = [*objects]
        return [objects[which % len(objects)]] if objects else []


STEPS = (
    "put put put place destroy destroy change refer gather assemble roll tune carry"
    " crown adopt load part fail"
).split()


def main(folder: str, save: str, steps: str) -> None:
    """Load a save and play on, in a process of its own; print what there is to see."""
    sys.path.insert(0, folder)
    registry: Any = importlib.import_module("_savegen.registry")
    play = Play(importlib.import_module("world_game"), registry.REGISTRY)
    play.load_save(Path(save).read_bytes())
    for step in json.loads(steps):
        play.play(step)
    print(json.dumps(play.seen))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What the process of a random game does: make its world, save it, load it, tell what is there."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections import deque
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from tests.saves.evolving_changes import in_order
from tests.saves.evolving_games import GAME_OBJECT, Game, Recipe
from tests.saves.evolving_oracle import UNSET, Shown, Thing

_WORDS: dict[type, str] = {
    list: "list",
    tuple: "tuple",
    deque: "deque",
    set: "set",
    frozenset: "frozenset",
}


class Job(NamedTuple):
    """What a process has to do, in this order."""

    game: Game
    saves: str  # the folder
    loads: bool
    things: tuple[Thing, ...] = ()  # to be made
    added: tuple[int, ...] = ()  # of those
    changes: tuple[tuple[int, str, Recipe], ...] = ()  # label, field, value
    # What the fields of the one class were called, for a loader as it should not be: it takes
    # them for those that stand at their places today.
    by_position: tuple[str, ...] = ()


class Driver:
    """The game's world, by label."""

    def __init__(self, job: Job) -> None:
        from savegen.runtime import SaveLoadManager
        from savegen.saves import SaveSlots

        self.game = job.game
        self.module = importlib.import_module("game.made")
        registry: Any = importlib.import_module("game._savegen.registry")
        self.manager = SaveLoadManager(registry.REGISTRY)
        self.slots = SaveSlots(job.saves)
        self.objects: dict[int, Any] = {}

    def run(self, job: Job) -> dict[int, Shown]:
        if job.loads:
            self.slots.load("slot", self.manager)
        self.told()
        for thing in job.things:
            self.objects[thing.label] = self.new(thing)
        for thing in job.things:
            for ident, recipe in thing.values.items():
                self.set(thing.label, ident, recipe)
        for label, ident, recipe in job.changes:
            self.set(label, ident, recipe)
        for label in job.added:
            self.manager.add(self.objects[label])
        self.slots.save("slot", self.manager)
        return self.told()

    # -- making

    def cls(self, ident: str) -> Any:
        cls = self.game.cls(ident)
        return cls and getattr(self.module, cls.name)

    def new(self, thing: Thing) -> Any:
        if thing.cls == GAME_OBJECT:
            from savegen.runtime import GameObject

            return GameObject(position=(float(thing.label), 0.0, 0.0))
        made = self.cls(thing.cls).__new__(self.cls(thing.cls))
        made.label = thing.label
        return made

    def set(self, label: int, ident: str, recipe: Recipe) -> None:
        thing = self.objects[label]
        if ident == "parts":
            for part in self.made(recipe):
                thing.add_component(part)
        elif recipe != UNSET:
            setattr(thing, self.names(thing)[ident], self.made(recipe))

    def names(self, thing: Any) -> dict[str, str]:
        """Return what the fields are called, by ident."""
        fields = self.game.fields(self.ident(thing))
        return {each.ident: each.name for each in fields if each.ident != "label"}

    def ident(self, thing: Any) -> str:
        name = type(thing).__name__
        if name == GAME_OBJECT:
            return name
        return next(cls.ident for cls in self.game.classes if cls.name == name)

    def made(self, recipe: Recipe) -> Any:
        match recipe:
            case ("ref", label):
                return self.objects[label]
            case ("enum", ident, member):
                return getattr(self.module, ident)[member]
            case ("record", ident, members):
                given = {name: self.made(each) for name, each in members}
                return getattr(self.module, ident)(**given)
            case ("dict", *entries):
                return {self.made(key): self.made(each) for key, each in entries}
            case (word, *items):
                cls = next(cls for cls, name in _WORDS.items() if name == word)
                return cls(map(self.made, items))
        return recipe

    # -- telling

    def told(self) -> dict[int, Shown]:
        """Return all that is there, and all that it leads to."""
        added = {id(thing) for thing in self.manager.objects}
        waiting, found = [*self.manager.objects], dict[int, Shown]()
        while waiting:
            thing = waiting.pop()
            label = label_of(thing)
            if label in found:
                assert thing is self.objects[label]
                continue
            self.objects[label] = thing
            values = {
                ident: self.recipe(getattr(thing, name), waiting)
                for ident, name in self.names(thing).items()
                if _is_set(thing, name)
            }
            found[label] = Shown(self.ident(thing), id(thing) in added, values)
        return found

    def recipe(self, value: Any, met: list[Any]) -> Recipe:
        cls = type(value)
        if cls in (int, float, str, bool, type(None)):
            return value
        if cls in _WORDS:
            made = (_WORDS[cls], *(self.recipe(item, met) for item in value))
            return in_order(made) if cls in (set, frozenset) else made
        if cls is dict:
            entries = value.items()
            return (
                "dict",
                *((self.recipe(k, met), self.recipe(v, met)) for k, v in entries),
            )
        if isinstance(value, Enum):
            return ("enum", cls.__name__, value.name)
        if any(record.ident == cls.__name__ for record in self.game.records):
            names = [m.name for m in self.game.record(cls.__name__).members]
            members = ((n, self.recipe(getattr(value, n), met)) for n in names)
            return ("record", cls.__name__, tuple(members))
        met.append(value)
        return ("ref", label_of(value))


def label_of(thing: Any) -> int:
    if type(thing).__name__ == GAME_OBJECT:
        return int(thing.transform.position[0])
    return int(thing.label)


def _is_set(thing: Any, name: str) -> bool:
    if hasattr(thing, "__dict__"):
        return name in vars(thing)
    return hasattr(thing, name)


def read_by_position(names: tuple[str, ...]) -> None:
    """Let columns be fields of today by their places in the class, as if they had no numbers."""
    from savegen.runtime.generated.registry import Registry
    from savegen.saves import coding
    from savegen.saves.body import Body

    decode_body = coding.decode_body

    def decoded(body: Body, registry: Registry, *rest: Any, **options: Any) -> Any:
        (table,) = (table for table in body.tables if table.number > 0)
        numbers = registry[table.number].mixin.save_load_field_names.values()
        today = [*map(int, numbers)]
        table.fields = tuple(
            field._replace(number=today[names.index(field.name)])
            for field in table.fields
        )
        return decode_body(body, registry, *rest, **options)

    setattr(coding, "decode_body", decoded)


def main() -> None:
    job: Job = pickle.loads(Path("job").read_bytes())
    if job.by_position:
        read_by_position(job.by_position)
    shown = Driver(job).run(job)
    Path("told").write_bytes(pickle.dumps(shown))


if __name__ == "__main__":
    sys.path.insert(0, ".")
    main()

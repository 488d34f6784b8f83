"""A game of prefabs, generated for and imported into this process."""

from __future__ import annotations

import importlib
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any

from savegen.runtime.prefabs.prefabs import FORMAT, Part, Prefab, PrefabInfo
from tests.project import Project

FILES = {
    "pyproject.toml": """
        [tool.savegen]
        source = ["armoury"]

        [tool.savegen.codecs]
        "armoury.guns.Badge" = "armoury.guns:BADGE"
        """,
    "armoury/__init__.py": "",
    "armoury/guns.py": '''
        """What prefabs are made of."""

        import random
        import weakref
        from dataclasses import dataclass, field
        from enum import Enum
        from typing import Annotated, Any, NamedTuple

        from savegen import (
            Activation, Asset, Save, Saved, SaveOverride, on_activate, saveable
        )
        from savegen.runtime import NO_REFERENCES


        class Vec2(NamedTuple):
            x: float = 0.0
            y: float = 0.0


        class Missile(Enum):
            PEBBLE = 1
            ROCKET = 2


        @dataclass
        class Crate:
            size: int = 1
            marks: list[str] = field(default_factory=list)


        @dataclass
        class Picture:
            """Shared: an asset."""

            path: str


        class Badge:
            """Taken apart by a codec."""

            def __init__(self, *names: str) -> None:
                self.names = [*names]


        class BadgeCodec:
            def encode(self, badge: Badge) -> list[str]:
                return badge.names

            def decode(self, names: list[str]) -> Badge:
                return Badge(*names)


        BADGE = BadgeCodec()


        @saveable
        class Turret:
            at: Saved[Vec2]
            missile: Saved[Missile]
            hp: Annotated[int, Save("health", ge=1, le=99)] = 5
            armour: Annotated[float | None, Save(gt=0, lt=1)] = 0.5
            crates: Saved[list[Crate]]

            def __init__(self, at=Vec2(), missile=Missile.PEBBLE, crates=()) -> None:
                self.at = at
                self.missile = missile
                self.crates = crates if isinstance(crates, list) else list(crates)


        @saveable
        class BigTurret(Turret):
            pass


        @saveable
        class Answers:
            turret: Saved[Turret]
            sight: Annotated[float, Save(gt=0)] = 1.0
            tags: Saved[list[str]]
            told: Annotated[str, Save(editor=False)] = ""
            __secret: Saved[str] = "none"
            ally: Saved["Answers | None"] = None
            shadow: Saved[weakref.ref[Turret] | None] = None
            either: Saved[Turret | int] = 0
            icon: Saved[Annotated[Picture, Asset()] | None] = None
            badge: Saved[Badge | None] = None

            def __init__(self, turret: Turret, *rest: Any, **more: Any) -> None:
                self.turret = turret
                self.rest = rest
                self.more = more
                self.tags = []

            @property
            def secret(self) -> str:
                return self.__secret


        @saveable(prefab=True)
        @dataclass(frozen=True, eq=False)
        class Coin:
            worth: Saved[int] = 1
            owners: Saved[list[str]] = field(default_factory=list)


        @saveable
        class Slotted:
            __slots__ = ("value",)
            value: Saved[int]

            def __init__(self, value: int = 0) -> None:
                self.value = value


        @saveable(transient=("seen",))
        class Lamp:
            def __init__(self) -> None:
                self.seen: list[float] = []
                self._watts = 1.0

            @property
            def watts(self) -> Annotated[float, Save(setter=True)]:
                return self._watts

            @watts.setter
            def watts(self, value: float) -> None:
                if value < 0:
                    raise ZeroDivisionError("dark")
                self.seen.append(value)
                self._watts = value


        @saveable(transient=("log",))
        class Actor:
            hp: Saved[int] = 3

            def __init__(self) -> None:
                self.log: list[tuple[Activation, int]] = []

            @on_activate
            def wake(self, reason: Activation) -> None:
                self.log.append((reason, self.hp))


        @saveable(override=True)
        class Vault:
            items: Annotated[list[str], SaveOverride()]
            keeper: Saved[Turret | None] = None

            def __init__(self) -> None:
                self.items = []

            def save_data(self, references=NO_REFERENCES):
                data = self.save_data_(references)
                data[self.SaveLoadFields["ITEMS"]] = [*self.items]
                return data

            def load_data(self, data, references=NO_REFERENCES):
                self.load_data_(data, references)
                number = self.SaveLoadFields["ITEMS"]
                if number in data:
                    self.items = [*data[number]]


        @saveable
        class Fuse:
            def __init__(self) -> None:
                raise LookupError("no fire")


        @saveable
        class Roller:
            rolled: Saved[int] = 0
            dice: Saved[random.Random | None] = None

            def __init__(self) -> None:
                self.rolled = random.randint(1, 10**9)
        ''',
}


def made(folder: Path) -> Any:
    """Return the module of the game's classes, generated for and imported."""
    project = Project(folder, FILES)
    project.run("-m", "savegen", "wire", "--quiet")
    project.generated()
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("armoury.guns")
    finally:
        sys.path.remove(str(folder))


def table(*classes: Any) -> PrefabInfo:
    """Return what pass 2 writes of classes; the type of each is its name."""
    kinds = IntEnum("PrefabType", [cls.__name__ for cls in classes])  # type: ignore[misc]
    return PrefabInfo(FORMAT, [_row(kinds[cls.__name__], cls) for cls in classes])


def _row(kind: IntEnum, cls: Any) -> Prefab:
    names = [name for name in _declared(cls)] or [cls.__name__.lower()]
    numbers = {name: 1000 + sum(name.encode()) for name in names}
    return Prefab(kind, cls.__qualname__, cls.__module__, lambda: cls, numbers)


def _declared(cls: Any) -> dict[str, None]:
    return {
        name: None
        for base in reversed(cls.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, Part)
    }


def only(*classes: Any) -> Prefab:
    """Return what pass 2 writes of the last class."""
    return [*table(*classes)][-1]

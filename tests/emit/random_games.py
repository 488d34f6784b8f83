"""Random games: every kind in every position, under names of any length."""

from __future__ import annotations

import random
from collections.abc import Callable

PYPROJECT = """\
[tool.savegen]
source = "game"

[tool.savegen.codecs]
"ipaddress.IPv4Address" = "game.codecs:addresses"

[tool.savegen.bases]
"engine.Actor" = true
"engine.of_many_names.Drawn" = "game.of_many_names:prepare_what_is_drawn"
"""

HEAD = """\
from __future__ import annotations

import datetime
import decimal
import engine
import engine.of_many_names
import ipaddress
import pathlib
import random
import uuid
import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import attrs
import msgspec
import numpy as np
import numpy.typing as npt
import pygame
import pyglet.math

from game._savegen.types import PrefabType
from savegen import (
    Activation,
    Recorder,
    Save,
    Saved,
    before_save,
    deserializer,
    on_activate,
    part,
    prefab,
    saveable,
    serializer,
)
from savegen.runtime import Record
"""

_SCALARS = (
    "int float bool str bytes complex decimal.Decimal uuid.UUID datetime.timedelta"
    " pathlib.PurePath"
).split()
_LEAVES = (
    "np.ndarray",
    "npt.NDArray[np.float32]",
    "np.int16",
    "random.Random",
    "random.Random | None",
    "np.random.Generator",
    "pygame.Vector2",
    "pygame.Rect | None",
    "pygame.Color",
    "pyglet.math.Vec2",
    "ipaddress.IPv4Address",
    "PrefabType",
    "type[{}]",
    "bytearray",
    "array",
    "weakref.ref[{}]",
    "weakref.ref[{}] | None",
)
_OUTSIDE = (
    "engine.Actor",
    "engine.of_many_names.Drawn",
    "pygame.sprite.Sprite",
)
_LETTERS = "abcdefghijklmnop"
_RECORDS = (
    "@dataclass\nclass {name}:\n",
    "@dataclass(frozen=True)\nclass {name}:\n",
    "@attrs.define\nclass {name}:\n",
    "@attrs.frozen\nclass {name}:\n",
    "class {name}(NamedTuple):\n",
    "class {name}(TypedDict):\n",
    "class {name}(msgspec.Struct):\n",
    "class {name}(msgspec.Struct, frozen=True):\n",
)


class RandomGame:
    """One game, as text by path; what it is called and what it holds is left to chance."""

    def __init__(self, chance: random.Random, longest: int = 60) -> None:
        """No name is longer than `longest`; most are shorter."""
        self._chance = chance
        self._longest = longest
        self._taken: set[str] = set()
        self._classes: list[str] = []
        self._bases: list[str] = []  # classes that another may inherit from
        self._records: list[str] = []
        self._enums: list[str] = []
        self._apart: list[str] = []  # classes that inherit from no other

    def files(self) -> dict[str, str]:
        """Return the game; its mixins' bases are still to be wired."""
        folder = self.name()
        path = self._chance.choice(["game", f"game/{folder}"])
        return {
            "pyproject.toml": PYPROJECT,
            "game/__init__.py": "",
            f"{path}/__init__.py": "",
            f"{path}/{self.name()}.py": self.module(),
        }

    def module(self) -> str:
        count = self._chance.randint
        self._classes = [self._class_name() for _ in range(count(1, 3))]
        parts = [self._enum() for _ in range(count(0, 2))]
        parts += [self._record() for _ in range(count(0, 3))]
        parts += [self._class(name) for name in self._classes]
        parts += [self._prefab() for _ in range(count(0, 3))]
        return "\n\n".join([HEAD, *parts])

    # Names

    def name(self) -> str:
        """Return a new name of one or more words."""
        while True:
            length = min(self._chance.choice([3, 12, 30, 60, 100]), self._longest)
            letters = self._chance.choices(f"{_LETTERS}__", k=length)
            name = "q" + "".join(letters[: self._chance.randint(1, length)]).strip("_")
            key = name.replace("_", "")
            if "__" not in name and key not in self._taken:
                self._taken.add(key)
                return name

    def _class_name(self) -> str:
        return self.name().title().replace("_", "")

    # Classes

    def _enum(self) -> str:
        name = self._class_name()
        self._enums.append(name)
        members = "".join(
            f"    {self.name().upper()} = {place}\n" for place in range(3)
        )
        return f"class {name}(Enum):\n{members}"

    def _record(self) -> str:
        name = self._class_name()
        head = self._chance.choice(_RECORDS).format(name=name)
        types = [self.type() for _ in range(self._chance.randint(1, 4))]
        if "TypedDict" in head and self._chance.random() < 0.5:
            types[0] = f"NotRequired[{types[0]}]"
        self._records.append(name)
        return head + "".join(f"    {self.name()}: {type}\n" for type in types)

    def _class(self, name: str) -> str:
        chance = self._chance
        mark, decorator, bases = "@saveable\n", "", list[str]()
        style = chance.choice(["plain", "plain", "frozen", "override", "in init"])
        if style == "frozen":
            decorator = "@dataclass(frozen=True)\n"
        elif self._bases and chance.random() < 0.4:
            bases.append(chance.choice(self._bases))
        if style == "override":
            mark = "@saveable(override=True)\n"
        recorder = chance.random() < 0.3 and not bases and style != "frozen"
        bases += ["Recorder"] * recorder
        if style == "plain" and not bases:
            bases += self._chance.sample(_OUTSIDE, self._chance.choice([0, 0, 1, 2]))
        inside = f"({', '.join(bases)})" if bases else ""
        fields = [self.field() for _ in range(chance.choice([0, 1, 1, 2, 3, 6]))]
        body = self._in_init(fields) if style == "in init" else self._declared(fields)
        body += self._override() if style == "override" else ""
        body += self._property() if style == "plain" else ""
        body += self._hooks() + (self._behaviors() if recorder else "")
        if style in ("plain", "in init") and not recorder:
            self._bases.append(name)
        if self._bases and bases and bases[0] in self._bases:
            mark = mark.replace("(", "(prefab=True, ", 1)
        else:
            self._apart.append(name)
        head = f"{mark}{decorator}class {name}{inside}:\n"
        return head + (body or "    pass\n")

    def _prefab(self) -> str:
        """Return a prefab; no two of its parts show a field of one class."""
        chance = self._chance
        some = chance.sample(self._apart, chance.randint(0, len(self._apart)))
        parts = [f"    {self.name()} = part({name})\n" for name in some]
        mark = chance.choice(["@prefab", "@prefab(max_count=2)"])
        body = self._doc() + "".join(parts)
        return f"{mark}\nclass {self._class_name()}:\n{body or '    pass'}\n"

    def _doc(self) -> str:
        """Return a docstring, or none; whatever stands in it is said by escapes."""
        words = ["a", "says", '"', '"""', "\\", "\n", "\n\n", "  ", "\t", "\u00fc", "'"]
        words += ["and more", "of a long story"] * self._chance.choice([0, 3])
        count = self._chance.choice([0, 0, 1, 4, 30])
        text = "".join(self._chance.choices(words, k=count))
        return f"    {ascii(text)}\n" if text else ""

    def field(self) -> str:
        """Return the declaration of a new field."""
        prefix, type = self._chance.choice(["", "", "", "_"]), self.type()
        saves = ["Save()", "Save(editor=False)", f'Save("{self.name()}")']
        saves += ["Save(ge=-3, lt=99.5)"] * (type in ("int", "float", "int | None"))
        marks = [f"Saved[{type}]", f"Annotated[{type}, {self._chance.choice(saves)}]"]
        return f"{prefix}{self.name()}: {self._chance.choice(marks)}"

    def _declared(self, fields: list[str]) -> str:
        return "".join(f"    {field}\n{self._doc()}" for field in fields)

    def _in_init(self, fields: list[str]) -> str:
        marked = [field.replace(": Saved[", ": Annotated[", 1) for field in fields]
        closed = [
            f"{new[:-1]}, Save()]" if new != old else new
            for old, new in zip(fields, marked, strict=True)
        ]
        lines = "".join(f"        self.{field} = make()\n" for field in closed)
        head = "    def __init__(self, make: Any) -> None:\n"
        return head + (lines or "        pass\n")

    def _override(self) -> str:
        return (
            "    def save_data(self, *rest): return self.save_data_(*rest)\n"
            "    def load_data(self, *rest): self.load_data_(*rest)\n"
        )

    def _property(self) -> str:
        """Return a property that is marked, or none."""
        if self._chance.random() < 0.6:
            return ""
        name, type = self.name(), self.type()
        return (
            f"    @property\n    def {name}(self) -> Saved[{type}]: ...\n"
            f"    @{name}.setter\n    def {name}(self, value: {type}) -> None: ...\n"
        )

    def _hooks(self) -> str:
        marks = self._chance.choices(["on_activate", "before_save"], k=3)
        hooks = [
            f"    @{mark}\n    def {self.name()}(self, *_): ...\n" for mark in marks
        ]
        return "".join(hooks[: self._chance.randint(0, 3)])

    def _behaviors(self) -> str:
        member = self.name().upper()
        lines = f"    class Behaviors(Enum):\n        {member} = 1\n"
        for mark in ("serializer", "deserializer"):
            lines += f"    @{mark}(Behaviors.{member})\n"
            lines += f"    def {self.name()}(self, record: Record) -> None: ...\n"
        return lines

    # Types

    def type(self, depth: int = 0) -> str:
        """Return a type of any kind."""
        if depth > 2 or self._chance.random() < 0.3:
            return self._leaf()
        return self._chance.choice([self._leaf, *self._larger()])(depth + 1)

    def _leaf(self, depth: int = 0) -> str:
        others = self._chance.sample(_LEAVES, 5)
        others = [other.format(self._reference()) for other in others]
        records = self._records and [self._chance.choice(self._records)]
        return self._chance.choice([self.hashable(), *others, *records])

    def _reference(self, depth: int = 0) -> str:
        return self._chance.choice(self._classes)

    def hashable(self) -> str:
        """Return a type whose values can be keys."""
        choices = [self._chance.choice(_SCALARS), self._literal(), self._reference()]
        choices += [f"{self._reference()} | None", "tuple[int, ...]"]
        choices += [f"tuple[{self._reference()}, int]"]
        choices += self._enums and [self._chance.choice(self._enums)]
        return self._chance.choice(choices)

    def _literal(self) -> str:
        values = ['"{}"'.format(self.name()), "3", "None", 'b"\\xff"', "'\"'"]
        return f"Literal[{', '.join(values[: self._chance.randint(1, 5)])}]"

    def _larger(self) -> list[Callable[[int], str]]:
        return [self._listed, self._hashed, self._mapped, self._placed, self._union]

    def _listed(self, depth: int) -> str:
        name = self._chance.choice(["list", "deque", "tuple"])
        rest = ", ..." if name == "tuple" else ""
        return f"{name}[{self.type(depth)}{rest}]"

    def _hashed(self, depth: int) -> str:
        name = self._chance.choice(["set", "frozenset", "Counter"])
        return f"{name}[{self.hashable()}]"

    def _mapped(self, depth: int) -> str:
        name = self._chance.choice(["dict", "defaultdict", "OrderedDict"])
        return f"{name}[{self.hashable()}, {self.type(depth)}]"

    def _placed(self, depth: int) -> str:
        types = [self.type(depth) for _ in range(self._chance.randint(1, 3))]
        return f"tuple[{', '.join(types)}]"

    def _union(self, depth: int) -> str:
        members = [
            "None",
            self._chance.choice(_SCALARS),
            f"list[{self.type(depth)}]",
            f"dict[{self.hashable()}, {self.type(depth)}]",
            f"set[{self.hashable()}]",
            f"deque[{self.type(depth)}]",
            self._chance.choice([self._reference(), "bytearray"]),
            self._chance.choice(["np.ndarray", "pygame.Vector2", "random.Random"]),
        ]
        return " | ".join(self._chance.sample(members, self._chance.randint(2, 4)))

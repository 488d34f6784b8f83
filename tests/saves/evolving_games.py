"""Random games and what may become of them: classes, records and enumerations as plain data.

Whatever a game calls something today, `ident` is what it has always been: by that the oracle
knows it again in another version, and never by a number or a name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

# A value as plain data that tells its own type: scalars are themselves, anything else is a tuple
# ("list", …) ("dict", (key, value), …) ("record", ident, ((member, value), …))
# ("enum", ident, member) ("ref", label).
Recipe = Any


class Type(NamedTuple):
    """What a field holds: `Type("list", (Type("int"),))`."""

    word: str
    parts: tuple[Type, ...] = ()
    # Of a record, an enumeration, or the classes referred to.
    idents: tuple[str, ...] = ()

    def walk(self) -> Iterator[Type]:
        yield self
        for part in self.parts:
            yield from part.walk()


class Field(NamedTuple):
    """A field of a class, or a member of a record."""

    ident: str
    type: Type
    name: str
    was: tuple[str, ...] = ()
    default: tuple[Recipe, ...] = ()  # one, or none is declared
    converter: str = ""  # the expression of `old` that makes today's value


class Class(NamedTuple):
    """A saveable class."""

    ident: str
    name: str
    layout: str  # "plain", "slots" or "dataclass"
    fields: tuple[Field, ...]
    was: tuple[str, ...] = ()
    parent: str = ""  # its ident
    saves_itself: bool = False


# What every game has: components together, below another object maybe.
GAME_OBJECT = "GameObject"
_ANY = Type("ref", (), (GAME_OBJECT,))
_WHOLE = Class(
    GAME_OBJECT,
    GAME_OBJECT,
    "slots",
    (
        Field("parts", Type("tuple", (_ANY,)), "components"),
        Field("parent", Type("union", (_ANY, Type("none"))), "parent"),
    ),
)


class Record(NamedTuple):
    """A class of plain data."""

    ident: str
    decorator: str  # "@dataclass", …; a NamedTuple has none
    members: tuple[Field, ...]


class Migration(NamedTuple):
    """A whole number of a class, with something added to it in every save."""

    to: int
    cls: str
    field: str
    names: tuple[str, str]  # what both were called then
    plus: int


class Game(NamedTuple):
    """One version of a game."""

    classes: tuple[Class, ...]
    records: tuple[Record, ...]
    enums: tuple[tuple[str, tuple[str, ...]], ...]
    prefabs: tuple[tuple[str, tuple[str, ...]], ...] = ()  # a name, idents of its parts
    migrations: tuple[Migration, ...] = ()
    save_version: int = 0
    # `Class.field` or `Class`, as `savegen lock retire` has it.
    retired: tuple[str, ...] = ()

    def cls(self, ident: str) -> Class | None:
        known = (*self.classes, _WHOLE)
        return next((each for each in known if each.ident == ident), None)

    def record(self, ident: str) -> Record:
        return next(each for each in self.records if each.ident == ident)

    def members(self, enum: str) -> tuple[str, ...]:
        return dict(self.enums)[enum]

    def lineage(self, ident: str) -> list[Class]:
        """Return a class and its bases, the last base first."""
        cls = self.cls(ident)
        if cls is None:
            return []
        return [*(self.lineage(cls.parent) if cls.parent else ()), cls]

    def fields(self, ident: str) -> list[Field]:
        """Return the fields of a class, those of its bases included."""
        return [field for cls in self.lineage(ident) for field in cls.fields]

    def fitting(self, idents: tuple[str, ...]) -> list[str]:
        """Return the classes whose objects a reference to some classes may lead to."""
        return [
            cls.ident
            for cls in self.classes
            if any(base.ident in idents for base in self.lineage(cls.ident))
        ]

    def mentions(self, ident: str) -> bool:
        """Tell whether a record has a reference to a class."""
        return any(
            ident in part.idents
            for record in self.records
            for member in record.members
            for part in member.type.walk()
            if part.word == "ref"
        )


# -- the source

HEAD = """
from __future__ import annotations
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, NamedTuple

from savegen import Save, Saved, converter, migration, saveable
"""
PYPROJECT = '[tool.savegen]\nsource = ["game"]\n'
_DISPLAYS = {
    "list": "[{}]",
    "tuple": "({},)",
    "places": "({},)",
    "set": "{{{}}}",
    "frozenset": "frozenset([{}])",
    "deque": "deque([{}])",
}


def source(game: Game) -> dict[str, str]:
    """Return the files of a game, by path; nothing is generated yet."""
    version = f"save_version = {game.save_version}\n" if game.save_version else ""
    names = ", ".join(f"{cls.name}SaveLoad" for cls in game.classes)
    text = [HEAD, f"from game._savegen.components.made import {names}\n"]
    for ident, members in game.enums:
        body = "".join(f"    {name} = {name!r}\n" for name in members)
        text.append(f"class {ident}(Enum):\n{body}")
    text += [_record(record, game) for record in game.records]
    text += [_class(cls, game) for cls in game.classes]
    text += [_migration(each) for each in game.migrations]
    text += [_converter(cls, each) for cls in game.classes for each in cls.fields]
    return {
        "pyproject.toml": PYPROJECT + version,
        "game/__init__.py": "",
        "game/made.py": "\n\n".join(text),
    }


def annotation(type: Type, game: Game) -> str:
    inner = [annotation(part, game) for part in type.parts]
    match type.word:
        case "none":
            return "None"
        case "record" | "enum":
            return type.idents[0]
        case "ref":
            found = (game.cls(ident) for ident in type.idents)
            return " | ".join(cls.name for cls in found if cls)
        case "union":
            return " | ".join(inner)
        case "tuple":
            return f"tuple[{inner[0]}, ...]"
        case "places":
            return f"tuple[{', '.join(inner)}]"
    return f"{type.word}[{', '.join(inner)}]" if inner else type.word


def written(recipe: Recipe) -> str:
    """Return the expression that makes a value; it refers to no object."""
    match recipe:
        case ("record", ident, members):
            inside = ", ".join(f"{name}={written(each)}" for name, each in members)
            return f"{ident}({inside})"
        case ("enum", ident, member):
            return f"{ident}.{member}"
        case ("dict", *entries):
            inside = ", ".join(f"{written(k)}: {written(v)}" for k, v in entries)
            return f"{{{inside}}}"
        case ("set",):
            return "set()"
        case ("tuple",):
            return "()"
        case (word, *items):
            return _DISPLAYS[word].format(", ".join(map(written, items)))
    return repr(recipe)


def is_fixed(recipe: Recipe) -> bool:
    """Tell whether a class may have the value as its own: nobody can change it."""
    return not isinstance(recipe, tuple) or recipe[0] == "enum"


def holds_dict(text: str) -> bool:
    """Tell whether an expression is more than `savegen` reads in an `__init__`."""
    return ": " in text


def _record(record: Record, game: Game) -> str:
    lines = [
        f"    {member.name}: {annotation(member.type, game)}{_record_default(member)}"
        for member in record.members
    ]
    base = "" if record.decorator else "(NamedTuple)"
    return "\n".join([record.decorator, f"class {record.ident}{base}:", *lines, ""])


def _record_default(member: Field) -> str:
    return f" = {written(member.default[0])}" if member.default else ""


def _class(cls: Class, game: Game) -> str:
    lines, init, functions = [], [], []
    for each in cls.fields:
        function, line, assigned = _field(cls, each, game)
        functions.append(function)
        lines.append(f"    {line}\n")
        init += [f"        {assigned}\n"] if assigned else []
    if cls.layout == "slots":
        slots = ", ".join(repr(field.name) for field in cls.fields)
        lines.insert(0, f"    __slots__ = ({slots},)\n")
    lines = lines or ["    pass\n"]
    if init:
        lines += ["\n    def __init__(self) -> None:\n", *init]
    was = f"(was={cls.was!r})" if cls.was else ""
    style = "@dataclass(kw_only=True, eq=False)\n" if cls.layout == "dataclass" else ""
    parent = game.cls(cls.parent)
    bases = f"{cls.name}SaveLoad" + (f", {parent.name}" if parent else "")
    head = f"@saveable{was}\n{style}class {cls.name}({bases}):\n"
    return "".join([*filter(None, functions), head, *lines])


def _field(cls: Class, each: Field, game: Game) -> tuple[str, str, str]:
    """Return what stands before a class for a field of it, in it, and in its `__init__`."""
    type, words = annotation(each.type, game), []
    if each.was:
        words.append(f"was={each.was!r}")
    function = default = assigned = ""
    if each.default:
        value = written(each.default[0])
        if is_fixed(each.default[0]) and cls.layout == "slots":
            words.append(f"default={value}")
        elif is_fixed(each.default[0]):
            default = f" = {value}"
        elif cls.layout == "dataclass":
            default = f" = field(default_factory=lambda: {value})"
        elif cls.layout == "plain" and not each.was and not holds_dict(value):
            assigned = f"self.{each.name}: Annotated[{type}, Save()] = {value}"
        else:
            maker = f"new_{cls.ident}_{each.ident}".lower()
            function = f"def {maker}() -> {type}:\n    return {value}\n\n\n"
            words.append(f"default_factory={maker}")
    marked = (
        f"Annotated[{type}, Save({', '.join(words)})]" if words else f"Saved[{type}]"
    )
    line = "" if assigned else f"{each.name}: {marked}{default}"
    return function, line, assigned


def _migration(each: Migration) -> str:
    cls, field = each.names
    return (
        f"@migration(to={each.to})\ndef to_{each.to}(save) -> None:\n"
        f'    for row in save["{cls}"]:\n'
        # A saved value may be a mismatch: of another type than its field says.
        f'        if type(row.get("{field}")) is int:\n'
        f'            row["{field}"] += {each.plus}\n'
    )


def _converter(cls: Class, each: Field) -> str:
    if not each.converter:
        return ""
    name = f"convert_{cls.ident}_{each.ident}".lower()
    return (
        f'@converter({cls.name}, "{each.name}")\n'
        f"def {name}(old):\n    return {each.converter}\n"
    )

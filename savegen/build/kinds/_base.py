"""What kinds are made of: bound types going in, one frozen `Kind` coming out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec


class Type(msgspec.Struct, frozen=True, array_like=True):
    """An annotation with every name bound.

    `name` is `module:qualname` for a class of the project, a dotted name for anything else
    (`builtins.list`, `typing.Union`, `None`), and `?` for what cannot be read as a type.
    """

    name: str
    arguments: tuple[Type, ...] = ()
    # Of a `Literal`, as source text; of `?`, what is written there; of a type variable that
    # can be anything, its name.
    literals: tuple[str, ...] = ()
    # What it is written as: `module:name` of a `NewType`, `typing.Any` for a type variable.
    spelled: str = ""


class Kind(msgspec.Struct, frozen=True, array_like=True):
    """How a value is saved. `kind` names the file here and the template that know how."""

    kind: str
    name: str = ""  # which one of the kind: `int`, `list`, `mygame.stats:Stats`
    parts: tuple[Kind, ...] = ()
    values: tuple[str, ...] = ()  # constants of a `Literal`, as source text
    immutable: bool = False  # a copy may be the object itself
    references: bool = False  # holds a reference, at any depth
    hashable: bool = False  # may stand in a set, or be the key of a dict


class RecordField(msgspec.Struct, frozen=True, array_like=True):
    """One field of a class that is plain data."""

    name: str
    type: Type
    required: bool = True  # only a `TypedDict` has others
    keyword: str = ""  # for the constructor; "" if that does not take it
    optional: bool = False  # it may be left out of a new object


class PlainClass(msgspec.Struct, frozen=True, array_like=True):
    """A class of the project that is nothing but its fields."""

    name: str  # `module:qualname`
    style: str  # "dataclass", "attrs", "struct", "namedtuple", "typeddict"
    frozen: bool
    hashable: bool
    fields: tuple[RecordField, ...]
    constructible: bool = True  # from its fields, and nothing else


class Codec(msgspec.Struct, frozen=True, array_like=True):
    """What takes values of one type apart, and puts them together again."""

    name: str  # `module:name`
    immutable: bool = False
    hashable: bool = True


class Classes(Protocol):
    """What kinds ask about the classes of the project, by `module:qualname`."""

    def codec(self, name: str) -> Codec | None:
        """Return the codec for a class, of the project or not, if one is named."""

    def kind_of(self, type: Type) -> Kind:
        """Return the kind of a type."""

    def saveable(self, name: str) -> bool:
        """Tell whether a value of this type is a saveable object, kept by reference."""

    def enum(self, name: str) -> bool:
        """Tell whether the class is an enumeration."""

    def flag(self, name: str) -> bool:
        """Tell whether the class is an enumeration whose members can be combined."""

    def plain(self, name: str) -> PlainClass | None:
        """Return the fields of a class that is plain data."""

    def plain_kind(self, plain: PlainClass) -> Kind:
        """Return the kind of a plain class, which may hold itself."""


class Cells(Protocol):
    """What kinds ask where the type of a cell is written, as an annotation."""

    def cell(self, kind: Kind) -> str:
        """Return the type of the cells of a kind."""

    def record(self, name: str) -> str:
        """Return the type of the cells of a plain class."""


class Stored(Protocol):
    """What kinds ask where a stored type is written, see `savegen.runtime.stored`."""

    def stored(self, kind: Kind) -> str:
        """Return the stored type of a kind."""

    def numbers(self, names: Iterable[str]) -> str:
        """Return the numbers of the classes that are, or derive from, one of some types."""

    def record(self, kind: Kind) -> str:
        """Return the stored type of a plain class."""

    def members(self, name: str) -> str:
        """Return the names of the members of an enumeration."""


def label(name: str) -> str:
    """Return what a stored type calls a class of the game.

    >>> label("mygame.vec:Vec2")
    'mygame.vec.Vec2'
    """
    return name.replace(":", ".")


def refused(reason: str, text: str, *parts: Kind) -> Kind:
    """Return the kind of something that cannot be saved; a rule turns it into a finding."""
    return Kind("refused", reason, parts, (text,))


def spelled(value: object) -> str:
    """Return the constant for a value as black spells it, in ASCII."""
    text = ascii(value)
    prefix, _, inside = text.removesuffix("'").partition("'")
    # With other quotes around it there must not be more to escape.
    if not text.endswith("'") or inside.count('"') > inside.count("\\'"):
        return text
    inside = inside.replace("\\'", "'").replace('"', '\\"')
    return f'{prefix}"{inside}"'

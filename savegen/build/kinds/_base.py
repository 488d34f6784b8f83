"""Types and kinds, and the interfaces through which kinds use the rest of the build."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec


class Type(msgspec.Struct, frozen=True, array_like=True):
    """An annotation with every name resolved.

    `name` is `module:qualname` for a class of the project, a dotted name for other types
    (`builtins.list`, `typing.Union`, `None`), and `?` for an invalid annotation.
    """

    name: str
    arguments: tuple[Type, ...] = ()
    # For a `Literal`: its constants, as source code.
    # For an invalid annotation: its source code and a similar type.
    # For an unbounded type variable: its name.
    # For `tuple[()]`: `()`.
    literals: tuple[str, ...] = ()


class Kind(msgspec.Struct, frozen=True, array_like=True, cache_hash=True):
    """How a value is saved.

    `kind` is the name of its file in this folder and of its template; "refused" if the type
    cannot be saved or is unknown.
    """

    kind: str
    # The type: `builtins.int`, `list`, `mygame.stats:Stats`; `tuple` for `tuple[int, ...]`, but
    # `fixed_tuple` for `tuple[int, str]`.
    name: str = ""
    parts: tuple[Kind, ...] = ()  # of its elements or union members
    # Details of the type, such as the constants of a `Literal` or the codec of a foreign type.
    values: tuple[str, ...] = ()
    immutable: bool = False  # needs no copy
    references: bool = False  # contains a reference, at any depth
    hashable: bool = False  # can be in a set, or be the key of a dict
    is_protocol: bool = False  # a reference to objects of any saveable class


class RecordField(msgspec.Struct, frozen=True, array_like=True):
    """One field of a plain class."""

    name: str
    type: Type
    may_be_absent: bool = False  # a `NotRequired` key of a `TypedDict`
    keyword: str = ""  # the parameter of the constructor; "" if it has none
    has_default: bool = False  # the constructor can be called without it


class PlainClass(msgspec.Struct, frozen=True, array_like=True):
    """A class of the project that consists of its fields, such as a dataclass."""

    name: str  # `module:qualname`
    style: str  # "dataclass", "attrs", "struct", "namedtuple", "typeddict"
    frozen: bool
    hashable: bool
    fields: tuple[RecordField, ...]
    constructible: bool = True  # its constructor needs nothing but its fields


class DeclaredCodec(msgspec.Struct, frozen=True, array_like=True):
    """What the build knows of a codec, which encodes and decodes the values of one type."""

    name: str  # `module:name`
    immutable: bool = False  # its values are
    hashable: bool = True


class Classes(Protocol):
    """The functions that kinds call to learn about classes, by `module:qualname`."""

    def codec_of(self, name: str) -> DeclaredCodec | None:
        """Return the codec for a class, inside or outside the project, or None."""

    def kind_of(self, type: Type) -> Kind:
        """Return the kind of a type."""

    def is_saveable(self, name: str) -> bool:
        """Return whether the type is a saveable class, whose objects are saved as references."""

    def is_protocol(self, name: str) -> bool:
        """Return whether the type is a protocol of the game."""

    def stand_in(self, name: str) -> str | None:
        """Return the stand-in for a class of a library, by its dotted name, or None."""

    def stands_for(self, name: str) -> tuple[str, ...]:
        """Return the dotted names of the library class for which a class stands in, or ()."""

    def is_enum(self, name: str) -> bool:
        """Return whether the class is an enumeration."""

    def enum_subclasses(self, name: str) -> tuple[str, ...]:
        """Return the enumerations that derive from one, which then has no members itself."""

    def is_flag(self, name: str) -> bool:
        """Return whether the class is an enumeration of flags, whose members can be combined."""

    def plain_class(self, name: str) -> PlainClass | None:
        """Return a plain class with its fields, or None for other classes."""

    def value_base(self, type: Type) -> Type | None:
        """Return the builtin or library type that a class of the project derives from, or None."""

    def kind_of_plain(self, plain: PlainClass) -> Kind:
        """Return the kind of a plain class, which may contain itself."""

    def plain_subclasses(self, plain: PlainClass) -> tuple[PlainClass, ...]:
        """Return the subclasses of a plain class that a field of its type can hold."""


class CellTypes(Protocol):
    """The functions that kinds call to write the type of a cell, as an annotation."""

    def cell(self, kind: Kind) -> str:
        """Return the type of the cells of a kind."""

    def record(self, name: str) -> str:
        """Return the type of the cells of a plain class."""


class StoredTypeWriter(Protocol):
    """The functions that kinds call to write a stored type; see `savegen.runtime.values.stored`."""

    def stored(self, kind: Kind) -> str:
        """Return the stored type of a kind."""

    def numbers(self, names: Iterable[str]) -> str:
        """Return the stable numbers of saveable classes and all their subclasses."""

    def record(self, kind: Kind) -> str:
        """Return the stored type of a plain class."""

    def members(self, name: str) -> str:
        """Return the names of the members of an enumeration."""

"""Values with codecs, and subclasses of builtin classes and of classes of libraries."""

from __future__ import annotations

from functools import cache
from typing import Any

from savegen.runtime.errors import (
    EXHAUSTED,
    ExhaustedError,
    SaveError,
    describe_error,
    exhausted,
    with_article,
)
from savegen.runtime.values import pack
from savegen.runtime.values.kinds.choices import ANY, is_any, typed, typed_whole
from savegen.runtime.values.kinds.kind import (
    BY_CLASS,
    KINDS,
    Column,
    Composite,
    StoredKind,
    NameOf,
    Packing,
    Rules,
    Typed,
    Types,
    enter,
    last_part,
    types_of,
    wrong_in,
)
from savegen.runtime.values.libraries.methods import LABEL
from savegen.runtime.values.libraries.presets import content_of, made_as
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.libraries.sprites import GROUP_LABEL
from savegen.runtime.values.libraries.standard_types import FLAVOURS
from savegen.runtime.values.stored import StoredType
from savegen.runtime.values.values import ValueEntry


class Wrapper(Composite):
    """A class whose values are saved as values of another type."""

    is_mutable = True

    def filler(self, stored: StoredType) -> Any:
        (part,) = stored.parts
        return KINDS[part.name].filler(part)

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        inner = rules.inside(stored)
        if inner is None:
            return [*range(len(column))]
        return wrong_in(stored.parts[0], column, inner)

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return True

    def parts(self, stored: StoredType, cell: Any) -> list[Typed]:
        return [(stored.parts[0], cell)]

    def rebuilt(self, stored: StoredType, cell: Any, parts: list[Any]) -> Any:
        return parts[0]

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        (text,) = self.texts(stored, cell, name_of)
        return f"{last_part(stored.label)}({text})"


class Codec(Wrapper):
    """A class with a codec, of the game or of savegen; a bound method; a sprite group."""

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if stored.label == GROUP_LABEL:
            return pack.group(value, packing.references)
        entry = packing.values.get(stored.label)
        if entry is None or entry.pack is None:
            raise Misfit(value)
        cls, (part,) = entry.load(), stored.parts
        if stored.label != LABEL and type(value) is not cls:
            # A codec of savegen would load an instance of a subclass as the base class.
            if part.name != "any" or not isinstance(value, cls):
                raise Misfit(value)
        token = packing.enter(value, stored)
        try:
            return packing.cell(part, _encoded(entry, value, packing))
        finally:
            packing.leave(token)

    def of_entry(self, entry: ValueEntry, value: Any, packing: Packing) -> Typed:
        (part,) = entry.type.parts
        token = packing.enter(value)
        try:
            return entry.type, packing.cell(part, _encoded(entry, value, packing))
        finally:
            packing.leave(token)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        (part,) = stored.parts
        content = KINDS[part.name].unpack(part, cell, references)
        entry = references._values[stored.label]
        if entry.unpack is None:
            raise SaveError(
                f"the save has a `{stored.label}`, which no longer has a codec"
            )
        try:
            return entry.unpack(content, references)
        except (SaveError, *EXHAUSTED):
            raise
        except Exception as error:
            raise SaveError(
                f"the codec of `{stored.label}` raised {describe_error(error)}"
            ) from error

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        if stored.label == LABEL:
            key, method = cell
            return f"{KINDS['ref'].text(stored, key, name_of)}.{method}"
        return super().text(stored, cell, name_of)


def _encoded(entry: ValueEntry, value: Any, packing: Packing) -> Any:
    assert entry.pack is not None
    try:
        return entry.pack(value, packing.references)
    except (ExhaustedError, Misfit):
        raise
    except EXHAUSTED as error:
        raise exhausted(f"the codec of `{entry.name}`", error) from error
    except SaveError as error:
        raise Misfit(value, str(error)) from error
    except Exception as error:  # one of the game's codecs
        raise Misfit(value, f"its codec raised {describe_error(error)}") from error


class Subclass(Wrapper):
    """A class of the game that derives from one of another kind, and has its content."""

    def types_of(self, stored: StoredType) -> Types | None:
        return types_of(stored.parts[0])

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if type(value) is not packing.values[stored.label].load():
            raise Misfit(value)
        (part,) = stored.parts
        token = packing.enter(value, stored)
        try:
            return packing.cell(part, content(part, value))
        finally:
            packing.leave(token)

    def of_entry(self, entry: ValueEntry, value: Any, packing: Packing) -> Typed:
        (part,) = entry.type.parts
        token = packing.enter(value)
        try:
            plain = content(part, value)
            try:
                return entry.type, packing.cell(part, plain)
            except Misfit:
                inner, cell = typed_whole(plain, packing)
                if is_any(inner):
                    inner, cell = ANY, (inner, cell)
                stored = StoredType("subclass", (inner,), entry.type.label)
                return stored, cell
        finally:
            packing.leave(token)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        entry = references._values[stored.label]
        (part,) = stored.parts
        if entry.type.name != "subclass":
            raise SaveError(
                f"the save has a `{stored.label}`, which is no longer such a subclass"
            )
        if part.name == "any":
            part, cell = cell
        plain = KINDS[part.name].unpack(part, cell, references)
        return made(part, entry.load(), plain, references)


def base_value(value: Any, cls: type, base: str) -> Any:
    """Return a value of a subclass as a value of its base. Raises `Misfit` for another class.

    `base` is the name of the stored type of the base, or the name of a class with a codec.

    >>> class Deck(list[int]): ...
    >>> base_value(Deck([1, 2]), Deck, "list")
    [1, 2]
    """
    if type(value) is not cls:
        raise Misfit(value)
    return content(_type_of(base), value)


def made_from(cls: Any, plain: Any, base: str, references: Any) -> Any:
    """Return a value of a subclass from one of its base, without running its `__init__`."""
    return made(_type_of(base), cls, plain, references)


@cache
def _type_of(base: str) -> StoredType:
    return StoredType("codec", label=base) if "." in base else StoredType(base)


def content(part: StoredType, value: Any) -> Any:
    """Return what a value of a subclass is as a value of its base, without its own code."""
    if part.name == "codec":
        return content_of(part.label, value)
    return KINDS[part.name].content(value)


def made(part: StoredType, cls: Any, plain: Any, references: Any) -> Any:
    """Return a value of a subclass with a content, without running its `__init__`."""
    if part.name == "codec":
        return made_as(part.label, cls, plain)
    kind = KINDS[part.name]
    if type(plain) is set or isinstance(plain, dict):
        if not plain:  # a load may fill it later
            made = kind.made(cls, plain)
            references._when_filled(lambda: _fill(kind, made, plain))
            return made
    return kind.made(cls, plain)


def _fill(kind: StoredKind, made: Any, plain: Any) -> None:
    base: Any = kind.cls
    if base is set:
        set.update(made, plain)
        return
    for key, value in plain.items():
        base.__setitem__(made, key, value)


def as_base(value: Any, packing: Packing) -> tuple[Typed, type]:
    """Return a value of a subclass that no entry has as its nearest known base, and that base.

    Raises `Misfit` if it has none.
    """
    for base in type(value).__mro__[1:]:
        kind = BY_CLASS.get(id(base))
        if kind is not None:
            if kind.name == "random":
                return kind.typed(kind.content(value), packing), base
            return typed(kind.content(value), packing), base
        entry = packing.values.of(base)
        if entry is not None and entry.type.name in ("value", "record"):
            record: Any = KINDS[entry.type.name]
            return record.of_entry(entry, value, packing), base
        if entry is not None and entry.type.name == "codec" and entry.pack:
            label = entry.type.label
            return typed(content_of(label, value), packing), base
        if base in FLAVOURS:
            return typed(KINDS["path"].content(value), packing), base
    raise Misfit(value, f"{with_article(type(value).__qualname__)} has no known base")


enter(Codec(), "codec")
enter(Subclass(), "subclass")

"""The attribute that `@prefab(position=…)` names, and how its value is built from numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from savegen.build.json_forms import library_form
from savegen.build.model import (
    Field,
    Kind,
    Model,
    PrefabPart,
    PrefabClass,
    PlainRecord,
    SavedClass,
)


class Position(NamedTuple):
    """The attribute that gets the place of an object."""

    part: PrefabPart
    cls: SavedClass | None  # of the part
    names: tuple[str, ...]  # the attribute of the part, and attributes of its value

    @property
    def field(self) -> Field | None:
        """The saved field that has the place, or holds the object that has it."""
        fields = self.cls.fields if self.cls else ()
        return next((field for field in fields if field.name == self.names[0]), None)


def position_of(prefab: PrefabClass, model: Model) -> Position | None:
    """Return the position that a prefab declares; `None` if it has none, or names no part."""
    if prefab.position_path is None:
        return None
    part, names = prefab.position_path
    return Position(part, model.class_named(part.cls), names)


class ValueForm(NamedTuple):
    """How a position is built: from "float" or "int" numbers, by its kind.

    Without numbers, it is built like the value that the attribute has.
    """

    kind: Kind
    numbers: tuple[str, ...]
    keywords: tuple[str, ...] = ()  # of the constructor, or keys


def value_form(kind: Kind, records: Mapping[str, PlainRecord]) -> ValueForm | None:
    """Return how a value of a kind is built from two or three numbers; `None` if it cannot."""
    numbers: tuple[str, ...] = ()
    match kind.kind:
        case "union":
            forms = (value_form(part, records) for part in kind.parts)
            return next(filter(None, forms), None)
        case "scalar" if kind.name == "builtins.complex":
            return ValueForm(kind, ("float", "float"))
        case "container" if kind.name == "fixed_tuple":
            numbers = tuple(map(_number, kind.parts))
        case "container" if kind.name in ("tuple", "list"):
            numbers = (_number(kind.parts[0]),) * 2
        case "value" | "record":
            record = records[kind.name]
            numbers = tuple(_number(part) for _, part, _ in record.fields)
            keywords = tuple(name for name, _ in record.constructor_arguments)
            if record.style == "typeddict":
                keywords = tuple(name for name, _, _ in record.fields)
            if not all(keywords) or len(keywords) != len(numbers):
                return None
            return ValueForm(kind, numbers, keywords) if _is_place(numbers) else None
        case "foreign":
            form = library_form(kind)
            if form is None:  # a codec of the game knows it
                return ValueForm(kind, ())
            numbers = (form.number,) * len(form.fields)
        case "array" if kind.name == "ndarray":
            return ValueForm(kind, ())
        case "refused":  # it has a finding already
            return ValueForm(kind, ())
    return ValueForm(kind, numbers) if _is_place(numbers) else None


def _is_place(numbers: tuple[str, ...]) -> bool:
    return len(numbers) in (2, 3) and all(numbers)


def _number(kind: Kind) -> str:
    """Return "float" or "int" for a kind of numbers, else ""."""
    names = [part.name for part in (kind.parts if kind.kind == "union" else (kind,))]
    is_scalar = kind.kind in ("scalar", "union")
    found = [n for n in ("float", "int") if is_scalar and f"builtins.{n}" in names]
    return found[0] if found else ""

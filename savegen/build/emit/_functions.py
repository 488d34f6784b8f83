"""What the functions from JSON to values are made of, for their templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.build.emit._forms import Forms, simple_name
from savegen.build.emit._types import spelled
from savegen.build.model import FLAGS, Kind, Record
from savegen.build.writable import preset

# Names in these functions: a class of the game's is imported under another.
_LOCAL = frozenset(
    "it result values name references Any Any_ UNSET UNSET_ dict str bytes set_field".split()
)


class RecordPart(NamedTuple):
    """One field of a plain class."""

    name: str  # in JSON
    stored: str  # as Python stores it
    kind: Kind
    keyword: str  # for the constructor; "" if that does not take it
    optional: bool  # a new object can do without
    required: bool  # only a `TypedDict` has others


def parts_of(record: Record) -> list[RecordPart]:
    """Return the fields of a plain class, and what they are called in JSON."""
    pairs = zip(record.fields, record.construction)
    return [
        RecordPart(
            _json_name(record, name, keyword), name, kind, keyword, optional, required
        )
        for (name, kind, required), (keyword, optional) in pairs
    ]


def _json_name(record: Record, name: str, keyword: str) -> str:
    if record.style == "typeddict":
        return name
    return name if not name.startswith("_") else keyword.lstrip("_") or name


class FunctionView:
    """A function that makes a value of what was in JSON."""

    def __init__(
        self, kind: Kind, function: str, forms: Forms, attributes: Mapping[str, str]
    ) -> None:
        self.function = function
        self.kind = kind
        self.name = simple_name(kind)
        self.style = _style(kind, forms)
        self.home, self.imported, self.cls = _imported(kind, self.style)
        self._forms = forms
        self._attributes = attributes
        record = forms.record(kind)
        self.parts = parts_of(record) if record else []

    @property
    def values(self) -> Iterator[tuple[RecordPart, str, str]]:
        """Yield each field with its attribute in JSON, and what becomes of that."""
        for part in self.parts:
            attribute = self._attributes[part.name]
            yield part, attribute, self._forms.from_json(part.kind, f"it.{attribute}")

    @property
    def required(self) -> list[tuple[RecordPart, str]]:
        return [(p, value) for p, _, value in self.values if not p.optional]

    @property
    def entries(self) -> list[str]:
        return [f"{spelled(p.keyword)}: {value}" for p, value in self.required]

    @property
    def keywords(self) -> list[str]:
        return [f"{p.keyword}={value}" for p, value in self.required]

    @property
    def optional(self) -> list[tuple[str, str, str]]:
        return [
            (attribute, spelled(p.keyword), value)
            for p, attribute, value in self.values
            if p.optional and p.keyword
        ]

    @property
    def later(self) -> list[tuple[str, str, str]]:
        """The fields that the constructor does not take."""
        return [
            (attribute, spelled(p.stored), value)
            for p, attribute, value in self.values
            if not p.keyword
        ]

    @property
    def members(self) -> list[str]:
        found = preset(self.kind)
        return [f"it.{name}" for name in found.fields] if found else []

    @property
    def codec(self) -> str:
        return spelled(self.kind.values[0])


def _style(kind: Kind, forms: Forms) -> str:
    if kind.kind == "enum":
        return "flags" if kind.values == FLAGS else "enum"
    record = forms.record(kind)
    if record is not None:
        return record.style
    found = preset(kind)
    if found is None:
        return "codec"
    if found.cells:
        return "matrix"
    return "vector" if found.fields else "colour"


def _imported(kind: Kind, style: str) -> tuple[str, str, str]:
    """Return where a class is imported from, what, and what it is called afterwards."""
    if style in ("typeddict", "codec"):
        return "", "", ""
    module, colon, qualname = kind.name.partition(":")
    if not colon:
        module, _, qualname = kind.name.rpartition(".")
        if module.startswith("arcade") and qualname == "Rect":  # by its edges
            module, qualname = "arcade.types", "LBWH"
    first, dot, rest = qualname.partition(".")
    local = f"{first}_" if first in _LOCAL else first
    imported = first if local == first else f"{first} as {local}"
    return module, imported, f"{local}{dot}{rest}"

"""Prepare the functions that create values from decoded JSON, for their template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from savegen.build.emit._forms import Forms, simple_name
from savegen.build.emit._types import as_code
from savegen.build.model import FLAGS, Kind, Record
from savegen.build.json_forms import library_form

# Names used inside these functions. A class of the game with one of these names is imported
# under another name.
_LOCAL = frozenset(
    "it result values name references Any Any_ UNSET UNSET_ dict str bytes set_field".split()
)


class RecordPart(NamedTuple):
    """One field of a plain class."""

    name: str  # in JSON
    attribute: str  # that holds it in the object
    kind: Kind
    keyword: str  # of the constructor; "" if it has no such parameter
    optional: bool  # may be left out of a new object
    required: bool  # False only for `NotRequired` keys of a `TypedDict`


def parts_of(record: Record) -> list[RecordPart]:
    """Return the fields of a plain class, with their names in JSON."""
    pairs = zip(record.fields, record.constructor_arguments)
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
    """A function that creates a value from its JSON form."""

    def __init__(
        self, kind: Kind, function: str, forms: Forms, attributes: Mapping[str, str]
    ) -> None:
        self.function = function
        self.kind = kind
        self.name = simple_name(kind)
        self.style = _style(kind, forms)
        self.module, self.imported, self.cls = _imported(kind, self.style)
        self._forms = forms
        self._attributes = attributes
        record = forms.record(kind)
        self.parts = parts_of(record) if record else []

    @property
    def values(self) -> Iterator[tuple[RecordPart, str, str]]:
        """Yield each field, its attribute in the struct, and an expression for its value."""
        for part in self.parts:
            attribute = self._attributes[part.name]
            yield part, attribute, self._forms.from_json(part.kind, f"it.{attribute}")

    @property
    def required(self) -> list[tuple[RecordPart, str]]:
        return [(p, value) for p, _, value in self.values if not p.optional]

    @property
    def entries(self) -> list[str]:
        return [f"{as_code(p.keyword)}: {value}" for p, value in self.required]

    @property
    def keywords(self) -> list[str]:
        return [f"{p.keyword}={value}" for p, value in self.required]

    @property
    def optional(self) -> list[tuple[str, str, str]]:
        return [
            (attribute, as_code(p.keyword), value)
            for p, attribute, value in self.values
            if p.optional and p.keyword
        ]

    @property
    def set_later(self) -> list[tuple[str, str, str]]:
        """The fields that are set after construction, as the constructor does not take them."""
        return [
            (attribute, as_code(p.attribute), value)
            for p, attribute, value in self.values
            if not p.keyword
        ]

    @property
    def members(self) -> list[str]:
        library = library_form(self.kind)
        return [f"it.{name}" for name in library.fields] if library else []

    @property
    def codec(self) -> str:
        return as_code(self.kind.values[0])


def _style(kind: Kind, forms: Forms) -> str:
    if kind.kind == "enum":
        return "flags" if kind.values == FLAGS else "enum"
    record = forms.record(kind)
    if record is not None:
        return record.style
    library = library_form(kind)
    if library is None:
        return "codec"
    if library.cells:
        return "matrix"
    return "vector" if library.fields else "colour"


def _imported(kind: Kind, style: str) -> tuple[str, str, str]:
    """Return the module of a class, the name to import from it, and the name of the class."""
    if style in ("typeddict", "codec"):
        return "", "", ""
    module, colon, qualname = kind.name.partition(":")
    if not colon:
        module, _, qualname = kind.name.rpartition(".")
        # A Rect of arcade is created from its left and bottom edges and its size.
        if module.startswith("arcade") and qualname == "Rect":
            module, qualname = "arcade.types", "LBWH"
    first, dot, rest = qualname.partition(".")
    local = f"{first}_" if first in _LOCAL else first
    imported = first if local == first else f"{first} as {local}"
    return module, imported, f"{local}{dot}{rest}"

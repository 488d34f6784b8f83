"""Prepare the functions that create values from decoded JSON, for their template."""

from __future__ import annotations

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


def parts_of(record: Record) -> list[RecordPart]:
    """Return the fields of a plain class, with their names in JSON."""
    pairs = zip(record.fields, record.constructor_arguments)
    return [
        RecordPart(_json_name(record, name, keyword), name, kind, keyword, optional)
        for (name, kind, _), (keyword, optional) in pairs
    ]


def _json_name(record: Record, name: str, keyword: str) -> str:
    if record.style == "typeddict":
        return name
    return name if not name.startswith("_") else keyword.lstrip("_") or name


class FunctionView:
    """A function that creates a value from its JSON form."""

    def __init__(self, kind: Kind, function: str, forms: Forms) -> None:
        self.function = function
        self.refers = forms.refers(kind)
        self.name = simple_name(kind)
        self.style = _style(kind, forms)
        self.module, self.imported, self.cls = _imported(kind, self.style)
        self.codec = as_code(kind.values[0]) if self.style == "codec" else ""
        library = library_form(kind) if self.style == "vector" else None
        self.members = [f"it.{name}" for name in library.fields] if library else []
        required: list[tuple[str, str]] = []
        # Arguments that may be absent: the attribute that holds them, names and values.
        self.optional: list[tuple[str, str, str]] = []
        # Fields that the constructor does not take, which are set after it.
        self.set_later: list[tuple[str, str, str]] = []
        record = forms.record(kind)
        for part in parts_of(record) if record else ():
            attribute = forms.attributes[part.name]
            value = forms.from_json(part.kind, f"it.{attribute}")
            if not part.optional:
                required.append((part.keyword, value))
            elif part.keyword:
                self.optional.append((attribute, as_code(part.keyword), value))
            if not part.keyword:
                self.set_later.append((attribute, as_code(part.attribute), value))
        # The arguments of the constructor, and the same as entries of a dict.
        self.keywords = [f"{name}={value}" for name, value in required]
        self.entries = [f"{as_code(name)}: {value}" for name, value in required]


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

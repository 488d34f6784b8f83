"""What the templates of mixins are given: finished names and expressions."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from savegen.emit._expressions import LINK, LOAD, SAVE, TAKE, Expressions
from savegen.emit._names import Names
from savegen.emit._rows import Rows
from savegen.emit._types import annotation, spelled
from savegen.model import Field, Record, SavedClass


class ClassView:
    """One saveable class."""

    def __init__(self, cls: SavedClass, names: Names, expressions: Expressions) -> None:
        self.mixin = cls.mixin
        self.name = cls.qualname
        self.article = article(cls.qualname)
        self.member = cls.member
        self.enum = fields_enum(cls)
        self.checks_name = Rows(cls).checks
        self.suffix = "_" if cls.wraps else ""
        self.rows = Rows(cls)
        self.fields = [
            FieldView(field, variable, cls, names, expressions)
            for field, variable in zip(cls.fields, _variables(cls), strict=True)
        ]

    @staticmethod
    def names(cls: SavedClass) -> set[str]:
        """Return what the class makes a generated module define, and its fields' names."""
        fields = {field.attribute for field in cls.fields}
        # `type_` may be imported all the same: only annotations use it.
        variables = {v for v in _variables(cls) if v.rstrip("_") not in _USED_IN_LOOPS}
        rows = Rows(cls).names()
        return fields | variables | rows | {cls.mixin, fields_enum(cls)}

    @property
    def restored(self) -> list[str]:
        """The variables of a loop over rows that sets the fields without references."""
        return ["o", *("_" if f.references else f.local for f in self.fields)]

    def columns(self, fields: list[FieldView]) -> list[str]:
        """Return slices of the rows, each with one field of every object."""
        width = len(self.fields)
        if width == 1:
            return ["rows"]
        return [f"rows[{self.fields.index(f) or ''}::{width}]" for f in fields]

    @property
    def loops(self) -> list[str]:
        """What the table of the class's rows is made of."""
        rows = self.rows
        found = {
            "moved": rows.moved if self.compared else "",
            "restore": rows.restore,
            "link": rows.link if self.linked else "",
            "gather": rows.gather if self.gathered else "",
        }
        named = [f"{way}={function}" for way, function in found.items() if function]
        copied = [f'"{f.attribute}"' for f in self.fields if not f.is_itself]
        if self.compared and copied:
            named.append(f"copied=({', '.join(copied)}{',' * (len(copied) == 1)})")
        return [self.checks_name, rows.capture, *named]

    @property
    def compared(self) -> list[FieldView]:
        """The fields of which rows hold the value itself; none if that does not help."""
        helps = not any(field.waits for field in self.fields)
        return [f for f in self.fields if f.is_itself] if helps else []

    @property
    def conditions(self) -> list[str]:
        return [f"o.{f.attribute} is not {f.local}" for f in self.compared]

    @property
    def moved(self) -> list[str]:
        """The variables of a loop over rows that compares them."""
        used = self.compared
        return ["place", "o", *(f.local if f in used else "_" for f in self.fields)]

    @property
    def saved(self) -> list[FieldView]:
        """The fields that savegen itself saves."""
        return [field for field in self.fields if not field.override]

    @property
    def exposed(self) -> list[FieldView]:
        return [field for field in self.fields if field.exposed is not None]

    @property
    def plain(self) -> list[FieldView]:
        return [field for field in self.fields if not field.references]

    @property
    def referring(self) -> list[FieldView]:
        return [field for field in self.fields if field.references]

    @property
    def linked(self) -> list[FieldView]:
        """The fields with references that need no hash of any object."""
        return [field for field in self.referring if not field.hashes]

    @property
    def gathered(self) -> list[FieldView]:
        """The fields with references that are found by the hash of an object."""
        return [field for field in self.referring if field.hashes]


class FieldView:
    """One field of a class."""

    def __init__(
        self,
        field: Field,
        variable: str,
        cls: SavedClass,
        names: Names,
        expressions: Expressions,
    ) -> None:
        """`variable` holds the field's value in a loop over rows."""
        self.local = variable
        self.attribute = field.attribute
        self.member = field.member
        self.number = field.number
        self.key = f"{fields_enum(cls)}.{field.member}"
        self.override = field.override
        self.exposed = field.exposed
        self.name = field.name
        self.references = field.kind.references
        self.hashes = expressions.hashes(field.kind)
        self.waits = expressions.waits(field.kind)
        # Rows hold no copy of it: an object, or a value that cannot change.
        # What a property gives may be another object each time.
        self.is_itself = not field.setter and (
            field.kind.immutable or field.kind.kind == "reference"
        )
        self.type = annotation(field.type, names)
        self.plain_type = annotation(field.type)
        # What the class saves itself need not be of a kind.
        self.check = "" if field.override else expressions.check(field.kind)
        self.always = field.always
        self._kind = field.kind
        self._setter = field.setter
        self._guarded = cls.guarded
        # A variable that hides a property must not be of a type of its own.
        self.shown_type = names.Any if field.setter else self.type
        self.in_property = field.in_property
        self.parameter = field.parameter
        self._names = names
        self._expressions = expressions

    @property
    def save(self) -> str:
        return self._expressions.copy(self._kind, f"self.{self.attribute}", SAVE)

    @property
    def load(self) -> str:
        value = self._expressions.copy(self._kind, f"data[{self.key}]", LOAD)
        return self._set("self", value)

    @property
    def take(self) -> str:
        return self._expressions.copy(self._kind, f"o.{self.attribute}", TAKE)

    @property
    def mapping(self) -> str:
        """What `get_param_name_mappings` says of the field."""
        mapping, of_type = self._names.ParamNameMapping, spelled(self.plain_type)
        return f'{mapping}("{self.name}", {of_type}, "{self.exposed}", {self.key})'

    @property
    def restore(self) -> str:
        return self._set("o", self._expressions.copy(self._kind, self.local, TAKE))

    @property
    def link(self) -> str:
        return self._set("o", self._expressions.copy(self._kind, self.local, LINK))

    def _set(self, owner: str, value: str) -> str:
        if self._guarded or self._setter:
            names = self._names
            function = names.set_property if self._setter else names.set_field
            return f'{function}({owner}, "{self.attribute}", {value})'
        return f"{owner}.{self.attribute} = {value}"


# What a loop over rows uses itself: no variable of it may hide that.
_USED_IN_LOOPS = frozenset(
    "o objects values rows zip iter type isinstance tuple frozenset list set dict"
    " bytearray x y z k m n place places".split()
)


def _variables(cls: SavedClass) -> list[str]:
    """Return a variable for each field of a class: names that Python takes, all different."""
    found: list[str] = []
    for field in cls.fields:
        name = field.name.strip("_") or "field"
        if not name.isidentifier():
            name = f"n{name}"
        while keyword.iskeyword(name) or name in _USED_IN_LOOPS or name in found:
            name += "_"
        found.append(name)
    return found


class RecordView:
    """A function that copies records of one class, in one way."""

    def __init__(
        self,
        record: Record,
        way: str,
        function: str,
        names: Names,
        expressions: Expressions,
    ) -> None:
        self.function = function
        self.style = record.style
        self.name = record.qualname
        self.article = article(record.qualname)
        self.frozen = record.frozen
        # Not of the declared types: keys for objects, or one of several classes; and no
        # type checker knows the private names of a class outside of it.
        self.loose = (
            record.kind.references
            or record.name in expressions.told_apart
            or any("__" in name for name, *_ in record.fields)
        )
        self.type = names.user_type(record.module, record.qualname)
        self.direct = not record.frozen and record.style == "dataclass"
        self.resolves = way in (SAVE, LOAD)
        self.fields = [
            (name, expressions.copy(kind, _part(record, name), way), required)
            for name, kind, required in record.fields
        ]

    @property
    def changed(self) -> list[tuple[str, str, bool]]:
        """The fields whose copy is not the value itself."""
        return [f for f in self.fields if f[1] not in (f"it.{f[0]}", f'it["{f[0]}"]')]

    @property
    def replaced(self) -> str:
        """The keywords for `_replace`."""
        return ", ".join(f"{name}={value}" for name, value, _ in self.changed)


def _part(record: Record, name: str) -> str:
    return f'it["{name}"]' if record.style == "typeddict" else f"it.{name}"


class CheckView:
    """The check for one class of the game's that fields hold."""

    def __init__(self, name: str, expressions: Expressions) -> None:
        self.name = expressions.types[name]
        self.module, _, self.qualname = name.partition(":")
        self.full_name = name
        self.codec = expressions.codecs.get(name, "")
        record = None if self.codec else expressions.find_record(name)
        self.style = record.style if record else "foreign" if self.codec else "enum"
        self.required = dict(_part_checks(record, expressions, True))
        self.optional = dict(_part_checks(record, expressions, False))
        pairs = record.former if record else ()
        self.former = ", ".join(f'"{old}": "{new}"' for old, new in pairs)

    @property
    def holds(self) -> str:
        """The call that says what the fields hold."""
        if self.style == "typeddict":
            return f"{self.name}.holds({_display(self.required)}, {_display(self.optional)})"
        parts = ", ".join(f"{name}={check}" for name, check in self.required.items())
        return f"{self.name}.holds({parts})"


def _display(checks: dict[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": {check}' for name, check in checks.items()) + "}"


def _part_checks(
    record: Record | None, expressions: Expressions, wanted: bool
) -> Iterator[tuple[str, str]]:
    for name, kind, required in record.fields if record else ():
        if required is wanted:
            yield name, expressions.check(kind)


def article(name: str) -> str:
    return "an" if name[0] in "AEIOU" else "a"


def _stem(cls: SavedClass) -> str:
    stem = cls.mixin.removesuffix("SaveLoad")
    # A name that begins with two underscores would be mangled in the mixin.
    return f"_{stem.lstrip('_')}" if stem.startswith("__") else stem


def fields_enum(cls: SavedClass) -> str:
    """Return what the enumeration of a class's fields is called."""
    return f"{_stem(cls)}Fields"

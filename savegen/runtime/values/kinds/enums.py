"""Members of enumerations, and combinations of members of flags."""

from __future__ import annotations

from typing import Any

from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.libraries import standard_types as standard
from savegen.runtime.values.kinds.kind import (
    Column,
    StoredKind,
    NameOf,
    Packing,
    Rules,
    Typed,
    check_distinct,
    enter,
    last_part,
)
from savegen.runtime.values.rows import Misfit
from savegen.runtime.values.stored import StoredType
from savegen.runtime.values.values import ValueEntry

_TEXT = frozenset([str])


class Enumeration(StoredKind):
    """A member of an enumeration, by its name."""

    may_be_shared = False

    def filler(self, stored: StoredType) -> Any:
        return stored.names[0] if stored.names else ""

    def wrong(self, stored: StoredType, column: Column, rules: Rules) -> list[int]:
        return check_distinct(lambda name: _fits(stored, name), _TEXT, column)

    def has_shape(self, stored: StoredType, cell: Any) -> bool:
        return type(cell) is str and _fits(stored, cell)

    def pack(self, stored: StoredType, value: Any, packing: Packing) -> Any:
        if type(value) is not packing.values[stored.label].load():
            raise Misfit(value)
        return standard.pack_flag(value) if stored.name == "flag" else value._name_

    def of_entry(self, entry: ValueEntry, value: Any, packing: Packing) -> Typed:
        return entry.type, self.pack(entry.type, value, packing)

    def unpack(self, stored: StoredType, cell: Any, references: Any) -> Any:
        entry = references._values[stored.label]
        cls = entry.load()
        if entry.type.name != stored.name:
            raise SaveError(
                f"the save has {with_article(stored.name)} `{stored.label}`, which is no"
                " longer one"
            )
        if stored.name == "flag":
            return standard.unpack_flag(cls, cell)
        if cell not in cls.__members__:
            raise SaveError(
                f"the save contains `{cls.__qualname__}.{cell}`, which does not exist"
            )
        return cls.__members__[cell]

    def text(self, stored: StoredType, cell: Any, name_of: NameOf) -> str:
        return f"{last_part(stored.label)}.{cell}"


def _fits(stored: StoredType, text: str) -> bool:
    if stored.name == "enum":
        return text in stored.names
    return all(
        part in stored.names or part.lstrip("-")[:1].isdigit()
        for part in text.split("|")
    )


enter(Enumeration(), "enum")
flags = Enumeration()
flags.may_be_shared = True
enter(flags, "flag")

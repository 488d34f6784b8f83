"""Write the types of cells, as annotations in generated rows."""

from __future__ import annotations

import keyword
from collections.abc import Iterable

from savegen.build import kinds
from savegen.build.emit._names import Names
from savegen.build.emit._records import Records
from savegen.build.model import Kind

_MAX_INLINE = 32  # characters; a longer type gets an alias


class CellTypes:
    """Writes the annotations of one module, and collects the aliases and rows that they use."""

    def __init__(self, names: Names, records: Records) -> None:
        self._names = names
        self._records = records
        self._types: dict[str, str] = {}  # type of the cells of each plain class
        self.aliases: list[tuple[str, str]] = []  # name and type, dependencies first
        # The rows of recursive classes: name, class, and the name and type of each cell.
        self.rows: list[tuple[str, str, list[tuple[str, str]]]] = []

    def annotation(self, kind: Kind) -> str:
        """Return the type of the cells of a kind as `cell` does, with the module's local names."""
        return self._names.with_local_names(self.cell(kind))

    def cell(self, kind: Kind) -> str:
        text: str = kinds.module_of(kind).cell(kind, self)
        return text

    def record(self, name: str) -> str:
        if name not in self._types:
            self._types[name] = self._new_type(name)
        return self._types[name]

    def _new_type(self, name: str) -> str:
        record, alias = self._records[name], self._records.cell_type_name(name)
        if self._records.is_recursive(record):
            self._types[name] = alias
            cells = cell_names(field for field, _, _ in record.fields)
            types = [self.annotation(kind) for _, kind, _ in record.fields]
            fields = [*zip(cells, types, strict=True)]
            self.rows.append((alias, record.qualname, fields))
            return alias
        parts = [self._part(kind, required) for _, kind, required in record.fields]
        text = f"tuple[{', '.join(parts) or '()'}]"
        if len(text) <= _MAX_INLINE:
            return text
        self.aliases.append((alias, self._names.with_local_names(text)))
        return alias

    def _part(self, kind: Kind, required: bool) -> str:
        cell = self.cell(kind)
        # A key that may be absent is wrapped in an array.
        return cell if required else f"tuple[{cell}, ...]"


def cell_names(fields: Iterable[str]) -> list[str]:
    """Return a unique public name for the cell of each field.

    >>> cell_names(["hp", "__luck", "_hp", "_class", "_1"])
    ['hp', 'luck', 'hp_', 'class_', 'n1']
    """
    names: list[str] = []
    for field in fields:
        name = field.strip("_") or "field"
        if not name.isidentifier():
            name = f"n{name}"
        while keyword.iskeyword(name) or name in names:
            name += "_"
        names.append(name)
    return names

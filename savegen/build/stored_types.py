"""Stored types of fields, as the registry has them: see `savegen.runtime.stored`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from savegen.build import kinds
from savegen.build.model import Field, Kind, Model, Record

_ANY_CLASS = 0
_GAME_OBJECT = -1


class StoredTypes:
    """Writes the stored types of one project as text."""

    def __init__(
        self,
        records: Mapping[str, Record],
        enums: Mapping[str, Iterable[str]],
        lines: Iterable[tuple[int, Iterable[str]]],
    ) -> None:
        """`lines` has the number of each class, and the names of the class and its bases."""
        self._records = records
        self._enums = enums
        self._heirs: dict[str, set[int]] = {}  # numbers, by class or base
        for number, names in lines:
            for name in names:
                self._heirs.setdefault(name, set()).add(number)
        self._open: list[str] = []  # names of the plain classes that are being written
        self._texts: dict[Kind, str] = {}

    @classmethod
    def of_model(cls, model: Model) -> StoredTypes:
        modules = model.modules.values()
        return cls(
            {record.name: record for module in modules for record in module.records},
            {name: members for module in modules for name, members in module.enums},
            ((each.number, (each.name, *each.ancestors)) for each in model.classes),
        )

    def of(self, field: Field) -> str:
        """Return the stored type of a field; "any" if its class has its own `save_data`."""
        return "any" if field.override else self.stored(field.kind)

    def stored(self, kind: Kind) -> str:
        if self._open:  # the type may contain itself
            return self._written(kind)
        if kind not in self._texts:
            self._texts[kind] = self._written(kind)
        return self._texts[kind]

    def _written(self, kind: Kind) -> str:
        text: str = kinds.module_of(kind).stored(kind, self)
        return text

    def numbers(self, names: Iterable[str]) -> str:
        found: set[int] = set()
        for name in names:
            if name == kinds.GAME_OBJECT:
                found.add(_GAME_OBJECT)
            else:
                found |= self._heirs.get(name, {_ANY_CLASS})
        return "0" if _ANY_CLASS in found else " ".join(map(str, sorted(found)))

    def record(self, kind: Kind) -> str:
        name = kinds.dotted_name(kind.name)
        if kind.name in self._open:
            return f"rec {name}"
        record = self._records[kind.name]
        self._open.append(kind.name)
        fields = [
            f"{number} {field}{'' if required else '?'}: {self.stored(part)}"
            for number, (field, part, required) in zip(
                record.numbers, record.fields, strict=True
            )
        ]
        self._open.pop()
        return f"{kind.kind} {name}{{{', '.join(fields)}}}"

    def members(self, name: str) -> str:
        return " ".join(self._enums.get(name, ()))

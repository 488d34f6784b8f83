"""Write the stored types of fields as text, which `savegen.runtime.values.stored` reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from savegen.build import kinds
from savegen.build.model import (
    Field,
    Kind,
    Model,
    PlainRecord,
    all_enums,
    all_records,
)

_ANY_CLASS = 0
_GAME_OBJECT = -1


class StoredTypes:
    """Writes the stored types of one project as text."""

    def __init__(
        self,
        records: Mapping[str, PlainRecord],
        enums: Mapping[str, Iterable[str]],
        ancestries: Iterable[tuple[int, Iterable[str]]],
    ) -> None:
        """`ancestries` has the number of each class, and the names of the class and its bases."""
        self._records = records
        self._enums = enums
        # The numbers of a class and of its subclasses, by name.
        self._numbers: dict[str, set[int]] = {}
        for number, names in ancestries:
            for name in names:
                self._numbers.setdefault(name, set()).add(number)
        self._enclosing: list[str] = []  # plain classes that are being written
        self._texts: dict[Kind, str] = {}

    @classmethod
    def of_model(cls, model: Model) -> StoredTypes:
        return cls(
            all_records(model),
            all_enums(model),
            ((c.number, (c.name, *c.ancestors)) for c in model.classes),
        )

    def of(self, field: Field) -> str:
        """Return the stored type of a field; "any" if its class has its own `save_data`."""
        return "any" if field.override else self.stored(field.kind)

    def stored(self, kind: Kind) -> str:
        """Return the stored type of a kind."""
        if self._enclosing:  # the text depends on the enclosing classes
            return self._text(kind)
        if kind not in self._texts:
            self._texts[kind] = self._text(kind)
        return self._texts[kind]

    def _text(self, kind: Kind) -> str:
        if kind.kind == "refused":
            return "any"  # in a plain class that only the game's own code saves
        text: str = kinds.module_of(kind).stored(kind, self)
        return text

    def numbers(self, names: Iterable[str]) -> str:
        """Return the numbers of the classes `names` and their subclasses; "0" for any class."""
        numbers: set[int] = set()
        for name in names:
            if name == kinds.GAME_OBJECT:
                numbers.add(_GAME_OBJECT)
            else:
                numbers |= self._numbers.get(name, {_ANY_CLASS})
        return "0" if _ANY_CLASS in numbers else " ".join(map(str, sorted(numbers)))

    def record(self, kind: Kind) -> str:
        name = kinds.dotted_name(kind.name)
        if kind.name in self._enclosing:
            return f"rec {name}"
        record = self._records[kind.name]
        self._enclosing.append(kind.name)
        fields = [
            f"{number} {field}{'' if required else '?'}: {self.stored(part)}"
            for number, (field, part, required) in zip(
                record.numbers, record.fields, strict=True
            )
        ]
        self._enclosing.pop()
        return f"{kind.kind} {name}{{{', '.join(fields)}}}"

    def members(self, name: str) -> str:
        return " ".join(self._enums.get(name, ()))

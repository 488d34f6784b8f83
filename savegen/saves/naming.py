"""Name the objects of a save: by key, or by the path that leads to them."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from typing import Any

from savegen.runtime.saves.document import GAME_OBJECTS, RECORDS, Document, Table
from savegen.saves.plain import Reference, plain_rows, references

_COMPONENTS = "components"
# Characters of a way: that to the end of a list of objects is a million steps.
_MOST = 120


class Names:
    """A name for each object of a save, the same in every save in which it is the same object.

    What was added is called by its key, a component by its object's and its own number, and
    what is only referred to by the way that leads there: `Camp #0.1.chests[2]`. Of a long way
    there is a digest, and what has been gone since.
    """

    def __init__(self, document: Document) -> None:
        self.tables = document.classes
        self.rows = [
            row
            for table in self.tables
            for row in plain_rows(document, table, typed=True)
        ]
        self._found: dict[int, str] = {}
        self._waiting: deque[int] = deque()
        for row in plain_rows(document, document.table(RECORDS), typed=True):
            self._call(_number(row["object"]), f"#{row['index']}.{row['generation']}")
        self._name_components()
        self._name_others()

    def of(self, number: int) -> str:
        """Return the name of an object, its class before it."""
        return f"{self.class_of(number).name} {self._found.get(number, f'({number})')}"

    def class_of(self, number: int) -> Table:
        for table in self.tables:
            if number < table.count:
                return table
            number -= table.count
        raise IndexError(number)

    def numbers(self) -> Iterator[int]:
        return iter(range(len(self.rows)))

    def _call(self, number: int | None, name: str) -> None:
        if number is not None and number not in self._found:
            self._found[number] = name
            self._waiting.append(number)

    def _name_components(self) -> None:
        first = 0
        for table in self.tables:
            if table.number == GAME_OBJECTS:
                for number in range(first, first + table.count):
                    self._name_parts_of(number)
            first += table.count

    def _name_parts_of(self, number: int) -> None:
        owner = self._found.get(number, f"({number})")
        for place, reference in self.rows[number].get(_COMPONENTS, ()):
            self._call(_number(reference), f"{owner}/{place}")

    def _name_others(self) -> None:
        while self._waiting:
            number = self._waiting.popleft()
            way = self._found[number]
            # A class stands at its head.
            way = self.of(number) if way[0] in "#(" else way
            for field, value in self.rows[number].items():
                for path, reference in references(value, f".{field}"):
                    if reference not in self._found:
                        self._call(reference, _shortened(way + path))


def _number(reference: Any) -> int | None:
    return reference["$ref"] if isinstance(reference, Reference) else None


def _shortened(way: str) -> str:
    if len(way) <= _MOST:
        return way
    data = way.encode("utf-8", "surrogatepass")
    return f"…{hashlib.blake2b(data, digest_size=6).hexdigest()}"

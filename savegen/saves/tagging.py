"""Tag cells: write what does not fit its stored type so that it says itself what it is."""

from __future__ import annotations

from itertools import chain
from typing import Any, is_typeddict

import msgspec

from savegen.runtime.arrays import in_full
from savegen.runtime.cells import fields_in, parts_in
from savegen.runtime.components import NO_REFERENCES
from savegen.runtime.errors import SaveError, told
from savegen.runtime.stored import NATIVE, RECORDS, Stored
from savegen.runtime.tagged import (
    ABSENT,
    BROKEN,
    FACTORIES,
    Lost,
    Tag,
    Tagged,
    tag_as_native,
    tag_of,
    tagged_text,
)
from savegen.runtime.values import Values
from savegen.saves.body import encode
from savegen.saves.limits import DEPTH


class CellTagger:
    """Tags cells whose stored type is known, although they do not fit it.

    >>> from savegen.runtime.stored import parse
    >>> from savegen.runtime.values import NO_VALUES
    >>> tagger = CellTagger(NO_VALUES)
    >>> tagger.tag(parse("(float, list<ref<7>>)"), (1, [4, 0]))
    (4, (1, (3, ((25, 4), None))))
    """

    def __init__(self, values: Values) -> None:
        self._values = values
        self._depth = 0  # of calls

    def tag(self, stored: Stored, cell: Any) -> Tagged:
        """Return a cell, tagged. Raises `Lost` if no kind holds it."""
        try:
            tagged = self._tag(stored, cell)
            if _levels(tagged) > _MOST_LEVELS:
                raise RecursionError
            encode(tagged)
            return tagged
        except (*BROKEN, msgspec.MsgspecError) as error:
            raise Lost(f"it was not packed as its type says: {told(error)}") from None
        except RecursionError:
            raise Lost("it holds itself or is nested too deep") from None

    def _tag(self, stored: Stored, cell: Any) -> Tagged:
        if self._depth > _MOST_CALLS:
            raise RecursionError
        self._depth += 1
        try:
            return self._tagged(stored, cell)
        finally:
            self._depth -= 1

    def _tagged(self, stored: Stored, cell: Any) -> Tagged:
        name = stored.name
        if name == "any":
            return cell
        if cell is None and name != "codec":
            return None
        if name in NATIVE or name == "literal" or stored.is_native_union:
            return tag_as_native(cell, NO_REFERENCES, self._values)
        if name in RECORDS:
            return self._record(stored, cell)
        if name == "ref":
            return (int(Tag.KEY), cell) if cell else None
        if stored.parts and name != "weak":
            found = [self._tag(*part) for part in parts_in(stored, cell)]
            return _with_parts(stored, cell, found)
        if name == "path" and cell.partition(":")[0] not in _FLAVOURS:
            cell = f"path:{cell}"
        if name == "ndarray":
            cell = in_full(cell, stored.label)
        if name in ("enum", "flag"):
            cell = stored.label, cell
        return int(tag_of(name)), tagged_text(cell) if type(cell) is str else cell

    def _record(self, stored: Stored, cell: Any) -> Tagged:
        found = {f.number: self._tag(f.type, c) for f, c in fields_in(stored, cell)}
        rows = zip(stored.numbers, stored.names)
        if self._is_typed_dict(stored.label):
            entries = (
                (name, found[number]) for number, name in rows if number in found
            )
            return int(Tag.DICT), (*chain.from_iterable(entries),)
        parts = ((number, name, found.get(number, ABSENT)) for number, name in rows)
        return int(Tag.RECORD), (stored.label, *chain.from_iterable(parts))

    def _is_typed_dict(self, name: str) -> bool:
        try:
            return is_typeddict(self._values[name].load())
        except SaveError:
            return False


def _with_parts(stored: Stored, cell: Any, found: list[Tagged]) -> Tagged:
    """Return a tagged value of a cell with parts that are tagged."""
    name = stored.name
    if name in ("optional", "union"):
        return found[0] if found else None
    if name == "codec":
        return int(Tag.FOREIGN), (stored.label, found[0])
    if name == "deque":
        found.insert(0, cell[0])
    if name == "defaultdict":
        # The cell does not say what the mapping makes of a new key: what its type suggests.
        value = stored.parts[1].name
        factory = "tuple" if value == "fixed" else value
        found.insert(0, factory if factory in FACTORIES else None)
    if name in ("set", "frozenset"):
        found.sort(key=encode)
    return int(tag_of(name)), (*found,)


_MOST_LEVELS = 2 * DEPTH  # of arrays: two for each value within a value
_MOST_CALLS = 4 * DEPTH
_FLAVOURS = ("posix", "windows", "path")


def _levels(tagged: Tagged) -> int:
    """Return how many arrays stand within each other."""
    if type(tagged) is not tuple and type(tagged) is not list:
        return 0
    return 1 + max(map(_levels, tagged), default=0)

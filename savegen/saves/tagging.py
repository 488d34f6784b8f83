"""Tag cells: write what does not fit its stored type so that it says itself what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, is_typeddict

import msgspec
from msgspec.structs import astuple

from savegen.runtime.arrays import in_full
from savegen.runtime.components import NO_REFERENCES
from savegen.runtime.errors import SaveError, told
from savegen.runtime.rows import Row
from savegen.runtime.stored import MAPPINGS, NATIVE, RECORDS, Stored
from savegen.runtime.tagged import (
    ABSENT,
    BROKEN,
    FACTORIES,
    Lost,
    Tag,
    Tagged,
    tag,
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
            tagged = self._tag(stored, cell, {})
            if _levels(tagged) > _MOST_LEVELS:
                raise RecursionError
            encode(tagged)
            return tagged
        except (*BROKEN, msgspec.MsgspecError) as error:
            raise Lost(f"it was not packed as its type says: {told(error)}") from None
        except RecursionError:
            raise Lost("it holds itself or is nested too deep") from None

    def _plain(self, cell: Any) -> Tagged:
        try:
            return tag(cell, NO_REFERENCES, self._values)
        except Lost:
            bases: tuple[Any, ...] = (int, float, str, bytes)
            for base in bases:
                if isinstance(cell, base):  # a member of an unknown enumeration, say
                    return tag(base(cell), NO_REFERENCES, self._values)
            raise

    def _tag(self, stored: Stored, cell: Any, around: dict[str, Stored]) -> Tagged:
        if self._depth > _MOST_CALLS:
            raise RecursionError
        self._depth += 1
        try:
            return self._tagged(stored, cell, around)
        finally:
            self._depth -= 1

    def _tagged(self, stored: Stored, cell: Any, around: dict[str, Stored]) -> Tagged:
        name, parts = stored.name, stored.parts
        if cell is None and name != "codec":
            return None
        if name in NATIVE or name == "literal" or stored.is_native_union:
            return self._plain(cell)
        if name in ("optional", "any", "ref", "union", "rec", "codec"):
            return _SPECIAL[name](self, stored, cell, around)
        if name in RECORDS:
            return self._record(stored, cell, {**around, stored.label: stored})
        if name == "fixed":
            members = zip(parts, cell, strict=True)
            return int(Tag.TUPLE), (*(self._tag(*each, around) for each in members),)
        if name == "deque":
            maxlen, members = cell
            return int(Tag.DEQUE), (maxlen, *self._each(parts[0], members, around))
        if name in MAPPINGS:
            return self._dict(stored, cell, around)
        if name == "path" and cell.partition(":")[0] not in _FLAVOURS:
            cell = f"path:{cell}"
        if name == "ndarray":
            cell = in_full(cell, stored.label)
        number = int(tag_of(name))
        if name in ("set", "frozenset"):
            found = self._each(parts[0], cell, around)
            return number, (*sorted(found, key=encode),)
        if parts and name != "weak":
            return number, (*self._each(parts[0], cell, around),)
        if name in ("enum", "flag"):
            return number, (stored.label, cell)
        return number, tagged_text(cell) if type(cell) is str else cell

    def _each(
        self, part: Stored, cells: Iterable[Any], around: dict[str, Stored]
    ) -> Iterable[Tagged]:
        return (self._tag(part, cell, around) for cell in cells)

    def _dict(self, stored: Stored, cell: Any, around: dict[str, Stored]) -> Tagged:
        key, *rest = stored.parts
        value = rest[0] if rest else _INT
        pairs = cell.items() if isinstance(cell, dict) else cell
        found = [
            self._tag(part, each, around)
            for pair in pairs
            for part, each in zip((key, value), pair, strict=True)
        ]
        number = int(tag_of(stored.name))
        if number != Tag.DEFAULTDICT:
            return number, (*found,)
        # The cell does not say what the mapping makes of a new key: what its type suggests.
        factory = "tuple" if value.name == "fixed" else value.name
        return number, (factory if factory in FACTORIES else None, *found)

    def _record(self, stored: Stored, cell: Any, around: dict[str, Stored]) -> Tagged:
        cells = astuple(cell) if isinstance(cell, Row) else cell
        found: list[Any] = []
        for field, each in zip(stored.fields, cells, strict=True):
            if field.may_be_absent:
                tagged = self._tag(field.type, each[0], around) if each else ABSENT
            else:
                tagged = self._tag(field.type, each, around)
            found.append((field.number, field.name, tagged))
        if not self._is_typed_dict(stored.label):
            parts = (part for each in found for part in each)
            return int(Tag.RECORD), (stored.label, *parts)
        entries = (each[1:] for each in found if each[2] is not ABSENT)
        return int(Tag.DICT), (*(part for entry in entries for part in entry),)

    def _is_typed_dict(self, name: str) -> bool:
        try:
            return is_typeddict(self._values[name].load())
        except SaveError:
            return False

    def _union(self, stored: Stored, cell: Any, around: dict[str, Stored]) -> Tagged:
        number, *cells = cell
        return self._tag(stored.parts[number], cells[number], around)

    def _codec(self, stored: Stored, cell: Any, around: dict[str, Stored]) -> Tagged:
        inner = self._tag(stored.parts[0], cell, around)
        return int(Tag.FOREIGN), (stored.label, inner)


_INT = Stored("int")
_MOST_LEVELS = 2 * DEPTH  # of arrays: two for each value within a value
_MOST_CALLS = 4 * DEPTH
_FLAVOURS = ("posix", "windows", "path")
_SPECIAL: dict[str, Callable[[CellTagger, Stored, Any, dict[str, Stored]], Tagged]] = {
    "optional": lambda self, s, cell, around: self._tag(s.parts[0], cell, around),
    "any": lambda self, s, cell, around: cell,
    "ref": lambda self, s, cell, around: (int(Tag.KEY), cell) if cell else None,
    "union": CellTagger._union,
    "rec": lambda self, s, cell, around: self._tag(around[s.label], cell, around),
    "codec": CellTagger._codec,
}


def _levels(tagged: Tagged) -> int:
    """Return how many arrays stand within each other."""
    if type(tagged) is not tuple and type(tagged) is not list:
        return 0
    return 1 + max(map(_levels, tagged), default=0)

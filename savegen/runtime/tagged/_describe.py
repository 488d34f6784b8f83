"""Tagged data as Python would print the value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from savegen.runtime.errors import SaveCorruptError, SaveError, told
from savegen.runtime.rows import Key
from savegen.runtime.tagged._forms import BROKEN, DEPTH, KEYS, Tag, Tagged
from savegen.runtime.tagged._untag import READERS, Untagger
from savegen.runtime.values import NO_VALUES


def describe(tagged: Tagged, object_name: Callable[[Key], str] | None = None) -> str:
    """Return a tagged value as Python would print it.

    `object_name` names the object of a key. Raises `SaveCorruptError` for broken data.

    >>> describe((4, (0.5, (13, "1.50"), (25, 12), (31, ("mygame.Colour", "RED")))))
    "(0.5, Decimal('1.50'), <object 12>, Colour.RED)"
    """
    try:
        return _Describer(object_name or "object {}".format).text(tagged, DEPTH + 1)
    except SaveError:
        raise
    except BROKEN as error:
        raise SaveCorruptError(f"invalid tagged value in save: {told(error)}") from None


_LONG = 4096  # bits; Python may refuse to print the decimal digits of a longer int


class _Describer:
    def __init__(self, object_name: Callable[[Key], str]) -> None:
        self._object_name = object_name

    def text(self, tagged: Tagged, depth: int) -> str:
        if type(tagged) not in (tuple, list):
            return repr(tagged)
        if not depth:
            raise SaveCorruptError(
                f"a value in the save is nested more than {DEPTH} deep"
            )
        number, payload = tagged
        if number in _BRACKETS:
            before, after = _BRACKETS[number]
            if not payload and number in (Tag.SET, Tag.FROZENSET):
                return f"{Tag(number).name.lower()}()"
            parts = self._each(payload, depth - 1)
            comma = "," * (number == Tag.TUPLE and len(parts) == 1)
            return f"{before}{', '.join(parts)}{comma}{after}"
        if number in _DICTS:
            return _DICTS[number].format(self._entries(payload, depth - 1))
        return self._other(Tag(number), payload, depth - 1)

    def _each(self, members: Any, depth: int) -> list[str]:
        return [self.text(each, depth) for each in members]

    def _entries(self, parts: Any, depth: int) -> str:
        found = iter(self._each(parts, depth))
        pairs = zip(found, found, strict=True)
        return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"

    def _other(self, number: Tag, payload: Any, depth: int) -> str:
        if number in _NAMED:
            return _NAMED[number].format(payload)
        if number in KEYS:
            return self._reference(number, payload)
        match number:
            case Tag.INT:
                found = int.from_bytes(payload, "big", signed=True)
                return repr(found) if found.bit_length() <= _LONG else hex(found)
            case Tag.DEQUE:
                maxlen, *members = payload
                limit = "" if maxlen is None else f", maxlen={maxlen}"
                return f"deque([{', '.join(self._each(members, depth))}]{limit})"
            case Tag.DEFAULTDICT:
                factory, *parts = payload
                entries = self._entries(parts, depth)
                return f"defaultdict({factory}, {entries})"
            case Tag.ASSET:
                return f"<asset {self.text(payload, 1)}>"
            case Tag.ENUM | Tag.FLAG:
                name, member = payload
                return f"{_simple(name)}.{member}"
            case Tag.RECORD:
                return self._record(payload, depth)
            case Tag.FOREIGN:
                name, packed = payload
                return f"{_simple(name)}({self.text(packed, depth)})"
        return _shown(number, payload)

    def _reference(self, number: Tag, key: Key) -> str:
        named = f"<{self._object_name(key)}>" if key else "None"
        return named if number == Tag.KEY else f"weakref({named})"

    def _record(self, payload: Any, depth: int) -> str:
        name, *parts = payload
        found = iter(parts)
        fields = zip(found, found, found, strict=True)
        shown = [f"{name}={self.text(part, depth)}" for _, name, part in fields]
        return f"{_simple(name)}({', '.join(shown)})"


def _simple(name: str) -> str:
    return name.rpartition(".")[2]


def _shown(number: Tag, payload: Any) -> str:
    """Return what Python shows of a value without tagged parts."""
    try:
        return repr(READERS[number](Untagger(None, NO_VALUES), payload, 1))
    except (SaveError, ValueError):  # no numpy, an unknown time zone, a million digits
        return f"<{number.name.lower()} {payload!r}>"


_BRACKETS: dict[int, tuple[str, str]] = {
    Tag.LIST: ("[", "]"),
    Tag.TUPLE: ("(", ")"),
    Tag.SET: ("{", "}"),
    Tag.FROZENSET: ("frozenset({", "})"),
}
_DICTS: dict[int, str] = {
    Tag.DICT: "{}",
    Tag.ORDEREDDICT: "OrderedDict({})",
    Tag.COUNTER: "Counter({})",
}
_NAMED: dict[int, str] = {
    Tag.ABSENT: "<not set>",
    Tag.CLASS: "<class {}>",
    Tag.PREFAB: "<prefab {}>",
    Tag.GENERATOR: "<generator {}>",
}

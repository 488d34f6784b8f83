"""Show the content of a save without the code of the game.

Objects have names that are the same in all saves of a game, and values are texts as in Python.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from math import isfinite
from typing import Any

from msgspec import msgpack

from savegen.runtime.errors import SaveError
from savegen.runtime.values.keys import in_key_order, key_text
from savegen.runtime.values.rows import Key
from savegen.runtime.values.stored import parse
from savegen.runtime.values.tagged import (
    PARTS_FROM,
    CannotTag,
    Tag,
    Tagged,
    describe,
    with_parts,
)
from savegen.runtime.values.values import NO_VALUES
from savegen.saves.body import Body, encode
from savegen.saves.limits import Guard
from savegen.saves.older.saved_objects import Cell, SavedObjects, by_class
from savegen.saves.tagged_cells import CellTagger

FieldValues = dict[int, Tagged]  # of an object, by field number

UNSET = (int(Tag.ABSENT), None)  # a field without a value
_SEQUENCES = (Tag.LIST, Tag.TUPLE, Tag.SET, Tag.FROZENSET)
_MAPPINGS = (Tag.DICT, Tag.ORDEREDDICT, Tag.COUNTER)
_REFERENCES = (Tag.KEY, Tag.WEAK)
# The longest path, in characters; the path along a linked list can have a million steps.
_MAX_PATH = 120


class View:
    """The objects of a save, with their names and values.

    The name of an added object contains its number. The name of a reached object is the path of
    references to it, such as `Camp #1.chests[2]`, or a digest of a long path.
    """

    def __init__(self, body: Body, guard: Guard) -> None:
        self.body = body
        self.values: dict[Key, FieldValues] = {}
        self.recordings: dict[Key, Any] = {}
        self.fields: dict[int, dict[int, str]] = (
            {}
        )  # class number → field number → name
        self.classes: dict[Key, int] = {}
        self._class_names: dict[int, str] = {}
        self._paths: dict[Key, str] = {}
        for saved in by_class(body).values():
            self._add(saved.read(guard))
        self._name_all()

    def _add(self, saved: SavedObjects) -> None:
        tagger = CellTagger(NO_VALUES)
        fields = [field for table in saved.tables for field in table.fields]
        self.fields[saved.number] = {n: name for n, name, _ in fields if n > 0}
        self._class_names[saved.number] = simple_name(saved.name)
        unset = {n: UNSET for n, _, _ in saved.tables[0].fields if n > 0}
        for key, cells in saved.rows.items():
            self.classes[key] = saved.number
            values: FieldValues = {
                n: _tagged(tagger, cell) for n, cell in cells.items()
            }
            shown = {n: self._with_states(each) for n, each in values.items()}
            self.values[key] = unset | shown
        self.recordings |= saved.recordings

    def _with_states(self, value: Tagged) -> Tagged:
        """Return a tagged value in which generators are shown by key and a digest of the state."""
        is_generator = isinstance(value, (tuple, list)) and value[0] == Tag.GENERATOR
        if is_generator and value[1] in self.body.generators:
            return value[0], f"{value[1]}, state {self.state_of(value[1])}"
        return with_parts(value, self._with_states)

    def state_of(self, generator: int) -> str:
        """Return a digest of the state of a generator."""
        return _digest(encode(self.body.generators[generator]))

    def named(self, key: Key) -> dict[str, Tagged]:
        """Return the values of an object by the names of their fields."""
        names = self.fields[self.classes[key]]
        return {names[number]: value for number, value in self.values[key].items()}

    # -- names

    def _name_all(self) -> None:
        waiting = deque(in_key_order(key for key in self.values if key > 0))
        for key in waiting:
            self._paths[key] = key_text(key)
        while waiting:
            key = waiting.popleft()
            start = self.name(key) if self._paths[key][0] == "#" else self._paths[key]
            for field, value in self.named(key).items():
                for path, target in references(value, f".{field}"):
                    if target in self.values and target not in self._paths:
                        self._paths[target] = _shortened(start + path)
                        waiting.append(target)

    def name(self, key: Key) -> str:
        """Return the class and the name of the object with a key. A str is returned unchanged."""
        if isinstance(key, str):
            return key
        path = self._paths.get(key, f"({key})")
        return f"{self.class_name(key)} {path}"

    def class_name(self, key: Key) -> str:
        """Return the name of an object's class, without its module."""
        number = self.classes.get(key)
        return "?" if number is None else self._class_names[number]

    def shown(self, value: Tagged, longest: int = 48) -> str:
        """Return a value on one line; a long one is cut."""
        text = self.text(value)
        return text if len(text) <= longest else f"{text[: longest - 1]}…"

    def text(self, value: Tagged) -> str:
        """Return a value as Python would print it."""
        if value == UNSET:
            return "–"
        try:
            return describe(value, self.name)
        except SaveError:
            return repr(value)

    def plain(self, value: Tagged) -> Any:
        """Return a value as JSON data; as text if JSON cannot represent it."""
        if not isinstance(value, (tuple, list)):
            is_json = (
                isfinite(value) if type(value) is float else type(value) is not bytes
            )
            return value if is_json else self.text(value)
        number, payload = value
        if number in _SEQUENCES:
            return [*map(self.plain, payload)]
        if number in _MAPPINGS and all(type(key) is str for key in payload[::2]):
            return dict(zip(payload[::2], map(self.plain, payload[1::2])))
        if number == Tag.RECORD:
            return {name: self.plain(each) for name, each in fields_of(value)}
        if number in _REFERENCES:
            return self.name(payload) if payload else None
        if number in (Tag.ENUM, Tag.FLAG):
            return payload[1]
        return None if number == Tag.ABSENT else self.text(value)


def _tagged(tagger: CellTagger, cell: Cell) -> Tagged:
    if cell.is_mismatch:
        return cell.content
    value = msgpack.decode(cell.content)
    try:
        return tagger.tag(parse(cell.field.stored), value)
    except CannotTag:  # the value does not have its type, so the save is damaged
        return repr(value)


def _shortened(path: str) -> str:
    if len(path) <= _MAX_PATH:
        return path
    return f"…{_digest(path.encode('utf-8', 'surrogatepass'))}"


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=6).hexdigest()


# -- parts of tagged values


def fields_of(record: Tagged) -> list[tuple[str, Tagged]]:
    parts = record[1][1:]
    return [*zip(parts[1::3], parts[2::3])]


def parts_of(value: Tagged) -> list[tuple[str, Tagged]] | None:
    """Return the parts of a tagged value, each with its path; `None` if it has no parts.

    >>> parts_of((3, ("a", "b"))), parts_of(7)
    ([('[0]', 'a'), ('[1]', 'b')], None)
    """
    if not isinstance(value, (tuple, list)):
        return None
    number, payload = value
    if number == Tag.RECORD:
        return [(f".{name}", each) for name, each in fields_of(value)]
    if number == Tag.FOREIGN:
        return parts_of(payload[1])
    if number not in PARTS_FROM:
        return None
    parts = payload[PARTS_FROM[number] :]
    if number in _MAPPINGS or number == Tag.DEFAULTDICT:
        return [(_path_of_key(k), each) for k, each in zip(parts[::2], parts[1::2])]
    return [(f"[{n}]", each) for n, each in enumerate(parts)]


def _path_of_key(key: Tagged) -> str:
    if type(key) is str:
        return f".{key}"
    try:
        return f"[{describe(key)}]"
    except SaveError:
        return "[?]"


def references(value: Tagged, path: str) -> Iterator[tuple[str, Key]]:
    """Yield the keys in a tagged value, each with its path: `.chests[2]`."""
    if isinstance(value, (tuple, list)) and value[0] in _REFERENCES:
        if value[1]:
            yield path, value[1]
        return
    for step, part in parts_of(value) or ():
        yield from references(part, f"{path}{step}")


# -- texts


def simple_name(name: str) -> str:
    """Return the name of a class without its module."""
    return name.rpartition(".")[2]

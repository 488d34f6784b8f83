"""Show the content of a save without the code of the game.

Objects have names that are the same in all saves of a game, and values are texts as in Python.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from math import isfinite
from typing import Any

from savegen.runtime.errors import SaveError
from savegen.runtime.values.folds import (
    NOT_SET,
    Rules,
    Typed,
    fits,
    has_keys,
    has_only_keys,
    parts_in,
    renumbered,
    text,
)
from savegen.runtime.values.basics.keys import in_key_order, key_text
from savegen.runtime.values.kinds.kind import KINDS
from savegen.runtime.values.rows import Key
from savegen.runtime.values.stored import StoredType
from savegen.saves.body import Body
from savegen.saves.encoding import encode
from savegen.saves.limits import Guard
from savegen.saves.older.saved_objects import SavedObjects, by_class

FieldValues = dict[int, Typed]  # of an object, by field number

_REFERENCES = ("ref", "weak")
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
        states = body.states.items()
        self.states = {name: self._with_states(each) for name, each in states}
        # By the number of the class, and by that of the field.
        self.fields: dict[int, dict[int, str]] = {}
        self.classes: dict[Key, int] = {}
        self._class_names: dict[int, str] = {}
        self._paths: dict[Key, str] = {}
        for saved in by_class(body).values():
            self._add(saved.read(guard))
        self._name_all()

    def _add(self, saved: SavedObjects) -> None:
        fields = [field for table in saved.tables for field in table.fields]
        self.fields[saved.number] = {n: name for n, name, _ in fields if n > 0}
        self._class_names[saved.number] = simple_name(saved.name)
        unset = {n: NOT_SET for n, _, _ in saved.tables[0].fields if n > 0}
        for key, cells in saved.rows.items():
            self.classes[key] = saved.number
            shown = {n: self._with_states(cell.typed) for n, cell in cells.items()}
            self.values[key] = unset | shown
        self.recordings |= saved.recordings

    def _with_states(self, value: Typed) -> Typed:
        """Return a value in which generators are shown by key and a digest of the state."""
        stored, cell = value
        if not fits(stored, cell, Rules(dangling=True)):  # the save is damaged
            return StoredType("str"), repr(cell)
        if has_only_keys(stored):
            return value

        def shown(generator: int) -> Any:
            if generator not in self.body.generators:
                return generator
            return f"{generator}, state {self.state_of(generator)}"

        return stored, renumbered(stored, cell, lambda key: key, shown)

    def state_of(self, generator: int) -> str:
        """Return a digest of the state of a generator."""
        return _digest(encode(self.body.generators[generator]))

    def named(self, key: Key) -> dict[str, Typed]:
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

    def shown(self, value: Typed, longest: int = 48) -> str:
        """Return a value on one line; a long one is cut."""
        shown = self.text(value)
        return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"

    def text(self, value: Typed) -> str:
        """Return a value as Python would print it."""
        if value == NOT_SET:
            return "–"
        try:
            return text(*value, self.name)
        except SaveError:  # a date that is none, for example
            return repr(value[1])

    def plain(self, value: Typed) -> Any:
        """Return a value as JSON data; as text if JSON cannot represent it."""
        stored, cell = value
        name, family = stored.name, stored.family
        parts = parts_in(stored, cell) if family else []
        if family == "choice":
            return self.plain(parts[0]) if parts else None
        if type(cell) is float:
            return cell if isfinite(cell) else self.text(value)
        if name in _NATIVE or stored.is_native_union:
            return cell if type(cell) is not bytes else self.text(value)
        if family == "record":
            steps = KINDS[name].steps(stored, cell)
            pairs = zip(steps, map(self.plain, parts))
            return {step.removeprefix("."): part for step, part in pairs}
        if family == "mapping" and stored.parts[0].name == "str":
            keys = (key for _, key in parts[::2])
            return dict(zip(keys, map(self.plain, parts[1::2])))
        if KINDS[name].is_flat:
            return [*map(self.plain, parts)]
        if name in _REFERENCES:
            return self.name(cell) if cell else None
        if name in ("enum", "flag"):
            return cell
        return None if value == NOT_SET else self.text(value)


_NATIVE = ("none", "bool", "int", "float", "str", "literal")


def _shortened(path: str) -> str:
    if len(path) <= _MAX_PATH:
        return path
    return f"…{_digest(path.encode('utf-8', 'surrogatepass'))}"


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=6).hexdigest()


# -- parts of values


def parts_of(value: Typed) -> list[tuple[str, Typed]] | None:
    """Return the parts of a value, each with its path; `None` if it has no parts.

    >>> from savegen.runtime.values.stored import parse
    >>> parts_of((parse("list<int>"), [7])), parts_of((parse("int"), 7))
    ([('[0]', (StoredType('int'), 7))], None)
    """
    stored, cell = value
    family = stored.family
    if not family:
        return None
    parts = parts_in(stored, cell)
    if family in _OF_ONE:
        return parts_of(parts[0]) if parts else None
    if family == "mapping":
        return [(_path_of_key(*k), each) for k, each in zip(parts[::2], parts[1::2])]
    if family == "record":
        return [*zip(KINDS[stored.name].steps(stored, cell), parts)]
    return [(f"[{n}]", each) for n, each in enumerate(parts)]


_OF_ONE = ("choice", "wrapper")  # their only part has the path of the whole


def _path_of_key(stored: StoredType, key: Any) -> str:
    if type(key) is str and stored.name == "str":
        return f".{key}"
    try:
        return f"[{text(stored, key)}]"
    except SaveError:
        return "[?]"


def references(value: Typed, path: str) -> Iterator[tuple[str, Key]]:
    """Yield the keys in a value, each with its path: `.chests[2]`."""
    stored, cell = value
    if stored.name in _REFERENCES:
        if cell:
            yield path, cell
        return
    if stored.family in _OF_ONE:
        for part in parts_in(stored, cell):
            yield from references(part, path)
        return
    for step, part in (parts_of(value) or ()) if has_keys(stored) else ():
        yield from references(part, f"{path}{step}")


# -- texts


def simple_name(name: str) -> str:
    """Return the name of a class without its module."""
    return name.rpartition(".")[2]

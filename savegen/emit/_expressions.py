"""Expressions that copy and check values, written by the templates of the kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from savegen.emit._environment import template
from savegen.emit._names import Names, loop_variable
from savegen.model import HASHED, Kind, Record, upper_snake, walk

# The ways of a copy, by what becomes of a reference in it.
SAVE = "save"  # into data: a key
LOAD = "load"  # out of data: the object of a key
TAKE = "take"  # into rows: the object itself; what hashes objects waits unhashed
LINK = "link"  # out of rows again
CHECK = "check"  # no copy at all: what the value must be

_ARGUMENT = {SAVE: "references", LOAD: "references"}
_HOLE = "\0"  # where the value goes

_Key: TypeAlias = tuple[Kind, str, int]  # kind, way, depth
_Need: TypeAlias = tuple[str, str, str]  # import, check or function; name; way or codec


class _Text(NamedTuple):
    """An expression, and what it takes from the module that it stands in."""

    text: str
    needs: dict[_Need, str]  # what the expression names → the name in its text


# As some module had them. References are all alike: no expression names their class.
_known: dict[_Key, _Text] = {}


class Expressions:
    """Writes expressions for one module, and remembers which records they need."""

    def __init__(
        self, names: Names, records: Mapping[str, Record], told_apart: Set[str]
    ) -> None:
        """`told_apart` are the records that share a union with others."""
        self._names = names
        self._records = records
        self.told_apart = told_apart
        self._texts: dict[_Key, _Text] = {}
        self._needs: dict[_Need, str] = {}  # of what is being written
        self._waiting: dict[Kind, bool] = {}
        self._types: dict[str, str] = {}  # class → the name of its check
        self.codecs: dict[str, str] = {}  # those of them that a codec knows → the codec
        # Record, way → copying function.
        self._functions: dict[tuple[str, str], str] = {}

    def copy(self, kind: Kind, value: str, way: str, depth: int = 0) -> str:
        """Return an expression for a copy of `value` that shares nothing mutable with it."""
        if kind.immutable:
            return value
        if not kind.references or (way == LINK and not self.waits(kind)):
            way = TAKE  # the ways differ only in what becomes of a reference
        return self._text((kind, way, depth)).replace(_HOLE, value)

    def apart(self, kind: Kind, value: str, way: str, depth: int = 0) -> str:
        """Return a copy as `copy` does, of a value that checkers know no better than its union."""
        macro = getattr(macros(kind.kind), "apart", None)
        if macro is None or kind.immutable:
            return self.copy(kind, value, way, depth)
        text: str = macro(self, kind, value, way, depth, self._noted)
        return text

    def check(self, kind: Kind) -> str:
        """Return an expression for the check that a value of the kind must pass."""
        return self._text((kind, CHECK, 0))

    def _text(self, key: _Key) -> str:
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = self._recalled(key) or self._written(key)
        self._needs.update(found.needs)
        return found.text

    def _recalled(self, key: _Key) -> _Text | None:
        found = _known.get(_nameless(key))
        if found is None:
            return None
        # Where a name had to be replaced, the text is another one.
        same = all(self._named(need) == name for need, name in found.needs.items())
        return found if same else None

    def _written(self, key: _Key) -> _Text:
        kind, way, depth = key
        outer, self._needs = self._needs, {}
        known = macros(kind.kind)
        if way == CHECK:
            text: str = known.check(self, kind, self._noted)
        else:
            text = known.copy(self, kind, _HOLE, way, depth, self._noted)
        found = _known[_nameless(key)] = _Text(text, self._needs)
        self._needs = outer
        return found

    @property
    def _noted(self) -> _Noted:
        # Kept, it would lead back here: a circle, which only the collector takes apart.
        return _Noted(self._names, self._note)

    def _named(self, need: _Need) -> str:
        """Return the name of what an expression needs, made here if it is not there yet."""
        what, name, way = need
        if what == "import":
            return self._names[name]
        if what == "check":
            return self.type_check(name, way)
        return self._function(name, way)

    def _note(self, need: _Need, name: str) -> str:
        self._needs[need] = name
        return name

    def test(self, kind: Kind, value: str, way: str) -> str:
        """Return an expression that tells a value of the kind from others in a union."""
        text: str = macros(kind.kind).test(self, kind, value, way, self._noted)
        return text

    def copies(self, kind: Kind, way: str) -> bool:
        """Tell whether a value of the kind is not its own copy."""
        return self.copy(kind, "it", way) != "it"

    variable = staticmethod(loop_variable)

    def type_check(self, name: str, codec: str = "") -> str:
        """Return the name of the check for a class, for one of the game's or by its codec."""
        if name not in self._types:
            simple = name.rpartition(":")[2] if ":" in name else name.rpartition(".")[2]
            snake = upper_snake(simple.replace(".", "_"))
            self._types[name] = self._names.own(f"_{snake}")
        if codec:
            self.codecs[name] = codec
        return self._note(("check", name, codec), self._types[name])

    def copying(self, kind: Kind, value: str, way: str) -> str:
        """Return a call of the function that copies a record."""
        function = self._function(kind.name, way)
        return f"{function}({', '.join(filter(None, (value, _ARGUMENT.get(way))))})"

    def _function(self, record: str, way: str) -> str:
        key = (record, way)
        if key not in self._functions:
            verb = "copy" if way == TAKE else way
            simple = upper_snake(record.rpartition(":")[2].replace(".", "_"))
            self._functions[key] = self._names.own(f"_{verb}_{simple.lower()}")
        return self._note(("function", record, way), self._functions[key])

    def hashes_objects(self, kind: Kind) -> bool:
        """Tell whether a container finds its members by the hash of an object."""
        return kind.name in HASHED and kind.parts[0].references

    def hashes(self, kind: Kind) -> bool:
        """Tell whether something in a value is found by the hash of an object."""
        return self.waits(kind) and any(map(self.hashes_objects, self._reached(kind)))

    def waits(self, kind: Kind) -> bool:
        """Tell whether a value looks otherwise in rows than in its field."""
        if kind not in self._waiting:
            self._waiting[kind] = kind.references and any(
                part.name == "weakref.ref"
                or part.kind == "generator"
                or self.hashes_objects(part)
                for part in self._reached(kind)
            )
        return self._waiting[kind]

    def _reached(self, kind: Kind) -> list[Kind]:
        """Return all kinds inside a kind, through records too."""
        found: list[Kind] = []
        seen: set[str] = set()
        waiting = [kind]
        while waiting:
            for part in walk(waiting.pop()):
                found.append(part)
                record = self._records.get(part.name)
                if record and part.name not in seen:
                    seen.add(part.name)
                    waiting += [inner for _, inner, _ in record.fields]
        return found

    def record(self, name: str) -> Record:
        return self._records[name]

    def find_record(self, name: str) -> Record | None:
        return self._records.get(name)

    @property
    def functions(self) -> dict[tuple[str, str], str]:
        """The copying functions that were called so far, by record and way."""
        return self._functions

    @property
    def types(self) -> dict[str, str]:
        """The checks for classes that were named so far."""
        return self._types


@cache
def macros(kind: str) -> Any:
    return template(f"kinds/{kind}.jinja").module


class _Noted:
    """The names of a module, for a template: each that it uses is noted."""

    def __init__(self, names: Names, note: Callable[[_Need, str], str]) -> None:
        self._names = names
        self._note = note

    def __getattr__(self, name: str) -> str:
        return self._note(("import", name, ""), self._names[name])

    def __getitem__(self, name: str) -> str:
        return self._note(("import", name, ""), self._names[name])


def _nameless(key: _Key) -> _Key:
    """Return a key without the classes that references lead to."""
    kind, way, depth = key
    return (_without_class(kind), way, depth) if kind.references else key


def _without_class(kind: Kind) -> Kind:
    is_class = kind.kind == "reference" and kind.name != "weakref.ref"
    parts = tuple(map(_without_class, kind.parts))
    return replace(kind, name="" if is_class else kind.name, parts=parts)

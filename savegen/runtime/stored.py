"""Stored types: what a cell of a row may hold, as text and as data.

The text of a stored type stands in the registry and in the schema of every save file. It is
ASCII wherever the game's names are, has exactly one spelling, and this grammar::

    type      = atom
              | "optional<" type ">"                        nil, or T
              | ("list" | "tuple" | "set" | "frozenset" | "deque" | "Counter") "<" type ">"
              | ("dict" | "defaultdict" | "OrderedDict") "<" type ", " type ">"
              | "(" [type {", " type}] ")"                  a tuple of exactly these
              | ("ref" | "class") "<" number {" " number} ">"
              | "weak<" type ">"                            of a ref
              | ("enum" | "flag") " " name "{" [name {" " name}] "}"
              | "literal{" constant {" " constant} "}"
              | ("value" | "record") " " name "{" [field {", " field}] "}"
              | "rec " name                                 the one of that name around it
              | "codec " name "<" type ">"                  T is what the codec stores
              | "union<" type " | " type {" | " type} ">"
    atom      = "bool" | "int" | "float" | "str" | "bytes" | "none" | "complex" | "decimal"
              | "fraction" | "date" | "time" | "datetime" | "timedelta" | "uuid" | "path"
              | "bytearray" | "array" | "ndarray" | "ndarray<" name ">" | "numpy<" name ">"
              | "random" | "generator" | "prefab" | "asset" | "any"
    field     = number " " name ["?"] ": " type             "?": a key that may be absent
    name      = one or more characters other than white space and < > { } ( ) | , : ?
    number    = a decimal integer without leading zeros
    constant  = a Python constant as `ascii` shows it: str, bytes, int, bool or None

A field number is unique within its class, and so are its name and the members of an
enumeration. `rec` means the nearest `value` or `record` of its name around it. `optional` does
not stand directly within `optional`. Types are nested at most 64 deep. The numbers of a `ref`
or `class` are those of the saveable classes that it may lead to, subclasses included: 0 is any
class, -1 is `GameObject`.

In MessagePack a cell is written like this:

====================================  ========================================================
bool int str bytes none               themselves
float                                 a float, or an int, which stays an int
complex                               [real, imaginary]
decimal fraction date time            str
datetime                              str: ISO 8601, then ``[zone]``, then ``#1`` for fold 1
path                                  str, behind ``flavour:`` if it is not of the field's own
timedelta                             [days, seconds, microseconds]
uuid                                  16 bytes, and one more if it says how safe it is
bytearray                             bytes
array                                 [typecode and size of a member, little-endian bytes]
ndarray                               [dtype, shape, order "C" or "F", bytes]
numpy                                 [dtype, bytes]
random generator                      int: the key of a generator, see the snapshot
prefab class                          int: its number
asset                                 str: its id
list tuple set frozenset              array; the members of a set ascend if all are ints, all str
                                      or all bytes, else they stand in the order of their bytes
deque                                 [maxlen or nil, array]
dict defaultdict Counter              map if the key packs to a scalar (see `Stored.is_scalar`),
                                      else array of [key, value]
OrderedDict                           array of [key, value]
(T, T)                                array of exactly that length
ref weak                              int: a key; 0 is `None`, and of `weak` a dead reference
optional<ref>                         like the ref, never nil
enum                                  str: the name of the member
flag                                  str: names of bits and numbers without a name, by "|"
literal                               the constant
value record                          array of the fields in this order; a key that may be
                                      absent is [] or [T]
codec                                 what T says
union                                 the value itself if all members are different ones of
                                      bool, int, float, str, bytes, none (`is_native_union`);
                                      else [index, cell or nil of each member]
any                                   tagged, see `savegen.runtime.tagged`
====================================  ========================================================
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from msgspec import Struct

from savegen.runtime.errors import SaveCorruptError

DEPTH = 64  # of types within types

BLANKS: dict[str, Any] = {
    "bool": False,
    "int": 0,
    "float": 0.0,
    "str": "",
    "bytes": b"",
    "none": None,
    "complex": (0.0, 0.0),
    "decimal": "0",
    "fraction": "0/1",
    "date": "0001-01-01",
    "time": "00:00:00",
    "datetime": "0001-01-01T00:00:00",
    "timedelta": (0, 0, 0),
    "uuid": bytes(16),
    "path": ".",
    "bytearray": b"",
    "array": ("b1", b""),
    "ndarray": ("|b1", (0,), "C", b""),
    "numpy": ("|b1", b"\0"),
    "random": 0,
    "generator": 0,
    "prefab": 0,
    "asset": "",
    "any": None,
}
"""A cell of each type that has no parts: it stands for nothing, and shows what cells consist of."""
NATIVE = frozenset("bool int float str bytes none".split())
"""The stored types that MessagePack and Python write alike."""
ATOMS = BLANKS.keys() - {"numpy"}
_SINGLE = frozenset("optional list tuple set frozenset deque Counter weak".split())
_PAIRED = frozenset("dict defaultdict OrderedDict".split())
_NUMBERED = frozenset(["ref", "class"])
_MEMBERS = frozenset(["enum", "flag"])
_FIELDS = frozenset(["value", "record"])
_PACKED_TO_SCALARS = {
    *(name for name in ATOMS - {"any", "bytearray"} if type(BLANKS[name]) is not tuple),
    *"ref weak class enum flag literal".split(),
}


class Field(NamedTuple):
    """One field of a value or a record."""

    number: int
    name: str
    type: Stored
    may_be_absent: bool = False  # a key of a `TypedDict`


class Stored(Struct, frozen=True, cache_hash=True):
    """A stored type.

    >>> vec2 = parse("value shapes.Vec2{12 x: float, 13 y: float}")
    >>> vec2.name, vec2.label, vec2.names, vec2.parts[0]
    ('value', 'shapes.Vec2', ('x', 'y'), Stored('float'))
    >>> str(vec2)
    'value shapes.Vec2{12 x: float, 13 y: float}'
    """

    name: str  # the first word; "fixed" of a tuple of exactly some types
    parts: tuple[Stored, ...] = ()
    label: str = ""  # the name of a class or a codec, or a dtype
    numbers: tuple[int, ...] = ()  # of classes, or of fields
    names: tuple[str, ...] = ()  # of members or fields; of a literal, its constants
    absent: tuple[str, ...] = ()  # names of the keys that may be absent

    def __str__(self) -> str:
        return _text(self)

    def __repr__(self) -> str:
        return f"Stored({_text(self)!r})"

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of a value or a record."""
        rows = zip(self.numbers, self.names, self.parts)
        return tuple(Field(*row, row[1] in self.absent) for row in rows)

    @property
    def constants(self) -> tuple[Any, ...]:
        """The constants of a literal."""
        return (*map(ast.literal_eval, self.names),)

    @property
    def is_native_union(self) -> bool:
        """Whether this is a union whose cells are the values themselves.

        >>> parse("union<int | str>").is_native_union, parse("union<int | date>").is_native_union
        (True, False)
        """
        names = [part.name for part in self.parts]
        return (
            self.name == "union"
            and NATIVE.issuperset(names)
            and len({*names}) == len(names)
        )

    @property
    def is_scalar(self) -> bool:
        """Whether every cell is one bool, int, float, str, bytes or nil: a key of a map.

        >>> [parse(text).is_scalar for text in ("ref<7>", "optional<uuid>", "(int, int)")]
        [True, True, False]
        """
        if self.name in ("optional", "codec"):
            return self.parts[0].is_scalar
        return self.name in _PACKED_TO_SCALARS or self.is_native_union

    @property
    def is_map(self) -> bool:
        """Whether the cells of a mapping are maps, not arrays of keys and values.

        >>> parse("dict<str, int>").is_map, parse("OrderedDict<str, int>").is_map
        (True, False)
        """
        return self.name != "OrderedDict" and self.parts[0].is_scalar

    def walk(self) -> Iterator[Stored]:
        """Yield this type and every type in it, the outer ones first."""
        yield self
        for part in self.parts:
            yield from part.walk()


@lru_cache(4096)
def parse(text: str) -> Stored:
    """Return the stored type that a text says; `str` of it is the text again.

    Raises `SaveCorruptError` for any other text.

    >>> parse("list<optional<ref<7 9>>>").parts[0].parts[0].numbers
    (7, 9)
    >>> parse("list<text>")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveCorruptError: invalid stored type 'list<text>': unknown type 'text' at character 5
    """
    parser = _Parser(text)
    found = parser.type()
    if parser.at != len(text):
        parser.fail("unexpected text")
    return found


# -- from text

_NAME = re.compile(r"[^\s<>{}()|,:?]+")
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_CONSTANT = re.compile(
    r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*"|-?[0-9]{1,4000}|True|False|None"""
)
_SHOWN = 60  # characters of a text that an error shows


class _Parser:
    """Reads one type after the other; `at` is the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._around: list[str] = []  # the values and records that are open
        self._depth = DEPTH

    def fail(self, what: str) -> NoReturn:
        shown = self.text[:_SHOWN] + "…" * (len(self.text) > _SHOWN)
        raise SaveCorruptError(
            f"invalid stored type {shown!r}: {what} at character {self.at}"
        )

    def type(self) -> Stored:
        if not self._depth:
            self.fail(f"nested more than {DEPTH} deep")
        self._depth -= 1
        found = self._fixed() if self._next("(") else self._named()
        self._depth += 1
        return found

    def _fixed(self) -> Stored:
        return Stored("fixed", self._until(")", ", ", self.type))

    def _named(self) -> Stored:
        start = self.at
        word = self._word(_NAME)
        if word in _SINGLE:
            return self._single(word)
        if word in _PAIRED:
            return Stored(word, (self._after("<"), self._after(", ", ">")))
        if word in _NUMBERED:
            self._expect("<")
            return Stored(word, numbers=self._some(">", " ", self._number))
        if word in ("ndarray", "numpy") and self._next("<"):
            found = Stored(word, label=self._word(_NAME))
            self._expect(">")
            return found
        if word in ATOMS:
            return Stored(word)
        if reader := _READERS.get(word):
            return reader(self, word)
        self.at = start
        return self.fail(f"unknown type {word[:_SHOWN]!r}")

    def _single(self, word: str) -> Stored:
        self._expect("<")
        start = self.at
        part = self.type()
        is_twice = part.name == word == "optional"
        if is_twice or (word == "weak" and part.name != "ref"):
            self.at = start
            self.fail(f"`{word}` cannot hold `{part.name}`")
        self._expect(">")
        return Stored(word, (part,))

    def _after(self, before: str, after: str = "") -> Stored:
        self._expect(before)
        found = self.type()
        self._expect(after)
        return found

    def _members(self, word: str) -> Stored:
        label = self._label("{")
        names = self._until("}", " ", lambda: self._word(_NAME))
        self._refuse_twins(names)
        return Stored(word, label=label, names=names)

    def _literal(self, word: str) -> Stored:
        self._expect("{")
        return Stored(word, names=self._some("}", " ", self._constant))

    def _constant(self) -> str:
        try:
            return ascii(ast.literal_eval(self._word(_CONSTANT)))
        except (ValueError, SyntaxError):
            return self.fail("invalid constant")

    def _record(self, word: str) -> Stored:
        label = self._label("{")
        self._around.append(label)
        fields = self._until("}", ", ", self._field)
        self._around.pop()
        numbers, names = (tuple(each[n] for each in fields) for n in (0, 1))
        self._refuse_twins(numbers)
        self._refuse_twins(names)
        parts = tuple(each.type for each in fields)
        absent = tuple(each.name for each in fields if each.may_be_absent)
        return Stored(word, parts, label, numbers, names, absent)

    def _field(self) -> Field:
        number = self._number()
        self._expect(" ")
        name = self._word(_NAME)
        may_be_absent = self._next("?")
        self._expect(": ")
        return Field(number, name, self.type(), may_be_absent)

    def _recursive(self, word: str) -> Stored:
        label = self._label()
        if label not in self._around:
            self.fail(f"`rec {label}` is not inside `{label}`")
        return Stored(word, label=label)

    def _codec(self, word: str) -> Stored:
        label = self._label("<")
        found = self.type()
        self._expect(">")
        return Stored(word, (found,), label)

    def _union(self, word: str) -> Stored:
        self._expect("<")
        parts = self._some(">", " | ", self.type)
        if len(parts) == 1:
            self.fail("a union needs two members; it ends")
        return Stored(word, parts)

    # the smallest steps

    def _label(self, after: str = "") -> str:
        self._expect(" ")
        found = self._word(_NAME)
        self._expect(after)
        return found

    def _until(
        self, end: str, between: str, read: Callable[[], Any]
    ) -> tuple[Any, ...]:
        return () if self._next(end) else self._some(end, between, read)

    def _some(self, end: str, between: str, read: Callable[[], Any]) -> tuple[Any, ...]:
        found = [read()]
        while not self._next(end):
            self._expect(between)
            found.append(read())
        return tuple(found)

    def _number(self) -> int:
        return int(self._word(_NUMBER))

    def _word(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            self.fail("missing word or number")
        self.at = found.end()
        return found[0]

    def _next(self, text: str) -> bool:
        """Step over a text if it comes next; return whether it did."""
        is_next = self.text.startswith(text, self.at)
        self.at += len(text) if is_next else 0
        return is_next

    def _expect(self, text: str) -> None:
        if not self._next(text):
            self.fail(f"missing {text!r}")

    def _refuse_twins(self, names: tuple[Any, ...]) -> None:
        if len({*names}) < len(names):
            self.fail("a name or number stands twice in what ends")


_READERS: dict[str, Callable[[_Parser, str], Stored]] = {
    "enum": _Parser._members,
    "flag": _Parser._members,
    "literal": _Parser._literal,
    "value": _Parser._record,
    "record": _Parser._record,
    "rec": _Parser._recursive,
    "codec": _Parser._codec,
    "union": _Parser._union,
}


# -- to text


def _text(stored: Stored) -> str:
    name, label = stored.name, stored.label
    parts = [*map(_text, stored.parts)]
    if name == "fixed":
        return f"({', '.join(parts)})"
    if name in _SINGLE or name in _PAIRED:
        return f"{name}<{', '.join(parts)}>"
    if name in _NUMBERED:
        return f"{name}<{' '.join(map(str, stored.numbers))}>"
    if name in _MEMBERS:
        return f"{name} {label}{{{' '.join(stored.names)}}}"
    if name == "literal":
        return f"literal{{{' '.join(stored.names)}}}"
    if name in _FIELDS:
        return f"{name} {label}{{{', '.join(map(_field_text, stored.fields))}}}"
    if name == "union":
        return f"union<{' | '.join(parts)}>"
    if name == "codec":
        return f"codec {label}<{parts[0]}>"
    if name == "rec":
        return f"rec {label}"
    return f"{name}<{label}>" if label else name


def _field_text(field: Field) -> str:
    absent = "?" if field.may_be_absent else ""
    return f"{field.number} {field.name}{absent}: {_text(field.type)}"


def annotation(stored: Stored, classes: Callable[[Stored], str] | None = None) -> str:
    """Return a stored type as it would be annotated, more or less.

    `classes` returns the names of the classes that a reference may lead to.

    >>> annotation(parse("optional<list<value game.Vec2{12 x: float}>>"))
    'list[Vec2] | None'
    """
    parts = [annotation(part, classes) for part in stored.parts]
    name = stored.name
    if name == "optional":
        return f"{parts[0]} | None"
    if name == "union":
        return " | ".join(parts)
    if name in ("ref", "class") and classes is not None:
        found = classes(stored)
        return f"type[{found}]" if name == "class" else found
    if name == "ndarray" and stored.label:
        return f"NDArray[{stored.label}]"
    if stored.label:
        return stored.label.rpartition(".")[2]
    if name == "literal":
        return f"Literal[{', '.join(stored.names)}]"
    if name == "fixed":
        name = "tuple"
    return f"{name}[{', '.join(parts)}]" if parts else name

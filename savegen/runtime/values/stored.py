"""`StoredType`, the type of a cell, and `parse`, which reads it from its text.

The registry and the schema of every save file contain stored types as text. docs/save-format.md
describes the grammar, and the cells of each type in MessagePack.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, wraps
from typing import Any, NamedTuple, NoReturn, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from savegen.runtime.errors import SaveCorruptError

T = TypeVar("T")

DEPTH = 64  # the deepest nesting of types


class _Brackets(NamedTuple):
    """The grammar of the brackets of a type: `<item, item>`."""

    item: str = "type"  # or "number", "name", "constant", "field"
    opening: str = "<"
    closing: str = ">"
    separator: str = ", "
    min_items: int = 1
    max_items: int = 0  # 0 allows any number of items


class Form(NamedTuple):
    """What all types with one name have in common."""

    # The type of their plain data; "" if it can be several.
    shape: str = ""
    # What the parts of a cell are: the members of a "sequence", "set" or "tuple", keys and values
    # of a "mapping", fields of a "record", the one value of a "choice", the content of a "wrapper".
    family: str = ""
    # Whether every cell is a bool, int, float, str, bytes or nil.
    is_scalar: bool = False
    brackets: _Brackets | None = None
    has_label: bool = False
    is_reserved: bool = False  # not for fields; see `RESERVED`


_ONE, _TWO = _Brackets(max_items=1), _Brackets(min_items=2, max_items=2)
_NUMBERS = _Brackets("number", separator=" ")
_MEMBERS = _Brackets("name", "{", "}", " ", min_items=0)
_FIELDS = _Brackets("field", "{", "}", min_items=0)
FORMS: dict[str, Form] = {
    "bool": Form("bool", is_scalar=True),
    "int": Form("int", is_scalar=True),
    "float": Form("float", is_scalar=True),
    "str": Form("str", is_scalar=True),
    "bytes": Form("bytes", is_scalar=True),
    "none": Form("none", is_scalar=True),
    "complex": Form("list"),
    "decimal": Form("str", is_scalar=True),
    "fraction": Form("str", is_scalar=True),
    "date": Form("str", is_scalar=True),
    "time": Form("str", is_scalar=True),
    "datetime": Form("str", is_scalar=True),
    "timedelta": Form("list"),
    "uuid": Form("str", is_scalar=True),
    "path": Form("str", is_scalar=True),
    "bytearray": Form("bytes"),
    "array": Form("list"),
    "ndarray": Form("list"),
    "numpy": Form("list"),
    "random": Form("int", is_scalar=True),
    "generator": Form("int", is_scalar=True),
    "count": Form("int", is_scalar=True),
    "prefab": Form("int", is_scalar=True),
    "asset": Form("str", is_scalar=True),
    "any": Form(family="choice"),
    "unset": Form(is_reserved=True),
    "default": Form(is_reserved=True),
    "live": Form(is_reserved=True),
    "factory": Form(brackets=_ONE, is_reserved=True),
    "circle": Form(brackets=_ONE, is_reserved=True),
    "outer": Form(is_reserved=True),
    "optional": Form(family="choice", brackets=_ONE),
    "list": Form("list", "sequence", brackets=_ONE),
    "tuple": Form("list", "sequence", brackets=_ONE),
    "set": Form("list", "set", brackets=_ONE),
    "frozenset": Form("list", "set", brackets=_ONE),
    "deque": Form("list", "sequence", brackets=_ONE),
    "fixed": Form("list", "tuple", brackets=_Brackets("type", "(", ")", min_items=0)),
    "dict": Form("dict", "mapping", brackets=_TWO),
    "defaultdict": Form("dict", "mapping", brackets=_TWO),
    "OrderedDict": Form("dict", "mapping", brackets=_TWO),
    "Counter": Form("dict", "mapping", brackets=_ONE),
    "ref": Form("ref", is_scalar=True, brackets=_NUMBERS),
    "weak": Form("ref", is_scalar=True, brackets=_ONE),
    "class": Form("int", is_scalar=True, brackets=_NUMBERS),
    "enum": Form("str", is_scalar=True, has_label=True, brackets=_MEMBERS),
    "flag": Form("str", is_scalar=True, has_label=True, brackets=_MEMBERS),
    "literal": Form(is_scalar=True, brackets=_Brackets("constant", "{", "}", " ")),
    "value": Form("dict", "record", brackets=_FIELDS, has_label=True),
    "record": Form("dict", "record", brackets=_FIELDS, has_label=True),
    "rec": Form(has_label=True),
    "codec": Form(family="wrapper", brackets=_ONE, has_label=True),
    "subclass": Form(family="wrapper", brackets=_ONE, has_label=True),
    "union": Form(family="choice", brackets=_Brackets(separator=" | ", min_items=2)),
}
"""By name, which is the first word of a type; "fixed" is a tuple of fixed length."""
NATIVE = frozenset("bool int float str bytes none".split())
"""The stored types whose cells are the values themselves."""
ATOMS = frozenset(
    name
    for name, form in FORMS.items()
    if not (form.brackets or form.has_label or form.is_reserved or name == "numpy")
)
RESERVED = frozenset(name for name, form in FORMS.items() if form.is_reserved)
"""Types that no field has, of values that no annotation declares: "unset" is an attribute that is
not set, "default" lets a load take the default. Only in memory: "live" is an object that no kind
can hold, "factory" a `defaultdict` with such a factory, "circle" a value that contains itself, as
"outer"."""


def _of_family(family: str) -> frozenset[str]:
    return frozenset(name for name, form in FORMS.items() if form.family == family)


SETS = _of_family("set")
MAPPINGS = _of_family("mapping")
RECORDS = _of_family("record")
SEQUENCES = _of_family("sequence")
CONTAINERS = SEQUENCES | SETS | MAPPINGS


class StoredField(NamedTuple):
    """One field of a value or a record."""

    number: int
    name: str
    type: StoredType
    may_be_absent: bool = False  # a key of a `TypedDict`


class StoredType(Struct, frozen=True, cache_hash=True, dict=True):
    """A stored type.

    What follows from a type is computed once and kept in the type itself, so that nothing of the
    types in a file outlives the file.

    >>> vec2 = parse("value shapes.Vec2{12 x: float, 13 y: float}")
    >>> vec2.name, vec2.label, vec2.names, vec2.parts[0]
    ('value', 'shapes.Vec2', ('x', 'y'), StoredType('float'))
    >>> str(vec2)
    'value shapes.Vec2{12 x: float, 13 y: float}'
    """

    name: str  # of its `Form`
    parts: tuple[StoredType, ...] = ()
    label: str = ""  # the name of a class or a codec, or a dtype
    numbers: tuple[int, ...] = ()  # class numbers, or field numbers
    names: tuple[str, ...] = ()  # of members or fields; for a literal, its constants
    absent: tuple[str, ...] = ()  # names of the keys that may be absent

    def __str__(self) -> str:
        return "".join(_tokens(self))

    def __repr__(self) -> str:
        return f"StoredType({str(self)!r})"

    @property
    def family(self) -> str:
        """What the parts of a cell are, see `Form`; "" for a native union, which has none.

        >>> parse("deque<int>").family, parse("union<int | date>").family
        ('sequence', 'choice')
        """
        return "" if self.is_native_union else FORMS[self.name].family

    @property
    def fields(self) -> tuple[StoredField, ...]:
        """The fields of a value or a record."""
        return _fields(self, self.parts)

    @cached_property
    def inner(self) -> tuple[StoredType, ...]:
        """The parts, in which each `rec` is replaced by the record that it refers to.

        >>> node = parse("record N{1 next: optional<rec N>}")
        >>> node.inner[0].parts[0] is node
        True
        """
        if self.name not in RECORDS:
            return self.parts
        return tuple(_complete(part, self) for part in self.parts)

    @cached_property
    def inner_fields(self) -> tuple[StoredField, ...]:
        """The fields of a value or a record, with complete types."""
        return _fields(self, self.inner)

    @cached_property
    def open_labels(self) -> frozenset[str]:
        """The labels of the records that enclose this type and that a `rec` in it refers to."""
        if self.name == "rec":
            return frozenset([self.label])
        labels = frozenset().union(*(part.open_labels for part in self.parts))
        return labels - {self.label} if self.name in RECORDS else labels

    @cached_property
    def names_inside(self) -> frozenset[str]:
        """The names of this type and of all types in it.

        >>> sorted(parse("list<optional<int>>").names_inside)
        ['int', 'list', 'optional']
        """
        return frozenset([self.name]).union(*(p.names_inside for p in self.parts))

    @cached_property
    def is_recursive(self) -> bool:
        """Whether this is a record in which a record contains itself."""
        return self.name in RECORDS and "rec" in self.names_inside

    @property
    def constants(self) -> tuple[Any, ...]:
        """The constants of a literal."""
        return (*map(ast.literal_eval, self.names),)

    @cached_property
    def is_native_union(self) -> bool:
        """Whether the cells of this union are the values themselves, without tags.

        >>> parse("union<int | str>").is_native_union, parse("union<int | date>").is_native_union
        (True, False)
        """
        names = [part.name for part in self.parts]
        return (
            self.name == "union"
            and NATIVE.issuperset(names)
            and len({*names}) == len(names)
        )

    @cached_property
    def is_scalar(self) -> bool:
        """Whether every cell is a bool, int, float, str, bytes or nil, and so can be a map key.

        >>> [parse(text).is_scalar for text in ("ref<7>", "optional<uuid>", "(int, int)")]
        [True, True, False]
        """
        if self.name in ("optional", "codec", "subclass"):
            return self.parts[0].is_scalar
        return FORMS[self.name].is_scalar or self.is_native_union

    @cached_property
    def is_map(self) -> bool:
        """Whether the cells of a mapping are maps, not arrays of keys and values.

        >>> parse("dict<str, int>").is_map, parse("OrderedDict<str, int>").is_map
        (True, False)
        """
        return self.name != "OrderedDict" and self.parts[0].is_scalar

    def walk(self) -> Iterator[StoredType]:
        """Yield this type and every type in it, the outer ones first."""
        yield self
        for part in self.parts:
            yield from part.walk()


def cached_in_type(function: Callable[[StoredType], T]) -> Callable[[StoredType], T]:
    """Keep the results of a function of a stored type, each in its type.

    A cache of the process would keep the types of files.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def keeping(stored: StoredType) -> T:
        results = stored.__dict__
        if name not in results:
            results[name] = function(stored)
        result: T = results[name]
        return result

    return keeping


def _fields(record: StoredType, parts: Iterable[StoredType]) -> tuple[StoredField, ...]:
    fields = zip(record.numbers, record.names, parts)
    return tuple(StoredField(*field, field[1] in record.absent) for field in fields)


def _complete(part: StoredType, record: StoredType) -> StoredType:
    """Return a part of a record, with each `rec` for this record replaced by the record."""
    if record.label not in part.open_labels:
        return part
    if part.name == "rec":
        return record
    return replace(part, parts=tuple(_complete(inner, record) for inner in part.parts))


_declared: dict[str, StoredType] = {}  # by text


def declared(text: str) -> StoredType:
    """Return the stored type of a field of the game, as `parse` does.

    `parse` returns the same object for this text from now on, so it must not come from a file.
    """
    stored = _declared.get(text)
    if stored is None:
        stored = _declared[text] = parse(text)
    return stored


def parse(text: str) -> StoredType:
    """Return the stored type that a text describes; `str` turns it back into the text.

    Raises `SaveCorruptError` for any other text.

    >>> parse("list<optional<ref<7 9>>>").parts[0].parts[0].numbers
    (7, 9)
    >>> parse("list<text>")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveCorruptError: invalid stored type 'list<text>' at character 5: unknown type 'text'
    """
    stored = _declared.get(text)
    if stored is not None:
        return stored
    parser = _Parser(text)
    stored = parser.type()
    if parser.at != len(text):
        parser.fail("unexpected text")
    return stored


def parse_listed(text: str) -> StoredType:
    """Return a stored type as `parse` does, or a reserved one, from the types in a file.

    >>> parse_listed("unset"), parse_listed("live")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveCorruptError: invalid stored type 'live' at character 0: unknown type 'live'
    """
    return StoredType(text) if text in ("unset", "default") else parse(text)


# -- the keys in cells

_WITH_KEYS = frozenset(["ref", "weak", "any"])
GENERATORS = ("random", "generator", "count")
"""The stored types of what changes as it is used: its state stands once, under its key."""
_WITH_NUMBERS = _WITH_KEYS.union(GENERATORS)


def has_keys(stored: StoredType) -> bool:
    """Return whether a cell of a stored type can hold a key."""
    return not _WITH_KEYS.isdisjoint(stored.names_inside)


def has_numbers(stored: StoredType) -> bool:
    """Return whether a cell of a stored type can hold a key, or that of a random generator."""
    return not _WITH_NUMBERS.isdisjoint(stored.names_inside)


def has_only_keys(stored: StoredType) -> bool:
    """Return whether the numbers in cells of a stored type are all those of objects."""
    return stored.names_inside.isdisjoint(("any", *GENERATORS))


# -- the grammar


def _tokens(stored: StoredType) -> Iterator[str]:
    """Yield the text of a type in pieces."""
    name, label = stored.name, stored.label
    form = FORMS[name]
    if form.brackets is None and not form.has_label:
        yield f"{name}<{label}>" if label else name
        return
    if name != "fixed":
        yield f"{name} {label}" if form.has_label else name
    if form.brackets is None:
        return
    item, opening, closing, separator, *_ = form.brackets
    between = opening
    for each in getattr(stored, _ATTRIBUTES.get(item, "names")):
        yield between
        if item == "field":
            absent = "?" if each.may_be_absent else ""
            yield f"{each.number} {each.name}{absent}: "
            yield from _tokens(each.type)
        elif item == "type":
            yield from _tokens(each)
        else:
            yield str(each)
        between = separator
    yield closing if between is separator else opening + closing


def shortened(stored: StoredType, max_length: int) -> str:
    """Return the text of a type, cut off at a length. The whole text may be very long.

    >>> shortened(parse("list<optional<int>>"), 12)
    'list<optiona…'
    """
    text = ""
    for token in _tokens(stored):
        text += token
        if len(text) > max_length:
            return f"{text[:max_length]}…"
    return text


_ATTRIBUTES = {"type": "parts", "number": "numbers", "field": "fields"}
_NAME = re.compile(r"[^\s<>{}()|,:?]+")
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_CONSTANT = re.compile(
    r"""b?'(?:[^'\\]|\\.)*'|b?"(?:[^"\\]|\\.)*"|-?[0-9]{1,4000}|True|False|None"""
)
_DIGITS = "0123456789"
_MAX_QUOTED = 60  # characters in an error


class _Parser:
    """A parser of stored types; `at` is the index of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._open: list[str] = []  # labels of the types being parsed, from the outside
        self._parsers: dict[str, Callable[[], Any]] = {
            "type": self.type,
            "number": lambda: int(self._word(_NUMBER)),
            "name": lambda: self._word(_NAME),
            "constant": self._constant,
            "field": self._field,
        }

    def fail(self, fault: str) -> NoReturn:
        quoted = self.text[:_MAX_QUOTED] + "…" * (len(self.text) > _MAX_QUOTED)
        raise SaveCorruptError(
            f"invalid stored type {quoted!r} at character {self.at}: {fault}"
        )

    def type(self) -> StoredType:
        if len(self._open) == DEPTH:
            self.fail(f"nested more than {DEPTH} deep")
        start, is_fixed = self.at, self.text.startswith("(", self.at)
        word = "fixed" if is_fixed else self._word(_NAME)
        if word in ("ndarray", "numpy") and self._next("<"):
            stored = StoredType(word, label=self._word(_NAME))
            self._expect(">")
            return stored
        if word in ATOMS:
            return StoredType(word)
        form = None if word == "numpy" else FORMS.get(word)
        if form and not form.is_reserved and is_fixed == (word == "fixed"):
            return self._type_of_form(word, form)
        self.at = start
        return self.fail(f"unknown type {word[:_MAX_QUOTED]!r}")

    def _type_of_form(self, word: str, form: Form) -> StoredType:
        if form.has_label:
            self._expect(" ")
        label = self._word(_NAME) if form.has_label else ""
        item = form.brackets.item if form.brackets else ""
        self._open.append(label if item == "field" else "")
        items = self._items(form.brackets) if form.brackets else ()
        self._open.pop()
        if item == "field":
            stored = _record(word, label, items)
        else:
            attribute = _ATTRIBUTES.get(item, "names")
            stored = StoredType(word, label=label, **{attribute: items})
        self._check(stored)
        return stored

    def _items(self, brackets: _Brackets) -> tuple[Any, ...]:
        item, opening, closing, separator, min_items, max_items = brackets
        self._expect(opening)
        items: list[Any] = []
        while items or min_items or not self._next(closing):
            items.append(self._parsers[item]())
            if len(items) == max_items:
                self._expect(closing)
                break
            if len(items) >= min_items and self._next(closing):
                break
            self._expect(separator)
        return tuple(items)

    def _check(self, stored: StoredType) -> None:
        """Raise an error if a type that was just read breaks a rule beyond the grammar."""
        name, label = stored.name, stored.label
        inner = stored.parts[0].name if stored.parts else ""
        if inner == name == "optional" or (name == "weak" and inner != "ref"):
            self.fail(f"`{name}` cannot contain `{inner}`")
        if name == "rec" and label not in self._open:
            self.fail(f"`rec {label}` is not inside `{label}`")
        if FORMS[name].has_label:
            for names in (stored.numbers, stored.names):
                if len({*names}) < len(names):
                    self.fail(f"`{label}` has two members with one name or number")

    def _constant(self) -> str:
        word = self._word(_CONSTANT)
        if word[-1] not in "'\"":
            return word if word[-1] not in _DIGITS else str(int(word))
        try:
            return ascii(ast.literal_eval(word))
        except (ValueError, SyntaxError):
            return self.fail("invalid constant")

    def _field(self) -> StoredField:
        number = int(self._word(_NUMBER))
        self._expect(" ")
        name = self._word(_NAME)
        may_be_absent = self._next("?")
        self._expect(": ")
        return StoredField(number, name, self.type(), may_be_absent)

    def _word(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            self.fail("missing word or number")
        self.at = match.end()
        return match[0]

    def _next(self, text: str) -> bool:
        """Skip a text if it comes next; return whether it did."""
        is_next = self.text.startswith(text, self.at)
        self.at += len(text) if is_next else 0
        return is_next

    def _expect(self, text: str) -> None:
        if not self._next(text):
            self.fail(f"missing {text!r}")


def _record(word: str, label: str, fields: tuple[StoredField, ...]) -> StoredType:
    numbers, names, parts, _ = zip(*fields) if fields else ((), (), (), ())
    absent = tuple(field.name for field in fields if field.may_be_absent)
    return StoredType(word, parts, label, numbers, names, absent)


# -- as a Python annotation, for messages


def annotation(
    stored: StoredType,
    classes: Callable[[StoredType], str] | None = None,
    bases: Callable[[tuple[StoredType, ...]], Iterable[StoredType]] | None = None,
) -> str:
    """Return an approximate Python annotation for a stored type.

    `classes` returns the names of the classes that a reference allows, `bases` the members of a
    union without the subclasses of others, which a field also holds.

    >>> annotation(parse("optional<tuple<value game.Vec2{12 x: float}>>"))
    'tuple[Vec2, ...] | None'
    """
    name = stored.name
    if stored.label and name != "ndarray":
        return stored.label.rpartition(".")[2]
    members = bases(stored.parts) if bases and name == "union" else stored.parts
    parts = [annotation(part, classes, bases) for part in members]
    if name == "optional":
        return f"{parts[0]} | None"
    if name == "union":
        return " | ".join(parts)
    if name in ("ref", "class") and classes is not None:
        names = classes(stored)
        return f"type[{names}]" if name == "class" else names
    if name == "ndarray" and stored.label:
        return f"NDArray[{stored.label}]"
    if name == "literal":
        return f"Literal[{', '.join(stored.names)}]"
    if name == "fixed":
        return f"tuple[{', '.join(parts) or '()'}]"
    if name == "tuple":
        parts.append("...")
    name = _CLASS_NAMES.get(name, name)
    return f"{name}[{', '.join(parts)}]" if parts else name


_CLASS_NAMES = {"any": "Any", "none": "None", "uuid": "UUID"} | {
    name: name.capitalize()
    for name in ("asset", "decimal", "fraction", "generator", "path", "random")
}

"""Tagged values: plain data that includes its own type.

Values that do not fit their field, and values without a declared field, are saved in this
form. nil, bool, int, float, str and bytes are not tagged; any other value is an array
`[tag, payload]`. Loading restores the exact value, but a list that is referred to twice becomes
two lists.
"""

from __future__ import annotations

import sys
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import Enum, Flag, IntEnum
from itertools import chain
from types import MethodType
from typing import Any, NamedTuple

from msgspec import msgpack

from savegen.runtime.values import arrays, standard_types
from savegen.runtime.errors import (
    EXHAUSTED,
    ExhaustedError,
    SaveCorruptError,
    SaveError,
    with_article,
    describe_error,
)
from savegen.runtime.values.fields import default_of
from savegen.runtime.values.generators import is_generator
from savegen.runtime.values.keys import describe_key
from savegen.runtime.values.methods import LABEL, hint, is_method
from savegen.runtime.values.rows import Key
from savegen.runtime.values.unpack import made_of, weak
from savegen.runtime.values.values import NO_VALUES, ValueEntry, Values

Tagged = Any
DEPTH = 64  # the deepest nesting of values
_MAX_REPEATS = 10_000  # repeated containers within one value
# The errors that Python raises for data that does not match its tag.
BROKEN = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


class Tag(IntEnum):
    """The tag in an array `[tag, payload]`; a comment beside each tag describes its payload.

    A "text" is a str, or tag 2 if it cannot be encoded. For tags 12 to 24, the payload is the cell
    of that type in docs/save-format.md, unless the comment says otherwise.
    """

    ABSENT = 0  # nil: an attribute that is not set
    INT = 1  # bytes, big-endian, two's complement: an int beyond 64 bits
    STR = 2  # bytes: UTF-8 in which lone surrogates are encoded like other characters
    LIST = 3  # members
    TUPLE = 4  # members
    SET = 5  # members, in the order of their encoded bytes
    FROZENSET = 6  # the same
    DICT = 7  # key, value, key, value, …
    DEFAULTDICT = 8  # name of the factory or nil, key, value, …
    ORDEREDDICT = 9  # key, value, …
    COUNTER = 10  # key, value, …
    DEQUE = 11  # maxlen or nil, then the members
    COMPLEX = 12  # the cell, as for all tags up to 24
    DECIMAL = 13
    FRACTION = 14
    DATE = 15
    TIME = 16  # a text; so are DATETIME and PATH
    DATETIME = 17
    TIMEDELTA = 18
    UUID = 19
    PATH = 20  # always with its flavour
    BYTEARRAY = 21
    ARRAY = 22
    NDARRAY = 23
    NUMPY = 24
    KEY = 25  # key of the object
    WEAK = 26  # key of the object of a weak reference; 0 if the object is gone
    CLASS = 27  # number of a saveable class
    PREFAB = 28  # number of a prefab
    ASSET = 29  # text: its id
    GENERATOR = 30  # key of a random generator
    ENUM = 31  # full name of the class, name of the member
    FLAG = 32  # full name of the class, then its `flag` cell
    RECORD = 33  # full name of the class, then number, name and value of each field
    FOREIGN = 34  # full name of the class, the tagged value that its codec returned


ABSENT: Tagged = (0, None)
"""Stands for an attribute that is not set. After decoding it is a list: use `is_absent`."""


class CannotTag(SaveError):
    """Raised for a value that cannot be tagged; the message gives the reason."""


def is_absent(tagged: Tagged) -> bool:
    """Return whether a tagged value represents an attribute that is not set.

    >>> is_absent(ABSENT), is_absent([0, None]), is_absent(0)
    (True, True, False)
    """
    return type(tagged) in (tuple, list) and tagged[0] == Tag.ABSENT


class Opaque:
    """A wrapper around a tagged value; `tag` returns that value unchanged.

    It replaces a value that cannot or should not be created.
    """

    __slots__ = ("__weakref__", "tagged")

    def __init__(self, tagged: Tagged) -> None:
        self.tagged = tagged

    def __repr__(self) -> str:
        return describe(self.tagged)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and repr(other) == repr(self)

    def __hash__(self) -> int:
        return hash(repr(self))


# -- forms that several tags share


class _Container(NamedTuple):
    """A container of tagged members, or of alternating tagged keys and values."""

    cls: type
    template: str  # of its `repr`
    is_mapping: bool = False


_CONTAINERS: dict[int, _Container] = {
    Tag.LIST: _Container(list, "[{}]"),
    Tag.TUPLE: _Container(tuple, "({})"),
    Tag.SET: _Container(set, "{{{}}}"),
    Tag.FROZENSET: _Container(frozenset, "frozenset({{{}}})"),
    Tag.DEQUE: _Container(deque, "deque([{}]{})"),
    Tag.DICT: _Container(dict, "{{{}}}", True),
    Tag.DEFAULTDICT: _Container(defaultdict, "defaultdict({1}, {{{0}}})", True),
    Tag.ORDEREDDICT: _Container(OrderedDict, "OrderedDict({{{}}})", True),
    Tag.COUNTER: _Container(Counter, "Counter({{{}}})", True),
}
_SETS = (Tag.SET, Tag.FROZENSET)


_FUNCTIONS: dict[int, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    **{
        Tag[name.upper()]: entry[1:]
        for name, entry in standard_types.STANDARD_TYPES.items()
    },
    Tag.PATH: (standard_types.pack_path, standard_types.unpack_path),
    Tag.NDARRAY: (arrays.pack_ndarray, arrays.unpack_ndarray),
    Tag.NUMPY: (arrays.pack_number, arrays.unpack_number),
}
"""By tag of values without tagged parts: the functions that pack and unpack the payload."""
_TESTS: tuple[tuple[Tag, Callable[[Any], bool]], ...] = (
    (Tag.NDARRAY, arrays.is_array),
    (Tag.NUMPY, arrays.is_number),
    (Tag.PATH, standard_types.is_path),
)
_OF_LIBRARIES = frozenset([Tag.NDARRAY, Tag.NUMPY, Tag.DATETIME, Tag.TIME])
_TEXTS = (Tag.TIME, Tag.DATETIME, Tag.PATH)  # zones and files may have unusual names
_KEYS = (Tag.KEY, Tag.WEAK)
PARTS_FROM: dict[int, int] = {  # tags with tagged parts → the index of the first part
    **dict.fromkeys(_CONTAINERS, 0),
    Tag.DEFAULTDICT: 1,
    Tag.DEQUE: 1,
    Tag.RECORD: 1,  # names and numbers among the parts are not tagged
    Tag.FOREIGN: 1,
}
# The factories of a `defaultdict`: only these can be named in a save.
FACTORIES: dict[str | None, type | None] = {
    cls.__name__: cls
    for cls in (list, dict, set, tuple, int, float, str, bool, bytes, frozenset)
    + (deque, Counter, OrderedDict)
} | {None: None}
_NATIVES = (type(None), bool, int, float, str, bytes)

# Classes are looked up by `id`, since a metaclass may redefine their hash.
_NATIVE_IDS = frozenset(map(id, _NATIVES))
_NUMBERS = {id(form.cls): number for number, form in _CONTAINERS.items()} | {
    id(entry.cls): Tag[name.upper()]
    for name, entry in standard_types.STANDARD_TYPES.items()
}
_FACTORY_NAMES = {id(factory): name for name, factory in FACTORIES.items()}


def tag_of(name: str) -> Tag:
    """Return the tag for values of the stored type with the given name.

    >>> tag_of("OrderedDict"), tag_of("fixed")
    (<Tag.ORDEREDDICT: 9>, <Tag.TUPLE: 4>)
    """
    other_names = {"fixed": "tuple", "random": "generator", "ref": "key"}
    other_names["count"] = "generator"
    return Tag[other_names.get(name, name).upper()]


# -- from a value to tagged data


def tag(
    value: Any, references: Any, values: Values = NO_VALUES, depth: int = DEPTH
) -> Tagged:
    """Return a value as tagged data.

    Raises `CannotTag` if the value or a part of it cannot be tagged, or is nested deeper than
    `depth`.

    >>> from savegen.runtime.values.references import NO_REFERENCES
    >>> tag([1.5, {"a"}], NO_REFERENCES)
    (3, (1.5, (5, ('a',))))
    >>> untag([3, [1.5, [5, ["a"]]]], NO_REFERENCES)
    [1.5, {'a'}]
    """
    return _Tagger(references, values, depth).tag(value)


def tag_as_native(value: Any, references: Any, values: Values) -> Tagged:
    """Return a tagged value as `tag` does, but reduce unknown subclasses to native values.

    A member of an unknown enumeration, and any other value of a class that derives from int,
    float, str or bytes, becomes the number, text or bytes. Raises `CannotTag` for any other
    value that `tag` cannot tag.
    """
    return _Tagger(references, values, DEPTH, _NATIVE_OF).tag(value)


def tagged_text(value: str) -> Tagged:
    """Return a text, tagged if it has lone surrogates."""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return int(Tag.STR), value.encode("utf-8", "surrogatepass")
    return value


def _tagged_int(value: int) -> Tagged:
    if -(2**63) <= value < 2**64:
        return value
    size = value.bit_length() // 8 + 1
    return int(Tag.INT), value.to_bytes(size, "big", signed=True)


class _Tagger:
    def __init__(
        self,
        references: Any,
        values: Values,
        depth: int,
        natives: Mapping[type, Callable[[Any], Any]] = {},
    ) -> None:
        self._natives = natives
        self._references = references
        self._values = values
        self._depth = depth
        # The `id`s of the containers that are being tagged, one inside the other.
        self._open: set[int] = set()
        # By `id`: every container that was tagged, so that it stays alive.
        self._containers: dict[int, Any] = {}
        self._repeats = 0  # how many containers were tagged again

    def tag(self, value: Any) -> Tagged:
        cls = type(value)
        if cls is str:
            return tagged_text(value)
        if cls is int:
            return _tagged_int(value)
        if id(cls) in _NATIVE_IDS:
            return value
        number = _NUMBERS.get(id(cls))
        if number is None:
            return value.tagged if cls is Opaque else self._other(value)
        if number in _FUNCTIONS:
            return self._plain(number, value)
        return self._nested(value, lambda value: self._container(number, value))

    def _plain(self, number: int, value: Any) -> Tagged:
        """Return a tagged value that has no tagged parts."""
        cell = _packed_or_cannot_tag(_FUNCTIONS[number][0], value)
        return int(number), tagged_text(cell) if number in _TEXTS else cell

    def _nested(self, value: Any, tag: Callable[[Any], Tagged]) -> Tagged:
        """Return `tag(value)`.

        Raises `CannotTag` if the value contains itself, is nested too deeply, or repeats
        containers too often.
        """
        token = id(value)
        if token in self._open or len(self._open) >= self._depth:
            raise CannotTag("it contains itself or is nested too deeply")
        self._repeats += token in self._containers
        if self._repeats > _MAX_REPEATS:
            raise CannotTag(
                f"it contains the same containers again more than {_MAX_REPEATS:,} times"
            )
        self._containers[token] = value
        self._open.add(token)
        try:
            return tag(value)
        finally:
            self._open.discard(token)

    def _container(self, number: int, value: Any) -> Tagged:
        is_mapping = _CONTAINERS[number].is_mapping
        members = chain.from_iterable(dict.items(value)) if is_mapping else value
        parts = [*map(self.tag, members)]
        if number in _SETS:
            parts.sort(key=msgpack.encode)
        return int(number), (*_items_before_parts(number, value), *parts)

    def _other(self, value: Any) -> Tagged:
        cls = MethodType if is_method(value) else type(value)
        if entry := self._values.of(cls):
            return self._of_game(entry, value)
        for number, has_type in _TESTS:
            if has_type(value):
                return self._plain(number, value)
        if is_generator(value):
            return int(Tag.GENERATOR), self._references._generator_key(value)
        if cls is weakref.ref:
            target = value()
            if target is None:
                return int(Tag.WEAK), 0
            return int(Tag.WEAK), _packed_or_cannot_tag(self._references.key_of, target)
        if isinstance(value, type):
            return int(Tag.CLASS), self._class_number(value)
        return self._object(value)

    def _class_number(self, cls: type) -> int:
        try:
            return int(self._references._class_number(cls))
        except SaveError:
            raise CannotTag(f"the class `{cls.__qualname__}` is not saveable") from None

    def _object(self, value: Any) -> Tagged:
        """Return a tagged reference to an object of the world, or to an asset."""
        try:
            key = self._references.key_of(value)
            return (int(Tag.KEY), key) if key else None
        except SaveError:
            pass
        try:
            return int(Tag.ASSET), tagged_text(self._references.id_of(value))
        except SaveError:
            for base, native in self._natives.items():
                if isinstance(value, base):
                    return self.tag(native(value))
            raise CannotTag(reason_of_loss(value)) from None

    def _of_game(self, entry: ValueEntry, value: Any) -> Tagged:
        kind = entry.type.name
        if kind == "prefab":
            return int(Tag.PREFAB), int(value)
        if kind == "flag":
            return int(Tag.FLAG), (entry.name, standard_types.pack_flag(value))
        if kind == "enum":
            return int(Tag.ENUM), (entry.name, value._name_)
        tag = self._foreign if kind == "codec" else self._record
        return self._nested(value, lambda value: tag(entry, value))

    def _foreign(self, entry: ValueEntry, value: Any) -> Tagged:
        assert entry.pack is not None
        packed = _packed_or_cannot_tag(entry.pack, value, self._references)
        return int(Tag.FOREIGN), (entry.name, self.tag(packed))

    def _record(self, entry: ValueEntry, value: Any) -> Tagged:
        payload: list[Any] = [entry.name]
        for number, name, *_ in entry.type.fields:
            part = getattr(value, name, ABSENT)
            payload += [number, name, part if part is ABSENT else self.tag(part)]
        return int(Tag.RECORD), (*payload,)


# Methods of the native classes, since a subclass may override them.
_NATIVE_OF: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    bytes: bytes.__bytes__,
}


def _items_before_parts(number: int, value: Any) -> Iterator[Any]:
    """Yield the items of a container's payload that come before its parts."""
    if number == Tag.DEQUE:
        yield value.maxlen
    elif number == Tag.DEFAULTDICT:
        factory = value.default_factory
        if id(factory) not in _FACTORY_NAMES:
            raise CannotTag(f"the default factory of a defaultdict is {factory!r}")
        yield _FACTORY_NAMES[id(factory)]


def _packed_or_cannot_tag(pack: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a pack function. Raises `CannotTag` if the function raises an error."""
    try:
        return pack(*arguments)
    except (CannotTag, ExhaustedError, *EXHAUSTED):
        raise
    except SaveError as error:
        raise CannotTag(str(error)) from error
    except Exception as error:  # one of the game's codecs
        raise CannotTag(f"its codec raised {describe_error(error)}") from error


def reason_of_loss(value: Any) -> str:
    """Return the reason why a value cannot be tagged."""
    name = with_article(type(value).__qualname__)
    if isinstance(value, Enum):
        return (
            f"{name} cannot be saved, because no saved field is declared with that enum"
        )
    return f"{name} is not a value that can be saved{hint(value)}"


# -- from tagged data to a value


def untag(tagged: Tagged, references: Any, values: Values = NO_VALUES) -> Any:
    """Return the value of tagged data.

    The data may come from a file. Raises `SaveCorruptError` for an invalid tagged value, and
    `SaveError` if it names a class or object that the game does not have. The hash of an object
    may depend on its fields, so set those before untagging sets and dicts of objects.
    """
    return _read(tagged, _Untagger(references, values).value)


def untag_plain(tagged: Tagged, reference: Callable[[Key], Any]) -> Any:
    """Return the value of tagged data without using classes of the game.

    Objects are replaced by the result of `reference` for their keys, and other values that
    belong to a game by an `Opaque`. Raises `SaveCorruptError` for an invalid tagged value.

    >>> untag_plain((3, ((25, 7), (31, ("mygame.Colour", "RED")))), "object {}".format)
    ['object 7', Colour.RED]
    """
    return _read(tagged, _PlainUntagger(reference).value)


def _read(tagged: Tagged, read: Callable[[Tagged, int], Any]) -> Any:
    try:
        return read(tagged, DEPTH + 1)
    except SaveError:
        raise
    except BROKEN as error:
        raise SaveCorruptError(
            f"invalid tagged value in save: {describe_error(error)}"
        ) from None


def library_of(tagged: Tagged) -> str:
    """Return the library that a value needs and that the game has not imported; else "".

    A value from a file that no field declares is no reason to import a library: it stays `Opaque`.
    The answer is for the value itself, without its parts.
    """
    if type(tagged) not in (tuple, list) or len(tagged) != 2:
        return ""
    number, payload = tagged
    if number == Tag.NDARRAY or number == Tag.NUMPY:
        return "" if "numpy" in sys.modules else "numpy"
    if (number == Tag.DATETIME or number == Tag.TIME) and "zoneinfo" not in sys.modules:
        if type(payload) is str and standard_types.names_zone(payload):
            return "zoneinfo"
    return ""


def check_tagged(tagged: Tagged) -> None:
    """Raise `SaveCorruptError` if a tagged value is invalid, checked without classes of the game.

    >>> check_tagged([3, [[25, 7], 1.5]])
    >>> check_tagged([3, [[25, "a"]]])
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveCorruptError: invalid tagged value in save: TypeError: the payload of a reference must be an int
    """
    _read(tagged, _check)


def _check(tagged: Tagged, depth: int) -> None:
    if _is_native(tagged):
        return
    number, payload = _opened(tagged, depth)
    if Tag(number) in _KEYS and type(payload) is not int:
        raise TypeError("the payload of a reference must be an int")
    if number in PARTS_FROM and type(payload) not in (tuple, list):
        raise TypeError("the payload must be an array")
    for part in parts_of(tagged):
        _check(part, depth - 1)


def _opened(tagged: Tagged, depth: int) -> tuple[Any, Any]:
    """Return the tag and the payload of an array."""
    if not depth:
        raise SaveCorruptError(f"a value in the save is nested more than {DEPTH} deep")
    number, payload = tagged
    return number, payload


def _is_native(tagged: Tagged) -> bool:
    """Return whether data is a native value, which needs no tag."""
    if type(tagged) in (tuple, list):
        return False
    if type(tagged) not in _NATIVES:  # MessagePack has other types, such as timestamps
        raise TypeError(f"a {type(tagged).__name__} has no tag")
    return True


class _Untagger:
    def __init__(self, references: Any, values: Values) -> None:
        self.references = references
        self.values = values

    def value(self, tagged: Tagged, depth: int) -> Any:
        if _is_native(tagged):
            return tagged
        return self.read(*_opened(tagged, depth), depth - 1)

    def read(self, number: int, payload: Any, depth: int) -> Any:
        if number in _FUNCTIONS:
            cell = self.text(payload) if number in _TEXTS else payload
            if number in _OF_LIBRARIES and library_of((number, cell)):
                return Opaque((number, payload))
            return _FUNCTIONS[number][1](cell)
        if number in _CONTAINERS:
            return self._container(number, payload, depth)
        return _READERS[number](self, payload, depth)

    def text(self, payload: Any) -> str:
        text = self.value(payload, 1)
        if type(text) is not str:
            raise TypeError("the payload must be text")
        return text

    def _container(self, number: int, payload: Any, depth: int) -> Any:
        cls, _, is_mapping = _CONTAINERS[number]
        start = PARTS_FROM[number]
        members: Any = [self.value(part, depth) for part in payload[start:]]
        if is_mapping:
            members = dict(pairs_of(members))
        if number == Tag.DEFAULTDICT:
            return defaultdict(FACTORIES[payload[0]], members)
        return deque(members, payload[0]) if number == Tag.DEQUE else cls(members)

    def enum(self, payload: Any, depth: int) -> Any:
        name, member = payload
        cls = self.values[name].load()
        if member not in cls.__members__:
            raise SaveError(
                f"the save contains `{cls.__qualname__}.{member}`, which does not exist"
            )
        return cls.__members__[member]

    def flag(self, payload: Any, depth: int) -> Any:
        name, members = payload
        cls = self.values[name].load()
        if not (isinstance(cls, type) and issubclass(cls, Flag)):
            raise SaveError(
                f"the save has a flag `{name}`, which is no longer an `enum.Flag`"
            )
        return standard_types.unpack_flag(cls, members)

    def prefab(self, payload: Any, depth: int) -> Any:
        entry = self.values.prefabs
        try:
            return entry.load()(payload) if entry else None
        except ValueError:
            raise SaveError(
                f"the save has an unknown prefab with the number {payload}"
            ) from None

    def record(self, payload: Any, depth: int) -> Any:
        entry = self.values[payload[0]]
        saved = {number: part for number, _, part in _fields(payload)}
        cls = entry.load()
        fields = {}
        for number, name, *_ in entry.type.fields:
            if number not in saved:
                fields[name] = _default(cls, name)
            elif not is_absent(saved[number]):
                fields[name] = self.value(saved[number], depth)
        return made_of(cls, fields)

    def foreign(self, payload: Any, depth: int) -> Any:
        name, packed = payload
        entry = self.values[name]
        if entry.unpack is None:
            raise SaveError(f"the save has a `{name}`, which no longer has a codec")
        plain = self.value(packed, depth)
        try:
            return entry.unpack(plain, self.references)
        except SaveError:
            raise
        except Exception as error:
            raise SaveError(
                f"the codec of `{name}` raised {describe_error(error)}"
            ) from error


def pairs_of(parts: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield pairs from alternating keys and values. Raises `ValueError` for an odd number."""
    remaining = iter(parts)
    return zip(remaining, remaining, strict=True)


def _fields(payload: Any) -> Iterator[tuple[int, str, Tagged]]:
    """Yield the number, name and value of each field of a record."""
    _, *parts = payload
    remaining = iter(parts)
    return zip(remaining, remaining, remaining, strict=True)


def _default(cls: Any, name: str) -> Any:
    make = default_of(cls, name)
    if make is None:
        raise SaveError(
            f"`{cls.__qualname__}` has a new field `{name}` without a default; declare one"
        )
    return make(cls)


_READERS: dict[int, Callable[[_Untagger, Any, int], Any]] = {
    Tag.ABSENT: lambda self, payload, depth: ABSENT,
    Tag.INT: lambda self, payload, depth: int.from_bytes(payload, "big", signed=True),
    Tag.STR: lambda self, payload, depth: str(payload, "utf-8", "surrogatepass"),
    Tag.KEY: lambda self, key, depth: self.references.get_component(key),
    Tag.WEAK: lambda self, key, depth: weak(self.references.get_component(key)),
    Tag.CLASS: lambda self, number, depth: self.references._class_at(number),
    Tag.PREFAB: _Untagger.prefab,
    Tag.ASSET: lambda self, payload, depth: self.references.asset(self.text(payload)),
    Tag.GENERATOR: lambda self, key, depth: self.references._generator(key),
    Tag.ENUM: _Untagger.enum,
    Tag.FLAG: _Untagger.flag,
    Tag.RECORD: _Untagger.record,
    Tag.FOREIGN: _Untagger.foreign,
}


class _PlainUntagger(_Untagger):
    def __init__(self, reference: Callable[[Key], Any]) -> None:
        super().__init__(None, NO_VALUES)
        self._reference = reference

    def read(self, number: int, payload: Any, depth: int) -> Any:
        if number == Tag.KEY:
            return self._reference(payload) if payload else None
        if number >= Tag.WEAK:
            return Opaque((number, payload))
        return super().read(number, payload, depth)


# -- as text


def describe(tagged: Tagged, object_name: Callable[[Key], str] | None = None) -> str:
    """Return a tagged value as `repr` would show it.

    `object_name` returns the name of the object with a key, by default such as `object #12`.
    Raises `SaveCorruptError` for invalid data.

    >>> describe((4, (0.5, (13, "1.50"), (25, 12), (31, ("mygame.Colour", "RED")))))
    "(0.5, Decimal('1.50'), <object #12>, Colour.RED)"
    """
    name_of = object_name or describe_key
    text: str = _read(tagged, lambda tagged, depth: _text(tagged, depth, name_of))
    return text


_MAX_BITS = (
    4096  # of an int; Python may refuse to convert longer ones to decimal digits
)


def _text(tagged: Tagged, depth: int, name_of: Callable[[Key], str]) -> str:
    if type(tagged) not in (tuple, list):
        return repr(tagged)
    number, payload = _opened(tagged, depth)
    kind = Tag(number)
    if kind in _FUNCTIONS or kind == Tag.STR:
        return _plain_text(kind, payload)

    def inner(part: Tagged) -> str:
        return _text(part, depth - 1, name_of)

    if kind in _CONTAINERS:
        return _container_text(kind, payload, inner)
    match kind:
        case Tag.ABSENT:
            return "<not set>"
        case Tag.INT:
            return _int_text(payload)
        case Tag.KEY | Tag.WEAK:
            name = f"<{name_of(payload)}>" if payload else "None"
            return name if kind == Tag.KEY else f"weakref({name})"
        case Tag.ASSET:
            return f"<asset {_text(payload, 1, name_of)}>"
        case Tag.ENUM | Tag.FLAG:
            name, member = payload
            return f"{_last_part(name)}.{member}"
        case Tag.RECORD:
            fields = [f"{name}={inner(part)}" for _, name, part in _fields(payload)]
            return f"{_last_part(payload[0])}({', '.join(fields)})"
        case Tag.FOREIGN:
            name, packed = payload
            if name == LABEL:
                _, (obj, method) = packed
                return f"{inner(obj)}.{method}"
            return f"{_last_part(name)}({inner(packed)})"
    return f"<{kind.name.lower()} {payload}>"  # a class, a prefab, a generator


def _container_text(tag: Tag, payload: Any, inner: Callable[[Tagged], str]) -> str:
    cls, template, is_mapping = _CONTAINERS[tag]
    first, parts = payload[: PARTS_FROM[tag]], payload[PARTS_FROM[tag] :]
    if tag in _SETS and not parts:
        return f"{cls.__name__}()"
    texts = [*map(inner, parts)]
    if is_mapping:
        texts = [f"{key}: {value}" for key, value in pairs_of(texts)]
    if tag == Tag.DEQUE:
        first = ["" if first[0] is None else f", maxlen={first[0]}"]
    comma = "," * (tag == Tag.TUPLE and len(texts) == 1)
    return template.format(", ".join(texts) + comma, *first)


def _plain_text(number: Tag, payload: Any) -> str:
    """Return the `repr` of a value without tagged parts."""
    try:
        value = _Untagger(None, NO_VALUES).read(number, payload, 1)
        if type(value) is Opaque:
            return _text_without_library(number, payload)
        text = repr(value)
        return " ".join(text.split()) if number == Tag.NDARRAY else text  # on one line
    except (SaveError, ValueError):  # no numpy, an unknown time zone, a million digits
        return f"<{number.name.lower()} {payload!r}>"


def _text_without_library(number: Tag, payload: Any) -> str:
    """Return the text of a value of a library that is not imported."""
    if number == Tag.NDARRAY and len(payload) == 4:
        dtype, shape, _, _ = payload
        return f"<array of {dtype!r} of the shape {shape!r}>"
    return f"<{number.name.lower()} {payload!r}>"


def _int_text(payload: bytes) -> str:
    number = int.from_bytes(payload, "big", signed=True)
    return repr(number) if number.bit_length() <= _MAX_BITS else hex(number)


def _last_part(name: str) -> str:
    return name.rpartition(".")[2]


# -- the parts and keys in tagged data


def parts_of(tagged: Tagged) -> Sequence[Tagged]:
    """Return the parts of a tagged value; those of a record include names and numbers.

    >>> parts_of((11, (None, "a", (25, 7)))), parts_of((25, 7)), parts_of(12)
    (('a', (25, 7)), (), ())
    """
    if type(tagged) not in (tuple, list) or tagged[0] not in PARTS_FROM:
        return ()
    parts: Sequence[Tagged] = tagged[1][PARTS_FROM[tagged[0]] :]
    return parts


def with_parts(tagged: Tagged, change: Callable[[Tagged], Tagged]) -> Tagged:
    """Return a tagged value with `change` applied to each part."""
    parts = [*map(change, parts_of(tagged))]
    if not parts:
        return tagged
    number, payload = tagged
    if number in _SETS:
        parts.sort(key=msgpack.encode)
    return number, (*payload[: PARTS_FROM[number]], *parts)


def keys_of(tagged: Tagged, tags: tuple[int, ...] = _KEYS) -> Iterator[Key]:
    """Yield the object keys in a tagged value, or the payloads of the given tags.

    >>> [*keys_of([3, [[25, 7], 12, [7, ["a", [26, 9]]]]])]
    [7, 9]
    """
    if type(tagged) in (tuple, list) and tagged[0] in tags:
        yield tagged[1]
    for part in parts_of(tagged):
        yield from keys_of(part, tags)


def replace_keys(tagged: Tagged, change: Callable[[Key], Key]) -> Tagged:
    """Return a tagged value with `change` applied to each object key.

    >>> replace_keys((3, ((25, 7), 12)), lambda key: key + 1)
    (3, ((25, 8), 12))
    """
    if type(tagged) in (tuple, list) and tagged[0] in _KEYS:
        return tagged[0], change(tagged[1])
    return with_parts(tagged, lambda part: replace_keys(part, change))


def renumbered(
    tagged: Tagged, key: Callable[[Key], Any], generator: Callable[[int], Any]
) -> Tagged:
    """Return a tagged value with other numbers for objects and random generators.

    >>> renumbered((3, ((25, 7), (30, 2))), lambda key: -key, str)
    (3, ((25, -7), (30, '2')))
    """
    if type(tagged) in (tuple, list) and tagged[0] in _KEYS:
        return tagged[0], key(tagged[1])
    if type(tagged) in (tuple, list) and tagged[0] == Tag.GENERATOR:
        return tagged[0], generator(tagged[1])
    return with_parts(tagged, lambda part: renumbered(part, key, generator))


def without_keys(tagged: Tagged, removed: Container[Key]) -> Tagged:
    """Return a tagged value without references to the objects in `removed`.

    >>> without_keys((3, ((25, 7), (25, 8))), {7})
    (3, ((25, 0), (25, 8)))
    """
    if not any(key in removed for key in keys_of(tagged)):
        return tagged
    return replace_keys(tagged, lambda key: 0 if key in removed else key)

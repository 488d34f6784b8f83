"""Pack and unpack functions for values of the standard library.

Each type has two functions. The pack function takes a value of exactly this type and returns
plain data, see docs/save-format.md. The unpack function takes a cell, perhaps from a file, and
raises a `ValueError`, `TypeError`, `ArithmeticError` or `SaveError` if the cell is invalid.
"""

from __future__ import annotations

import decimal
import pathlib
import re
import sys
import uuid
from array import array
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from enum import Flag
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from savegen.runtime.errors import SaveError, describe_error

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_Time = TypeVar("_Time", datetime, time)

# -- numbers


def pack_complex(value: complex) -> tuple[float, float]:
    """Return the real and the imaginary part.

    >>> pack_complex(1 - 2j), unpack_complex((1.0, -2.0))
    ((1.0, -2.0), (1-2j))
    """
    return value.real, value.imag


def unpack_complex(cell: Any) -> complex:
    real, imaginary = cell
    return complex(real, imaginary)


# Reads and writes numbers exactly, independent of the context of the game's thread.
EXACT = decimal.Context(
    prec=decimal.MAX_PREC,
    Emin=decimal.MIN_EMIN,
    Emax=decimal.MAX_EMAX,
    capitals=1,
    clamp=0,
    traps=[decimal.InvalidOperation],
)
pack_decimal = EXACT.to_sci_string


def unpack_decimal(cell: str) -> decimal.Decimal:
    if type(cell) not in (str, int):
        raise TypeError(f"expected text, not {type(cell).__name__}")
    return decimal.Decimal(cell, EXACT)


_DECIMAL_LIMIT = 2**4096  # Python may refuse to convert larger ints to decimal digits
_MAX_DIGITS = 1300  # more than such an int has


def pack_fraction(value: Fraction) -> str:
    """Return the numerator and the denominator as text.

    >>> pack_fraction(Fraction(-1, 3)), unpack_fraction("-1/3")
    ('-1/3', Fraction(-1, 3))
    """
    numerator, denominator = value.numerator, value.denominator
    if max(abs(numerator), denominator) < _DECIMAL_LIMIT:
        return f"{numerator}/{denominator}"
    return f"{numerator:#x}/{denominator:#x}"


def unpack_fraction(cell: str) -> Fraction:
    before, _, after = cell.partition("/")
    numerator, denominator = _int_of(before), _int_of(after)
    if denominator < _DECIMAL_LIMIT and abs(numerator) < _DECIMAL_LIMIT:
        return Fraction(numerator, denominator)
    # To reduce a fraction of two long numbers can take minutes; `pack_fraction` writes reduced ones.
    if denominator <= 0:
        raise ValueError("a fraction without a positive denominator")
    value = object.__new__(Fraction)
    value._numerator, value._denominator = numerator, denominator  # type: ignore[attr-defined]
    return value


def _int_of(text: str) -> int:
    # The time to read decimal digits grows with the square of their number.
    if len(text) > _MAX_DIGITS and text.lstrip("-")[:2] != "0x":
        raise ValueError(f"a number of {len(text):,} decimal digits")
    return int(text, 0)


# -- dates and times


def pack_date(value: date) -> str:
    return value.isoformat()


def unpack_date(cell: str) -> date:
    # In an older save, the field may have been declared as a datetime.
    return unpack_datetime(cell) if "T" in cell else date.fromisoformat(cell)


def pack_timedelta(value: timedelta) -> tuple[int, int, int]:
    return value.days, value.seconds, value.microseconds


def unpack_timedelta(cell: Any) -> timedelta:
    days, seconds, microseconds = cell
    return timedelta(days, seconds, microseconds)


def pack_datetime(value: datetime | time) -> str:
    """Return the value in ISO 8601, then the zone in brackets, then `#1` for fold 1.

    Raises `SaveError` for a zone that is neither a `datetime.timezone` nor a `ZoneInfo` of the tz
    database.

    >>> from zoneinfo import ZoneInfo
    >>> pack_datetime(datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Rome")))
    '2024-10-27T02:30:00[Europe/Rome]#1'
    """
    if value.tzinfo is None and not value.fold:
        return value.isoformat()
    zone, fold = value.tzinfo, "#1" * value.fold
    if key := _key_of(zone):
        if not _ZONE_KEY.fullmatch(key):
            raise SaveError(f"the time zone {key[:64]!r} is not in the tz database")
        return f"{value.replace(tzinfo=None, fold=0).isoformat()}[{key}]{fold}"
    if zone is not None and type(zone) is not timezone:
        raise SaveError(
            "a time zone must be a `zoneinfo.ZoneInfo` with a key, or a `datetime.timezone`"
        )
    # The arguments include a name only if the zone was created with one.
    _, *names = zone.__getinitargs__() if zone else (None,)  # type: ignore[attr-defined]
    named = f"[={names[0]}]" if names else ""
    return f"{value.replace(fold=0).isoformat()}{named}{fold}"


def _key_of(zone: object) -> str | None:
    """Return the key of a `ZoneInfo`; `None` for other zones, or without a key."""
    # The game has imported it if it has such a zone.
    zoneinfo = sys.modules.get("zoneinfo")
    if zoneinfo is None or type(zone) is not zoneinfo.ZoneInfo:
        return None
    key: str | None = zone.key  # type: ignore[attr-defined]
    return key


def names_zone(cell: str) -> bool:
    """Return whether a cell of a datetime or a time names a zone of the system.

    >>> names_zone("12:00:00[Europe/Rome]"), names_zone("12:00:00+01:00[=CET]")
    (True, False)
    """
    match = _ZONED.fullmatch(cell)
    return match is not None and match[2] is None and match[8] is not None


def unpack_datetime(cell: str) -> datetime:
    return _unpack_with_zone(datetime, cell)


def unpack_time(cell: str) -> time:
    return _unpack_with_zone(time, cell)


_OFFSET = r"([+-])(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{6}))?)?"
_ZONED = re.compile(rf"([^\[#]*?)({_OFFSET})?(?:\[(.*)\])?(#1)?", re.DOTALL)


def _unpack_with_zone(cls: type[_Time], cell: str) -> _Time:
    match = _ZONED.fullmatch(cell)
    if match is None:
        raise ValueError(f"invalid time {cell[:60]!r}")
    iso, has_offset, *offset, name, fold = match.groups()
    zone: timezone | ZoneInfo | None = None
    if has_offset:
        zone = _fixed_zone(offset, name)
    elif name is not None:
        zone = _named_zone(name)
    return cls.fromisoformat(iso).replace(tzinfo=zone, fold=1 if fold else 0)


def _fixed_zone(offset: list[str | None], name: str | None) -> timezone:
    # `fromisoformat` would read an offset below one second as zero.
    sign, *parts = offset
    hours, minutes, seconds, micros = (int(part or 0) for part in parts)
    span = timedelta(0, seconds, micros, 0, minutes, hours)
    span = -span if sign == "-" else span
    return timezone(span) if name is None else timezone(span, name.removeprefix("="))


# `ZoneInfo` opens a file of the system by key, or imports the package of a folder below
# `tzdata.zoneinfo`. So only the folders of the tz database are allowed, whatever a save says.
_ZONE_KEY = re.compile(
    r"((posix|right)/)?"
    r"((Africa|America(/(Argentina|Indiana|Kentucky|North_Dakota))?|Antarctica|Arctic|Asia|Atlantic"
    r"|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|SystemV|US)/)?"
    r"[A-Za-z0-9_+-]{1,32}"
)


def _named_zone(key: str) -> ZoneInfo:
    from zoneinfo import ZoneInfo  # a value has a zone of the system

    if not _ZONE_KEY.fullmatch(key):
        raise SaveError(f"invalid time zone {key[:64]!r}")
    try:
        return ZoneInfo(key)
    except Exception as error:
        raise SaveError(f"unknown time zone {key!r}: {describe_error(error)}") from None


# -- bytes and names

_SAFE, _UNSAFE = b"\1", b"\2"
_SAFETY = {
    b"": uuid.SafeUUID.unknown,
    _SAFE: uuid.SafeUUID.safe,
    _UNSAFE: uuid.SafeUUID.unsafe,
}


def pack_uuid(value: uuid.UUID) -> bytes:
    if value.is_safe is uuid.SafeUUID.unknown:
        return value.bytes
    return value.bytes + (_SAFE if value.is_safe is uuid.SafeUUID.safe else _UNSAFE)


def unpack_uuid(cell: bytes) -> uuid.UUID:
    if cell[16:] not in _SAFETY:
        raise ValueError("invalid UUID")
    return uuid.UUID(bytes=cell[:16], is_safe=_SAFETY[cell[16:]])


SYSTEM_PATH = type(pathlib.Path())  # another class on another system
_PATHS: dict[str, type[pathlib.PurePath]] = {
    "posix": pathlib.PurePosixPath,
    "windows": pathlib.PureWindowsPath,
    "path": SYSTEM_PATH,
}
FLAVOURS = {cls: flavour for flavour, cls in _PATHS.items()}


def is_path(value: object) -> bool:
    """Return whether a value is a path of a type that can be packed."""
    return isinstance(value, pathlib.PurePath) and type(value) in FLAVOURS


def pack_path(value: pathlib.PurePath, flavour: str = "") -> str:
    """Return a path as text, prefixed with its flavour.

    `flavour` is that of the declared type. Only a path of the system, in a field declared `Path`,
    has no prefix, unless its text could be taken for one with a prefix.

    >>> pack_path(pathlib.PurePosixPath("a/b"), "path"), pack_path(pathlib.Path("a/b"), "path")
    ('posix:a/b', 'a/b')
    """
    own_flavour = FLAVOURS[type(value)]
    # Backslashes are not separators on some other systems.
    text = value.as_posix() if own_flavour == "path" else str(value)
    if own_flavour == flavour == "path" and text.partition(":")[0] not in _PATHS:
        return text
    return f"{own_flavour}:{text}"


def unpack_path(cell: str, flavour: str = "") -> pathlib.PurePath:
    own_flavour, colon, text = cell.partition(":")
    if colon and own_flavour in _PATHS:
        return _PATHS[own_flavour](text)
    return _PATHS[flavour](cell)


def pack_array(value: array[Any]) -> tuple[str, bytes]:
    """Return the typecode with the size of a member in bytes, and the members, little-endian.

    >>> pack_array(array("h", [1, 2])), unpack_array(("h2", b"\\1\\0\\2\\0"))
    (('h2', b'\\x01\\x00\\x02\\x00'), array('h', [1, 2]))
    """
    if sys.byteorder == "big":
        value = value[:]
        value.byteswap()
    return f"{value.typecode}{value.itemsize}", value.tobytes()


def unpack_bytearray(cell: bytes) -> bytearray:
    if type(cell) is not bytes:  # `bytearray` of an int would be that many zero bytes
        raise TypeError(f"expected bytes, not {type(cell).__name__}")
    return bytearray(cell)


def unpack_array(cell: Any) -> array[Any]:
    code, data = cell
    if type(code) is not str or type(data) is not bytes:
        raise TypeError("expected a typecode and bytes")
    typecode, size = code[:1], int(code[1:])
    value = array(typecode)
    if value.itemsize != size:  # the cell is from a system with other sizes
        other_code = f"{_typecode_of_size(typecode, size)}{size}"
        return array(typecode, unpack_array((other_code, data)))
    value.frombytes(data)
    if sys.byteorder == "big":
        value.byteswap()
    if typecode in "uw":
        value.tounicode()  # raises an error for invalid characters
    return value


def _typecode_of_size(typecode: str, size: int) -> str:
    """Return an integer typecode whose items have the given size."""
    typecodes = "bhilq" if typecode.islower() else "BHILQ"
    for other in typecodes if typecode in typecodes else "":
        if array(other).itemsize == size:
            return other
    raise ValueError(
        f"this platform has no integer typecode with items of {size} bytes, as {typecode!r} had"
    )


# -- members of flags


def pack_flag(value: Flag) -> str:
    """Return the names of the bits of a flag, joined by `|`; unnamed bits are one number.

    >>> from enum import KEEP
    >>> class Way(Flag, boundary=KEEP):
    ...     NORTH = 1
    ...     EAST = 2
    >>> pack_flag(Way.NORTH | Way.EAST), pack_flag(Way(0)), pack_flag(Way(9))
    ('NORTH|EAST', '0x0', 'NORTH|0x8')
    >>> unpack_flag(Way, "EAST|0x8") == Way(10)
    True
    """
    text = _flag_text if value._value_ < 2**64 else _flag_text.__wrapped__
    return text(type(value), value._value_)


@lru_cache(1024)
def _flag_text(cls: type[Flag], value: int) -> str:
    if value < 0:
        return hex(value)
    parts = []
    for name, bit in _single_bits(cls):
        if value & bit:
            parts.append(name)
            value &= ~bit
    return "|".join(parts + [hex(value)] * (value > 0 or not parts))


@lru_cache(256)
def _single_bits(cls: type[Flag]) -> list[tuple[str, int]]:
    """Return the members that have a single bit, the lowest first."""
    bits = [
        (name, member._value_)
        for name, member in cls.__members__.items()
        # A member of another name is an alias.
        if member._name_ == name
        and member._value_ > 0
        and member._value_.bit_count() == 1
    ]
    return sorted(bits, key=lambda bit: bit[1])


_MAX_COMBINATIONS = 2**17


def unpack_flag(cls: type[Flag], cell: str) -> Flag:
    """Return the flag with the members named in a text.

    Raises `SaveError` for a name that the class does not have, and for a new combination if Python
    keeps very many of them: it keeps each one as long as the class.
    """
    value = 0
    for part in cell.split("|"):
        if part in cls.__members__:
            value |= cls.__members__[part]._value_
        elif part[:1].isdigit() or part[:1] == "-":
            value |= int(part, 16)
        else:
            raise SaveError(
                f"the save contains `{cls.__qualname__}.{part}`, which does not exist"
            )
    known = cls._value2member_map_
    if len(known) >= _MAX_COMBINATIONS and value not in known:
        raise SaveError(
            f"`{cls.__qualname__}` has more than {_MAX_COMBINATIONS:,} combinations of members"
        )
    return cls(value)


# -- subclasses, whose own code must not run

Function = Callable[[Any], Any]
Made = Callable[[Any, Any], Any]


def _with_slots(base: Any, *names: str) -> tuple[Function, Made]:
    """Return what takes and what makes values of a class in Python that has slots."""

    def made(cls: Any, content: Any) -> Any:
        value = object.__new__(cls)
        for name in names:
            vars(base)[name].__set__(value, vars(base)[name].__get__(content))
        return value

    return lambda value: made(base, value), made


def _by_state(base: Any) -> tuple[Function, Made]:
    """Return the same for a class of dates, by C functions of the base."""

    def made(cls: Any, content: Any) -> Any:
        return base.__new__(cls, *base.__reduce_ex__(content, 4)[1])

    return lambda value: made(base, value), made


def _span(value: Any) -> timedelta:
    names = "days", "seconds", "microseconds"
    return timedelta(*(vars(timedelta)[name].__get__(value) for name in names))


def _bytes_of(cls: Any, content: bytearray) -> Any:
    made = bytearray.__new__(cls)
    bytearray.__init__(made, content)
    return made


# -- the table of types


def _listed(cell: Any) -> Any:
    return [*cell] if type(cell) is tuple else cell


def _itself(value: Any) -> Any:
    return value


def _float(value: Any) -> Any:
    is_exact = type(value) is int and int(float(value)) == value
    return float(value) if is_exact else value


class StandardType(NamedTuple):
    """All that is known of a class of the standard library."""

    cls: Any
    pack: Function
    unpack: Function
    # A cell; if it is an array, all cells have its length, and parts of its types.
    blank: Any
    # What a value of a subclass is as a value of the class; and a value of a subclass from one.
    content: Function
    made: Made
    is_mutable: bool = False
    # The cell of an int, if its values are exact numbers.
    of_int: Function | None = None
    # A cell as the plain data that migrations work with, and back.
    plain: Function = _listed
    of_plain: Function = _itself


STANDARD_TYPES = {
    "complex": StandardType(
        complex,
        pack_complex,
        unpack_complex,
        (0.0, 0.0),
        complex.__complex__,
        complex.__new__,
        of_plain=lambda value: (*map(_float, value),),
    ),
    "decimal": StandardType(
        decimal.Decimal,
        pack_decimal,
        unpack_decimal,
        "0",
        lambda value: unpack_decimal(pack_decimal(value)),
        lambda cls, value: decimal.Decimal.__new__(cls, value, EXACT),
        of_int=str,
    ),
    "fraction": StandardType(
        Fraction,
        pack_fraction,
        unpack_fraction,
        "0/1",
        *_with_slots(Fraction, "_numerator", "_denominator"),
        of_int="{}/1".format,
    ),
    "date": StandardType(date, pack_date, unpack_date, "0001-01-01", *_by_state(date)),
    "time": StandardType(
        time, pack_datetime, unpack_time, "00:00:00", *_by_state(time)
    ),
    "datetime": StandardType(
        datetime,
        pack_datetime,
        unpack_datetime,
        "0001-01-01T00:00:00",
        *_by_state(datetime),
    ),
    "timedelta": StandardType(
        timedelta,
        pack_timedelta,
        unpack_timedelta,
        (0, 0, 0),
        _span,
        lambda cls, span: timedelta.__new__(cls, *pack_timedelta(span)),
    ),
    "uuid": StandardType(
        uuid.UUID,
        pack_uuid,
        unpack_uuid,
        bytes(16),
        *_with_slots(uuid.UUID, "int", "is_safe"),
        plain=lambda cell: str(unpack_uuid(cell)),
        of_plain=lambda value: uuid.UUID(value).bytes if type(value) is str else value,
    ),
    "bytearray": StandardType(
        bytearray,
        bytes,
        unpack_bytearray,
        b"",
        lambda value: bytearray.__add__(value, b""),
        _bytes_of,
        is_mutable=True,
    ),
    "array": StandardType(
        array,
        pack_array,
        unpack_array,
        ("b1", b""),
        lambda value: array(
            vars(array)["typecode"].__get__(value), array.tolist(value)
        ),
        lambda cls, value: array.__new__(cls, value.typecode, value.tolist()),
        is_mutable=True,
    ),
}
"""By stored type. A path and a flag are not listed, because their class is not the stored type."""

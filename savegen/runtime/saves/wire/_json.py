"""Plain data as JSON has it: what that cannot say is a dict with one key."""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Callable
from typing import Any

import msgspec

from savegen.runtime.errors import SaveCorruptError


def short(thing: Any) -> str:
    """Return a thing of the file's as a message can show it."""
    try:
        text = ascii(thing)
    except (RecursionError, ValueError):
        text = type(thing).__name__
    return text if len(text) <= 80 else text[:77] + "..."


def converted(plain: Any, type: Any) -> Any:
    """Return plain data as a type of msgspec's. Raises `SaveCorruptError` if it is not."""
    try:
        return msgspec.convert(plain, type)
    except (msgspec.ValidationError, RecursionError) as error:
        raise SaveCorruptError(
            f"the save has a value that is broken: {error}"
        ) from None


_BITS = ">Q"


def jsonable(value: Any) -> Any:
    """Return plain data with what JSON cannot say written as a dict with one key.

    >>> jsonable([float("inf"), b"ab", 2**70])
    [{'$float': 'inf'}, {'$bytes': 'YWI='}, {'$int': '0x400000000000000000'}]
    """
    cls = type(value)
    if cls is float:
        return value if math.isfinite(value) else {"$float": _odd_float(value)}
    if cls is int:
        return value if is_short(value) else {"$int": hex(value)}
    if cls is str:
        return value if is_text(value) else {"$str": escaped(value)}
    if cls is bytes:
        return {"$bytes": base64.b64encode(value).decode()}
    if cls is list or cls is tuple:
        return [jsonable(each) for each in value]
    if cls is dict:
        return {key: jsonable(each) for key, each in value.items()}
    return value


def _odd_float(value: float) -> str:
    if math.isinf(value):
        return str(value)
    (bits,) = struct.unpack(_BITS, struct.pack(">d", value))
    return f"nan {bits:016x}"


def _float_of(text: str) -> float:
    if text in ("inf", "-inf"):
        return float(text)
    if not text.startswith("nan "):
        raise ValueError("no such number")
    value: float = struct.unpack(">d", struct.pack(_BITS, int(text[4:], 16)))[0]
    return value


_SAID: dict[str, Callable[[str], Any]] = {
    "$float": _float_of,
    "$int": lambda text: int(text, 16),
    "$str": lambda text: unescaped(text),
    "$bytes": lambda text: base64.b64decode(text, validate=True),
}


def said(plain: Any) -> Any:
    """Return the number, text or bytes that `jsonable` has written as a dict."""
    if type(plain) is not dict:
        return plain
    try:
        ((key, text),) = plain.items()
        return _SAID[key](converted(text, str))
    except (KeyError, ValueError, TypeError, struct.error, binascii.Error):
        raise SaveCorruptError(
            f"the save has a value that is broken: {short(plain)}"
        ) from None


# -- numbers and texts


def is_short(value: int) -> bool:
    """Tell whether an int can be written as a number."""
    return -(2**63) <= value < 2**64


def is_text(value: str) -> bool:
    """Tell whether a text can be written: lone surrogates cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def escaped(value: str) -> str:
    """Return a text with lone surrogates in it as one without.

    >>> escaped("a\\ud800"), unescaped(escaped("a\\ud800")) == "a\\ud800"
    ('a\\\\ud800', True)
    """
    return value.encode("unicode_escape").decode("ascii")


def unescaped(value: str) -> str:
    return value.encode("ascii").decode("unicode_escape")

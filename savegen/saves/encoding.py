"""Encode and decode MessagePack, with extension types for what it has no types for."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.msgpack import Decoder, Encoder, Ext

LONG_ERRORS = (OverflowError, UnicodeEncodeError)
_LONG_INT, _LONG_STR = (
    1,
    2,
)  # extension types: an int beyond 64 bits, a str with surrogates


class _Long:
    """An int or a str in a value to encode, which may be a key of a map."""

    def __init__(self, value: int | str) -> None:
        self.value = value

    def encoded(self) -> Ext:
        if isinstance(self.value, str):
            return Ext(_LONG_STR, self.value.encode("utf-8", "surrogatepass"))
        size = self.value.bit_length() // 8 + 1
        return Ext(_LONG_INT, self.value.to_bytes(size, "big", signed=True))


def _with_long(value: Any) -> Any:
    """Return a value in which the parts that MessagePack cannot encode are `_Long`."""
    if isinstance(value, dict):
        return {_with_long(key): _with_long(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [*map(_with_long, value)]
    return value if can_be_encoded(value) else _Long(value)


def _decoded(number: int, data: memoryview) -> int | str:
    if number == _LONG_INT:
        return int.from_bytes(data, "big", signed=True)
    if number == _LONG_STR:
        return str(data, "utf-8", "surrogatepass")
    raise ValueError(f"unknown extension type {number}")


ENCODER = Encoder()
encode = ENCODER.encode
_encode_long = Encoder(enc_hook=_Long.encoded).encode
any_decoder = partial(Decoder, ext_hook=_decoded)
"""Makes a decoder, of a type, for what `encode_any` has encoded."""
decode_any = any_decoder().decode


def encode_any(value: Any) -> bytes:
    """Encode a value that may contain ints beyond 64 bits, and texts with lone surrogates.

    >>> decode_any(encode_any({"a": [2**64, "\\udc80"]})) == {"a": [2**64, "\\udc80"]}
    True
    """
    try:
        return encode(value)
    except LONG_ERRORS:
        return _encode_long(_with_long(value))


def can_be_encoded(cell: Any) -> bool:
    """Return whether no part of a cell needs an extension type."""
    try:
        encode(cell)
    except LONG_ERRORS:
        return False
    return True

"""Plain values: when two are exactly the same, and the bytes that stand for one.

`==` will not do: it takes 0 for False, 0.0 for -0.0 and Decimal("1.0") for Decimal("1.00"),
finds no NaN like any other, and would run the game's own code.

Plain are the types of the standard library that fields can have, classes that are nothing but
their fields, arrays of numpy's, and what a codec knows.
"""

from savegen.runtime.plain._bytes import (
    EXACT,
    Name,
    factory,
    framed,
    identity,
    limit,
    member,
    same,
    same_float,
    write,
)
from savegen.runtime.plain._copies import Copying, copy, keys_in, renewed
from savegen.runtime.plain._known import (
    CODEC,
    Codec,
    copied_array,
    is_array,
    is_saveable_class,
    learnt,
    offer,
    record_fields,
)

__all__ = [
    "CODEC",
    "EXACT",
    "Codec",
    "Copying",
    "Name",
    "copied_array",
    "copy",
    "factory",
    "framed",
    "identity",
    "is_array",
    "is_saveable_class",
    "keys_in",
    "learnt",
    "limit",
    "member",
    "offer",
    "record_fields",
    "renewed",
    "same",
    "same_float",
    "write",
]

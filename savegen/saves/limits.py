"""Limits on the size of saves, so that a hostile file cannot exhaust the player's machine."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

import msgspec

from savegen.runtime.errors import (
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    describe_error,
)

Bytes: TypeAlias = bytes | memoryview

P = ParamSpec("P")
T = TypeVar("T")

MIB = 1 << 20

_GROWTH = 16  # bytes of memory allowed for each byte of a file
_BLOCK = 64  # average size of a block of Python's allocator, in bytes
_POINTER = 8  # bytes of a list for each member
_CONTAINER = 80  # bytes of an empty list or map, at most
_SMALL = 16 * 1024  # bytes of a piece that is too small to measure
_ENDLESS = 1 << 62  # bytes; the size of a file is unknown until it is written
# The deepest nesting of values in a save. Some deeper values are refused by msgspec.
DEPTH = 64
_SAFE_RECURSION = 1500
# The errors of msgspec for malformed data and unsuitable values.
CODING_ERRORS = (msgspec.MsgspecError, ValueError, TypeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a save. A save that exceeds one is neither written nor read.

    >>> Limits(objects=2).allow("the number of objects", "objects", 3)
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveLimitError: the number of objects is 3; at most 2 are allowed
    """

    size: int = 1024 * MIB  # bytes, uncompressed
    # Bytes that reading a file may take, unless 16 times the size of the file are more.
    memory: int = 1024 * MIB
    thumbnail: int = 16 * MIB  # bytes
    tables: int = 10_000
    columns: int = 200_000  # of all tables
    objects: int = 50_000_000  # rows of all tables, with components and game objects
    section: int = 256 * MIB  # bytes, uncompressed, of one object or of one text
    name: int = 4096  # characters in the name of a class or field
    type: int = 65_536  # characters in a stored type

    def allow(self, what: str, limit: str, got: int) -> None:
        """Raise `SaveLimitError` if `got` exceeds the limit of that name."""
        most: int = getattr(self, limit)
        if got > most:
            raise SaveLimitError(what, most, got)


class Guard:
    """Decodes the parts of a save and counts the memory that they take.

    Files that are read together share a guard. Raises `SaveLimitError` when the sum is above both
    `Limits.memory` and 16 times the size of the files.

    >>> guard = Guard(Limits(), 0)
    >>> guard.decode(msgspec.msgpack.Decoder(int), b"\x07", "the number")
    7
    """

    def __init__(self, limits: Limits, size: int) -> None:
        self.limits = limits
        self.size = size  # bytes of the files
        self.taken = 0
        self._decoded = 0  # bytes decoded since the blocks were counted
        self._blocks = -1  # the number of blocks at that time

    @property
    def most(self) -> int:
        """The memory that decoding may take."""
        return max(self.limits.memory, _GROWTH * self.size)

    def take(self, size: int) -> None:
        """Count memory. Raises `SaveLimitError` if the sum exceeds the limit."""
        self.taken += size
        self.check(self.most)

    def check(self, most: int) -> None:
        """Raise `SaveLimitError` if more memory than `most` was counted."""
        if self.taken > most:
            raise SaveLimitError("the memory for the save", most, self.taken)

    def decode(
        self,
        decoder: Any,
        data: Bytes,
        what: str,
        offset: int | None = None,
        *,
        is_deep: bool = False,
    ) -> Any:
        """Return the value of MessagePack data.

        `is_deep` is set for data that may be nested to any depth. Raises `SaveCorruptError` and
        `SaveLimitError`, which name the data as `what`.
        """
        if len(data) > MIB and self.taken + _CONTAINER * len(data) > self.most:
            self._weigh(data)
        try:
            decode = partial(shallow, decoder) if is_deep else decoder.decode
            return self._measured(decode, data, what)
        except CODING_ERRORS as error:
            raise SaveCorruptError(f"{what} cannot be read: {error}", offset) from None
        except RecursionError:
            what = f"the depth of the values in {what}"
            raise SaveLimitError(what, DEPTH, DEPTH + 1) from None
        except MemoryError:
            raise out_of_memory() from None

    def _weigh(self, data: Bytes) -> None:
        """Raise `SaveLimitError` if decoding a long section would take too much memory."""
        taken = self.taken + _CONTAINER * containers_in(data) + _POINTER * len(data)
        if taken > self.most:
            raise SaveLimitError("the memory for the save", self.most, taken)

    def _measured(self, decode: Callable[[Bytes], T], data: Bytes, what: str) -> T:
        """Decode; measure the memory after each mebibyte only, because that is slow."""
        if self._blocks < 0:
            self._blocks = sys.getallocatedblocks()
        found = decode(data)
        self._decoded += len(data)
        if self._decoded >= MIB:
            self.settle()
        return found

    def settle(self) -> None:
        """Count the memory that was allocated since the last count."""
        blocks = sys.getallocatedblocks()
        taken = max(_BLOCK * (blocks - self._blocks), _POINTER * self._decoded)
        self._decoded, self._blocks = 0, blocks
        self.take(taken)


class MemoryEstimate(Guard):
    """Estimates, while a file is written, the memory that a guard will count when it is read."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits, _ENDLESS)
        self._skipped = 0  # bytes since the last measurement
        self._rate: dict[str, float] = (
            {}
        )  # bytes of memory for each byte of data, by sort of data

    def _measured(self, decode: Callable[[Bytes], T], data: Bytes, what: str) -> T:
        size = len(data)
        is_due = what not in self._rate or self._skipped >= MIB
        looks = is_due and size >= _SMALL
        before = sys.getallocatedblocks() if looks else 0
        found = decode(data)
        if looks:
            blocks = sys.getallocatedblocks() - before
            self._rate[what] = max(_BLOCK * blocks / size, _POINTER)
            self._skipped = 0
        self._skipped += size
        self.taken += int(self._rate.get(what, _GROWTH) * size)
        return found


def out_of_memory() -> SaveError:
    """Return the error for a machine that has too little memory."""
    return SaveError("there is not enough memory for the save")


def enough_memory(function: Callable[P, T]) -> Callable[P, T]:
    """Turn a `MemoryError` of a function into a `SaveError`."""

    @wraps(function)
    def guarded(*args: P.args, **options: P.kwargs) -> T:
        try:
            return function(*args, **options)
        except MemoryError:
            raise out_of_memory() from None

    return guarded


def why(error: BaseException) -> str:
    """Return the reason why a value could not be encoded."""
    if isinstance(error, RecursionError):
        return "it is nested too deep, or contains itself"
    return describe_error(error)


# -- decoding data of any depth


def shallow(decoder: Any, data: Bytes) -> Any:
    """Decode, and raise `RecursionError` before deep data can exhaust the C stack.

    It is needed for games that have raised Python's recursion limit.
    """
    limit = sys.getrecursionlimit()
    if limit <= _SAFE_RECURSION or sys.version_info >= (3, 12):
        return decoder.decode(data)
    try:
        sys.setrecursionlimit(_SAFE_RECURSION)
    except RecursionError:  # the game itself is in a deeper recursion
        return decoder.decode(data)
    try:
        return decoder.decode(data)
    finally:
        sys.setrecursionlimit(limit)


# -- reading MessagePack without decoding it

# Values that contain no others, and texts of up to 31 bytes; then a container, or a text that
# is longer.
_TOKENS = re.compile(
    rb"(?:[\x00-\x7f\xe0-\xff\xc0\xc2\xc3]|[\xcc\xd0].|[\xcd\xd1]..|[\xca\xce\xd2].{4}"
    rb"|[\xcb\xcf\xd3].{8}|"
    + b"|".join(b"%b.{%d}" % (re.escape(bytes([0xA0 + n])), n) for n in range(32))
    + rb")*+([\x80-\x9f]|[\xdc\xde]..|[\xdd\xdf].{4}|([\xc4\xd9].|[\xc5\xda]..|[\xc6\xdb].{4}))",
    re.DOTALL,
)


def containers_in(data: Bytes) -> int:
    r"""Return the number of arrays and maps in MessagePack data.

    The count ends where the data is not valid MessagePack.

    >>> containers_in(b"\x93\x01\x90\x81\x01\x02")
    3
    """
    count = at = 0
    while found := _TOKENS.match(data, at):
        at = found.end()
        if found[2] is None:
            count += 1
        else:
            at += int.from_bytes(found[2][1:], "big")
    return count

"""What a save may hold, so that a file from a stranger cannot use up a player's machine."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

import msgspec

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError, told

Bytes: TypeAlias = bytes | memoryview

P = ParamSpec("P")
T = TypeVar("T")

MIB = 1 << 20

_GROWTH = 16  # bytes of memory that a file may take for each of its bytes
_BLOCK = 64  # bytes that a block of Python's allocator takes, on the average
_POINTER = 8  # bytes that a member of a list takes beside itself
_CONTAINER = 80  # bytes that an empty list or map takes, at most
_SMALL = 16 * 1024  # bytes of a piece that is not worth a look
_ENDLESS = 1 << 62  # bytes; how large a file will be is known when it is written
# Of values within values; savegen refuses some of them, and Python the others.
DEPTH = 64
_SAFE_RECURSION = 1500
# What msgspec raises for bytes and for values that are not what they should be.
ODD = (msgspec.MsgspecError, ValueError, TypeError, OverflowError)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a save may hold. A save that holds more is neither written nor read.

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
        """Raise `SaveLimitError` if `got` is above the limit of that name."""
        most: int = getattr(self, limit)
        if got > most:
            raise SaveLimitError(what, most, got)


class Guard:
    """Decodes the parts of a save, and adds up the memory that they really take.

    Files that are read together share one. Raises `SaveLimitError` when the sum is above
    `Limits.memory` and 16 times the size of the files.

    >>> guard = Guard(Limits(), 0)
    >>> guard.decode(msgspec.msgpack.Decoder(int), b"\x07", "the number")
    7
    """

    def __init__(self, limits: Limits, size: int) -> None:
        self.limits = limits
        self.size = size  # bytes of the files
        self.taken = 0
        self._decoded = 0  # bytes since the blocks were counted
        self._blocks = -1  # of the interpreter then

    @property
    def most(self) -> int:
        """The memory that decoding may take."""
        return max(self.limits.memory, _GROWTH * self.size)

    def take(self, size: int) -> None:
        """Count memory. Raises `SaveLimitError` if it is too much."""
        self.taken += size
        self.check(self.most)

    def check(self, most: int) -> None:
        """Raise `SaveLimitError` if more memory was taken than that."""
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
        """Return what some bytes of MessagePack say.

        Bytes that may be nested without an end are `is_deep`. Raises `SaveCorruptError` and
        `SaveLimitError`, which name `what` it is.
        """
        if len(data) > MIB and self.taken + _CONTAINER * len(data) > self.most:
            self._weigh(data)
        try:
            decode = partial(shallow, decoder) if is_deep else decoder.decode
            return self._measured(decode, data, what)
        except ODD as error:
            raise SaveCorruptError(f"{what} cannot be read: {error}", offset) from None
        except RecursionError:
            what = f"the depth of the values in {what}"
            raise SaveLimitError(what, DEPTH, DEPTH + 1) from None
        except MemoryError:
            raise out_of_memory() from None

    def _weigh(self, data: Bytes) -> None:
        """Raise `SaveLimitError` if a long section would take too much memory."""
        taken = self.taken + _CONTAINER * containers_in(data) + _POINTER * len(data)
        if taken > self.most:
            raise SaveLimitError("the memory for the save", self.most, taken)

    def _measured(self, decode: Callable[[Bytes], T], data: Bytes, what: str) -> T:
        """Decode, and look at the memory after each mebibyte: it takes a while."""
        if self._blocks < 0:
            self._blocks = sys.getallocatedblocks()
        found = decode(data)
        self._decoded += len(data)
        if self._decoded >= MIB:
            self.settle()
        return found

    def settle(self) -> None:
        """Count the memory that was taken since it was counted last."""
        blocks = sys.getallocatedblocks()
        taken = max(_BLOCK * (blocks - self._blocks), _POINTER * self._decoded)
        self._decoded, self._blocks = 0, blocks
        self.take(taken)


class Estimate(Guard):
    """Estimates, while a file is written, what a guard will count when it is read."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits, _ENDLESS)
        self._skipped = 0  # bytes since the last look
        self._rate: dict[str, float] = {}  # memory for each byte, by what it is

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
    """Return what was wrong with a value that could not be encoded."""
    if isinstance(error, RecursionError):
        return "it is nested too deep, or contains itself"
    return told(error)


# -- decoding what may be nested without an end


def shallow(decoder: Any, data: Bytes) -> Any:
    """Decode, but raise `RecursionError` before deep data could use up the stack of C.

    Python does that by itself, unless a game has raised the limit of recursion.
    """
    limit = sys.getrecursionlimit()
    if limit <= _SAFE_RECURSION or sys.version_info >= (3, 12):
        return decoder.decode(data)
    try:
        sys.setrecursionlimit(_SAFE_RECURSION)
    except RecursionError:  # the game itself is deeper in calls than that
        return decoder.decode(data)
    try:
        return decoder.decode(data)
    finally:
        sys.setrecursionlimit(limit)


# -- looking at MessagePack without decoding it

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
    r"""Return how many arrays and maps there are in bytes of MessagePack.

    Of bytes that are no MessagePack, the part is counted that is.

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

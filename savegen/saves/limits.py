"""What a save may hold, so that a file from a stranger cannot use up a player's machine."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import msgspec

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError, told

Bytes: TypeAlias = bytes | memoryview

MIB = 1 << 20

_GROWTH = 16  # bytes of memory that a file may take for each of its bytes
_BLOCK = 64  # bytes that a block of Python's allocator takes, on the average
_POINTER = 8  # bytes that a member of a list takes beside itself
_CONTAINER = 80  # bytes that an empty list or map takes, at most
_SMALL = 16 * 1024  # bytes of a piece that is not worth a look
_ENDLESS = 1 << 62  # bytes; how large a file will be is known when it is written
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
    objects: int = (
        50_000_000  # rows of all tables: components and game objects included
    )
    section: int = (
        256 * MIB
    )  # bytes, uncompressed: so much may one object or one text have
    name: int = 4096  # characters in the name of a class or field
    type: int = 65_536  # characters in a stored type
    depth: int = 256  # arrays and maps within each other

    def allow(self, what: str, limit: str, got: int) -> None:
        """Raise `SaveLimitError` if `got` is above the limit of that name."""
        most: int = getattr(self, limit)
        if got > most:
            raise SaveLimitError(what, most, got)


class Decoder(Protocol):
    """Makes a value from MessagePack."""

    def decode(self, data: Any, /) -> Any: ...


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
        decoder: Decoder,
        data: Bytes,
        what: str,
        offset: int | None = None,
        *,
        is_deep: bool = False,
    ) -> Any:
        """Return what some bytes of MessagePack say.

        Bytes that can be nested without an end, `is_deep`, are measured before they are
        decoded. Raises `SaveCorruptError` and `SaveLimitError`, which name `what` it is.
        """
        if is_deep or (len(data) > MIB and self._may_be_too_much(data)):
            self._weigh(data, what, offset)
        try:
            return self._measured(decoder, data, what)
        except ODD as error:
            raise SaveCorruptError(f"{what} cannot be read: {error}", offset) from None
        except RecursionError:
            raise self._too_deep(what) from None
        except MemoryError:
            raise out_of_memory() from None

    def _measured(self, decoder: Decoder, data: Bytes, what: str) -> Any:
        """Decode, and look at the memory after each mebibyte: it takes a while."""
        if self._blocks < 0:
            self._blocks = sys.getallocatedblocks()
        found = decoder.decode(data)
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

    def _may_be_too_much(self, data: Bytes) -> bool:
        return self.taken + _CONTAINER * len(data) > self.most

    def _weigh(self, data: Bytes, what: str, offset: int | None) -> None:
        """Raise `SaveLimitError` for values nested too deep, or for too much memory."""
        try:
            containers = scan(data, self.limits.depth)
        except Deep:
            raise self._too_deep(what) from None
        except ValueError as error:
            raise SaveCorruptError(f"{what} cannot be read: {error}", offset) from None
        taken = self.taken + _CONTAINER * containers + _POINTER * len(data)
        if taken > self.most:
            raise SaveLimitError("the memory for the save", self.most, taken)

    def _too_deep(self, what: str) -> SaveLimitError:
        most = self.limits.depth
        return SaveLimitError(f"the depth of {what}", most, most + 1)


class Estimate(Guard):
    """Estimates, while a file is written, what a guard will count when it is read."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits, _ENDLESS)
        self._skipped = 0  # bytes since the last look
        self._rate: dict[str, float] = {}  # memory for each byte, by what it is

    def _measured(self, decoder: Decoder, data: Bytes, what: str) -> Any:
        size = len(data)
        is_due = what not in self._rate or self._skipped >= MIB
        looks = is_due and size >= _SMALL
        before = sys.getallocatedblocks() if looks else 0
        found = decoder.decode(data)
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


def why(error: BaseException) -> str:
    """Return what was wrong with a value that could not be encoded."""
    if isinstance(error, RecursionError):
        return "it is nested too deep, or contains itself"
    return told(error)


# -- looking at MessagePack without decoding it

# One value that contains no other: its first byte, and all bytes if its length is fixed.
_LEAF = (
    rb"(?:[\x00-\x7f\xe0-\xff\xc0\xc2\xc3]|[\xcc\xd0].|[\xcd\xd1]..|[\xca\xce\xd2].{4}"
    rb"|[\xcb\xcf\xd3].{8})"
)
_ONE = re.compile(_LEAF, re.DOTALL)
_RUN = 64
_MANY = re.compile(_LEAF + rb"{%d}" % _RUN, re.DOTALL)
# Bytes of the length behind the first byte.
_TEXTS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_ARRAYS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}


class Deep(ValueError):
    """Values are nested deeper than is allowed."""


def scan(data: Bytes, depth: int) -> int:
    """Return how many arrays and maps one value of MessagePack consists of.

    Raises `Deep` if they are nested deeper than `depth`, and `ValueError` for bytes that are
    no such value. Nothing is allocated.

    >>> scan(b"\\x93\\x01\\x90\\x81\\x01\\x02", 3)
    3
    """
    at, count, left = 0, 0, 1  # left: values of the innermost container
    outer: list[int] = []
    while True:
        while not left:
            if not outer:
                if at != len(data):
                    raise ValueError("there are bytes behind the value")
                return count
            left = outer.pop()
        while left >= _RUN and (found := _MANY.match(data, at)):
            at, left = found.end(), left - _RUN
        if not left:
            continue
        left -= 1
        if found := _ONE.match(data, at):
            at = found.end()
            continue
        at, members = _step(data, at)
        if members is not None:
            count += 1
            outer.append(left)
            left = members
            if len(outer) > depth:
                raise Deep


def _step(data: Bytes, at: int) -> tuple[int, int | None]:
    """Return the place behind a text, or the first member of a container and their number."""
    first = data[at] if at < len(data) else 0xC1
    if first in _TEXTS:
        end, length = _length(data, at, _TEXTS[first])
        members = None
        end += length
    elif 0xA0 <= first <= 0xBF:
        end, members = at + 1 + (first & 31), None
    elif first in _ARRAYS:
        end, members = _length(data, at, _ARRAYS[first])
    elif first in _MAPS:
        end, pairs = _length(data, at, _MAPS[first])
        members = 2 * pairs
    elif 0x80 <= first <= 0x9F:
        end, members = at + 1, (first & 15) * (2 if first < 0x90 else 1)
    else:
        raise ValueError(f"there is no value at byte {at}")
    if end + (members or 0) > len(data):
        raise ValueError("it ends early")
    return end, members


def _length(data: Bytes, at: int, size: int) -> tuple[int, int]:
    end = at + 1 + size
    return end, int.from_bytes(data[at + 1 : end], "big")

"""Limits on the size of saves and on the memory for reading them.

They keep a hostile file from exhausting the player's machine.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

import msgspec

from savegen.runtime.errors import (
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    describe_error,
    too_many_calls,
)

Bytes: TypeAlias = bytes | memoryview

P = ParamSpec("P")
T = TypeVar("T")

MIB = 1 << 20

# The sizes below are in bytes.
_MEMORY_PER_FILE_BYTE = 16  # allowed for each byte of a file
_BLOCK = 64  # average size of a block of Python's allocator
_POINTER = 8  # of a list, for each member
_CONTAINER = 80  # of an empty list or map, at most
_CHARACTER = 64  # of a stored type, after it was parsed
_GENERATOR = 4096  # of a random generator
_MIN_MEASURED = 16 * 1024  # less data is too little to measure its memory
_UNKNOWN_SIZE = 1 << 62  # the size of a file until it is written
MAX_SECTION = 256 * MIB  # uncompressed, of one object or of one text
MAX_THUMBNAIL = 16 * MIB
MAX_NAME = 4096  # characters in the name of a class or field
MAX_TYPE = 65_536  # characters in a stored type
MAX_TYPES = 4 * MIB  # characters in all stored types of a save
_SAFE_RECURSION_LIMIT = 1500
# The errors of msgspec for data that it cannot decode and values that it cannot encode.
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
    objects: int = 50_000_000  # rows of all tables, with components and game objects
    depth: int = 64  # of values inside one another

    def allow(self, description: str, limit: str, value: int) -> None:
        """Raise `SaveLimitError` with a description of a value that exceeds the named limit."""
        allow(description, getattr(self, limit), value)


def allow(description: str, maximum: int, value: int) -> None:
    """Raise `SaveLimitError` with a description of a value that exceeds a maximum."""
    if value > maximum:
        raise SaveLimitError(description, maximum, value)


class Guard:
    """Decodes the parts of a save and counts the memory that they take.

    Files that are read together share a guard. It raises `SaveLimitError` when the memory exceeds
    both `Limits.memory` and 16 times the size of the files.

    >>> guard = Guard(Limits(), 0)
    >>> guard.decode(msgspec.msgpack.Decoder(int), b"\x07", "the number")
    7
    """

    def __init__(self, limits: Limits, size: int) -> None:
        self.limits = limits
        self.size = size  # bytes of the files
        self.memory = 0  # bytes that decoding took
        # Tables that were described before, by the bytes of the description.
        self.tables: dict[tuple[int, str, bytes], Any] = {}
        self._types = 0  # characters in the stored types of all tables
        # Bytes since the last count of blocks: all, and those that were decoded completely.
        self._unmeasured = self._decoded = 0
        self._blocks = -1  # the last count of the allocator's blocks
        # So little data cannot exceed the limit, and counting blocks takes longer than decoding it.
        is_limit_high = limits.memory >= _CONTAINER * _MIN_MEASURED
        self._min_measured = _MIN_MEASURED if is_limit_high else 0

    @property
    def max_memory(self) -> int:
        """The memory that decoding may take, in bytes."""
        return max(self.limits.memory, _MEMORY_PER_FILE_BYTE * self.size)

    def add_memory(self, size: int) -> None:
        """Count memory. Raises `SaveLimitError` if the sum exceeds `max_memory`."""
        self.memory += size
        _check_memory(self.memory, self.max_memory)

    def add_types(self, total: int, longest: int) -> None:
        """Count the lengths of stored types, before these are parsed. Raises `SaveLimitError`."""
        self._types += total
        allow("the length of a type", MAX_TYPE, longest)
        allow("the length of all types", MAX_TYPES, self._types)
        self.add_memory(_CHARACTER * total)

    def add_generators(self, count: int) -> None:
        """Count random generators, before they are made. Raises `SaveLimitError`."""
        self.add_memory(_GENERATOR * count)

    def decode(
        self,
        decoder: Any,
        data: Bytes,
        description: str,
        offset: int | None = None,
        *,
        is_deep: bool = False,
        is_raw: bool = False,
    ) -> Any:
        """Return the value of MessagePack data.

        Pass `is_deep` for data that may be nested to any depth, and `is_raw` if most of the data
        remains as it is. Raises `SaveCorruptError` and `SaveLimitError` with the description of
        the data. Memory is measured once per mebibyte, because measuring is slow.
        """
        size = len(data)
        if size > MIB and self.memory + _CONTAINER * size > self.max_memory:
            # The exact count is slow, and most data has fewer containers than bytes.
            least = _POINTER * size
            maximum = (self.max_memory - self.memory - least) // _CONTAINER
            least += _CONTAINER * containers_in(data, maximum)
            _check_memory(self.memory + least, self.max_memory)
        if self._blocks < 0 and self._unmeasured + size >= self._min_measured:
            self._blocks = sys.getallocatedblocks()
        try:
            value = decode_deep(decoder, data) if is_deep else decoder.decode(data)
        except CODING_ERRORS as error:
            raise SaveCorruptError(
                f"{description} cannot be read: {error}", offset
            ) from None
        except RecursionError:
            depth = self.limits.depth
            description = f"the depth of the values in {description}"
            raise SaveLimitError(description, depth, depth + 1) from None
        except MemoryError:
            raise out_of_memory() from None
        self._unmeasured += size
        if not is_raw:
            self._decoded += size
        if self._unmeasured >= MIB:
            self.measure()
        return value

    def measure(self) -> None:
        """Count the memory that was allocated since the last measurement."""
        if self._blocks < 0:
            return
        blocks = sys.getallocatedblocks()
        size = max(_BLOCK * (blocks - self._blocks), _POINTER * self._decoded)
        self._decoded, self._unmeasured, self._blocks = 0, 0, blocks
        self.add_memory(size)


class MemoryEstimate(Guard):
    """Estimates, while a file is written, the memory that reading it will take."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits, _UNKNOWN_SIZE)
        # Memory per byte of data, by the description of the data.
        self._rates: dict[str, float] = {}

    def check_file(self, size: int) -> None:
        """Raise `SaveLimitError` if reading a file of that size would take too much memory.

        A fifth of the memory is kept in reserve, because a load may measure a little more.
        """
        self.size = size
        _check_memory(self.memory, self.max_memory * 4 // 5)

    def add_unmeasured(self, size: int) -> None:
        """Count what reading so little data will take that measuring is not worth while."""
        self.memory += _MEMORY_PER_FILE_BYTE * size

    def estimate(
        self, description: str, size: int, decode: Callable[[], object]
    ) -> None:
        """Count what reading data of a description and size will take.

        `decode` decodes such data; its memory is measured once per description and mebibyte.
        """
        is_due = description not in self._rates or self._unmeasured >= MIB
        if is_due and size >= _MIN_MEASURED:
            blocks_before = sys.getallocatedblocks()
            value = decode()
            blocks = sys.getallocatedblocks() - blocks_before
            del value
            self._rates[description] = max(_BLOCK * blocks / size, _POINTER)
            self._unmeasured = 0
        self._unmeasured += size
        self.memory += int(self._rates.get(description, _MEMORY_PER_FILE_BYTE) * size)


def _check_memory(memory: int, maximum: int) -> None:
    if memory > maximum:
        raise SaveLimitError("the memory for the save", maximum, memory)


def out_of_memory() -> SaveError:
    """Return the error to raise in place of a `MemoryError`."""
    return SaveError("there is not enough memory for the save")


def enough_memory(function: Callable[P, T]) -> Callable[P, T]:
    """Turn a `MemoryError` or a `RecursionError` of a function into a `SaveError`."""

    @wraps(function)
    def guarded(*args: P.args, **options: P.kwargs) -> T:
        try:
            return function(*args, **options)
        except MemoryError as error:
            # Raising an error needs memory, too: this frees what the frames hold, and what refers
            # to itself, such as a snapshot that is half taken.
            error.__traceback__ = None
            gc.collect()
            raise out_of_memory() from None
        except RecursionError as error:
            raise too_many_calls() from error

    return guarded


def encoding_fault(error: BaseException) -> str:
    """Return the reason why a value could not be encoded."""
    if isinstance(error, RecursionError):
        return "it is nested too deep, or contains itself"
    return describe_error(error)


# -- decoding data of any depth


def decode_deep(decoder: Any, data: Bytes) -> Any:
    """Decode, and raise `RecursionError` before deep data can exhaust the C stack.

    Without this, a game that has raised Python's recursion limit would crash.
    """
    limit = sys.getrecursionlimit()
    if limit <= _SAFE_RECURSION_LIMIT or sys.version_info >= (3, 12):
        return decoder.decode(data)
    try:
        sys.setrecursionlimit(_SAFE_RECURSION_LIMIT)
    except RecursionError:  # the game itself is in a deeper recursion
        return decoder.decode(data)
    try:
        return decoder.decode(data)
    finally:
        sys.setrecursionlimit(limit)


# -- reading MessagePack without decoding it

# Any number of plain values and texts of up to 31 bytes, then one container or longer text.
_TOKENS = re.compile(
    rb"(?:[\x00-\x7f\xe0-\xff\xc0\xc2\xc3]|[\xcc\xd0].|[\xcd\xd1]..|[\xca\xce\xd2].{4}"
    rb"|[\xcb\xcf\xd3].{8}|"
    + b"|".join(b"%b.{%d}" % (re.escape(bytes([0xA0 + n])), n) for n in range(32))
    + rb")*+([\x80-\x9f]|[\xdc\xde]..|[\xdd\xdf].{4}|([\xc4\xd9].|[\xc5\xda]..|[\xc6\xdb].{4}))",
    re.DOTALL,
)


def containers_in(data: Bytes, maximum: int = sys.maxsize) -> int:
    r"""Return the number of arrays and maps in MessagePack data.

    The count ends where the data is not valid MessagePack, and above `maximum`.

    >>> containers_in(b"\x93\x01\x90\x81\x01\x02")
    3
    """
    count = at = 0
    while count <= maximum and (match := _TOKENS.match(data, at)):
        at = match.end()
        if match[2] is None:
            count += 1
        else:
            at += int.from_bytes(match[2][1:], "big")
    return count

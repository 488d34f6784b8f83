"""A journal: records behind each other, of which an old, torn or foreign one is never taken for one.

    length  sequence  payload  digest

The digest of a record is salted by its sequence and by the digest before it, and that of the
first one by the save that the journal belongs to. So a record is only one behind those that it
was written behind.
"""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from savegen.runtime.saves.container.layout import DIGEST, Bytes, digest

_HEAD = struct.Struct("<IQ")
_LEAST = _HEAD.size + DIGEST
_AHEAD = 1_000_000  # how far the sequence of a record may be behind one that is lost
# Where a length and a sequence may stand; looking at each byte in turn would take minutes.
_LIKELY = re.compile(rb"(?=.{4}(?!\0{4}).{4}\0{4})", re.DOTALL)
# Times that the bytes behind a record that cannot be read are hashed, at most.
_LOOKS = 4


class Recovered(NamedTuple):
    """The longest beginning of a journal that is whole."""

    payloads: list[memoryview]
    size: int  # bytes of it
    lost: int  # bytes behind it
    # Records are behind what cannot be read: not the last write was cut short, but something
    # has happened to the file.
    is_damaged: bool


class Chain:
    """What the next record of a journal goes on from.

    >>> chain = Chain("00" * 16)
    >>> data = chain.framed(b"one") + chain.framed(b"two")
    >>> [bytes(payload) for payload in recovered(data, "00" * 16).payloads]
    [b'one', b'two']
    >>> recovered(data, "ff" * 16).payloads
    []
    """

    def __init__(self, base: str) -> None:
        """`base` is the digest of the save, as `digest_of` returns it."""
        self._last = bytes.fromhex(base)
        self._sequence = 0

    def framed(self, payload: bytes) -> bytes:
        """Return the next record; the one after it goes on from there."""
        head = _HEAD.pack(len(payload), self._sequence)
        self._last = _seal(head, payload, self._last, self._sequence)
        self._sequence += 1
        return head + payload + self._last


def recovered(data: bytes, base: str) -> Recovered:
    """Return what a journal holds that belongs to the save with the digest `base`."""
    view = memoryview(data)
    payloads: list[memoryview] = []
    offset, last = 0, bytes.fromhex(base)
    while (found := _record(view, offset, last)) and found.sequence == len(payloads):
        payloads.append(found.payload)
        offset, last = found.end, found.digest
    is_damaged = _goes_on(view, offset, len(payloads))
    return Recovered(payloads, offset, len(data) - offset, is_damaged)


class _Record(NamedTuple):
    sequence: int
    payload: memoryview
    digest: bytes
    end: int


def _record(data: memoryview, offset: int, last: bytes) -> _Record | None:
    """Return the record at a place, if it was written behind that digest."""
    if offset + _LEAST > len(data):
        return None
    length, sequence = _HEAD.unpack_from(data, offset)
    end = offset + _LEAST + length
    if end > len(data):
        return None
    payload = data[offset + _HEAD.size : end - DIGEST]
    seal = bytes(data[end - DIGEST : end])
    if _seal(data[offset : offset + _HEAD.size], payload, last, sequence) != seal:
        return None
    return _Record(sequence, payload, seal, end)


def _seal(head: Bytes, payload: Bytes, last: bytes, sequence: int) -> bytes:
    return digest(b"".join([head, payload]), last, sequence)


def _goes_on(data: memoryview, start: int, sequence: int) -> bool:
    """Tell whether any record stands behind a place: each is behind a digest, whatever is before.

    What was made to look like ever more records is taken for some: it would take hours to
    find out, and what is damaged is left as it is.
    """
    left = _LOOKS * (len(data) - start)
    for match in _LIKELY.finditer(data, start + DIGEST):
        offset = match.start()
        length, number = _HEAD.unpack_from(data, offset)
        is_likely = sequence < number <= sequence + _AHEAD
        if is_likely and offset + _LEAST + length <= len(data):
            left -= length
            if left < 0 or _record(data, offset, bytes(data[offset - DIGEST : offset])):
                return True
    return False

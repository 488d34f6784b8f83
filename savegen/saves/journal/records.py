"""The bytes of a journal: records, each chained to the one before it.

    length  sequence  payload  digest

The digest of a record also covers the digest before it; for the first one, that is the digest
of the save that the journal belongs to. So a record counts only behind those that it was written
behind: not in another journal, not in another place, and not behind a torn one.
"""

from __future__ import annotations

import re
import struct
from hashlib import blake2b
from typing import NamedTuple

DIGEST = 16  # bytes
_HEAD = struct.Struct("<IQ")
_LEAST = _HEAD.size + DIGEST
_AHEAD = 1_000_000  # how far the sequence of a record may be above that of a lost one
# Where a length and a sequence may stand; looking at each byte in turn would take minutes.
_LIKELY = re.compile(rb"(?=.{4}(?!\0{4}).{4}\0{4})", re.DOTALL)
# How often the bytes behind an unreadable record are hashed, at most.
_LOOKS = 4


class Recovered(NamedTuple):
    """The longest valid beginning of a journal."""

    payloads: list[memoryview]
    size: int  # bytes of it
    lost: int  # bytes behind it
    # Whether the lost bytes are not just those of a last record that was cut short.
    is_damaged: bool


class Chain:
    """Makes the records of a journal.

    >>> chain = Chain("00" * 16)
    >>> data = chain.record(b"one") + chain.record(b"two")
    >>> [bytes(payload) for payload in recovered(data, "00" * 16).payloads]
    [b'one', b'two']
    >>> recovered(data, "ff" * 16).payloads
    []
    """

    def __init__(self, base: str) -> None:
        """`base` is the digest of the save, in hexadecimal digits."""
        self._last = bytes.fromhex(base)
        self._sequence = 0

    def record(self, payload: bytes) -> bytes:
        """Return the next record."""
        head = _HEAD.pack(len(payload), self._sequence)
        self._last = _seal(self._last, head, payload)
        self._sequence += 1
        return head + payload + self._last


def recovered(data: bytes, base: str) -> Recovered:
    """Return the records of a journal that belong to the save with the digest `base`."""
    view = memoryview(data)
    payloads: list[memoryview] = []
    offset, last = 0, bytes.fromhex(base)
    while (found := _record(view, offset, last)) and found.sequence == len(payloads):
        payloads.append(found.payload)
        offset, last = found.end, found.digest
    rest = view[offset:]
    is_damaged = not _is_torn(rest, len(payloads)) or _goes_on(
        view, offset, len(payloads)
    )
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
    start, end = offset + _HEAD.size, offset + _LEAST + length
    if end > len(data):
        return None
    payload, seal = data[start : end - DIGEST], bytes(data[end - DIGEST : end])
    if _seal(last, data[offset:start], payload) != seal:
        return None
    return _Record(sequence, payload, seal, end)


def _seal(last: bytes, head: bytes | memoryview, payload: bytes | memoryview) -> bytes:
    seal = blake2b(payload, digest_size=DIGEST, key=last)
    seal.update(head)
    return seal.digest()


def _is_torn(rest: memoryview, sequence: int) -> bool:
    """Return whether bytes may be the next record, of which not all was written.

    The system may have made the file longer before it wrote: then zeros stand there.
    """
    if len(bytes(rest).rstrip(b"\0")) <= _HEAD.size:
        return True
    length, number = _HEAD.unpack_from(rest)
    return bool(number == sequence and len(rest) <= _LEAST + length)


def _goes_on(data: memoryview, start: int, sequence: int) -> bool:
    """Return whether any record stands behind a place: each is behind a digest.

    Bytes that were made to look like ever more records are taken for some: finding out would
    take hours, and a damaged file is left as it is.
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

"""Edit the text of a file, and write it back with all other bytes unchanged."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from savegen.build.source import SourceFile, Undecodable, declared_encoding

LINE_LENGTH = 88  # the default of black

_NEWLINE = re.compile(r"\r\n|\r|\n")


class Splice(NamedTuple):
    """A change: `new` replaces the characters from `start` up to `end`."""

    start: int
    end: int
    new: str

    @classmethod
    def insert(cls, at: int, new: str) -> Splice:
        return cls(at, at, new)


class SourceText:
    """The text of a file. Offsets count characters."""

    def __init__(self, data: bytes) -> None:
        """Raises `Undecodable` if the declared encoding is unknown or does not fit."""
        self.data = data
        self.text = SourceFile("", "", data).text
        self._encoding = _encoding(data)

    @cached_property
    def newline(self) -> str:
        """The most frequent line end of the file; the first one if several are equally frequent."""
        ends = Counter(_NEWLINE.findall(self.text)).most_common(1)
        return ends[0][0] if ends else "\n"

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(end.end() for end in _NEWLINE.finditer(self.text))]

    def line_number(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset)

    def line_start(self, offset: int) -> int:
        return self._line_starts[self.line_number(offset) - 1]

    def line_end(self, offset: int) -> int:
        """Return the offset after the newline of the line that contains `offset`."""
        number = self.line_number(offset)
        is_last = number == len(self._line_starts)
        return len(self.text) if is_last else self._line_starts[number]

    def line(self, offset: int) -> str:
        """Return the rest of the line from `offset`, including its newline."""
        return self.text[offset : self.line_end(offset)]

    def starts_line(self, offset: int) -> bool:
        """Return whether only white space precedes `offset` in its line."""
        return not self.text[self.line_start(offset) : offset].strip()

    def indent(self, offset: int) -> str:
        """Return the text that precedes `offset` in its line."""
        return self.text[self.line_start(offset) : offset]

    def spliced(self, splices: Iterable[Splice]) -> bytes:
        """Return the bytes of the file after `splices`, which must not overlap.

        Raises `Undecodable` if the file's encoding cannot write the new text.
        """
        data, text = b"", ""
        bytes_done = characters_done = 0  # how much of the old data and text is copied
        for start, end, new in sorted(splices, key=lambda splice: splice[:2]):
            data += self.data[bytes_done : self._byte(start)]
            data += self._encoded(start, new)
            text += self.text[characters_done:start] + new
            bytes_done, characters_done = self._byte(end), end
        data += self.data[bytes_done:]
        text += self.text[characters_done:]
        # In an encoding with shift states, a splice can change the meaning of the following bytes.
        if data.decode(self._encoding) != text:
            reason = (
                f"inserting text would change other text in this {self._encoding} file"
            )
            raise Undecodable(1, reason)
        return data

    def _encoded(self, offset: int, new: str) -> bytes:
        encoding = self._encoding.removesuffix("-sig")
        try:
            return new.encode(encoding)
        except UnicodeEncodeError:
            reason = f"`{new.strip()}` cannot be encoded in {encoding}"
            raise Undecodable(self.line_number(offset), reason) from None

    def _byte(self, offset: int) -> int:
        """Return the offset in bytes of an offset in characters."""
        if self._encoding in ("utf-8", "utf-8-sig"):
            bom_length = len(codecs.BOM_UTF8) if self._encoding == "utf-8-sig" else 0
            has_bom = self.data.startswith(codecs.BOM_UTF8)
            return bom_length * has_bom + len(self.text[:offset].encode())
        # Some encodings have several forms of one character, so the bytes must be decoded.
        decoder = codecs.getincrementaldecoder(self._encoding)()
        characters = bytes_read = 0
        while characters < offset:
            characters += len(decoder.decode(self.data[bytes_read : bytes_read + 1]))
            bytes_read += 1
        return bytes_read


def _encoding(data: bytes) -> str:
    try:
        return declared_encoding(data)
    except SyntaxError as error:
        raise Undecodable(1, str(error)) from None

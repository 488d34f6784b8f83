"""JSON with the place of every value.

Valid JSON is read fast. Otherwise a slower reader goes on behind each error whose meaning is
clear, such as a superfluous comma, so that one run reports as much as possible.
"""

from __future__ import annotations

import json
import math
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NoReturn

from savegen.findings import Finding, Span
from savegen.levels.findings import KeyTwice, NotJson
from savegen.runtime.errors import SaveError
from savegen.runtime.strict_json import json_of

Path = tuple[str | int, ...]
_Place = tuple[int, int]  # the first character, and the one behind the last

_DEEPEST = 64
_BLANK = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![\w.])")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_WORD = re.compile(r"[-+]?\w+")
_LITERALS = {"true": True, "false": False, "null": None}
_NOT_NUMBERS = ("NaN", "Infinity", "-Infinity")
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_DIGITS = 4000  # Python refuses to read longer whole numbers
_TOO_EARLY = "the file ends too early"


class Text:
    """The text of a JSON file, its value, and the place of everything in it."""

    def __init__(self, data: bytes, path: str = "") -> None:
        """`path` is the file's, for spans."""
        self._data = data
        self._path = path

    def read(self) -> tuple[Any, list[Finding]]:
        """Return the value, as far as it can be read, and all errors.

        >>> Text(b'{"a": 1}').read()
        ({'a': 1}, [])
        >>> value, findings = Text(b'{"a": NaN,}').read()
        >>> value, [finding.reason for finding in findings]
        ({'a': None}, ['NaN is not allowed', 'there is a comma after the last item'])
        """
        try:
            return _fast(self._data), []
        except (ValueError, SaveError):
            return self._walk.value, [*map(self._finding, self._walk.faults)]

    def span(self, path: Path, *, of_key: bool = False) -> Span:
        """Return the span of a value or of its key; if it is missing, of the value around it.

        >>> text = Text(b'{"a": {"b": [10, 20]}}', "a.json")
        >>> text.span(("a", "b"), of_key=True)
        Span(path='a.json', line=1, column=8, end_line=1, end_column=11)
        >>> text.span(("a", "c")) == text.span(("a",))
        True
        """
        places = self._walk.keys if of_key else self._walk.places
        while path and path not in places:
            path, places = path[:-1], self._walk.places
        return self._between(places.get(path, (0, 0)))

    @cached_property
    def _walk(self) -> _Walk:
        return _Walk(self._data)

    def _finding(self, fault: tuple[_Place, str, _Place | None]) -> Finding:
        place, text, first = fault
        if first is None:
            return NotJson(self._between(place), text)
        return KeyTwice(self._between(place), text, self._between(first).line)

    def _between(self, place: _Place) -> Span:
        """Return a span; one of several lines ends with its first character."""
        (line, column), (end_line, end_column) = map(self._line_and_column, place)
        if end_line > line:
            end_line, end_column = line, column + 1
        return Span(self._path, line, column, end_line, end_column)

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        lines = self._walk.lines
        line = bisect_right(lines, offset)
        return line, offset - lines[line - 1] + 1


def _fast(data: bytes) -> Any:
    """Return the value of valid JSON.

    Raises `SaveError` or `ValueError` for anything else, and for some JSON that is valid.
    """
    if re.search(rb"\\u[dD][89a-fA-F]", data):
        raise ValueError("the escape may be half a character")
    # JSON that is nested too deeply for Python is refused in any case.
    return json_of(data, sys.maxsize)


class _Stop(Exception):
    """The rest of the text cannot be understood."""


class _Walk:
    """The slow reader, which notes the place of each value and key."""

    def __init__(self, data: bytes) -> None:
        # Place and text of each error; for a repeated key, the key and its first place.
        self.faults: list[tuple[_Place, str, _Place | None]] = []
        self.places: dict[Path, _Place] = {}
        self.keys: dict[Path, _Place] = {}
        self.value: Any = None
        self._at = 0
        self._text = self._decoded(data)
        self.lines = [0, *(m.end() for m in re.finditer("\n", self._text))]
        try:
            self.value = self._value(())
            if self._skip():
                self._stop("there is text after the end")
        except _Stop:
            pass

    def _decoded(self, data: bytes) -> str:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            self._fault(0, 0, "the file is UTF-16; save it as UTF-8")
            return data.decode("utf-16", "replace").removeprefix("\ufeff")
        if data.startswith(b"\xef\xbb\xbf"):
            reason = "the file begins with a byte order mark; save it without one"
            self._fault(0, 0, reason)
            data = data[3:]
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            place = len(data[: error.start].decode("utf-8", "replace"))
            self._fault(place, place + 1, "this character is not UTF-8")
            return data.decode("utf-8", "replace")

    def _fault(self, start: int, end: int, reason: str) -> None:
        self.faults.append(((start, end), reason, None))

    def _stop(self, reason: str) -> NoReturn:
        self._fault(self._at, self._at + 1, reason)
        raise _Stop

    def _skip(self) -> str:
        """Move to the next character that is not blank, and return it; "" at the end."""
        found = _BLANK.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        return self._text[self._at : self._at + 1]

    def _value(self, path: Path) -> Any:
        char = self._skip()
        start = self._at
        if len(path) > _DEEPEST:
            self._stop("objects and lists are nested too deeply")
        self.places[path] = (start, start + 1)  # its end is not known yet
        value: Any
        if char == "{":
            value = self._object(path)
        elif char == "[":
            value = self._array(path)
        else:
            value = self._string() if char == '"' else self._number_or_word()
        self.places[path] = (start, self._at)
        return value

    def _object(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in self._members("}"):
            if self._skip() != '"':
                self._stop("a key in double quotes is missing")
            start = self._at
            key = self._string()
            inside, place = (*path, key), (start, self._at)
            if key in found:
                self.faults.append((place, key, self.keys[inside]))
            self.keys[inside] = place
            if self._skip() != ":":
                self._stop("a colon is missing")
            self._at += 1
            found[key] = self._value(inside)
        return found

    def _array(self, path: Path) -> list[Any]:
        found: list[Any] = []
        for _ in self._members("]"):
            found.append(self._value((*path, len(found))))
        return found

    def _members(self, end: str) -> Iterator[None]:
        """Yield where a member of an array or an object begins."""
        self._at += 1
        char = self._skip()
        while char != end:
            yield
            char = self._skip()
            if char == ",":
                comma = self._at
                self._at += 1
                if (char := self._skip()) == end:
                    reason = "there is a comma after the last item"
                    self._fault(comma, comma + 1, reason)
            elif char != end:
                self._stop(f"a comma or `{end}` is missing" if char else _TOO_EARLY)
        self._at += 1

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            self._stop("a string has no closing quote")
        start, self._at = found.span()
        if control := _CONTROL.search(found[0]):
            place = start + control.start()
            reason = r"write line breaks and tabs in a string as `\n` and `\t`"
            self._fault(place, place + 1, reason)
        try:
            value: str = json.loads(found[0], strict=False)
        except ValueError:
            self._fault(start, self._at, "unknown `\\` escape")
            return found[0][1:-1]
        if _SURROGATE.search(value):
            reason = "this `\\u` escape is only half of a character"
            self._fault(start, self._at, reason)
        return _SURROGATE.sub("\ufffd", value)

    def _number_or_word(self) -> Any:
        found = _NUMBER.match(self._text, self._at) or _WORD.match(self._text, self._at)
        if found is None:
            end = self._at >= len(self._text)
            self._stop(_TOO_EARLY if end else "a value is missing")
        word = found[0]
        if found.re is _WORD and word not in _LITERALS and word not in _NOT_NUMBERS:
            self._stop(f"`{word[:40]}` is not a JSON value")
        self._at = found.end()
        if found.re is _NUMBER:
            return self._number(found)
        if word in _NOT_NUMBERS:
            self._fault(*found.span(), f"{word} is not allowed")
        return _LITERALS.get(word)

    def _number(self, found: re.Match[str]) -> int | float | None:
        text = found[0]
        if re.match("-?0[0-9]", text):
            self._fault(*found.span(), "a number must not begin with 0")
        if len(text) > _MOST_DIGITS:
            self._fault(*found.span(), "this number is too long")
            return None
        value = float(text) if found[1] or found[2] else int(text)
        if isinstance(value, float) and math.isinf(value):
            self._fault(*found.span(), "this number is too large")
            return None
        return value

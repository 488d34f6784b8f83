"""Read JSON, and find the line and column of each value and error.

Valid JSON is read by a fast reader. For anything else, a slow reader continues after simple errors,
such as a superfluous comma, to report as many as possible in one run.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

from savegen.findings import Finding, Span
from savegen.levels.findings import DuplicateKey, NotJson
from savegen.runtime.errors import SaveError
from savegen.runtime.values.basics.strict_json import json_of

JsonPath = tuple[str | int, ...]
_Range = tuple[int, int]  # offsets: the first character, and the one after the last

_MAX_DEPTH = 64
_BLANK = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![\w.])")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_WORD = re.compile(r"[-+]?\w+")
_LITERALS = {"true": True, "false": False, "null": None}
_NOT_NUMBERS = ("NaN", "Infinity", "-Infinity")
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DIGITS = 4000  # Python refuses to read longer whole numbers
_MAX_VALUES = 1 << 18  # in a file with an error; each takes half a kilobyte
_TOO_EARLY = "the file ends too early"


class JsonText:
    """A JSON file: its value, its errors, and the spans of its keys and values."""

    def __init__(self, data: bytes, path: str = "") -> None:
        """`path` is the file's, for spans."""
        self._data = data
        self._path = path

    def read(self) -> tuple[Any, list[Finding]]:
        """Return the value and the errors.

        If the reader cannot continue inside the value, the value is `None`, and later errors are
        missing.

        >>> JsonText(b'{"a": 1}').read()
        ({'a': 1}, [])
        >>> value, findings = JsonText(b'{"a": NaN,}').read()
        >>> value, [finding.reason for finding in findings]
        ({'a': None}, ['NaN is not allowed', 'there is a comma after the last item'])
        """
        try:
            return _fast(self._data), []
        except (ValueError, SaveError):
            slow = self._slow_reader
            return slow.value, [*map(self._finding, slow.faults)]

    def span(self, path: JsonPath, *, of_key: bool = False) -> Span:
        """Return the span of a value or of its key; if it is missing, of the value around it.

        >>> text = JsonText(b'{"a": {"b": [10, 20]}}', "a.json")
        >>> text.span(("a", "b"), of_key=True)
        Span(path='a.json', line=1, column=8, end_line=1, end_column=11)
        >>> text.span(("a", "c")) == text.span(("a",))
        True
        """
        values = self._slow_reader.values
        ranges = self._slow_reader.keys if of_key else values
        while path and path not in ranges:
            path, ranges = path[:-1], values
        return self._span_of(ranges.get(path, (0, 0)))

    @cached_property
    def _slow_reader(self) -> _SlowReader:
        return _SlowReader(self._data)

    def _finding(self, fault: _JsonFault) -> Finding:
        span = self._span_of(fault.range)
        if fault.first is None:
            return NotJson(span, fault.text)
        return DuplicateKey(span, fault.text, self._span_of(fault.first).line)

    def _span_of(self, range: _Range) -> Span:
        """Return the span of a range; of several lines, only the first character."""
        (line, column), (end_line, end_column) = map(self._line_and_column, range)
        if end_line > line:
            end_line, end_column = line, column + 1
        return Span(self._path, line, column, end_line, end_column)

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        lines = self._slow_reader.lines
        line = bisect_right(lines, offset)
        return line, offset - lines[line - 1] + 1


def _fast(data: bytes) -> Any:
    """Return the value of valid JSON.

    Raises `SaveError` or `ValueError` for invalid JSON, and also for rare valid JSON, which then
    must be read by the slow reader.
    """
    if re.search(rb"\\u[dD][89a-fA-F]", data):
        raise ValueError("the escape may be a lone surrogate")
    return json_of(data, _MAX_DEPTH)


class _JsonFault(NamedTuple):
    """An error in JSON: its range and reason, or a repeated key and the range of the first one."""

    range: _Range
    text: str  # the reason, or the repeated key
    first: _Range | None = None


class _UnreadableJson(Exception):
    """The slow reader cannot continue after an error."""


class _SlowReader:
    """Reads JSON with errors, and remembers the range of each value and key."""

    def __init__(self, data: bytes) -> None:
        self.faults: list[_JsonFault] = []
        self.values: dict[JsonPath, _Range] = {}
        self.keys: dict[JsonPath, _Range] = {}
        self.value: Any = None
        self._at = 0
        self._text = self._decoded(data)
        self.lines = [0, *(m.end() for m in re.finditer("\n", self._text))]
        try:
            self.value = self._value(())
            if self._skip():
                self._stop("there is text after the end")
        except _UnreadableJson:
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
            offset = len(data[: error.start].decode("utf-8", "replace"))
            self._fault(offset, offset + 1, "this character is not UTF-8")
            return data.decode("utf-8", "replace")

    def _fault(self, start: int, end: int, reason: str) -> None:
        self.faults.append(_JsonFault((start, end), reason))

    def _stop(self, reason: str) -> NoReturn:
        self._fault(self._at, self._at + 1, reason)
        raise _UnreadableJson

    def _skip(self) -> str:
        """Move to the next character that is not blank, and return it; "" at the end."""
        blank = _BLANK.match(self._text, self._at)
        assert blank is not None
        self._at = blank.end()
        return self._text[self._at : self._at + 1]

    def _value(self, path: JsonPath) -> Any:
        char = self._skip()
        start = self._at
        if len(path) > _MAX_DEPTH:
            self._stop("objects and lists are nested too deeply")
        if len(self.values) == _MAX_VALUES:
            self._stop(f"there are more than {_MAX_VALUES:,} values before this one")
        self.values[path] = (start, start + 1)  # until its end is known
        value: Any
        if char == "{":
            value = self._object(path)
        elif char == "[":
            value = self._array(path)
        else:
            value = self._string() if char == '"' else self._number_or_word()
        self.values[path] = (start, self._at)
        return value

    def _object(self, path: JsonPath) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for _ in self._members("}"):
            if self._skip() != '"':
                self._stop("a key in double quotes is missing")
            start = self._at
            key = self._string()
            inside, range = (*path, key), (start, self._at)
            if key in value:
                self.faults.append(_JsonFault(range, key, self.keys[inside]))
            self.keys[inside] = range
            if self._skip() != ":":
                self._stop("a colon is missing")
            self._at += 1
            value[key] = self._value(inside)
        return value

    def _array(self, path: JsonPath) -> list[Any]:
        value: list[Any] = []
        for _ in self._members("]"):
            value.append(self._value((*path, len(value))))
        return value

    def _members(self, end: str) -> Iterator[None]:
        """Move to each member of an array or an object, and yield for the caller to read it."""
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
        match = _STRING.match(self._text, self._at)
        if match is None:
            self._stop("a string has no closing quote")
        start, self._at = match.span()
        if control := _CONTROL.search(match[0]):
            offset = start + control.start()
            reason = r"write line breaks and tabs in a string as `\n` and `\t`"
            self._fault(offset, offset + 1, reason)
        try:
            value: str = json.loads(match[0], strict=False)
        except ValueError:
            self._fault(start, self._at, "unknown `\\` escape")
            return match[0][1:-1]
        if _SURROGATE.search(value):
            reason = "this `\\u` escape is only half of a character"
            self._fault(start, self._at, reason)
        return _SURROGATE.sub("\ufffd", value)

    def _number_or_word(self) -> Any:
        match = _NUMBER.match(self._text, self._at) or _WORD.match(self._text, self._at)
        if match is None:
            is_end = self._at >= len(self._text)
            self._stop(_TOO_EARLY if is_end else "a value is missing")
        word = match[0]
        if match.re is _WORD and word not in _LITERALS and word not in _NOT_NUMBERS:
            self._stop(f"`{word[:40]}` is not a JSON value")
        self._at = match.end()
        if match.re is _NUMBER:
            return self._number(match)
        if word in _NOT_NUMBERS:
            self._fault(*match.span(), f"{word} is not allowed")
        return _LITERALS.get(word)

    def _number(self, match: re.Match[str]) -> int | float | None:
        text = match[0]
        if re.match("-?0[0-9]", text):
            self._fault(*match.span(), "a number must not begin with 0")
        if len(text) > _MAX_DIGITS:
            self._fault(*match.span(), "this number is too long")
            return None
        value = float(text) if match[1] or match[2] else int(text)
        if isinstance(value, float) and math.isinf(value):
            self._fault(*match.span(), "this number is too large")
            return None
        return value

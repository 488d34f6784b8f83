"""JSON with places: read fast, and once something is wrong, slowly, to the end if possible.

What has one meaning only though it is no JSON, such as a comma too many, is told of and read
all the same, so that one run shows whatever else is wrong.
"""

from __future__ import annotations

import json
import math
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from savegen.findings import Span
from savegen.runtime.errors import SaveError
from savegen.runtime.strict import json_of

Path = tuple[str | int, ...]

_DEEPEST = 64
_BLANK = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![\w.])")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_WORD = re.compile(r"[-+]?\w+")
_WORDS = {"true": True, "false": False, "null": None}
_ODD_NUMBERS = ("NaN", "Infinity", "-Infinity")
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_DIGITS = 4000  # Python refuses to read longer whole numbers


class TextFault(NamedTuple):
    """What is wrong in a text, and where; `first` is where a key is that is there twice."""

    start: int
    end: int
    what: str
    first: int | None = None


class Text:
    """The text of a file, its value, and where in it everything is."""

    def __init__(self, data: bytes, path: str = "") -> None:
        """`path` is the file's, for spans."""
        self._data = data
        self._path = path
        self._found: _Walk | None = None

    @property
    def _walk(self) -> _Walk:
        if self._found is None:
            self._found = _Walk(self._data)
        return self._found

    def read(self) -> tuple[Any, list[TextFault]]:
        """Return the value, and all that is wrong with the text; `None` if it has none.

        >>> Text(b'{"a": 1}').read()
        ({'a': 1}, [])
        >>> value, faults = Text(b'{"a": 1, "a": NaN,}').read()
        >>> value, [fault.what for fault in faults]
        ({'a': None}, ['a', 'NaN is not allowed', 'there is a comma after the last item'])
        """
        try:
            return _fast(self._data), []
        except (ValueError, SaveError):
            return self._walk.value, self._walk.faults

    def span(self, path: Path, *, of_key: bool = False) -> Span:
        """Return where a value is, or its key, as findings have it.

        >>> text = Text(b'{"a": {"b": [10, 20]}}', "a.json")
        >>> text.span(("a", "b"), of_key=True)
        Span(path='a.json', line=1, column=8, end_line=1, end_column=11)
        """
        return self.between(*self.place(path, of_key=of_key))

    def between(self, start: int, end: int) -> Span:
        """Return the span of some letters; one of many lines ends with its first letter."""
        line, column = self.line_and_column(start)
        end_line, end_column = self.line_and_column(end)
        if end_line > line:
            end_line, end_column = line, column + 1
        return Span(self._path, line, column, end_line, end_column)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return a place in the text as it is shown: both count from 1."""
        lines = self._walk.lines
        line = bisect_right(lines, offset)
        return line, offset - lines[line - 1] + 1

    def place(self, path: Path, *, of_key: bool = False) -> tuple[int, int]:
        """Return where a value is, or its key: first letter, and the one behind the last.

        Of what is not there it is the place of what would have it.

        >>> text = Text(b'{"a": {"b": [10, 20]}}')
        >>> text.place(("a", "b", 1)), text.place(("a", "b"), of_key=True), text.place(("a", "c"))
        ((17, 19), (7, 10), (6, 21))
        """
        places = self._walk.keys if of_key else self._walk.places
        while path and path not in places:
            path, places = path[:-1], self._walk.places
        return places.get(path, (0, 0))


def _fast(data: bytes) -> Any:
    """Return the value of JSON that nothing is wrong with.

    Raises `SaveError` or `ValueError` for any other, and for some that is right.
    """
    if re.search(rb"\\u[dD][89a-fA-F]", data):
        raise ValueError("perhaps half a letter")
    # What is too deep for Python is refused all the same.
    return json_of(data, sys.maxsize)


class _Stop(Exception):
    """What follows cannot be understood any more."""


class _Walk:
    """Reads a text from its beginning to its end, and notes what is where."""

    def __init__(self, data: bytes) -> None:
        self.faults: list[TextFault] = []
        self.places: dict[Path, tuple[int, int]] = {}
        self.keys: dict[Path, tuple[int, int]] = {}
        self.value: Any = None
        self._at = 0
        self._text = self._decoded(data)
        self.lines = [0, *(m.end() for m in re.finditer("\n", self._text))]
        try:
            self._whole()
        except _Stop:
            pass

    def _decoded(self, data: bytes) -> str:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            self._fault(0, 0, "the file is UTF-16; save it as UTF-8")
            return data.decode("utf-16", "replace").removeprefix("\ufeff")
        if data.startswith(b"\xef\xbb\xbf"):
            self._fault(
                0, 0, "the file begins with a byte order mark; save it without one"
            )
            data = data[3:]
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            place = len(data[: error.start].decode("utf-8", "replace"))
            self._fault(place, place + 1, "this character is not UTF-8")
            return data.decode("utf-8", "replace")

    def _whole(self) -> None:
        self.value = self._value(())
        self._skip()
        if self._at < len(self._text):
            self._stop("there is text after the end")

    def _fault(self, start: int, end: int, what: str, first: int | None = None) -> None:
        self.faults.append(TextFault(start, end, what, first))

    def _stop(self, what: str) -> NoReturn:
        self._fault(self._at, self._at + 1, what)
        raise _Stop

    def _skip(self) -> str:
        """Go on to the next sign, and return it; "" at the end."""
        found = _BLANK.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        return self._text[self._at : self._at + 1]

    def _value(self, path: Path) -> Any:
        sign = self._skip()
        start = self._at
        if len(path) > _DEEPEST:
            self._stop("objects and lists are nested too deeply")
        self.places[path] = (start, start + 1)  # its end is not known yet
        value: Any
        if sign == "{":
            value = self._object(path)
        elif sign == "[":
            value = self._array(path)
        else:
            value = self._string() if sign == '"' else self._number_or_word()
        self.places[path] = (start, self._at)
        return value

    def _object(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in self._members("}"):
            if self._skip() != '"':
                self._stop("a key in double quotes is missing")
            start = self._at
            key = self._string()
            inside = (*path, key)
            if key in found:
                self._fault(start, self._at, key, self.keys[inside][0])
            self.keys[inside] = (start, self._at)
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
        if self._skip() == end:
            self._at += 1
            return
        while True:
            yield
            sign = self._skip()
            if sign == end:
                break
            if sign != ",":
                self._stop(
                    f"a comma or `{end}` is missing"
                    if sign
                    else "the file ends too early"
                )
            comma = self._at
            self._at += 1
            if self._skip() == end:
                self._fault(comma, comma + 1, "there is a comma after the last item")
                break
        self._at += 1

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            self._stop("a string has no closing quote")
        start, self._at = self._at, found.end()
        if control := _CONTROL.search(found[0]):
            place = start + control.start()
            self._fault(
                place,
                place + 1,
                r"write line breaks and tabs in a string as `\n` and `\t`",
            )
        try:
            value: str = json.loads(found[0], strict=False)
        except ValueError:
            self._fault(start, self._at, "unknown `\\` escape")
            return found[0][1:-1]
        if _SURROGATE.search(value):
            self._fault(
                start, self._at, "this `\\u` escape is only half of a character"
            )
            return _SURROGATE.sub("\ufffd", value)
        return value

    def _number_or_word(self) -> Any:
        if found := _NUMBER.match(self._text, self._at):
            self._at = found.end()
            return self._number(found)
        found = _WORD.match(self._text, self._at)
        if found is None:
            end = self._at >= len(self._text)
            self._stop("the file ends too early" if end else "a value is missing")
        word, start = found[0], self._at
        if word not in _WORDS and word not in _ODD_NUMBERS:
            self._stop(f"`{word[:40]}` is not a JSON value")
        self._at = found.end()
        if word in _ODD_NUMBERS:
            self._fault(start, self._at, f"{word} is not allowed")
        return _WORDS.get(word)

    def _number(self, found: re.Match[str]) -> int | float | None:
        text, start = found[0], found.start()
        if re.match("-?0[0-9]", text):
            self._fault(start, self._at, "a number must not begin with 0")
        if len(text) > _MOST_DIGITS:
            self._fault(start, self._at, "this number is too long")
            return None
        value = float(text) if found[1] or found[2] else int(text)
        if isinstance(value, float) and math.isinf(value):
            self._fault(start, self._at, "this number is too large")
            return None
        return value

"""Search the bytes of files for names, to skip most files without parsing them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from savegen.build.source import SourceFile, Undecodable, wide_encoding

LETTER = rb"[\w\x80-\xff]"
# The names after `import`, without the closing `)`: searching for it could take quadratic time.
IMPORTED = (
    rb"import\b(?:[ \t\f]|\\\r?\n)*+"
    rb"(?:\((?:[^)#]++|#[^\n]*+)*+|(?:[^\\\n;#]++|\\\r?\n)*+)"
)
_IMPORTS = re.compile(IMPORTED)
WORD = re.compile(LETTER + rb"+")
# `m = h`, where `h` can be an imported module.
_RENAMED = re.compile(
    rb"^[ \t\f]*(%b+)[ \t]*=[ \t]*[\w.\x80-\xff]+[ \t]*[\r\n;#]" % LETTER, re.MULTILINE
)
_OWNERS_BACKWARDS = re.compile(rb"(?:[\s\\]*\.[\s\\]*" + LETTER + rb"+)+")
_MAX_OWNERS = 200  # characters before a name in which its owners are searched
_ASCII_COOKIE = re.compile(
    rb"coding[:=][ \t]*(?:utf-?8|latin-?1|iso-8859-\d+|cp125\d|(?:us-)?ascii)\b", re.I
)


def searchable(file: SourceFile) -> bytes:
    """Return the text as UTF-8, with names spelled as Python stores them.

    The bytes of a file that cannot be decoded are returned unchanged.
    """
    data, head = file.data, file.data[:400]
    if wide := wide_encoding(data):
        # Its mention of savegen is reported, though Python cannot read it.
        return data.decode(wide, "replace").encode("utf-8", "replace")
    plain = b"coding" not in head
    if data.isascii() and (plain or _ASCII_COOKIE.search(head)):
        return data
    try:
        text = data.decode() if plain else file.text
    except (UnicodeDecodeError, Undecodable):
        return data
    return unicodedata.normalize("NFKC", text).encode("utf-8", "surrogatepass")


class WordSearch:
    """Searches texts for several words."""

    def __init__(self, words: Iterable[str]) -> None:
        encoded = [word.encode() for word in words]
        self._searches = {word: _Word(word) for word in encoded}
        # A file that lacks `Save` also lacks `Saved`.
        self._shortest = [
            w for w in encoded if not any(o in w for o in encoded if o != w)
        ]

    def uses(self, source: bytes) -> set[str]:
        """Return the words that a text uses as names, with what precedes them, as in `m.keep`."""
        uses: set[bytes] = set()
        if any(word in source for word in self._shortest):
            for word, search in self._searches.items():
                if word in source:
                    uses.update(search.uses(source))
        return {use.decode("utf-8", "replace") for use in uses}


class _Word:
    """Searches texts for one word."""

    def __init__(self, word: bytes) -> None:
        self._word = word
        # With the word first, `re` can search for it as plain bytes, which is fast.
        self._whole = re.compile(b"%b(?<!%b%b)(?!%b)" % (word, LETTER, word, LETTER))
        self._owned = re.compile(rb"\.[\s\\]*+%b(?!%b)" % (word, LETTER))

    def uses(self, source: bytes) -> Iterator[bytes]:
        if self._owned.search(source):
            for match in self._whole.finditer(source):
                start = match.start()
                if owners := _owners(source, start):
                    yield owners + self._word
                # A dot with space after it may be the end of a comment.
                if not source.endswith(b".", 0, start):
                    yield self._word
        elif self._whole.search(source):
            yield self._word


def _owners(source: bytes, start: int) -> bytes:
    """Return the owners before a name, such as `m.`, without spaces."""
    if start == 0 or source[start - 1] not in b". \t\r\n\f\\":
        return b""
    before = source[max(0, start - _MAX_OWNERS) : start][::-1]
    match = _OWNERS_BACKWARDS.match(before)
    return b"".join(match[0][::-1].replace(b"\\", b"").split()) if match else b""


def can_import(source: bytes, uses: Iterable[str]) -> bool:
    """Return whether a file may import one of the names that it uses."""
    imported = b" ".join(_IMPORTS.findall(source))
    if b"*" in imported:
        return True
    names = set(WORD.findall(imported))
    if any(_first(use) in names for use in uses):
        return True
    owners = {_first(use) for use in uses if "." in use}
    return bool(owners) and not owners.isdisjoint(_RENAMED.findall(source))


def _first(use: str) -> bytes:
    return use.partition(".")[0].encode()

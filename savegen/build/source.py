"""The Python files of a game: their bytes and text, and the files of a project by module."""

from __future__ import annotations

import hashlib
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Protocol, TypeVar

from savegen import disk

T = TypeVar("T")

_COOKIE = re.compile(rb"[\xef\xbb\xbf \t\f]*#.*coding[:=]")
_FOREIGN = re.compile(rb"[\x80-\xff]")


class Undecodable(Exception):
    """The encoding that a file declares does not fit its bytes, or cannot represent new text."""

    def __init__(self, line: int, reason: str, column: int = 1) -> None:
        super().__init__(reason)
        self.line = line
        self.column = column
        self.reason = reason


class SourceFile:
    """One Python file of the game. Its bytes are given; its text is decoded on first use."""

    def __init__(self, path: str, module: str, data: bytes) -> None:
        self.path = path  # posix, relative to the project's root
        self.module = module  # dotted, as the game imports it
        self.data = data

    def __repr__(self) -> str:
        return f"SourceFile({self.path!r})"

    @property
    def is_package(self) -> bool:
        return self.path.rpartition("/")[2] == "__init__.py"

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def text(self) -> str:
        """The text, without its byte-order mark, line ends as they are.

        Raises `Undecodable` if the declared encoding is unknown or does not fit.
        """
        if wide := wide_encoding(self.data):
            raise Undecodable(1, f"it is {wide.upper()}, which Python does not read")
        if self.data.isascii() and b"coding" not in self.data[:400]:
            return self.data.decode("ascii")
        try:
            encoding = declared_encoding(self.data)
        except SyntaxError as error:
            # If the bytes are not UTF-8 either, this raises an error that has the position.
            self._decoded("utf-8-sig")
            raise Undecodable(self._cookie_line, str(error)) from None
        text = self._decoded(encoding)
        if b"coding" in self.data[:400] and "coding" not in text[:400]:
            reason = (
                f"it declares {encoding}, but its first lines are not in {encoding}"
            )
            raise Undecodable(self._cookie_line, reason)
        return text

    def _decoded(self, encoding: str) -> str:
        try:
            return self.data.decode(encoding)
        except UnicodeDecodeError as error:
            before = self.data[: error.start].decode(encoding, "replace")
            lines = lines_of(before)
            name = encoding.removesuffix("-sig")
            reason = f"byte 0x{self.data[error.start]:02x} is not {name}"
            raise Undecodable(len(lines), reason, len(lines[-1]) + 1) from None
        except (LookupError, UnicodeError) as error:  # such as `coding: rot13`
            raise Undecodable(self._cookie_line, str(error)) from None

    @property
    def _cookie_line(self) -> int:
        return 1 if b"coding" in self.data.partition(b"\n")[0] else 2

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; bytes that cannot be decoded are escaped."""
        try:
            return lines_of(self.text)
        except Undecodable:
            encoding = wide_encoding(self.data) or "utf-8-sig"
            return lines_of(self.data.decode(encoding, "backslashreplace"))


def declared_encoding(data: bytes) -> str:
    """Return the encoding of a Python file: `utf-8-sig` if it begins with a byte-order mark.

    Raises `SyntaxError` if the encoding is unknown, or if no encoding is declared and the first
    lines are not UTF-8.
    """
    head = io.BytesIO(data)
    lines = [head.readline(), head.readline()]
    if any(map(_COOKIE.match, lines)):
        # `tokenize` rejects bytes that are not UTF-8 in these lines; Python accepts them.
        lines = [line[:3] + _FOREIGN.sub(b"?", line[3:]) for line in lines]
    return tokenize.detect_encoding(iter(lines).__next__)[0]


# The encodings whose code units have several bytes, by how a file begins. The first character of
# a Python file without a byte-order mark is nearly always ASCII.
_WIDE = (
    ("utf-32", re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff")),
    ("utf-32-le", re.compile(rb"[^\0]\0\0\0")),
    ("utf-32-be", re.compile(rb"\0\0\0[^\0]")),
    ("utf-16", re.compile(rb"\xff\xfe|\xfe\xff")),
    ("utf-16-le", re.compile(rb"[^\0]\0")),
    ("utf-16-be", re.compile(rb"\0[^\0]")),
)


def wide_encoding(data: bytes) -> str | None:
    """Return the encoding of a file in UTF-16 or UTF-32, which Python cannot import.

    >>> wide_encoding("x = 1".encode("utf-16-le")), wide_encoding(b"x = 1")
    ('utf-16-le', None)
    """
    head = data[:4]
    if b"\0" not in head and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return None
    return next((name for name, start in _WIDE if start.match(head)), None)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text as Python counts them, without their ends."""
    return io.StringIO(text, newline=None).read().split("\n")


def column_at(line: str, offset: int) -> int:
    """Return the column, from 1, for an offset of `ast`, which counts bytes of UTF-8."""
    if line.isascii():
        return offset + 1
    before = line.encode(errors="surrogatepass")[:offset]
    return len(before.decode(errors="replace")) + 1


class WithProgress(Protocol):
    """A function that yields `items` in order and may show how many it has yielded."""

    def __call__(self, verb: str, items: Collection[T], /) -> Iterable[T]: ...


def _without_progress(verb: str, items: Collection[T], /) -> Collection[T]:
    return items


class ProgressReporter:
    """An object with long loops, which run over `with_progress(…)`.

    Assign another function to `with_progress` to show the progress.
    """

    with_progress: WithProgress = staticmethod(_without_progress)


class Project(ProgressReporter):
    """The Python files of a game by module name. A file is read when it is first needed."""

    def __init__(
        self,
        root: str,
        paths: Mapping[str, str],
        known_digests: Mapping[str, str] | None = None,
        output: str | None = None,
    ) -> None:
        """`root` is the project's folder; `paths` maps each module to its path below `root`.

        `known_digests` has the digests, by path, of files that have not changed since the last
        run. With `output`, modules that are not in `paths` are searched for below `root`, except
        in `output`, the folder for generated code.
        """
        self.root = root
        self.paths = dict(paths)
        self._sources = tuple(paths)
        self._output = output
        self._known_digests = known_digests or {}
        self._modules = {path: module for module, path in paths.items()}
        self._files: dict[str, SourceFile] = {}
        self._digests: dict[str, str] = {}
        self._replaced: dict[str, bytes] = {}  # by path
        self.unreadable: dict[str, str] = {}  # path → reason, for files tried so far

    def __contains__(self, module: str) -> bool:
        if self._output is not None and module not in self.paths:
            self._search(module)
        return module in self.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def module_at(self, path: str) -> str | None:
        return self._modules.get(path)

    def file(self, module: str) -> SourceFile:
        """Return the file of a module; the first call reads it.

        If it cannot be read, the returned file is empty, and `unreadable` has the reason.
        """
        if module not in self._files:
            path = self.paths[module]
            data = self._bytes(path)
            file = self._files[module] = SourceFile(path, module, data)
            self._digests[module] = file.digest
        return self._files[module]

    def lines_at(self, path: str) -> list[str]:
        """Return the lines of a file of the project, also of one that is no module."""
        if module := self.module_at(path):
            return self.file(module).lines
        return SourceFile(path, "", self._bytes(path)).lines

    def replace(self, path: str, data: bytes) -> None:
        """Use `data` as the content of a file, instead of what is on the disk."""
        self._replaced[path] = data
        self._digests.pop(self._modules[path], None)
        self.forget([self._modules[path]])

    def _bytes(self, path: str) -> bytes:
        if path in self._replaced:
            return self._replaced[path]
        try:
            return disk.read(disk.join(self.root, path))
        except OSError as error:
            self.unreadable[path] = error.strerror or str(error)
            return b""

    def digest(self, module: str) -> str:
        """Return the digest of a module's file; "" if the module does not exist."""
        if module not in self:
            return ""
        if module not in self._digests:
            path = self.paths[module]
            digest = self._known_digests.get(path)
            if not digest or path in self._replaced:
                return self.file(module).digest
            self._digests[module] = digest
        return self._digests[module]

    def known_digest(self, path: str) -> str:
        """Return the digest of a file if it is known without reading the file, else ""."""
        module = self._modules.get(path, "")
        return self._digests.get(module) or self._known_digests.get(path, "")

    def forget(self, modules: Iterable[str]) -> None:
        """Drop the bytes of files that are no longer needed."""
        for module in modules:
            self._files.pop(module, None)

    def _search(self, module: str) -> None:
        """Add a module to `paths` if its file exists below `root`."""
        stem = module.replace(".", "/")
        for path in (f"{stem}.py", f"{stem}/__init__.py"):
            if path.startswith(f"{self._output}/"):
                return
            if disk.exists(disk.join(self.root, path)):
                self.paths[module] = path
                self._modules[path] = module
                return

"""Read the files of a level folder into memory. Links in the folder are not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from savegen.levels.findings import ClashingNames, StrayFile, UnreadableLevelFile
from savegen.findings import Finding, Span
from savegen.runtime.values.basics.filenames import comparable_name

DESCRIPTION = "level.lvl"
KINDS = ("geometry", "sprites", "visuals")  # the folders of images
MAX_BYTES = {DESCRIPTION: 1 << 24}
_MAX_IMAGE_BYTES = 1 << 28
_SUFFIX = ".png"
# Files that operating systems add to folders.
_SYSTEM_FILES = ("thumbs.db", "desktop.ini", "__macosx")
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)
# A link that was created after `_refuse_link` is refused too, and opening a pipe does not block.
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True)
class Folder:
    """A level folder in memory."""

    path: str  # as given by the caller, for findings
    name: str  # of the level, for placement ids
    description: bytes | None  # the content of `level.lvl`; `None` if it cannot be read
    images: Mapping[str, Mapping[str, bytes]]  # kind → layer → PNG
    findings: tuple[Finding, ...] = ()
    # Images that could not be read, such as "sprites/layer1", or whole folders, such as "sprites".
    unread: frozenset[str] = frozenset()

    def path_of(self, inside: str) -> str:
        """Return the path of a file in the folder, as findings show it.

        >>> Folder("levels/cavern", "cavern", None, {}).path_of("level.lvl")
        'levels/cavern/level.lvl'
        """
        return f"{self.path}/{inside}"


def image_name(kind: str, layer: str) -> str:
    """Return the path of a layer's image in its level folder.

    >>> image_name("geometry", "layer1")
    'geometry/layer1.png'
    """
    return f"{kind}/{layer}{_SUFFIX}"


def read_folder(path: str | bytes | os.PathLike[str]) -> Folder:
    """Return the content of a level folder.

    There are findings for files that cannot be read, for links, which are not followed, and for
    files that do not belong to a level, unless they are hidden.

    >>> folder = read_folder("no/such/cavern")
    >>> folder.name, [finding.message for finding in folder.findings]
    ('cavern', ['`no/such/cavern` is missing'])
    """
    return _FolderReader(os.fsdecode(path) or os.curdir).folder()


class _FolderReader:
    """Reads one level folder and collects findings."""

    def __init__(self, path: str) -> None:
        self._root = path
        self._path = _printable(path).replace(os.sep, "/").rstrip("/") or "/"
        self._findings: list[Finding] = []
        self._unread: set[str] = set()
        self._levels: list[str] = []  # subfolders that are levels themselves

    def folder(self) -> Folder:
        name = os.path.basename(os.path.abspath(self._root))
        description: bytes | None = None
        images: dict[str, dict[str, bytes]] = {kind: {} for kind in KINDS}
        names = self._names("")
        if names is not None and DESCRIPTION not in names:
            self._levels = [each for each in names if self._is_level(each)]
            self._refuse(DESCRIPTION, self._missing_reason())
        for entry in names or ():
            if entry == DESCRIPTION:
                description = self._bytes(entry)
            elif entry in KINDS:
                images[entry] = dict(self._images(entry))
            elif entry not in self._levels:
                self._stray(entry)
        findings, unread = tuple(self._findings), frozenset(self._unread)
        return Folder(
            self._path, _printable(name), description, images, findings, unread
        )

    def _missing_reason(self) -> str:
        """Return the message for a folder without a `level.lvl`."""
        if not self._levels:
            return "is missing"
        example = f"{self._path}/{_printable(self._levels[0])}"
        return f"is missing; this folder contains levels, such as `{example}`"

    def _is_level(self, name: str) -> bool:
        path = self._path_to(name)
        return not os.path.islink(path) and os.path.isfile(f"{path}/{DESCRIPTION}")

    def _images(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield the layer and the content of each image in a folder."""
        groups: dict[str, list[str]] = {}  # names that some systems take for the same
        names = self._names(kind)
        if names is None:
            self._unread.add(kind)
        for name in names or ():
            if name.lower().endswith(_SUFFIX) and len(name) > len(_SUFFIX):
                groups.setdefault(comparable_name(name), []).append(name)
            else:
                self._stray(f"{kind}/{name}")
        for group in groups.values():
            data = None
            if len(group) == 1:
                data = self._bytes(f"{kind}/{group[0]}")
            else:  # any of them could be the image of the layer
                self._clash(kind, group)
            for stem in (name[: -len(_SUFFIX)] for name in group):
                if data is None:
                    self._unread.add(f"{kind}/{_printable(stem)}")
                else:
                    yield _printable(stem), data

    def _clash(self, kind: str, names: list[str]) -> None:
        first, *others = map(_printable, names)
        for name in others:
            span = Span(f"{self._path}/{kind}/{name}")
            self._findings.append(ClashingNames(span, first, name))

    def _names(self, inside: str) -> list[str] | None:
        """Return the names in a folder, sorted; `None` if it cannot be listed."""
        try:
            if inside:
                self._refuse_link(inside)
            return sorted(os.listdir(self._path_to(inside)))
        except (OSError, ValueError) as error:  # `ValueError` for a NUL in the path
            self._refuse(inside, _reason(error))
            return None

    def _bytes(self, inside: str) -> bytes | None:
        """Return the content of a file; `None` if it cannot or must not be read."""
        try:
            self._refuse_link(inside)
            return _content(
                self._path_to(inside), MAX_BYTES.get(inside, _MAX_IMAGE_BYTES)
            )
        except OSError as error:
            self._refuse(inside, _reason(error))
            return None

    def _refuse_link(self, inside: str) -> None:
        if os.path.islink(self._path_to(inside)):
            raise _RefusedFile(
                "is a symbolic link; copy the file or folder itself here"
            )

    def _path_to(self, inside: str) -> str:
        return os.path.join(self._root, inside) if inside else self._root

    def _refuse(self, inside: str, reason: str) -> None:
        name = _printable(inside or self._path)
        path = f"{self._path}/{name}" if inside else self._path
        self._findings.append(UnreadableLevelFile(Span(path), name, reason))

    def _stray(self, inside: str) -> None:
        name = inside.rpartition("/")[2]
        if name.startswith(".") or name.lower() in _SYSTEM_FILES:
            return
        printable = _printable(inside)
        self._findings.append(StrayFile(Span(f"{self._path}/{printable}"), printable))


class _RefusedFile(OSError):
    """A file or folder that must not be read."""


def _content(path: str, limit: int) -> bytes:
    """Return the content of a file. Raises `OSError` if it is too large or not a regular file."""
    file = os.open(path, _FLAGS | _NO_LINKS)
    with open(file, "rb") as stream:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise _RefusedFile("is not a file")
        if status.st_size > limit:
            raise _RefusedFile(f"is larger than {limit >> 20} MiB")
        return stream.read(limit)


def _printable(name: str) -> str:
    """Return a file name with bytes that are not UTF-8 written as escapes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return f"cannot be read: {error}"
    if isinstance(error, _RefusedFile):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return "is missing"
    if isinstance(error, NotADirectoryError):
        return "is not a folder"
    if isinstance(error, IsADirectoryError):
        return "is not a file"
    return f"cannot be read: {error.strerror or error}"

"""Read, write and find files for the build and the commands, and lock a project for one build."""

from __future__ import annotations

import errno
import itertools
import os
import posixpath
import stat as modes
import sys
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

CACHE = ".savegen_cache"
BUILD_LOCK, IGNORE = "build.lock", ".gitignore"  # in the cache
# If a file changed this recently, a second change may leave its stamp as it is.
RACY_NS = 50_000_000

_SKIPPED = frozenset(("__pycache__", "node_modules", "site-packages"))
# File names that only a Python environment contains.
_ENVIRONMENT = frozenset(("pyvenv.cfg", "conda-meta"))
_NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_LOCK_FILE_FLAGS = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # opening a pipe must not block
_LOCKED_ERRORS = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_UNSUPPORTED_ERRORS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_counter = itertools.count()


class Stamp(NamedTuple):
    """Data from one `stat` call that differ if the file has changed."""

    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int


class FileStatus(NamedTuple):
    """Data about a file, folder or link at a path."""

    kind: str  # "file", "folder", "link" or "other"
    mode: int  # the permission bits
    links: int
    stamp: Stamp


class ModuleMap(NamedTuple):
    """The modules of a project and their files. All paths are relative to the project."""

    paths: dict[str, str]  # dotted name of a module → path
    # Path of a file that cannot be imported → its module name, which another file has too.
    shadowed: dict[str, str]
    # The folders that must be in `sys.path`, in the order of the sources.
    roots: tuple[str, ...]


class Busy(Exception):
    """Another process is building in the project, and did not finish in time."""

    def __init__(self, holder: str, wait: float) -> None:
        super().__init__(
            f"another savegen is running in this project ({holder}); waited {wait:g} s for it"
        )
        self.holder = holder


# Paths and single files


def join(root: str, *parts: str) -> str:
    return os.path.join(root, *parts)


def parent(path: str) -> str:
    return os.path.dirname(path)


def name_of(path: str) -> str:
    return os.path.basename(path)


def relative(path: str, root: str) -> str:
    """Return the posix path of `path` relative to `root`; it begins with `..` if outside."""
    try:
        return os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:
        return ".."  # on another drive


def expand(root: str, path: str) -> str:
    """Return the full path of a path that is relative to `root` or begins with `~`."""
    return os.path.join(root, os.path.expanduser(path))


def resolve(path: str) -> str:
    """Return the absolute path with every symbolic link followed."""
    return os.path.realpath(path)


def absolute(path: str) -> str:
    """Return the absolute path, with symbolic links kept.

    Links are followed only if `..` comes after a link, because `..` then means the parent of
    the link's target.
    """
    unresolved, real = os.path.abspath(path), os.path.realpath(path)
    return unresolved if os.path.realpath(unresolved) == real else real


def is_folder(path: str) -> bool:
    """Return whether a path is a folder, or a link to one."""
    return os.path.isdir(path)


def exists(path: str) -> bool:
    return os.path.exists(path)


def read(path: str) -> bytes:
    """Return the bytes of a file. Raises `OSError`, also for a pipe or a device."""
    try:
        with open(path, "rb", buffering=0, opener=_open_without_waiting) as file:
            if not modes.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "is not a regular file")
            return file.readall()
    except OSError as error:
        error.filename = error.filename or path  # after opening, errors have no name
        raise


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | _NONBLOCK)


def head(path: str, size: int) -> bytes:
    """Return at most `size` bytes from the beginning of a file."""
    with open(path, "rb", buffering=0, opener=_open_without_waiting) as file:
        return file.read(size) or b""


def stamp(path: str) -> Stamp | None:
    """Return the stamp of a file, with links followed; None if it does not exist."""
    try:
        return _stamp(os.stat(path))
    except (FileNotFoundError, NotADirectoryError):
        return None


def status(path: str) -> FileStatus | None:
    """Return the status of a path, with links not followed; None if nothing exists there."""
    try:
        stat = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode = stat.st_mode
    return FileStatus(_kind(mode), mode & 0o777, stat.st_nlink, _stamp(stat))


def _stamp(stat: os.stat_result) -> Stamp:
    return Stamp(stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)


def _kind(mode: int) -> str:
    if modes.S_ISREG(mode):
        return "file"
    if modes.S_ISDIR(mode):
        return "folder"
    return "link" if modes.S_ISLNK(mode) else "other"


def files_below(
    folder: str, on_error: Callable[[str, OSError], object] | None = None
) -> Iterator[str]:
    """Yield the regular files below a folder, hidden ones too, as relative posix paths.

    Symbolic links are skipped, and so are hidden folders, `__pycache__`, `node_modules` and
    `site-packages`. A missing folder counts as empty. `on_error` is called with the relative
    path of a folder that cannot be listed; without it, that raises `OSError`.
    """
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            entries = _entries(join(folder, prefix))
        except OSError as error:
            if on_error is None:
                raise
            on_error(prefix.rstrip("/"), error)
            continue
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                yield prefix + entry.name
            elif entry.is_dir(follow_symlinks=False) and not _is_skipped_name(
                entry.name
            ):
                pending.append(f"{prefix}{entry.name}/")


def stamps_below(folders: Sequence[str]) -> str:
    """Return a text that changes whenever a file below one of the folders changes.

    Text for people, in Markdown, does not count.
    """
    return " ".join(
        f"{name} %d %d %d %d" % current
        for folder in folders
        for name in sorted(files_below(folder))
        if not name.endswith(".md") and (current := stamp(f"{folder}/{name}"))
    )


def files_in(folder: str) -> Iterator[str]:
    """Yield the names of the regular files in a folder; none if the folder is missing."""
    return (
        entry.name for entry in _entries(folder) if entry.is_file(follow_symlinks=False)
    )


def names_in(folder: str) -> set[str]:
    """Return the names of all entries of a folder; none if the folder is missing."""
    return {entry.name for entry in _entries(folder)}


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def is_skipped(path: str) -> bool:
    """Return whether `files_below` skips this folder, or one of its parents."""
    return any(map(_is_skipped_name, path.split("/")))


def _is_skipped_name(folder_name: str) -> bool:
    return folder_name[0] == "." or folder_name in _SKIPPED


# Writing


def temporary(folder: str) -> str:
    """Return a new path for a temporary file. `is_temporary` recognises its name."""
    return join(folder, f".savegen-{os.getpid()}-{next(_counter)}.tmp")


def is_temporary(name: str) -> bool:
    return name.startswith(".savegen-") and name.endswith(".tmp")


def create(path: str, *parts: bytes, mode: int | None = None) -> None:
    """Write a new file with the permissions `mode`. Raises `FileExistsError`."""
    file = os.open(path, _NEW_FILE_FLAGS, 0o666)
    try:
        for data in parts:
            count = os.write(file, data)
            while count < len(data):
                count += os.write(file, data[count:])
    except OSError as error:
        error.filename = path
        raise
    finally:
        os.close(file)
    if mode is not None:
        os.chmod(path, mode)


def replace(source: str, target: str) -> None:
    """Rename a file, replacing `target` in one step; a link is replaced itself, not its target."""
    os.replace(source, target)


def remove(path: str) -> None:
    os.unlink(path)


def make_folder(path: str) -> None:
    os.mkdir(path)


def make_folders(path: str) -> None:
    """Create a folder and its missing parents."""
    os.makedirs(path, exist_ok=True)


def remove_folder(path: str) -> None:
    os.rmdir(path)


def write(path: str, *parts: bytes, mode: int | None = None) -> None:
    """Write a file under a temporary name, then rename it; on failure the old content stays."""
    temp = temporary(os.path.dirname(path))
    try:
        create(temp, *parts, mode=mode)
        os.replace(temp, path)
    except BaseException as error:
        if isinstance(error, OSError):
            error.filename, error.filename2 = path, None  # not the temporary file
        if os.path.lexists(temp):
            os.unlink(temp)
        raise


def write_checked(path: str, data: bytes) -> None:
    """Write a file with a checksum, as `read_checked` reads it."""
    write(path, b"%08x" % zlib.crc32(data), data)


def read_checked(path: str) -> bytes:
    """Return the data of `write_checked`. Raises `OSError`, also if the file is damaged."""
    content = read(path)
    data = content[8:]
    if content[:8] != b"%08x" % zlib.crc32(data):
        raise OSError(errno.EINVAL, "is damaged", path)
    return data


def prune(folder: str) -> bool:
    """Remove a folder that has no content except `__pycache__`; return whether it was removed."""
    try:
        entries = _entries(folder)
        if [entry.name for entry in entries] == ["__pycache__"]:
            _remove_compiled(entries[0].path)
        os.rmdir(folder)
    except OSError:
        return False
    return True


def _remove_compiled(folder: str) -> None:
    entries = _entries(folder)
    if all(entry.name.endswith(".pyc") for entry in entries):
        for entry in entries:
            os.unlink(entry.path)
        os.rmdir(folder)


def cache_folder(root: str) -> str:
    """Return the path of `.savegen_cache` below `root`; create it, ignored by git, if missing.

    Raises `OSError`, also if a file or a symbolic link has that name.
    """
    path = join(root, CACHE)
    current = status(path)
    if current is None:
        with suppress(FileExistsError):  # another process was faster
            os.mkdir(path)
    elif current.kind != "folder":
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", path)
    ignore = join(path, IGNORE)
    if not os.path.lexists(ignore):
        # No temporary file is used: nothing is locked yet, so another run might remove it.
        with suppress(FileExistsError):
            create(ignore, b"*\n")
    return path


# Finding sources

# Folders at the top of a project into which packaging tools copy it
_COPIES = ("build", "dist")


def copies_in(root: str, path: str = ".") -> set[str]:
    """Return the folders that are copies of a project in its folder `path`; a package is none."""
    names = _COPIES if path == "." else ()
    return {name for name in names if not exists(join(root, name, "__init__.py"))}


def find_sources(
    root: str, sources: Sequence[str], exclude: Sequence[str]
) -> dict[str, Stamp]:
    """Return the Python files of the sources as sorted posix paths below `root`, with stamps.

    `sources` are folders or files. In folders, this function skips hidden entries, Python
    environments, `__pycache__`, `node_modules`, `site-packages`, paths that match a glob of
    `exclude`, and symbolic links to folders. Symbolic links to files are included. In the
    whole project, `build` and `dist` are skipped, too, unless they are packages.

    Raises `FileNotFoundError` with the name of a source that is neither a folder nor a
    regular file, and other errors as `OSError`.
    """
    stamps: dict[str, Stamp] = {}
    for source in sources:
        path = posixpath.normpath(source)
        if os.path.isdir(join(root, path)):
            excluded = _matcher(exclude, copies_in(root, path))
            _find_below(root, path, excluded, stamps)
        else:
            stamps[path] = _stamp_of_source(root, path)
    return {path: stamps[path] for path in sorted(stamps)}


def find_unread(
    root: str,
    sources: Sequence[str],
    exclude: Sequence[str],
    is_other_project: Callable[[bytes], bool],
) -> dict[str, Stamp]:
    """Return the Python files below `root` that are neither sources nor excluded, with stamps.

    This function skips what `find_sources` skips in the whole project, and folders with a
    pyproject.toml of another project, as `is_other_project` decides from its content.
    """
    read_already = {*map(posixpath.normpath, sources)}
    if "." in read_already:
        return {}
    excluded = _matcher(exclude, read_already | copies_in(root))

    def is_other(folder: str) -> bool:
        with suppress(OSError):
            return is_other_project(read(join(root, folder, "pyproject.toml")))
        return False

    stamps: dict[str, Stamp] = {}
    _find_below(root, ".", excluded, stamps, is_other=is_other)
    return stamps


def source_folders(
    root: str, sources: Sequence[str], exclude: Sequence[str]
) -> list[str]:
    """Return the folders that `find_sources` searches, and those of single files."""
    folders: list[str] = []
    for source in sources:
        path = posixpath.normpath(source)
        if os.path.isdir(join(root, path)):
            excluded = _matcher(exclude, copies_in(root, path))
            _find_below(root, path, excluded, {}, folders)
        else:
            folders.append(posixpath.dirname(path) or ".")
    return sorted({*folders})


def _matcher(
    exclude: Sequence[str], paths: Collection[str] = ()
) -> Callable[[str], object]:
    """Return a function whose result is true for `paths` and those that match `exclude`."""
    if not exclude:
        return paths.__contains__
    import fnmatch
    import re

    globs = (fnmatch.translate(posixpath.normpath(glob)) for glob in exclude)
    matches = re.compile("|".join(globs)).match
    return lambda path: path in paths or matches(path)


def _stamp_of_source(root: str, path: str) -> Stamp:
    try:
        stat = os.stat(join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        stat = None
    if stat is None or not modes.S_ISREG(stat.st_mode):
        raise FileNotFoundError(errno.ENOENT, "no such source folder or file", path)
    return _stamp(stat)


def _find_below(
    root: str,
    source: str,
    excluded: Callable[[str], object],
    stamps: dict[str, Stamp],
    folders: list[str] | None = None,
    is_other: Callable[[str], bool] | None = None,
) -> None:
    """Add the stamps of the Python files below the folder `source` to `stamps`.

    Add the folders in which they can be to `folders`. With `is_other`, skip folders that cannot
    be read, and those with a pyproject.toml for which `is_other` returns true.
    """
    pending = [source]
    while pending:
        folder = pending.pop()
        prefix = "" if folder == "." else folder + "/"
        try:
            entries = _entries(join(root, folder))
        except PermissionError:
            if is_other is None:
                raise
            continue
        if folder != source and any(entry.name in _ENVIRONMENT for entry in entries):
            continue
        if is_other and folder != source:
            if any(e.name == "pyproject.toml" for e in entries) and is_other(folder):
                continue
        if folders is not None:
            folders.append(folder)
        for entry in entries:
            name = entry.name
            if name.endswith(".py") and _is_text(name) and name[0] != ".":
                if not excluded(prefix + name):
                    _add_file(entry, prefix + name, stamps, pending)
            elif entry.is_dir(follow_symlinks=False) and not _is_skipped_name(name):
                if _is_text(name) and not excluded(prefix + name):
                    pending.append(prefix + name)


def _add_file(
    entry: os.DirEntry[str], path: str, stamps: dict[str, Stamp], pending: list[str]
) -> None:
    try:
        # On Windows `entry.stat()` lacks the inode, so the stamps would never be equal.
        stat = os.stat(entry.path) if sys.platform == "win32" else entry.stat()
    except FileNotFoundError:
        return  # a broken link, or removed since it was listed
    if modes.S_ISREG(stat.st_mode):
        stamps[path] = _stamp(stat)
    elif entry.is_dir(follow_symlinks=False):
        pending.append(path)  # a folder called `x.py`


def _is_text(name: str) -> bool:
    """Return whether a file name is valid Unicode, as the name of a module must be."""
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)


# Module names


def import_root(root: str, folder: str) -> str:
    """Return the folder that must be in `sys.path` to import the modules in `folder`.

    This is the parent of the outermost package around `folder`, or `folder` itself if it is
    not a package. Folders above `root` do not count.
    """
    while posixpath.basename(folder) not in ("", ".", ".."):
        if not exists(join(root, folder, "__init__.py")):
            break
        folder = posixpath.dirname(folder) or "."
    return folder


def map_modules(
    root: str, paths: Iterable[str], sources: Sequence[str], package: str = ""
) -> ModuleMap:
    """Return the modules of the files `paths`, which `find_sources` returned for `sources`.

    A module name is relative to the import root of the innermost source around the file. If
    two files have one name, the file in the earlier source gets it; within one source, a
    package wins over a module. `package` is the dotted name of `root`, if `root` is inside a
    package.
    """
    namer = _ModuleNamer(root, sources, package)
    path_by_name: dict[str, str] = {}
    shadowed: dict[str, str] = {}
    for path in paths:
        name = namer.module(path)
        winner = path_by_name.setdefault(name, path)
        if winner != path:
            winner, loser = sorted((winner, path), key=namer.rank)
            path_by_name[name] = winner
            shadowed[loser] = name
    roots = tuple(dict.fromkeys(namer.roots.values()))
    return ModuleMap(path_by_name, shadowed, roots)


class _ModuleNamer:
    """Computes module names, relative to the import root of the source that has the file."""

    def __init__(self, root: str, sources: Sequence[str], package: str) -> None:
        self._package = package
        self._sources = [posixpath.normpath(source) for source in sources]
        self.roots = {source: _root_of(root, source) for source in self._sources}
        # Folder → dotted package of its files.
        self._prefixes: dict[str, str] = {}

    def module(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".py")
        if path in self.roots:  # a file that is itself a source
            prefix = self._dotted(folder or ".", self.roots[path])
        else:
            prefix = self._prefix(folder or ".")
        if stem == "__init__" and prefix:
            return prefix
        return f"{prefix}.{stem}" if prefix else stem

    def rank(self, path: str) -> tuple[int, bool, str]:
        """Return a sort key that is lowest for the file that Python imports."""
        order = self._sources.index(self._source_of(path))
        return order, not path.endswith("__init__.py"), path

    def _prefix(self, folder: str) -> str:
        if folder not in self._prefixes:
            base = self.roots[self._source_of(folder)]
            self._prefixes[folder] = self._dotted(folder, base)
        return self._prefixes[folder]

    def _dotted(self, folder: str, base: str) -> str:
        outer = self._package if base == "." else ""
        if folder == base:
            return outer
        inner = folder if base == "." else folder[len(base) + 1 :]
        return f"{outer}.{inner}".lstrip(".").replace("/", ".")

    def _source_of(self, path: str) -> str:
        while path not in self.roots and path != ".":
            path = posixpath.dirname(path) or "."
        return path


def _root_of(root: str, source: str) -> str:
    if os.path.isdir(join(root, source)):
        return import_root(root, source)
    return import_root(root, posixpath.dirname(source) or ".")


# One writer at a time


class BuildLock:
    """A lock with which only one process at a time builds in a project.

    Entering waits, and raises `Busy` with the holder after `wait` seconds. The kernel releases
    the lock when a process dies.
    """

    def __init__(self, root: str, command: str, wait: float = 10.0) -> None:
        self._root = root
        self._command = command
        self._wait = wait
        self._file = -1
        self.waited = (
            False  # whether another process had the lock, and may have written
        )

    def __enter__(self) -> BuildLock:
        deadline = time.monotonic() + self._wait
        path = join(cache_folder(self._root), BUILD_LOCK)
        while not self._take(path):
            self.waited = True
            if time.monotonic() >= deadline:
                raise Busy(_holder(path), self._wait)
            time.sleep(0.05)
            # `savegen clean` may have removed the folder.
            path = join(cache_folder(self._root), BUILD_LOCK)
        return self

    def __exit__(self, *_: object) -> None:
        # The file is not removed. Otherwise a process that waits for it and a process that
        # creates a new one could both have a lock.
        file, self._file = self._file, -1
        with suppress(OSError):  # the text is only for error messages
            os.ftruncate(file, 0)
        os.close(file)

    def _take(self, path: str) -> bool:
        file = os.open(path, _LOCK_FILE_FLAGS, 0o666)
        try:
            if try_lock(file) and _is_at(file, path):
                with suppress(OSError):  # the lock is held even without the text
                    data = f"process {os.getpid()}: {self._command}\n".encode()
                    os.write(file, data)
                    os.ftruncate(file, len(data))
                self._file, file = file, -1
                return True
        finally:
            if file >= 0:
                os.close(file)
        return False


def _is_at(file: int, path: str) -> bool:
    """Return whether the open file is still at `path`: `savegen clean` may have removed it."""
    current = stamp(path)
    return current is not None and current.inode == os.fstat(file).st_ino


def _holder(path: str) -> str:
    try:
        text = head(path, 200).decode("utf-8", "replace").strip()
    except OSError:
        text = ""
    return "".join(filter(str.isprintable, text)) or "unknown process"


def try_lock(file: int) -> bool:
    """Take the kernel's lock on an open file; return whether no other process has it.

    `unlock` or the end of the process releases it. On drives without locks, such as some
    network drives, the result is True although nothing is locked.
    """
    try:
        _lock(file, release=False)
    except OSError as error:
        if error.errno in _UNSUPPORTED_ERRORS:
            return True
        if error.errno not in _LOCKED_ERRORS:
            raise
        return False
    return True


def unlock(file: int) -> None:
    """Release a lock. Closing the file is not enough if a forked process has it open too."""
    _lock(file, release=True)


if sys.platform == "win32":

    def _lock(file: int, release: bool) -> None:
        # A locked byte cannot be read, so a byte far behind the text is locked.
        position = os.lseek(file, 0, os.SEEK_CUR)
        os.lseek(file, 1 << 30, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_UNLCK if release else msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(file, position, os.SEEK_SET)

else:

    def _lock(file: int, release: bool) -> None:
        fcntl.flock(file, fcntl.LOCK_UN if release else fcntl.LOCK_EX | fcntl.LOCK_NB)

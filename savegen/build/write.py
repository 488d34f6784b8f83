"""Write the generated files that changed: first plan and prepare all, then rename."""

from __future__ import annotations

import hashlib
import itertools
import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from savegen import disk
from savegen.build.marker import HEAD_SIZE, is_generated

REPLACED = f"{disk.CACHE}/replaced"

_LOCK = "savegen.lock"


class Refused(Exception):
    """The files cannot be written. The message says why, and whether any file was changed."""


class Step(NamedTuple):
    """A file to be written, or a generated file to be removed because its source is gone."""

    path: str  # posix, relative to the project's root
    new: bytes | None  # None: the file is removed
    old: bytes | None  # None: there is no file yet
    edited: bool  # `old` was generated, then changed by hand
    real: str  # absolute; no part of it is a symbolic link
    found: disk.FileStatus | None  # must not have changed when the file is replaced


class Plan(NamedTuple):
    """The changes that `apply` will make. Planning changes nothing on disk."""

    root: str  # absolute; no part of it is a symbolic link
    output: str  # also absolute and without symbolic links
    steps: tuple[Step, ...]
    up_to_date: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()  # temporary files of a run that was killed

    @property
    def changes(self) -> bool:
        """Whether any generated file is out of date."""
        return bool(self.steps)

    @property
    def edited(self) -> list[str]:
        """The files to be replaced or removed that were edited by hand."""
        return [step.path for step in self.steps if step.edited]

    def without_edits(self, paths: Collection[str]) -> Plan:
        """Return the plan with the files at `paths` not counted as edited by hand."""
        steps = (
            step._replace(edited=step.edited and step.path not in paths)
            for step in self.steps
        )
        return self._replace(steps=tuple(steps))


class Change(NamedTuple):
    """One file that `apply` changed."""

    verb: str  # "wrote" or "removed"
    path: str
    kept: str | None = None  # path of the copy of a hand-edited file


def digest(data: bytes) -> str:
    """Return the digest of a written file, which the next call of `plan` needs."""
    return hashlib.sha256(data).hexdigest()


# Planning


def plan(
    root: str,
    output: str,
    files: Mapping[str, str | bytes],
    remembered: Mapping[str, str],
    keep: Collection[str] = (),
) -> Plan:
    """Compare `files`, path to full content, with the disk.

    `output` is the folder for generated code: a generated file in it that is neither in
    `files` nor in `keep` (files of other passes) will be removed. `remembered` has the
    `digest` of the content last written to each path. Paths are posix and relative to `root`.

    Raises `Refused` if any file must not or cannot be written.
    """
    places = _Places(root, output)
    checked = [_check(places, p, _bytes(files[p]), remembered) for p in sorted(files)]
    writes = [step for step in checked if step.old != step.new]
    taken = {step.found.stamp.inode for step in checked if step.found is not None}
    removals, leftovers = _survey(places, {*files, *keep}, remembered, taken)
    leftovers += _leftovers_elsewhere(places, files)
    return Plan(
        places.root,
        places.output,
        (*writes, *removals),
        tuple(step.path for step in checked if step.old == step.new),
        tuple(leftovers),
    )


def _bytes(content: str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    if "\r" in content:
        content = content.replace("\r\n", "\n").replace("\r", "\n")
    return content.encode()


def _check(
    places: _Places, path: str, new: bytes, remembered: Mapping[str, str]
) -> Step:
    real = places.file(path)
    try:
        found = disk.status(real)
        if found is None:
            return Step(path, new, None, False, real, None)
        _refuse_kind(path, found)
        old = disk.read(real)
    except OSError as error:
        raise _cannot("read", path, error) from None
    edited = old != new and _is_edited(path, old, remembered)
    if old and old != new and not is_generated(path, old[:HEAD_SIZE]):
        raise Refused(
            f"{path} was not written by savegen: it does not begin with the marker. "
            f"Move or delete it, or set another output folder in [tool.savegen]"
        )
    return Step(path, new, old, edited, real, found)


def _refuse_kind(path: str, found: disk.FileStatus) -> None:
    if found.kind == "link":
        raise Refused(
            f"{path} is a symbolic link, which savegen does not follow; remove it"
        )
    if found.kind != "file":
        raise Refused(f"{path} is not a regular file; move it away")
    if found.links > 1:
        raise Refused(
            f"{path} has more than one hard link; replace it with a copy, or remove it"
        )


def _is_edited(path: str, old: bytes, remembered: Mapping[str, str]) -> bool:
    """Return whether `old` differs from what savegen wrote, apart from CRLF line ends by git."""
    written = remembered.get(path)
    if written is None or written == digest(old):
        return False
    return written != digest(old.replace(b"\r\n", b"\n"))


def _survey(
    places: _Places,
    expected: Collection[str],
    remembered: Mapping[str, str],
    taken: set[int],
) -> tuple[list[Step], list[str]]:
    """Return the removals of files without a source, and the temporary files in the output."""
    removals: list[Step] = []
    leftovers: list[str] = []
    for name in _listed(places.output_path, partial(disk.files_below, places.output)):
        path = posixpath.normpath(posixpath.join(places.output_path, name))
        real = disk.join(places.output, name)
        if disk.is_temporary(posixpath.basename(name)):
            leftovers.append(real)
        elif path not in expected:
            removals += _orphan(path, real, remembered, taken)
    return sorted(removals, key=lambda step: step.path), leftovers


def _orphan(
    path: str, real: str, remembered: Mapping[str, str], taken: set[int]
) -> Iterator[Step]:
    try:
        if not is_generated(path, disk.head(real, HEAD_SIZE)):
            return
        found, old = disk.status(real), disk.read(real)
    except OSError as error:
        raise _cannot("read", path, error) from None
    # If the disk ignores case, a module renamed from `Orc` to `orc` is still the same file.
    if found and found.stamp.inode not in taken:
        edited = _is_edited(path, old, remembered)
        yield Step(path, None, old, edited, real, found)


def _leftovers_elsewhere(places: _Places, paths: Iterable[str]) -> list[str]:
    folders = {posixpath.dirname(path) for path in paths if not places.owns(path)}
    found: list[str] = []
    for folder in sorted(folders):
        real = places.folder(folder)
        names = _listed(folder, partial(disk.files_in, real))
        found += [disk.join(real, name) for name in names if disk.is_temporary(name)]
    cache = disk.join(places.root, disk.CACHE)
    for name in _listed(disk.CACHE, partial(disk.files_below, cache)):
        if disk.is_temporary(posixpath.basename(name)):
            found.append(disk.join(cache, name))
    return found


def _listed(path: str, names: Callable[[], Iterator[str]]) -> list[str]:
    try:
        return list(names())
    except OSError as error:
        raise _cannot("list", path, error) from None


def _cannot(verb: str, path: str, error: OSError) -> Refused:
    return Refused(f"cannot {verb} {path or '.'}: {error.strerror or error}")


class _Places:
    """The real folders of paths below the root, and the check that savegen may write there."""

    def __init__(self, root: str, output: str) -> None:
        self.root = disk.resolve(root)
        self._folders = {"": self.root, ".": self.root}
        self.output_path = posixpath.normpath(output)
        _refuse_path(self.output_path)
        self.output = self.folder(self.output_path)
        if self.output == self.root:
            raise Refused(
                "`output` is the project's own folder; choose a folder for generated code only"
            )

    def owns(self, path: str) -> bool:
        return path.startswith(self.output_path + "/")

    def file(self, path: str) -> str:
        """Return the path of a file with its folder resolved; the file need not exist."""
        _refuse_path(path)
        folder, _, name = path.rpartition("/")
        return disk.join(self.folder(folder), name)

    def folder(self, path: str) -> str:
        if path not in self._folders:
            self._folders[path] = self._look(path)
        return self._folders[path]

    def _look(self, path: str) -> str:
        parent, _, name = path.rpartition("/")
        real = disk.join(self.folder(parent), name)
        try:
            found = disk.status(real)
        except OSError as error:
            raise _cannot("read", path, error) from None
        if found is None or found.kind == "folder":
            return real
        if found.kind != "link":
            raise Refused(f"{path} is a file where a folder is needed; move it away")
        if self.owns(path):
            raise Refused(f"{path} is a symbolic link inside the output; remove it")
        return self._follow(path, real)

    def _follow(self, path: str, link: str) -> str:
        """Return the target of a symbolic link to a folder above the output."""
        real = disk.resolve(link)
        inside = disk.relative(real, self.root)
        if inside.startswith(".."):
            raise Refused(f"{path} is a symbolic link that points outside the project")
        _refuse_path(inside, shown=path)
        found = disk.status(real)
        if found is not None and found.kind != "folder":
            raise Refused(f"{path} is a link to a file where a folder is needed")
        return real


def _refuse_path(path: str, shown: str | None = None) -> None:
    """Raise `Refused` if `path` is not a plain relative path, or is inside `.git`."""
    plain = path == posixpath.normpath(path) and not path.startswith(("/", ".."))
    if not plain or "\\" in path or ":" in path or "\0" in path:
        raise Refused(
            f"{shown or path!r} is not a path inside the project, written with `/`"
        )
    # On Windows, `.git.` and `.GIT ` are the same folder as `.git`.
    folded = path.casefold()
    if ".git" in folded and ".git" in [p.rstrip(". ") for p in folded.split("/")]:
        raise Refused(f"{shown or path} is inside .git, where savegen never writes")


# Applying


def apply(plan: Plan) -> list[Change]:
    """Make the changes of a plan. Hold a `disk.BuildLock` from planning to the end of this call.

    All new files are written under temporary names first, then renamed. If writing fails,
    no file has changed. If the run ends between two renames, each file is completely old or
    completely new, and the next run makes the other changes.

    Raises `Refused` if the disk does not allow it or a file changed since the plan.
    """
    for path in plan.leftovers:
        with suppress(OSError):  # the next run tries again
            disk.remove(path)
    writing = _Writing(plan)
    try:
        changes = writing.prepare()
        writing.finish()
    except BaseException:
        writing.tidy()
        raise
    _prune(plan)
    return changes


def rewrite(root: str, files: Mapping[str, tuple[bytes | None, bytes]]) -> list[Change]:
    """Replace the content of files as `apply` does. `files` has old and new content by path.

    The old content is `None` for a new file. Raises `Refused` if a file does not have the old
    content any more, or cannot be written.
    """
    places = _Places(root, disk.CACHE)
    writes = [_rewrite(places, path, *files[path]) for path in sorted(files)]
    leftovers = tuple(_leftovers_elsewhere(places, files))
    return apply(Plan(places.root, places.output, tuple(writes), leftovers=leftovers))


def _rewrite(places: _Places, path: str, old: bytes | None, new: bytes) -> Step:
    real = places.file(path)
    try:
        found = disk.status(real)
        if found is not None:
            _refuse_kind(path, found)
        if (None if found is None else disk.read(real)) != old:
            raise Refused(f"{path} changed while savegen ran; run savegen again")
    except OSError as error:
        raise _cannot("read", path, error) from None
    return Step(path, new, old, False, real, found)


class _Writing:
    """The temporary files and folders of one run."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._temps: dict[str, str] = {}  # by path
        self._made: list[str] = []  # folders, outer before inner
        self._ready = {plan.root}  # folders that exist and are not links

    def prepare(self) -> list[Change]:
        """Write all new content to temporary files; return the changes that `finish` will make."""
        steps = self._plan.steps
        kept = {step.path: self._keep(step) for step in steps if step.edited}
        for step in steps:
            if step.new is not None:
                self._prepare(step, step.new)
        for step in steps:
            _check_unchanged(step)
        return [
            Change("removed" if s.new is None else "wrote", s.path, kept.get(s.path))
            for s in steps
        ]

    def _prepare(self, step: Step, new: bytes) -> None:
        folder = disk.parent(step.real)
        temp = self._temps[step.path] = disk.temporary(folder)
        try:
            self._make_ready(folder, step.path)
            disk.create(temp, new, step.found.mode if step.found else None)
        except OSError as error:
            raise _cannot("write", step.path, error) from None

    def finish(self) -> None:
        """Rename all temporary files, and remove the files whose source is gone.

        The lock is renamed first, so generated code never has a number that the lock lacks.
        """
        steps = sorted(self._plan.steps, key=lambda step: step.path != _LOCK)
        for done, step in enumerate(steps):
            try:
                self._finish(step)
            except Refused as error:
                if not done:
                    raise
                count = f"{done} of {len(steps)} files were already changed"
                text = f"{error}. {count}; the next run changes the others"
                raise Refused(text) from None

    def _finish(self, step: Step) -> None:
        _check_unchanged(step)
        try:
            if step.new is None:
                disk.remove(step.real)
            else:
                disk.replace(self._temps[step.path], step.real)
        except OSError as error:
            verb = "remove" if step.new is None else "write"
            raise _cannot(verb, step.path, error) from None

    def tidy(self) -> None:
        """Remove the temporary files, and the new folders that are empty."""
        for temp in self._temps.values():
            with suppress(OSError):
                disk.remove(temp)
        for folder in reversed(self._made):
            with suppress(OSError):
                disk.remove_folder(folder)

    def _keep(self, step: Step) -> str:
        """Copy a hand-edited generated file into the cache; return the path of the copy."""
        try:
            disk.cache_folder(self._plan.root)
            place, real = self._place_to_keep(step.path, step.old or b"")
            self._make_ready(disk.parent(real), place)
            if disk.status(real) is None:
                disk.write(real, step.old or b"")
        except OSError as error:
            raise _cannot("back up your changes to", step.path, error) from None
        return place

    def _place_to_keep(self, path: str, data: bytes) -> tuple[str, str]:
        """Return the first path that is free or already holds `data`, and its absolute path."""
        stem, dot, ending = path.rpartition(".")
        for number in itertools.count(1):
            name = path if number == 1 else f"{stem}.{number}{dot}{ending}"
            real = disk.join(self._plan.root, REPLACED, name)
            found = disk.status(real)
            if found is None or (found.kind == "file" and disk.read(real) == data):
                break
        return f"{REPLACED}/{name}", real

    def _make_ready(self, folder: str, path: str) -> None:
        """Create a folder and its parents below the root. Raises `Refused` if one is a link."""
        if folder in self._ready:
            return
        self._make_ready(disk.parent(folder), path)
        found = disk.status(folder)
        if found is None:
            self._made.append(folder)
            disk.make_folder(folder)
        elif found.kind != "folder":
            raise Refused(f"cannot write {path}: a part of its path is not a folder")
        self._ready.add(folder)


def _check_unchanged(step: Step) -> None:
    """Raise `Refused` if a file has changed since the plan."""
    try:
        is_same = disk.status(step.real) == step.found
    except OSError as error:
        raise _cannot("read", step.path, error) from None
    if not is_same:
        raise Refused(f"{step.path} changed while savegen ran; run savegen again")


def _prune(plan: Plan) -> None:
    """Remove folders that the removals have emptied, the output folder included."""
    emptied: set[str] = set()
    for gone in (step for step in plan.steps if step.new is None):
        folder = disk.parent(gone.real)
        while folder not in emptied and folder != disk.parent(plan.output):
            emptied.add(folder)
            folder = disk.parent(folder)
    for folder in sorted(emptied, key=len, reverse=True):  # inner before outer
        disk.prune(folder)

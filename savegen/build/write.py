"""Write files so that each one is always whole: write temporary files first, then rename them."""

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
from savegen.runtime.world.interrupts import DelayedInterrupt

_REPLACED = f"{disk.CACHE}/replaced"  # folder for copies of hand-edited files
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
    # At planning. A file whose status differs later is not replaced.
    status: disk.FileStatus | None


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


class FileChange(NamedTuple):
    """One file that `apply` changed."""

    verb: str  # "wrote" or "removed"
    path: str
    backup: str | None = None  # path of the copy of a hand-edited file


def digest(data: bytes) -> str:
    """Return the digest of a file's content, as `plan` takes it in `remembered`."""
    return hashlib.sha256(data).hexdigest()


# Planning


def plan(
    root: str,
    output: str,
    files: Mapping[str, str | bytes],
    remembered: Mapping[str, str],
    keep: Collection[str] = (),
    former: Iterable[str] = (),
) -> Plan:
    """Compare `files`, path to full content, with the disk.

    `output` is the folder for generated code. A generated file in it will be removed if it is
    neither in `files` nor in `keep` (files of other passes), and so will all generated files in
    the folders `former`. `remembered` has the `digest` of
    the content last written to each path. Paths are posix and relative to `root`.

    Raises `Refused` if any file must not or cannot be written.
    """
    folders = _Folders(root, output)
    for path in keep:  # they must not be in the way of a later pass
        _check_kept(folders, path)
    steps = [_step(folders, p, _bytes(files[p]), remembered) for p in sorted(files)]
    writes = [step for step in steps if step.old != step.new]
    inodes = {step.status.stamp.inode for step in steps if step.status is not None}
    removals, leftovers = _search_output(folders, {*files, *keep}, remembered, inodes)
    leftovers += _leftovers_elsewhere(folders, files)
    for folder in former:
        others = _search_output(_Folders(root, folder), {*files}, remembered, inodes)
        removals += others[0]
        leftovers += others[1]
    return Plan(
        folders.root,
        folders.output,
        (*writes, *removals),
        tuple(step.path for step in steps if step.old == step.new),
        tuple(leftovers),
    )


def _bytes(content: str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    if "\r" in content:
        content = content.replace("\r\n", "\n").replace("\r", "\n")
    return content.encode()


def _step(
    folders: _Folders, path: str, new: bytes, remembered: Mapping[str, str]
) -> Step:
    """Return the step that writes `new`. Raises `Refused` if the file is not savegen's."""
    real, status, old = _current(folders, path)
    if old and old != new and not is_generated(path, old[:HEAD_SIZE]):
        raise Refused(
            f"{path} was not written by savegen: it does not begin with the marker. "
            f"Move or delete it, or set another output folder in [tool.savegen]"
        )
    edited = old is not None and old != new and _is_edited(path, old, remembered)
    return Step(path, new, old, edited, real, status)


def _current(
    folders: _Folders, path: str
) -> tuple[str, disk.FileStatus | None, bytes | None]:
    """Return the real path, the status and the content of a file, which need not exist."""
    real = folders.file(path)
    try:
        status = disk.status(real)
        if status is None:
            return real, None, None
        _check_regular(path, status)
        return real, status, disk.read(real)
    except OSError as error:
        raise _refusal("read", path, error) from None


def _check_kept(folders: _Folders, path: str) -> None:
    try:
        status = disk.status(folders.file(path))
    except OSError as error:
        raise _refusal("read", path, error) from None
    if status is not None:
        _check_regular(path, status)


def _check_regular(path: str, status: disk.FileStatus) -> None:
    """Raise `Refused` unless a path is a regular file with a single hard link."""
    if status.kind == "link":
        raise Refused(
            f"{path} is a symbolic link, which savegen does not follow; remove it"
        )
    if status.kind != "file":
        raise Refused(f"{path} is not a regular file; move it away")
    if status.links > 1:
        raise Refused(
            f"{path} has more than one hard link; replace it with a copy, or remove it"
        )


def _is_edited(path: str, old: bytes, remembered: Mapping[str, str]) -> bool:
    """Return whether `old` differs from what savegen wrote. CRLF line ends by git are ignored."""
    expected = remembered.get(path)
    if expected is None or expected == digest(old):
        return False
    return expected != digest(old.replace(b"\r\n", b"\n"))


def _search_output(
    folders: _Folders,
    expected: Collection[str],
    remembered: Mapping[str, str],
    inodes: set[int],
) -> tuple[list[Step], list[str]]:
    """Return the removals of files without a source, and the temporary files in the output."""
    removals: list[Step] = []
    leftovers: list[str] = []
    list_names = partial(disk.files_below, folders.output)
    for name in _listed(folders.output_path, list_names):
        path = f"{folders.output_path}/{name}"
        real = disk.join(folders.output, name)
        if disk.is_temporary(posixpath.basename(name)):
            leftovers.append(real)
        elif path not in expected:
            removals += _removals(path, real, remembered, inodes)
    return sorted(removals, key=lambda step: step.path), leftovers


def _removals(
    path: str, real: str, remembered: Mapping[str, str], inodes: set[int]
) -> Iterator[Step]:
    """Yield the step that removes a generated file; none if its inode is in `inodes`."""
    try:
        if not is_generated(path, disk.head(real, HEAD_SIZE)):
            return
        status, old = disk.status(real), disk.read(real)
    except OSError as error:
        raise _refusal("read", path, error) from None
    # If the disk ignores case, a module renamed from `Orc` to `orc` is still the same file.
    if status and status.stamp.inode not in inodes:
        edited = _is_edited(path, old, remembered)
        yield Step(path, None, old, edited, real, status)


def _leftovers_elsewhere(folders: _Folders, paths: Iterable[str]) -> list[str]:
    """Return the temporary files in the cache, and beside `paths` outside the output."""
    leftovers: list[str] = []
    outside = {posixpath.dirname(p) for p in paths if not folders.is_output(p)}
    for folder in sorted(outside):
        real = folders.folder(folder)
        names = _listed(folder, partial(disk.files_in, real))
        leftovers += [disk.join(real, n) for n in names if disk.is_temporary(n)]
    cache = disk.join(folders.root, disk.CACHE)
    for name in _listed(disk.CACHE, partial(disk.files_below, cache)):
        if disk.is_temporary(posixpath.basename(name)):
            leftovers.append(disk.join(cache, name))
    return leftovers


def _listed(path: str, names: Callable[[], Iterator[str]]) -> list[str]:
    try:
        return list(names())
    except OSError as error:
        raise _refusal("list", path, error) from None


def _refusal(verb: str, path: str, error: OSError) -> Refused:
    return Refused(f"cannot {verb} {path or '.'}: {error.strerror or error}")


class _Folders:
    """The real folders of paths below the root. Raises `Refused` where savegen must not write."""

    def __init__(self, root: str, output: str) -> None:
        self.root = disk.resolve(root)
        self._real_folders = {"": self.root, ".": self.root}
        self.output_path = posixpath.normpath(output)
        _refuse_path(self.output_path)
        self.output = self.folder(self.output_path)
        if self.output == self.root:
            raise Refused(
                "`output` is the project's own folder; choose a folder for generated code only"
            )

    def is_output(self, path: str) -> bool:
        return path.startswith(self.output_path + "/")

    def file(self, path: str) -> str:
        """Return the path of a file with its folder resolved; the file need not exist."""
        _refuse_path(path)
        folder, _, name = path.rpartition("/")
        return disk.join(self.folder(folder), name)

    def folder(self, path: str) -> str:
        if path not in self._real_folders:
            self._real_folders[path] = self._real(path)
        return self._real_folders[path]

    def _real(self, path: str) -> str:
        parent, _, name = path.rpartition("/")
        real = disk.join(self.folder(parent), name)
        try:
            status = disk.status(real)
        except OSError as error:
            raise _refusal("read", path, error) from None
        if status is None or status.kind == "folder":
            return real
        if status.kind != "link":
            raise Refused(f"{path} is a file where a folder is needed; move it away")
        if self.is_output(path):
            raise Refused(f"{path} is a symbolic link inside the output; remove it")
        return self._follow(path, real)

    def _follow(self, path: str, link: str) -> str:
        """Return the target of a symbolic link that is one of the folders above the output."""
        real = disk.resolve(link)
        inside = disk.relative(real, self.root)
        if inside.startswith(".."):
            raise Refused(f"{path} is a symbolic link that points outside the project")
        _refuse_path(inside, shown=path)
        status = disk.status(real)
        if status is not None and status.kind != "folder":
            raise Refused(
                f"{path} is a link to a file where a folder is needed; remove it"
            )
        return real


def _refuse_path(path: str, shown: str | None = None) -> None:
    """Raise `Refused` if `path` is not a plain relative path, or is inside `.git`."""
    plain = path == posixpath.normpath(path) and not path.startswith(("/", ".."))
    if not plain or "\\" in path or ":" in path or "\0" in path:
        raise Refused(
            f"{shown or path!r} is not a relative path with `/` inside the project"
        )
    # On Windows, `.git.` and `.GIT ` are the same folder as `.git`.
    folded = path.casefold()
    if ".git" in folded and ".git" in [p.rstrip(". ") for p in folded.split("/")]:
        raise Refused(f"{shown or path} is inside .git, where savegen never writes")


# Applying


def apply(plan: Plan) -> list[FileChange]:
    """Make the changes of a plan. Hold a `disk.BuildLock` from planning to the end of this call.

    All new files are written under temporary names first, then renamed. If writing fails,
    no file has changed. Ctrl-C takes effect before the first rename or after the last one. If the
    run is killed between two renames, each file is completely old or completely new, and the next
    run makes the other changes.

    Raises `Refused` if the disk does not allow a change or a file changed since the planning.
    """
    for path in plan.leftovers:
        with suppress(OSError):  # the next run tries again
            disk.remove(path)
    transaction = _Transaction(plan)
    try:
        changes = transaction.prepare()
        with DelayedInterrupt():
            transaction.commit()
    except BaseException:
        transaction.clean_up()
        raise
    _prune(plan)
    return changes


def rewrite(
    root: str, files: Mapping[str, tuple[bytes | None, bytes]]
) -> list[FileChange]:
    """Replace the content of files as `apply` does. `files` has old and new content by path.

    The old content is `None` for a new file. Raises `Refused` if a file does not have the old
    content any more, or cannot be written.
    """
    folders = _Folders(root, disk.CACHE)
    leftovers = tuple(_leftovers_elsewhere(folders, files))
    steps = tuple(rewrites(root, files))
    return apply(Plan(folders.root, folders.output, steps, leftovers=leftovers))


def rewrites(
    root: str, files: Mapping[str, tuple[bytes | None, bytes]]
) -> Iterator[Step]:
    """Yield the steps of `rewrite`, which can also be part of another plan."""
    folders = _Folders(root, disk.CACHE)
    for path in sorted(files):
        yield _rewrite(folders, path, *files[path])


def _rewrite(folders: _Folders, path: str, old: bytes | None, new: bytes) -> Step:
    _check_source(path, disk.status(folders.file(path)))
    real, status, current = _current(folders, path)
    if current != old:
        raise Refused(f"{path} changed while savegen ran; run savegen again")
    return Step(path, new, old, False, real, status)


def _check_source(path: str, status: disk.FileStatus | None) -> None:
    """Raise `Refused` if a file of the user is a link: to replace it would cut the link."""
    if status and (status.kind == "link" or status.links > 1):
        kind = "is a symbolic link" if status.kind == "link" else "has more hard links"
        raise Refused(
            f"{path} {kind}, and savegen does not write through links; replace it with a"
            " copy of the file, or change that file yourself"
        )


class _Transaction:
    """The temporary files and folders of one run."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._temps: dict[str, str] = {}  # path of a file → its temporary file
        self._new_folders: list[str] = []  # outer before inner
        self._safe_folders = {plan.root}  # they exist and are not links

    def prepare(self) -> list[FileChange]:
        """Write all new content to temporary files; return the changes that `commit` will make."""
        steps = self._plan.steps
        backups = {step.path: self._back_up(step) for step in steps if step.edited}
        for step in steps:
            if step.new is not None:
                self._prepare(step, step.new)
        for step in steps:
            _check_unchanged(step)
        return [
            FileChange(
                "removed" if step.new is None else "wrote",
                step.path,
                backups.get(step.path),
            )
            for step in steps
        ]

    def _prepare(self, step: Step, new: bytes) -> None:
        folder = disk.parent(step.real)
        temp = self._temps[step.path] = disk.temporary(folder)
        try:
            self._make_folder(folder, step.path)
            disk.create(temp, new, mode=step.status.mode if step.status else None)
        except OSError as error:
            raise _refusal("write", step.path, error) from None

    def commit(self) -> None:
        """Rename all temporary files, and remove the files whose source is gone.

        The lock is renamed first, so generated code never has a number that the lock lacks; the
        user's sources come last, so they never import a module that is not there yet.
        """
        steps = sorted(self._plan.steps, key=self._order)
        for index, step in enumerate(steps):
            try:
                self._commit(step)
            except Refused as error:
                if not index:
                    raise
                count = f"{index} of {len(steps)} files were already changed"
                text = f"{error}. {count}; the next run changes the others"
                raise Refused(text) from None

    def _order(self, step: Step) -> tuple[bool, bool]:
        is_output = step.real.startswith(disk.join(self._plan.output, ""))
        return step.path != _LOCK, not is_output

    def _commit(self, step: Step) -> None:
        _check_unchanged(step)
        try:
            if step.new is None:
                disk.remove(step.real)
            else:
                disk.replace(self._temps[step.path], step.real)
        except OSError as error:
            verb = "remove" if step.new is None else "write"
            raise _refusal(verb, step.path, error) from None

    def clean_up(self) -> None:
        """Remove the temporary files, and the new folders that are empty."""
        for temp in self._temps.values():
            with suppress(OSError):
                disk.remove(temp)
        for folder in reversed(self._new_folders):
            with suppress(OSError):
                disk.remove_folder(folder)

    def _back_up(self, step: Step) -> str:
        """Copy a hand-edited generated file into the cache; return the path of the copy."""
        try:
            disk.cache_folder(self._plan.root)
            path, real = self._backup_path(step.path, step.old or b"")
            self._make_folder(disk.parent(real), path)
            if disk.status(real) is None:
                disk.write(real, step.old or b"")
        except OSError as error:
            raise _refusal("back up your changes to", step.path, error) from None
        return path

    def _backup_path(self, path: str, data: bytes) -> tuple[str, str]:
        """Return the first path that is free or already holds `data`, and its absolute path."""
        stem, dot, ending = path.rpartition(".")
        for number in itertools.count(1):
            name = path if number == 1 else f"{stem}.{number}{dot}{ending}"
            real = disk.join(self._plan.root, _REPLACED, name)
            status = disk.status(real)
            if status is None or (status.kind == "file" and disk.read(real) == data):
                break
        return f"{_REPLACED}/{name}", real

    def _make_folder(self, folder: str, path: str) -> None:
        """Create a folder and its parents below the root. Raises `Refused` if one is a link."""
        if folder in self._safe_folders:
            return
        self._make_folder(disk.parent(folder), path)
        status = disk.status(folder)
        if status is None:
            self._new_folders.append(folder)
            disk.make_folder(folder)
        elif status.kind != "folder":
            raise Refused(f"cannot write {path}: a part of its path is not a folder")
        self._safe_folders.add(folder)


def _check_unchanged(step: Step) -> None:
    """Raise `Refused` if a file has changed since the planning."""
    try:
        is_same = disk.status(step.real) == step.status
    except OSError as error:
        raise _refusal("read", step.path, error) from None
    if not is_same:
        raise Refused(f"{step.path} changed while savegen ran; run savegen again")


def _prune(plan: Plan) -> None:
    """Remove folders that the removals have emptied, the output folder included."""
    emptied: set[str] = set()
    for removal in (step for step in plan.steps if step.new is None):
        folder = disk.parent(removal.real)
        while folder not in emptied and folder not in (
            disk.parent(plan.output),
            plan.root,
        ):
            emptied.add(folder)
            folder = disk.parent(folder)
    for folder in sorted(emptied, key=len, reverse=True):  # inner before outer
        disk.prune(folder)

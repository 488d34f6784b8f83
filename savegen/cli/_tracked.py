"""Ask git which files it tracks, mainly for `--tracked`.

A commit hook also sees untracked files. Code that is generated from them, or that is itself
not added to git, would be wrong or missing in every clone.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from savegen import disk
from savegen.build import process
from savegen.build.config import Config
from savegen.findings import SavegenError


def only_tracked(config: Config) -> Config:
    """Return the settings with all untracked files excluded from the sources.

    Raises `SavegenError` if git does not track the project or one of its sources.
    """
    options = ("--others", "--directory", "--no-empty-directory")
    untracked = _ls_files(config, (".",), *options)
    for source in config.source:
        if not {*untracked}.isdisjoint(_with_parents(source)):
            raise SavegenError(
                f"git does not track the source {source}: add it to git, or the"
                " commit will not contain it"
            )
    globs = map(_escaped_glob, untracked)
    return config._replace(exclude=(*config.exclude, *globs))


def untracked_outputs(config: Config) -> frozenset[str]:
    """Return the generated files, including the lock, that git does not track."""
    return frozenset(_ls_files(config, _outputs(config), "--others"))


def as_committed(config: Config, paths: Collection[str]) -> set[str]:
    """Return those of the files that equal the last commit; without git, none."""
    try:
        tracked = _git_paths(config, paths, "ls-files")
        changed = _git_paths(config, paths, "diff", "--name-only", "--relative", "HEAD")
    except process.Failed:
        return set()
    return {*tracked} - {*changed}


def ignored(config: Config, paths: Collection[str]) -> dict[str, tuple[str, int, str]]:
    """Return those of the files that git ignores, each with the pattern that matches it.

    The pattern comes with its file, relative to the root, and its line. A file that git tracks
    is not ignored. Without git, the result is empty.
    """
    folder = _git_folder(config)
    names = [disk.relative(disk.join(config.root, path), folder) for path in paths]
    command = ["git", "check-ignore", "--verbose", "--stdin", "-z"]
    try:
        data = process.output(command, folder, os.fsencode("\0".join(names)))
        printed = os.fsdecode(data).split("\0")
        up = process.output(["git", "rev-parse", "--show-cdup"], folder)
    except process.Failed:  # also if git ignores none of them
        return {}
    # git names the files of the patterns relative to its top folder.
    top = disk.join(folder, os.fsdecode(up).strip())
    found = zip(*(printed[n::4] for n in range(4)))
    return {
        disk.relative(disk.join(folder, path), config.root): (
            disk.relative(disk.join(top, source), config.root),
            int(line),
            pattern,
        )
        for source, line, pattern, path in found
        if not pattern.startswith("!")
    }


def forgotten(config: Config, outputs: Iterable[str]) -> list[str]:
    """Return those of the outputs that git neither tracks nor ignores."""
    untracked = _ls_files(config, _outputs(config), "--others", "--exclude-standard")
    generated = {*outputs}
    return [path for path in untracked if path in generated]


def _outputs(config: Config) -> tuple[str, ...]:
    return config.output, "savegen.lock"


def _ls_files(config: Config, paths: Iterable[str], *options: str) -> list[str]:
    """Return the files that `git ls-files` lists below `paths`, relative to the root."""
    try:
        return _git_paths(config, paths, "ls-files", *options)
    except process.Failed as failed:
        raise SavegenError(f"--tracked needs git, but git failed: {failed}") from None


def _git_paths(config: Config, paths: Iterable[str], *words: str) -> list[str]:
    """Return the paths that a git command prints, relative to the root."""
    folder = _git_folder(config)
    pathspecs = (disk.relative(disk.join(config.root, path), folder) for path in paths)
    command = ["git", "--literal-pathspecs", *words, "-z", "--", *pathspecs]
    output = os.fsdecode(process.output(command, folder))
    printed = filter(None, output.split("\0"))
    return sorted(disk.relative(disk.join(folder, p), config.root) for p in printed)


def _git_folder(config: Config) -> str:
    """Return the folder in which to run git.

    In a hook, git may set `GIT_DIR`. It then takes the current folder for the top of the
    working tree. Hooks run in that folder, so git must run there, too.
    """
    return os.path.abspath("") if "GIT_DIR" in os.environ else config.root


def _with_parents(source: str) -> set[str]:
    parts = os.path.normpath(source).split(os.sep)
    return {".", *("/".join(parts[: n + 1]) for n in range(len(parts)))}


def _escaped_glob(path: str) -> str:
    """Return a glob that matches only this path."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def refuse_uncommitted(root: str, paths: Iterable[str], command: str) -> None:
    """Raise `SavegenError` if one of the files has uncommitted changes."""
    changed = [path for path in paths if _has_changes(root, path)]
    if changed:
        names = " and ".join(filter(None, (", ".join(changed[:-1]), changed[-1])))
        verb = "has" if len(changed) == 1 else "have"
        raise SavegenError(
            f"{names} {verb} changes that are not committed; nothing was changed."
            f" Commit them first, or run `savegen {command} --allow-dirty`"
        )


def _has_changes(root: str, path: str) -> bool:
    """Return whether git has an earlier version of a file that differs from it."""
    from savegen.build import process

    arguments = ("status", "--porcelain", "-z", "--", path)
    try:
        status = process.output(["git", "--literal-pathspecs", *arguments], root)
    except process.Failed:
        return False  # there is no git, or no repository
    return status[:2] not in (b"", b"??", b"A ")  # unchanged, untracked, newly added

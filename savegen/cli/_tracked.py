"""What a commit will have: the files that git tracks, and none beside them.

A hook runs with untracked files in place. What is generated from them, or is not added
itself, would be missing in every clone.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable

from savegen import disk
from savegen.build import process
from savegen.cli._console import Console
from savegen.build.config import Config
from savegen.findings import SavegenError


def only_tracked(config: Config) -> Config:
    """Return the settings with every untracked file left out of the sources.

    Raises `SavegenError` where git does not know the project, or a source of it.
    """
    words = ("--others", "--directory", "--no-empty-directory")
    untracked = _listed(config, (".",), *words)
    for source in config.source:
        if not {*untracked}.isdisjoint(_with_parents(source)):
            raise SavegenError(
                f"git does not track the source {source}: add it to git, or the commit will not contain it"
            )
    globs = map(_literal, untracked)
    return config._replace(exclude=(*config.exclude, *globs))


def untracked_outputs(config: Config) -> frozenset[str]:
    """Return the files below the output, and the lock, that git does not track."""
    return frozenset(_listed(config, _outputs(config), "--others"))


def as_committed(config: Config, paths: Collection[str]) -> set[str]:
    """Return those of some files that hold what the last commit has; none without git."""
    try:
        tracked = _asked(config, paths, "ls-files")
        changed = _asked(config, paths, "diff", "--name-only", "--relative", "HEAD")
    except process.Failed:
        return set()
    return {*tracked} - {*changed}


def tell_missing(console: Console, config: Config, outputs: Iterable[str]) -> bool:
    """Tell which outputs the commit would not have; those that git ignores are meant to be."""
    found = _listed(config, _outputs(config), "--others", "--exclude-standard")
    missing = [path for path in found if path in {*outputs}]
    shown = [console.path(config.root, path) for path in missing]
    for path in shown:
        console.report(f"untracked {path}")
    if shown:
        mending = shlex.join(("git", "add", *shown))
        console.note(f"the commit will not contain these files: run `{mending}`")
    return bool(missing)


def _outputs(config: Config) -> tuple[str, ...]:
    return config.output, "savegen.lock"


def _listed(config: Config, paths: Iterable[str], *words: str) -> list[str]:
    """Return what `git ls-files` lists below some paths, all of them from the root."""
    try:
        return _asked(config, paths, "ls-files", *words)
    except process.Failed as failed:
        raise SavegenError(f"--tracked needs git, but git failed: {failed}") from None


def _asked(config: Config, paths: Iterable[str], *words: str) -> list[str]:
    """Return the paths, from the root, that git answers with. Raises `process.Failed`."""
    folder = _folder(config)
    below = (disk.relative(disk.join(config.root, path), folder) for path in paths)
    command = ["git", "--literal-pathspecs", *words, "-z", "--", *below]
    found = process.output(command, folder)
    listed = filter(None, os.fsdecode(found).split("\0"))
    return sorted(disk.relative(disk.join(folder, p), config.root) for p in listed)


def _folder(config: Config) -> str:
    """Return where git is to be asked.

    To a hook git may say where the repository is, in `GIT_DIR`: it then takes the folder
    that it is called from for the top of it, as the one is that the hook is called from.
    """
    return os.path.abspath("") if "GIT_DIR" in os.environ else config.root


def _with_parents(source: str) -> set[str]:
    parts = os.path.normpath(source).split(os.sep)
    return {".", *("/".join(parts[: n + 1]) for n in range(len(parts)))}


def _literal(path: str) -> str:
    """Return a glob that matches nothing but a path."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)

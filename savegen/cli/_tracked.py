"""What a commit will have: the files that git tracks, and none beside them.

A hook runs with untracked files in place. What is generated from them, or is not added
itself, would be missing in every clone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from savegen import process
from savegen.cli import Console
from savegen.config import Config
from savegen.report import SavegenError


def only_tracked(config: Config) -> Config:
    """Return the settings with every untracked file left out of the sources.

    Raises `SavegenError` where git does not know the project.
    """
    untracked = _listed(config, "--others", "--directory", "--no-empty-directory")
    globs = (_literal(path.rstrip("/")) for path in untracked)
    return config._replace(exclude=(*config.exclude, *globs))


def untracked_outputs(config: Config) -> frozenset[str]:
    """Return the files below the output, and the lock, that git does not track."""
    return frozenset(_listed(config, "--others", "--", config.output, "savegen.lock"))


def tell_missing(console: Console, config: Config, outputs: Iterable[str]) -> bool:
    """Tell which outputs the commit would not have; those that git ignores are meant to be."""
    wanted = ("--others", "--exclude-standard", "--", config.output, "savegen.lock")
    missing = [path for path in _listed(config, *wanted) if path in {*outputs}]
    for path in missing:
        console.say(f"untracked {console.path(config.root, path)}")
    if missing:
        console.note("add these files to git: the commit would not have them")
    return bool(missing)


def _listed(config: Config, *words: str) -> list[str]:
    try:
        found = process.output(["git", "ls-files", "-z", *words], config.root)
    except process.Failed as failed:
        raise SavegenError(
            f"--tracked asks git which files it tracks: {failed}"
        ) from None
    return sorted(filter(None, os.fsdecode(found).split("\0")))


def _literal(path: str) -> str:
    """Return a glob that matches nothing but a path."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)

"""Find the folders with generated code that were the output before `output` was changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from savegen import disk
from savegen.build.config import PYPROJECT, Config
from savegen.build.marker import HEAD_SIZE, is_generated, source_of

_PACKAGE = "/components/__init__.py"  # every output folder has it


def former_outputs(
    config: Config, outputs: Collection[str], sources: Collection[str]
) -> tuple[str, ...]:
    """Return the former output folders of a project.

    `outputs` are the files that the last run wrote. Without them, as after a clone, only folders
    among the `sources` are found.
    """
    if config.is_bare:  # each game without configuration has an output of its own
        return ()
    paths = (path for path in (*outputs, *sources) if path.endswith(_PACKAGE))
    folders = {path.removesuffix(_PACKAGE) for path in paths}
    others = (f for f in folders if not f"{f}/".startswith(f"{config.output}/"))
    return tuple(f for f in sorted(others) if _is_ours(config, f, sources))


def _is_ours(config: Config, folder: str, sources: Collection[str]) -> bool:
    """Return whether a folder was generated from this project, and not from another one."""
    if any(disk.exists(disk.join(config.root, f, PYPROJECT)) for f in _around(folder)):
        return False
    try:
        heads = dict(_heads(disk.join(config.root, folder, "components")))
    except OSError:
        return False
    first = heads.get("__init__.py")
    if first is not None and not is_generated(_PACKAGE, first):
        return False
    named = {source for head in heads.values() if (source := source_of(head))}
    return not any(
        disk.exists(disk.join(config.root, path)) for path in named - {*sources}
    )


def _heads(folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the Python files below a folder, and how they begin. Raises `OSError`."""
    for name in disk.files_below(folder):
        if name.endswith(".py"):
            yield name, disk.head(disk.join(folder, name), HEAD_SIZE)


def _around(folder: str) -> Iterator[str]:
    """Yield the folders between the project's root and a folder."""
    while folder := disk.parent(folder):
        yield folder

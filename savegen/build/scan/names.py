"""Resolve relative imports to absolute module names."""

from __future__ import annotations


def absolute_module(
    importer: str, is_package: bool, level: int, name: str | None
) -> str | None:
    """Return the module that `from <level dots><name> import …` in `importer` means.

    `is_package` is true if `importer` is an `__init__.py`. Return `None` if there are more dots
    than parent packages, which is an error in Python too.

    >>> absolute_module("mygame.actors.goblin", False, 2, "marks")
    'mygame.marks'
    >>> absolute_module("mygame.actors", True, 1, None)
    'mygame.actors'
    """
    if level == 0:
        return name
    packages = importer.split(".")
    above = level - 1 if is_package else level
    if above >= len(packages):
        return None
    base = packages[: len(packages) - above]
    return ".".join(base + [name] if name else base)

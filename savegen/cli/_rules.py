"""The kinds of findings by code; their stories explain them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from savegen.findings import Finding

# The modules that define findings. `tests/cli/test_explain.py` fails if one is missing.
_HOMES = (
    "build.breaking",
    "build.check",
    "build.scan.faults",
    "build.lock.faults",
    "build.codemod.faults",
    "levels.findings",
    "build.links",
    "build.silence",
)


# Groups of findings, by the first characters of their codes.
SERIES = {
    "SG1": "Marking classes and fields",
    "SG2": "Types of fields",
    "SG3": "Renames, defaults and migrations",
    "SG4": "Prefabs",
    "SG5": "Levels",
    "SG6": "Compatibility with older versions",
}


def rules() -> dict[str, type[Finding]]:
    """Return every class of findings by its code, sorted by code."""
    from savegen.findings import Finding

    for home in _HOMES:
        import_module(f"savegen.{home}")
    found = {each.code: each for each in _below(Finding) if isinstance(each.code, str)}
    return dict(sorted(found.items()))


def name_of(rule: type[Finding]) -> str:
    """Return the name of a class of findings, such as `callable_field`."""
    from savegen.build.model import upper_snake

    return upper_snake(rule.__name__).lower()


def _below(finding: type[Finding]) -> Iterator[type[Finding]]:
    for each in finding.__subclasses__():
        if each.__module__.startswith("savegen."):
            yield each
            yield from _below(each)

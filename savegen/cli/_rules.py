"""List the kinds of findings by code, for `savegen rules` and `savegen explain`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from savegen.findings import Finding

# The modules that define findings. `tests/cli/test_explain.py` fails if one is missing.
_MODULES = (
    "build.breaking",
    "build.check",
    "build.scan.faults",
    "build.lock.faults",
    "build.codemod.faults",
    "levels.findings",
    "build.links",
    "build.silence",
    "cli._surroundings",
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


def finding_classes() -> dict[str, type[Finding]]:
    """Return every class of findings by its code, sorted by code."""
    from savegen.findings import Finding

    for module in _MODULES:
        import_module(f"savegen.{module}")
    # Base classes have no code; the code of `StoredFinding` is a property.
    by_code = {
        cls.code: cls
        for cls in _subclasses(Finding)
        if isinstance(cls.code, str) and cls.code
    }
    return dict(sorted(by_code.items()))


def name_of(finding_class: type[Finding]) -> str:
    """Return the name of a class of findings, such as `callable_field`."""
    from savegen.build.model import upper_snake

    return upper_snake(finding_class.__name__).lower()


def _subclasses(base: type[Finding]) -> Iterator[type[Finding]]:
    for cls in base.__subclasses__():
        if cls.__module__.startswith("savegen."):
            yield cls
            yield from _subclasses(cls)

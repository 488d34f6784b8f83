"""Report a base from outside the project that a load does not know how to initialise."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding, Severity


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for base in cls.unknown_bases:
        package, _, name = base.name.rpartition(".")
        if package == "builtins":
            yield ContentOfBase(base.span, base.heir, name)
        else:
            yield UnknownBase(base.span, base.heir, base.name)


class UnknownBase(Finding, frozen=True):
    code = "SG143"
    severity = Severity.WARNING
    MESSAGE = "`{name}` inherits from `{base}`, which a load does not initialise"
    HELP = (
        'write `"{base}" = true` under `[tool.savegen.bases]` to call its\n'
        "`__init__` without arguments, `false` to call nothing, or "
        '`"mygame.bases:prepare"`\nto call your own function with the new object'
    )

    name: str
    base: str


class ContentOfBase(Finding, frozen=True):
    code = "SG145"
    severity = Severity.WARNING
    MESSAGE = "`{name}` inherits from `{base}`, whose own contents are not saved"
    HELP = "put the contents in a field of type `{base}` instead of inheriting from it"

    name: str
    base: str

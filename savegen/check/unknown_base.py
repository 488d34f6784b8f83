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

    name: str
    base: str

    @property
    def message(self) -> str:
        return f"`{self.name}` inherits from `{self.base}`, which a load does not initialise"

    @property
    def help(self) -> str:
        return (
            f'write `"{self.base}" = true` under `[tool.savegen.bases]` to call its\n'
            "`__init__` without arguments, `false` to call nothing, or"
            ' `"mygame.bases:prepare"`\nto call your own function with the new object'
        )


class ContentOfBase(Finding, frozen=True):
    code = "SG145"
    severity = Severity.WARNING

    name: str
    base: str

    @property
    def message(self) -> str:
        return f"`{self.name}` inherits from `{self.base}`, whose own contents are not saved"

    @property
    def help(self) -> str:
        return f"put the contents in a field of type `{self.base}` instead of inheriting from it"

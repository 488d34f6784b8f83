"""A base from outside the project: a load that makes an object anew must know how to begin."""

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
        return f"`{self.name}` inherits from `{self.base}`, of which a load cannot make objects"

    @property
    def help(self) -> str:
        return (
            f'say how under `[tool.savegen.bases]`: `"{self.base}" = true` calls its\n'
            "`__init__` without arguments, `false` calls nothing, and"
            ' `"mygame.bases:prepare"`\nyour own function with the new object'
        )


class ContentOfBase(Finding, frozen=True):
    code = "SG145"
    severity = Severity.WARNING

    name: str
    base: str

    @property
    def message(self) -> str:
        return (
            f"`{self.name}` is a `{self.base}`, and what it holds as such is not saved"
        )

    @property
    def help(self) -> str:
        return f"keep the `{self.base}` in a field"

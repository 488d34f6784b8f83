"""A migration beyond `save_version` would never run."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model
from savegen.report import Finding


def in_project(model: Model) -> Iterator[Finding]:
    for each in model.migrations:
        if each.to > model.save_version:
            yield MigrationBeyond(each.span, each.to, model.save_version)


class MigrationBeyond(Finding, frozen=True):
    code = "SG324"

    version: int
    today: int

    @property
    def message(self) -> str:
        return (
            f"this migration leads to version {self.version},"
            f" but `save_version` is {self.today}"
        )

    @property
    def help(self) -> str:
        return (
            f"set `save_version = {self.version}` in [tool.savegen] of pyproject.toml"
        )

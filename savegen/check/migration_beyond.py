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
    MESSAGE = "this migration leads to version {version}, but `save_version` is {today}"
    HELP = "set `save_version = {version}` in [tool.savegen] of pyproject.toml"

    version: int
    today: int

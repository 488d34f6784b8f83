"""Only one migration may lead to a version."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from savegen.model import Model
from savegen.report import Finding


def in_project(model: Model) -> Iterator[Finding]:
    for first, second in pairwise(model.migrations):
        if first.to == second.to:
            name = first.function.replace(":", ".")
            yield MigrationsAlike(second.span, second.to, name)


class MigrationsAlike(Finding, frozen=True):
    code = "SG322"
    MESSAGE = "`{other}` is already a migration to version {version}"
    HELP = (
        "merge the two functions, or raise `save_version` by one and let this "
        "migration lead to it"
    )

    version: int
    other: str

"""Each version after the first migration needs its own migration."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model
from savegen.report import Finding


def in_project(model: Model) -> Iterator[Finding]:
    found = model.migrations
    there = {each.to for each in found}
    for each in found:
        after = each.to + 1
        if after <= model.save_version and after not in there:
            later = min((v for v in there if v > after), default=model.save_version + 1)
            yield MigrationGap(each.span, each.to, after, later - 1)
            there.add(after)  # report each gap once


class MigrationGap(Finding, frozen=True):
    code = "SG323"

    version: int
    first: int  # of those that are missing
    last: int

    @property
    def message(self) -> str:
        to = (
            f"{self.first}"
            if self.first == self.last
            else f"{self.first} to {self.last}"
        )
        versions = "version" if self.first == self.last else "versions"
        return (
            f"there is a migration to version {self.version},"
            f" but none to {versions} {to}"
        )

    @property
    def help(self) -> str:
        return (
            "write it (an empty function is enough), or delete the migrations up to"
            f" version {self.version}: older saves are then refused"
        )

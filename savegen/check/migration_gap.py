"""Migrations are applied one after the other: where one is missing, older saves end."""

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
            there.add(after)  # of two migrations to one version, one tells it


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
        return f"after the migration to version {self.version}, none leads to {versions} {to}"

    @property
    def help(self) -> str:
        return "write it, even if it has nothing to do; or drop the older ones: their saves are refused then"

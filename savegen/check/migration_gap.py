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
        missing = f"version {self.first}"
        if self.last == self.first + 1:
            missing = f"version {self.first} or {self.last}"
        elif self.last > self.first:
            missing = f"versions {self.first} to {self.last}"
        return f"there is a migration to version {self.version}, but none to {missing}"

    @property
    def help(self) -> str:
        missing = "it" if self.first == self.last else "the missing ones"
        return (
            f"write {missing} (an empty function is enough), or delete the migrations up to\n"
            f"version {self.version}: the game then refuses saves older than version {self.last}"
        )

"""Migrations and converters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from savegen.build.model import Converter, Model, SavedModule
from savegen.findings import Finding, similar


def converter_without_field(model: Model) -> Iterator[Finding]:
    """Report a converter that does not name a saved field."""
    heirs: dict[str, set[str]] = {}  # the names of fields by class, and base
    for cls in model.classes:
        names = {field.name for field in cls.fields}
        for name in (cls.name, *cls.ancestors):
            heirs.setdefault(name, set()).update(names)
    for converter in model.converters:
        if converter.cls not in heirs:
            yield _of(converter, ())
        elif converter.field not in heirs[converter.cls]:
            yield _of(converter, sorted(heirs[converter.cls]))


def _of(converter: Converter, names: Iterable[str]) -> Finding:
    close = similar(converter.field, names)
    simple = converter.cls.rpartition(":")[2]
    return ConverterWithoutField(
        converter.span, simple, converter.field, bool(names), close
    )


class ConverterWithoutField(Finding, frozen=True):
    code = "SG325"

    cls: str
    field: str
    is_saved: bool  # the class, or one that inherits from it
    close: str  # the name that may have been meant

    @property
    def message(self) -> str:
        if not self.is_saved:
            return f"`{self.cls}` is not a saveable class, so its fields have no converters"
        return f"`{self.cls}` has no saved field `{self.field}`"

    @property
    def help(self) -> str | None:
        return f"did you mean `{self.close}`?" if self.close else None


def converters_alike(model: Model) -> Iterator[Finding]:
    """Report a second converter of one field."""
    first: dict[tuple[str, str], Converter] = {}
    for each in model.converters:
        other = first.setdefault((each.cls, each.field), each)
        if other is not each:
            field = f"{each.cls.rpartition(':')[2]}.{each.field}"
            yield ConvertersAlike(each.span, field, other.function.replace(":", "."))


class ConvertersAlike(Finding, frozen=True):
    code = "SG326"
    MESSAGE = "`{other}` is already a converter for `{field}`"
    HELP = "merge them into one function that checks the type of the old value"

    field: str
    other: str


def migration_beyond(model: Model) -> Iterator[Finding]:
    """Report a migration beyond `save_version`, which would never run."""
    for each in model.migrations:
        if each.to > model.save_version:
            yield MigrationBeyond(each.span, each.to, model.save_version)


class MigrationBeyond(Finding, frozen=True):
    code = "SG324"
    MESSAGE = "this migration leads to version {version}, but `save_version` is {today}"
    HELP = "set `save_version = {version}` in [tool.savegen] of pyproject.toml"

    version: int
    today: int


def migration_gap(model: Model) -> Iterator[Finding]:
    """Report a version without a migration, after the first one that has one."""
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


def migrations_alike(model: Model) -> Iterator[Finding]:
    """Report a second migration to one version."""
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


def unreachable_function(module: SavedModule) -> Iterator[Finding]:
    """Report a migration or converter that cannot be imported by module and name."""
    for found in module.unreachable:
        yield UnreachableFunction(found.span, found.word, found.name, found.place)


class UnreachableFunction(Finding, frozen=True):
    code = "SG321"
    MESSAGE = "{word} `{name}` cannot be imported: it {place}"
    HELP = "define it at module level and give it a unique name"

    word: str
    name: str
    place: str  # "is inside a function"


def unread_function(module: SavedModule) -> Iterator[Finding]:
    """Report an argument of `@migration` or `@converter` that is no literal."""
    for fault in module.unread:
        yield UnreadFunction(fault.span, fault.reason)


class UnreadFunction(Finding, frozen=True):
    code = "SG320"

    reason: str

    @property
    def message(self) -> str:
        return self.reason

    @property
    def help(self) -> str | None:
        if self.reason.startswith("`@migration`"):
            return "write for example `@migration(to=3)`"
        if self.reason.startswith("`@converter`"):
            return 'write for example `@converter(Goblin, "hp")`'
        return None

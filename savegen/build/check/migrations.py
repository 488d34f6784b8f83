"""Rules for migrations and converters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from savegen.build.model import Converter, Model, SavedModule
from savegen.findings import Finding, similar


def converter_without_field(model: Model) -> Iterator[Finding]:
    """Report a converter that does not name a saved field."""
    fields: dict[str, set[str]] = {}  # names of fields, by saveable class and by base
    for cls in model.classes:
        names = {field.name for field in cls.fields}
        for name in (cls.name, *cls.ancestors):
            fields.setdefault(name, set()).update(names)
    for converter in model.converters:
        if converter.cls not in fields:
            yield _without_field(converter, [])
        elif converter.field not in fields[converter.cls]:
            yield _without_field(converter, sorted(fields[converter.cls]))


def _without_field(converter: Converter, names: list[str]) -> Finding:
    class_name = converter.cls.rpartition(":")[2]
    suggestion = similar(converter.field, names)
    return ConverterWithoutField(
        converter.span, class_name, converter.field, bool(names), suggestion
    )


class ConverterWithoutField(Finding, frozen=True):
    code = "SG325"

    cls: str
    field: str
    is_saved: bool  # whether the class or a subclass is saveable
    suggestion: str  # a similar name of a field, or ""

    @property
    def message(self) -> str:
        if not self.is_saved:
            return f"`{self.cls}` is not a saveable class, so its fields have no converters"
        return f"`{self.cls}` has no saved field `{self.field}`"

    @property
    def help(self) -> str | None:
        return f"did you mean `{self.suggestion}`?" if self.suggestion else None


def duplicate_converter(model: Model) -> Iterator[Finding]:
    """Report a second converter for the same field."""
    first: dict[tuple[str, str], Converter] = {}
    for second in model.converters:
        other = first.setdefault((second.cls, second.field), second)
        if other is not second:
            field = f"{second.cls.rpartition(':')[2]}.{second.field}"
            name = other.function.replace(":", ".")
            yield DuplicateConverter(second.span, field, name)


class DuplicateConverter(Finding, frozen=True):
    code = "SG326"
    MESSAGE = "`{other}` is already a converter for `{field}`"
    HELP = "merge them into one function that checks the type of the old value"

    field: str
    other: str


def migration_beyond_version(model: Model) -> Iterator[Finding]:
    """Report a migration to a version higher than `save_version`, because it would never run."""
    for migration in model.migrations:
        if migration.to > model.save_version:
            span, version = migration.span, migration.to
            yield MigrationBeyondVersion(span, version, model.save_version)


class MigrationBeyondVersion(Finding, frozen=True):
    code = "SG324"
    MESSAGE = "this migration is for version {version}, but `save_version` is {current}"
    HELP = "set `save_version = {version}` in [tool.savegen] of pyproject.toml"

    version: int
    current: int


def migration_gap(model: Model) -> Iterator[Finding]:
    """Report versions without a migration after the lowest version that has one."""
    versions = {migration.to for migration in model.migrations}
    for migration in model.migrations:
        missing = migration.to + 1
        if missing <= model.save_version and missing not in versions:
            higher = (version for version in versions if version > missing)
            last = min(higher, default=model.save_version + 1) - 1
            yield MigrationGap(migration.span, migration.to, missing, last)
            versions.add(missing)  # report each gap once


class MigrationGap(Finding, frozen=True):
    code = "SG323"

    version: int
    first: int  # the first missing version
    last: int  # the last missing version

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


def duplicate_migration(model: Model) -> Iterator[Finding]:
    """Report a second migration to the same version."""
    for first, second in pairwise(model.migrations):
        if first.to == second.to:
            name = first.function.replace(":", ".")
            yield DuplicateMigration(second.span, second.to, name)


class DuplicateMigration(Finding, frozen=True):
    code = "SG322"
    MESSAGE = "`{other}` is already a migration to version {version}"
    HELP = (
        "merge the two functions, or raise `save_version` by one and use this "
        "migration for the new version"
    )

    version: int
    other: str


def unreachable_function(module: SavedModule) -> Iterator[Finding]:
    """Report a migration or converter that cannot be imported by module and name."""
    for function in module.unimportable:
        yield UnreachableFunction(
            function.span, function.mark, function.name, function.reason
        )


class UnreachableFunction(Finding, frozen=True):
    code = "SG321"
    MESSAGE = "{mark} `{name}` cannot be imported: it {reason}"
    HELP = "define it at module level and give it a unique name"

    mark: str  # "migration" or "converter"
    name: str
    reason: str  # "is inside a function"


def unreadable_function(module: SavedModule) -> Iterator[Finding]:
    """Report an argument of `@migration` or `@converter` that savegen cannot read."""
    for fault in module.function_faults:
        yield UnreadableFunction(fault.span, fault.reason)


class UnreadableFunction(Finding, frozen=True):
    code = "SG320"
    MESSAGE = "{reason}"

    reason: str

    @property
    def help(self) -> str | None:
        if self.reason.startswith("`@migration`"):
            return "write for example `@migration(to=3)`"
        if self.reason.startswith("`@converter`"):
            return 'write for example `@converter(Goblin, "hp")`'
        return None

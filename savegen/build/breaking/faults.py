"""Findings about changes that break saves, levels or code of an older version."""

from __future__ import annotations

from savegen.findings import Finding, Severity

# The part that breaks, and how the codes of its findings begin.
LEVELS = {"save": "SG60", "prefab": "SG61", "api": "SG62"}


# SAVE: values in old saves that the game can no longer load.


class LostField(Finding, frozen=True):
    """A removed field has values in old saves."""

    code = "SG601"

    name: str  # `Enemy.mana`
    is_retired: bool

    @property
    def message(self) -> str:
        if self.is_retired:
            return f"field `{self.name}` is retired: a load drops its old values"
        return f"field `{self.name}` was removed: nothing reads its old values"

    @property
    def help(self) -> str | None:
        if self.is_retired:
            return None
        name = self.name.rpartition(".")[2]
        return (
            f'if you renamed it, write `Save(was="{name}")`;'
            " if its value belongs elsewhere, write a migration that moves it;\n"
            f"if it may be lost, run `savegen lock retire {self.name}`"
        )


class ChangedKind(Finding, frozen=True):
    """A field has another type, and no converter for old values."""

    code = "SG602"

    name: str
    old: str
    new: str
    converter: str  # the decorator of a fix; "" if there is none
    reason: str = ""

    @property
    def message(self) -> str:
        if self.old == self.new:
            return f"`{self.name}` cannot hold all old values: {self.reason}"
        return (
            f"`{self.name}` changed from `{self.old}` to `{self.new}`:"
            " old values do not fit"
        )

    @property
    def help(self) -> str:
        if not self.converter:
            return "write a converter for the field that contains it, or a migration that `handles` it"
        return f"write a function that takes the old value, with `{self.converter}`"


class LostMember(Finding, frozen=True):
    """A removed enum member may occur in old saves."""

    code = "SG603"
    MESSAGE = "enum member `{name}` was removed: saves that contain it cannot be loaded"
    HELP = (
        "add it again, or write a migration that replaces it, with "
        '`handles=["{name}"]`'
    )

    name: str  # `Mood.ANGRY`


class FieldWithoutDefault(Finding, frozen=True):
    """A new field has no default for old saves."""

    code = "SG604"
    MESSAGE = "field `{name}` is new and has no default for old saves"
    HELP = "give it a default: `Annotated[…, Save(default=…)]`"

    name: str


class LostClass(Finding, frozen=True):
    """A removed class has objects in old saves."""

    code = "SG605"

    name: str
    is_retired: bool

    @property
    def message(self) -> str:
        if self.is_retired:
            return f"class `{self.name}` is retired: a load drops its old objects"
        return f"class `{self.name}` was removed: a load preserves its old objects"

    @property
    def help(self) -> str | None:
        if self.is_retired:
            return None
        return (
            f'if you renamed it, write `@saveable(was="{self.name}")`;'
            f" if its objects may be lost, run `savegen lock retire {self.name}`"
        )


# PREFAB: prefabs that levels and saved objects use.


class LostPrefab(Finding, frozen=True):
    """A removed prefab may occur in levels."""

    code = "SG611"
    MESSAGE = "prefab `{name}` was removed: levels that place it cannot be loaded"
    HELP = 'if you renamed it, write `@prefab(was="{name}")`'

    name: str


class LostPart(Finding, frozen=True):
    """A removed part has values in old saves."""

    code = "SG612"

    name: str  # `Turret.gun`
    is_retired: bool

    @property
    def message(self) -> str:
        if self.is_retired:
            return f"part `{self.name}` is retired: a load drops its old values"
        return f"part `{self.name}` was removed, but old saves still have its values"

    @property
    def help(self) -> str | None:
        if self.is_retired:
            return None
        name = self.name.rpartition(".")[2]
        return (
            f'if you renamed it, write `part(…).was("{name}")`;'
            f" if its values may be lost, run `savegen lock retire {self.name}`"
        )


class ChangedPart(Finding, frozen=True):
    """A part has another class, so its old values do not fit."""

    code = "SG613"
    MESSAGE = "part `{name}` changed from `{old}` to `{new}`: old values do not fit"
    HELP = (
        'if you renamed the class, write `@saveable(was="{old}")`; if not, add a '
        "new part with its own name"
    )

    name: str
    old: str
    new: str


class LostParameter(Finding, frozen=True):
    """A parameter of a prefab was removed or renamed."""

    code = "SG614"
    MESSAGE = (
        "prefab `{prefab}` no longer has the parameter `{name}`: levels that set "
        "it cannot be loaded"
    )
    HELP = 'show a field under this name again: `Save("{name}")`'

    prefab: str
    name: str


# API: names that code of the game, or of a mod, may use.


class MovedClass(Finding, frozen=True):
    """A class or prefab moved or was renamed."""

    code = "SG621"
    severity = Severity.WARNING
    MESSAGE = "{what} `{old}` is now `{new}`: code that imports the old name fails"
    HELP = "if other code imports it, import it in the old module under its old name"

    what: str  # "class" or "prefab"
    old: str
    new: str


class RenamedType(Finding, frozen=True):
    """A member of a generated enum was renamed."""

    code = "SG622"
    severity = Severity.WARNING
    MESSAGE = "`{old}` is now `{new}`: code that uses the old name fails"
    HELP = "use the new name in your code"

    old: str  # `SaveLoadableType.ORC`
    new: str

"""Findings about changes that break saves, levels or code of an older version."""

from __future__ import annotations

from typing import ClassVar

from savegen.build.model import obstacle_text
from savegen.findings import Finding, Severity

# The values of `--level`, with the first characters of the codes of their findings.
STRICTNESS = {"save": "SG60", "prefab": "SG61", "api": "SG62"}


class _LostData(Finding, frozen=True):
    """A declaration with data in old saves was removed or retired."""

    RETIRED: ClassVar[str]  # the message after `savegen lock retire`

    name: str
    is_retired: bool

    @property
    def message(self) -> str:
        return (
            self.RETIRED.format(name=self.name) if self.is_retired else super().message
        )

    @property
    def help(self) -> str | None:
        return None if self.is_retired else super().help

    @property
    def last_name(self) -> str:
        return self.name.rpartition(".")[2]


# SAVE: values in old saves that the game can no longer load.


class LostField(_LostData, frozen=True):
    """A removed field has values in old saves."""

    code = "SG601"
    MESSAGE = "field `{name}` was removed: nothing reads its old values"
    RETIRED = "field `{name}` is retired: a load drops its old values"
    HELP = (
        'if you renamed it, write `Save(was="{last_name}")`; if its value belongs '
        "elsewhere, write a migration that moves it;\n"
        "if it may be lost, run `savegen lock retire {name}`"
    )


class ChangedKind(Finding, frozen=True):
    """The type of a field changed, and no converter handles old values."""

    code = "SG602"

    name: str  # `Enemy.mana`
    old: str  # the types, as in savegen.lock
    new: str
    converter: str  # the decorator of a converter that would help; "" if none can
    reason: str = ""  # an old value that does not fit, in words

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
        return f"write a function that converts an old value, and mark it `{self.converter}`"


class MemberInOldSaves(Finding, frozen=True):
    """A removed enum member may occur in old saves."""

    code = "SG603"
    MESSAGE = "enum member `{name}` was removed: saves that contain it {outcome}"
    HELP = (
        "add it again, or write a migration that replaces it, with "
        '`handles=["{name}"]`'
    )

    name: str  # `Mood.ANGRY`
    outcome: str = "cannot be loaded"


class FieldWithoutDefault(Finding, frozen=True):
    """A new field has no default for old saves."""

    code = "SG604"
    MESSAGE = "field `{name}` is new and has no default for old saves"
    HELP = "give it a default: `Annotated[…, Save(default=…)]`"

    name: str


class LostClass(_LostData, frozen=True):
    """A removed class has objects in old saves."""

    code = "SG605"
    MESSAGE = "class `{name}` was removed: a load preserves its old objects"
    RETIRED = "class `{name}` is retired: a load drops its old objects"
    HELP = (
        'if you renamed it, write `@saveable(was="{name}")`; if its objects may be '
        "lost, run `savegen lock retire {name}`"
    )


class ChangedPart(Finding, frozen=True):
    """The class of a part changed, and the new class cannot have all that old saves hold."""

    code = "SG606"

    name: str  # `Tank.gun`
    old: str  # the classes
    new: str
    lost: tuple[str, ...]  # fields of the old class that the new one cannot have
    # whether a field refers to the part but not to the new class
    loses_references: bool

    @property
    def message(self) -> str:
        losses = []
        if self.lost:
            fields = " and ".join(f"`{name}`" for name in self.lost)
            losses.append(f"nothing reads its old {fields}")
        if self.loses_references:
            losses.append("fields that cannot refer to the new class lose it")
        changed = (
            f"the class of part `{self.name}` changed from `{self.old}` to `{self.new}`"
        )
        return f"{changed}: {', and '.join(losses)}"

    @property
    def help(self) -> str:
        return (
            f'if you renamed the class, write `@saveable(was="{self.old}")`; if another part'
            " takes its place, give\nthe new part another name; if all this may be lost, write a"
            f' migration with `handles=["{self.name}"]`'
        )


class UnloadableObjects(Finding, frozen=True):
    """A load can make no more objects of a class that old saves contain."""

    code = "SG607"

    name: str
    method: str

    @property
    def message(self) -> str:
        return (
            f"old saves contain objects of exactly `{self.name}`, and a load preserves them:"
            f" {obstacle_text(self.method)} now"
        )

    @property
    def help(self) -> str:
        way_out = "make the class concrete again"
        if self.method == "__new__":
            way_out = "give each parameter of `__new__` a default"
        return (
            f"{way_out}, or write a migration that gives these objects another class and has"
            f' `handles=["{self.name}"]`'
        )


class LostValueClass(Finding, frozen=True):
    """No class of values has a name any more that old saves may contain."""

    code = "SG608"
    MESSAGE = (
        "no saved field holds a `{name}` any more: in fields of its base, in fields marked"
        " `SaveOverride()`, in records of a `Recorder` and in states, a load loses old values of it"
    )
    HELP = (
        "if you renamed the class, keep its former name: `{simple_name} = …`, below the class;"
        ' if all this may be lost, write a migration with `handles=["{name}"]`'
    )

    name: str
    simple_name: str


class StaticPrefab(Finding, frozen=True):
    """A prefab that had objects in old saves is static now."""

    code = "SG609"
    MESSAGE = "prefab `{name}` is static now: a load drops its objects from old saves"
    HELP = "remove `static=True` if their state matters"

    is_retired: ClassVar = True  # the mark says that the loss is intended
    name: str


# PREFAB: changes to prefabs that levels place and saves contain.


class LostPrefab(Finding, frozen=True):
    """A removed prefab may occur in levels."""

    code = "SG611"
    MESSAGE = "prefab `{name}` was removed: levels that place it cannot be loaded"
    HELP = 'if you renamed it, write `@prefab(was="{name}")`'

    name: str


class LostPart(_LostData, frozen=True):
    """A removed part has values in old saves."""

    code = "SG612"
    MESSAGE = "part `{name}` was removed, but old saves still have its values"
    RETIRED = "part `{name}` is retired: a load drops its old values"
    HELP = (
        'if you renamed it, write `part(…).was("{last_name}")`; if its values may be '
        "lost, run `savegen lock retire {name}`"
    )


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


# API: names that code of the game or of a mod may use.


class MovedClass(Finding, frozen=True):
    """A class or prefab moved or was renamed."""

    code = "SG621"
    severity = Severity.WARNING
    MESSAGE = "{what} `{old}` is now `{new}`: code that imports the old name fails"
    HELP = "if other code imports it, import it in the old module under its old name"

    what: str  # "class" or "prefab"
    old: str
    new: str


class RenamedMember(Finding, frozen=True):
    """A member of a generated enum was renamed."""

    code = "SG622"
    severity = Severity.WARNING
    MESSAGE = "`{old}` is now `{new}`: code that uses the old name fails"
    HELP = "use the new name in your code"

    old: str  # `SaveLoadableType.ORC`
    new: str

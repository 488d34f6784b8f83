"""The findings of a comparison: what would break, for whom."""

from __future__ import annotations

from savegen.report import Finding, Severity

# For whom: the level, and what the codes of its findings begin with.
LEVELS = {"save": "SG60", "prefab": "SG61", "api": "SG62"}


# SAVE: what old saves hold and the game does not find any more.


class LostField(Finding, frozen=True):
    """A field is gone that old saves have a value of."""

    code = "SG601"

    name: str  # `Enemy.mana`
    is_retired: bool

    @property
    def message(self) -> str:
        what = (
            "what saves hold of it is dropped"
            if self.is_retired
            else "nothing reads it"
        )
        gone = "retired" if self.is_retired else "gone"
        return f"field `{self.name}` is {gone}: {what}"

    @property
    def help(self) -> str | None:
        if self.is_retired:
            return None
        name = self.name.rpartition(".")[2]
        return (
            f'if it has another name now, say `Save(was="{name}")`; a migration can still'
            " move what it held"
        )


class ChangedKind(Finding, frozen=True):
    """A field has another type, and nothing says how old values become ones of it."""

    code = "SG602"

    name: str
    old: str
    new: str
    converter: str  # the mark that would mend it; "" where none can

    @property
    def message(self) -> str:
        return f"`{self.name}` was {self.old} and is {self.new}: old values do not fit"

    @property
    def help(self) -> str:
        if not self.converter:
            return "write a converter of the field that holds it, or a migration"
        return f"write a function that is given the old value: `{self.converter}`"


class LostMember(Finding, frozen=True):
    """A member of an enumeration is gone that old saves may hold."""

    code = "SG603"

    name: str  # `Mood.ANGRY`

    @property
    def message(self) -> str:
        return (
            f"enum member `{self.name}` is gone: a save that holds it cannot be loaded"
        )

    @property
    def help(self) -> str:
        return "put it back, or write a migration that puts another in its place"


class FieldWithoutDefault(Finding, frozen=True):
    """A field is new, and nothing says what it is in old saves."""

    code = "SG604"

    name: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is new, and nothing says what it is in old saves"

    @property
    def help(self) -> str:
        return "give it a default: `Annotated[…, Save(default=…)]`"


class LostClass(Finding, frozen=True):
    """A class is gone that old saves have objects of."""

    code = "SG605"

    name: str
    is_retired: bool

    @property
    def message(self) -> str:
        what = "are dropped" if self.is_retired else "are kept, but not in the world"
        gone = "retired" if self.is_retired else "gone"
        return f"class `{self.name}` is {gone}: its objects in old saves {what}"

    @property
    def help(self) -> str | None:
        if self.is_retired:
            return None
        return f'if it has another name now, say `@saveable(was="{self.name}")`'


# PREFAB: what levels, and spawned objects in saves, are made from.


class LostPrefab(Finding, frozen=True):
    """A prefab is gone that levels may name."""

    code = "SG611"

    name: str

    @property
    def message(self) -> str:
        return f"prefab `{self.name}` is gone: levels that place it cannot be loaded"

    @property
    def help(self) -> str:
        return f'if it has another name now, say `@prefab(was="{self.name}")`'


class LostPart(Finding, frozen=True):
    """A part is gone that saved objects of the prefab have."""

    code = "SG612"

    name: str  # `Turret.gun`

    @property
    def message(self) -> str:
        return f"part `{self.name}` is gone: what saves hold of it has no place"

    @property
    def help(self) -> str:
        name = self.name.rpartition(".")[2]
        return f'if it has another name now, say `part(…).was("{name}")`'


class ChangedPart(Finding, frozen=True):
    """A part is of another class: what was saved of it belongs to the old one."""

    code = "SG613"

    name: str
    old: str
    new: str

    @property
    def message(self) -> str:
        return (
            f"part `{self.name}` was a `{self.old}` and is a `{self.new}`:"
            " what saves hold of it does not fit"
        )


class LostParameter(Finding, frozen=True):
    """What a level may set of a prefab is gone, or is called otherwise."""

    code = "SG614"

    prefab: str
    name: str

    @property
    def message(self) -> str:
        return f"`{self.prefab}` shows no `{self.name}`: levels that set it cannot be loaded"

    @property
    def help(self) -> str:
        return f'show the field under that name again: `Save("{self.name}")`'


# API: names that code of the game, or of a mod, may use.


class MovedClass(Finding, frozen=True):
    """A class or a prefab has another module or another name."""

    code = "SG621"
    severity = Severity.WARNING

    what: str  # "class" or "prefab"
    old: str
    new: str

    @property
    def message(self) -> str:
        return (
            f"{self.what} `{self.old}` is `{self.new}` now: code that imports it fails"
        )


class RenamedType(Finding, frozen=True):
    """A member of a generated enumeration has another name."""

    code = "SG622"
    severity = Severity.WARNING

    old: str  # `SaveLoadableType.ORC`
    new: str

    @property
    def message(self) -> str:
        return f"`{self.old}` is `{self.new}` now: code that names it fails"

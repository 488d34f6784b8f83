"""The findings of the lock: what old saves would lose if nothing was said."""

from __future__ import annotations

from savegen.report import Finding


class VanishedField(Finding, frozen=True):
    """A field is gone and another of its kind is new: renamed, or not?"""

    code = "SG301"

    old: str  # `Enemy.mana`
    new: str
    kind: str

    @property
    def message(self) -> str:
        name = self.old.rpartition(".")[2]
        return f"`{name}` is gone and `{self.new}`, also {self.kind}, is new"

    @property
    def help(self) -> str:
        name = self.old.rpartition(".")[2]
        return (
            f'if it was renamed, mark it `Annotated[…, Save(was="{name}")]`;'
            f" if not, run `savegen lock retire {self.old}`"
        )


class VanishedClass(Finding, frozen=True):
    """A class is gone and another with fields like it is new: renamed, or not?"""

    code = "SG302"

    old: str
    new: str

    @property
    def message(self) -> str:
        return (
            f"class `{self.old}` is gone and `{self.new}`, with fields like it, is new"
        )

    @property
    def help(self) -> str:
        return (
            f'if it was renamed, mark it `@saveable(was="{self.old}")`;'
            f" if not, run `savegen lock retire {self.old}`"
        )


class LostMember(Finding, frozen=True):
    """A member of an enumeration is gone that old saves may hold."""

    code = "SG303"

    member: str  # `Mood.ANGRY`

    @property
    def message(self) -> str:
        return f"enum member `{self.member}` is gone, but old saves may hold it"

    @property
    def help(self) -> str:
        return f"put it back, or run `savegen lock retire {self.member}`"


class NumberClash(Finding, frozen=True):
    """Two names have one hash."""

    code = "SG304"

    name: str
    other: str

    @property
    def message(self) -> str:
        name, other = self.name.replace(":", "."), self.other.replace(":", ".")
        return f"`{name}` has the same number as `{other}`"

    @property
    def help(self) -> str:
        return "rename one of them"


class WasStillThere(Finding, frozen=True):
    """`was` names something that still exists."""

    code = "SG305"

    name: str
    was: str

    @property
    def message(self) -> str:
        return f"`{self.name}` says that it was `{self.was}`, which is still there"


class MovedField(Finding, frozen=True):
    """A field, or a part, has gone from one class to another of its line: its number changes."""

    code = "SG306"

    old: str  # `Orc.hp`
    new: str  # `Enemy.hp`

    @property
    def message(self) -> str:
        return f"`{self.old}` has become `{self.new}`: old saves keep it under another number"

    @property
    def help(self) -> str:
        return (
            "put it where it was;"
            f" if what they hold may be lost, run `savegen lock retire {self.old}`"
        )


class TwoOfOneName(Finding, frozen=True):
    """A merge has left two things that one name could mean."""

    code = "SG307"

    name: str
    what: str  # "field", "class", "prefab" or "part"
    births: tuple[str, ...]
    mark: str  # how it is told, with braces where the name stands

    @property
    def message(self) -> str:
        born = " and ".join(f"`{birth}`" for birth in self.births)
        return f"since a merge `{self.name}` means more than one {self.what}: born as {born}"

    @property
    def help(self) -> str:
        marks = (self.mark.format(f'"{birth}"') for birth in self.births)
        return (
            f"mark it {' or '.join(f'`{each}`' for each in marks)};"
            " what old saves hold of the other is dropped"
        )


class UnclearWas(Finding, frozen=True):
    """`was` on a class names more than one that is gone."""

    code = "SG308"

    name: str
    was: str
    names: tuple[str, ...]  # dotted
    mark: str  # how it is told, with braces where the name stands

    @property
    def message(self) -> str:
        found = " and ".join(f"`{name}`" for name in self.names)
        return f"`{self.name}` says that it was `{self.was}`, which can mean {found}"

    @property
    def help(self) -> str:
        marks = (self.mark.format(f'"{name}"') for name in self.names)
        return f"say which: {' or '.join(f'`{each}`' for each in marks)}"


class VanishedPrefab(Finding, frozen=True):
    """A prefab is gone and another like it is new: renamed, or not?"""

    code = "SG309"

    old: str
    new: str
    mark: str  # how a former name is told, with braces where it stands

    @property
    def message(self) -> str:
        return (
            f"prefab `{self.old}` is gone and `{self.new}`, with parts like it, is new"
        )

    @property
    def help(self) -> str:
        mark = self.mark.format(f'"{self.old}"')
        return (
            f"if it was renamed, mark it `{mark}`;"
            f" if not, run `savegen lock retire {self.old}`"
        )


class VanishedPart(Finding, frozen=True):
    """A part is gone and another of its class is new: renamed, or not?"""

    code = "SG310"

    old: str  # `ShootOnMissile.turret`
    new: str
    cls: str

    @property
    def message(self) -> str:
        name = self.old.rpartition(".")[2]
        return f"part `{name}` is gone and `{self.new}`, also `{self.cls}`, is new"

    @property
    def help(self) -> str:
        name = self.old.rpartition(".")[2]
        return (
            f'if it was renamed, write `part(…).was("{name}")`;'
            f" if not, run `savegen lock retire {self.old}`"
        )

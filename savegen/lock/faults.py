"""Findings of `savegen.lock`: changes that would make old saves lose data."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from savegen.report import Finding, similar


class VanishedField(Finding, frozen=True):
    """A field was removed, and one of the same type was added."""

    code = "SG301"

    old: str  # `Enemy.mana`
    new: str
    kind: str
    was: str = ""  # a former name, if only its misspelling tells that the two are one

    @property
    def message(self) -> str:
        name = self.old.rpartition(".")[2]
        return (
            f"field `{name}` was removed and `{self.new}`, {self._likeness},"
            " was added: it may be a rename"
        )

    @property
    def _likeness(self) -> str:
        return f'with `was="{self.was}"`' if self.was else f"also `{self.kind}`"

    @property
    def help(self) -> str:
        name = self.old.rpartition(".")[2]
        return (
            f'if you renamed it, write `Annotated[…, Save(was="{name}")]`; if not,\n'
            f"run `savegen lock retire {self.old}` (old saves then lose its value)"
        )


class VanishedClass(Finding, frozen=True):
    """A class was removed, and one with similar fields was added."""

    code = "SG302"

    old: str
    new: str
    was: str = ""  # a former name, if only its misspelling tells that the two are one

    @property
    def message(self) -> str:
        return (
            f"class `{self.old}` was removed and `{self.new}`, {self._likeness},"
            " was added: it may be a rename"
        )

    @property
    def _likeness(self) -> str:
        return f'with `was="{self.was}"`' if self.was else "with similar fields"

    @property
    def help(self) -> str:
        return (
            f'if you renamed it, write `@saveable(was="{self.old}")`; if not,\n'
            f"run `savegen lock retire {self.old}` (old saves then lose its objects)"
        )


class LostMember(Finding, frozen=True):
    """An enum member was removed that old saves may contain."""

    code = "SG303"

    member: str  # `Mood.ANGRY`
    field: str = ""  # that can hold it

    @property
    def message(self) -> str:
        enum = self.member.rpartition(".")[0]
        holder = f" (`{self.field}` can hold a `{enum}`)" if self.field else ""
        return (
            f"enum member `{self.member}` was removed,"
            f" but old saves may contain it{holder}"
        )

    @property
    def help(self) -> str:
        name = self.member.rpartition(".")[2]
        return (
            f"add `{name}` again, or, if you renamed it, keep `{name}` as an alias of the"
            " renamed member;"
            f" if no save contains it, run `savegen lock retire {self.member}`"
        )


class NumberClash(Finding, frozen=True):
    """Two names have the same number."""

    code = "SG304"

    name: str
    other: str

    @property
    def message(self) -> str:
        name, other = self.name.replace(":", "."), self.other.replace(":", ".")
        return f"`{name}` and `{other}` get the same number in save files"

    @property
    def help(self) -> str:
        return "rename the newer of the two"


class WasStillThere(Finding, frozen=True):
    """`was` names something that still exists."""

    code = "SG305"

    name: str
    was: str
    what: str  # "field", "class", "prefab" or "part"

    @property
    def message(self) -> str:
        return f"`was` of `{self.name}` names `{self.was}`, which still exists"

    @property
    def help(self) -> str:
        return (
            f"if you renamed `{self.was}` to `{self.name}`,"
            f" delete the old {self.what} `{self.was}`;\n"
            f"if they are two {_plural(self.what)}, remove `{self.was}` from `was`"
        )


class MovedField(Finding, frozen=True):
    """A field or part moved between a class and its base, which changes its number."""

    code = "SG306"

    old: str  # `Orc.hp`
    new: str  # `Enemy.hp`

    @property
    def message(self) -> str:
        return (
            f"`{self.old}` moved to `{self.new}` and would get another number:"
            " its value in old saves would be lost"
        )

    @property
    def help(self) -> str:
        return (
            f"move it back to `{self.old}`;"
            " if you can do without the old values, run"
            f" `savegen lock retire {self.old}`"
        )


class TwoOfOneName(Finding, frozen=True):
    """After a merge, one name could mean two entries of the lock."""

    code = "SG307"

    name: str
    what: str  # "field", "class", "prefab" or "part"
    births: tuple[str, ...]
    mark: str  # the code to write, with braces in place of the name

    @property
    def message(self) -> str:
        count = "two" if len(self.births) == 2 else "several"
        first, *others = sorted(map(self._origin, self.births), reverse=True)
        the_other = "the other" if len(others) == 1 else "one"
        origins = [f"one {first}", *(f"{the_other} {each}" for each in others)]
        return (
            f"savegen.lock has {count} {_plural(self.what)} named `{self.name}`:"
            f" {', '.join(origins)}"
        )

    def _origin(self, birth: str) -> str:
        if birth.rpartition(".")[2] == self.name:
            return f"was always `{self.name}`"
        return f"was renamed from `{birth}`"

    @property
    def help(self) -> str:
        births = sorted(self.births, key=self._origin, reverse=True)
        advice = ";\n".join(map(self._advice, births))
        lost = "values" if self.what in ("field", "part") else "objects"
        others = "the other one" if len(self.births) == 2 else "the others"
        return f"{advice}\n(a load drops the {lost} saved for {others})"

    def _advice(self, birth: str) -> str:
        mark = self.mark.format(f'"{birth}"')
        if birth.rpartition(".")[2] == self.name:
            return f"if it was always `{self.name}`, write `{mark}`"
        return f"if this {self.what} was once `{birth}`, write `{mark}`"


class UnclearWas(Finding, frozen=True):
    """`was` on a class could mean more than one removed class."""

    code = "SG308"

    name: str
    was: str
    names: tuple[str, ...]  # dotted
    mark: str  # the code to write, with braces in place of the name

    @property
    def message(self) -> str:
        found = " or ".join(f"`{name}`" for name in self.names)
        return f"`was` of `{self.name}` names `{self.was}`, which could mean {found}"

    @property
    def help(self) -> str:
        marks = (self.mark.format(f'"{name}"') for name in self.names)
        return f"write the full name: {' or '.join(f'`{each}`' for each in marks)}"


class VanishedPrefab(Finding, frozen=True):
    """A prefab was removed, and a similar one was added."""

    code = "SG309"

    old: str
    new: str
    mark: str  # the code to write, with braces in place of the name
    was: str = ""  # a former name, if only its misspelling tells that the two are one

    @property
    def message(self) -> str:
        return (
            f"prefab `{self.old}` was removed and `{self.new}`, {self._likeness},"
            " was added: it may be a rename"
        )

    @property
    def _likeness(self) -> str:
        return f'with `was="{self.was}"`' if self.was else "with matching parts"

    @property
    def help(self) -> str:
        mark = self.mark.format(f'"{self.old}"')
        return (
            f"if you renamed it, write `{mark}`; if not,\n"
            f"run `savegen lock retire {self.old}` (old saves then lose its objects)"
        )


class VanishedPart(Finding, frozen=True):
    """A part was removed, and one of the same class was added."""

    code = "SG310"

    old: str  # `ShootOnMissile.turret`
    new: str
    cls: str
    was: str = ""  # a former name, if only its misspelling tells that the two are one

    @property
    def message(self) -> str:
        name = self.old.rpartition(".")[2]
        return (
            f"part `{name}` was removed and `{self.new}`, {self._likeness},"
            " was added: it may be a rename"
        )

    @property
    def _likeness(self) -> str:
        return f'with `was="{self.was}"`' if self.was else f"also `{self.cls}`"

    @property
    def help(self) -> str:
        name = self.old.rpartition(".")[2]
        return (
            f'if you renamed it, write `part(…).was("{name}")`; if not,\n'
            f"run `savegen lock retire {self.old}` (old saves then lose its values)"
        )


def _plural(what: str) -> str:
    return f"{what}es" if what == "class" else f"{what}s"


Vanished = VanishedField | VanishedClass | VanishedPrefab | VanishedPart


def with_former(finding: Vanished, former: str) -> Finding:
    """Return a finding that is there because of a misspelt former name."""
    return replace(finding, was=former)


def misspelt(names: Iterable[str], meant: str) -> str:
    """Return which former name somebody may have misspelt; "" for none."""
    alike = (n for n in names if similar(n.rpartition(".")[2], [meant], 0.75))
    return next(alike, "")

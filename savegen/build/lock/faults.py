"""Findings of `savegen.lock`: changes that would make old saves lose data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from savegen.build.lock.file import PREFABS, Category, dotted
from savegen.findings import Finding, Span, similar


class VanishedField(Finding, frozen=True):
    """A field was removed, and another one was added to the same class."""

    code = "SG301"
    MESSAGE = (
        "{noun} `{_old}` was removed and `{new}`, {_likeness}, was added: it may "
        "be a rename"
    )
    noun: ClassVar[str] = "field"
    lost: ClassVar[str] = "value"  # what a load drops if it was not renamed

    old: str  # `Enemy.mana`
    new: str
    kinds: tuple[str, str]  # of the old and the new field or part
    mark: str  # the code to write; `{}` stands for the former name
    was: str = ""  # a former name that seems misspelt, if the types differ

    @property
    def _old(self) -> str:
        return self.old.rpartition(".")[2]

    @property
    def _likeness(self) -> str:
        return f'with `was="{self.was}"`' if self.was else self._same

    @property
    def _same(self) -> str:
        old, new = self.kinds
        return f"also `{new}`" if old == new else f"`{new}` instead of `{old}`"

    @property
    def help(self) -> str:
        mark = self.mark.format(f'"{self._old}"')
        return (
            f"if you renamed it, write `{mark}`; if not,\n"
            f"run `savegen lock retire {self.old}` (old saves then lose its {self.lost})"
        )


class VanishedClass(VanishedField, frozen=True):
    """A class was removed, and another one was added that may be the same."""

    code = "SG302"
    noun = "class"
    lost = "objects"
    members: ClassVar[str] = "similar fields"
    place: str = ""  # what the two have in common if their fields differ

    @property
    def _old(self) -> str:
        return self.old

    @property
    def _same(self) -> str:
        has_same_name = self.old.rpartition(".")[2] == self.new.rpartition(".")[2]
        if has_same_name:
            return "with the same name"
        return self.place or f"with {self.members}"


class VanishedPrefab(VanishedClass, frozen=True):
    """A prefab was removed, and another one was added that may be the same."""

    code = "SG309"
    noun = "prefab"
    members = "matching parts"


class VanishedPart(VanishedField, frozen=True):
    """A part was removed, and another one was added to the same prefab."""

    code = "SG310"
    noun = "part"
    lost = "values"


def vanished_class(
    category: Category,
    span: Span,
    old: str,
    new: str,
    mark: str,
    was: str = "",
    place: str = "",
) -> VanishedField:
    """Return the finding for a class or a prefab that may have been renamed."""
    finding = VanishedPrefab if category is PREFABS else VanishedClass
    return finding(span, old, new, ("", ""), mark, was, place)


def vanished_field(
    category: Category,
    span: Span,
    old: str,
    new: str,
    kinds: tuple[str, str],
    was: str,
) -> VanishedField:
    """Return the finding for a field, a part or a record field that may have been renamed."""
    finding = VanishedPart if category is PREFABS else VanishedField
    return finding(span, old, new, kinds, category.field_mark, was)


class LostMember(Finding, frozen=True):
    """An enum member was removed that old saves may contain."""

    code = "SG303"

    member: str  # `Mood.ANGRY`
    field: str = ""  # a field that can hold the member
    renamed: str = ""  # the only new member of the enumeration

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
        if self.renamed:
            return (
                f"if you renamed it to `{self.renamed}`, write `{name} = {self.renamed}` on a line"
                f" below `{self.renamed}`;\nif not, add `{name}` again, or, if no save contains"
                f" it, run `savegen lock retire {self.member}`"
            )
        return (
            f"add `{name}` again, or, if you renamed it, keep `{name}` as an alias of the"
            " renamed member;"
            f" if no save contains it, run `savegen lock retire {self.member}`"
        )


class NumberClash(Finding, frozen=True):
    """Two names have the same number."""

    code = "SG304"
    HELP = (
        "if one of them is new, rename it; if both are in savegen.lock since a "
        "merge,\ndelete the line of the newer one there and run savegen again"
    )

    name: str
    other: str

    @property
    def message(self) -> str:
        name, other = dotted(self.name), dotted(self.other)
        return f"`{name}` and `{other}` get the same number in save files"


class FormerNameInUse(Finding, frozen=True):
    """`was` names a class, field, prefab or part that still exists."""

    code = "SG305"
    MESSAGE = "`was` of `{name}` names `{was}`, which still exists"

    name: str
    was: str
    noun: str  # "class", "field", "prefab", "part", "record" or "record field"

    @property
    def help(self) -> str:
        return (
            f"if you renamed `{self.was}` to `{self.name}`,"
            f" delete the old {self.noun} `{self.was}`;\n"
            f"if they are two {_plural(self.noun)}, remove `{self.was}` from `was`"
        )


class AmbiguousName(Finding, frozen=True):
    """After a merge, the lock has several entries for one name."""

    code = "SG307"

    name: str
    noun: str  # "class", "field", "prefab", "part", "record" or "record field"
    births: tuple[str, ...]
    mark: str  # the code to write; `{}` stands for the former name

    @property
    def message(self) -> str:
        count = "two" if len(self.births) == 2 else "several"
        first, *others = sorted(map(self._origin, self.births), reverse=True)
        the_other = "the other" if len(others) == 1 else "one"
        origins = [f"one {first}", *(f"{the_other} {each}" for each in others)]
        return (
            f"savegen.lock has {count} {_plural(self.noun)} named `{self.name}`:"
            f" {', '.join(origins)}"
        )

    def _origin(self, birth: str) -> str:
        if not self._kept_its_name(birth):
            return f"was renamed from `{birth}`"
        return f"was always `{self.name}`"

    def _kept_its_name(self, birth: str) -> bool:
        """Return whether this is the only entry whose birth name is the current name."""
        named = [each for each in self.births if each.rpartition(".")[2] == self.name]
        return named == [birth]

    @property
    def help(self) -> str:
        births = sorted(self.births, key=self._origin, reverse=True)
        advice = ";\n".join(map(self._advice, births))
        lost = "values" if self.noun in ("field", "part", "record field") else "objects"
        others = "the other one" if len(self.births) == 2 else "the others"
        return f"{advice}\n(a load drops the {lost} saved for {others})"

    def _advice(self, birth: str) -> str:
        mark = self.mark.format(f'"{birth}"')
        if self._kept_its_name(birth):
            return f"if it was always `{self.name}`, write `{mark}`"
        return f"if this {self.noun} was once `{birth}`, write `{mark}`"


class AmbiguousFormerName(Finding, frozen=True):
    """`was` on a class could mean more than one removed class."""

    code = "SG308"

    name: str
    was: str
    names: tuple[str, ...]  # dotted
    mark: str  # the code to write; `{}` stands for the former name

    @property
    def message(self) -> str:
        choices = " or ".join(f"`{name}`" for name in self.names)
        return f"`was` of `{self.name}` names `{self.was}`, which could mean {choices}"

    @property
    def help(self) -> str:
        marks = (self.mark.format(f'"{name}"') for name in self.names)
        return f"write the full name: {' or '.join(f'`{each}`' for each in marks)}"


class LateFormerName(Finding, frozen=True):
    """`was` was added after the new name already had its own number."""

    code = "SG312"
    MESSAGE = (
        "`{name}` got its `was` too late: it already has a number of its own, and newer "
        "saves may contain that instead of the number of `{was}`"
    )
    HELP = (
        "if you can do without the saves that have the new number, delete the line "
        "of the {keyword} `{birth}` from savegen.lock and run savegen again;\nif not, remove `was`, run "
        "`savegen lock retire {old}` and write a migration for older saves"
    )

    name: str
    was: str
    keyword: str  # the first word of the line of the new one
    birth: str  # the birth name of the new one in the lock
    old: str  # the name of the former one for `savegen lock retire`


def _plural(noun: str) -> str:
    return f"{noun}es" if noun == "class" else f"{noun}s"


def misspelt(names: Iterable[str], correct: str) -> str:
    """Return the first of the names that may be a misspelling of `correct`; "" for none."""
    alike = (n for n in names if similar(n.rpartition(".")[2], [correct], 0.75))
    return next(alike, "")

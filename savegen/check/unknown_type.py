"""Report a type that savegen cannot resolve."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from savegen.check._refused import refused
from savegen.model import Model, SavedModule
from savegen.report import Finding, similar


def in_project(model: Model) -> Iterator[Finding]:
    for module in model.modules.values():
        homes = _homes(model, module) if module.refused else {}
        for cls in module.classes:
            for found in refused(cls, module, "unknown"):
                text, meant = found.text, "".join(found.kind.values[1:])
                elsewhere = _elsewhere(text.strip("`"), meant, homes)
                yield UnknownType(found.span, found.path, text, meant, *elsewhere)


def _homes(model: Model, module: SavedModule) -> Mapping[str, list[str]]:
    """Return the other modules that have a class that can be saved, by its name."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for other in model.modules.values():
        known = [each.name for each in (*other.classes, *other.records)]
        known += [name for name, _ in other.enums]
        for home, _, name in {each.partition(":") for each in known}:
            if home != module.name and "." not in name and home not in found[name]:
                found[name].append(home)
    return {name: sorted(homes) for name, homes in found.items() if homes}


def _elsewhere(
    name: str, meant: str, homes: Mapping[str, list[str]]
) -> tuple[str, tuple[str, ...]]:
    """Return the class of other modules that a name may mean, and these modules."""
    if name not in homes and not meant:
        name = similar(name, homes, 0.7)
    return (name, tuple(homes[name])) if name in homes else ("", ())


class UnknownType(Finding, frozen=True):
    code = "SG201"

    field: str
    type: str
    meant: str  # a type with a similar name; "" for none
    elsewhere: str = ""  # a class of another module with this name, or a similar one
    homes: tuple[str, ...] = ()  # the modules that have it

    @property
    def message(self) -> str:
        if not self.type:
            return f"`{self.field}` is marked, but has no type"
        return f"cannot resolve the type of `{self.field}`: {self.type}"

    @property
    def help(self) -> str:
        if not self.type:
            return "write the type in brackets, for example `Saved[int]`"
        if self.elsewhere:
            modules = " or ".join(f"`{home}`" for home in self.homes)
            if self.elsewhere == self.type.strip("`"):
                return f"import `{self.elsewhere}` from {modules}"
            return f"did you mean `{self.elsewhere}`? import it from {modules}"
        if self.meant:
            return f"did you mean `{self.meant}`?"
        if all(part.isidentifier() for part in self.type.strip("`").split(".")):
            return f"check that {self.type} is imported and that it is a type"
        return "write a type that can be read without running the code, such as `list[int]`"

"""Report a member that would hide a generated one, or whose name Python reserves."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding

INTERFACE = frozenset(
    "save_type SaveLoadFields save_load_field_names save_data load_data save_data_"
    " load_data_ get_param_name_mappings".split()
)


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    allowed = {"save_data", "load_data"} if cls.override else set()
    places = [(field.name, field.span) for field in cls.fields if field.own]
    for name, span in dict(places + list(cls.members)).items():
        if name in INTERFACE - allowed:
            yield ReservedName(span, cls.qualname, name)
    for name, span in places:
        if name.startswith("__") and name.endswith("__"):
            yield ReservedName(span, cls.qualname, name)


class ReservedName(Finding, frozen=True):
    code = "SG113"

    name: str
    member: str

    @property
    def message(self) -> str:
        if self.member.startswith("__"):
            return f"`{self.name}.{self.member}` has a name that Python reserves"
        return f"`{self.name}.{self.member}` hides the generated `{self.member}`"

    @property
    def help(self) -> str:
        if self.member in ("save_data", "load_data"):
            return "rename it, or mark the class `@saveable(override=True)` to write your own"
        return "rename it"

"""A part can only set or show saved fields of its class."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, Part, Prefab, SavedClass
from savegen.report import Finding, similar


def in_prefab(prefab: Prefab, model: Model) -> Iterator[Finding]:
    for part in prefab.parts:
        cls = model.class_named(part.cls)
        if cls and part.own:
            yield from _unknown(part, cls)


def _unknown(part: Part, cls: SavedClass) -> Iterator[Finding]:
    fields = [field.name for field in cls.fields]
    shown = tuple(field for field, _ in part.shown)
    for word, names in (("set", part.settings), ("show", shown)):
        for name in names:
            if name not in fields:
                close = similar(name, fields)
                yield UnknownSetting(part.span, word, name, cls.simple_name, close)


class UnknownSetting(Finding, frozen=True):
    code = "SG403"
    MESSAGE = "`.{word}({name}=…)` does not work: `{cls}` has no saved field `{name}`"

    word: str  # "set" or "show"
    name: str
    cls: str
    close: str

    @property
    def help(self) -> str | None:
        return f"did you mean `{self.close}`?" if self.close else None

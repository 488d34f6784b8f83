"""A converter must name a saved field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from savegen.model import Converter, Model
from savegen.report import Finding, similar


def in_project(model: Model) -> Iterator[Finding]:
    heirs: dict[str, set[str]] = {}  # the names of fields by class, and base
    for cls in model.classes:
        names = {field.name for field in cls.fields}
        for name in (cls.name, *cls.ancestors):
            heirs.setdefault(name, set()).update(names)
    for converter in model.converters:
        if converter.cls not in heirs:
            yield _of(converter, ())
        elif converter.field not in heirs[converter.cls]:
            yield _of(converter, sorted(heirs[converter.cls]))


def _of(converter: Converter, names: Iterable[str]) -> Finding:
    close = similar(converter.field, names)
    simple = converter.cls.rpartition(":")[2]
    return ConverterWithoutField(
        converter.span, simple, converter.field, bool(names), close
    )


class ConverterWithoutField(Finding, frozen=True):
    code = "SG325"

    cls: str
    field: str
    is_saved: bool  # the class, or one that inherits from it
    close: str  # the name that may have been meant

    @property
    def message(self) -> str:
        if not self.is_saved:
            return f"`{self.cls}` is not a saveable class, so its fields have no converters"
        return f"`{self.cls}` has no saved field `{self.field}`"

    @property
    def help(self) -> str | None:
        return f"did you mean `{self.close}`?" if self.close else None

"""The fields of structs that stand for JSON: annotations with limits and descriptions."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping

from savegen.build.emit._docs import described
from savegen.build.emit._forms import Forms
from savegen.build.emit._layout import WIDTH, at
from savegen.build.emit._names import Names
from savegen.build.emit._types import spelled
from savegen.build.model import Field, Kind

_NUMBERS = ("builtins.int", "builtins.float", "decimal.Decimal")
_WORDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}
_INT64 = 2**63


class Fields:
    """Writes the fields of the structs of one module."""

    def __init__(self, names: Names, forms: Forms, attributes: Mapping[str, str]):
        self._names = names
        self._forms = forms
        self._attributes = attributes

    def parameter(self, name: str, field: Field) -> str:
        """Return the lines of one parameter, which need not be set."""
        limits = _limits(field.limits)
        doc = described(field.doc)
        says = f"description={spelled(doc)}" if doc else ""
        if _is_number(field.kind):
            within = _within(field.kind, limits)
            return self._said(name, self._forms.json_type(field.kind), within, says)
        return self._said(name, self._limited(field.kind, limits), [], says)

    def member(self, name: str, kind: Kind, optional: bool, unknown: bool) -> str:
        """Return the line of one field of a plain class.

        `unknown`: a struct in its type is not defined yet.
        """
        type = self._forms.json_type(kind)
        whole = f"{type} | {self._names.UnsetType}" if optional else type
        text = spelled(whole) if unknown else whole
        return self._line(name, text, self._default(name, optional))

    def _said(self, name: str, type: str, within: list[str], says: str) -> str:
        """Return a parameter with its limits and its description."""
        names, default = self._names, self._default(name, True)
        both = self._with_meta(type, [*within, *filter(None, [says])])
        one = self._line(name, f"{both} | {names.UnsetType}", default)
        if len(one) <= WIDTH or not says:
            return one
        head = f"    {self._attributes[name]}: {names.Annotated}["
        limited = f"{self._with_meta(type, within)} | {names.UnsetType}"
        inner = [at(f"{limited},", 8), at(f"{names.Meta}({says}),", 8)]
        return "\n".join([head, *inner, f"    ]{default}"])

    def _with_meta(self, type: str, says: list[str]) -> str:
        names = self._names
        if not says:
            return type
        return f"{names.Annotated}[{type}, {names.Meta}({', '.join(says)})]"

    def _line(self, name: str, type: str, default: str) -> str:
        return at(f"{self._attributes[name]}: {type}{default}", 4)

    def _default(self, name: str, optional: bool) -> str:
        names = self._names
        if self._attributes[name] != name:
            default = f", default={names.UNSET}" if optional else ""
            return f" = {names.field}(name={spelled(name)}{default})"
        return f" = {names.UNSET}" if optional else ""

    def _limited(self, kind: Kind, limits: Mapping[str, float]) -> str:
        """Return a type with limits at the numbers in it."""
        if not limits or kind.kind != "union":
            return self._forms.json_type(kind)
        later = self._forms.checks_later(kind)
        types = self._forms.alternatives(kind)
        within = (
            _within(p, limits, later) if _is_number(p) else [] for p in kind.parts
        )
        return " | ".join(map(self._with_meta, types, within))


def _is_number(kind: Kind) -> bool:
    return kind.kind == "scalar" and kind.name in _NUMBERS


def _limits(written: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Return the limits of a field, of two on the same side the one that is closer."""
    limits: dict[str, float] = {}
    for name, code in written:
        if "inf" not in code:
            limits[name] = ast.literal_eval(code)
    if "ge" in limits and "gt" in limits:
        del limits["ge" if limits["gt"] >= limits["ge"] else "gt"]
    if "le" in limits and "lt" in limits:
        del limits["le" if limits["lt"] <= limits["le"] else "lt"]
    return limits


def _within(kind: Kind, limits: Mapping[str, float], later: bool = False) -> list[str]:
    """Return limits as msgspec takes them: of whole numbers they are whole.

    Those that are looked at `later` only a schema knows, and those of a `Decimal`.
    """
    if limits and (later or kind.name == "decimal.Decimal"):
        said = ", ".join(f'"{_WORDS[n]}": {v!r}' for n, v in limits.items())
        return [f"extra_json_schema={{{said}}}"]
    if kind.name != "builtins.int":
        return [f"{name}={value!r}" for name, value in limits.items()]
    whole = {
        name: math.ceil(limit) if name in ("ge", "lt") else math.floor(limit)
        for name, limit in limits.items()
    }
    fitting = ((n, v) for n, v in whole.items() if -_INT64 <= v < _INT64)
    return [f"{name}={value}" for name, value in fitting]

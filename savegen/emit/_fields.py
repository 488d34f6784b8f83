"""The fields of structs that stand for JSON: annotations with limits and descriptions."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping

from savegen.emit._docs import described
from savegen.emit._forms import Forms
from savegen.emit._layout import at
from savegen.emit._lines import WIDTH, width_of
from savegen.emit._names import Names
from savegen.emit._types import spelled
from savegen.model import Field, Kind

_NUMBERS = ("builtins.int", "builtins.float")
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
        says = [f"description={spelled(doc)}"] if doc else []
        if field.kind.name in _NUMBERS and field.kind.kind == "scalar":
            says = [*_within(field.kind, limits), *says]
            return self._lines(name, self._forms.json_type(field.kind), says, True)
        return self._lines(name, self._limited(field.kind, limits), says, True)

    def member(self, name: str, kind: Kind, optional: bool, unknown: bool) -> str:
        """Return the line of one field of a plain class.

        `unknown` tells that a struct in its type is not defined yet.
        """
        type = self._forms.json_type(kind)
        if unknown:
            names = self._names
            whole = f"{type} | {names.UnsetType}" if optional else type
            return self._line(name, spelled(whole), self._default(name, optional))
        return self._lines(name, type, [], optional)

    def _lines(self, name: str, type: str, says: list[str], optional: bool) -> str:
        names = self._names
        unset = f" | {names.UnsetType}" if optional else ""
        default = self._default(name, optional)
        if not says:
            return self._line(name, f"{type}{unset}", default)
        meta = f"{names.Meta}({', '.join(says)})"
        one = self._line(name, f"{names.Annotated}[{type}, {meta}]{unset}", default)
        if width_of(one) <= WIDTH:
            return one
        head = at(f"{self._attributes[name]}: {names.Annotated}[", 4)
        inner = [at(f"{type},", 8), at(f"{meta},", 8)]
        return "\n".join([head, *inner, f"    ]{unset}{default}"])

    def _line(self, name: str, type: str, default: str) -> str:
        text = f"    {self._attributes[name]}: {type}{default}"
        # How to break such a line is a matter of opinion.
        return text if width_of(text) <= WIDTH else f"{text}  # fmt: skip"

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
        return " | ".join(self._number(part, limits) for part in kind.parts)

    def _number(self, kind: Kind, limits: Mapping[str, float]) -> str:
        type = self._forms.json_type(kind)
        if kind.kind != "scalar" or kind.name not in _NUMBERS:
            return type
        names = self._names
        says = ", ".join(_within(kind, limits))
        return f"{names.Annotated}[{type}, {names.Meta}({says})]" if says else type


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


def _within(kind: Kind, limits: Mapping[str, float]) -> list[str]:
    """Return limits as msgspec takes them: of whole numbers they are whole."""
    whole = kind.name == "builtins.int"
    rounded = {
        name: (
            (math.ceil if name in ("ge", "lt") else math.floor)(limit)
            if whole
            else limit
        )
        for name, limit in limits.items()
    }
    fitting = ((n, v) for n, v in rounded.items() if not whole or -_INT64 <= v < _INT64)
    return [f"{name}={value!r}" for name, value in fitting]

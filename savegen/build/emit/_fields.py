"""Write the fields of structs that decode JSON: annotations with limits and descriptions."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping

from savegen.build.emit._docs import described
from savegen.build.emit._forms import Forms
from savegen.build.emit._layout import WIDTH, wrap
from savegen.build.emit._names import Names
from savegen.build.emit._types import as_code
from savegen.build.model import Field, Kind

_NUMBERS = ("builtins.int", "builtins.float", "decimal.Decimal")
_SCHEMA_WORDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
}
_INT64 = 2**63


class Fields:
    """Writes the fields of the structs in one module."""

    def __init__(self, names: Names, forms: Forms, attributes: Mapping[str, str]):
        self._names = names
        self._forms = forms
        self._attributes = attributes

    def parameter(self, name: str, field: Field) -> str:
        """Return the lines of one parameter of a prefab, which is always optional."""
        limits = _limits(field.limits)
        doc = described(field.doc)
        description = f"description={as_code(doc)}" if doc else ""
        if _is_number(field.kind):
            bounds = _bounds(field.kind, limits)
            type = self._forms.json_type(field.kind)
            return self._lines(name, type, bounds, description)
        return self._lines(name, self._limited(field.kind, limits), [], description)

    def member(self, name: str, kind: Kind, optional: bool, undefined: bool) -> str:
        """Return the line of one field of a plain class.

        `undefined` is whether the type uses a struct that is defined further below.
        """
        type = self._forms.json_type(kind)
        annotation = f"{type} | {self._names.UnsetType}" if optional else type
        if undefined:
            annotation = as_code(annotation)
        return self._line(name, annotation, self._default(name, optional))

    def _lines(self, name: str, type: str, bounds: list[str], description: str) -> str:
        """Return a parameter with its bounds and its description, in one line if it fits."""
        names, default = self._names, self._default(name, True)
        annotated = self._with_meta(type, [*bounds, *filter(None, [description])])
        line = self._line(name, f"{annotated} | {names.UnsetType}", default)
        if len(line) <= WIDTH or not description:
            return line
        head = f"    {self._attributes[name]}: {names.Annotated}["
        limited = f"{self._with_meta(type, bounds)} | {names.UnsetType}"
        inner = [wrap(f"{limited},", 8), wrap(f"{names.Meta}({description}),", 8)]
        return "\n".join([head, *inner, f"    ]{default}"])

    def _with_meta(self, type: str, arguments: list[str]) -> str:
        names = self._names
        if not arguments:
            return type
        return f"{names.Annotated}[{type}, {names.Meta}({', '.join(arguments)})]"

    def _line(self, name: str, type: str, default: str) -> str:
        return wrap(f"{self._attributes[name]}: {type}{default}", 4)

    def _default(self, name: str, optional: bool) -> str:
        names = self._names
        if self._attributes[name] != name:
            default = f", default={names.UNSET}" if optional else ""
            return f" = {names.field}(name={as_code(name)}{default})"
        return f" = {names.UNSET}" if optional else ""

    def _limited(self, kind: Kind, limits: Mapping[str, float]) -> str:
        """Return the JSON type of a kind, with the limits added to each number in a union."""
        if not limits or kind.kind != "union":
            return self._forms.json_type(kind)
        later = self._forms.checks_later(kind)
        types = self._forms.member_annotations(kind)
        bounds = (
            _bounds(p, limits, later) if _is_number(p) else [] for p in kind.parts
        )
        return " | ".join(map(self._with_meta, types, bounds))


def _is_number(kind: Kind) -> bool:
    return kind.kind == "scalar" and kind.name in _NUMBERS


def _limits(limits_as_code: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Return the finite limits of a field. Of `ge` and `gt`, or `le` and `lt`, keep the tighter."""
    limits: dict[str, float] = {}
    for name, code in limits_as_code:
        if "inf" not in code:
            limits[name] = ast.literal_eval(code)
    if "ge" in limits and "gt" in limits:
        del limits["ge" if limits["gt"] >= limits["ge"] else "gt"]
    if "le" in limits and "lt" in limits:
        del limits["le" if limits["lt"] <= limits["le"] else "lt"]
    return limits


def _bounds(kind: Kind, limits: Mapping[str, float], later: bool = False) -> list[str]:
    """Return limits as arguments of `msgspec.Meta`; those of an `int` are rounded to integers.

    The limits of a `Decimal`, which msgspec does not check, and those to be checked `later`
    are only written into the JSON Schema.
    """
    if limits and (later or kind.name == "decimal.Decimal"):
        words = ", ".join(f'"{_SCHEMA_WORDS[n]}": {v!r}' for n, v in limits.items())
        return [f"extra_json_schema={{{words}}}"]
    if kind.name != "builtins.int":
        return [f"{name}={value!r}" for name, value in limits.items()]
    rounded = {
        name: math.ceil(limit) if name in ("ge", "lt") else math.floor(limit)
        for name, limit in limits.items()
    }
    supported = ((n, v) for n, v in rounded.items() if -_INT64 <= v < _INT64)
    return [f"{name}={value}" for name, value in supported]

"""Write the code that sets the position of a prefab's objects."""

from __future__ import annotations

from savegen.build.emit._forms import class_import, style_of
from savegen.build.emit._types import as_code
from savegen.build.json_forms import JsonForms
from savegen.build.model import Model, PrefabClass
from savegen.build.parameters import parameters_of_part
from savegen.build.places import ValueForm, position_of, value_form


class PrefabPlace:
    """The function that sets the position of a prefab's objects."""

    def __init__(
        self, prefab: PrefabClass, model: Model, json_forms: JsonForms
    ) -> None:
        position = position_of(prefab, model)
        # Otherwise there are findings.
        assert position is not None and position.cls is not None
        field = position.field
        first = field.attribute if field else position.names[0]
        *owners, self.name = (first, *position.names[1:])
        part = f"obj.part({as_code(position.part.name)})"
        self.owner = ".".join((part, *owners))
        self.imports: list[str] = []
        form = None
        if field is not None and not owners:
            kind = json_forms.without_subclasses(field.kind)
            form = value_form(kind, json_forms.records)
        # Without it, the value is made like the one that the attribute has.
        self.value = self._code(form, json_forms) if form and form.numbers else ""
        self.guarded = position.cls.guards_assignment
        self.parameter = (
            ""  # the path from a parameter of levels, such as "rect.center"
        )
        for shown, each in parameters_of_part(position.part, position.cls):
            # The field `_pos` of a property `pos` is called `pos` in levels.
            if each is field or (field is None and shown == first):
                self.parameter = ".".join((shown, *position.names[1:]))

    def _code(self, form: ValueForm, json_forms: JsonForms) -> str:
        kind = form.kind
        is_whole = "int" in form.numbers
        if is_whole:
            self.imports.append("from math import floor")
        values = [
            f"floor({axis})" if number == "int" else axis
            for axis, number in zip("xyz", form.numbers)
        ]
        if kind.kind == "scalar":
            return f"complex({', '.join(values)})"
        if kind.kind == "container":
            opening, closing = "[]" if kind.name == "list" else "()"
            return f"{opening}{', '.join(values)}{closing}"
        style = style_of(kind, json_forms.records.get(kind.name))
        if style == "typeddict":
            pairs = zip(map(as_code, form.keywords), values)
            return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"
        module, imported, cls = class_import(kind, style, _LOCAL)
        self.imports.append(f"from {module} import {imported}")
        if form.keywords:
            values = [f"{key}={value}" for key, value in zip(form.keywords, values)]
        return f"{cls}({', '.join(values)})"


# Names in the generated function.
_LOCAL = frozenset(["obj", "x", "y", "z", "floor", "set_place", "Any"])

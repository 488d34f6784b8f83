"""The shapes that a save tells of: those of today's classes, and those that were kept aside."""

from __future__ import annotations


from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire.forms import used_shapes

Told = dict[str, list[tuple[str, Form]]]


class Shapes:
    """What the forms of one save name.

    >>> shapes = Shapes()
    >>> shapes.use(["record", "m:V"], {"m:V": [("x", "int")]})
    >>> shapes.adopted(["list", ["record", "m:V"]], {"m:V": [("y", "int")]})
    ['list', ['record', 'm:V~2']]
    >>> sorted(shapes.used)
    ['m:V', 'm:V~2']
    """

    def __init__(self) -> None:
        self._found: Told = {}

    @property
    def used(self) -> Told:
        return dict(sorted(self._found.items()))

    def use(self, form: Form, shapes: Told) -> None:
        """Tell of the shapes of a form of today's. They come before any are adopted."""
        self._found |= used_shapes([form], shapes)

    def adopted(self, form: Form, shapes: Told) -> Form:
        """Tell of those of a form of another day; return it with the names that they get."""
        fields = used_shapes([form], shapes)
        names = {name: name for name in fields}
        for name in fields:
            turn = 1
            while not self._is_free(names[name], fields[name], names):
                turn += 1
                names[name] = f"{name.partition('~')[0]}~{turn}"
        for name, told in fields.items():
            self._found[names[name]] = [(each, _renamed(f, names)) for each, f in told]
        return _renamed(form, names)

    def _is_free(
        self, name: str, fields: list[tuple[str, Form]], names: dict[str, str]
    ) -> bool:
        known = self._found.get(name)
        wanted = [(each, _renamed(form, names)) for each, form in fields]
        return known is None or [*map(tuple, known)] == wanted


def _renamed(form: Form, names: dict[str, str]) -> Form:
    if isinstance(form, str):
        return form
    word, *parts = form
    if word in ("record", "keys"):
        return [word, names.get(parts[0], parts[0])]
    if word in ("enum", "flag", "foreign", "literal", "scalar"):
        return form
    return [word, *(_renamed(part, names) for part in parts)]

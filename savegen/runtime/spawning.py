"""What is set of a new object: found by the names that level authors use, checked, and set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.checks import Check
from savegen.runtime.components import SaveLoadable
from savegen.runtime.errors import SaveError, a, nearest
from savegen.runtime.limits import fault_of
from savegen.runtime.natural import Standing, misfit
from savegen.runtime.objects import GameObject
from savegen.runtime.prefabs import Part
from savegen.runtime.registry import ClassEntry
from savegen.runtime.world import World

_PLAIN = (bool, int, float, complex, str, bytes, Decimal, Fraction)


class Parameter(NamedTuple):
    """One field of one component of a new object, as level authors know it."""

    name: str
    part: str | None
    component: Any
    field: str
    entry: ClassEntry

    @property
    def number(self) -> int:
        return self.entry.mixin.save_load_field_names[self.field]

    @property
    def check(self) -> Check | None:
        """What the field may hold; `None` in a class that saves itself."""
        return self.entry.check_of(self.field)


class Spawning:
    """A new object, and what of it can be set.

    `declared` are the parts of its prefab, by name, where they are known.
    """

    def __init__(
        self,
        name: str,
        thing: Any,
        world: World,
        declared: Mapping[str, Part[Any]] | None = None,
    ) -> None:
        """Raises `SaveError` if the object cannot be saved. `name` is what errors call it."""
        self._name = name
        self._parameters: dict[str, list[Parameter]] = {}
        for each in parameters_of(thing, world, declared or {}):
            self._parameters.setdefault(each.name, []).append(each)

    def fits(self, name: str, value: Any) -> bool:
        """Tell whether there is a parameter of a name that may hold a value."""
        found = self._parameters.get(name, ())
        return any(misfit(each.check, value) is None for each in found)

    def set(self, values: Mapping[str, Any], assets: AssetRegistry) -> None:
        """Set parameters; every value is checked before the first is set.

        Raises `SaveError` that names the parameter, its value, and what is allowed.
        """
        chosen = {name: self._only(name) for name in values}
        for name, parameter in chosen.items():
            self._check(parameter, values[name])
        for component, fields in _by_component(chosen, values):
            standing = Standing(assets)
            data = {n: standing.data_of(value) for n, value in fields.items()}
            component.load_data(data, standing)

    def _only(self, name: str) -> Parameter:
        found = self._parameters.get(name)
        if found is None:
            known = nearest(name, self._parameters)
            raise SaveError(f"{self._name} has no parameter {known}")
        if len(found) > 1:
            parts = " and ".join(repr(each.part) for each in found)
            raise SaveError(
                f"{self._name} has several parameters {name!r}, in the parts {parts}:"
                f" tell them apart by `.show({found[0].field}=…)`"
            )
        return found[0]

    def _check(self, parameter: Parameter, value: Any) -> None:
        limits = parameter.entry.limits.get(parameter.number, {})
        fault = misfit(parameter.check, value) or fault_of(value, limits)
        if fault is not None:
            raise SaveError(f"{self._where(parameter, value)}: {fault}")

    def _where(self, parameter: Parameter, value: Any) -> str:
        return f"{parameter.name!r} of {self._name} cannot be {_shown(value)}"


def parameters_of(
    thing: Any, world: World, declared: Mapping[str, Part[Any]]
) -> Iterator[Parameter]:
    for part, component in _named(thing):
        entry = world.entry_of(type(component))
        shown = declared[part].shown if part and part in declared else {}
        for field, name in _exposed(component, shown).items():
            if name is not None:
                yield Parameter(name, part, component, field, entry)


def _named(thing: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield the components of an object with the names of their parts."""
    if not isinstance(thing, GameObject):
        yield None, thing
        return
    names = {number: name for name, number in thing.part_numbers.items()}
    for number, component in thing.numbered:
        yield names.get(number), component


def _exposed(
    component: SaveLoadable, shown: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return what level authors call the fields, by the name that code has for them."""
    names: dict[str, str | None] = {
        mapping.component_field_name: mapping.prefab_field_name
        for mapping in component.get_param_name_mappings()
    }
    for field in shown:
        if field not in component.save_load_field_names:
            cls = type(component).__qualname__
            known = nearest(field, component.save_load_field_names)
            raise SaveError(
                f"`.show(…)` names a field that `{cls}` does not have: {known}"
            )
    return names | {**shown}


def _by_component(
    chosen: Mapping[str, Parameter], values: Mapping[str, Any]
) -> Iterator[tuple[Any, dict[int, Any]]]:
    """Yield what is to be set of each component, by number."""
    found: dict[int, tuple[Any, dict[int, Any]]] = {}
    for name, parameter in chosen.items():
        component = parameter.component
        fields = found.setdefault(id(component), (component, {}))[1]
        fields[parameter.number] = values[name]
    yield from found.values()


def _shown(value: Any) -> str:
    cls = type(value)
    if isinstance(value, Enum):
        return f"{cls.__qualname__}.{value.name}"
    if value is not None and cls not in _PLAIN:  # `__repr__` is the game's code
        return a(cls.__qualname__)
    try:
        text = repr(value)
    except ValueError:  # an int of thousands of digits
        return "an int"
    return text if len(text) <= 60 else f"{text[:57]}…"

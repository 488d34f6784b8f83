"""`SpawnParameters`: finds, checks and sets the parameters that `manager.spawn` is called with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from savegen.runtime.world.building import InvalidFieldValue, LocalKeys, pack_fields
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.errors import SaveError, with_article, nearest
from savegen.runtime.world.game import Game
from savegen.runtime.values.basics.limits import fault_of
from savegen.runtime.world.objects import GameObject, Vector
from savegen.runtime.prefabs.prefabs import Part, Prefab, PrefabInfo
from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.values.kinds.kind import BY_CLASS
from savegen.runtime.values.kinds.natives import Native
from savegen.runtime.values.kinds.standard import Standard
from savegen.runtime.values.mismatches import value_of
from savegen.runtime.values.rows import Row, cells_of


class SpawnParameter(NamedTuple):
    """A field of a new object that can be set by its name in levels."""

    name: str  # in levels
    part: str | None
    component: Any
    field: str
    entry: ClassEntry

    @property
    def value(self) -> Any:
        """The value that the field has; `NOT_SET` if it has none."""
        cells, number = cells_of(self.entry.row), self._number
        return value_of(self.component, self.entry.attributes_by_cell[cells[number]])

    @property
    def _number(self) -> int:
        return int(type(self.component).save_load_field_names[self.field])

    def packed(self, value: Any, keys: LocalKeys) -> Row:
        """Return a row that has only this field, set to `value`.

        Raises `InvalidFieldValue` if the value does not fit.
        """
        row = pack_fields(type(self.component), {self.field: value}, keys, self.entry)
        fault = fault_of(value, self.entry.limits.get(self._number, {}))
        if fault is not None:
            raise InvalidFieldValue(fault)
        return row


class SpawnParameters:
    """The parameters of a new object of a prefab, by name."""

    def __init__(self, game: Game, prefab: Any, obj: Any) -> None:
        """Raises `SaveError` if the object cannot be saved."""
        self._obj = obj
        self._name = prefab.name if isinstance(prefab, Enum) else type(obj).__qualname__
        self._prefab: Prefab | None = None
        declared: Mapping[str, Part[Any]] = {}
        if isinstance(game.prefabs, PrefabInfo):
            self._prefab = game.prefabs[prefab]
            self._name, declared = self._prefab.type.name, self._prefab.declared
        world = game.world
        self._keys = LocalKeys((), world.assets, values=world.registry.values)
        self._parameters: dict[str, list[SpawnParameter]] = {}
        for parameter in parameters_of(obj, game.world.registry.entry_of, declared):
            self._parameters.setdefault(parameter.name, []).append(parameter)

    def set_with_position(self, position: Any, values: Mapping[str, Any]) -> None:
        """Set parameters, and the position.

        It is the position of the object, which the attribute that its prefab names gets too, or
        it is the value of a parameter of that name.
        """
        prefab = self._prefab
        if prefab is not None and prefab.place is not None:
            if point := _point(position):
                self.set(values)
                self._obj.transform.position = point
                prefab.place_at(self._obj, point, values)
                return
        if self._fits("position", position):
            self.set({"position": position, **values})
            return
        if prefab is not None and prefab.place is not None:
            raise SaveError(
                f"a position is two or three numbers, not {_shown(position)}"
            )
        _check_position(self._obj, position)
        self.set(values)
        self._obj.transform.position = position

    def _fits(self, name: str, value: Any) -> bool:
        """Return whether a parameter with this name exists and allows the value."""
        for parameter in self._parameters.get(name, ()):
            try:
                parameter.packed(value, self._keys)
            except InvalidFieldValue:
                continue
            return True
        return False

    def set(self, values: Mapping[str, Any]) -> None:
        """Set parameters; every value is checked before the first is set.

        Raises `SaveError` with the parameter, its value and the allowed values.
        """
        chosen = {name: self._only(name) for name in values}
        rows = [self._row(chosen[name], value) for name, value in values.items()]
        for parameter, row in zip(chosen.values(), rows):
            parameter.component.load_data(row, self._keys)
        self._keys.finish()

    def _only(self, name: str) -> SpawnParameter:
        parameters = self._parameters.get(name)
        if parameters is None:
            named = nearest(name, self._parameters)
            raise SaveError(f"{self._name} has no parameter {named}")
        if len(parameters) > 1:
            parts = " and ".join(repr(parameter.part) for parameter in parameters)
            raise SaveError(
                f"{self._name} has several parameters {name!r}, in the parts {parts}:"
                f" give them different names with `.show({parameters[0].field}=…)`"
            )
        return parameters[0]

    def _row(self, parameter: SpawnParameter, value: Any) -> Row:
        try:
            return parameter.packed(value, self._keys)
        except InvalidFieldValue as fault:
            where = f"{parameter.name!r} of {self._name}"
            raise SaveError(f"{where} cannot be {_shown(value)}: {fault}") from None


def _check_position(obj: Any, position: Any) -> None:
    if not isinstance(obj, GameObject):
        raise SaveError(
            f"{with_article(type(obj).__qualname__)} has no transform; it cannot have a position"
        )
    is_vector = isinstance(position, tuple) and len(position) == 3
    if not (is_vector and all(type(number) in (int, float) for number in position)):
        raise SaveError(f"a position is a tuple of three numbers, not {position!r}")


def _point(value: Any) -> Vector | None:
    """Return a position of two or three numbers, of any type; `None` if it is something else."""
    if isinstance(value, complex):
        value = value.real, value.imag
    if hasattr(value, "x") and hasattr(value, "y"):
        value = value.x, value.y, getattr(value, "z", 0.0)
    try:
        numbers = [*value]
    except TypeError:
        return None
    if len(numbers) == 2:
        numbers.append(0.0)
    if len(numbers) != 3 or any(map(_is_no_number, numbers)):
        return None
    x, y, z = (n if type(n) in (int, float) else float(n) for n in numbers)
    return x, y, z


def _is_no_number(value: Any) -> bool:
    return isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__")


def parameters_of(
    obj: Any,
    entry_of: Callable[[type], ClassEntry],
    declared: Mapping[str, Part[Any]],
) -> Iterator[SpawnParameter]:
    """Yield the parameters of an object that level authors may set."""
    for part, component in _named(obj):
        entry = entry_of(type(component))
        shown = declared[part].shown if part and part in declared else {}
        for field, name in _exposed(component, shown).items():
            if name is not None:
                yield SpawnParameter(name, part, component, field, entry)


def _named(obj: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield the components of an object, each with the name of its part."""
    if not isinstance(obj, GameObject):
        yield None, obj
        return
    names = {number: name for name, number in obj.part_numbers.items()}
    for number, component in obj.numbered:
        yield names.get(number), component


def _exposed(
    component: SaveLoadable, shown: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return the names of fields in levels, by their names in code."""
    names: dict[str, str | None] = {
        mapping.component_field_name: mapping.prefab_field_name
        for mapping in component.get_param_name_mappings()
    }
    for field in shown:
        if field not in component.save_load_field_names:
            cls = type(component).__qualname__
            suggestion = nearest(field, component.save_load_field_names)
            raise SaveError(
                f"`.show(…)` names a field that `{cls}` does not have: {suggestion}"
            )
    return names | {**shown}


def _shown(value: Any) -> str:
    cls = type(value)
    if isinstance(value, Enum):
        return f"{cls.__qualname__}.{value.name}"
    # The `__repr__` of another class may be the game's code.
    if not isinstance(BY_CLASS.get(id(cls)), (Native, Standard)):
        return with_article(cls.__qualname__)
    try:
        text = repr(value)
    except ValueError:  # an int with thousands of digits
        return "an int"
    return text if len(text) <= 60 else f"{text[:57]}…"

"""Build the objects of a level, set their parameters, and add them to the world."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from savegen.levels.description import Entry
from savegen.levels.findings import DuplicateId, RefusedValue
from savegen.levels.plan import LevelLayout
from savegen.levels.places import ObjectPosition
from savegen.levels.rules import GameRules
from savegen.findings import Finding
from savegen.runtime.world.building import LocalKeys
from savegen.runtime.errors import SaveError, reason
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.values.mismatches import NOT_SET
from savegen.runtime.values.basics.named import find_loaded, name_of
from savegen.runtime.world.objects import GameObject, with_components
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.values.rows import Row, cells_of, partial_row
from savegen.runtime.prefabs.serializers import PlacedId
from savegen.runtime.world.placements import Placement
from savegen.runtime.world.world import World
from savegen.runtime.prefabs.spawning import SpawnParameter, parameters_of
from savegen.runtime.values.libraries.sprites import take_out

_OBJECT = "savegen.GameObject"  # the type of references to whole objects


class _Recipe(NamedTuple):
    """How to build the objects of one entry."""

    entry: Entry
    serializer: Any  # a generated `PrefabSerializer`
    prefab: Any
    build: Callable[[], Any]
    has_parameters: bool


class _BuiltObject(NamedTuple):
    """An object that is not in the world yet."""

    spot: ObjectPosition
    recipe: _Recipe
    instance: Any

    @property
    def id(self) -> str:
        return self.spot.placed.id


class LevelSpawner:
    """Builds the objects of a level, and adds all of them to the world at the end, by `place`.

    `findings` are errors that can only be found by running the game's code.
    """

    def __init__(
        self,
        layout: LevelLayout,
        manager: SaveLoadManager,
        prefabs: PrefabInfo,
        rules: GameRules,
    ) -> None:
        self.findings: list[Finding] = []
        # The prefab and the parameters of each static entry, by `id(entry)`.
        self.static: dict[int, tuple[Any, Mapping[str, Any]]] = {}
        self._layout = layout
        self._level = layout.name
        self._description = layout.description
        self._manager = manager
        self._prefabs = prefabs
        self._rules = rules
        self._recipes: dict[int, _Recipe] = {}  # by `id(entry)`
        self._built: list[_BuiltObject] = []
        self._reported: set[tuple[object, ...]] = set()
        # Constructors may draw random numbers, also if the level is not loaded then.
        self._random = random.getstate()

    def build(self, spots: Iterable[ObjectPosition]) -> None:
        """Build all objects, then set their parameters, which may refer to any of them."""
        for spot in spots:
            self._build(spot, self._recipe(spot.placed.entry))
        instances = {built.id: built.instance for built in self._built}
        self._check_ids(instances.keys())
        world = self._manager._world
        find = partial(component_of, instances, self._level, world)
        ids = LocalKeys(assets=world.assets, placed=find)
        rows: dict[int, dict[int, Row]] = {}  # by `id(entry)`
        for built in self._built:
            if built.recipe.has_parameters:
                key = id(built.recipe.entry)
                if key not in rows:
                    rows[key] = self._rows(built.recipe, ids)
                self._load_rows(built.recipe, built.instance, rows[key], ids)
        static = [*self._build_static(ids)]
        ids.finish()
        for recipe, instance in static:
            parameters = MappingProxyType(self._values_of(recipe, instance))
            self.static[id(recipe.entry)] = recipe.prefab, parameters
        for built in self._built:
            self._set_position(built)

    def place(self) -> tuple[str, ...]:
        """Add all objects to the world, or none, and return their placement ids.

        Raises `SaveError` if a hook raises.
        """
        try:
            return self._manager._place_all(
                self._level,
                [(built.instance, self._placement(built)) for built in self._built],
            )
        except BaseException:
            for built in reversed(self._built):
                self._manager._put_away(built.recipe.prefab, built.instance)
            random.setstate(self._random)
            raise

    def discard(self, error: BaseException) -> None:
        """Undo the construction of the objects, none of which was placed because of an error."""
        for built in reversed(self._built):
            self._manager._put_away(built.recipe.prefab, built.instance, error)
        random.setstate(self._random)

    # -- one object

    def _build(self, spot: ObjectPosition, recipe: _Recipe) -> None:
        try:
            instance = recipe.build()
        except Exception as error:
            id = spot.placed.id
            error.add_note(f"while placing {recipe.entry.type_name} as {id!r}")
            raise
        instance.transform.position = spot.position
        if spot.scale is not None:
            instance.transform.scale = spot.scale
        self._built.append(_BuiltObject(spot, recipe, instance))

    def _set_position(self, built: _BuiltObject) -> None:
        """Put an object at its place; a position that its entry has is kept."""
        recipe = built.recipe
        try:
            prefab = self._prefabs[recipe.prefab]
            prefab.place_at(built.instance, built.spot.position, recipe.entry.data)
        except Exception as error:  # raised by the game's class
            self._report(recipe.entry, error, [])

    def _placement(self, built: _BuiltObject) -> Placement:
        return Placement(built.recipe.prefab, built.id, self._level)

    def _recipe(self, entry: Entry) -> _Recipe:
        if id(entry) not in self._recipes:
            serializer: Any = self._rules.decoded(entry.data)
            prefab = serializer.get_prefab_type()
            if entry.type_name in self._layout.static:
                world = self._manager._world
                of_prefab = self._prefabs[prefab].build
                build: Callable[[], Any] = partial(
                    of_prefab, world.assets, world.registry
                )
            else:
                build = self._manager._builder(prefab)
            has_parameters = not entry.data.keys() <= {"$type", "$id"}
            recipe = _Recipe(entry, serializer, prefab, build, has_parameters)
            self._recipes[id(entry)] = recipe
        return self._recipes[id(entry)]

    def _check_ids(self, ids: Set[str]) -> None:
        """Add a finding for each id that an object in the world already has.

        Raises `SaveError` if this level has placed that object: it is loaded already.
        """
        world = self._manager._world
        taken = ids & world.placed.keys()
        for built in self._built if taken else ():
            id, entry = built.id, built.recipe.entry
            if id not in taken:
                continue
            level = world.placements[world.placed[id]].level
            if level == self._level:
                raise SaveError(
                    f"level {level!r} is already loaded: it has placed {id!r}"
                )
            path = (*entry.path, "$id") if entry.id else entry.path
            span = self._description.span(path)
            self.findings.append(DuplicateId(span, id, _taken_by(level)))

    # -- parameters

    def _rows(self, recipe: _Recipe, ids: LocalKeys) -> dict[int, Row]:
        """Return the rows with the parameters of an entry, by number of the part."""
        try:
            rows: dict[int, Row] = recipe.serializer.get_component_snapshots(ids)
            return rows
        except Exception as error:
            faults = self._rules.faults(recipe.entry.data, ids)
            causes = [(str(*fault.path[:1]), fault.reason) for fault in faults]
            self._report(recipe.entry, error, causes)
            return {}

    def _load_rows(
        self, recipe: _Recipe, instance: Any, rows: dict[int, Row], ids: LocalKeys
    ) -> None:
        parts = dict(instance.numbered)
        for number, row in rows.items():
            try:
                parts[number].load_data(row, ids)
            except Exception as error:
                parameters = self._parameters(recipe, instance)
                part = parts[number]
                names = {it.field: it.name for it in parameters if it.component is part}
                causes = [*_rejected_fields(part, row, names, ids)]
                self._report(recipe.entry, error, causes)

    def _parameters(self, recipe: _Recipe, instance: Any) -> Iterator[SpawnParameter]:
        """Yield the parameters of an object, with their names in level files."""
        declared = self._prefabs[recipe.prefab].declared
        entry_of = self._manager._world.registry.entry_of
        yield from parameters_of(instance, entry_of, declared)

    # -- static prefabs

    def _build_static(self, ids: LocalKeys) -> Iterator[tuple[_Recipe, Any]]:
        """Build one object for each static entry that is drawn; its parameters are read from it.

        These objects never come into the world.
        """
        for entry in self._drawn_static_entries():
            recipe, state = self._recipe(entry), random.getstate()
            try:
                instance = recipe.build()
            except Exception as error:
                error.add_note(f"while reading the parameters of {entry.type_name}")
                raise
            finally:
                random.setstate(state)
            for part in with_components(instance):
                take_out(part)
            if recipe.has_parameters:
                self._load_rows(recipe, instance, self._rows(recipe, ids), ids)
            yield recipe, instance

    def _drawn_static_entries(self) -> Iterator[Entry]:
        static, seen = self._layout.static, set[int]()
        for layer in self._layout.layers if static else ():
            for placed in (*layer.tiles, *layer.sprites):
                entry = placed.entry
                if entry.type_name in static and id(entry) not in seen:
                    seen.add(id(entry))
                    yield entry

    def _values_of(self, recipe: _Recipe, instance: Any) -> dict[str, Any]:
        """Return the values of the parameters of an object, by their names in level files."""
        values = {}
        for parameter in self._parameters(recipe, instance):
            value = parameter.value
            if value is not NOT_SET:
                values[parameter.name] = value
        return values

    # -- findings

    def _report(
        self, entry: Entry, error: Exception, causes: list[tuple[str, str]]
    ) -> None:
        """Add a finding for each parameter that causes an error, or one for the whole entry."""
        for name, text in causes or [("", reason(error))]:
            path = entry.place_of((name,)) if name in entry.data else entry.path
            if (path, text) not in self._reported:
                self._reported.add((path, text))
                span = self._description.span(path)
                self.findings.append(RefusedValue(span, entry.type_name, name, text))


def _taken_by(level: str | None) -> str:
    if level is None:
        return "another object in the world has it already"
    return f"level {level!r} has already placed an object with it"


def _rejected_fields(
    component: Any, row: Row, names: dict[str, str], ids: LocalKeys
) -> Iterator[tuple[str, str]]:
    """Load each field of a row alone; yield the parameters that are rejected, and the reasons."""
    cells = cells_of(type(row))
    for field, number in component.save_load_field_names.items():
        if number in row:
            single = partial_row(type(row), **{cells[number]: row[number]})
            try:
                component.load_data(single, ids)
            except Exception as error:
                yield names.get(field, ""), reason(error)


# -- references


def component_of(
    built: Mapping[str, Any], level: str, world: World, id: PlacedId
) -> Any:
    """Return the component that an `$id` refers to, of a new object or of one placed before.

    It is the first of one of the types that the reference allows. `built` are the new objects.
    Raises `SaveError` if the level has not placed the object, or if it has no such component.

    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> world, camp = World(Registry(FORMAT, ())), GameObject()
    >>> id = PlacedId("camp", ("savegen.GameObject",))
    >>> component_of({"camp": camp}, "valley", world, id) is camp
    True
    """
    if (instance := built.get(id)) is None:
        key = world.placed.get(id)
        record = None if key is None else world.record_at(key)
        if record is None or record.level != level:
            raise SaveError(
                f"{str(id)!r} is not placed; it may be outside the loaded region"
            )
        instance = record.object
    for component in with_components(instance):
        if any(_is_a(component, name) for name in id.classes):
            return component
    types = "` or `".join(name.rpartition(":")[2] for name in id.classes)
    raise SaveError(f"object {str(id)!r} has no component of type `{types}`")


def _is_a(component: Any, name: str) -> bool:
    """Return whether a component has a type, given by its name, such as "game.doors:Door"."""
    if isinstance(component, GameObject):
        return name == _OBJECT
    if any(name_of(cls) == name for cls in type(component).__mro__):
        return True
    # A class need not inherit from its protocol, and a class in `__main__` has two names.
    cls = find_loaded(name)
    if getattr(cls, "_is_protocol", False):
        return all(hasattr(component, member) for member in _members(cls))
    return isinstance(cls, type) and isinstance(component, cls)


def _members(protocol: type) -> Iterator[str]:
    """Yield the names of the attributes that a protocol requires."""
    for base in protocol.__mro__:
        if getattr(base, "_is_protocol", False) and base.__module__ != "typing":
            names = {*vars(base), *getattr(base, "__annotations__", {})}
            yield from (name for name in names if not name.startswith("_"))

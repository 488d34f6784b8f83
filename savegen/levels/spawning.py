"""Build the objects of a level, set and link them, and add them to the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any, NamedTuple

from savegen.levels.description import Description, Entry
from savegen.levels.findings import IdTwice, RefusedValue
from savegen.levels.places import Standing
from savegen.levels.rules import GameRules
from savegen.findings import Finding
from savegen.runtime.building import LocalKeys
from savegen.runtime.errors import SaveError, reason
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.named import loaded, name_of
from savegen.runtime.objects import GameObject, whole
from savegen.runtime.prefabs import PrefabInfo
from savegen.runtime.rows import Row, cells_of, partial_row
from savegen.runtime.serializers import PlacedId
from savegen.runtime.snapshot import Placement
from savegen.runtime.spawning import parameters_of

_OBJECT = "savegen.GameObject"  # references may have this type
_Made = tuple[Standing, "_Kind", Any]  # where, of what, and the object


class _Kind(NamedTuple):
    """What is made of one entry, wherever it is placed."""

    entry: Entry
    serializer: Any  # a generated `PrefabSerializer`
    prefab: Any
    build: Callable[[], Any]
    is_plain: bool  # it says nothing but what it is


class Spawning:
    """Objects on their way into the world: nothing of it is changed before `place`.

    `findings` is what the game has refused of the level.
    """

    def __init__(
        self,
        level: str,
        description: Description,
        manager: SaveLoadManager,
        prefabs: PrefabInfo,
        rules: GameRules,
    ) -> None:
        self.findings: list[Finding] = []
        self._level = level
        self._description = description
        self._manager = manager
        self._prefabs = prefabs
        self._rules = rules
        self._kinds: dict[int, _Kind] = {}  # by `id` of the entry
        self._made: list[_Made] = []
        self._seen: set[tuple[object, ...]] = set()

    def build(self, standings: Iterable[Standing]) -> None:
        """Build everything, then set what entries say: they may refer to what comes later."""
        for standing in standings:
            self._build(standing, self._kind(standing.placed.entry))
        made = {standing.placed.id: thing for standing, _, thing in self._made}
        self._refuse_taken(made.keys())
        ids = Ids(made, self._level, self._manager)
        rows: dict[int, dict[int, Row]] = {}  # the same for all objects of an entry
        for _, kind, thing in self._made:
            if not kind.is_plain:
                key = id(kind.entry)
                if key not in rows:
                    rows[key] = self._rows(kind, ids)
                self._set(kind.entry, thing, rows[key], ids)
        ids.finish()

    def place(self) -> tuple[str, ...]:
        """Take everything into the world, or nothing; return the placement ids.

        Raises `SaveError` if a hook raises.
        """
        return self._manager.place(
            [(thing, self._placement(s, kind)) for s, kind, thing in self._made]
        )

    def give_up(self) -> None:
        """Let the pools have again what was taken from them."""
        for _, kind, thing in reversed(self._made):
            self._manager.put_away(kind.prefab, thing)

    # -- one object

    def _build(self, standing: Standing, kind: _Kind) -> None:
        try:
            thing = kind.build()
        except Exception as error:
            tag, id = kind.entry.tag, standing.placed.id
            error.add_note(f"while placing {tag} as {id!r}")
            raise
        thing.transform.position = standing.position
        if standing.scale is not None:
            thing.transform.scale = standing.scale
        self._made.append((standing, kind, thing))

    def _placement(self, standing: Standing, kind: _Kind) -> Placement:
        tile = None
        if standing.scale is not None:
            tile = (*standing.position[:2], *standing.scale[:2])
        return Placement(kind.prefab, standing.placed.id, self._level, tile)

    def _kind(self, entry: Entry) -> _Kind:
        found = self._kinds.get(id(entry))
        if found is None:
            serializer: Any = self._rules.decoded(entry.data)
            prefab = serializer.get_prefab_type()
            is_plain = entry.data.keys() <= {"$type", "$id"}
            build = self._manager.builder(prefab)
            found = _Kind(entry, serializer, prefab, build, is_plain)
            self._kinds[id(entry)] = found
        return found

    def _refuse_taken(self, ids: Set[str]) -> None:
        """Note what has a name that is taken; raise `SaveError` if by the level itself."""
        world = self._manager.world
        taken = ids & world.placed.keys()
        for standing, kind, _ in self._made if taken else ():
            id, entry = standing.placed.id, kind.entry
            if id not in taken:
                continue
            level = world.placements[world.placed[id]].level
            if level == self._level:
                raise SaveError(
                    f"level {level!r} is already loaded: it has placed {id!r}"
                )
            where = (*entry.where, "$id") if entry.id else entry.where
            span = self._description.span(where)
            self.findings.append(IdTwice(span, id, _taken_by(level)))

    # -- what an entry says

    def _rows(self, kind: _Kind, ids: Ids) -> dict[int, Row]:
        """Return what an entry sets, by part."""
        try:
            found: dict[int, Row] = kind.serializer.get_component_snapshots(ids)
            return found
        except Exception as error:
            faults = self._rules.faults(kind.entry.data, ids)
            causes = [(str(*fault.path[:1]), fault.what) for fault in faults]
            self._refuse_some(kind.entry, error, causes)
            return {}

    def _set(self, entry: Entry, thing: Any, rows: dict[int, Row], ids: Ids) -> None:
        parts = dict(thing.numbered)
        for number, row in rows.items():
            try:
                parts[number].load_data(row, ids)
            except Exception as error:
                names = self._names(entry, thing, parts[number])
                causes = [*_refused(parts[number], row, names, ids)]
                self._refuse_some(entry, error, causes)

    def _names(self, entry: Entry, thing: Any, component: Any) -> dict[str, str]:
        """Return what level authors call the fields of a component."""
        declared = self._prefabs[self._kind(entry).prefab].declared
        found = parameters_of(thing, self._manager.world.entry_of, declared)
        return {each.field: each.name for each in found if each.component is component}

    def _refuse_some(
        self, entry: Entry, error: Exception, causes: list[tuple[str, str]]
    ) -> None:
        """Note each parameter that is a cause; if none is by itself, they are all it."""
        for name, text in causes or [("", reason(error))]:
            where = (*entry.where, name) if name in entry.data else entry.where
            key = (where, text)
            if key not in self._seen:
                self._seen.add(key)
                span = self._description.span(where)
                self.findings.append(RefusedValue(span, entry.tag, name, text))


def _taken_by(level: str | None) -> str:
    if level is None:
        return "another object in the world has it already"
    return f"level {level!r} has already placed an object with it"


def _refused(
    component: Any, row: Row, names: dict[str, str], ids: Ids
) -> Iterator[tuple[str, str]]:
    """Yield the parameters that a component does not take, each tried alone, and why."""
    cells = cells_of(type(row))
    for field, number in component.save_load_field_names.items():
        if number in row:
            alone = partial_row(type(row), **{cells[number]: row[number]})
            try:
                component.load_data(alone, ids)
            except Exception as error:
                yield names.get(field, ""), reason(error)


# -- references


class Ids(LocalKeys):
    """Finds components by the `$id` of their object: among those to be placed, or in the world.

    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> ids = Ids({"camp": GameObject()}, "valley", manager)
    >>> ids.get_component(PlacedId("camp", ("savegen.GameObject",))).components
    ()
    """

    def __init__(
        self, made: Mapping[str, Any], level: str, manager: SaveLoadManager
    ) -> None:
        """`made` are the new objects by their placement ids."""
        super().__init__(assets=manager.assets)
        self._made = made
        self._level = level
        self._world = manager.world

    def get_component(self, key: Any, /) -> Any:
        """Raises `SaveError` if the level has no such object here, or the object no such
        component.
        """
        if isinstance(key, PlacedId):
            return self._fitting(key, self._object(key))
        return super().get_component(key)

    def _object(self, id: PlacedId) -> Any:
        if id in self._made:
            return self._made[id]
        key = self._world.placed.get(id)
        record = None if key is None else self._world.record_at(key)
        if record is None or record.level != self._level:
            raise SaveError(
                f"{str(id)!r} is not placed; it may be outside the loaded region"
            )
        return record.object

    def _fitting(self, id: PlacedId, thing: Any) -> Any:
        """Return the first component of an object that a field may hold."""
        for component in whole(thing):
            if any(_is_a(component, name) for name in id.wanted):
                return component
        wanted = " or ".join(name.rpartition(":")[2] for name in id.wanted)
        raise SaveError(f"object {str(id)!r} has no `{wanted}`")


def _is_a(component: Any, name: str) -> bool:
    """Return whether a component is of a class, by the name in the game's source."""
    if isinstance(component, GameObject):
        return name == _OBJECT
    if any(name_of(cls) == name for cls in type(component).__mro__):
        return True
    # A protocol is no base; the class of `__main__` has another name.
    wanted = loaded(name)
    if getattr(wanted, "_is_protocol", False):
        return all(hasattr(component, member) for member in _members(wanted))
    return isinstance(wanted, type) and isinstance(component, wanted)


def _members(protocol: type) -> Iterator[str]:
    """Yield what a class must have to be one of the protocol's."""
    for base in protocol.__mro__:
        if getattr(base, "_is_protocol", False) and base.__module__ != "typing":
            names = {*vars(base), *getattr(base, "__annotations__", {})}
            yield from (name for name in names if not name.startswith("_"))

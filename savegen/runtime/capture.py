"""Taking a snapshot: everything in the world, and whatever it leads to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from savegen.runtime import plain
from savegen.runtime.checks import dead_are_none
from savegen.runtime.components import CommonFields, References, SaveLoadable
from savegen.runtime.errors import SaveError, a, told
from savegen.runtime.generators import Moment
from savegen.runtime.keys import SaveLoadKey
from savegen.runtime.objects import SlotMapReference, whole
from savegen.runtime.recorder import record_all
from savegen.runtime.registry import ClassEntry
from savegen.runtime.rows import Rows
from savegen.runtime.sharing import check_sharing
from savegen.runtime.snapshot import Snapshot, Table
from savegen.runtime.world import World

Covers = Callable[[SlotMapReference], bool]
_FEW = 50  # references that are sorted out one by one


class Capture(References):
    """One walk over a world, class by class; the objects that it meets wait for the next turn.

    It gives keys to what is saved by its own `save_data`, and so learns what that refers to.
    """

    def __init__(self, world: World, covers: Covers | None = None) -> None:
        self._world = world
        self._covers = covers
        self._tables: dict[type, Table] = {}
        self._waiting: dict[type, list[Any]] = {}
        self._adopted: dict[int, Any] = {}  # met as references alone
        self._buried: dict[int, Any] = {}  # met, and destroyed before
        self._outside: dict[int, tuple[Any, SaveLoadKey]] = {}
        self._dangling = 0

    def run(self, states: Mapping[str, Callable[[], Any]], strict: bool) -> Snapshot:
        """Return the world as it is now.

        Raises `SaveError` if something in it cannot be saved.
        """
        with Moment():
            self._walk()
        if self._covers is None:
            self._world.met.keep(self._adopted)
            self._world.graveyard.prune()
        if strict:
            check_sharing(self._tables.values())
        return self._snapshot(states)

    def _walk(self) -> None:
        """Take all that there is, and what it leads to."""
        self._waiting = self._roots()
        if self._covers is None and self._world.aside is not None:
            self._meet([*self._world.aside.reach()])
        while self._waiting:
            waiting, self._waiting = self._waiting, {}
            # By number: whoever has the same world meets the same objects in the same order.
            for cls in sorted(
                waiting, key=lambda cls: self._world.entry_of(cls).save_type
            ):
                self._take(cls, waiting[cls])
        self._bury()

    def with_hooks(self) -> list[Any]:
        """Return the objects that were only met as references and have a `@before_save`."""
        tables = [t for t in self._tables.values() if t.entry.before_save]
        objects = (each for table in tables for each in table.objects)
        return [each for each in objects if id(each) in self._adopted]

    def _snapshot(self, states: Mapping[str, Callable[[], Any]]) -> Snapshot:
        world, covers = self._world, self._covers
        records = list(world.slots)
        if covers is not None:
            records = [*filter(covers, records)]
            self._look_outside()
        return Snapshot(
            world,
            records,
            world.slots.indices(),
            self._tables,
            {} if covers else {name: _state(name, get) for name, get in states.items()},
            {} if covers else {**world.tombstones},
            self._outside,
            covers,
            self._dangling,
            {k: o for k, o in world.met.things().items() if id(o) in self._adopted},
            is_closed=not self._adopted,
            version=world.version,
            aside=None if covers else world.aside,
            destroyed=frozenset(world.tombstones) if covers else (),
        )

    # -- what there is

    def _roots(self) -> dict[type, list[Any]]:
        if self._covers is None:
            tables = self._world.tables
            return {cls: [*table.values()] for cls, table in tables.items() if table}
        found: dict[type, list[Any]] = {}
        for record in filter(self._covers, self._world.slots):
            for component in whole(record.object):
                found.setdefault(type(component), []).append(component)
        return found

    def _take(self, cls: type, objects: list[Any]) -> None:
        table = self._tables.get(cls)
        if table is None:
            entry = self._world.entry_of(cls)
            table = self._tables[cls] = Table(entry, rows=[] if entry.rows else None)
        table.objects += objects
        if table.rows is not None:
            self._take_rows(table, objects)
        else:
            self._take_data(table, objects)
        if behaviors := table.entry.behaviors:
            found = [record_all(each, behaviors) for each in objects]
            table.recordings = (table.recordings or []) + found
            for recording in found:
                self._meet(recording.reach())

    def _take_rows(self, table: Table, objects: list[Any]) -> None:
        functions = table.entry.rows
        assert functions is not None and table.rows is not None
        try:
            rows, found = self._rows_of(table, objects, functions)
        except Exception:  # not set, or not of its kind: the slower way tells which
            table.rows = None
            self._take_data(table, table.objects)
            return
        if len(table.objects) == len(objects):
            table.rows = rows
        else:
            table.rows += rows
        self._meet(found)

    def _rows_of(
        self, table: Table, objects: list[Any], functions: Rows
    ) -> tuple[list[Any], Collection[Any]]:
        """Return the rows of some objects, and all that may not be known of what they refer to."""
        rows = functions.capture(objects)
        return rows, functions.reach(rows) if functions.reach else ()

    def _take_data(self, table: Table, objects: list[Any]) -> None:
        if table.data is None:
            table.data = []
        with dead_are_none():
            table.data += [self._data_of(each, table.entry) for each in objects]

    def _data_of(self, component: SaveLoadable, entry: ClassEntry) -> dict[int, Any]:
        dangling = self._dangling
        try:
            data = component.save_data(self)
            if not isinstance(data, dict):
                raise SaveError(f"it returned {a(type(data).__qualname__)}, not a dict")
            # What generated code returns shares nothing; what others return may.
            if entry.rows is None:
                return _checked(data)
            return data if self._dangling == dangling else _without_dead(data, entry)
        except SaveError as error:
            name = type(component).__qualname__
            if f"`{name}." in str(error):
                raise
            raise SaveError(f"`{name}.save_data`: {error}") from error
        except Exception as error:
            name = f"{type(component).__qualname__}.save_data"
            raise SaveError(f"`{name}` raised {told(error)}") from error

    # -- what it leads to

    def _meet(self, found: Collection[Any]) -> None:
        if self._world.ids.issuperset(map(id, found)):
            return
        adopted = self._adopted
        fresh = self._unknown(found)
        if self._world.graveyard:
            self._sort_out(fresh)
        adopted |= fresh
        classes = dict.fromkeys(map(type, fresh.values()))
        for cls in classes:
            objects = [*fresh.values()]
            if len(classes) > 1:
                objects = [each for each in objects if type(each) is cls]
            self._waiting.setdefault(cls, []).extend(objects)

    def _unknown(self, found: Collection[Any]) -> dict[int, Any]:
        """Return those that were not met before, by `id`, in the order of `found`."""
        known, adopted = self._world.ids, self._adopted
        if len(found) < _FEW:
            tokens = {id(each): each for each in found if id(each) not in known}
            return {token: o for token, o in tokens.items() if token not in adopted}
        # Without a step of Python for each.
        fresh = dict(zip(map(id, found), found, strict=True))
        for met in (known, adopted.keys()):
            for token in fresh.keys() & met:
                del fresh[token]
        return fresh

    def _sort_out(self, fresh: dict[int, Any]) -> None:
        graveyard = self._world.graveyard
        for token in [token for token, each in fresh.items() if each in graveyard]:
            self._buried[token] = fresh.pop(token)

    def _bury(self) -> None:
        """Put `None` where something refers to a destroyed object."""
        if not self._buried:
            return
        nothing = dict.fromkeys(self._buried)
        for cls, table in self._tables.items():
            lost = sum(id(each) in nothing for each in table.reach())
            if lost:
                self._dangling += lost
                self._tables[cls] = table.relinked(nothing)
                self._lost(cls)

    def _lost(self, cls: type) -> None:
        """Some references in a table were to destroyed objects, and are `None` now."""

    def _look_outside(self) -> None:
        """Note the keys of what is referred to, and not part of the snapshot."""
        inside = {id(o) for table in self._tables.values() for o in table.objects}
        for table in self._tables.values():
            for each in table.reach():
                if each is not None and id(each) not in inside:
                    key = self._world.key_of(each)
                    if key is not None:
                        self._outside[id(each)] = (each, key)

    # -- keys, for classes that save themselves

    def key_of(self, component: Any, /) -> SaveLoadKey | None:
        if component is None:
            return None
        if component in self._world.graveyard:
            self._dangling += 1
            return None
        key = self._world.key_of(component)
        if key is None:
            self._meet([component])
            key = self._world.meet(component)
        return key

    def get_component(self, key: Any, /) -> Any:
        return None if key is None else self._world.component_at(key)


def _state(name: str, get: Callable[[], Any]) -> Any:
    try:
        return plain.copy(get())
    except Exception as error:
        raise SaveError(f"the state {name!r} cannot be saved: {told(error)}") from error


def _without_dead(data: dict[int, Any], entry: ClassEntry) -> dict[int, Any]:
    """Return data without the destroyed in containers that hold no `None`."""
    assert entry.rows is not None
    numbers = entry.mixin.save_load_field_names.values()
    checks = dict(zip(numbers, entry.rows.checks.values(), strict=True))
    return {
        number: (
            checks[number].relink(value, lambda key: key) if number in checks else value
        )
        for number, value in data.items()
    }


def _checked(data: dict[int, Any]) -> dict[int, Any]:
    """Return data of a class that saves itself as data of our own."""
    checked: dict[int, Any] = {}
    for number, value in data.items():
        try:
            checked[number] = (
                value if number == CommonFields.TYPE else plain.copy(value)
            )
        except SaveError as error:
            name = getattr(number, "name", number)
            raise SaveError(
                f"{name}: {error}; of another object, save `references.key_of(…)`"
            ) from None
    return checked

"""Who is in a world: objects by key, components by class, and what was destroyed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from itertools import repeat
from operator import attrgetter, is_, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.components import SaveLoadable
from savegen.runtime.errors import SaveError, a
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.met import Met
from savegen.runtime.objects import (
    GAME_OBJECT,
    OBJECT,
    GameObject,
    SlotMapReference,
    Watcher,
    whole,
)
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.slots import SlotMap

if TYPE_CHECKING:
    from savegen.runtime.snapshot import Table


class Owner(NamedTuple):
    """Whose a component is. It also keeps the component alive, and so its `id` its own."""

    component: Any
    key: SlotKey
    number: int  # within the object; OBJECT for the object itself


_NOBODY = Owner(None, SlotKey(0, 0), OBJECT)
_OBJECT_OF, _KEY_OF = attrgetter("object"), attrgetter("key")
_THING_OF = itemgetter(0)


class Aside(Protocol):
    """What a save had that the game does not know: kept, and written into the next save."""

    def reach(self) -> Iterable[Any]:
        """Return the objects of the game's that it refers to."""

    def relinked(self, stand_ins: Mapping[int, Any]) -> Aside:
        """Return the same with others, by `id`, in place of some objects."""


class World(Watcher):
    """The identity of everything that was added: nothing of it is kept on the objects."""

    def __init__(
        self,
        registry: Registry,
        activate: Callable[[Any], object] = id,
        deactivate: Callable[[Any], object] = id,
        assets: AssetRegistry | None = None,
    ) -> None:
        """The functions are called with components that come and go by themselves."""
        self.registry = registry
        self.assets = AssetRegistry() if assets is None else assets
        self.activate, self.deactivate = activate, deactivate
        self.slots: SlotMap[SlotMapReference] = SlotMap()
        # By `id`: a component's own `__hash__` and `__eq__` are the game's code.
        # A record says itself who owns an object that stands alone; see `owner_of`.
        self.owners: dict[int, Owner | SlotMapReference] = {}
        # The keys of `owners`, as a set, which answers for many at once. `None` is in it, so
        # that it never counts as something that nobody has met.
        self.ids: set[int] = {id(None)}
        self.departures = 0  # how often something has left
        self.version = 0  # raised whenever who is there changes, or in which order
        # Live components by class, then `id`; classes come in the order of their numbers,
        # whichever was met first.
        self.tables: dict[type, dict[int, Any]] = {}
        # Placements that were destroyed, with their level.
        self.tombstones: dict[str, str | None] = {}
        self.placements: dict[str, SlotKey] = {}  # of what levels placed, and lives
        # Of each placement all those that came with it, as the very tuple that its level has.
        # Replaced, never changed: who remembers it, has it as it was.
        self.placed_with: dict[str, tuple[str, ...]] = {}
        self.graveyard = Graveyard()
        self.met = Met()
        self.aside: Aside | None = None
        # The types of prefabs: none other can be built. The manager tells them.
        self.prefabs: Collection[Any] = ()
        self._entries: dict[type, ClassEntry] = {GameObject: GAME_OBJECT}

    def entry_of(self, cls: type) -> ClassEntry:
        """Return how objects of a class are saved. Raises `SaveError` if they are not."""
        entry = self._entries.get(cls)
        if entry is None:
            entry = self._entries[cls] = self._find_entry(cls)
        return entry

    def _find_entry(self, cls: type) -> ClassEntry:
        if issubclass(cls, GameObject):
            raise SaveError("a `GameObject` has no subclasses: give it components")
        if not issubclass(cls, SaveLoadable):
            raise SaveError(
                f"{a(cls.__qualname__)} cannot be saved: mark the class `@saveable`"
                " and run `savegen wire`, then `savegen components`"
            )
        save_type = getattr(cls, "save_type", None)
        entry = None if save_type is None else self.registry[save_type]
        if entry is None or entry.load_class() is not cls:
            raise SaveError(
                f"`{cls.__qualname__}` is not marked `@saveable`, though a base of it is:"
                " mark it too and run `savegen components`"
            )
        return entry

    # -- coming and going

    def add(self, record: SlotMapReference) -> SlotKey:
        """Take in the object of a record with all its components, under a new key."""
        thing = record.object
        for component in whole(thing):
            self._check_free(component)
        key = self.insert(record)
        self.enter(thing, key)
        if record.placement is not None:
            self.placements[record.placement] = key
            self.tombstones.pop(record.placement, None)
        return key

    def add_all(self, records: Iterable[SlotMapReference]) -> list[SlotMapReference]:
        """Take in the objects of many records, each another; return the records with keys."""
        for record in (records := [*records]):
            for component in whole(record.object):
                self._check_free(component)
        keyed = self.slots.insert_keyed(records, SlotMapReference.with_key)
        if keyed:
            self.enter_all(keyed)
        for record in keyed:
            if record.placement is not None:
                self.placements[record.placement] = record.key
                self.tombstones.pop(record.placement, None)
        return keyed

    def insert(self, record: SlotMapReference) -> SlotKey:
        """Give a record a new key; its object is not entered yet."""
        [keyed] = self.slots.insert_keyed([record], SlotMapReference.with_key)
        return keyed.key

    def _check_free(self, component: Any) -> None:
        self.entry_of(type(component))
        watcher = component.watcher if isinstance(component, GameObject) else None
        if id(component) in self.owners or watcher not in (None, self):
            raise SaveError(f"this {type(component).__qualname__} was added already")

    def put_back(self, record: SlotMapReference) -> SlotKey:
        """Give a record its key back, or else a new one; its object is not entered yet."""
        if self.slots.put_back(record.key, record):
            return record.key
        return self.insert(record)

    def replace(self, record: SlotMapReference) -> None:
        """Know something else of an object than before."""
        self.version += 1
        self.slots[record.key] = record

    def enter(self, thing: Any, key: SlotKey) -> None:
        """Note an object and its components as those of a key."""
        self.revive(thing)
        if isinstance(thing, GameObject):
            thing.watcher = self
            self._note(Owner(thing, key, OBJECT))
            for number, component in thing.numbered:
                self._note(Owner(component, key, number))
        else:
            self._note(Owner(thing, key, 0))

    def enter_all(self, records: list[SlotMapReference]) -> None:
        """Note the objects of many records, each as that of its key."""
        things: list[Any] = [*map(_OBJECT_OF, records)]
        owners: Iterable[Owner | SlotMapReference] = records
        if GameObject in {*map(type, things)}:
            keyed = zip(things, map(_KEY_OF, records), strict=True)
            parts = self._taken_apart(keyed)
            things = [*map(_THING_OF, parts)]
            # Without a step of Python for each: `Owner(…)` would be one.
            owners = map(tuple.__new__, repeat(Owner), parts)
        if self.graveyard:
            for each in things:
                self.graveyard.forget(id(each))
        self._note_all(things, owners)

    def _taken_apart(
        self, keyed: Iterable[tuple[Any, SlotKey]]
    ) -> list[tuple[Any, SlotKey, int]]:
        """Return objects and their components, each as an `Owner` says it."""
        found: list[tuple[Any, SlotKey, int]] = []
        for thing, key in keyed:
            if isinstance(thing, GameObject):
                thing.watcher = self
                found.append((thing, key, OBJECT))
                found += [(part, key, number) for number, part in thing.numbered]
            else:
                found.append((thing, key, 0))
        return found

    def _note_all(
        self, things: list[Any], owners: Iterable[Owner | SlotMapReference]
    ) -> None:
        self.version += 1
        tokens = [*map(id, things)]
        self.owners.update(zip(tokens, owners, strict=True))
        self.ids.update(tokens)
        classes = {*map(type, things)}
        tables = {cls: self._table(cls) for cls in classes}
        if len(classes) == 1:
            tables[classes.pop()].update(zip(tokens, things))
            return
        for token, thing in zip(tokens, things, strict=True):
            tables[type(thing)][token] = thing

    def leave(self, thing: Any) -> None:
        """Forget an object and its components."""
        if isinstance(thing, GameObject):
            thing.watcher = None
        for component in whole(thing):
            self._forget(component)

    def remove(self, key: SlotKey) -> SlotMapReference:
        """Take an object out; its key is stale from now on."""
        record = self.slots.remove(key)
        self.leave(record.object)
        if record.placement is not None:
            self.placements.pop(record.placement, None)
        return record

    def bury(self, record: SlotMapReference) -> None:
        """Remember that an object was destroyed, so that no reference brings it back."""
        for component in whole(record.object):
            self.graveyard.add(component)
        if record.placement is not None:
            self.tombstones[record.placement] = record.level

    def watch(self) -> None:
        """Be told again of the components of every object."""
        for thing in self.tables.get(GameObject, {}).values():
            thing.watcher = self

    def put_in_order(
        self, tables: Mapping[type, Table], stand_ins: dict[int, Any]
    ) -> None:
        """Let the components of each class come in the order that a snapshot has them."""
        for cls, table in tables.items():
            live = self.tables.get(cls)
            if not live:
                continue
            objects = table.objects
            if stand_ins:
                objects = [stand_ins.get(id(each), each) for each in objects]
            if not all(map(is_, live.values(), objects)):
                self.version += 1
                saved = {id(each): each for each in objects if id(each) in live}
                self.tables[cls] = saved | live

    def revive(self, thing: Any) -> None:
        """Forget that an object was destroyed: it begins another life."""
        if self.graveyard:
            for component in whole(thing):
                self.graveyard.forget(id(component))

    def mend_families(self, gone: Container[int]) -> None:
        """Let children be those that have the parent, and orphans have none.

        `gone` are objects, by `id`, that have just left.
        """
        families = self.tables.get(GameObject, {}).values()
        for thing in families:
            thing.mend(gone)
        known: dict[int, set[int]] = {}  # children of each parent, by `id`
        for thing in families:
            parent = thing.parent
            if parent is None:
                continue
            if id(parent) not in known:
                known[id(parent)] = {*map(id, parent.children)}
            if id(thing) not in known[id(parent)]:
                parent.adopt(thing)

    def index_placements(self) -> None:
        """Find out again what is placed where."""
        placed = (r for r in self.slots if r.placement is not None)
        self.placements = {str(record.placement): record.key for record in placed}

    def release(self, thing: Any) -> None:
        """Take the key back that an object got when it was only referred to."""
        self.met.forget(id(thing))

    def component_added(self, owner: GameObject, component: Any, number: int) -> None:
        self._check_free(component)
        self.graveyard.forget(id(component))
        self._note(Owner(component, self.owners[id(owner)].key, number))

    def component_joined(self, component: Any) -> None:
        self.activate(component)

    def component_removed(self, owner: GameObject, component: Any) -> None:
        self.deactivate(component)
        self._forget(component)
        self.graveyard.add(component)

    def _note(self, owner: Owner) -> None:
        component = owner.component
        self.version += 1
        self.owners[id(component)] = owner
        self.ids.add(id(component))
        self._table(type(component))[id(component)] = component

    def _table(self, cls: type) -> dict[int, Any]:
        table = self.tables.get(cls)
        if table is None:
            table = self.tables[cls] = {}
            self.tables = dict(sorted(self.tables.items(), key=self._number))
        return table

    def _number(self, item: tuple[type, object]) -> int:
        return int(self.entry_of(item[0]).save_type)

    def _forget(self, component: Any) -> None:
        self.departures += 1
        self.version += 1
        del self.owners[id(component)]
        self.ids.discard(id(component))
        del self.tables[type(component)][id(component)]

    # -- asking

    def owner_of(self, component: Any) -> Owner | None:
        found = self.owners.get(id(component))
        if isinstance(found, SlotMapReference):
            return Owner(found.object, found.key, 0)
        return found

    def record_of(self, component: Any) -> SlotMapReference | None:
        """Return the record of the object that a component, or object, is part of."""
        owner = self.owner_of(component)
        return None if owner is None else self.slots[owner.key]

    def key_of(self, component: Any) -> SaveLoadKey | None:
        owner = self.owner_of(component)
        return None if owner is None else SaveLoadKey(owner.key, owner.number)

    def component_at(self, key: SaveLoadKey) -> Any:
        """Return the component that a key names; `None` if it is gone."""
        record = self.slots.get(key.object)
        if record is None:
            return self.met.at(key.object)
        thing = record.object
        if isinstance(thing, GameObject) and key.component != OBJECT:
            return dict(thing.numbered).get(key.component)
        return thing

    def find(self, cls: type) -> Iterator[Any]:
        """Yield the live components of a class and of its subclasses."""
        for known, table in list(self.tables.items()):
            if issubclass(known, cls):
                yield from list(table.values())

    def meet(self, component: Any) -> SaveLoadKey:
        """Give a key to an object that was only met as a reference."""
        self.entry_of(type(component))
        return SaveLoadKey(self.met.add(component), 0)


class Graveyard:
    """Remembers what was destroyed for as long as anything still refers to it."""

    def __init__(self) -> None:
        self._weak: WeakValueDictionary[int, Any] = WeakValueDictionary()  # by `id`
        self._strong: dict[int, Any] = {}  # what cannot be referred to weakly

    def add(self, component: Any) -> None:
        try:
            self._weak[id(component)] = component
        except TypeError:
            self._strong[id(component)] = component

    def forget(self, token: int) -> None:
        self._weak.pop(token, None)
        self._strong.pop(token, None)

    def copied(self) -> Graveyard:
        copied = Graveyard()
        copied._weak.update(self._weak)
        copied._strong.update(self._strong)
        return copied

    def forget_all(self, tokens: Container[int]) -> None:
        for token in [*self._weak, *self._strong]:
            if token in tokens:
                self.forget(token)

    def __contains__(self, component: object) -> bool:
        return id(component) in self._weak or id(component) in self._strong

    def __bool__(self) -> bool:
        return bool(self._weak or self._strong)

    def prune(self) -> None:
        """Let go of what nobody else refers to."""
        for token in list(self._strong):
            # One from the dict, one for the call.
            if sys.getrefcount(self._strong[token]) <= 2:
                del self._strong[token]

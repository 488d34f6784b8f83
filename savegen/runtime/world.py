"""Who is in a world: everything that has a key, and what was destroyed."""

from __future__ import annotations

import sys
from copy import copy
from collections.abc import (
    Callable,
    Collection,
    Iterator,
    Mapping,
    Set,
)
from typing import Any
from weakref import ref

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.components import SaveLoadable
from savegen.runtime.errors import SaveError, a
from savegen.runtime.keys import (
    SlotKey,
    generation_of,
    in_key_order,
    index_of,
    key_at,
    slots_of,
)
from savegen.runtime.objects import (
    GAME_OBJECT,
    GameObject,
    SlotMapReference,
    Watcher,
    whole,
)
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.rows import Key
from savegen.runtime.slots import Slots, SlotState
from savegen.runtime.snapshot import Placement

NO_PLACEMENT = Placement()
# What a load may change, and a load that fails puts back: tables that a load of everything
# replaces, memories that change in place, and values that are only ever replaced.
_TABLES = (
    "keys tables by_slot reached owners placements built_from placed tombstones".split()
)
_MEMORIES = "graveyard former generators".split()
_VALUES = "next_reached placed_with preserved unknown_states".split()


class World(Watcher):
    """The identity of everything in a world. Nothing of it is kept on the game's objects."""

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
        self.slots = Slots()
        # By `id`, because a component's own `__hash__` and `__eq__` are the game's code. What is
        # in here is kept alive by `tables`, so its `id` stays its own. `None` has the key 0.
        self.keys: dict[int, Key] = {id(None): 0}
        # Everything that has a key, by class; classes in the order of their numbers.
        self.tables: dict[type, dict[Key, Any]] = {}
        self.by_slot: list[Any] = []  # what was added; `None` in an empty slot
        self.reached: dict[Key, Any] = {}  # what was only reached
        self.next_reached = 1
        # Only grows: no key from an abandoned future comes to life again.
        self._last_reached = 0
        # By the key of a component of a `GameObject`: the key of the object, and its number.
        self.owners: dict[Key, tuple[Key, int]] = {}
        self.placements: dict[Key, Placement] = {}  # of what a prefab or a level made
        self.built_from: dict[Key, Any] = {}  # whose pool an object goes back to
        self.placed: dict[str, Key] = {}  # by placement id, what is alive
        # Of each placement id all ids that were placed with it, as the very tuple that its
        # level has. Replaced, never changed.
        self.placed_with: dict[str, tuple[str, ...]] = {}
        self.tombstones: dict[str, str | None] = {}  # destroyed ids, with their level
        self.graveyard = Remembered()  # what was destroyed, by `id`
        # What a key named before its object was forgotten, or got another key.
        self.former = Remembered()
        self.generators = Generators()
        self.preserved: Any = None  # what a save had that the game does not know
        self.unknown_states: dict[str, Any] = {}  # that it had, tagged, by name
        self.prefabs: Collection[Any] = ()  # types that can be built
        self._entries: dict[type, ClassEntry] = {GameObject: GAME_OBJECT}

    # -- classes

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

    def number_at(self, key: Key) -> int | None:
        """Return the class number of what a key names; `None` if the key is stale."""
        thing = self.at(key)
        return None if thing is None else self.entry_of(type(thing)).number

    # -- coming

    def add(self, thing: Any, placement: Placement = NO_PLACEMENT) -> Key:
        """Take in an object with all its components, under new keys."""
        for component in whole(thing):
            self.check_free(component)
        [key] = self.add_all([thing])
        self.note_placement(key, placement)
        return key

    def add_all(self, things: list[Any]) -> list[Key]:
        """Take in many objects, each different and free, with their components; return keys."""
        keys = self._taken_in([each for thing in things for each in whole(thing)])
        found = []
        taken = iter(keys)
        for thing in things:
            key = next(taken)
            found.append(key)
            if isinstance(thing, GameObject):
                thing.watcher = self
                for number, _ in thing.numbered:
                    self.owners[next(taken)] = (key, number)
        return found

    def _taken_in(self, parts: list[Any]) -> list[Key]:
        """Give new keys to objects and components that were not added; return the keys."""
        for each in parts:
            self.graveyard.forget(id(each))
            if self.keys.get(id(each), 0) < 0:
                self.forget(each)
        keys = [key_at(*slot) for slot in self.slots.take_many(len(parts))]
        self.enter(keys, parts)
        return keys

    def check_free(self, component: Any) -> None:
        """Raise `SaveError` if a component cannot be saved, or is in a world already."""
        self.entry_of(type(component))
        watcher = component.watcher if isinstance(component, GameObject) else None
        if self.keys.get(id(component), -1) > 0 or watcher not in (None, self):
            raise SaveError(f"this {type(component).__qualname__} was added already")

    def enter(self, keys: list[Key], things: list[Any]) -> None:
        """Note objects and components under keys whose slots are filled."""
        self.keys.update(zip(map(id, things), keys))
        for cls in {*map(type, things)}:
            self.table(cls)
        slots = slots_of(keys)
        self.by_slot += [None] * (max(slots, default=-1) + 1 - len(self.by_slot))
        for key, thing, slot in zip(keys, things, slots):
            self.tables[type(thing)][key] = self.by_slot[slot] = thing

    def table(self, cls: type) -> dict[Key, Any]:
        """Return the objects of a class by key."""
        table = self.tables.get(cls)
        if table is None:
            table = self.tables[cls] = {}
            in_order = sorted(self.tables, key=lambda cls: self.entry_of(cls).number)
            self.tables = {cls: self.tables[cls] for cls in in_order}
        return table

    def reach(self, thing: Any) -> Key:
        """Return the key of something that is referred to; it gets one if it has none.

        Raises `SaveError` if it cannot be saved.
        """
        key = self.keys.get(id(thing))
        if key is None:
            self.entry_of(type(thing))
            self._last_reached = max(self._last_reached + 1, self.next_reached)
            self.next_reached = self._last_reached + 1
            key = -self._last_reached
            self.enter_reached(key, thing)
        return key

    def enter_reached(self, key: Key, thing: Any) -> None:
        """Note something that was only reached, under a negative key."""
        self.keys[id(thing)] = key
        self.reached[key] = self.table(type(thing))[key] = thing

    def note_placement(self, key: Key, placement: Placement) -> None:
        """Note what made an object."""
        if placement != NO_PLACEMENT:
            self.placements[key] = placement
        if placement.placement is not None:
            self.placed[placement.placement] = key
            self.tombstones.pop(placement.placement, None)

    # -- going

    def remove(self, key: Key) -> Any:
        """Take an object out with its components; their keys are stale from now on."""
        thing = self.at(key)
        placement = self.placements.pop(key, NO_PLACEMENT)
        self.built_from.pop(key, None)
        if placement.placement is not None:
            self.placed.pop(placement.placement, None)
        if isinstance(thing, GameObject):
            thing.watcher = None
        for each in whole(thing):
            # What was only reached may have got new components.
            if id(each) in self.keys:
                self.forget(each)
        return thing

    def bury(self, thing: Any, placement: Placement) -> None:
        """Remember that an object was destroyed, and where it was placed."""
        for each in whole(thing):
            self.graveyard.add(id(each), each)
        if placement.placement is not None and placement.placement not in self.placed:
            self.tombstones[placement.placement] = placement.level

    def forget(self, thing: Any) -> None:
        """Take one object or component out; its key is stale from now on."""
        key = self.keys.pop(id(thing))
        del self.tables[type(thing)][key]
        if key < 0:
            del self.reached[key]
            self.former.add(key, thing)
            return
        self.owners.pop(key, None)
        self.by_slot[index_of(key)] = None
        self.slots.release(index_of(key))

    def keep_reached(self, keys: Collection[Key]) -> None:
        """Forget everything that was only reached, except what these keys name."""
        if len(keys) == len(self.reached):
            return
        for key in [key for key in self.reached if key not in keys]:
            self.forget(self.reached[key])

    # -- components that come and go by themselves

    def component_added(self, owner: GameObject, component: Any, number: int) -> None:
        self.check_free(component)
        [key] = self._taken_in([component])
        self.owners[key] = (self.keys[id(owner)], number)

    def component_joined(self, component: Any) -> None:
        self.activate(component)

    def component_removed(self, owner: GameObject, component: Any) -> None:
        self.deactivate(component)
        self.forget(component)
        self.graveyard.add(id(component), component)

    # -- as a whole

    def state(self, shares: bool = False) -> dict[str, Any]:
        """Return who is in the world, for `reset`.

        If it `shares` dicts with the world, they must be replaced, never changed.
        """
        kept = {name: getattr(self, name) for name in (*_TABLES, *_MEMORIES, *_VALUES)}
        kept |= {name: copy(kept[name]) for name in _MEMORIES}
        if not shares:
            kept |= {name: copy(kept[name]) for name in _TABLES}
            kept["tables"] = {cls: {**table} for cls, table in self.tables.items()}
        return kept | {"slots": self.slots.state()}

    def reset(self, state: dict[str, Any]) -> None:
        """Return to a former state. Keys given since then stay stale."""
        for thing in self.tables.get(GameObject, {}).values():
            thing.watcher = None
        self.slots.restore(state["slots"])
        vars(self).update(state | {"slots": self.slots})
        self.watch()

    def become(
        self,
        tables: dict[type, dict[Key, Any]],
        things: Mapping[Key, Any],
        owners: Mapping[Key, tuple[Key, int]],
        slots: SlotState,
    ) -> None:
        """Hold exactly what is in tables, which are in the order of class numbers.

        They are the world's from now on. `things` has all of it.
        """
        before, self.keys = self.keys, {}
        self.tables, self.reached, self.owners = tables, {}, {**owners}
        self.placements, self.placed, self.built_from = {}, {}, {}
        self.slots.restore(slots)
        self.by_slot = [*map(things.get, slots.keys())]
        for table in tables.values():
            self.keys.update(zip(map(id, table.values()), table))
            if next(reversed(table), 0) < 0:  # they stand behind all others
                self.reached.update(item for item in table.items() if item[0] < 0)
        if not before.keys().isdisjoint(self.keys.keys()):
            self._note_former(before)
        self.keys[id(None)] = 0
        self.next_reached = max(self.next_reached, 1 - min(self.reached, default=0))

    def _note_former(self, before: dict[int, Key]) -> None:
        """Note what has got another key."""
        for token in before.keys() & self.keys.keys():
            if before[token] != self.keys[token]:
                self.former.add(before[token], self.at(self.keys[token]))

    def watch(self) -> None:
        """Have game objects tell this world of components that come and go."""
        for key, thing in self.tables.get(GameObject, {}).items():
            thing.watcher = self if key > 0 else None

    # -- asking

    def at(self, key: Key) -> Any:
        """Return what a key names; `None` if the key is stale."""
        if key < 0:
            return self.reached.get(key)
        slot = index_of(key)
        found = self.by_slot[slot] if slot < len(self.by_slot) else None
        return found if self.keys.get(id(found)) == key else None

    def object_key(self, thing: Any) -> Key | None:
        """Return the key of the object that something is part of; `None` if it has none."""
        key = self.keys.get(id(thing))
        return None if not key else self.owners.get(key, (key, 0))[0]

    def record_at(self, key: Key) -> SlotMapReference:
        """Return what is known of the object of a key, which must not be stale."""
        known = self.placements.get(key, NO_PLACEMENT)
        return SlotMapReference(
            key,
            self.at(key),
            known.prefab,
            known.placement,
            known.level,
            registered=key > 0,
            built_from=self.built_from.get(key),
        )

    def objects(self) -> dict[Key, Any]:
        """Return the objects that were added, by key, without their components."""
        found: dict[Key, Any] = {}
        for table in self.tables.values():
            found |= table
        for key in (*self.reached, *self.owners):
            found.pop(key, None)
        return found

    def object_keys(self) -> list[Key]:
        """Return the keys of the objects that were added, in order."""
        return sorted(self.objects())

    def find(self, cls: type) -> Iterator[Any]:
        """Yield the live components of a class and of its subclasses, in order of keys."""
        for known, table in list(self.tables.items()):
            if issubclass(known, cls):
                yield from in_order(table).values()

    def mend_families(self) -> None:
        """Let parents and children agree after some of them came or went."""
        found = [*self.tables.get(GameObject, {}).values()]
        children = {id(each): {id(c): c for c in each._children} for each in found}
        for thing in found:
            if id(thing._parent) in children:
                children[id(thing._parent)][id(thing)] = thing
            else:
                thing._parent = None
        for thing in found:
            own = children[id(thing)].values()
            thing._children = tuple(child for child in own if child._parent is thing)


def in_order(table: dict[Key, Any]) -> dict[Key, Any]:
    """Return a table in the order of keys: what was added, then what was only reached.

    >>> in_order({2: "b", -1: "d", 1: "a", -2: "e"})
    {1: 'a', 2: 'b', -1: 'd', -2: 'e'}
    """
    keys = [*table]
    ordered = in_key_order(keys)
    return table if keys == ordered else {key: table[key] for key in ordered}


def slot_of(key: Key) -> SlotKey:
    """Return the slot of a key above 0."""
    return SlotKey(index_of(key), generation_of(key))


class Remembered:
    """Remembers objects, each under a number, for as long as anything else refers to them."""

    def __init__(self) -> None:
        self._weak: dict[int, ref[Any]] = {}
        self._strong: dict[int, Any] = {}  # what cannot be referred to weakly

    def add(self, token: int, thing: Any) -> None:
        """Remember an object under a number."""
        if type(thing).__weakrefoffset__:
            self._weak[token] = ref(thing)
        else:
            self._strong[token] = thing

    def add_all(self, things: Collection[Any]) -> None:
        """Remember objects under their `id`."""
        weak = [thing for thing in things if type(thing).__weakrefoffset__]
        self._weak.update(zip(map(id, weak), map(ref, weak)))
        if len(weak) < len(things):
            strong = [thing for thing in things if not type(thing).__weakrefoffset__]
            self._strong.update(zip(map(id, strong), strong))

    def get(self, token: int) -> Any:
        """Return the object under a number; `None` if there is none any more."""
        found = self._weak.get(token)
        return self._strong.get(token) if found is None else found()

    def forget(self, token: int) -> None:
        """Forget what is under a number."""
        self._weak.pop(token, None)
        self._strong.pop(token, None)

    def forget_all(self, tokens: Set[int]) -> None:
        """Forget what is under some numbers."""
        for known in (self._weak, self._strong):
            if known:
                for token in known.keys() & tokens:
                    del known[token]

    def __copy__(self) -> Remembered:
        """Return a copy that changes on its own."""
        copied = Remembered()
        copied._weak, copied._strong = {**self._weak}, {**self._strong}
        return copied

    def __contains__(self, component: object) -> bool:
        """Return whether an object is remembered under its `id`."""
        return component is not None and self.get(id(component)) is component

    def __bool__(self) -> bool:
        return bool(self._weak or self._strong)

    def prune(self) -> None:
        """Let go of what nobody else refers to."""
        for token in list(self._strong):
            # One reference from the dict, one from the call.
            if sys.getrefcount(self._strong[token]) <= 2:
                del self._strong[token]
        for token in [token for token, found in self._weak.items() if found() is None]:
            del self._weak[token]


class Generators:
    """The random generators of a world, each with a key: a shared one stays shared.

    >>> import random
    >>> generators, dice = Generators(), random.Random(1)
    >>> generators.key_of(dice), generators.at(1) is dice
    (1, True)
    """

    def __init__(self) -> None:
        self._keys: dict[int, int] = {}  # by `id`
        self._found: dict[int, Any] = {}  # by key; keeps the `id` its own
        self._next = 1

    def key_of(self, generator: Any) -> int:
        """Return the key of a generator; it gets one if it has none."""
        key = self._keys.get(id(generator))
        if key is None:
            key = self._next
            self.enter(key, generator)
        return key

    def enter(self, key: int, generator: Any) -> None:
        """Note a generator under a key."""
        self._keys[id(generator)], self._found[key] = key, generator
        self._next = max(self._next, key + 1)

    def at(self, key: int) -> Any:
        """Return the generator of a key; `None` if there is none."""
        return self._found.get(key)

    def found(self) -> list[Any]:
        """Return the generators."""
        return [*self._found.values()]

    def keep(self, keys: Collection[int]) -> None:
        """Forget all generators except these."""
        for key in [key for key in self._found if key not in keys]:
            del self._keys[id(self._found.pop(key))]

    def __copy__(self) -> Generators:
        """Return a copy that changes on its own."""
        copied = Generators()
        copied._keys, copied._found = {**self._keys}, {**self._found}
        copied._next = self._next
        return copied

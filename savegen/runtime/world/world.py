"""`World`: the objects of one manager and their keys. Here objects are added, removed and found."""

from __future__ import annotations

import os
import sys
from collections import Counter
from copy import copy
from itertools import chain
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Set,
)
from typing import Any
from weakref import ref

from savegen.runtime.world.assets import AssetRegistry
from savegen.runtime.errors import SaveError
from savegen.runtime.values.basics.keys import (
    SlotKey,
    in_key_order,
    index_of,
    key_at,
    slots_of,
)
from savegen.runtime.world.objects import (
    GameObject,
    SlotMapReference,
    with_components,
)
from savegen.runtime.generated.registry import Registry
from savegen.runtime.values.rows import Key
from savegen.runtime.world.slots import SlotMap, SlotState
from savegen.runtime.world.placements import NO_PLACEMENT, Placement

# The attributes that a failed load restores. A full load replaces the dicts and lists in
# _TABLES, changes the objects in _COLLECTIONS, and assigns new values to _VALUES.
_TABLES = "keys tables reached owners placements built_from placed tombstones".split()
_COLLECTIONS = "destroyed by_former_key generators".split()
_VALUES = "lineage remade next_reached placed_with levels preserved unknown_states restarts".split()


class World:
    """The objects and components of a world by key. It stores nothing on the objects."""

    def __init__(
        self,
        registry: Registry,
        activate: Callable[[Any], object] = id,
        deactivate: Callable[[Any], object] = id,
        assets: AssetRegistry | None = None,
    ) -> None:
        """Create an empty world.

        `activate` and `deactivate` are called later, with each component that a game object adds
        or removes.
        """
        self.registry = registry
        # Worlds with the same lineage have the same keys. It begins with the first partial
        # snapshot, so that the files of other worlds are equal if their content is. It is `None`
        # until then in a world that began with a file.
        self.lineage: str | None = ""
        registry.stand_ins  # raises an error if one cannot be used
        # By number: the members that stand for prefabs in records.
        self.prefab_types: dict[Any, Any] = {**registry.prefab_types}
        self.assets = AssetRegistry() if assets is None else assets
        self.activate, self.deactivate = activate, deactivate
        # The added objects and components; `None` in the slots of preserved data.
        self.slots = SlotMap[Any]()
        # By `id`, because `__hash__` and `__eq__` may be code of the game. `tables` keeps the
        # objects alive, so no other object gets the same `id`. The key of `None` is 0.
        self.keys: dict[int, Key] = {id(None): 0}
        # All objects and components by class, with classes in the order of their numbers.
        self.tables: dict[type, dict[Key, Any]] = {}
        self.reached: dict[Key, Any] = {}  # reached objects, under negative keys
        # The next reached object gets the negative of it as its key.
        self.next_reached = 1
        # The highest such number given so far. It only grows, even if a load lowers
        # `next_reached`, so that no key is used again.
        self._highest_reached = 0
        # By the key of a component: the key of its `GameObject`, and its number in there.
        self.owners: dict[Key, tuple[Key, int]] = {}
        # Of the objects that a prefab or a level created.
        self.placements: dict[Key, Placement] = {}
        # The prefab that built an object; the object returns to its pool.
        self.built_from: dict[Key, Any] = {}
        self.placed: dict[str, Key] = {}  # placement id → key of the placed object
        # By placement id: the tuple of ids that the call of `_place_all` returned which
        # placed the object. This dict is replaced, never changed.
        self.placed_with: dict[str, tuple[str, ...]] = {}
        # The levels that are loaded: they have placed all that they place.
        self.levels: frozenset[str | None] = frozenset()
        self.tombstones: dict[str, str | None] = {}  # destroyed placement id → level
        # How often levels were unloaded. A snapshot taken since then knows all that they place.
        self.restarts = 0
        # The key of a destroyed object → the key that it has since a partial snapshot made it
        # again. This dict is replaced, never changed.
        self.remade: dict[Key, Key] = {}
        self.destroyed = WeakObjects()  # destroyed objects, by `id`
        # Reached objects that were removed, and objects that have another key now, by the key
        # that they had.
        self.by_former_key = WeakObjects()
        self.generators = Generators()
        # Data in the loaded save that the game does not know, and its unknown states by name.
        self.preserved: Any = None
        # Changes whenever an object may have lost its key.
        self.epoch = 0
        self.unknown_states: dict[str, Any] = {}
        # Whether a rewind leaves the objects of some classes alone. Only then, for destroyed
        # objects, by `id`: the keys that they had; and the placement ids of those objects.
        self.has_unrewound = any(not entry.rewinds for entry in registry)
        self.last_keys: dict[int, Key] = {}
        self.unrewound_ids: set[str] = set()

    def number_at(self, key: Key) -> int | None:
        """Return the class number of the object with a key; `None` if the key is stale."""
        obj = self.at(key)
        return None if obj is None else self.registry.entry_of(type(obj)).number

    def begin_lineage(self) -> None:
        """Give the world a lineage, if it has none yet."""
        self.lineage = self.lineage or os.urandom(8).hex()

    def has_keys_of(self, lineage: str) -> bool:
        """Return whether the keys of a partial snapshot with a lineage are keys of this world.

        A world that began with a file from before the first partial snapshot counts as one.
        """
        return self.lineage in (None, lineage)

    # -- adding

    def add(self, obj: Any, placement: Placement = NO_PLACEMENT) -> Key:
        """Add an object and its components under new keys; return the key of the object."""
        self.check_all_free(obj)
        [key] = self.add_all([obj])
        self.store_placement(key, placement)
        if placement.placement is not None:
            self.levels |= {placement.level}
        return key

    def add_all(self, objects: list[Any]) -> list[Key]:
        """Add objects and their components; return the keys of the objects.

        The objects must be different and must have passed `check_free`.
        """
        keys = iter(
            self._give_keys([part for obj in objects for part in with_components(obj)])
        )
        object_keys = []
        for obj in objects:
            key = next(keys)
            object_keys.append(key)
            if isinstance(obj, GameObject):
                obj.watcher = self
                for number, _ in obj.numbered:
                    self.owners[next(keys)] = (key, number)
        return object_keys

    def _give_keys(self, parts: list[Any]) -> list[Key]:
        """Give new keys to objects and components that were not added; return the keys."""
        for part in parts:
            self.destroyed.discard(id(part))
            if self.keys.get(id(part), 0) < 0:
                self.remove_single(part)
        if self.has_unrewound and any(map(self.is_unrewound, parts)):
            slots = [*map(self._insert, parts)]
        else:
            slots = self.slots.insert_all(parts)
        keys = [key_at(*slot) for slot in slots]
        self._store(keys, parts)
        return keys

    def _insert(self, part: Any) -> SlotKey:
        # No step of a history has another object in the slot of one that it leaves alone.
        slots = self.slots
        return (
            slots.insert_fresh(part) if self.is_unrewound(part) else slots.insert(part)
        )

    def is_unrewound(self, obj: Any) -> bool:
        """Return whether a rewind leaves an object as it is."""
        return not self.registry.entry_of(type(obj)).rewinds

    def unrewound_tables(self) -> dict[type, dict[Key, Any]]:
        """Return the tables of the classes whose objects a rewind leaves as they are."""
        return {
            cls: table
            for cls, table in (self.tables.items() if self.has_unrewound else ())
            if table and not self.registry.entry_of(cls).rewinds
        }

    def last_key_of(self, obj: Any) -> Key:
        """Return the key of an object, or the one that it had until it was destroyed; else 0."""
        key = self.keys.get(id(obj))
        if key is None and obj in self.destroyed:
            key = self.last_keys.get(id(obj))
        return key or 0

    def check_all_free(self, obj: Any) -> None:
        """Call `check_free` for an object and its components."""
        for component in with_components(obj):
            self.check_free(component, is_component=component is not obj)

    def check_free(self, component: Any, is_component: bool = False) -> None:
        """Raise `SaveError` if a component cannot be saved, or is in a world already."""
        if not self.registry.entry_of(type(component)).rewinds and is_component:
            raise SaveError(
                f"`{type(component).__qualname__}` is marked `rewind=False`, so it cannot be a"
                " component: add it with `manager.add`, or remove `rewind=False`"
            )
        watcher = component.watcher if isinstance(component, GameObject) else None
        if self.keys.get(id(component), -1) > 0 or watcher not in (None, self):
            raise SaveError(
                f"this {type(component).__qualname__} is in a world already; an object can be"
                " added once"
            )

    def store(self, objects: list[Any]) -> list[Key]:
        """Store objects and components, whose owners are stored elsewhere, under new keys."""
        keys = [key_at(*slot) for slot in self.slots.insert_all(objects)]
        self._store(keys, objects)
        return keys

    def _store(self, keys: list[Key], objects: list[Any]) -> None:
        self.keys.update(zip(map(id, objects), keys))
        tables = {
            cls: self.table(self.registry.table_class(cls))
            for cls in {*map(type, objects)}
        }
        for key, obj in zip(keys, objects):
            tables[type(obj)][key] = obj

    def table(self, cls: type) -> dict[Key, Any]:
        """Return the objects of a class by key; add an empty table if the class has none."""
        table = self.tables.get(cls)
        if table is None:
            table = self.tables[cls] = {}
            classes = sorted(
                self.tables, key=lambda cls: self.registry.entry_of(cls).number
            )
            self.tables = {cls: self.tables[cls] for cls in classes}
        return table

    def key_of(self, obj: Any) -> Key:
        """Return the key of an object. If it has none, it gets the key of a reached object.

        Raises `SaveError` if the object cannot be saved.
        """
        key = self.keys.get(id(obj))
        if key is None:
            self.registry.entry_of(type(obj))
            self._highest_reached = max(self._highest_reached + 1, self.next_reached)
            key = -self._highest_reached
            self.store_reached(key, obj)
        return key

    def give_keys(self, sprites: Iterable[Any]) -> None:
        """Give keys to sprites of a group that have none; a destroyed one lives again.

        Raises `SaveError` if the class of one was not built.
        """
        for sprite in sprites:
            if id(sprite) not in self.keys:
                self.destroyed.discard(id(sprite))
                self.key_of(sprite)

    def store_reached(self, key: Key, obj: Any) -> None:
        """Store a reached object under a negative key."""
        self.keys[id(obj)] = key
        self.next_reached = max(self.next_reached, 1 - key)
        self.reached[key] = self.table(self.registry.table_class(type(obj)))[key] = obj

    def store_placement(self, key: Key, placement: Placement) -> None:
        """Store the prefab and the placement id of an object."""
        if placement != NO_PLACEMENT:
            self.placements[key] = placement
        if placement.placement is not None:
            self.placed[placement.placement] = key
            self.tombstones.pop(placement.placement, None)

    # -- removing

    def remove(self, key: Key) -> Any:
        """Remove an object and its components, and return it; their keys become stale."""
        obj = self.at(key)
        placement = self.placements.pop(key, NO_PLACEMENT)
        self.built_from.pop(key, None)
        if placement.placement is not None:
            self.placed.pop(placement.placement, None)
        if isinstance(obj, GameObject):
            obj.watcher = None
        for part in with_components(obj):
            # A reached object may have components that were added later and have no key.
            if id(part) in self.keys:
                self.remove_single(part)
        return obj

    def remember_remade(self, new_keys: Mapping[Key, Key]) -> None:
        """Remember the new keys of objects that were made again, by the keys that they had."""
        new = {old: key for old, key in new_keys.items() if old > 0}
        earlier = {
            self.remade[old]: key for old, key in new.items() if old in self.remade
        }
        self.remade = {**self.remade, **earlier, **new}

    def remember_destroyed(self, record: SlotMapReference) -> None:
        """Remember a removed object as destroyed, and its placement id, if it has one."""
        for part in with_components(record.object):
            self.destroyed.add(id(part), part)
        if record.placement is not None and record.placement not in self.placed:
            self.tombstones[record.placement] = record.level
            if self.has_unrewound and self.is_unrewound(record.object):
                self.unrewound_ids.add(record.placement)

    def remove_single(self, obj: Any) -> None:
        """Remove an object without its components, or a component; its key becomes stale."""
        key = self.keys.pop(id(obj))
        del self.tables[self.registry.table_class(type(obj))][key]
        self.epoch += 1
        if key < 0:
            del self.reached[key]
            self.by_former_key.add(key, obj)
            return
        self.owners.pop(key, None)
        if self.has_unrewound:
            self.last_keys[id(obj)] = key
        is_unrewound = self.has_unrewound and self.is_unrewound(obj)
        self.slots.release(index_of(key), refill_last=is_unrewound)

    def forget_preserved(self) -> None:
        """Remove the data that the game does not know; its keys become stale."""
        for key in () if self.preserved is None else self.preserved.added_keys():
            self.slots.release(index_of(key))
        self.preserved, self.unknown_states = None, {}

    def keep_reached(self, keys: Collection[Key]) -> None:
        """Remove all reached objects except those with the given keys."""
        if len(keys) == len(self.reached):
            return
        for key in [key for key in self.reached if key not in keys]:
            self.remove_single(self.reached[key])

    def prune_destroyed(self) -> None:
        """Forget destroyed objects that were freed."""
        if self.destroyed or self.by_former_key:
            held = Counter([*self.destroyed.held(), *self.by_former_key.held()])
            self.destroyed.prune(held)
            self.by_former_key.prune(held)
        if self.remade:
            keys = self.remade.items()
            self.remade = {old: key for old, key in keys if self.at(key) is not None}
        if self.last_keys:
            alive = {n for n in self.last_keys if self.destroyed.get(n) is not None}
            self.last_keys = {n: self.last_keys[n] for n in alive}

    # -- components that game objects add and remove

    def adding_component(self, owner: GameObject, component: Any, number: int) -> None:
        """Give a key to a component that is about to be added; may raise `SaveError`."""
        self.check_free(component, is_component=True)
        [key] = self._give_keys([component])
        self.owners[key] = (self.keys[id(owner)], number)

    def added_component(self, component: Any) -> None:
        self.activate(component)

    def removing_component(self, owner: GameObject, component: Any) -> None:
        self.deactivate(component)
        self.remove_single(component)
        self.destroyed.add(id(component), component)

    # -- the whole world

    def state(self, shares: bool = False) -> dict[str, Any]:
        """Return the state of the world, for `restore`.

        With `shares`, it contains the dicts of the world themselves; until the `restore`, these
        may be replaced, but not changed.
        """
        state = {
            name: getattr(self, name) for name in (*_TABLES, *_COLLECTIONS, *_VALUES)
        }
        state |= {name: copy(state[name]) for name in _COLLECTIONS}
        if not shares:
            state |= {name: copy(state[name]) for name in _TABLES}
            state["tables"] = {cls: {**table} for cls, table in self.tables.items()}
        return state | {"slots": self.slots.saved(shares)}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore an earlier state. Keys that were given since then stay stale."""
        for obj in self.tables.get(GameObject, {}).values():
            obj.watcher = None
        self.epoch += 1
        self.slots.restore_slots(*state["slots"])
        vars(self).update(state | {"slots": self.slots})
        self.set_watchers()

    def replace_content(
        self,
        tables: dict[type, dict[Key, Any]],
        owners: Mapping[Key, tuple[Key, int]],
        slots: SlotState,
    ) -> None:
        """Replace the content of the world by the given tables, without copying them.

        The tables must be in the order of class numbers, and their objects in key order.
        """
        self.epoch += 1
        old_keys, self.keys = self.keys, {}
        self.tables, self.reached, self.owners = tables, {}, {**owners}
        self.placements, self.placed, self.built_from = {}, {}, {}
        self.remade = {}
        keys = [*chain.from_iterable(tables.values())]
        objects = [*chain.from_iterable(map(dict.values, tables.values()))]
        self.keys.update(zip(map(id, objects), keys))
        if min(keys, default=0) < 0:
            self.reached.update(item for item in zip(keys, objects) if item[0] < 0)
            objects = [obj for key, obj in zip(keys, objects) if key > 0]
        filled = slots_of(keys)
        if len(filled) + len(slots.free) < len(slots.generations):
            preserved = slots.filled().difference(filled)
            filled += sorted(preserved)
            objects += [None] * len(preserved)
        self.slots.restore_slots(slots, filled, objects)
        self._remember_former_keys(old_keys)
        self.keys[id(None)] = 0
        self.next_reached = max(self.next_reached, 1 - min(self.reached, default=0))

    def _remember_former_keys(self, old_keys: dict[int, Key]) -> None:
        """Remember, under their former keys, the objects that have other keys now."""
        now = self.keys
        for number, key in old_keys.items():
            if now.get(number, key) != key:
                self.by_former_key.add(key, self.at(now[number]))

    def set_watchers(self) -> None:
        """Set the `watcher` of all game objects: this world for added ones, otherwise `None`."""
        for key, obj in self.tables.get(GameObject, {}).items():
            obj.watcher = self if key > 0 else None

    # -- lookup

    def at(self, key: Key) -> Any:
        """Return the object or component with a key; `None` if the key is stale."""
        if key < 0:
            return self.reached.get(key)
        obj = self.slots.at(index_of(key))
        return obj if self.keys.get(id(obj)) == key else None

    def owner_of(self, key: Key) -> Key:
        """Return the key of the object that a component belongs to; that of an object itself."""
        return self.owners[key][0] if key in self.owners else key

    def object_key(self, obj: Any) -> Key | None:
        """Return the key of an object, or of the object that a component belongs to.

        It is `None` if the object or the component has no key.
        """
        key = self.keys.get(id(obj))
        return self.owner_of(key) if key else None

    def record_at(self, key: Key) -> SlotMapReference:
        """Return the record of the object with a key, which must not be stale."""
        placement = self.placements.get(key, NO_PLACEMENT)
        return SlotMapReference(
            key,
            self.at(key),
            self.prefab_types.get(placement.prefab, placement.prefab),
            placement.placement,
            placement.level,
            registered=key > 0,
            built_from=self.built_from.get(key),
        )

    def objects(self) -> dict[Key, Any]:
        """Return the objects that were added, by key, without their components."""
        objects: dict[Key, Any] = {}
        for table in self.tables.values():
            objects |= table
        for key in (*self.reached, *self.owners):
            objects.pop(key, None)
        return objects

    def object_keys(self) -> list[Key]:
        """Return the keys of the objects that were added, in key order."""
        return in_key_order(self.objects())

    def find(self, cls: type) -> Iterator[Any]:
        """Yield the objects and components of a class and its subclasses, in key order."""
        for saved_class, table in list(self.tables.items()):
            if issubclass(saved_class, cls):
                yield from in_order(table).values()
            elif saved_class in self.registry.bases.values():
                objects = in_order(table).values()
                yield from (obj for obj in objects if isinstance(obj, cls))

    def with_hook(self, hook: str) -> dict[Key, Any]:
        """Return the objects and components that have methods for a hook, in key order."""
        components: dict[Key, Any] = {}
        for cls, table in self.tables.items() if hook in self.registry.hooks else ():
            if table and getattr(self.registry.entry_of(cls), hook):
                components |= table
        return in_order(components)

    def repair_families(self) -> None:
        """Make parents and children consistent after objects were added or removed."""
        objects = [*in_order(self.tables.get(GameObject, {})).values()]
        if not any(o._parent is not None or o._children for o in objects):
            return
        children = {id(obj): {id(c): c for c in obj._children} for obj in objects}
        for obj in objects:
            if id(obj._parent) in children:
                children[id(obj._parent)][id(obj)] = obj
            else:
                obj._parent = None
        for obj in objects:
            candidates = children[id(obj)].values()
            obj._children = tuple(c for c in candidates if c._parent is obj)


def in_order(table: dict[Key, Any]) -> dict[Key, Any]:
    """Return a table in the order of keys: added objects, then reached ones.

    >>> in_order({2: "b", -1: "d", 1: "a", -2: "e"})
    {1: 'a', 2: 'b', -1: 'd', -2: 'e'}
    """
    keys = [*table]
    if len(keys) < 2:
        return table
    ordered = in_key_order(keys)
    return table if keys == ordered else {key: table[key] for key in ordered}


class WeakObjects:
    """Objects by `id` or by key, held by weak references, so that they can be freed."""

    def __init__(self) -> None:
        self._weak: dict[int, ref[Any]] = {}
        self._strong: dict[int, Any] = {}  # objects that do not allow weak references
        self._alive = 0  # the weak references when freed objects were last removed

    def add(self, number: int, obj: Any) -> None:
        """Add an object under its `id`, or a key."""
        if type(obj).__weakrefoffset__:
            self._weak[number] = ref(obj)
        else:
            self._strong[number] = obj

    def add_all(self, objects: Collection[Any]) -> None:
        """Add objects under their `id`."""
        weak = [obj for obj in objects if type(obj).__weakrefoffset__]
        self._weak.update(zip(map(id, weak), map(ref, weak)))
        if len(weak) < len(objects):
            strong = [obj for obj in objects if not type(obj).__weakrefoffset__]
            self._strong.update(zip(map(id, strong), strong))

    def get(self, number: int) -> Any:
        """Return the object with a number; `None` if it was not added, or was freed."""
        reference = self._weak.get(number)
        return self._strong.get(number) if reference is None else reference()

    def discard(self, number: int) -> None:
        """Remove the object with a number, if it was added."""
        self._weak.pop(number, None)
        self._strong.pop(number, None)

    def discard_all(self, numbers: Set[int]) -> None:
        """Remove the objects with the given numbers."""
        for objects in (self._weak, self._strong):
            if objects:
                for number in objects.keys() & numbers:
                    del objects[number]

    def __copy__(self) -> WeakObjects:
        """Return an independent copy with the same objects."""
        copied = WeakObjects()
        copied._weak, copied._strong = {**self._weak}, {**self._strong}
        copied._alive = self._alive
        return copied

    def __len__(self) -> int:
        """Return the number of objects, of which some may have been freed."""
        return len(self._weak) + len(self._strong)

    def __contains__(self, component: object) -> bool:
        """Return whether an object was added under its `id`."""
        return component is not None and self.get(id(component)) is component

    def held(self) -> Iterator[int]:
        """Yield the `id` of each object that is kept alive, as often as it is."""
        return map(id, self._strong.values())

    def prune(self, held: Mapping[int, int]) -> None:
        """Remove objects that were freed, or that nothing else refers to.

        `held` tells how often objects were kept alive, here and in others of this class.
        """
        for number in list(self._strong):
            # One more reference always exists: the argument of `getrefcount`.
            references = sys.getrefcount(self._strong[number]) - 1
            if references <= held[id(self._strong[number])]:
                del self._strong[number]
        # Freed objects are not found anyway, and looking at all references takes long.
        if len(self._weak) > 2 * self._alive:
            weak = self._weak.items()
            self._weak = {number: ref for number, ref in weak if ref() is not None}
            self._alive = len(self._weak)


class Generators:
    """The random generators and counters of a world by key, so that objects that share one still do.

    >>> import random
    >>> generators, dice = Generators(), random.Random(1)
    >>> generators.key_of(dice), generators.at(1) is dice
    (1, True)
    """

    def __init__(self) -> None:
        self._keys: dict[int, int] = {}  # by `id`
        self._by_key: dict[int, Any] = {}  # keeps the generators alive
        self._next = 1

    def key_of(self, generator: Any) -> int:
        """Return the key of a generator; assign one if it has none."""
        key = self._keys.get(id(generator))
        if key is None:
            key = self._next
            self.store(key, generator)
        return key

    def store(self, key: int, generator: Any) -> None:
        """Store a generator under a key, instead of the one that had it."""
        replaced = self._by_key.pop(key, generator)
        if replaced is not generator:
            # Otherwise, a new generator at its address would get the key.
            del self._keys[id(replaced)]
        self._keys[id(generator)], self._by_key[key] = key, generator
        self._next = max(self._next, key + 1)

    def at(self, key: int) -> Any:
        """Return the generator with a key; `None` if there is none."""
        return self._by_key.get(key)

    def all(self) -> list[Any]:
        """Return all generators."""
        return [*self._by_key.values()]

    def keep(self, keys: Collection[int]) -> None:
        """Remove all generators except those with the given keys."""
        for key in [key for key in self._by_key if key not in keys]:
            del self._keys[id(self._by_key.pop(key))]

    def __copy__(self) -> Generators:
        """Return an independent copy with the same generators."""
        copied = Generators()
        copied._keys, copied._by_key = {**self._keys}, {**self._by_key}
        copied._next = self._next
        return copied

"""One world: what is in it, how it is saved, and how it is brought back."""

from __future__ import annotations

import random
import threading
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from enum import Enum
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from savegen.runtime import hooks
from savegen.runtime.assets import AssetRegistry, OnUnknown
from savegen.runtime.capture import Capture, Meeting
from savegen.runtime.collecting import Paused
from savegen.runtime.components import References, SaveLoadable
from savegen.runtime.errors import SaveApplyError, SaveError, StaleKeyError, a, nearest
from savegen.runtime.stale_build import warn_of_forgotten_build
from savegen.runtime.keys import describe_key, in_key_order
from savegen.runtime.load import Load
from savegen.runtime.marks import Activation
from savegen.runtime.objects import (
    GameObject,
    SlotMapReference,
    components_of,
    walk,
    whole,
)
from savegen.runtime.pools import ObjectPool
from savegen.runtime.prefabs import PrefabInfo
from savegen.runtime.registry import Registry
from savegen.runtime.reports import LoadReport, Merged
from savegen.runtime.rows import Key, Row, field_being_packed, in_field, unfit
from savegen.runtime.fits import check_references
from savegen.runtime.snapshot import Placement, Snapshot
from savegen.runtime.spawning import Spawning
from savegen.runtime.incremental_capture import Tracking
from savegen.runtime.undo import Game, staged
from savegen.runtime.world import NO_PLACEMENT, World

T = TypeVar("T")
Filter = type | str | Iterable[Any] | Callable[[SlotMapReference], bool]
_TRIES = 100  # how often hooks may bring up objects with hooks of their own


class SaveLoadManager(References):
    """Owns one world: its objects, their keys, and snapshots of all of it.

    `prefabs` is the generated `PREFAB_INFO`, or gives what builds an object by type. A manager
    belongs to the thread that made it: another thread's call raises `SaveError`. With `check`,
    for those who work on the game, it warns if a file has changed since savegen ran last.

    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> camp = manager.add(GameObject(position=(3.0, 4.0, 0.0)))
    >>> before = manager.create_snapshot()
    >>> camp.transform.position = (9.0, 9.0, 0.0)
    >>> manager.apply_snapshot(before).changed, camp.transform.position
    (1, (3.0, 4.0, 0.0))
    """

    def __init__(
        self,
        registry: Registry,
        prefabs: PrefabInfo | Mapping[Any, Callable[[], Any]] | None = None,
        *,
        assets: AssetRegistry | None = None,
        on_unknown: OnUnknown = OnUnknown.ERROR,
        check: bool = False,
    ) -> None:
        if check:
            warn_of_forgotten_build(entry.mixin for entry in registry)
        self._world = World(registry, self._part_joined, self._part_leaves, assets)
        self.assets = self._world.assets
        self._prefabs = self._world.prefabs = {} if prefabs is None else prefabs
        self._pools: dict[Any, ObjectPool] = {}
        self._thread = threading.get_ident()
        self._is_busy = False
        self._waiting: list[Callable[[], object]] = []  # what hooks asked for
        self._game = Game(
            self._world,
            self._pools,
            self._rebuild,
            self._discard,
            on_unknown,
            hold=self._hold,
            settle=self._catch_up,
            forget=self._waiting.clear,
        )

    # -- what is in the world

    def add(
        self,
        thing: T,
        prefab: int | None = None,
        *,
        placement: str | None = None,
        level: str | None = None,
    ) -> T:
        """Take in an object: a `GameObject`, or one of a saveable class. Return it.

        What it refers to need not be added. The `@on_activate` methods of the object, and of
        what it is the first to refer to, are called: with `PLACED` if a level gave it a
        `placement` id, else with `SPAWNED`. Inside a hook all of that waits until the hooks
        are done.

        Raises `SaveError` if it is in the world already, or cannot be saved.

        >>> from savegen.runtime.registry import FORMAT, Registry
        >>> manager = SaveLoadManager(Registry(FORMAT, ()))
        >>> manager.add(12)
        Traceback (most recent call last):
            ...
        savegen.runtime.errors.SaveError: an int cannot be saved: mark the class `@saveable` and run `savegen wire`, then `savegen components`
        """
        self._check_thread()
        return self._taken_in(thing, Placement(prefab, placement, level))  # type: ignore[no-any-return]

    def _add(self, thing: Any, placement: Placement, built_from: Any) -> None:
        world = self._world
        self._check_unplaced(placement.placement)
        first, is_placed = world.next_reached, placement.placement is not None
        # Nothing else takes one of them away.
        tombstones = {**world.tombstones} if is_placed else world.tombstones
        key = world.add(thing, placement)
        if built_from is not None:
            world.built_from[key] = built_from
        reason = Activation.PLACED if is_placed else Activation.SPAWNED
        try:
            self._calling(lambda: self._activate([thing], reason))
        except BaseException:
            world.remove(key)
            world.keep_reached([key for key in world.reached if -key < first])
            world.tombstones = tombstones
            raise

    def _activate(self, things: Iterable[Any], reason: Activation) -> None:
        """Call the hooks of new objects, and of what they are the first to refer to."""
        parts = [part for thing in things for part in whole(thing)]
        new = Meeting(self._world).of(parts)
        activated = [part for thing in things for part in components_of(thing)]
        hooks.activate(self._world, activated + new, reason)

    def spawn(
        self,
        prefab: Any,
        /,
        *,
        position: Any = None,
        **params: Any,
    ) -> Any:
        """Build an object of a prefab, from its pool if there is one, and add it.

        `params` are set by the names that level authors use: an object for a reference, a
        member for an enumeration; lists and the like are copied. `position` is where the
        object stands, or a value that fits a parameter of that name.

        Raises `SaveError` if the prefab is not known, has no such parameter, or a value is
        not what its field may hold; nothing is added then. What a constructor raises comes
        out as it is.
        """
        self._check_thread()
        thing = self._build(prefab)
        try:
            self._set_parameters(prefab, thing, position, params)
        except BaseException:
            if prefab in self._pools:
                self._pools[prefab].return_to_pool(thing)
            raise
        return self._taken_in(thing, Placement(prefab), built_from=prefab)

    def _set_parameters(
        self, prefab: Any, thing: Any, position: Any, params: dict[str, Any]
    ) -> None:
        if position is None and not params:
            return
        spawning = self._spawning(prefab, thing)
        if position is None:
            spawning.set(params)
        elif spawning.fits("position", position):
            spawning.set({"position": position, **params})
        else:
            _check_movable(thing, position)
            spawning.set(params)
            thing.transform.position = position

    def _spawning(self, prefab: Any, thing: Any) -> Spawning:
        info = self._prefabs
        if isinstance(info, PrefabInfo):
            found = info[prefab]
            return Spawning(found.type.name, thing, self._world, found.declared)
        name = prefab.name if isinstance(prefab, Enum) else type(thing).__qualname__
        return Spawning(name, thing, self._world)

    def _taken_in(
        self, thing: Any, placement: Placement, built_from: Any = None
    ) -> Any:
        self._world.entry_of(type(thing))
        self._soon(lambda: self._add(thing, placement, built_from))
        return thing

    def destroy(self, thing: Any) -> None:
        """Take an object, and all that have it as their parent, out of the world for good.

        Its `@on_deactivate` methods are called. Whatever still refers to it refers to nothing
        once it is saved. Inside a hook this waits until the hooks are done. Raises `SaveError`
        if the object is not in the world.
        """
        self._check_thread()
        if self.object_of(thing) is not thing:
            name = type(thing).__qualname__
            raise SaveError(
                f"this {name} is a component: destroy its object, which `object_of` finds,"
                " or take it out with `remove_component`"
            )
        self._soon(lambda: self._destroy(thing))

    def _destroy(self, thing: Any) -> None:
        for each in walk(thing) if isinstance(thing, GameObject) else (thing,):
            key = self._world.keys.get(id(each), 0)
            if key == 0:  # two hooks destroyed it
                continue
            self._calling(lambda: hooks.deactivate(self._world, components_of(each)))
            self._take_out(key)
            if isinstance(each, GameObject):
                if each is thing:
                    each.parent = None
                each.orphan()

    def _take_out(self, key: Key) -> None:
        world = self._world
        placement = world.placements.get(key, NO_PLACEMENT)
        built_from = world.built_from.get(key)
        thing = world.remove(key)
        world.bury(thing, placement)
        self._discard(thing, built_from)

    def _part_joined(self, component: Any) -> None:
        self._soon(lambda: self._activate([component], Activation.SPAWNED))

    def _part_leaves(self, component: Any) -> None:
        self._calling(lambda: hooks.deactivate(self._world, [component]))

    def clear(self) -> None:
        """Take everything out, and forget what was destroyed: a new game begins."""
        self._check_thread()
        self._soon(self._clear)

    def _clear(self) -> None:
        world = self._world
        for key in world.object_keys():
            if (thing := world.at(key)) is not None:
                self._destroy(thing)
        reached = [world.at(key) for key in in_key_order(world.reached)]
        self._calling(lambda: hooks.deactivate(world, reached))
        world.keep_reached(())
        world.tombstones.clear()
        world.placed_with = {}
        world.preserved, world.unknown_states = None, {}

    @property
    def objects(self) -> Iterator[Any]:
        """The objects that were added, in ascending order of keys, without their components."""
        self._check_thread()
        return map(self._world.at, self._world.object_keys())

    def find(self, cls: type[T]) -> Iterator[T]:
        """Yield every component and object of a class or of a subclass, in the order of keys.

        Objects that were only reached are included.
        """
        self._check_thread()
        yield from self._world.find(cls)

    def __len__(self) -> int:
        self._check_thread()
        return len(self._world.object_keys())

    # -- levels: for savegen's own parts

    def check_free(self, what: str) -> None:
        """Raise `SaveError` if `what` cannot be done now: in another thread, or inside a hook."""
        self._check_thread()
        self._check_not_busy(what)

    def builder(self, prefab: Any) -> Callable[[], Any]:
        """Return what builds objects of a prefab, from its pool if there is one; none is added."""
        self._check_thread()
        pool = self._pools.get(prefab)
        return self._factory(prefab) if pool is None else pool.create_from_pool

    def put_away(self, prefab: Any, thing: Any) -> None:
        """Take back what a builder has returned, and nobody has added."""
        if isinstance(thing, GameObject):
            thing.watcher = None
        if prefab in self._pools:
            self._pools[prefab].return_to_pool(thing)

    def place(self, placed: Sequence[tuple[Any, Placement]]) -> tuple[str, ...]:
        """Take in all that a level places, or nothing of it; return the placement ids.

        The `@on_activate` methods are called when everything is there, in the same order.
        Raises `SaveError`; the world is then as it was.
        """
        self.check_free("load a level")
        ids = tuple(str(placement.placement) for _, placement in placed)
        staged(self._game, lambda: self._place(placed, ids))
        return ids

    def placed(self, ids: tuple[str, ...]) -> Iterator[SlotMapReference]:
        """Yield what is in the world under the very ids that `place` has returned.

        Nothing once the world was cleared, and nothing that was placed again by those ids.
        """
        self._check_thread()
        world = self._world
        for id in ids:
            key = world.placed.get(id)
            if key is not None and world.placed_with.get(id) is ids:
                yield world.record_at(key)

    def _place(
        self, placed: Sequence[tuple[Any, Placement]], ids: tuple[str, ...]
    ) -> None:
        world = self._world
        things = [thing for thing, _ in placed]
        for thing, placement in placed:
            self._check_unplaced(placement.placement)
            for part in whole(thing):
                world.check_free(part)
        keys = world.add_all(things)
        for key, (_, placement) in zip(keys, placed):
            world.note_placement(key, placement)
            if placement.prefab is not None:
                world.built_from[key] = placement.prefab
        world.placed_with = {**world.placed_with, **dict.fromkeys(ids, ids)}
        self._calling(lambda: self._activate(things, Activation.PLACED))
        self._catch_up()

    def _check_unplaced(self, placement: str | None) -> None:
        if placement in self._world.placed:
            raise SaveError(f"something is placed as {placement!r} already")

    # -- keys, and other references

    def key_of(self, component: Any, /) -> Key:
        """Return the key of a component or of an object; 0 for `None`.

        Something that was never added gets a key for as long as anything refers to it. What
        was destroyed has none: that is 0 too. Raises `SaveError` for what cannot be saved.
        """
        self._check_thread()
        if component is None or component in self._world.graveyard:
            return 0
        try:
            return self._world.reach(component)
        except SaveError as error:
            field = field_being_packed()
            if field and not isinstance(component, SaveLoadable):
                raise unfit(field, component) from None
            raise in_field(error) from None

    def get_component(self, key: Key, /) -> Any:
        """Return what a key names; `None` for 0. Raises `StaleKeyError` if it is gone."""
        self._check_thread()
        if key == 0:
            return None
        if type(key) is not int:
            raise SaveError(f"{a(type(key).__qualname__)} is not a key")
        found = self._world.at(key)
        if found is None:
            raise StaleKeyError(f"{describe_key(key)} is stale: it was destroyed")
        return found

    def get_object(self, key: Key) -> Any:
        """Return the object of a key, or the object that the component of a key is part of.

        Raises `StaleKeyError` if it is gone.
        """
        found = self.get_component(key)
        owner = self._world.owners.get(key)
        return found if owner is None else self._world.at(owner[0])

    def object_of(self, component: Any) -> Any:
        """Return the object that a component belongs to; one that stands alone is its own.

        Raises `SaveError` if it is not in the world.
        """
        return self._world.at(self._object_key(component))

    def record_of(self, thing: Any) -> SlotMapReference:
        """Return key, prefab and placement of an object, or of a component's object.

        One that was only reached by a reference is not `registered`. Raises `SaveError` if it
        has no key at all.
        """
        return self._world.record_at(self._object_key(thing))

    def set_prefab(self, thing: Any, prefab: int | None) -> None:
        """Set what an object is built from when a load finds that it is missing."""
        key = self._object_key(thing)
        known = self._world.placements.get(key, NO_PLACEMENT)
        self._world.placements[key] = replace(known, prefab=prefab)

    def _object_key(self, thing: Any) -> Key:
        self._check_thread()
        key = self._world.object_key(thing)
        if key is None:
            raise SaveError(f"this {type(thing).__qualname__} is not in the world")
        return key

    def check(self, component: Any, row: Row, /) -> None:
        """Raise `SaveError` if a row refers to an object of another class than declared."""
        entry = self._world.entry_of(type(component))
        check_references(component, row, entry, self, self._world.number_at)

    def id_of(self, asset: Any, /) -> str:
        """Return the id of an asset. Raises `SaveError` if it has none."""
        try:
            return self.assets.id_of(asset)
        except SaveError as error:
            raise in_field(error) from None

    def asset(self, id: str, /) -> Any:
        """Return the asset of an id. Raises `SaveError` if there is none."""
        return self.assets[id]

    def class_at(self, number: int, /) -> Any:
        """Return the saveable class of a number. Raises `SaveError` if there is none."""
        return self._world.registry[number].load_class()

    def generator_key(self, generator: Any, /) -> int:
        """Return the key of a random generator; it gets one if it has none."""
        return self._world.generators.key_of(generator)

    def generator(self, key: int, /) -> Any:
        """Return the random generator of a key. Raises `StaleKeyError` if there is none."""
        found = self._world.generators.at(key)
        if found is None:
            raise StaleKeyError(f"there is no random generator {key}")
        return found

    # -- snapshots

    def create_snapshot(
        self, filter: Filter | None = None, strict: bool = False
    ) -> Snapshot:
        """Return everything as it is now; nothing that happens later changes it.

        The `@before_save` methods are called first. A `filter` keeps a class, some objects,
        a level by name, or what a function of the record says: such a snapshot changes
        nothing else when it is applied. What levels had placed of that and was destroyed, is
        destroyed again when the level was loaded anew. `strict` checks each field against its annotation,
        and that no two fields hold one mutable value; else a value that does not fit comes
        back as it was.

        Raises `SaveError` for what `strict` finds, for a hook or a `save_data` of the game's
        that raises, and for a state that cannot be saved.
        """
        self._check_thread()
        self._check_not_busy("create a snapshot")
        covers = None if filter is None else _covers(filter)
        return self._captured(lambda: Capture(self._world, covers), covers, strict)

    def track(self, base: Snapshot) -> Snapshot:
        """Return everything as it is now; rows of a full snapshot that still hold are its own."""
        self._check_thread()
        self._check_not_busy("record")
        return self._captured(lambda: Tracking(self._world, base), None, strict=False)

    def _known(self, covers: Callable[[SlotMapReference], bool] | None) -> list[Any]:
        """Return the components in the world with such a hook."""
        world, found = self._world, dict[Key, Any]()
        for cls, table in world.tables.items():
            if table and world.entry_of(cls).before_save:
                found.update(item for item in table.items() if item[0] > 0)
        return [
            found[key]
            for key in in_key_order(found)
            if covers is None
            or covers(world.record_at(world.owners.get(key, (key, 0))[0]))
        ]

    def _captured(
        self,
        start: Callable[[], Capture],
        covers: Callable[[SlotMapReference], bool] | None,
        strict: bool,
    ) -> Snapshot:
        try:
            self._calling(lambda: hooks.before_save(self._world, self._known(covers)))
            return self._settled(start, strict)
        finally:
            self._catch_up()

    def _settled(self, start: Callable[[], Capture], strict: bool) -> Snapshot:
        """Capture until no object is met whose `@before_save` was not called."""
        told: set[int] = set()
        getters = self._game.getters()
        for _ in range(_TRIES):
            with Paused():
                capture = start()
                snapshot = self._calling(partial(capture.run, getters, strict))
            fresh = [
                each for each in capture.reached_with_hooks() if id(each) not in told
            ]
            if not fresh:
                return snapshot
            # Their hooks may change what was captured already.
            told |= {id(each) for each in fresh}
            self._calling(lambda: hooks.before_save(self._world, fresh))
        raise SaveError("each `@before_save` brings up new objects that have one, too")

    def apply_snapshot(
        self, snapshot: Snapshot, *, changed_only: bool = False
    ) -> LoadReport:
        """Make the world what it was: all of it, or nothing if anything goes wrong.

        Objects that are alive on both sides stay the same objects. The others are deactivated
        and go back to their pool; missing ones come from there or are built. In the end the
        `@on_activate` methods are called, of every component or of those that changed: with
        `RELOADED`, or with `RESTORED` if the load has made the object.

        Raises `SaveApplyError` that says which object, field or hook; the world is then as
        it was before, and the hooks have been told so.
        """
        self._check_thread()
        self._check_not_busy("apply a snapshot")
        try:
            return Load(self._game, snapshot, changed_only).apply()
        except MemoryError:  # before the load has begun
            raise SaveApplyError("there is not enough memory for the load") from None

    def restart(self, levels: Callable[[], object], snapshot: Snapshot) -> LoadReport:
        """Clear the world, have `levels` start a level in it, and apply a snapshot to that.

        Raises `SaveApplyError`, or what an error of savegen's is; the world is then as it was
        before, the objects that were in it included.
        """
        self._check_thread()
        self._check_not_busy("restart the world")

        def steps() -> LoadReport:
            self.clear()
            levels()
            return self.apply_snapshot(snapshot)

        return staged(self._game, steps)

    @property
    def world(self) -> World:
        """Who is there: for savegen's own parts."""
        return self._world

    @property
    def prefabs(self) -> PrefabInfo | Mapping[Any, Callable[[], Any]]:
        """What builds an object, by the type of its prefab."""
        return self._prefabs

    def merge(self, snapshot: Snapshot) -> Merged:
        """Add a copy of everything in a snapshot to the world; return the new keys by the old.

        The keys are those of all objects and components, whether added or only reached. The
        snapshot may be of another manager with the same registry. Placement ids stay with the
        originals, and states are left out. So is what is preserved of an older save: the
        `left_out` of the result says how many objects of which classes. Raises
        `SaveApplyError`; the world is then as it was before.
        """
        self._check_thread()
        self._check_not_busy("merge a snapshot")
        return Load(self._game, snapshot, changed_only=False).merge()

    # -- what lives outside

    @property
    def before_load(self) -> list[Callable[[], object]]:
        """Functions to call before anything is loaded: physics, sound, the screen."""
        return self._game.before_load

    @property
    def after_load(self) -> list[Callable[[], object]]:
        """Functions to call once everything is loaded, hooks included."""
        return self._game.after_load

    def add_state(
        self, name: str, get: Callable[[], Any], set: Callable[[Any], object]
    ) -> None:
        """Save with the world what `get` returns; a load gives it to `set`.

        It is plain data, an object of a saveable class, or a container of these.

        >>> from savegen.runtime.registry import FORMAT, Registry
        >>> manager = SaveLoadManager(Registry(FORMAT, ()))
        >>> manager.add_state("dice", random.getstate, random.setstate)
        >>> before = manager.create_snapshot()
        >>> first = random.random()
        >>> _ = manager.apply_snapshot(before)
        >>> random.random() == first
        True
        """
        if name in self._game.states:
            raise SaveError(f"there is a state {name!r} already")
        self._game.states[name] = (get, set)

    def add_root(
        self, name: str, get: Callable[[], Any], set: Callable[[Any], object]
    ) -> None:
        """Save with the world the object that `get` returns, and what it refers to.

        It is for an object that a global or an attribute of the game holds, such as
        `manager.add_root("player", lambda: game.player, set_player)`: nobody has to add each new
        one. A load gives `set` the object, or `None`.
        """
        self.add_state(name, get, set)

    @property
    def states(self) -> Collection[str]:
        """The names of the states that were added."""
        return self._game.states.keys()

    # -- prefabs and pools

    def pool(self, prefab: Any, *, capacity: int = 64, warm: int = 0) -> ObjectPool:
        """Keep objects of a prefab for another life; `warm` of them are built at once.

        The pool holds no more than `capacity`. Asked for again, it is the same pool.
        """
        self._check_thread()
        if prefab not in self._pools:
            create = self._factory(prefab)
            self._pools[prefab] = ObjectPool(self._world.registry, create, capacity)
            self._pools[prefab].warm(warm)
        return self._pools[prefab]

    def _factory(self, prefab: Any) -> Callable[[], Any]:
        if isinstance(self._prefabs, PrefabInfo):
            build = self._prefabs[prefab].build
            return partial(build, self.assets, self._world.registry)
        try:
            return self._prefabs[prefab]
        except KeyError:
            names = [each for each in self._prefabs if isinstance(each, str)]
            by_name = isinstance(prefab, str) and names
            known = nearest(prefab, names) if by_name else repr(prefab)
            raise SaveError(f"there is no prefab {known}") from None

    def _build(self, prefab: Any) -> Any:
        return self.builder(prefab)()

    def _rebuild(self, prefab: Any) -> Any:
        """Build what a load finds missing: what its constructor rolls changes nothing after."""
        state = random.getstate()
        try:
            return self._build(prefab)
        finally:
            random.setstate(state)

    def _discard(self, thing: Any, built_from: Any) -> None:
        """Give an object that has left the world back to the pool that it came from."""
        pool = self._pools.get(built_from)
        if pool is not None:
            pool.return_to_pool(thing)

    # -- order: one thread, and nothing that hooks ask for before they are done

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise SaveError("a manager belongs to the thread that made it")

    def _check_not_busy(self, what: str) -> None:
        if self._is_busy:
            raise SaveError(
                f"a hook cannot {what}: do it when the load or save is over"
            )

    def _calling(self, step: Callable[[], T]) -> T:
        """Run something that calls the game; what that asks for waits."""
        outer = self._is_busy
        try:
            self._is_busy = True
            return step()
        finally:
            self._is_busy = outer

    def _hold(self, busy: bool) -> None:
        self._is_busy = busy

    def _soon(self, step: Callable[[], object]) -> None:
        self._waiting.append(step)
        if not self._is_busy:
            self._catch_up()

    def _catch_up(self) -> None:
        while self._waiting:
            try:
                self._waiting.pop(0)()
            except BaseException:
                self._waiting.clear()
                raise


def _covers(filter: Filter) -> Callable[[SlotMapReference], bool]:
    if isinstance(filter, type):
        cls = filter
        return lambda record: any(
            isinstance(each, cls) for each in whole(record.object)
        )
    if isinstance(filter, str):
        return lambda record: record.level == filter
    if callable(filter):
        return filter
    chosen = {id(thing): thing for thing in filter}
    return lambda record: id(record.object) in chosen


def _check_movable(thing: Any, position: Any) -> None:
    if not isinstance(thing, GameObject):
        raise SaveError(f"{a(type(thing).__qualname__)} has no transform")
    is_vector = isinstance(position, tuple) and len(position) == 3
    if not (is_vector and all(type(each) in (int, float) for each in position)):
        raise SaveError(f"a position is three numbers, not {position!r}")

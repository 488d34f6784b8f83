"""`SaveLoadManager`: adds objects to a world, destroys them, and takes and applies snapshots."""

from __future__ import annotations

import threading
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from msgspec.structs import replace

from savegen.runtime.world import hooks
from savegen.runtime.world.assets import AssetRegistry, OnUnknown
from savegen.runtime.snapshots.capture import Capture
from savegen.runtime.checkup import strict_capture
from savegen.runtime.checkup.coverage import CoverageCheck
from savegen.runtime.world.game import Game
from savegen.runtime.world.garbage_collector import PausedCollector
from savegen.runtime.world.groups import Groups
from savegen.runtime.values.references import References
from savegen.runtime.values.saveable import is_saveable_object
from savegen.runtime.errors import (
    SaveApplyError,
    SaveError,
    StaleKeyError,
    check_argument,
    check_text,
    check_object,
    too_many_calls,
    with_article,
    wrong_argument,
)
from savegen.runtime.checkup.rebuilding import check_rebuilt
from savegen.runtime.checkup.stale_build import warn_of_forgotten_build
from savegen.runtime.values.basics.keys import describe_key, in_key_order
from savegen.runtime.snapshots.loading.load import Load
from savegen.runtime.marks import Activation
from savegen.runtime.world.objects import (
    GameObject,
    SlotMapReference,
    components_of,
    walk,
    with_components,
)
from savegen.runtime.world.pools import ObjectPool
from savegen.runtime.prefabs.prefabs import PrefabInfo
from savegen.runtime.generated.registry import Registry
from savegen.runtime.reports import LoadReport, Merged
from savegen.runtime.values.rows import Key, Row
from savegen.runtime.values.folds import check_references
from savegen.runtime.world.placements import Placement
from savegen.runtime.snapshots.partial import Filter, Selection
from savegen.runtime.snapshots.snapshot import Snapshot, check_snapshot
from savegen.runtime.prefabs.spawning import SpawnParameters
from savegen.runtime.values.libraries.sprites import groups_of
from savegen.runtime.snapshots.loading.undo import Undo, all_or_nothing
from savegen.runtime.world.placements import NO_PLACEMENT
from savegen.runtime.world.world import World

T = TypeVar("T")
_MAX_ROUNDS = 100  # of `@before_save` hooks that add objects with such hooks


class SaveLoadManager(References):
    """Manages one world: its objects, their keys, and snapshots of it.

    `prefabs` is the generated `PREFAB_INFO`, or a mapping from prefab types to functions that
    build an object. A manager belongs to the thread that created it: calls from other threads
    raise `SaveError`. Set `check` during development: each snapshot of the manager is then
    strict, and it warns of attributes that a load would lose.

    >>> from savegen.runtime.generated.registry import FORMAT, Registry
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
        wanted = "the generated `PREFAB_INFO`, or a mapping"
        check_argument("registry", registry, Registry, "the generated `REGISTRY`")
        check_argument("prefabs", prefabs, PrefabInfo | Mapping | None, wanted)
        check_argument("assets", assets, AssetRegistry | None, "an `AssetRegistry`")
        check_argument("on_unknown", on_unknown, OnUnknown, "a member of `OnUnknown`")
        for entry in islice(registry, 1):
            warn_of_forgotten_build(entry.mixin)
        super().__init__(registry.values)
        self._world = World(
            registry, self._added_component, self._removing_component, assets
        )
        self.assets = self._world.assets
        self._game = Game(
            self._world,
            {} if prefabs is None else prefabs,
            on_unknown,
            self._check_thread,
        )
        groups = self._game.groups
        self._coverage = CoverageCheck(self._world, groups) if check else None
        self._thread = threading.get_ident()

    # -- the objects in the world

    def add(
        self,
        obj: T,
        prefab: int | None = None,
        *,
        placement: str | None = None,
        level: str | None = None,
    ) -> T:
        """Add an object to the world and return it: a `GameObject`, or a saveable object.

        Objects that it refers to are saved too; you do not need to add them. The `@on_activate`
        methods of the object, and of objects that only it refers to, are called: with `PLACED`
        if it has a `placement` id from a level, otherwise with `SPAWNED`. Inside a hook, the
        object is added after the hooks have run.

        Raises `SaveError` if it is in the world already, or cannot be saved.

        >>> from savegen.runtime.generated.registry import FORMAT, Registry
        >>> manager = SaveLoadManager(Registry(FORMAT, ()))
        >>> manager.add(12)
        Traceback (most recent call last):
            ...
        savegen.runtime.errors.SaveError: an int cannot be saved: mark the class `@saveable` and run `savegen build`
        """
        self._check_thread()
        check_object("obj", obj)
        _check_prefab(prefab)
        self._game.check_not_static(prefab)
        check_argument("placement", placement, str | None, "a str")
        check_argument("level", level, str | None, "a str")
        check_text("the name of a level", level or "")
        return self._add_when_free(obj, Placement(prefab, placement, level))  # type: ignore[no-any-return]

    def _add(self, obj: Any, placement: Placement, built_from: Any) -> None:
        world = self._world
        self._check_placement_free(placement.placement)
        first, is_placed = world.next_reached, placement.placement is not None
        # Only the addition of a placed object removes a tombstone.
        tombstones = {**world.tombstones} if is_placed else world.tombstones
        key = world.add(obj, placement)
        if built_from is not None:
            world.built_from[key] = built_from
        reason = Activation.PLACED if is_placed else Activation.SPAWNED
        game, activated = self._game, dict[int, Any]()
        outer = game.activated
        try:
            game.activated = activated
            game.groups.joined([obj])
            game.run_hooks(lambda: self._activate([obj], reason))
            game.groups.joined([obj])
        except BaseException as error:
            attempts = hooks.Attempts()
            game.deactivate_new([*activated.values()], attempts)
            game.activated = outer
            world.remove(key)
            world.keep_reached([key for key in world.reached if -key < first])
            world.tombstones = tombstones
            if built_from is not None:
                game.put_away(obj, built_from)
            attempts.report(error)
            raise
        game.activated = outer
        game.remember_active(activated.values())

    def _activate(self, objects: Iterable[Any], reason: Activation) -> None:
        """Call `@on_activate` of new objects, and of objects that only they refer to."""
        parts = [part for obj in objects for part in with_components(obj)]
        reached = Capture(self._world).find_reached(parts)
        added = [part for obj in objects for part in components_of(obj)]
        self._game.activate(added + reached, reason)

    def spawn(
        self,
        prefab: Any,
        /,
        *,
        position: Any = None,
        **params: Any,
    ) -> Any:
        """Create an object of a prefab, add it to the world and return it.

        If the prefab has a pool, the object comes from there. `params` have the names that
        level authors use. Pass an object for a reference, and a member for an enumeration;
        lists and other containers are copied. `position` is the position of the object, or the
        value of a parameter of that name, if it fits. If the prefab was declared with a
        `position`, it can be any two or three numbers, such as a tuple or a vector, and this
        attribute gets it too, before `@on_activate`.

        Raises `SaveError` if the prefab is unknown, has no such parameter, or if a value does
        not fit its field. Exceptions of constructors are not caught. If it raises, the world is
        unchanged.
        """
        self._check_thread()
        _check_prefab(prefab)
        obj = self._game.builder(prefab)()
        try:
            if position is not None:
                SpawnParameters(self._game, prefab, obj).set_with_position(
                    position, params
                )
            elif params:
                SpawnParameters(self._game, prefab, obj).set(params)
        except BaseException as error:
            self._game.discard_built(obj, prefab, error)
            raise
        return self._add_when_free(obj, Placement(prefab), built_from=prefab)

    def _add_when_free(
        self, obj: Any, placement: Placement, built_from: Any = None
    ) -> Any:
        self._world.registry.entry_of(type(obj))
        self._game.run_when_free(lambda: self._add(obj, placement, built_from), obj)
        return obj

    def destroy(self, obj: Any) -> None:
        """Remove an object and its children from the world.

        Their `@on_deactivate` methods are called. References to a destroyed object are saved as
        `None`. Inside a hook, the object is destroyed after the hooks have run. The only
        component of an object stands for the object.

        Raises `SaveError` if the object is not in the world, or for one of several components:
        `remove` takes it out, and `object_of` returns the object.
        """
        owner = self.object_of(obj)
        if owner is not obj and len(owner.components) > 1:
            name, count = type(obj).__qualname__, len(owner.components)
            raise SaveError(
                f"this {name} is one of {count} components of its object: `remove` takes it"
                " out, and `destroy(manager.object_of(…))` destroys the object"
            )
        self._game.run_when_free(lambda: self._destroy(owner))

    def remove(self, component: Any) -> None:
        """Take a component out of its object; without any component, the object is destroyed.

        The `@on_deactivate` methods of the component are called. References to it are saved as
        `None`. Inside a hook, it is removed after the hooks have run. An object of a saveable
        class that stands alone is its own only component.

        Raises `SaveError` if the component is not in the world, or is a `GameObject`.

        >>> from savegen.runtime.generated.registry import FORMAT, Registry
        >>> manager = SaveLoadManager(Registry(FORMAT, ()))
        >>> manager.remove(manager.add(GameObject()))
        Traceback (most recent call last):
            ...
        savegen.runtime.errors.SaveError: a GameObject is not a component: `destroy` removes it from the world
        """
        self.object_of(component)  # raises the error
        if isinstance(component, GameObject):
            raise SaveError(
                "a GameObject is not a component: `destroy` removes it from the world"
            )
        self._game.run_when_free(lambda: self._remove(component))

    def _remove(self, component: Any) -> None:
        key = self._world.object_key(component)
        if key is None:  # a hook has removed it already
            return
        owner = self._world.at(key)
        if len(components_of(owner)) > 1:
            owner.remove_component(component)
        else:
            self._destroy(owner)

    def _destroy(self, obj: Any) -> None:
        for member in walk(obj) if isinstance(obj, GameObject) else (obj,):
            key = self._world.keys.get(id(member), 0)
            if key == 0:  # a hook has destroyed it already
                continue
            components = components_of(member)
            self._game.run_hooks(lambda: self._game.deactivate(components))
            record = self._world.record_at(key)
            self._world.remove(key)
            self._game.groups.leave(components)
            self._game.discard(record)
            if isinstance(member, GameObject):
                if member is obj:
                    member.parent = None
                member.orphan()

    def _added_component(self, component: Any) -> None:
        self._game.run_when_free(
            lambda: self._activate([component], Activation.SPAWNED)
        )

    def _removing_component(self, component: Any) -> None:
        self._game.run_hooks(lambda: self._game.deactivate([component]))
        self._game.groups.remove(component)

    def clear(self) -> None:
        """Remove all objects, and the record of destroyed ones, to start a new game."""
        self._check_thread()
        self._game.run_when_free(self._clear)

    def _clear(self) -> None:
        world = self._world
        self._game.groups.look()
        for key in world.object_keys():
            if (obj := world.at(key)) is not None:
                self._destroy(obj)
        reached = [world.at(key) for key in in_key_order(world.reached)]
        self._game.run_hooks(lambda: self._game.deactivate(reached))
        self._game.groups.leave(reached)
        world.keep_reached(())
        world.tombstones.clear()
        world.restarts += 1
        world.placed_with, world.levels = {}, frozenset()
        world.forget_preserved()

    @property
    def objects(self) -> tuple[Any, ...]:
        """The objects that were added, without their components, in key order."""
        self._check_thread()
        return (*map(self._world.at, self._world.object_keys()),)

    def find(self, cls: type[T]) -> Iterator[T]:
        """Return all components and objects of a class and its subclasses, in key order.

        Reached objects are included: those that were not added, but that others refer to. It
        raises `SaveError` if `cls` is not a class.
        """
        self._check_thread()
        check_argument("cls", cls, type, "a class")
        return self._world.find(cls)

    def __len__(self) -> int:
        self._check_thread()
        return len(self._world.objects())

    # -- levels: used by savegen itself

    def _check_free(self, action: str) -> None:
        """Raise `SaveError` in another thread or inside a hook.

        `action` names what the caller wants to do.
        """
        self._check_thread()
        if self._game.is_busy:
            raise SaveError(f"a hook cannot {action}: do it after the load or save")

    def _builder(self, prefab: Any) -> Callable[[], Any]:
        """Return a function that creates an object of a prefab, without adding it.

        If the prefab has a pool, the object comes from there.
        """
        self._check_thread()
        return self._game.builder(prefab)

    def _put_away(
        self, prefab: Any, obj: Any, error: BaseException | None = None
    ) -> None:
        """Return an object to its pool. The object was built with `_builder`, and never added.

        If an `error` prevented that it was added, its construction is undone, too.
        """
        if isinstance(obj, GameObject):
            obj.watcher = None
        if error is None:
            self._game.put_away(obj, prefab)
        else:
            self._game.discard_built(obj, prefab, error)

    def _place_all(
        self, level: str, placed: Sequence[tuple[Any, Placement]]
    ) -> tuple[str, ...]:
        """Add all objects that a level places, and return their placement ids.

        Their `@on_activate` methods are called after all have been added, in the same order.
        If it raises `SaveError`, the world is unchanged.
        """
        self._check_free("load a level")
        ids = tuple(str(placement.placement) for _, placement in placed)
        all_or_nothing(self._game, lambda _: self._place(level, placed, ids))
        return ids

    def _placed(self, ids: tuple[str, ...]) -> Iterator[SlotMapReference]:
        """Yield the records of the objects that one call of `_place_all` added.

        `ids` must be the tuple that `_place_all` returned. Objects that were cleared or destroyed
        since then, or placed again by another call, are left out.
        """
        self._check_thread()
        world = self._world
        for id in ids:
            key = world.placed.get(id)
            if key is not None and world.placed_with.get(id) is ids:
                yield world.record_at(key)

    def _place(
        self,
        level: str,
        placed: Sequence[tuple[Any, Placement]],
        ids: tuple[str, ...],
    ) -> None:
        world = self._world
        world.levels |= {level}
        objects = [obj for obj, _ in placed]
        for obj in objects:
            self._game.remember_built(obj)
        for obj, placement in placed:
            self._check_placement_free(placement.placement)
            world.check_all_free(obj)
        keys = world.add_all(objects)
        for key, (_, placement) in zip(keys, placed):
            world.store_placement(key, placement)
            if placement.prefab is not None:
                world.built_from[key] = placement.prefab
        world.placed_with = {**world.placed_with, **dict.fromkeys(ids, ids)}
        self._game.groups.joined(objects)
        self._game.run_hooks(lambda: self._activate(objects, Activation.PLACED))
        self._game.groups.joined(objects)
        self._game.run_requests()

    def _check_placement_free(self, placement: str | None) -> None:
        check_text("a placement id", placement or "")
        if placement in self._world.placed:
            raise SaveError(
                f"an object is already placed as {placement!r}; each placement id can be used once"
            )

    # -- keys and other references

    def key_of(self, component: Any, /) -> Key:
        """Return the key of a component or an object; 0 for `None` and for destroyed objects.

        An object that was never added gets a key, and keeps it as long as it is referred to.
        Raises `SaveError` if the object cannot be saved.
        """
        self._check_thread()
        if component is None or component in self._world.destroyed:
            return 0
        return self._world.key_of(component)

    def get_component(self, key: Key, /) -> Any:
        """Return the object or component with a key; `None` for key 0.

        Raises `StaleKeyError` if it was destroyed.
        """
        self._check_thread()
        if key == 0:
            return None
        if type(key) is not int:
            name = with_article(type(key).__qualname__)
            raise SaveError(f"{name} is not a key; pass an int that `key_of` returned")
        component = self._world.at(key)
        if component is None:
            raise StaleKeyError(
                f"the key {key} is stale: {describe_key(key)} was destroyed"
            )
        return component

    def get_object(self, key: Key) -> Any:
        """Return the object with a key; for the key of a component, the object it belongs to.

        Raises `StaleKeyError` if it was destroyed.
        """
        self.get_component(key)  # raises the error
        return self._world.at(self._world.owner_of(key))

    def object_of(self, component: Any) -> Any:
        """Return the object that a component belongs to, or the argument if it is an object.

        Raises `SaveError` if it is not in the world.
        """
        return self._world.at(self._object_key(component))

    def record_of(self, obj: Any) -> SlotMapReference:
        """Return the record of an object, or of the object that a component belongs to.

        A record has the key, the prefab and the placement. If the object was not added, but
        only reached by a reference, its record is not `registered`. Raises `SaveError` if the
        object has no key.
        """
        return self._world.record_at(self._object_key(obj))

    def set_prefab(self, obj: Any, prefab: int | None) -> None:
        """Set the prefab from which a load builds the object if it is missing."""
        key = self._object_key(obj)
        _check_prefab(prefab)
        self._game.check_not_static(prefab)
        placement = self._world.placements.get(key, NO_PLACEMENT)
        self._world.placements[key] = replace(placement, prefab=prefab)

    def _object_key(self, obj: Any) -> Key:
        self._check_thread()
        key = self._world.object_key(obj)
        if key is None and groups_of(obj):
            self._game.groups.look()  # a sprite of a group may have no key yet
            key = self._world.object_key(obj)
        if key is None and not is_saveable_object(obj):
            raise wrong_argument("obj", "an object of the world", obj)
        if key is None:
            raise SaveError(
                f"this {type(obj).__qualname__} is not in the world; add it with `manager.add`"
            )
        return key

    def _check(self, component: Any, row: Row, /) -> None:
        """Raise `SaveError` if a reference in a row does not fit the class its field declares."""
        entry = self._world.registry.entry_of(type(component))
        limited = entry.class_limited
        check_references(component, row, limited, self, self._world.number_at)

    def id_of(self, asset: Any, /) -> str:
        """Return the id of an asset. Raises `SaveError` if it has none."""
        return self.assets.id_of(asset)

    def asset(self, id: str, /) -> Any:
        """Return the asset with an id. Raises `SaveError` if no asset has it."""
        if type(id) is not str:  # as often as an asset is loaded
            raise wrong_argument("id", "a str", id)
        return self.assets[id]

    def _class_at(self, number: int, /) -> Any:
        """Return the saveable class with a stable number. Raises `SaveError` if none has it."""
        return self._world.registry[number].load_class()

    def _generator_key(self, generator: Any, /) -> int:
        """Return the key of a random generator; assign one if it has none."""
        return self._world.generators.key_of(generator)

    def _generator(self, key: int, /) -> Any:
        """Return the random generator with a key. Raises `StaleKeyError` if none has it."""
        generator = self._world.generators.at(key)
        if generator is None:
            raise StaleKeyError(f"there is no random generator with key {key}")
        return generator

    # -- snapshots

    def create_snapshot(
        self, filter: Filter | None = None, strict: bool = False
    ) -> Snapshot:
        """Return a snapshot of the world, which later changes do not affect.

        The `@before_save` methods are called first. A `filter` selects objects: by class, by
        the name of their level, from a list, or by a function that takes a record. Such a
        snapshot changes only these objects when it is applied, and destroys those of the class
        or level that it lacks. Destroyed objects of a level are selected by class or level, too;
        they are destroyed again if the level has been loaded again meanwhile.
        `strict` checks each value against the annotation of its field, and that no two fields
        share one mutable value. Without it, a value that does not fit comes back unchanged. A
        manager with `check` is always strict.

        Raises `SaveError` if a strict check fails, if a hook or a `save_data` of yours raises,
        or if a state cannot be saved.
        """
        self._check_free("create a snapshot")
        is_filter = filter is None or callable(filter) or isinstance(filter, Iterable)
        if not is_filter or isinstance(filter, bytes):
            wanted = "a class, the name of a level, a list of objects, or a function"
            raise wrong_argument("filter", wanted, filter)
        strict = strict or self._coverage is not None
        self._destroy_killed()
        part = None if filter is None else Selection(self._world, filter)
        snapshot = self._new_snapshot(part=part, strict=strict)
        if self._coverage is not None and filter is None:
            self._coverage.examine(snapshot)
        return snapshot

    def _track(self, base: Snapshot) -> Snapshot:
        """Return a snapshot of the world that shares all unchanged rows with a full snapshot."""
        self._check_free("record")
        self._destroy_killed()
        return self._new_snapshot(base=base)

    def _check_rebuilt(self, decoded: Callable[[], Snapshot]) -> None:
        """With `check`, raise `SaveError` if a snapshot from bytes cannot be loaded as it was."""
        if self._coverage is not None:
            with PausedCollector():
                snapshot = decoded()
                check = partial(
                    check_rebuilt, snapshot, self._world, self._game.prefabs
                )
                self._game.run_hooks(check)

    def _destroy_killed(self) -> None:
        """Destroy the added objects whose sprites the game has removed from all their groups.

        What their hooks add belongs to the snapshot that follows, and what these kill does not.
        """
        while killed := self._game.groups.take_killed():
            for key in killed:
                if (obj := self._world.at(key)) is not None:
                    self._destroy(obj)
            self._game.run_requests()

    def _step(self, base: Snapshot | None) -> Snapshot:
        """Return a snapshot for a `History`, without the objects that a rewind leaves alone."""
        self._check_free("record")
        self._destroy_killed()
        rewound = self._world.has_unrewound
        if base is not None:
            return self._new_snapshot(base=base, rewound=rewound)
        if not rewound:
            return self.create_snapshot()
        return self._new_snapshot(strict=self._coverage is not None, rewound=True)

    def _components_with_before_save(self, part: Selection | None) -> list[Any]:
        """Return the added components of a part of the world that have `@before_save`."""
        world = self._world
        return [
            component
            for key, component in world.with_hook("before_save").items()
            if key > 0 and (part is None or part.includes(key))
        ]

    def _new_snapshot(
        self,
        part: Selection | None = None,
        base: Snapshot | None = None,
        strict: bool = False,
        rewound: bool = False,
    ) -> Snapshot:
        """Capture the world until all reached objects had their `@before_save` called."""
        new = self._components_with_before_save(part)
        called: set[int] = set()
        getters, groups = self._game.getters(), self._game.groups.by_state()
        try:
            for _ in range(_MAX_ROUNDS):
                # They may change objects that were already captured.
                self._game.run_hooks(
                    partial(hooks.before_save, self._world.registry, new)
                )
                with PausedCollector():
                    capture = Capture(self._world, part and part.anew(), base, rewound)
                    snapshot = self._game.run_hooks(
                        partial(capture.run, getters, groups)
                    )
                    if strict:
                        self._game.run_hooks(
                            partial(strict_capture.check, snapshot, self._world)
                        )
                self._game.groups.grouped |= capture.grouped
                reached = capture.reached_with_hooks()
                new = [obj for obj in reached if id(obj) not in called]
                if not new:
                    return snapshot
                called.update(map(id, new))
        except MemoryError:
            raise SaveError("there is not enough memory for the snapshot") from None
        except RecursionError as error:
            raise too_many_calls() from error
        finally:
            self._game.run_requests()
        raise SaveError(
            "`@before_save` hooks keep adding objects that have `@before_save` hooks; stop"
            " adding objects in them"
        )

    def apply_snapshot(
        self, snapshot: Snapshot, *, changed_only: bool = False
    ) -> LoadReport:
        """Bring the world to the state of a snapshot.

        Objects that exist both in the world and in the snapshot stay the same objects. Objects
        that the snapshot does not have are deactivated and returned to their pools. Missing
        objects are taken from their pools or built. At the end the `@on_activate` methods of all
        components are called, or with `changed_only` of those that changed: with `RELOADED`, or
        with `RESTORED` if the load created the object.

        If it fails, it raises `SaveApplyError`, which names the object, the field or the hook.
        The world is then as before, and the hooks were called again with `RELOADED`.
        """
        self._check_free("apply a snapshot")
        check_snapshot("snapshot", snapshot)
        try:
            return Load(self._game, snapshot, changed_only).apply()
        except MemoryError:  # before the load has begun
            raise SaveApplyError("there is not enough memory for the load") from None

    def restart(self, levels: Callable[[], object], snapshot: Snapshot) -> LoadReport:
        """Clear the world, call `levels` to load its levels, and apply a snapshot.

        If it raises `SaveApplyError` or another `SaveError`, the world is as it was before, with
        the same objects.
        """
        self._check_free("restart the world")
        check_snapshot("snapshot", snapshot)
        check_argument("levels", levels, Callable, "a function")

        def steps(_: Undo) -> LoadReport:
            self.clear()
            levels()
            return self.apply_snapshot(snapshot)

        return all_or_nothing(self._game, steps)

    def merge(self, snapshot: Snapshot) -> Merged:
        """Add a copy of all objects in a snapshot to the world; return the new keys by the old.

        The keys are those of all objects, including components, and objects that were only
        reached. The snapshot may come from another manager with the same registry. Placement ids
        and states are not copied. Data that this version of the game does not know is not copied
        either; the `left_out` of the result counts the preserved objects by class, and the
        preserved values by field. If it raises `SaveApplyError`, the world is unchanged.
        """
        self._check_free("merge a snapshot")
        check_snapshot("snapshot", snapshot)
        return Load(self._game, snapshot, changed_only=False).merge()

    # -- state outside the world

    @property
    def groups(self) -> Groups:
        """The sprite groups whose sprites are saved with the world, by names of your choice.

        `manager.groups["enemies"] = enemies` is enough: the sprites in the group need no `add`,
        and after `kill()` a sprite is no longer saved. A value is a group of pygame-ce, or an
        `arcade.SpriteList`. A load changes which sprites the group has, their order and their
        layers; the group stays the same object, and sprites of classes that are not saveable
        stay in it.
        """
        return self._game.groups

    @property
    def before_load(self) -> list[Callable[[], object]]:
        """Functions to call before a load, for example to stop physics or sound."""
        return self._game.before_load

    @property
    def after_load(self) -> list[Callable[[], object]]:
        """Functions to call after a load and its `@on_activate` hooks."""
        return self._game.after_load

    def add_state(
        self, name: str, get: Callable[[], Any], set: Callable[[Any], object]
    ) -> None:
        """Save the value that `get` returns with the world; a load passes it to `set`.

        The value can be plain data, an object of a saveable class, or a container of these.

        >>> from savegen.runtime.generated.registry import FORMAT, Registry
        >>> manager = SaveLoadManager(Registry(FORMAT, ()))
        >>> import random
        >>> manager.add_state("dice", random.getstate, random.setstate)
        >>> before = manager.create_snapshot()
        >>> first = random.random()
        >>> _ = manager.apply_snapshot(before)
        >>> random.random() == first
        True
        """
        check_argument("name", name, str, "a str")
        check_text("the name of a state", name)
        check_argument("get", get, Callable, "a function")
        check_argument("set", set, Callable, "a function")
        if name in self._game.states or name in self._game.groups.by_state():
            raise SaveError(f"a state {name!r} was already added; choose another name")
        self._game.states[name] = (get, set)

    def add_root(
        self, name: str, get: Callable[[], Any], set: Callable[[Any], object]
    ) -> None:
        """Save the object that `get` returns, and all objects that it refers to, with the world.

        Use it for an object that a global variable or an attribute of the game holds, for
        example `manager.add_root("player", lambda: game.player, set_player)`. Call it once; a
        save always contains the object that `get` returns then. A load passes the object, or
        `None`, to `set`.
        """
        self.add_state(name, get, set)

    # -- prefabs and pools

    def pool(self, prefab: Any, *, capacity: int = 64, warm: int = 0) -> ObjectPool:
        """Return the pool of a prefab; create it at the first call.

        From then on, destroyed objects of the prefab are kept, to be used again by `spawn`.
        The pool holds at most `capacity` objects; `warm` is how many are built immediately.
        """
        self._check_thread()
        check_argument("capacity", capacity, int, "an int")
        check_argument("warm", warm, int, "an int")
        pools = self._game.pools
        _check_prefab(prefab)
        if prefab not in pools:
            create = self._game.factory(prefab)
            pools[prefab] = ObjectPool(self._world.registry, create, capacity)
            pools[prefab].warm(warm)
        return pools[prefab]

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise SaveError("a manager can only be used in the thread that created it")


def _check_prefab(prefab: object) -> None:
    try:
        hash(prefab)
    except TypeError:
        raise wrong_argument("prefab", "the type of a prefab", prefab) from None

"""`Game`: the prefabs, pools, states and callbacks of a manager, and the requests of hooks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from typing import Any, Protocol, TypeVar

from savegen.runtime.world import hooks
from savegen.runtime.world.assets import OnUnknown
from savegen.runtime.errors import (
    SaveApplyError,
    SaveError,
    describe_error,
    nearest,
)
from savegen.runtime.world.groups import Groups
from savegen.runtime.marks import Activation
from savegen.runtime.world.objects import SlotMapReference, with_components
from savegen.runtime.world.pools import ObjectPool
from savegen.runtime.values.libraries.sprites import take_out
from savegen.runtime.world.world import World

T = TypeVar("T")


class PrefabTable(Protocol):
    """What a game needs of a `PrefabInfo`: its prefabs, by type."""

    def get_prefab(self, type: int, /) -> Any:
        """Return the prefab of a type. Raises `SaveError` if there is none."""

    def __iter__(self) -> Iterator[Any]:
        """Return an iterator over the prefabs."""

    def __contains__(self, type: object, /) -> bool:
        """Return whether there is a prefab of a type."""


class Game:
    """What a manager and its loads share, besides the objects of the world."""

    def __init__(
        self,
        world: World,
        prefabs: PrefabTable | Mapping[Any, Callable[[], Any]],
        on_unknown: OnUnknown,
        check: Callable[[], object] = int,
    ) -> None:
        """Create a game; `check` raises an error in a thread that may not use it."""
        self.world = world
        self.prefabs = prefabs
        is_mapping = isinstance(prefabs, Mapping)
        types = prefabs if is_mapping else (each.type for each in prefabs)
        # The numbers of prefabs that have no objects.
        self.static: frozenset[int] = frozenset()
        if not is_mapping:
            self.static = frozenset(int(each.type) for each in prefabs if each.static)
        world.prefab_types = {type: type for type in types} | world.prefab_types
        self.on_unknown = on_unknown
        self.pools: dict[Any, ObjectPool] = {}
        # By name: the functions that read and set each state.
        self.states: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {}
        self.groups = Groups(world, check)
        self.before_load: list[Callable[[], object]] = []
        self.after_load: list[Callable[[], object]] = []
        self.is_busy = False  # while it is, requests of hooks wait
        # While a step runs that may be undone: the components that it made active, by `id`.
        self.activated: dict[int, Any] | None = None
        # Each step with the object that it adds to the world, or `None`.
        self._requests: list[tuple[Callable[[], object], Any]] = []

    # -- prefabs and pools

    def factory(self, prefab: Any) -> Callable[[], Any]:
        """Return the function that builds a new object. Raises `SaveError` if there is none."""
        self.check_not_static(prefab)
        if not isinstance(self.prefabs, Mapping):
            build = self.prefabs.get_prefab(prefab).build
            return partial(build, self.world.assets, self.world.registry)
        try:
            return self.prefabs[prefab]
        except KeyError:
            if missing := self.world.registry.missing_prefab(prefab):
                raise SaveError(f"there are no objects of {missing}") from None
            names = [name for name in self.prefabs if isinstance(name, str)]
            has_name = isinstance(prefab, str) and names
            suggestion = nearest(prefab, names) if has_name else repr(prefab)
            raise SaveError(f"there is no prefab {suggestion}") from None

    def check_not_static(self, prefab: Any) -> None:
        """Raise `SaveError` if a prefab is static, so that the world has no objects of it."""
        if self.static and prefab in self.static:
            name = prefab.name if isinstance(prefab, Enum) else prefab
            raise SaveError(
                f"the prefab {name} is static: it has no objects, only rectangles in"
                " `Level.static`; remove `static=True` from its `@prefab` to have objects"
            )

    def builder(self, prefab: Any) -> Callable[[], Any]:
        """Return the function that builds an object, or takes it from its pool."""
        pool = self.pools.get(prefab)
        return self.factory(prefab) if pool is None else pool.create_from_pool

    def build_for_load(self, prefab: Any) -> Any:
        """Build a missing object for a load, without changing the state of `random`."""
        state = random.getstate()
        try:
            obj = self.builder(prefab)()
            self.remember_built(obj)
            return obj
        finally:
            random.setstate(state)

    def remember_built(self, obj: Any) -> None:
        """Track the components that the construction of an object has made active."""
        self.remember_active(filter(self._is_active_when_built, with_components(obj)))

    def _is_active_when_built(self, component: Any) -> bool:
        """Return whether no `@on_activate` makes a component active; its `__init__` may."""
        try:
            entry = self.world.registry.entry_of(type(component))
        except SaveError:  # it cannot be added to the world
            return False
        return bool(entry.on_deactivate) and not entry.on_activate

    def discard_built(self, obj: Any, prefab: Any, error: BaseException) -> None:
        """Undo the building of an object that did not come into the world because of an error."""
        attempts = hooks.Attempts()
        active = filter(self._is_active_when_built, with_components(obj))
        self.deactivate_new(active, attempts)
        self.put_away(obj, prefab)
        attempts.report(error)

    def put_away(self, obj: Any, prefab: Any) -> None:
        """Return an object that was built, but does not stay in the world, to its pool.

        It leaves the groups that its construction has put it into.
        """
        for part in with_components(obj):
            take_out(part)
        self.return_to_pool(obj, prefab)

    def return_to_pool(self, obj: Any, prefab: Any) -> None:
        """Return an object that is not in the world to its pool, if it has one."""
        if prefab in self.pools:
            self.pools[prefab].return_to_pool(obj)

    def discard(self, record: SlotMapReference) -> None:
        """Remember a removed object as destroyed, and return it to its pool."""
        self.world.remember_destroyed(record)
        self.return_to_pool(record.object, record.built_from)

    # -- hooks, whose requests wait until the hooks have run

    def remember_active(self, components: Iterable[Any]) -> None:
        """Remember components as active because of the step that runs, if it may be undone."""
        if self.activated is not None:
            self.activated.update((id(each), each) for each in components)

    def activate(self, components: Iterable[Any], reason: Activation) -> None:
        """Call the `@on_activate` methods of components. Raises `HookError` if one raises."""
        for component in components:
            if self.activated is not None:
                # Before the call: a hook that raises may have done half of its work.
                self.activated[id(component)] = component
            hooks.activate(self.world.registry, (component,), reason)

    def deactivate(self, components: Iterable[Any]) -> None:
        """Call the `@on_deactivate` methods of components. Raises `HookError` if one raises."""
        for component in components:
            if self.activated is not None:
                self.activated.pop(id(component), None)
            hooks.deactivate(self.world.registry, (component,))

    def deactivate_new(
        self, components: Iterable[Any], attempts: hooks.Attempts
    ) -> None:
        """Deactivate components that will not stay in the world, because a step is undone."""
        for component in components:
            step = partial(self.deactivate, (component,))
            name = type(component).__qualname__
            attempts.run(f"deactivating a new `{name}`", partial(self.run_hooks, step))

    def run_hooks(self, step: Callable[[], T]) -> T:
        """Run a step that calls code of the game; requests of its hooks wait until later."""
        outer = self.is_busy
        try:
            self.is_busy = True
            return step()
        finally:
            self.is_busy = outer

    def run_when_free(self, step: Callable[[], object], adds: Any = None) -> None:
        """Run a step, which may add an object, now; inside a hook, after the hooks have run."""
        self._requests.append((step, adds))
        if not self.is_busy:
            self.run_requests()

    def run_requests(self) -> None:
        """Run the steps that wait; if one raises, drop the others."""
        while self._requests:
            try:
                step, _ = self._requests.pop(0)
                step()
            except BaseException:
                self._requests.clear()
                raise

    def waiting(self) -> set[int]:
        """Return the `id` of each object and component that a step which waits will add."""
        added = [obj for _, obj in self._requests if obj is not None]
        return {id(part) for obj in added for part in with_components(obj)}

    def drop_requests(self) -> None:
        """Drop the steps that wait, and let the next ones run at once."""
        self._requests.clear()
        self.is_busy = False

    # -- states, and other code of the game

    def getters(self) -> dict[str, Callable[[], Any]]:
        """Return the function that reads each state, by name."""
        return {name: get for name, (get, _) in self.states.items()}

    def set_states(self, values: dict[str, Any]) -> None:
        """Set states. If one cannot be set, raise a `SaveApplyError` with its name."""
        for name, value in values.items():
            try:
                self.states[name][1](value)
            except Exception as error:
                raise SaveApplyError(
                    f"the state {name!r} cannot be set: {describe_error(error)}"
                ) from error

    def call(self, callbacks: Iterable[Callable[[], object]]) -> None:
        """Call functions of the game. If one raises, raise a `SaveApplyError` with its name."""
        for callback in list(callbacks):
            try:
                callback()
            except Exception as error:
                name = getattr(callback, "__qualname__", type(callback).__qualname__)
                raise SaveApplyError(
                    f"`{name}` raised {describe_error(error)}"
                ) from error

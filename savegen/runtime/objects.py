"""The objects of a world: several components under one key, or one that stands alone."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, repeat
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec.structs import replace

from savegen.runtime import checks
from savegen.runtime.components import SaveLoadable
from savegen.runtime.errors import SaveError
from savegen.runtime.keys import SlotKey
from savegen.runtime.registry import ClassEntry
from savegen.runtime.rows import Rows

C = TypeVar("C")
Vector = tuple[float, float, float]

OBJECT = -1  # in a key, where a component's number stands: the object itself


class SlotMapReference(msgspec.Struct, frozen=True, eq=False):
    """What a world knows of one object beside the object itself.

    `prefab` is what it is built from when a load finds it missing, `placement` the id that
    its level gave it. One that is not `registered` was only met as a reference.

    >>> from savegen.runtime import SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> camp = manager.add(GameObject(), placement="camp 1", level="valley")
    >>> record = manager.record_of(camp)
    >>> record.key, record.level, record.registered
    (SlotKey(index=0, generation=1), 'valley', True)
    """

    key: SlotKey
    object: Any
    prefab: int | None = None
    placement: str | None = None
    level: str | None = None
    registered: bool = True
    built_from: int | None = None  # whose pool it came from, whatever `prefab` says now

    def with_key(self, key: SlotKey) -> SlotMapReference:
        return replace(self, key=key)

    def with_prefab(self, prefab: int | None) -> SlotMapReference:
        return replace(self, prefab=prefab)

    def built(self, thing: Any) -> SlotMapReference:
        return replace(self, object=thing, built_from=self.prefab)

    def unplaced(self) -> SlotMapReference:
        return replace(self, placement=None)

    def with_object(self, thing: Any) -> SlotMapReference:
        return replace(self, object=thing)


@dataclass(slots=True)
class Transform:
    """Where an object is: position and scale along three axes, rotation in degrees.

    >>> Transform(position=(3.0, 4.0, 0.0)).scale
    (1.0, 1.0, 1.0)
    """

    position: Vector = (0.0, 0.0, 0.0)
    scale: Vector = (1.0, 1.0, 1.0)
    rotation: float = 0.0


class _OwnTypes(IntEnum):
    GAME_OBJECT = -1  # a generated number is never negative


class GameObject(SaveLoadable):
    """Components that live and are saved together, at one place.

    A component's number is the one of its part, or the next that no component of the object
    ever had: it says in keys which one is meant.

    >>> class Body(SaveLoadable): ...
    >>> class Turret(SaveLoadable): ...
    >>> tank = GameObject(Body())
    >>> turret = tank.add_component(Turret(), part="turret")
    >>> tank.get(Turret) is tank.part("turret") is turret, len(tank.components)
    (True, 2)
    """

    __slots__ = (
        "__weakref__",
        "_children",
        "_components",
        "_next_number",
        "_parent",
        "_parts",
        "_retired",
        "active",
        "transform",
        "watcher",
    )
    save_type: ClassVar[IntEnum] = _OwnTypes.GAME_OBJECT

    def __init__(
        self,
        *components: Any,
        parent: GameObject | None = None,
        position: Vector | None = None,
    ) -> None:
        # Whether it takes part in the game; setting it calls no hook.
        self.active = True
        self.transform = Transform()
        self._children: tuple[GameObject, ...] = ()
        self._components: tuple[tuple[int, Any], ...] = ()
        self._next_number = 0
        self._parent: GameObject | None = None
        self._parts: tuple[tuple[str, int], ...] = ()
        # Numbers of components that were taken away.
        self._retired: tuple[int, ...] = ()
        # The world, once it is part of one: told of components that come and go.
        self.watcher: Watcher | None = None
        for component in components:
            self.add_component(component)
        self.parent = parent
        if position is not None:
            self.transform.position = position

    @property
    def components(self) -> tuple[Any, ...]:
        """The components, in the order in which they were added."""
        return tuple([component for _, component in self._components])

    @property
    def numbered(self) -> tuple[tuple[int, Any], ...]:
        """The components with their numbers."""
        return self._components

    @property
    def part_numbers(self) -> dict[str, int]:
        """The numbers of the components that are called by a name."""
        return dict(self._parts)

    def add_component(
        self, component: C, part: str | None = None, number: int | None = None
    ) -> C:
        """Add a component at the end, and return it; at any time, and two of one class too.

        In a world its `@on_activate` methods are called. Raises `SaveError` if it belongs to an
        object already, or if its number was in use.
        """
        if number is None:
            number = self._next_number
        if number in self._retired or number in dict(self._components):
            raise SaveError(f"the object has had a component number {number} already")
        if any(component is each for _, each in self._components):
            raise SaveError("the object has this component already")
        if self.watcher is not None:
            self.watcher.component_added(self, component, number)
        self._next_number = max(self._next_number, number + 1)
        self._components += ((number, component),)
        if part is not None:
            self._parts += ((part, number),)
        if self.watcher is not None:
            self.watcher.component_joined(component)
        return component

    def remove_component(self, component: Any) -> None:
        """Take a component away; in a world its `@on_deactivate` methods are called first.

        Raises `SaveError` if the object does not have it.
        """
        number = next((n for n, each in self._components if each is component), None)
        if number is None:
            raise SaveError("the object does not have this component")
        if self.watcher is not None:
            self.watcher.component_removed(self, component)
        self._components = tuple(c for c in self._components if c[0] != number)
        self._retired += (number,)
        self._parts = tuple(part for part in self._parts if part[1] != number)

    def get(self, cls: type[C]) -> C | None:
        """Return the first component of a class or of a subclass; `None` without one."""
        return next((c for c in self.components if isinstance(c, cls)), None)

    def part(self, name: str) -> Any:
        """Return the component that is called `name`. Raises `SaveError` if none is."""
        number = dict(self._parts).get(name)
        for taken, component in self._components:
            if taken == number:
                return component
        raise SaveError(f"the object has no part called {name!r}")

    @property
    def parent(self) -> GameObject | None:
        """The object that this one belongs to and is destroyed with.

        Setting it raises `SaveError` if the object would come to belong to itself.
        """
        return self._parent

    @parent.setter
    def parent(self, parent: GameObject | None) -> None:
        above = parent
        while above is not None:
            if above is self:
                raise SaveError("an object cannot be its own parent")
            above = above._parent
        if self._parent is not None:
            others = self._parent._children
            self._parent._children = tuple(c for c in others if c is not self)
        self._parent = parent
        if parent is not None:
            parent._children += (self,)

    def mend(self, gone: Container[int]) -> None:
        """Forget a parent that is gone, and children that have another one."""
        if self._parent is not None and id(self._parent) in gone:
            self._parent = None
        self._children = tuple(c for c in self._children if c._parent is self)

    def adopt(self, child: GameObject) -> None:
        """Add to the children one that has this object as its parent."""
        self._children += (child,)

    def orphan(self) -> None:
        """Leave parent and children: the object and all of them are destroyed."""
        self._parent, self._children = None, ()

    @property
    def children(self) -> tuple[GameObject, ...]:
        """The objects that have this one as their parent."""
        return self._children


class Watcher:
    """Told when a component joins or leaves an object of a world."""

    def component_added(self, owner: GameObject, component: Any, number: int) -> None:
        raise NotImplementedError

    def component_joined(self, component: Any) -> None:
        raise NotImplementedError

    def component_removed(self, owner: GameObject, component: Any) -> None:
        raise NotImplementedError


# -- the rows of game objects: what is generated for other classes is written here by hand

_WIDTH = 10


def _row(o: GameObject) -> tuple[Any, ...]:
    place = o.transform
    return (
        o.active,
        o._parent,
        o._children,
        o._components,
        o._parts,
        o._retired,
        o._next_number,
        (*place.position,),
        (*place.scale,),
        place.rotation,
    )


def _capture(objects: Iterable[GameObject]) -> list[Any]:
    return [cell for o in objects for cell in _row(o)]


def _restore(objects: Iterable[GameObject], rows: list[Any]) -> None:
    cells = iter(rows)
    for o, active, _, _, _, parts, retired, number, position, scale, rotation in zip(
        objects, *[cells] * _WIDTH
    ):
        o.active, o._parts, o._retired, o._next_number = active, parts, retired, number
        o.transform.position, o.transform.scale = position, scale
        o.transform.rotation = rotation


def _link(objects: Iterable[GameObject], rows: list[Any]) -> None:
    columns = rows[1::_WIDTH], rows[2::_WIDTH], rows[3::_WIDTH]
    for o, parent, children, components in zip(objects, *columns):
        o._parent, o._children, o._components = parent, children, components


def _relink(rows: list[Any], resolve: Callable[[Any], Any]) -> list[Any]:
    made = rows.copy()
    made[1::_WIDTH] = [resolve(parent) for parent in rows[1::_WIDTH]]
    made[2::_WIDTH] = [
        tuple(child for child in map(resolve, children) if child is not None)
        for children in rows[2::_WIDTH]
    ]
    made[3::_WIDTH] = [
        tuple((number, resolve(component)) for number, component in components)
        for components in rows[3::_WIDTH]
    ]
    return made


def _reach(rows: list[Any]) -> list[Any]:
    components = chain.from_iterable(rows[3::_WIDTH])
    return [
        *rows[1::_WIDTH],
        *chain.from_iterable(rows[2::_WIDTH]),
        *(component for _, component in components),
    ]


VECTOR = checks.Places(checks.FLOAT, checks.FLOAT, checks.FLOAT)
_CHECKS = {
    "active": checks.BOOL,
    "parent": checks.optional(checks.REFERENCE),
    "children": checks.tuple_of(checks.REFERENCE),
    "components": checks.tuple_of(checks.Places(checks.INT, checks.REFERENCE)),
    "parts": checks.tuple_of(checks.Places(checks.STR, checks.INT)),
    "retired": checks.tuple_of(checks.INT),
    "next_number": checks.INT,
    "position": VECTOR,
    "scale": VECTOR,
    "rotation": checks.FLOAT,
}


def components_of(thing: Any) -> tuple[Any, ...]:
    """Return the components of an object; one that stands alone is its own."""
    return thing.components if isinstance(thing, GameObject) else (thing,)


def whole(thing: Any) -> tuple[Any, ...]:
    """Return an object and its components."""
    return (thing, *thing.components) if isinstance(thing, GameObject) else (thing,)


def components_in(row: list[Any]) -> tuple[tuple[int, Any], ...]:
    """Return the numbered components that a row tells of."""
    found: tuple[tuple[int, Any], ...] = row[3]
    return found


def retired_in(row: list[Any]) -> tuple[int, ...]:
    """Return the numbers of former components that a row tells of."""
    found: tuple[int, ...] = row[5]
    return found


def blank_objects(count: int) -> list[GameObject]:
    """Make objects that are nowhere and have nothing yet."""
    made = [*map(GameObject.__new__, repeat(GameObject, count))]
    for each in made:
        each.transform, each.watcher = Transform(), None
        each._parent, each._children, each._components = None, (), ()
        each._parts, each._retired, each._next_number, each.active = (), (), 0, True
    return made


def with_parts(
    row: list[Any], thing: GameObject, new: tuple[tuple[int, Any], ...]
) -> list[Any]:
    """Return a row with more components: those of `thing`, called as they are there."""
    numbers = dict(new)
    names = tuple((name, n) for name, n in thing.part_numbers.items() if n in numbers)
    made = [*row]
    made[3], made[4] = (*row[3], *new), (*row[4], *names)
    made[6] = max(row[6], *(number + 1 for number in numbers))
    return made


GAME_OBJECT = ClassEntry(
    GameObject,
    lambda: None,
    Rows(_CHECKS, _capture, None, _restore, _link, None, _relink, _reach),
)


def walk(top: GameObject) -> Iterator[GameObject]:
    """Yield an object and all that belong to it, children first."""
    waiting, found = [top], []
    while waiting:
        found.append(waiting.pop())
        waiting += found[-1]._children
    yield from reversed(found)

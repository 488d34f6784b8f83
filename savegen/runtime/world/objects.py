"""`GameObject`: an object of several components with one key, a transform and a parent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import itemgetter
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from savegen.runtime.values.references import NO_REFERENCES, References
from savegen.runtime.values.saveable import ParamNameMapping, SaveLoadable
from savegen.runtime.generated.components import checks_rows
from savegen.runtime.errors import SaveError, check_object, wrong_argument
from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.generated.registry import GAME_OBJECT_NUMBER
from savegen.runtime.values.rows import UNSET, Key, Row, misfit

C = TypeVar("C")
Vector = tuple[float, float, float]


class Watcher(Protocol):
    """What is told of the components that a `GameObject` adds and removes: its world."""

    def adding_component(self, owner: GameObject, component: Any, number: int) -> None:
        """Prepare for a component; raise `SaveError` if it cannot be added."""

    def added_component(self, component: Any) -> None:
        """Activate a component that was added."""

    def removing_component(self, owner: GameObject, component: Any) -> None:
        """Deactivate a component that is about to be removed."""


class SlotMapReference(msgspec.Struct, frozen=True, eq=False):
    """The manager's record of one object.

    If the object is missing, a load builds it from `prefab`. `placement` is the id that its
    level gave it. If it is not `registered`, it was not added, but reached by a reference.

    >>> from savegen.runtime import SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> camp = manager.add(GameObject(), placement="camp 1", level="valley")
    >>> record = manager.record_of(camp)
    >>> record.key, record.level, record.registered
    (1, 'valley', True)
    """

    key: Key
    object: Any
    prefab: int | None = None
    placement: str | None = None
    level: str | None = None
    registered: bool = True
    built_from: int | None = None  # the prefab that built it; `prefab` may be set later


@dataclass(slots=True)
class Transform:
    """The position, scale and rotation of an object. The rotation is in degrees.

    >>> Transform(position=(3.0, 4.0, 0.0)).scale
    (1.0, 1.0, 1.0)
    """

    position: Vector = (0.0, 0.0, 0.0)
    scale: Vector = (1.0, 1.0, 1.0)
    rotation: float = 0.0


class GameObjectType(IntEnum):
    """The class number of `GameObject`; a generated number is never negative."""

    GAME_OBJECT = GAME_OBJECT_NUMBER


class GameObjectFields(IntEnum):
    """The field numbers of `GameObject`."""

    ACTIVE = 1
    PARENT_REF = 2
    CHILDREN_REF = 3
    COMPONENTS_REF = 4
    PARTS = 5
    RETIRED = 6
    NEXT_NUMBER = 7
    POSITION = 8
    SCALE = 9
    ROTATION = 10


class GameObjectData(Row, gc=False):
    """The row of a `GameObject`."""

    __numbers__ = GameObjectFields

    active: bool
    parent: Key
    children: list[Key]
    components: list[tuple[int, Key]]
    parts: list[tuple[str, int]]
    retired: list[int]
    next_number: int
    # With `float` alone, a decoder would convert each int to a float.
    position: tuple[int | float, int | float, int | float]
    scale: tuple[int | float, int | float, int | float]
    rotation: int | float


@checks_rows(GameObjectData)
class GameObject(SaveLoadable):
    """An object of several components, which are saved and destroyed together.

    Each component has a number in its object: the stable number of its part, or the next number
    that no component of the object has had. Saves use it to find the component.

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
    class_entry: ClassVar[ClassEntry]  # by which every registry knows the class
    save_type: ClassVar[IntEnum] = GameObjectType.GAME_OBJECT
    SaveLoadFields: ClassVar[type[IntEnum]] = GameObjectFields
    save_load_field_names: ClassVar[Mapping[str, int]] = {
        field.name.removesuffix("_REF").lower(): field for field in GameObjectFields
    }

    def __init__(
        self,
        *components: Any,
        parent: GameObject | None = None,
        position: Vector | None = None,
    ) -> None:
        # For use by the game; setting it calls no hook.
        self.active = True
        self.transform = Transform()
        self._children: tuple[GameObject, ...] = ()
        self._components: tuple[tuple[int, Any], ...] = ()
        self._next_number = 0
        self._parent: GameObject | None = None
        self._parts: tuple[tuple[str, int], ...] = ()
        # Numbers of removed components.
        self._retired: tuple[int, ...] = ()
        # The world that the object is in, if any, which is told of its components.
        self.watcher: Watcher | None = None
        for component in components:
            self.add_component(component)
        self.parent = parent
        if position is not None:
            self.transform.position = position

    def __repr__(self) -> str:
        names = ", ".join(type(component).__qualname__ for component in self.components)
        return f"<GameObject: {names}>" if names else "<GameObject>"

    @property
    def components(self) -> tuple[Any, ...]:
        """The components, in the order in which they were added."""
        return (*map(_second, self._components),)

    @property
    def numbered(self) -> tuple[tuple[int, Any], ...]:
        """The components with their numbers."""
        return self._components

    @property
    def part_numbers(self) -> dict[str, int]:
        """The numbers of the named components, by name."""
        return dict(self._parts)

    def add_component(
        self, component: C, part: str | None = None, number: int | None = None
    ) -> C:
        """Add a component, as the last one, and return it.

        An object can have several components of one class. If the object is in a world, the
        `@on_activate` methods of the component are called. Raises `SaveError` if the component
        belongs to an object already, or if the number was used before.
        """
        check_object("component", component)
        if number is None:
            number = self._next_number
        if number in self._retired or number in dict(self._components):
            raise SaveError(
                f"the object has or had a component with the number {number};"
                " numbers are not used again"
            )
        if any(component is other for _, other in self._components):
            raise SaveError(
                "the object already has this component; add another instance of its class"
            )
        if self.watcher is not None:
            self.watcher.adding_component(self, component, number)
        self._next_number = max(self._next_number, number + 1)
        self._components += ((number, component),)
        if part is not None:
            self._parts += ((part, number),)
        if self.watcher is not None:
            self.watcher.added_component(component)
        return component

    def remove_component(self, component: Any) -> None:
        """Remove a component. Raises `SaveError` if the object does not have it.

        If the object is in a world, the `@on_deactivate` methods of the component are called
        first.
        """
        number = next((n for n, c in self._components if c is component), None)
        if number is None:
            name = type(component).__qualname__
            raise SaveError(
                f"the object does not have this component, of class `{name}`"
            )
        if self.watcher is not None:
            self.watcher.removing_component(self, component)
        self._components = tuple(c for c in self._components if c[0] != number)
        self._retired += (number,)
        self._parts = tuple(part for part in self._parts if part[1] != number)

    def get(self, cls: type[C]) -> C | None:
        """Return the first component of a class or its subclasses, or `None`."""
        try:
            return next((c for c in self.components if isinstance(c, cls)), None)
        except TypeError:
            if isinstance(cls, type):
                raise
            raise wrong_argument("cls", "a class", cls) from None

    def part(self, name: str) -> Any:
        """Return the component with a name. Raises `SaveError` if there is none."""
        number = dict(self._parts).get(name)
        for component_number, component in self._components:
            if component_number == number:
                return component
        raise SaveError(f"the object has no part called {name!r}")

    @property
    def parent(self) -> GameObject | None:
        """The object that this one belongs to; if the parent is destroyed, so is this object.

        Setting it raises `SaveError` if the object would become its own ancestor.
        """
        return self._parent

    @parent.setter
    def parent(self, parent: GameObject | None) -> None:
        if not isinstance(parent, GameObject | None):
            raise wrong_argument("parent", "a `GameObject` or `None`", parent)
        ancestor = parent
        while ancestor is not None:
            if ancestor is self:
                raise SaveError("an object cannot be its own parent or ancestor")
            ancestor = ancestor._parent
        if self._parent is not None:
            siblings = self._parent._children
            self._parent._children = tuple(c for c in siblings if c is not self)
        self._parent = parent
        if parent is not None:
            parent._children += (self,)

    def orphan(self) -> None:
        """Remove the links to parent and children, because the whole family is destroyed."""
        self._parent, self._children = None, ()

    @property
    def children(self) -> tuple[GameObject, ...]:
        """The objects that have this one as their parent."""
        return self._children

    def save_data(self, references: References = NO_REFERENCES) -> Row:
        """Return the saved fields of `self`."""
        transform, key_of = self.transform, references.key_of
        return GameObjectData(
            active=v if type(v := self.active) is bool else misfit(v),
            parent=key_of(self._parent),
            children=[key_of(child) for child in self._children],
            components=[(n, key_of(component)) for n, component in self._components],
            parts=[*self._parts],
            retired=[*self._retired],
            next_number=self._next_number,
            position=_vector(transform.position),
            scale=_vector(transform.scale),
            rotation=_number(transform.rotation),
        )

    def load_data(self, data: Any, references: References = NO_REFERENCES) -> None:
        """Set the fields that `data` contains; leave the others unchanged."""
        at, transform = references.get_component, self.transform
        if data.active is not UNSET:
            self.active = data.active
        if data.parent is not UNSET:
            self._parent = at(data.parent)
        if data.children is not UNSET:
            children = map(at, data.children)
            self._children = tuple(child for child in children if child is not None)
        if data.components is not UNSET:
            numbered = ((n, at(key)) for n, key in data.components)
            self._components = tuple(item for item in numbered if item[1] is not None)
        if data.parts is not UNSET:
            self._parts = (*data.parts,)
        if data.retired is not UNSET:
            self._retired = (*data.retired,)
        if data.next_number is not UNSET:
            self._next_number = data.next_number
        if data.position is not UNSET:
            transform.position = data.position
        if data.scale is not UNSET:
            transform.scale = data.scale
        if data.rotation is not UNSET:
            transform.rotation = data.rotation

    @classmethod
    def get_param_name_mappings(cls) -> tuple[ParamNameMapping, ...]:
        """Return an empty tuple: level authors cannot set fields of game objects."""
        return ()


def _vector(value: Any) -> Any:
    """Return a vector as a tuple of three numbers; a list is allowed, too."""
    cell = value if type(value) is tuple else (*value,)
    if len(cell) != 3 or not _NUMBERS.issuperset(map(type, cell)):
        misfit(value)
    return cell


def _number(value: Any) -> Any:
    return value if type(value) in _NUMBERS else misfit(value)


_NUMBERS = frozenset([float, int])


def _differs(o: Any, row: Any, references: Any) -> bool:
    """Return whether a game object may differ from its row; compare values by identity."""
    at, transform = references.get_component, o.transform
    children, components = row.children, row.components
    if (
        transform.position is not row.position
        or transform.rotation is not row.rotation
        or transform.scale is not row.scale
        or o.active is not row.active
        or at(row.parent) is not o._parent
        or len(components) != len(o._components)
        or len(children) != len(o._children)
        or o._next_number is not row.next_number
    ):
        return True
    for (number, key), (own_number, component) in zip(components, o._components):
        if at(key) is not component or number is not own_number:
            return True
    for key, child in zip(children, o._children) if children else ():
        if at(key) is not child:
            return True
    parts, retired = o._parts, o._retired
    return bool(
        (parts or row.parts)
        and row.parts != [*parts]
        or (retired or row.retired)
        and row.retired != [*retired]
    )


def blank_game_object() -> GameObject:
    """Return an empty game object, for a load to fill."""
    obj = GameObject.__new__(GameObject)
    obj.transform, obj.watcher = Transform(), None
    obj._parent, obj._children, obj._components = None, (), ()
    obj._parts, obj._retired, obj._next_number, obj.active = (), (), 0, True
    return obj


def _import_nothing() -> None:
    pass


class _GameObjectEntry(ClassEntry):
    """The registry entry of `GameObject`; for all other classes it is generated."""

    def marked_class(self) -> type:
        return GameObject

    def differing(
        self, objects: Sequence[Any], rows: Sequence[Any], references: References
    ) -> list[int]:
        pairs = enumerate(zip(objects, rows))
        return [n for n, (o, row) in pairs if _differs(o, row, references)]

    @property
    def is_immutable(self) -> bool:  # except for a position that is a list
        return True

    def value_of(self, obj: Any, cell: str) -> Any:
        value = super().value_of(obj, cell)
        if cell in ("position", "scale"):
            return (*value,) if type(value) is list else value
        return [*value] if type(value) is tuple else value  # as cells are

    def blanks(self, cls: Any, number: int, *_: Any) -> list[Any]:
        return [blank_game_object() for _ in range(number)]


_VECTOR = "(float, float, float)"
GAME_OBJECT = _GameObjectEntry(
    GameObject,
    _import_nothing,
    row=GameObjectData,
    fields=(
        ("active", "bool"),
        ("_parent", "optional<ref<-1>>"),
        ("_children", "list<ref<-1>>"),
        ("_components", "list<(int, ref<0>)>"),
        ("_parts", "list<(str, int)>"),
        ("_retired", "list<int>"),
        ("_next_number", "int"),
        ("transform.position", _VECTOR),
        ("transform.scale", _VECTOR),
        ("transform.rotation", "float"),
    ),
)
GameObject.class_entry = GAME_OBJECT


_second = itemgetter(1)


def components_of(obj: Any) -> tuple[Any, ...]:
    """Return the components of a `GameObject`; for any other object, the object alone."""
    return obj.components if isinstance(obj, GameObject) else (obj,)


def with_components(obj: Any) -> tuple[Any, ...]:
    """Return an object, followed by its components if it is a `GameObject`."""
    return (obj, *obj.components) if isinstance(obj, GameObject) else (obj,)


def walk(root: GameObject) -> Iterator[GameObject]:
    """Yield an object and all its descendants, children before their parents."""
    queue, family = [root], []
    while queue:
        family.append(queue.pop())
        queue += family[-1]._children
    yield from reversed(family)

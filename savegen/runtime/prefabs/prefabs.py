"""`part` and `Prefab`: the declaration of a prefab, and how its objects are built."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from operator import is_
from typing import Any, Generic, ParamSpec, TypeVar, get_args, get_origin

from savegen.runtime.world.assets import AssetRegistry
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.world.building import (
    Copier,
    InvalidFieldValue,
    LocalKeys,
    pack_fields,
)
from savegen.runtime.errors import SaveError, nearest
from savegen.runtime.values.basics.named import find_loaded
from savegen.runtime.world.objects import GameObject, Vector
from savegen.runtime.snapshots.to_rows import own_row
from savegen.runtime.generated.registry import Registry
from savegen.runtime.values.rows import Row
from savegen.runtime.values.values import NO_VALUES

FORMAT = 1  # of generated tables; raised when this runtime cannot read older ones

P = ParamSpec("P")
C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)
_Class = type  # `Prefab` has a field called `type`


def part(cls: Callable[P, C], /, *args: P.args, **kwargs: P.kwargs) -> Part[C]:
    """Return the declaration of a component of a prefab: its class and constructor arguments.

    Type checkers check the arguments against the constructor. Lists, dicts, instances of plain
    classes and vectors are copied for each object; assets and all other values are shared.

    >>> class Gun:
    ...     def __init__(self, shots: int, owner: object = None): ...
    >>> class Tank:
    ...     body = part(dict)
    ...     gun = part(Gun, 3, owner=body.component)
    >>> Tank.gun.name, Tank.gun.cls.__name__
    ('gun', 'Gun')
    """
    return Part(cls, args, kwargs)


class Part(Generic[C_co]):
    """The declaration of one component of a prefab; `part` creates it.

    Its methods return a changed copy, so that a variant does not change its base prefab.
    """

    def __init__(
        self, cls: Callable[..., C_co], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.name = ""  # the attribute of the prefab's class
        self.cls = cls
        self.args = args
        self.kwargs = kwargs
        self.settings: dict[str, Any] = {}
        self.shown: dict[str, str | None] = {}
        self.former: tuple[str, ...] = ()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name  # another class may have set it already

    @property
    def component(self) -> C_co:
        """A stand-in for the component of this part, for the arguments of other parts.

        If a variant replaces this part, it stands for the component of the replacement.
        """
        return _FutureComponent(self)  # type: ignore[return-value]

    def set(self, /, **values: Any) -> Part[C_co]:
        """Return a copy that sets saved fields, by name, after all parts were constructed.

        >>> part(list).set(sight=9.0).settings
        {'sight': 9.0}
        """
        changed = self._copy()
        changed.settings |= values
        return changed

    def show(self, /, **names: str | None) -> Part[C_co]:
        """Return a copy that gives fields other names in levels; `None` hides a field.

        >>> part(list).show(ammo="left_ammo", ready=None).shown
        {'ammo': 'left_ammo', 'ready': None}
        """
        changed = self._copy()
        changed.shown |= names
        return changed

    def was(self, *names: str) -> Part[C_co]:
        """Return a copy with former names of the part, so that old saves find it.

        >>> part(list).was("cannon").former
        ('cannon',)
        """
        changed = self._copy()
        changed.former += names
        return changed

    def _copy(self) -> Part[C_co]:
        copied = Part(self.cls, self.args, self.kwargs)
        copied.former, copied.shown = self.former, {**self.shown}
        copied.settings = {**self.settings}
        return copied


class _FutureComponent:
    """A stand-in for a component that is not constructed yet."""

    __slots__ = ("part",)

    def __init__(self, part: Part[Any]) -> None:
        self.part = part


@dataclass(eq=False)
class Prefab:
    """One prefab of the generated table: its number, its class, and the numbers of its parts.

    >>> class Gun: ...
    >>> class Tank:
    ...     gun = part(Gun)
    >>> kinds = IntEnum("PrefabType", {"TANK": 7})
    >>> tank = Prefab(kinds.TANK, "Tank", "game.tanks", lambda: Tank, {"gun": 1234})
    >>> [(number, type(component).__name__) for number, component in tank.build().numbered]
    [(1234, 'Gun')]
    """

    type: IntEnum
    qualname: str
    module: str
    load: Callable[[], _Class] = field(repr=False)
    parts: Mapping[str, int]  # name → stable number, in the order of the components
    max_count: int | None = None  # the most objects of it that a level may place
    # Sets the position of an object, from x, y and z, in the attribute that the prefab names.
    place: Callable[[GameObject, float, float, float], None] | None = field(
        default=None, repr=False
    )
    # The name of this attribute in levels: a parameter, or "rect.center" inside of one. It is
    # empty if levels cannot set it.
    position: str = ""
    static: bool = False  # levels place no objects of it
    _plan: _BuildPlan | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        """The full name of its class: `module:qualname`."""
        return f"{self.module}:{self.qualname}"

    def load_class(self) -> _Class:
        """Return the class that declares the prefab; import its module if necessary."""
        cls = find_loaded(self.name)
        return cls if isinstance(cls, type) else self.load()

    @cached_property
    def declared(self) -> Mapping[str, Part[Any]]:
        """The parts by name, as the class declares them.

        Raises `SaveError` if the class and the generated table have different parts.
        """
        cls = self.load_class()
        if issubclass(cls, SaveLoadable):
            return {name: Part(cls, (), {}) for name in self.parts}
        parts = _parts_of(cls)
        for name in parts | dict.fromkeys(self.parts):
            if name not in parts:
                raise self._stale(f"has no part {name!r}", "outside of any condition")
            if name not in self.parts:
                raise self._stale(
                    f"has a new part {name!r}", f"in the form `{name} = part(…)`"
                )
        return {name: parts[name] for name in self.parts}

    @cached_property
    def classes(self) -> Mapping[int, _Class]:
        """The classes of the parts, by the numbers of the parts."""
        classes = {
            number: get_origin(self.declared[name].cls) or self.declared[name].cls
            for name, number in self.parts.items()
        }
        return {n: cls for n, cls in classes.items() if isinstance(cls, _Class)}

    def place_at(self, obj: GameObject, point: Vector, given: Container[str]) -> None:
        """Put an object at a point, unless the parameters `given` contain its position."""
        if self.place is not None and self.position not in given:
            self.place(obj, *point)

    def _stale(self, fault: str, form: str) -> SaveError:
        """Return an error for a table that is old, or a class that savegen cannot read."""
        advice = f"run `savegen prefabs`; it reads parts that are written {form}"
        return SaveError(f"the prefab `{self.qualname}` {fault}: {advice}")

    def build(
        self, assets: AssetRegistry | None = None, registry: Registry | None = None
    ) -> GameObject:
        """Return a new object with a component for each part.

        Values in `assets` are shared, not copied. Exceptions of constructors are not caught.
        Raises `SaveError` if the generated table is out of date, if parts need each other to be
        constructed, or if a field is set to a value that does not fit its type in `registry`.
        """
        if self._plan is None or self._plan.tables != (assets, registry):
            self._plan = _BuildPlan(self, assets, registry)
        obj = GameObject()
        components = self._plan.components()
        for (name, number), component in zip(self.parts.items(), components):
            obj.add_component(component, part=name, number=number)
        return obj


def _parts_of(cls: type) -> dict[str, Part[Any]]:
    names = dict.fromkeys(
        name
        for base in reversed(cls.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, Part)
    )
    attributes = {name: getattr(cls, name) for name in names}
    return {name: part for name, part in attributes.items() if isinstance(part, Part)}


class _BuildPlan:
    """Builds the components of a prefab's objects. It keeps what is the same for each object."""

    def __init__(
        self, prefab: Prefab, assets: AssetRegistry | None, registry: Registry | None
    ) -> None:
        self.tables = assets, registry
        self.prefab = prefab
        self.declared = prefab.declared
        # Parts whose arguments contain nothing that has to be copied for each object.
        self.shares: set[str] = set()
        values = NO_VALUES if registry is None else registry.values
        self._keys = LocalKeys((), assets, values=values)
        # For each field to set: index of the component, part, field, and row with the value.
        # `None` until the first object is built.
        self._rows: list[tuple[int, str, str, Row]] | None = None

    def components(self) -> list[Any]:
        """Return the components of a new object, in the order of its parts."""
        if self._rows is not None and len(self.shares) == len(self.declared):
            parts = self.declared.values()
            components = [part.cls(*part.args, **part.kwargs) for part in parts]
        else:
            builder = _Builder(self)
            components = [builder.component(name) for name in self.declared]
            if self._rows is None:
                self._keys = self._keys.with_parts(components)
                self._rows = [*self._rows_to_set(builder, components)]
        if self._rows:
            self._set(components, self._rows)
        return components

    def _set(
        self, components: list[Any], rows: list[tuple[int, str, str, Row]]
    ) -> None:
        keys = self._keys.with_parts(components)
        for place, part, name, row in rows:
            component = components[place]
            # The game's own `load_data` may keep lists of the row.
            if hasattr(component, "save_data_"):
                row = own_row(row, row.__struct_fields__)
            try:
                component.load_data(row, keys)
            except Exception as error:
                where = f"`{part}` of `{self.prefab.qualname}`"
                error.add_note(f"while setting `{name}` in the part {where}")
                raise
        keys.finish()

    def _rows_to_set(
        self, builder: _Builder, components: list[Any]
    ) -> Iterator[tuple[int, str, str, Row]]:
        """Yield the fields to set, with rows that can be loaded into each new object."""
        for place, (name, part) in enumerate(self.declared.items()):
            for field_name, value in part.settings.items():
                copied = builder.copy(value)
                row = self._row(name, components[place], field_name, copied)
                yield place, name, field_name, row

    def _row(self, part: str, component: Any, name: str, value: Any) -> Row:
        cls, (_, registry) = type(component), self.tables
        where = f"the part {part!r} of `{self.prefab.qualname}`"
        if name not in cls.save_load_field_names:
            suggestion = nearest(name, cls.save_load_field_names)
            raise SaveError(
                f"{where} sets {name!r}: `{cls.__qualname__}` has no saved field"
                f" {suggestion}"
            )
        entry = None if registry is None else registry[int(cls.save_type)]
        try:
            return pack_fields(cls, {name: value}, self._keys, entry)
        except InvalidFieldValue as error:
            raise SaveError(f"{where} cannot set {name!r}: {error}") from None


class _Builder:
    """Constructs the components of one object, each after those that its arguments need."""

    def __init__(self, plan: _BuildPlan) -> None:
        self._plan = plan
        self._components: dict[str, Any] = {}
        self._open: list[str] = []  # parts whose construction has begun
        assets, registry = plan.tables
        values = NO_VALUES if registry is None else registry.values
        # Copies a value and replaces stand-ins in it with components.
        self.copy = Copier(assets, self._replace_stand_in, values).copy

    def component(self, name: str) -> Any:
        """Return the component of a part, and construct it at the first call."""
        if name in self._components:
            return self._components[name]
        if name in self._open:
            circle = " → ".join([*self._open[self._open.index(name) :], name])
            raise SaveError(
                f"the parts of `{self._plan.prefab.qualname}` need each other to be"
                f" constructed: {circle}; set one of these fields with `.set(…)` instead"
            )
        self._open.append(name)
        part = self._plan.declared[name]
        args, kwargs = self._arguments(name, part)
        self._components[name] = component = part.cls(*args, **kwargs)
        self._open.remove(name)
        return component

    def _arguments(
        self, name: str, part: Part[Any]
    ) -> tuple[Iterable[Any], dict[str, Any]]:
        """Return the constructor arguments of a part, copied where objects must not share them."""
        if name in self._plan.shares:
            return part.args, part.kwargs
        args, kwargs = self.copy(part.args), self.copy(part.kwargs)
        if args is part.args and all(map(is_, kwargs.values(), part.kwargs.values())):
            self._plan.shares.add(name)
        return args, kwargs

    def _replace_stand_in(self, value: Any) -> Any:
        if type(value) is not _FutureComponent:
            return value
        name = value.part.name
        if name not in self._plan.declared:
            part = f"part {name!r}" if name else "such part"
            raise SaveError(
                f"a part of `{self._plan.prefab.qualname}` uses the component of another part,"
                f" but the prefab has no {part}"
            )
        return self.component(name)


def _describe(type: object) -> str:
    if isinstance(
        type, IntEnum
    ):  # the enumeration and the table are from different runs
        return f"`{type.name}` in the table; run `savegen prefabs`"
    return repr(type)


class PrefabInfo:
    """The prefabs of a game, by type. Pass it to `SaveLoadManager`.

    >>> class Gun: ...
    >>> class Tank:
    ...     gun = part(Gun)
    >>> kinds = IntEnum("PrefabType", {"TANK": 7})
    >>> tank = Prefab(kinds.TANK, "Tank", "game.tanks", lambda: Tank, {"gun": 1234})
    >>> info = PrefabInfo(FORMAT, (tank,))
    >>> len(info), 7 in info, info.get_prefab(kinds.TANK) is info[7] is tank
    (1, True, True)
    """

    def __init__(
        self,
        format: int,
        prefabs: Iterable[Prefab],
        serializers: Callable[[], object] | None = None,
    ) -> None:
        """Raises `SaveError` if the generated table has a format that this savegen cannot read.

        `serializers` returns the union of the serializers of level entries. It is called only
        if the game loads levels.
        """
        if format != FORMAT:
            raise SaveError(
                f"the generated table of prefabs has format {format}, but this savegen reads"
                f" format {FORMAT}; run `savegen prefabs` again"
            )
        self._prefabs = {int(prefab.type): prefab for prefab in prefabs}
        self._serializers = serializers

    @property
    def serializers(self) -> tuple[Any, ...]:
        """The serializers of all prefabs. Raises `SaveError` if the generated table has none."""
        if not self._prefabs:
            return ()
        if self._serializers is None:
            raise SaveError(
                "the generated table of prefabs is out of date; run `savegen prefabs`"
            )
        union = self._serializers()
        return get_args(union) or (union,)

    def get_prefab(self, type: int) -> Prefab:
        """Return the prefab of a type. Raises `SaveError` if there is none."""
        try:
            return self._prefabs[type]
        except (KeyError, TypeError):
            raise SaveError(f"there is no prefab {self._unknown(type)}") from None

    def _unknown(self, type: object) -> str:
        """Return the text of an unknown type for an error, with a similar member if one exists."""
        if not isinstance(type, str):
            return _describe(type)
        from difflib import get_close_matches  # here, since most games never need it

        names = [getattr(p.type, "name", "") for p in self._prefabs.values()]
        folded = {name.casefold(): name for name in names}
        close = get_close_matches(type.casefold(), folded, 1)
        advice = f"did you mean `PrefabType.{folded[close[0]]}`?" if close else ""
        return f"{type!r}; {advice or 'pass a member of `PrefabType`'}"

    def __getitem__(self, type: int) -> Prefab:
        """Return the prefab of a type. Raises `SaveError` if there is none."""
        return self.get_prefab(type)

    def __contains__(self, type: object) -> bool:
        return type in self._prefabs

    def __iter__(self) -> Iterator[Prefab]:
        return iter(self._prefabs.values())

    def __len__(self) -> int:
        return len(self._prefabs)

"""Prefabs: what a kind of object is made of, declared in a class, and built from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from operator import is_
from typing import Any, Generic, ParamSpec, TypeVar, get_args

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.components import SaveLoadable
from savegen.runtime.building import Copier, LocalKeys, Misfit, packed
from savegen.runtime.errors import SaveError, nearest
from savegen.runtime.named import loaded
from savegen.runtime.objects import GameObject
from savegen.runtime.to_rows import own_row
from savegen.runtime.registry import Registry
from savegen.runtime.rows import Row
from savegen.runtime.values import NO_VALUES

FORMAT = 1  # of generated tables; raised when this runtime cannot read older ones

P = ParamSpec("P")
C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)
_Class = type  # in `Prefab` the word means something else


def part(cls: Callable[P, C], /, *args: P.args, **kwargs: P.kwargs) -> Part[C]:
    """Declare one component of a prefab: its class, and what it is constructed with.

    Type checkers hold the arguments to the constructor. Lists, dicts, plain classes and
    vectors among them are copied for every object; assets and all else are shared.

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
    """What `part` returns: one component of a prefab, as it is declared.

    Its methods return a changed copy, so a variant never changes the prefab it comes from.
    """

    def __init__(
        self, cls: Callable[..., C_co], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.name = ""  # as the prefab's class calls it
        self.cls = cls
        self.args = args
        self.kwargs = kwargs
        self.settings: dict[str, Any] = {}
        self.shown: dict[str, str | None] = {}
        self.former: tuple[str, ...] = ()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name  # another class may have the very same part

    @property
    def component(self) -> C_co:
        """What stands, in the arguments of other parts, for the component to be built.

        In a variant that replaces this part it is the one of the replacement.
        """
        return _ToBe(self)  # type: ignore[return-value]

    def set(self, /, **values: Any) -> Part[C_co]:
        """Set saved fields, by name, once all parts are constructed.

        >>> part(list).set(sight=9.0).settings
        {'sight': 9.0}
        """
        changed = self._copy()
        changed.settings |= values
        return changed

    def show(self, /, **names: str | None) -> Part[C_co]:
        """Give fields other names for level authors; `None` hides a field from them.

        >>> part(list).show(ammo="left_ammo", ready=None).shown
        {'ammo': 'left_ammo', 'ready': None}
        """
        changed = self._copy()
        changed.shown |= names
        return changed

    def was(self, *names: str) -> Part[C_co]:
        """Name the part's former names, under which old saves have it.

        >>> part(list).was("cannon").former
        ('cannon',)
        """
        changed = self._copy()
        changed.former += names
        return changed

    def _copy(self) -> Part[C_co]:
        made = Part(self.cls, self.args, self.kwargs)
        made.former, made.shown = self.former, {**self.shown}
        made.settings = {**self.settings}
        return made


class _ToBe:
    """Stands for the component that will be built for a part."""

    __slots__ = ("part",)

    def __init__(self, part: Part[Any]) -> None:
        self.part = part


@dataclass(eq=False)
class Prefab:
    """One prefab of a generated table: its number, its home, and its parts by number.

    >>> class Gun: ...
    >>> class Tank:
    ...     gun = part(Gun)
    >>> kinds = IntEnum("PrefabType", {"TANK": 7})
    >>> tank = Prefab(kinds.TANK, "Tank", "game.tanks", lambda: Tank, {"gun": 1234})
    >>> [(number, type(each).__name__) for number, each in tank.build().numbered]
    [(1234, 'Gun')]
    """

    type: IntEnum
    qualname: str
    module: str
    load: Callable[[], _Class] = field(repr=False)
    parts: Mapping[str, int]  # numbers by name, in the order of the components
    max_count: int | None = None  # how many of it a level may place
    _plan: _Plan | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        """Its class, in full: `module:qualname`."""
        return f"{self.module}:{self.qualname}"

    def load_class(self) -> _Class:
        """Return the class that declares it; its module is imported if nothing has yet."""
        found = loaded(self.name)
        return found if isinstance(found, type) else self.load()

    @cached_property
    def declared(self) -> Mapping[str, Part[Any]]:
        """The parts as its class declares them, those of the table and no others.

        Raises `SaveError` if the table is out of date.
        """
        cls = self.load_class()
        if issubclass(cls, SaveLoadable):
            return {name: Part(cls, (), {}) for name in self.parts}
        found = _parts_of(cls)
        for name in found | dict.fromkeys(self.parts):
            if name not in found:
                raise self._stale(f"has no part {name!r}", "below no condition")
            if name not in self.parts:
                raise self._stale(f"has a new part {name!r}", f"`{name} = part(…)`")
        return {name: found[name] for name in self.parts}

    def _stale(self, what: str, form: str) -> SaveError:
        """Name both ways out: the table is old, or what it is made from cannot be read."""
        wanted = f"run `savegen prefabs`; it reads parts that are written {form}"
        return SaveError(f"the prefab `{self.qualname}` {what}: {wanted}")

    def build(
        self, assets: AssetRegistry | None = None, registry: Registry | None = None
    ) -> GameObject:
        """Return a new object with a component for each part.

        What `assets` knows is never copied. What a constructor raises comes out as it is.
        Raises `SaveError` if the table is out of date, if the parts do not fit together, or,
        where the `registry` knows what fields may hold, if one is set to something else.
        """
        if self._plan is None or self._plan.made_for != (assets, registry):
            self._plan = _Plan(self, assets, registry)
        made = GameObject()
        for (name, number), each in zip(self.parts.items(), self._plan.components()):
            made.add_component(each, part=name, number=number)
        return made


def _parts_of(cls: type) -> dict[str, Part[Any]]:
    names = dict.fromkeys(
        name
        for base in reversed(cls.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, Part)
    )
    found = {name: getattr(cls, name) for name in names}
    return {name: each for name, each in found.items() if isinstance(each, Part)}


class _Plan:
    """How the objects of a prefab are built in one game: what is the same for all of them."""

    def __init__(
        self, prefab: Prefab, assets: AssetRegistry | None, registry: Registry | None
    ) -> None:
        self.made_for = assets, registry
        self.prefab = prefab
        self.declared = prefab.declared
        # Parts whose arguments are shared: nothing in them is copied, for no object.
        self.shares: set[str] = set()
        self._keys = LocalKeys((), assets)
        # What is set: the place of the component, the part, the field, and a row with it.
        self._rows: list[tuple[int, str, str, Row]] | None = None

    def components(self) -> list[Any]:
        """Return the components of a new object, in the order of its parts."""
        if self._rows is not None and len(self.shares) == len(self.declared):
            parts = self.declared.values()
            components = [part.cls(*part.args, **part.kwargs) for part in parts]
        else:
            building = _Building(self)
            components = [building.component(name) for name in self.declared]
            if self._rows is None:
                self._keys = self._keys.of(components)
                self._rows = [*self._packed(building, components)]
        if self._rows:
            self._set(components, self._rows)
        return components

    def _set(
        self, components: list[Any], rows: list[tuple[int, str, str, Row]]
    ) -> None:
        keys = self._keys.of(components)
        for place, part, name, row in rows:
            component = components[place]
            if hasattr(component, "save_data_"):  # its `load_data` may keep the lists
                row = own_row(row, row.__struct_fields__)
            try:
                component.load_data(row, keys)
            except Exception as error:
                where = f"`{part}` of `{self.prefab.qualname}`"
                error.add_note(f"while `{name}` was set in the part {where}")
                raise
        keys.finish()

    def _packed(
        self, building: _Building, components: list[Any]
    ) -> Iterator[tuple[int, str, str, Row]]:
        """Yield what is set: the same rows for every object."""
        for place, (name, part) in enumerate(self.declared.items()):
            for field_name, value in part.settings.items():
                row = self._row(
                    name, components[place], field_name, building.copy(value)
                )
                yield place, name, field_name, row

    def _row(self, part: str, component: Any, name: str, value: Any) -> Row:
        cls, (_, registry) = type(component), self.made_for
        where = f"the part {part!r} of `{self.prefab.qualname}`"
        if name not in cls.save_load_field_names:
            known = nearest(name, cls.save_load_field_names)
            raise SaveError(
                f"{where} sets {name!r}: `{cls.__qualname__}` has no saved field {known}"
            )
        entry = None if registry is None else registry[int(cls.save_type)]
        try:
            return packed(cls, {name: value}, self._keys, entry)
        except Misfit as error:
            raise SaveError(f"{where} cannot set {name!r}: {error}") from None


class _Building:
    """One object on its way: components by the names of their parts."""

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan
        self._components: dict[str, Any] = {}
        self._begun: list[str] = []
        assets, registry = plan.made_for
        values = NO_VALUES if registry is None else registry.values
        # With components for what stands for them.
        self.copy = Copier(assets, self._stand_in, values).copy

    def component(self, name: str) -> Any:
        """Return the component of a part, constructed if it is not yet."""
        if name in self._components:
            return self._components[name]
        if name in self._begun:
            circle = " → ".join([*self._begun[self._begun.index(name) :], name])
            raise SaveError(
                f"the parts of `{self._plan.prefab.qualname}` need each other to be"
                f" constructed: {circle}; set one with `.set(…)`, which comes later"
            )
        self._begun.append(name)
        part = self._plan.declared[name]
        args, kwargs = self._arguments(name, part)
        self._components[name] = made = part.cls(*args, **kwargs)
        self._begun.remove(name)
        return made

    def _arguments(
        self, name: str, part: Part[Any]
    ) -> tuple[Iterable[Any], dict[str, Any]]:
        """Return what a component is constructed with, each object its own where it matters."""
        if name in self._plan.shares:
            return part.args, part.kwargs
        args, kwargs = self.copy(part.args), self.copy(part.kwargs)
        if args is part.args and all(map(is_, kwargs.values(), part.kwargs.values())):
            self._plan.shares.add(name)
        return args, kwargs

    def _stand_in(self, value: Any) -> Any:
        if type(value) is not _ToBe:
            return value
        name = value.part.name
        if name not in self._plan.declared:
            raise SaveError(
                f"`{self._plan.prefab.qualname}` refers to the component of a part that it"
                f" does not have{f': {name!r}' if name else ''}"
            )
        return self.component(name)


def _shown(type: object) -> str:
    if isinstance(type, IntEnum):  # the enumeration and the table are not of one run
        return f"`{type.name}` in the table; run `savegen prefabs`"
    return repr(type)


class PrefabInfo:
    """The prefabs of a game, by type; `SaveLoadManager` is given it.

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
        """Raises `SaveError` if `format` is not the one that this runtime reads.

        `serializers` returns the union of what entries of levels are read into: a game that
        has no levels never imports it.
        """
        if format != FORMAT:
            raise SaveError(
                f"the generated table of prefabs has format {format}, this savegen reads"
                f" {FORMAT}; run `savegen prefabs` again"
            )
        self._prefabs = {int(prefab.type): prefab for prefab in prefabs}
        self._serializers = serializers

    @property
    def serializers(self) -> tuple[Any, ...]:
        """The serializers of all prefabs. Raises `SaveError` if they are not there."""
        if not self._prefabs:
            return ()
        if self._serializers is None:
            raise SaveError("the table of prefabs is old: run `savegen prefabs` again")
        union = self._serializers()
        return get_args(union) or (union,)

    def get_prefab(self, type: int) -> Prefab:
        """Return a prefab by its type. Raises `SaveError` if there is none."""
        try:
            return self._prefabs[type]
        except (KeyError, TypeError):
            raise SaveError(f"there is no prefab {self._unknown(type)}") from None

    def _unknown(self, type: object) -> str:
        """Return a type without a prefab, and the member that somebody may have meant."""
        if not isinstance(type, str):
            return _shown(type)
        from difflib import get_close_matches  # only now: most games never need it

        names = [getattr(each.type, "name", "") for each in self._prefabs.values()]
        folded = {name.casefold(): name for name in names}
        close = get_close_matches(type.casefold(), folded, 1)
        meant = f"did you mean `PrefabType.{folded[close[0]]}`?" if close else ""
        return f"{type!r}; {meant or 'pass a member of `PrefabType`'}"

    def __getitem__(self, type: int) -> Prefab:
        """Return a prefab by its type. Raises `SaveError` if there is none."""
        return self.get_prefab(type)

    def __contains__(self, type: object) -> bool:
        return type in self._prefabs

    def __iter__(self) -> Iterator[Prefab]:
        return iter(self._prefabs.values())

    def __len__(self) -> int:
        return len(self._prefabs)

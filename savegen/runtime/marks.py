"""Marks for classes, fields, hooks, migrations and converters.

`savegen` reads them in the source. At run time, a decorator returns its argument unchanged, and
`Saved[T]` is `Annotated[T, Save()]`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypeAlias, TypeVar, cast, overload

_T = TypeVar("_T")
_P = ParamSpec("_P")
_C = TypeVar("_C", bound=type)
_F = TypeVar("_F", bound=Callable[..., Any])
_NO_DEFAULT: Any = object()  # since `None` can be a default


@dataclass(slots=True, eq=False)
class Save:
    """Marks a field as saved: `Annotated[float, Save("zoom_level", ge=0.1)]`.

    `name` is its name for level authors, `editor=False` hides it from them, `was` lists
    former names of the field, and `ge`, `gt`, `le`, `lt` limit the values that levels and
    `spawn` may set. With `setter=True` the field is a property, and a load calls its setter.
    If an older save lacks the field, it gets the `default`, or a value from `default_factory`.

    >>> Save("zoom_level", ge=0.1).name
    'zoom_level'
    """

    name: str | None = None
    _: KW_ONLY
    editor: bool = True
    was: str | tuple[str, ...] = ()
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    setter: bool = False
    default: Any = _NO_DEFAULT
    default_factory: Callable[[], Any] | None = None


class SaveOverride(Save):
    """Marks a field that the class handles in its own `save_data` and `load_data`.

    The field gets a number and a parameter name like any other; the class must be
    `@saveable(override=True)`.

    >>> SaveOverride(editor=False).editor
    False
    """

    __slots__ = ()


Saved: TypeAlias = Annotated[_T, Save()]


Method: TypeAlias = Callable[_P, _T]
"""The type of a field that holds bound methods of saveable objects: `Saved[Method[[int], None]]`.

Type checkers read it as `Callable`.
"""


class Asset:
    """Marks a type whose values are shared assets: `Saved[Annotated[Image, Asset()]]`.

    Assets are never copied. `manager.assets` maps their ids to them; saves contain the ids.

    >>> class Goblin:
    ...     icon: Saved[Annotated[bytes, Asset()]] = b"PNG"
    >>> Goblin.icon
    b'PNG'
    """

    __slots__ = ()


class Activation(Enum):
    """Why an object becomes active; the argument of `@on_activate` methods.

    >>> Activation.SPAWNED.name
    'SPAWNED'
    """

    SPAWNED = "spawned"  # a new object
    RELOADED = "reloaded"  # an existing object that a load has changed
    RESTORED = "restored"  # an object that a load has created or taken from a pool
    PLACED = "placed"  # an object that a level has placed


@overload
def saveable(cls: _C, /) -> _C: ...


@overload
def saveable(
    *,
    override: bool = False,
    transient: bool | tuple[str, ...] = (),
    was: str | tuple[str, ...] = (),
    prefab: bool = False,
    position: str | None = None,
    of: str | tuple[str, ...] = (),
    subclasses: bool = False,
    rewind: bool = True,
) -> Callable[[_C], _C]: ...


def saveable(
    cls: _C | None = None,
    /,
    *,
    override: bool = False,
    transient: bool | tuple[str, ...] = (),
    was: str | tuple[str, ...] = (),
    prefab: bool = False,
    position: str | None = None,
    of: str | tuple[str, ...] = (),
    subclasses: bool = False,
    rewind: bool = True,
) -> _C | Callable[[_C], _C]:
    """Mark a class as saveable and return it unchanged.

    With `override=True` the class writes `save_data` and `load_data` itself, around the
    generated `save_data_` and `load_data_`. `transient` names attributes that are
    deliberately not saved; `transient=True` means all that are not marked. `was` lists former
    names of the class. With `prefab=True` the class is also a prefab with one part, which is
    constructed without arguments; `position` is its argument of `@prefab`. With
    `subclasses=True` all its subclasses are saveable, too; they need neither a mark nor a
    generated base. With `rewind=False`, `History` leaves the objects of the class as they are;
    only objects that stand alone can be marked so.

    With `of`, the class is a stand-in: it lists the fields and hooks of a class of a library,
    such as `of="enginelib.grid.Cell"`, and objects of that class become saveable. A tuple has
    further names under which the game imports the class.

    >>> @saveable
    ... class Goblin:
    ...     hp: Saved[int] = 7
    >>> Goblin.hp
    7
    """
    if cls is not None:
        return cls
    return lambda cls: cls


@overload
def prefab(cls: _C, /) -> _C: ...


@overload
def prefab(
    *,
    max_count: int | None = None,
    position: str | None = None,
    static: bool = False,
    was: str | tuple[str, ...] = (),
) -> Callable[[_C], _C]: ...


def prefab(
    cls: _C | None = None,
    /,
    *,
    max_count: int | None = None,
    position: str | None = None,
    static: bool = False,
    was: str | tuple[str, ...] = (),
) -> _C | Callable[[_C], _C]:
    """Mark a class as a prefab, whose parts are declared with `part(…)`; return it unchanged.

    A subclass is a variant, which may replace parts and add some. `max_count` limits how many
    objects of the prefab one level may place, in all its layers together; other levels and
    `spawn` may add more. `was` lists former names of the prefab.

    `position` names the attribute that gets the place where a level or `spawn` puts the object,
    before `@on_activate`: a part and an attribute, such as "body.pos", or an attribute of that
    attribute, such as "body.rect.center". If the prefab has only one part, its name can be left
    out. Variants inherit it.

    With `static=True`, levels place no objects of the prefab: `Level.static` has its rectangles
    with their parameters, and they are not saved. This is for ground. Variants are static too,
    unless they are marked with `static=False`.

    >>> from savegen import part
    >>> class Gun: ...
    >>> @prefab(max_count=1, position="gun.pos")
    ... class Tank:
    ...     gun = part(Gun)
    >>> Tank.gun.name
    'gun'
    """
    if cls is not None:
        return cls
    return lambda cls: cls


def _without_parentheses(mark: _F) -> _F:
    """Make a decorator raise an error with advice if it is used as `@mark()`."""

    @wraps(mark)
    def checked(*arguments: Any, **named: Any) -> Any:
        if len(arguments) + len(named) != 1:
            raise TypeError(f"use `@{mark.__name__}` without parentheses")
        return mark(*arguments, **named)

    return cast(_F, checked)


@_without_parentheses
def before_save(method: _F) -> _F:
    """Mark a method to be called just before its object is saved.

    >>> class Goblin:
    ...     @before_save
    ...     def tidy(self):
    ...         self.hp = round(self.hp)
    """
    return method


@_without_parentheses
def on_activate(method: _F) -> _F:
    """Mark a method to be called, with the `Activation`, when its object becomes active.

    >>> class Goblin:
    ...     @on_activate
    ...     def wake(self, reason):
    ...         return f"woken as {reason.value}"
    >>> Goblin().wake(Activation.PLACED)
    'woken as placed'
    """
    return method


@_without_parentheses
def on_deactivate(method: _F) -> _F:
    """Mark a method to be called when its object stops being active.

    >>> class Goblin:
    ...     @on_deactivate
    ...     def hush(self):
    ...         self.channel.stop()
    """
    return method


def migration(*, to: int, handles: Sequence[str] = ()) -> Callable[[_F], _F]:
    """Mark a function that brings a save to version `to`; see `save_version` in `[tool.savegen]`.

    Its argument is the save of the previous version, as plain data, which it changes. A load
    runs the migrations of all later versions in order. `handles` names fields, enum members and
    classes that the function migrates, so that `savegen breaking` does not report them.

    >>> @migration(to=7, handles=["Purse.gold"])
    ... def rename_gold(save):
    ...     save.rename_field("Purse", "gold", "coins")
    """
    return lambda function: function


def converter(cls: type, field: str, /) -> Callable[[_F], _F]:
    """Mark a function that converts old values of a field whose type has changed.

    Its argument is the old value as plain data; it returns the new value.

    >>> class Goblin:
    ...     hp: Saved[float] = 7.0
    >>> @converter(Goblin, "hp")
    ... def share_of_health(hp):
    ...     return hp / 100
    >>> share_of_health(50)
    0.5
    """
    return lambda function: function

"""The words that mark classes, fields, hooks and what changes old saves. They are read by `savegen`, not by the game:

at run time a decorator returns what it decorates, and `Saved[T]` is `Annotated[T, Save()]`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import wraps
from typing import Annotated, Any, TypeAlias, TypeVar, cast, overload

_T = TypeVar("_T")
_C = TypeVar("_C", bound=type)
_F = TypeVar("_F", bound=Callable[..., Any])
_NONE: Any = object()  # no default: a field may be None


class Save:
    """Marks a field as saved: `Annotated[float, Save("zoom_level", ge=0.1)]`.

    `name` is what level authors call it, `editor=False` hides it from them, `was` lists
    former names of the field, and `ge`, `gt`, `le`, `lt` limit what levels and `spawn` may
    set. With `setter=True` the field is a property: a load assigns it, and so runs its setter.
    An older save that lacks the field gives it the `default`, or what `default_factory` makes.

    >>> Save("zoom_level", ge=0.1).name
    'zoom_level'
    """

    __slots__ = (
        "default",
        "default_factory",
        "editor",
        "ge",
        "gt",
        "le",
        "lt",
        "name",
        "setter",
        "was",
    )

    def __init__(
        self,
        name: str | None = None,
        *,
        editor: bool = True,
        was: str | tuple[str, ...] = (),
        ge: float | None = None,
        gt: float | None = None,
        le: float | None = None,
        lt: float | None = None,
        setter: bool = False,
        default: Any = _NONE,
        default_factory: Callable[[], Any] | None = None,
    ) -> None:
        self.name = name
        self.editor = editor
        self.was = was
        self.ge = ge
        self.gt = gt
        self.le = le
        self.lt = lt
        self.setter = setter
        self.default = default
        self.default_factory = default_factory


class SaveOverride(Save):
    """Marks a field that the class itself puts into `save_data` and takes from `load_data`.

    It gets a number and a parameter name like any other; the class must be
    `@saveable(override=True)`.

    >>> SaveOverride(editor=False).editor
    False
    """

    __slots__ = ()


Saved: TypeAlias = Annotated[_T, Save()]


class Asset:
    """Marks a type whose values are shared things with an id: `Saved[Annotated[Image, Asset()]]`.

    They are never copied. `manager.assets` knows them by id, and so does a save file.

    >>> class Goblin:
    ...     icon: Saved[Annotated[bytes, Asset()]] = b"PNG"
    >>> Goblin.icon
    b'PNG'
    """

    __slots__ = ()


class Activation(Enum):
    """Why an object becomes active; `@on_activate` methods are told.

    >>> Activation.SPAWNED.name
    'SPAWNED'
    """

    SPAWNED = "spawned"  # new to the player
    RELOADED = "reloaded"  # the same object, given values by a load
    RESTORED = "restored"  # made by a load, or taken from a pool by it
    PLACED = "placed"  # by a level


@overload
def saveable(cls: _C, /) -> _C: ...


@overload
def saveable(
    *,
    override: bool = False,
    transient: tuple[str, ...] = (),
    was: str | tuple[str, ...] = (),
    prefab: bool = False,
) -> Callable[[_C], _C]: ...


def saveable(
    cls: _C | None = None,
    /,
    *,
    override: bool = False,
    transient: tuple[str, ...] = (),
    was: str | tuple[str, ...] = (),
    prefab: bool = False,
) -> _C | Callable[[_C], _C]:
    """Mark a class as one whose fields are saved; it comes back unchanged.

    With `override=True` the class writes `save_data` and `load_data` itself, around the
    generated `save_data_` and `load_data_`. `transient` names attributes that are left out on
    purpose, `was` the names that the class had before. With `prefab=True` the class is also a
    prefab of one part, made without arguments.

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
    *, max_count: int | None = None, was: str | tuple[str, ...] = ()
) -> Callable[[_C], _C]: ...


def prefab(
    cls: _C | None = None,
    /,
    *,
    max_count: int | None = None,
    was: str | tuple[str, ...] = (),
) -> _C | Callable[[_C], _C]:
    """Mark a class as a prefab, whose parts are its `part(…)`; it comes back unchanged.

    A subclass is a variant: it may replace parts, and add some. `max_count` is how many of it
    each level may place, in all its layers together: another level, or `spawn`, may add more.
    `was` are names that the prefab had before.

    >>> from savegen import part
    >>> class Gun: ...
    >>> @prefab(max_count=1)
    ... class Tank:
    ...     gun = part(Gun)
    >>> Tank.gun.name
    'gun'
    """
    if cls is not None:
        return cls
    return lambda cls: cls


def _without_parentheses(mark: _F) -> _F:
    """Make a decorator refuse `@mark()` in words."""

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
    """Mark a function that brings a whole save to a version: `[tool.savegen] save_version`.

    It is given the save as plain data, of the version before, and changes it. An older save
    goes through all of them in order before it is loaded. `handles` names the fields, members
    and classes that it brings over, so that `savegen breaking` does not report them.

    >>> @migration(to=7, handles=["Purse.gold"])
    ... def rename_gold(save):
    ...     save.rename_field("Purse", "gold", "coins")
    """
    return lambda function: function


def converter(cls: type, field: str, /) -> Callable[[_F], _F]:
    """Mark a function that turns what older saves hold in a field, whose type has changed.

    It is given the old value as plain data, and returns one of today's.

    >>> class Goblin:
    ...     hp: Saved[float] = 7.0
    >>> @converter(Goblin, "hp")
    ... def share_of_health(hp):
    ...     return hp / 100
    >>> share_of_health(50)
    0.5
    """
    return lambda function: function

"""`Recorder`: a base class for objects with state in no field, which their own methods save."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeVar

from savegen.runtime.errors import SaveError, describe_error, with_article
from savegen.runtime.values.libraries.fields import set_field
from savegen.runtime.snapshots.tables import Recording
from savegen.runtime.values.folds import Typed

_F = TypeVar("_F", bound=Callable[..., Any])
# The names of the serializer and the deserializer of each behaviour, by its name.
_Behaviors = Mapping[str, tuple[str, str]]
# Gives a value its type; it gets the behaviour and the id, too.
_Pack = Callable[[str, Any], Typed]
# Returns the value that has an id, or `UNAVAILABLE`.
_Unpack = Callable[[str, Typed], Any]
_MISSING: Any = object()
UNAVAILABLE: Any = object()
"""Stands for a saved value that the game cannot make any more."""


class Recorder:
    """A base class for objects with state that is in no field.

    An example is the volume of a sound. Each action of the object that changes such state is a
    behaviour: a member of an enumeration, which is marked as dirty once the action was used. It
    has two methods: a serializer, which runs when the object is saved and the behaviour is dirty,
    and a deserializer, which runs when this save is loaded. Subclasses inherit both methods and
    can override them.

    If a behaviour became dirty after a snapshot was taken, loading the snapshot does not undo
    its effect, because the earlier state was not recorded. It restores the set of dirty
    behaviours, though.

    >>> class Child(Recorder):
    ...     class Behaviors(Enum):
    ...         GIVE_TOY = 1
    ...
    ...     def give_toy(self, toy):
    ...         self.toy = toy
    ...         self.set_dirty(self.Behaviors.GIVE_TOY)
    ...
    ...     @serializer(Behaviors.GIVE_TOY)
    ...     def save_toy(self, record):
    ...         record.save("toy", self.toy)
    ...
    ...     @deserializer(Behaviors.GIVE_TOY)
    ...     def load_toy(self, record):
    ...         record.load("toy", lambda toy: setattr(self, "toy", toy))
    >>> child = Child()
    >>> child.give_toy("kite")
    >>> child.is_dirty(), child.is_dirty(Child.Behaviors.GIVE_TOY)
    (True, True)
    """

    # The dirty behaviours, in the order in which they became dirty. A new tuple is assigned, so
    # that `set_dirty` can be called during a loop over it.
    _savegen_dirty: tuple[str, ...] = ()

    def set_dirty(self, behavior: Enum, dirty: bool = True) -> None:
        """Mark a behaviour as dirty, so that it is saved; with `dirty=False`, unmark it."""
        key = _key(behavior)
        others = tuple(other for other in self._savegen_dirty if other != key)
        if not dirty:
            set_dirty_names(self, others)
        elif key not in self._savegen_dirty:
            set_dirty_names(self, (*others, key))

    def is_dirty(self, behavior: Enum | None = None) -> bool:
        """Return whether a behaviour is dirty; without an argument, whether any is."""
        if behavior is None:
            return bool(self._savegen_dirty)
        return _key(behavior) in self._savegen_dirty


def serializer(behavior: Enum) -> Callable[[_F], _F]:
    """Return a decorator for the method that saves a behaviour; it receives a `Record`.

    >>> class Radio(Recorder):
    ...     Behaviors = Enum("Behaviors", "TUNE")
    ...     @serializer(Behaviors.TUNE)
    ...     def save_tune(self, record):
    ...         record.save("station", 98.5)
    """
    return lambda method: method


def deserializer(behavior: Enum) -> Callable[[_F], _F]:
    """Return a decorator for the method that loads a behaviour; it receives a `Record`.

    >>> class Radio(Recorder):
    ...     Behaviors = Enum("Behaviors", "TUNE")
    ...     @deserializer(Behaviors.TUNE)
    ...     def load_tune(self, record):
    ...         record.load("station", print)
    """
    return lambda method: method


class Record:
    """The recorded values of one object, by id. Serializers write them, deserializers read them.

    A value can have any type that a field can have, and can be a saveable object.
    Deserializers run after all objects of the save have been loaded.

    >>> class Radio(Recorder):
    ...     Behaviors = Enum("Behaviors", "TUNE", qualname="Radio.Behaviors")
    ...     def save_tune(self, record):
    ...         record.save("stations", [98.5, 101.0])
    ...     def load_tune(self, record):
    ...         record.load("stations", print)
    ...         record.load("volume", print, default=11)
    >>> radio, behaviors = Radio(), {"Radio.Behaviors.TUNE": ("save_tune", "load_tune")}
    >>> radio.set_dirty(Radio.Behaviors.TUNE)
    >>> from savegen.runtime.values.stored import StoredType
    >>> anything = StoredType("any")
    >>> saved = record_all(radio, behaviors, lambda id, value: (anything, repr(value)))
    >>> replay(radio, behaviors, saved, lambda id, typed: eval(typed[1]))
    [98.5, 101.0]
    11
    """

    def __init__(
        self,
        component: object,
        pack: _Pack | None = None,
        unpack: _Unpack | None = None,
        loads: dict[str, Typed] | None = None,
    ) -> None:
        """Create a record for saving with `pack`, or one for loading the values of `loads`.

        The functions get the behaviour and the id.
        """
        self._component = component
        self._behavior = ""  # whose serializer or deserializer is running
        self._pack = pack
        self._unpack = unpack
        self._values = loads or {}
        # By id: the behaviour that saved it, and the value.
        self._saved: dict[str, tuple[str, Typed]] = {}

    def save(self, id: str, value: Any) -> None:
        """Save a copy of `value` under `id`. All behaviours of an object share their ids.

        If two behaviours save the same id, the first value is kept, and a warning is given.
        A value that cannot be saved, such as a function, is reported as lost; the save
        continues.
        """
        if self._pack is None:
            raise SaveError(
                f"{self._where} saves {id!r} in its deserializer; save it in the serializer"
            )
        if type(id) is not str:
            raise SaveError(f"{self._where} saves {id!r}: an id must be a str")
        if id not in self._saved:
            typed = self._pack(f"{self._behavior} {id!r}", value)
            self._saved[id] = self._behavior, typed
            return
        first = self._saved[id][0]
        by = f"by `{first}` and" if first != self._behavior else "twice"
        text = f"{id!r} of {self._owner} is saved {by} by `{self._behavior}`"
        warnings.warn(f"{text}; the first value is used", stacklevel=2)

    def load(
        self, id: str, assign: Callable[[Any], object], *, default: Any = _MISSING
    ) -> None:
        """Call `assign` with a new copy of the value that was saved under `id`.

        If no value was saved, `assign` is called with `default`; without a default, `SaveError`
        is raised. If the value was lost when it was saved, or the game lacks its class now, and
        there is no default, `assign` is not called.
        """
        if self._unpack is None:
            raise SaveError(
                f"{self._where} loads {id!r} in its serializer; load it in the deserializer"
            )
        saved = self._values.get(id)
        value = _MISSING
        if saved is not None and saved[0].name != "default":
            value = self._unpack(id, saved)
        if value is not _MISSING and value is not UNAVAILABLE:
            assign(value)
        elif default is not _MISSING:
            assign(default)
        elif saved is None:
            raise SaveError(
                f"{self._where} loads {id!r}, which was not saved; pass a `default`"
            )

    @property
    def _owner(self) -> str:
        return with_article(type(self._component).__qualname__)

    @property
    def _where(self) -> str:
        return f"`{self._behavior}` of {self._owner}"

    def _run(self, behavior: str, method: str) -> None:
        self._behavior = behavior
        try:
            getattr(self._component, method)(self)
        except SaveError:
            raise
        except Exception as error:
            raise SaveError(
                f"`{method}` for {self._where} raised {describe_error(error)}"
            ) from error


EMPTY = Recording((), {})


def record_all(component: Any, behaviors: _Behaviors, pack: _Pack) -> Recording:
    """Run the serializers of the dirty behaviours and return the recording.

    `pack` gives a value its type; it gets the behaviour and the id, too. An exception of a
    serializer raises `SaveError`, and so does a dirty behaviour without one.
    """
    dirty: tuple[str, ...] = component._savegen_dirty
    if not dirty:
        return EMPTY
    if unknown := [key for key in dirty if key not in behaviors]:
        owner = with_article(type(component).__qualname__)
        raise SaveError(
            f"`{unknown[0]}` of {owner} is dirty, but has no serializer; write one with"
            " `@serializer`"
        )
    record = Record(component, pack)
    for key, (save, _) in behaviors.items():
        if key in dirty:
            record._run(key, save)
    return Recording(dirty, {id: typed for id, (_, typed) in record._saved.items()})


def replay(
    component: Any,
    behaviors: _Behaviors,
    recording: Recording | None,
    unpack: _Unpack,
) -> None:
    """Restore the dirty behaviours and run their deserializers.

    Behaviours that become dirty meanwhile are not kept. If the recording is `None`, no
    behaviour was dirty. Raises `SaveError` if a behaviour does not exist any more; the object
    is unchanged then.
    """
    dirty, values = recording or EMPTY
    dirty = tuple(dirty)
    if unknown := [key for key in dirty if key not in behaviors]:
        owner = with_article(type(component).__qualname__)
        raise SaveError(
            f"{owner} has recorded `{unknown[0]}`, which no longer has a deserializer; write one"
            " with `@deserializer`"
        )
    set_dirty_names(component, dirty)
    record = Record(component, unpack=unpack, loads=values)
    try:
        for key, (_, load) in behaviors.items():
            if key in dirty:
                record._run(key, load)
    finally:
        set_dirty_names(component, dirty)


def record_each(
    component: Any, behaviors: _Behaviors, pack: _Pack
) -> dict[str, dict[str, Typed] | Exception]:
    """Run the serializers of all behaviours, dirty or not; the flags stay as they are.

    Return for each behaviour the values by id, or the exception of its serializer.
    """
    recorded: dict[str, dict[str, Typed] | Exception] = {}
    dirty: tuple[str, ...] = component._savegen_dirty
    for key, (save, _) in behaviors.items():
        record = Record(component, pack)
        try:
            record._run(key, save)
        except Exception as error:
            recorded[key] = error
        else:
            recorded[key] = {id: typed for id, (_, typed) in record._saved.items()}
    set_dirty_names(component, dirty)
    return recorded


def replay_one(
    component: Any,
    behaviors: _Behaviors,
    behavior: str,
    values: dict[str, Typed],
    unpack: _Unpack,
) -> None:
    """Run the deserializer of one behaviour with values by id."""
    _, load = behaviors[behavior]
    Record(component, unpack=unpack, loads=values)._run(behavior, load)


def _key(behavior: Enum) -> str:
    if not isinstance(behavior, Enum):
        name = with_article(type(behavior).__qualname__)
        raise TypeError(f"a behaviour is a member of an enumeration, not {name}")
    return f"{type(behavior).__qualname__}.{behavior.name}"


def set_dirty_names(component: Any, dirty: tuple[str, ...]) -> None:
    """Set the dirty behaviours, by name."""
    if component._savegen_dirty != dirty:
        set_field(component, "_savegen_dirty", dirty)

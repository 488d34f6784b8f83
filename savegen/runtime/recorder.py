"""State that belongs to no field: what an object did is recorded, and a load does it again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeVar

from savegen.runtime.errors import SaveError, a
from savegen.runtime.fields import set_field
from savegen.runtime.snapshot import Recording
from savegen.runtime.tagged import ABSENT, Lost, is_absent

_F = TypeVar("_F", bound=Callable[..., Any])
_Behaviors = Mapping[str, tuple[str, str]]  # name → the methods that save and load it
_Tagging = Callable[[Any], Any]  # from a value to plain data, or the other way round
_MISSING: Any = object()


class Recorder:
    """The base of classes that remember which of their behaviours have changed something.

    It is for what no field holds: the volume of an engine's sound, the pieces on a board. A
    behaviour is the member of an enumeration, and has two methods: a serializer, which runs
    when the object is saved and the behaviour is dirty, and a deserializer, which runs when
    that is loaded. Subclasses inherit both, and may write the methods again.

    What became dirty only after a snapshot was taken is not undone by loading it: nothing has
    recorded how it was before. The dirty set itself is as it was.

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

    # In the order in which they became dirty; replaced, so that a loop over it may
    # set flags meanwhile.
    _savegen_dirty: tuple[str, ...] = ()

    def set_dirty(self, behavior: Enum, dirty: bool = True) -> None:
        """Have a behaviour saved from now on; with `dirty=False`, not any more."""
        key = _key(behavior)
        others = tuple(each for each in self._savegen_dirty if each != key)
        if not dirty:
            _set_dirty(self, others)
        elif key not in self._savegen_dirty:
            _set_dirty(self, (*others, key))

    def is_dirty(self, behavior: Enum | None = None) -> bool:
        """Return whether a behaviour will be saved; without one, whether any will."""
        if behavior is None:
            return bool(self._savegen_dirty)
        return _key(behavior) in self._savegen_dirty


def serializer(behavior: Enum) -> Callable[[_F], _F]:
    """Mark the method that saves what a behaviour has changed; it is given a `Record`.

    >>> class Radio(Recorder):
    ...     Behaviors = Enum("Behaviors", "TUNE")
    ...     @serializer(Behaviors.TUNE)
    ...     def save_tune(self, record):
    ...         record.save("station", 98.5)
    """
    return lambda method: method


def deserializer(behavior: Enum) -> Callable[[_F], _F]:
    """Mark the method that loads what a behaviour had changed; it is given a `Record`.

    >>> class Radio(Recorder):
    ...     Behaviors = Enum("Behaviors", "TUNE")
    ...     @deserializer(Behaviors.TUNE)
    ...     def load_tune(self, record):
    ...         record.load("station", print)
    """
    return lambda method: method


class Record:
    """What one object has recorded: its serializers fill it, its deserializers read it.

    Values are of any kind that a field can have, saveable objects included. When one is
    loaded, all objects are there and have their fields.

    >>> class Radio(Recorder):
    ...     Behaviors = Enum("Behaviors", "TUNE", qualname="Radio.Behaviors")
    ...     def save_tune(self, record):
    ...         record.save("stations", [98.5, 101.0])
    ...     def load_tune(self, record):
    ...         record.load("stations", print)
    ...         record.load("volume", print, default=11)
    >>> radio, behaviors = Radio(), {"Radio.Behaviors.TUNE": ("save_tune", "load_tune")}
    >>> radio.set_dirty(Radio.Behaviors.TUNE)
    >>> saved = record_all(radio, behaviors, tag=repr)
    >>> replay(radio, behaviors, saved, untag=eval)
    [98.5, 101.0]
    11
    """

    __slots__ = (
        "_behavior",
        "_component",
        "_report",
        "_tagging",
        "_values",
        "_writers",
    )

    def __init__(
        self,
        component: object,
        tagging: _Tagging,
        loads: dict[str, Any] | None = None,
        report: Callable[[str, str], object] | None = None,
    ) -> None:
        """`report` is told of an id whose value cannot be saved, and why; it raises by default."""
        self._component = component
        self._behavior = ""  # the one that is at work
        self._tagging = tagging
        self._report = report
        self._values = loads
        self._writers: dict[str, tuple[str, Any]] = (
            {}
        )  # id → behaviour and tagged value

    def save(self, id: str, value: Any) -> None:
        """Keep a copy of `value` under a name that is the object's, not the behaviour's.

        If two behaviours save the same id, the first one counts, and the second is warned.
        A value of no kind, such as a function, is lost: the save goes on and reports it.
        """
        if self._values is not None:
            raise SaveError(f"{self._where} saves {id!r} while it is being loaded")
        if type(id) is not str:
            raise SaveError(f"{self._where} saves {id!r}: an id is a str")
        if id not in self._writers:
            self._writers[id] = self._behavior, self._tagged(id, value)
            return
        first = self._writers[id][0]
        again = f"`{self._behavior}`" if first != self._behavior else "it once more"
        text = f"{id!r} of {self._owner} is saved by `{first}`, and by {again}"
        warnings.warn(f"{text}: the first one counts", stacklevel=2)

    def load(
        self, id: str, assign: Callable[[Any], object], *, default: Any = _MISSING
    ) -> None:
        """Call `assign` with what was saved under `id`: a copy, new for each reader.

        If there is nothing, it is called with `default`; raises `SaveError` without one. If the
        value was lost when it was saved, and there is no default, `assign` is not called.
        """
        if self._values is None:
            raise SaveError(f"{self._where} loads {id!r} while it is being saved")
        saved = self._values.get(id, _MISSING)
        if saved is not _MISSING and not is_absent(saved):
            assign(self._tagging(saved))
        elif default is not _MISSING:
            assign(default)
        elif saved is _MISSING:
            raise SaveError(f"{self._where} loads {id!r}, which was not saved")

    def _tagged(self, id: str, value: Any) -> Any:
        try:
            return self._tagging(value)
        except Lost as lost:
            reason = str(lost)
        except RecursionError:
            reason = "it holds itself, or is nested too deep"
        if self._report is None:
            raise SaveError(f"{self._where} saves {id!r}: {reason}") from None
        self._report(f"{self._behavior} {id!r}", reason)
        return ABSENT

    @property
    def _owner(self) -> str:
        return a(type(self._component).__qualname__)

    @property
    def _where(self) -> str:
        return f"`{self._behavior}` of {self._owner}"

    def _run(self, behavior: str, method: str) -> None:
        self._behavior = behavior
        getattr(self._component, method)(self)

    @property
    def _saved(self) -> dict[str, Any]:
        return {id: tagged for id, (_, tagged) in self._writers.items()}


EMPTY = Recording((), {})


def record_all(
    component: Any,
    behaviors: _Behaviors,
    tag: _Tagging,
    report: Callable[[str, str], object] | None = None,
) -> Recording:
    """Run the serializers of what is dirty; `tag` makes plain data of the values.

    `report` is called with the place and the reason for each value that is lost. Raises
    `SaveError` if a behaviour is dirty that has no serializer, and, without `report`, for a
    value that is lost.
    """
    dirty: tuple[str, ...] = component._savegen_dirty
    if not dirty:
        return EMPTY
    if unknown := [key for key in dirty if key not in behaviors]:
        owner = a(type(component).__qualname__)
        raise SaveError(f"`{unknown[0]}` of {owner} is dirty, but has no serializer")
    record = Record(component, tag, report=report)
    for key, (save, _) in behaviors.items():
        if key in dirty:
            record._run(key, save)
    return Recording(dirty, record._saved)


def replay(
    component: Any,
    behaviors: _Behaviors,
    recording: Recording | None,
    untag: _Tagging,
) -> None:
    """Restore the dirty set, and run the deserializers of what was dirty.

    `None` is a recording of nothing. Flags that are set meanwhile are dropped. Raises
    `SaveError` before anything has changed if a behaviour is gone.
    """
    dirty, values = recording or EMPTY
    dirty = tuple(dirty)
    if gone := [key for key in dirty if key not in behaviors]:
        owner = a(type(component).__qualname__)
        raise SaveError(
            f"{owner} has recorded `{gone[0]}`, which it does not do any more"
        )
    _set_dirty(component, dirty)
    record = Record(component, untag, loads=values)
    try:
        for key, (_, load) in behaviors.items():
            if key in dirty:
                record._run(key, load)
    finally:
        _set_dirty(component, dirty)


def _key(behavior: Enum) -> str:
    if not isinstance(behavior, Enum):
        found = a(type(behavior).__qualname__)
        raise TypeError(f"a behaviour is the member of an enumeration, not {found}")
    return f"{type(behavior).__qualname__}.{behavior.name}"


def _set_dirty(component: Any, dirty: tuple[str, ...]) -> None:
    if component._savegen_dirty != dirty:
        set_field(component, "_savegen_dirty", dirty)

"""State that belongs to no field: what an object did is recorded, and a load does it again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from savegen.runtime import plain
from savegen.runtime.components import SaveLoadable
from savegen.runtime.copying import set_field
from savegen.runtime.errors import SaveError, a

_F = TypeVar("_F", bound=Callable[..., Any])
_Behaviors = Mapping[str, tuple[str, str]]  # name → the methods that save and load it
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

    # In the order in which they became dirty; replaced, so that whoever goes through it may
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
        """Tell whether a behaviour will be saved; without one, whether any will."""
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

    Values are plain data, and saveable objects in it, at any depth inside lists, tuples and
    the values of dicts. When one is loaded, all objects are there and have their fields.

    >>> class Radio(Recorder):
    ...     Behaviors = Enum("Behaviors", "TUNE", qualname="Radio.Behaviors")
    ...     def save_tune(self, record):
    ...         record.save("stations", [98.5, 101.0])
    ...     def load_tune(self, record):
    ...         record.load("stations", print)
    ...         record.load("volume", print, default=11)
    >>> radio, behaviors = Radio(), {"Radio.Behaviors.TUNE": ("save_tune", "load_tune")}
    >>> radio.set_dirty(Radio.Behaviors.TUNE)
    >>> replay(radio, behaviors, record_all(radio, behaviors))
    [98.5, 101.0]
    11
    """

    __slots__ = ("_behavior", "_component", "_loads", "_values", "_writers")

    def __init__(self, component: object, loads: dict[str, Any] | None = None) -> None:
        self._component = component
        self._behavior = ""  # the one that is at work
        self._loads = loads is not None
        self._values = {} if loads is None else loads
        self._writers: dict[str, str] = {}  # id → behaviour

    def save(self, id: str, value: Any) -> None:
        """Keep a copy of `value` under a name that is the object's, not the behaviour's.

        If two behaviours save the same id, the first one counts, and the second is warned.

        Raises `SaveError` if the value is neither plain data nor a saveable object.
        """
        if self._loads:
            raise SaveError(f"{self._where} saves {id!r} while it is being loaded")
        if id in self._writers:
            first = self._writers[id]
            again = f"`{self._behavior}`" if first != self._behavior else "it once more"
            text = f"{id!r} of {self._owner} is saved by `{first}`, and by {again}"
            warnings.warn(f"{text}: the first one counts", stacklevel=2)
            return
        self._values[id] = self._kept(id, value)
        self._writers[id] = self._behavior

    def load(
        self, id: str, assign: Callable[[Any], object], *, default: Any = _MISSING
    ) -> None:
        """Call `assign` with what was saved under `id`: a copy, new for each reader.

        If there is nothing, it is called with `default`; raises `SaveError` without one.
        """
        if not self._loads:
            raise SaveError(f"{self._where} loads {id!r} while it is being saved")
        if id in self._values:
            assign(_copy(self._values[id], _itself))
        elif default is not _MISSING:
            assign(default)
        else:
            raise SaveError(f"{self._where} loads {id!r}, which was not saved")

    def _kept(self, id: str, value: Any) -> Any:
        try:
            if type(id) is not str:
                raise SaveError("an id is a str")
            return _copy(value, _itself)
        except SaveError as error:
            raise SaveError(f"{self._where} saves {id!r}: {error}") from None
        except RecursionError:
            reason = "it holds itself, or is nested too deep"
            raise SaveError(f"{self._where} saves {id!r}: {reason}") from None

    @property
    def _owner(self) -> str:
        return a(type(self._component).__qualname__)

    @property
    def _where(self) -> str:
        return f"`{self._behavior}` of {self._owner}"

    def _run(self, behavior: str, method: str) -> None:
        self._behavior = behavior
        getattr(self._component, method)(self)


class Recording(NamedTuple):
    """What one object had recorded at one moment; nothing changes it."""

    dirty: tuple[str, ...]
    values: dict[str, Any]  # by id; an object stands for itself

    def reach(self) -> list[Any]:
        """Return every object that the values refer to."""
        return [each for value in self.values.values() for each in _objects(value)]

    def relink(self, resolve: Callable[[Any], Any]) -> Recording:
        """Return the recording with what `resolve` gives for each object in it."""
        made = {id: _copy(value, resolve) for id, value in self.values.items()}
        return self._replace(values=made)

    def same(self, other: Recording) -> bool:
        """Tell whether nobody could tell two recordings apart."""
        return self.write(plain.identity) == other.write(plain.identity)

    def write(self, name: plain.Name) -> bytes:
        """Return bytes that stand for the recording; `name` gives those of an object."""
        dirty = [plain.write(key) for key in sorted(self.dirty)]
        values = [
            part
            for id in sorted(self.values)
            for part in (plain.write(id), _bytes(self.values[id], name))
        ]
        parts = plain.framed("dirty", dirty), plain.framed("values", values)
        return plain.framed("recording", parts)


EMPTY = Recording((), {})


def record_all(component: Any, behaviors: _Behaviors) -> Recording:
    """Run the serializers of what is dirty.

    Raises `SaveError` if a behaviour is dirty that has none.
    """
    dirty: tuple[str, ...] = component._savegen_dirty
    if not dirty:
        return EMPTY
    if unknown := [key for key in dirty if key not in behaviors]:
        owner = a(type(component).__qualname__)
        raise SaveError(f"`{unknown[0]}` of {owner} is dirty, but has no serializer")
    record = Record(component)
    for key, (save, _) in behaviors.items():
        if key in dirty:
            record._run(key, save)
    return Recording(dirty, record._values)


def replay(component: Any, behaviors: _Behaviors, recording: Recording) -> None:
    """Restore the dirty set, and run the deserializers of what was dirty.

    Flags that are set meanwhile are dropped. Raises `SaveError` before anything has changed
    if a behaviour is gone.
    """
    if gone := [key for key in recording.dirty if key not in behaviors]:
        owner = a(type(component).__qualname__)
        raise SaveError(
            f"{owner} has recorded `{gone[0]}`, which it does not do any more"
        )
    _set_dirty(component, recording.dirty)
    record = Record(component, recording.values)
    try:
        for key, (_, load) in behaviors.items():
            if key in recording.dirty:
                record._run(key, load)
    finally:
        _set_dirty(component, recording.dirty)


def _key(behavior: Enum) -> str:
    if not isinstance(behavior, Enum):
        found = a(type(behavior).__qualname__)
        raise TypeError(f"a behaviour is the member of an enumeration, not {found}")
    return f"{type(behavior).__qualname__}.{behavior.name}"


def _set_dirty(component: Any, dirty: tuple[str, ...]) -> None:
    if component._savegen_dirty != dirty:
        set_field(component, "_savegen_dirty", dirty)


# -- values: plain data with objects in it


def _itself(component: Any) -> Any:
    return component


def _copy(value: Any, of_object: Callable[[Any], Any]) -> Any:
    if isinstance(value, SaveLoadable):
        return of_object(value)
    cls = type(value)
    if cls is list or cls is tuple:
        return cls([_copy(member, of_object) for member in value])
    if cls is dict:
        return {plain.copy(k): _copy(v, of_object) for k, v in value.items()}
    return plain.copy(value)


def _objects(value: Any) -> Iterator[Any]:
    if isinstance(value, SaveLoadable):
        yield value
    elif type(value) in (list, tuple, dict):
        for member in value.values() if type(value) is dict else value:
            yield from _objects(member)


def _bytes(value: Any, name: plain.Name) -> bytes:
    if isinstance(value, SaveLoadable):
        return plain.framed("reference", [name(value)])
    cls = type(value)
    if cls is list or cls is tuple:
        return plain.framed(cls.__name__, [_bytes(member, name) for member in value])
    if cls is dict:
        entries = [(plain.write(k), _bytes(v, name)) for k, v in value.items()]
        return plain.framed("dict", [part for entry in entries for part in entry])
    return plain.write(value)

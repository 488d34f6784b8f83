"""The game that the tests of the runtime play: copied into a folder, generated for, imported.

Its classes do what savegen must not stumble over: they lie when they are compared, are falsy,
frozen, slotted, hashed by what is saved, raise when they are told to.
"""

from __future__ import annotations

import random
import weakref
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any, ClassVar, NamedTuple

from savegen import (
    Activation,
    Recorder,
    Saved,
    SaveOverride,
    before_save,
    deserializer,
    on_activate,
    on_deactivate,
    saveable,
    serializer,
)
from savegen.runtime import NO_REFERENCES, GameObject, Record, References, Row


class Vec2(NamedTuple):
    x: float
    y: float


class Mood(Enum):
    CALM = "calm"
    ANGRY = "angry"


@dataclass
class Box:
    low: Vec2
    high: Vec2
    notes: list[str] = field(default_factory=list)


class Liar:
    """Answers every question about itself wrongly, or not at all."""

    __slots__ = ("__dict__", "__weakref__")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("savegen compares no components")

    def __hash__(self) -> int:
        raise AssertionError("savegen hashes no components")

    def __bool__(self) -> bool:
        raise AssertionError("savegen asks no component whether it is true")

    def __len__(self) -> int:
        raise AssertionError("savegen asks no component for its length")


@saveable
class Unit(Liar):
    position: Saved[Vec2] = Vec2(0.0, 0.0)
    hp: Saved[int] = 10
    speed: Saved[float] = 1.0
    mood: Saved[Mood] = Mood.CALM
    trail: Saved[list[Vec2]]
    foe: Saved[Unit | None] = None
    friends: Saved[list[Unit]]
    shadow: Saved[weakref.ref[Unit] | None] = None
    area: Saved[Box | None] = None

    def __init__(self, hp: int = 10) -> None:
        self.hp = hp
        self.position = Vec2(0.0, 0.0)
        self.speed = 1.0
        self.mood = Mood.CALM
        self.trail = []
        self.foe = None
        self.friends = []
        self.shadow = None
        self.area = None


@saveable
class Boss(Unit):
    orders: Saved[dict[str, deque[int]]]
    guards: Saved[tuple[Unit, ...]] = ()

    def __init__(self, hp: int = 100) -> None:
        super().__init__(hp)
        self.orders = {"advance": deque([1, 2], maxlen=4)}
        self.guards = ()


@saveable
@dataclass(frozen=True)
class Coin:
    worth: Saved[int]
    owner: Saved[Unit | None] = None


@saveable
class Slotted:
    __slots__ = ("left", "value")
    left: Saved[Slotted | None]
    value: Saved[int]

    def __init__(self, value: int = 0, left: Slotted | None = None) -> None:
        self.value = value
        self.left = left


@saveable
class Empty:
    """Holds nothing, and is false."""

    def __bool__(self) -> bool:
        return False


@saveable
class Town:
    """Found in sets and dicts by what is saved of it."""

    name: Saved[str]
    mayor: Saved[Unit | None] = None

    def __init__(self, name: str) -> None:
        self.name = name
        self.mayor = None

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Town) and self.name == other.name


@saveable
class Map:
    towns: Saved[set[Town]]
    roads: Saved[dict[Town, dict[Town, float]]]
    capital: Saved[Town | None] = None
    scene: Saved[GameObject | None] = None

    def __init__(self) -> None:
        self.towns = set()
        self.roads = {}
        self.capital = None
        self.scene = None


@saveable(override=True)
class Bag:
    """Saves itself: its items by name, in the order of their names."""

    items: Annotated[list[str], SaveOverride()]
    bearer: Saved[Unit | None] = None
    extra: Any = None
    loads: ClassVar[int] = 0

    def __init__(self) -> None:
        self.items = []
        self.bearer = None

    def save_data(self, references: References = NO_REFERENCES) -> Row:
        data = self.save_data_(references)
        data[self.SaveLoadFields["ITEMS"]] = self.items
        if self.extra is not None:
            data[99] = self.extra
        return data

    def load_data(self, data: Any, references: References = NO_REFERENCES) -> None:
        self.load_data_(data, references)
        self.items = list(data[self.SaveLoadFields["ITEMS"]])
        Bag.loads += 1


@saveable
class Actor:
    """Notes what happens to it, and raises where it is told to."""

    hp: Saved[int] = 3
    log: list[str]
    fails = ""
    does: Any = None

    def __init__(self) -> None:
        self.log = []

    def _note(self, what: str) -> None:
        self.__dict__.setdefault("log", []).append(what)
        if self.fails == what:
            raise RuntimeError(f"{what} fails")
        if self.does is not None:
            self.does(self, what)

    @before_save
    def tidy(self) -> None:
        self._note("before_save")

    @on_activate
    def wake(self, reason: Activation) -> None:
        self._note(reason.value)

    @on_deactivate
    def hush(self) -> None:
        self._note("deactivate")


@saveable
class Stubborn:
    """Refuses a value."""

    mood: Saved[Mood] = Mood.CALM
    hp: Saved[int] = 1

    def __setattr__(self, name: str, value: object) -> None:
        raise AssertionError("a load writes the field itself")


class Counted:
    """A descriptor: what stands under its name can refuse a value."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, thing: Any, owner: type) -> Any:
        return self if thing is None else thing.__dict__[self.name]

    def __set__(self, thing: Any, value: Any) -> None:
        if value == thing.__dict__.get("refuses"):
            raise ValueError("not this one")
        thing.__dict__[self.name] = value


@saveable
class Picky:
    """Has a field that refuses a value."""

    mood: Saved[Mood] = Mood.CALM
    hp: Saved[int]

    def __init__(self, hp: int = 1) -> None:
        self.hp = hp


# Behind the generator's back, as a library would do it.
Picky.hp = Counted()  # type: ignore[assignment]
Picky.hp.__set_name__(Picky, "hp")  # type: ignore[attr-defined]


@saveable
class Stage:
    """Refers to those who act on it."""

    star: Saved[Actor | None] = None
    crowd: Saved[list[Actor]]

    def __init__(self, star: Actor | None = None) -> None:
        self.star = star
        self.crowd = []


@saveable
class Radio(Recorder):
    """Plays a station that is no field of it."""

    volume: Saved[int] = 3
    owner: Saved[Unit | None] = None
    station: Any = None

    class Behaviors(Enum):
        TUNE = 1

    def tune(self, station: Any) -> None:
        self.station = station
        self.set_dirty(Radio.Behaviors.TUNE)

    @serializer(Behaviors.TUNE)
    def save_tune(self, record: Record) -> None:
        record.save("station", self.station)

    @deserializer(Behaviors.TUNE)
    def load_tune(self, record: Record) -> None:
        record.load("station", lambda station: setattr(self, "station", station))


@saveable
class Listener(Radio):
    """Notes when a load has changed it."""

    log: list[str]

    def __init__(self) -> None:
        super().__init__()
        self.log = []

    @on_activate
    def wake(self, reason: Activation) -> None:
        if reason is Activation.RELOADED:
            self.log.append(reason.value)


@saveable
class Machine:
    """Has a field of a name that objects of savegen have, too."""

    components: Saved[list[int]]

    def __init__(self) -> None:
        self.components = [1]


@saveable
class Heap:
    """Refers to what has no order."""

    bags: Saved[set[Bag]]

    def __init__(self) -> None:
        self.bags = set()


@saveable
class Gambler:
    """Rolls dice that others may roll, too."""

    dice: Saved[random.Random]
    purse: Saved[int] = 0
    idol: Saved[Actor | None] = None

    def __init__(self, dice: random.Random, purse: int = 0) -> None:
        self.dice = dice
        self.purse = purse


@saveable
class Idol(Actor):
    """Has a friend, and notes what happens to it."""

    friend: Saved[Idol | None] = None


@saveable(rewind=False)
class Diary:
    """Remembers what a rewind undoes."""

    pages: Saved[list[str]]
    hero: Saved[Unit | None] = None
    seen: Saved[list[Unit]]
    dice: Saved[random.Random]
    log: list[str]

    def __init__(self) -> None:
        self.pages = []
        self.seen = []
        self.dice = random.Random(1)
        self.log = []

    @on_activate
    def open(self, reason: Activation) -> None:
        self.__dict__.setdefault("log", []).append(reason.value)


@saveable
class Reader:
    diary: Saved[Diary | None] = None
    page: Saved[int] = 0
    pages: Saved[dict[Diary, int]]
    shelf: Saved[set[Diary]]

    def __init__(self) -> None:
        self.pages = {}
        self.shelf = set()

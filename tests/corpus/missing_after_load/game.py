"""What is not saved is set as `__init__` sets it, if that is a constant; else a hook must set it."""

from __future__ import annotations

import math
import stat
from abc import abstractmethod
from collections import deque
from dataclasses import dataclass, field
from enum import Enum

from savegen import Activation, Save, Saved, on_activate, part, prefab, saveable

from _savegen.components.game import (
    ActorSaveLoad,
    BellSaveLoad,
    CameraSaveLoad,
    ClockSaveLoad,
    CreatureSaveLoad,
    CubeSaveLoad,
    DoorSaveLoad,
    GhostSaveLoad,
    HeroSaveLoad,
    LampSaveLoad,
    OrcSaveLoad,
    ShadeSaveLoad,
    TowerSaveLoad,
    WraithSaveLoad,
)

SPEED = 3
ROWS: int = 2


def load_picture(name: str) -> object:
    return object()


class Mood(Enum):
    CALM = 1


class Settings:
    VOLUME = 5


@saveable(
    transient=(
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "h",
        "i",
        "j",
        "k",
        "half",
        "wide",
        "left",
        "right",
    )
)
class Lamp(LampSaveLoad):
    lit: Saved[bool] = False

    def __init__(self, name: str = "") -> None:
        self.a = None
        self.b = -1.5
        self.c = "über", b"x", True
        self.d: dict[str, list[int]] = {"one": [1], "none": []}
        self.e = [[0] * SPEED, [1, 2] + [ROWS - 1]]
        self.f = {1, 2}
        self.g = dict(one=[SPEED])
        self.h = deque([1], maxlen=SPEED)
        self.i = Mood.CALM
        self.j = Settings.VOLUME / 2 + stat.S_IFDIR
        self.half = math.pi
        self.__hidden: set[int] = set()
        self.k = self.wide = 1 // SPEED - 2 % 3
        self.left, (self.right, _) = 0, (1, 2)


@saveable(transient=("name", "size", "path", "later", "twice", "SPEED", "count"))
class Actor(ActorSaveLoad):
    hp: Saved[int] = 1
    count = 7

    def __init__(self, name: str) -> None:
        SPEED = 9
        self.name = name
        self.size = len(name)
        self.path = [n for n in range(3)]
        self.twice: object = None
        self.SPEED = SPEED
        self.count = len(name)
        if name:
            self.later = 0
        self.wake()
        self.reset()

    def reset(self) -> None:
        self.since_reset = 0
        self.twice = load_picture("twice")

    def wake(self) -> None:
        self.picture = load_picture("actor")

    @on_activate
    def load(self, reason: Activation) -> None:
        self.wake()


@saveable(transient=("aim",))
class Orc(OrcSaveLoad, Actor):
    """Its base is told once; a hook of its own helps it alone."""

    def __init__(self) -> None:
        super().__init__("orc")
        self.aim = load_picture("aim")

    def wake(self) -> None:
        self.size = 3


@saveable(transient=("name", "bought"))
class Hero(HeroSaveLoad, Actor):
    """Its constructor never calls that of the base."""

    def __init__(self) -> None:
        self.bought = load_picture("hat")

    @on_activate
    def buy(self, reason: Activation) -> None:
        self.bought = load_picture("cap")


@saveable(transient=("shape",))
class Creature(CreatureSaveLoad):
    """No object of it can be made: its heirs are told."""

    def __init__(self) -> None:
        self.shape = load_picture("shape")

    @abstractmethod
    def walk(self) -> None: ...


@saveable
class Ghost(GhostSaveLoad, Creature):
    def walk(self) -> None: ...


@saveable
class Shade(ShadeSaveLoad, Creature):
    def walk(self) -> None: ...

    @on_activate
    def load(self, reason: Activation) -> None:
        self.shape = load_picture("shade")


@saveable
class Wraith(WraithSaveLoad, Creature):
    """What its base sets is told once."""

    def walk(self) -> None: ...


@saveable(transient=("timer", "notes", "picture", "made", "after"))
@dataclass
class Clock(ClockSaveLoad):
    picture: object
    hour: Saved[int] = 0
    timer: int = 5
    notes: list[str] = field(default_factory=lambda: ["x"])
    made: object = field(init=False)

    def __post_init__(self) -> None:
        self.made = load_picture("made")
        self.after = {"a": 1}


@saveable(transient=("_tone",))
class Bell(BellSaveLoad):
    """A load calls the setter, which sets what is behind it."""

    def __init__(self) -> None:
        self._tone = load_picture("a")
        self.pitch = len("b")

    @property
    def tone(self) -> Saved[str]:
        return str(self._tone)

    @tone.setter
    def tone(self, value: str) -> None:
        self._tone = load_picture(value)

    @property
    def pitch(self) -> int:
        return 3

    @pitch.setter
    def pitch(self, value: int) -> None: ...


@saveable(transient=("lens",))
class Camera(CameraSaveLoad):
    """A load makes objects of prefabs by calling their classes."""

    zoom: Saved[float] = 1.0

    def __init__(self) -> None:
        self.lens = load_picture("lens")


@prefab
class MainCamera:
    camera = part(Camera)


@saveable(transient=("side",))
class Cube(CubeSaveLoad):
    size: Saved[int] = 1

    def __init__(self) -> None:
        self.side = load_picture("side")

    def __getattr__(self, name: str) -> int:
        return 3


@saveable(transient=("view",))
class Door(DoorSaveLoad):
    open: Saved[bool] = False

    def __init__(self) -> None:
        self.view = load_picture("view")  # savegen: ignore[SG147]


@saveable(transient=("top", "height"))
class Tower(TowerSaveLoad):
    __slots__ = ("floors", "top", "height")
    floors: Saved[int]

    def __init__(self) -> None:
        self.floors = 1
        self.top = None
        self.height = self.floors

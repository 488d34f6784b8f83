"""Fields that hold bound methods of saveable objects."""

from dataclasses import dataclass
from functools import cached_property

from savegen import Method, Saved, saveable

from _savegen.components.game import BellSaveLoad, ClockSaveLoad


@saveable
class Bell(BellSaveLoad):
    rung: Saved[int] = 0

    def ring(self, times: int = 1) -> None:
        self.rung += times

    chime = ring

    def __hush(self) -> None:
        self.rung = 0

    def __call__(self) -> None:
        self.ring()

    def __len__(self) -> int:
        return self.rung

    @property
    def loudness(self) -> int:
        return 7

    @loudness.setter
    def loudness(self, value: int) -> None: ...

    @cached_property
    def weight(self) -> int:
        return 900

    @staticmethod
    def pitch() -> int:
        return 440

    @classmethod
    def cast(cls) -> "Bell":
        return cls()


@dataclass
class Ticket:
    at: int
    call: Method[[], None]


@saveable
class Clock(ClockSaveLoad, Bell):
    on_tick: Saved[Method[[], None]]
    maybe: Saved[Method[[int], None] | None] = None
    queue: Saved[list[Method[[Bell, int], None]]]
    heap: Saved[list[tuple[int, int, Method[..., object]]]]
    tickets: Saved[dict[str, Ticket]]
    counts: Saved[dict[Method[[], None], int]]
    either: Saved[int | Method[[], None]]

    def tick(self) -> None: ...

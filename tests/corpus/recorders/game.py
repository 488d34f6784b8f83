"""Behaviours, by whatever names: own and inherited ones, private methods, marks by other words."""

from __future__ import annotations

import enum

import savegen as sg
import savegen.runtime as run
from savegen import Recorder as Remembers
from savegen import Saved, saveable
from savegen import deserializer as loads

from _savegen.components.game import ChildSaveLoad, TeenSaveLoad


class Moves(enum.Enum):
    JUMP = enum.auto()


class Jumps(Remembers):
    @sg.serializer(Moves.JUMP)
    def save_jump(self, record: run.Record) -> None:
        record.save("height", 3)

    @loads(Moves.JUMP)
    def load_jump(self, record: run.Record) -> None:
        record.load("height", print)


@saveable
class Child(ChildSaveLoad, Jumps):
    class Behaviors(enum.Enum):
        GIVE_TOY = "toy"
        PRESENT = "toy"
        SING = "song"

    name: Saved[str] = ""

    @sg.on_activate
    def wake(self, reason: sg.Activation) -> None: ...

    @run.serializer(Behaviors.PRESENT)
    def __save_toy(self, record: run.Record) -> None: ...

    @run.deserializer(Behaviors.GIVE_TOY)
    def __load_toy(self, record: run.Record) -> None: ...

    @sg.serializer(Behaviors.SING)
    def save_song(self, record: run.Record) -> None: ...

    @sg.deserializer(Behaviors.SING)
    def load_song(self, record: run.Record) -> None: ...


@saveable
class Teen(TeenSaveLoad, Child):
    def save_song(self, record: run.Record) -> None: ...

    class TeenBehaviors(enum.Enum):
        SULK_FOR_A_WHILE_THAT_SEEMS_TO_HAVE_NO_END_AT_ALL = enum.auto()

    @sg.serializer(TeenBehaviors.SULK_FOR_A_WHILE_THAT_SEEMS_TO_HAVE_NO_END_AT_ALL)
    @sg.deserializer(TeenBehaviors.SULK_FOR_A_WHILE_THAT_SEEMS_TO_HAVE_NO_END_AT_ALL)
    def sulk(self, record: run.Record) -> None: ...

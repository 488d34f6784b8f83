"""Behaviours need the base that knows which of them are dirty."""

from __future__ import annotations

from enum import Enum, auto

from savegen import Recorder, deserializer, saveable, serializer
from savegen.runtime import Record

from _savegen.components.game import (
    ChildSaveLoad,
    DogSaveLoad,
    PupSaveLoad,
)


class Behaviors(Enum):
    BARK = auto()


class Barks:
    @serializer(Behaviors.BARK)
    def save_bark(self, record: Record) -> None: ...

    @deserializer(Behaviors.BARK)
    def load_bark(self, record: Record) -> None: ...


@saveable
class Dog(DogSaveLoad, Barks):
    pass


@saveable
class Pup(PupSaveLoad, Dog):
    """Told once, of its base."""


@saveable
class Child(ChildSaveLoad, Barks, Recorder):
    """A Recorder, wherever the methods come from."""

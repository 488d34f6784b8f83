"""What a method saves is read, not run."""

from __future__ import annotations

from enum import Enum, auto

from savegen import Recorder, deserializer, saveable, serializer
from savegen.runtime import Record

from _savegen.components.game import ChildSaveLoad


def chosen() -> Behaviors:
    return Behaviors.WAVE


class Behaviors(Enum):
    WAVE = auto()

    def describe(self) -> str:
        return self.name


Made = Enum("Made", "WAVE")
Again = Behaviors


class Plain:
    WAVE = 1


@saveable
class Child(ChildSaveLoad, Recorder):
    @serializer(chosen())
    def by_call(self, record: Record) -> None: ...

    @serializer(Behaviors["WAVE"])
    def by_item(self, record: Record) -> None: ...

    @serializer(Behaviors.WAVES)  # type: ignore[attr-defined]
    def misspelt(self, record: Record) -> None: ...

    @serializer(Made.WAVE)
    def made_by_a_call(self, record: Record) -> None: ...

    @serializer(Plain.WAVE)  # type: ignore[arg-type]
    def of_no_enumeration(self, record: Record) -> None: ...

    @serializer  # type: ignore[arg-type]
    def of_nothing(self, record: Record) -> None: ...

    # These can be read.
    @serializer(behavior=Behaviors.WAVE)
    def save_wave(self, record: Record) -> None: ...

    @deserializer(Again.WAVE)
    def load_wave(self, record: Record) -> None: ...

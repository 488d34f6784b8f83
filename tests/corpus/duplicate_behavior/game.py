"""One method saves a behaviour, one loads it; a subclass may write either again."""

from __future__ import annotations

from enum import Enum, auto

from savegen import Recorder, deserializer, saveable, serializer
from savegen.runtime import Record

from _savegen.components.game import ChildSaveLoad, TeenSaveLoad


@saveable
class Child(ChildSaveLoad, Recorder):
    class Behaviors(Enum):
        GIVE_TOY = auto()

    @serializer(Behaviors.GIVE_TOY)
    def save_toy(self, record: Record) -> None: ...

    @deserializer(Behaviors.GIVE_TOY)
    def load_toy(self, record: Record) -> None: ...

    @serializer(Behaviors.GIVE_TOY)
    def save_it_too(self, record: Record) -> None: ...


class Quiet(Recorder):
    class Behaviors(Enum):
        HUSH = auto()

    @serializer(Behaviors.HUSH)
    def save_hush(self, record: Record) -> None: ...

    @deserializer(Behaviors.HUSH)
    def load_hush(self, record: Record) -> None: ...


@saveable
class Teen(TeenSaveLoad, Quiet):
    @serializer(Quiet.Behaviors.HUSH)
    def save_hush(self, record: Record) -> None: ...

    def load_hush(self, record: Record) -> None: ...

    @deserializer(Quiet.Behaviors.HUSH)
    def load_silence(self, record: Record) -> None: ...

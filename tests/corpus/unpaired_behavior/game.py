"""What is saved must be loaded, what is loaded must be saved; one method for both is fine."""

from __future__ import annotations

from enum import Enum, auto

from savegen import Recorder, deserializer, saveable, serializer
from savegen.runtime import Record

from _savegen.components.game import ChildSaveLoad, TeenSaveLoad


class Waves(Recorder):
    """Not saveable itself: what is wrong is told where it is written."""

    class Behaviors(Enum):
        WAVE = auto()

    @serializer(Behaviors.WAVE)
    def save_wave(self, record: Record) -> None: ...


@saveable
class Child(ChildSaveLoad, Waves):
    class Behaviors(Enum):
        """Its members need their methods; what is no member does not."""

        GIVE_TOY = 1
        TAKE_TOY = 2
        HIDE_TOY = 3
        ALSO_TAKE_TOY = 2
        SLEEP = "sleep"
        _ignored = 4

        def describe(self) -> str:
            return self.name

    @serializer(Behaviors.GIVE_TOY)
    def save_toy(self, record: Record) -> None: ...

    @deserializer(Behaviors.TAKE_TOY)
    def load_toy(self, record: Record) -> None: ...

    @serializer(Behaviors.HIDE_TOY)
    @deserializer(Behaviors.HIDE_TOY)
    def _both(self, record: Record) -> None: ...


@saveable
class Teen(TeenSaveLoad, Child):
    """Brings what its base lacks."""

    @deserializer(Child.Behaviors.GIVE_TOY)
    def load_given(self, record: Record) -> None: ...

    class TeenBehaviors(Enum):
        SULK = auto()
        SHRUG = auto()
        NOD = auto()

    class Mood(Enum):
        """No behaviours at all."""

        DARK = auto()

    @serializer(TeenBehaviors.SULK)
    @deserializer(TeenBehaviors.SULK)
    def sulk(self, record: Record) -> None: ...

    @serializer(TeenBehaviors.NOD)
    def save_nod(self, record: Record) -> None: ...

    @serializer(Child.Behaviors.ALSO_TAKE_TOY)
    def save_taken(self, record: Record) -> None: ...

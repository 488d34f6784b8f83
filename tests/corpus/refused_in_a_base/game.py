"""A base that nobody marked has fields that cannot be saved, or one of its subclasses has."""

from collections.abc import Callable
from typing import Annotated, Generic, TypeVar

from savegen import SaveOverride, Saved, saveable

from _savegen.components.game import BoxSaveLoad, CampSaveLoad, OrcSaveLoad

T = TypeVar("T")


class Sword:
    pass


class Base:
    on_hit: Saved[Callable[[int], None]]


class Holder(Generic[T]):
    held: Saved[T]


@saveable
class Orc(OrcSaveLoad, Base):
    hp: Saved[int] = 3


@saveable
class Box(BoxSaveLoad, Holder[Sword]):
    pass


@saveable(override=True)
class Camp(CampSaveLoad):
    # What the class saves itself may be of any type.
    on_call: Annotated[Callable[[int], None], SaveOverride()]

    def save_data(self, references):
        return self.save_data_(references)

    def load_data(self, data, references):
        self.load_data_(data, references)

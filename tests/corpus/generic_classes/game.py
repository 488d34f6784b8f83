"""Type variables in saveable classes: a bound tells what there is to save, or a subclass does."""

from __future__ import annotations

from typing import (
    Annotated,
    Generic,
    Optional,
    ParamSpec,
    TypeVar,
    TypeVarTuple,
    Union,
    Unpack,
)

from savegen import Save, Saved, saveable

from _savegen.components.game import (
    AlarmSaveLoad,
    BoxSaveLoad,
    ChestSaveLoad,
    ItemSaveLoad,
    LedgerSaveLoad,
    PurseSaveLoad,
)

T = TypeVar("T", bound="Item")
A = TypeVar("A")
B = TypeVar("B")
P = ParamSpec("P")
Ts = TypeVarTuple("Ts")
Hidden = Annotated[A, Save(editor=False)]
Either = Union[list[A], B]


@saveable
class Item(ItemSaveLoad):
    weight: Saved[float] = 0.0


@saveable
class Box(BoxSaveLoad, Generic[T]):
    held: Saved[T | None] = None
    more: Saved[list[T]]


@saveable
class Chest(ChestSaveLoad, Box[Item]):
    locked: Saved[bool] = False


class Holder(Generic[A, B]):
    what: Saved[A]
    whose: Saved[Optional[B]] = None


class Named(Holder[B, str]):
    known: Hidden[dict[str, B]]


class Event(Generic[P, A]):
    result: Saved[A]


class Tail(Generic[Unpack[Ts], A]):
    last: Saved[A]


@saveable
class Alarm(AlarmSaveLoad, Event[[int], str], Tail[int, float, bytes]):
    pass


Known = Named[int]


@saveable
class Purse(PurseSaveLoad, Known):
    either: Saved[Either[int, str]] = ""


@saveable
class Ledger(LedgerSaveLoad, Holder["Item", tuple[int, ...]]):
    pass

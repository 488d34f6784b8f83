"""The numbers of objects in a save, and in which order they come: the same in every process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, TypeVar

import msgspec

from savegen.runtime import digest
from savegen.runtime.checks import Check, Items
from savegen.runtime.errors import SaveError
from savegen.runtime.saves.world.attic import Attic, Dormant, Unknown
from savegen.runtime.snapshot import Snapshot, Table

T = TypeVar("T")
_STEP = 5000  # objects


class Numbered(msgspec.Struct, eq=False):
    """The objects of one class, in the order of their numbers."""

    number: int  # of the class
    objects: list[Any]
    table: Table | None = None  # what those of the world hold
    places: list[int] | None = None  # in `table`, in this order; `None` if that has it
    dormant: Dormant | None = None  # those among them that are not in the world
    unknown: Unknown | None = None


class Order:
    """All objects of a snapshot, class by class, those in its attic among them."""

    def __init__(
        self, snapshot: Snapshot, attic: Attic, pause: Callable[[], object]
    ) -> None:
        """`pause` is called every few thousand objects."""
        self._pause = pause
        self.classes = sorted(_classes(snapshot, attic), key=lambda c: c.number)
        self.count = sum(len(group.objects) for group in self.classes)
        # Whether the numbers are those that follow from the order.
        self.is_as_met = True
        # Without an object, none is referred to.
        self.numbers: dict[int, int | None] = {id(None): None}
        numbers = count()
        for group in self.classes:
            for part in self.parts(group.objects):
                self.numbers.update(zip(map(id, part), numbers))

    def parts(self, values: Sequence[T]) -> Iterator[Sequence[T]]:
        """Yield values, some at a time, with a pause after each: no step takes long."""
        for start in range(0, len(values), _STEP):
            yield values[start : start + _STEP]
            self._pause()

    def renumber(self, numbers: dict[int, int | None]) -> None:
        """Give the objects other numbers."""
        self.numbers, self.is_as_met = numbers, False

    def let_go(self, pause: Callable[[], object]) -> None:
        """Forget the numbers, some at a time."""
        while self.numbers:
            for _ in range(min(_STEP, len(self.numbers))):
                self.numbers.popitem()
            pause()

    def numbers_of(self, objects: Iterable[Any]) -> list[int | None]:
        """Return the numbers of objects. Raises `SaveError` if one is not in the save."""
        found = [*objects]
        try:
            return [*map(self.numbers.__getitem__, map(id, found))]
        except KeyError:
            lost = next(each for each in found if id(each) not in self.numbers)
            raise SaveError(
                f"what is saved refers to a `{type(lost).__qualname__}` that is not part of"
                " it: save that as well"
            ) from None

    def number_or_none(self, thing: Any) -> int | None:
        """Return the number of an object; `None` if it is not in the save."""
        return self.numbers.get(id(thing))


def _classes(snapshot: Snapshot, attic: Attic) -> Iterable[Numbered]:
    places = _places(snapshot)
    for table in snapshot.tables.values():
        number = int(table.entry.save_type)
        group = Numbered(number, table.objects, table)
        if places is not None:
            group = _sorted(group, places)
        if dormant := attic.dormant.get(number):
            group = _with_dormant(group, dormant)
        if group.objects:
            yield group
    known = {int(table.entry.save_type) for table in snapshot.tables.values()}
    for number, sleeping in attic.dormant.items():
        if number not in known:
            table = Table(sleeping.entry, rows=[] if sleeping.entry.rows else None)
            yield _with_dormant(Numbered(number, [], table), sleeping)
    for each in attic.unknown:
        yield Numbered(each.number, each.objects, unknown=each)


def _with_dormant(group: Numbered, dormant: Dormant) -> Numbered:
    group.objects = woven(group.objects, [*zip(dormant.places, dormant.objects)])
    group.dormant = dormant
    return group


def _sorted(group: Numbered, places: dict[int, int]) -> Numbered:
    """Put what was only referred to into the order in which everybody comes to it."""
    tokens = [id(each) for each in group.objects]
    met = [place for place, token in enumerate(tokens) if token in places]
    if not met:
        return group
    rest = [place for place, token in enumerate(tokens) if token not in places]
    rest += sorted(met, key=lambda place: places[tokens[place]])
    group.places = rest
    group.objects = [group.objects[place] for place in rest]
    return group


def _places(snapshot: Snapshot) -> dict[int, int] | None:
    """Return places for what was only referred to; `None` if it has its order already.

    A set has none: who comes to objects through one comes to them in any order.
    """
    tables = [table for table in snapshot.tables.values() if table.objects]
    if not any(_has_sets(table) for table in tables) or not snapshot.adopted:
        return None
    return digest.order(snapshot)


def _has_sets(table: Table) -> bool:
    functions = table.entry.rows
    if functions is None or functions.reach is None:
        return False
    return any(map(_is_unordered, functions.checks.values()))


def _is_unordered(top: Check) -> bool:
    """Tell whether objects may stand in a set somewhere in a value."""
    seen: dict[int, Check] = {}
    waiting = [top] if top.refers else []
    while waiting:
        check = waiting.pop()
        if id(check) not in seen:
            seen[id(check)] = check
            waiting += (inner for inner in check.checks() if inner.refers)
    return any(isinstance(c, Items) and not c.is_ordered for c in seen.values())


def woven(items: list[T], others: list[tuple[int, T]]) -> list[T]:
    """Return a list with others at the places that they had.

    >>> woven(["a", "b"], [(0, "x"), (2, "y"), (9, "z")])
    ['x', 'a', 'y', 'b', 'z']
    """
    made: list[T] = []
    rest = iter(items)
    for place, other in sorted(others, key=lambda pair: pair[0]):
        for _ in range(place - len(made)):
            for item in rest:
                made.append(item)
                break
        made.append(other)
    return [*made, *rest]

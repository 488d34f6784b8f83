"""What was kept aside, on its way back into a save."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from savegen.runtime.saves.world.attic import Attic, Kept, Unknown, Was
from savegen.runtime.saves.world.data import UNSET
from savegen.runtime.saves.document import Column, Table
from savegen.runtime.saves.world.kept import kept_table
from savegen.runtime.saves.world.lanes import Lane, Pieces, lost_lane, whole_lane
from savegen.runtime.saves.world.order import Numbered, Order
from savegen.runtime.saves.world.shapes import Shapes
from savegen.runtime.saves.wire.forms import relink

# Yields what a field holds, as it is written, if that is what it was given.
IfSame = Callable[[Kept, Numbered], Iterator[Any]]


class Leftovers:
    """Writes an attic again. Today's shapes have to be told before."""

    def __init__(self, attic: Attic, order: Order, shapes: Shapes) -> None:
        self._attic = attic
        self._order = order
        self._shapes = shapes

    def lanes(self, group: Numbered) -> Iterator[Lane]:
        """Yield the columns of the fields that a class does not have any more."""
        told, number = self._attic.shapes, self._order.number_or_none
        for lost in self._attic.lost.get(group.number, ()):
            form = self._shapes.adopted(lost.column.form, told)
            values = relink(lost.column.form, told, lost.values, number)
            known = dict(zip(map(id, lost.objects), values, strict=True))
            cells = [known.get(id(each), UNSET) for each in group.objects]
            yield lost_lane(lost.column, form, cells)

    def table(self, unknown: Unknown) -> Table:
        """Return the table of a class that the game does not have any more."""
        told, lanes = self._attic.shapes, []
        for column, values in zip(unknown.columns, unknown.values, strict=True):
            form = self._shapes.adopted(column.form, told)
            made = relink(column.form, told, values, self._order.number_or_none)
            lanes.append(whole_lane(Column(column.number, column.name, form), made))
        columns, count = [lane.column for lane in lanes], len(unknown.objects)
        return Table(unknown.number, unknown.name, columns, count, Pieces(count, lanes))

    def kept(self, if_same: IfSame) -> Table:
        """Return the table of values that today's game could not hold."""
        found = self._kept(if_same)
        return kept_table(found, self._attic.shapes, self._order, self._shapes)

    def _kept(self, if_same: IfSame) -> Iterator[tuple[Kept, Any]]:
        groups = {group.number: group for group in self._order.classes}
        for kept in self._attic.kept:
            if id(kept.object) not in self._order.numbers:
                continue
            if isinstance(kept.given, Was):
                yield kept, kept.given.relink(self._order.number_or_none).value
                continue
            for now in if_same(kept, groups[int(kept.object.save_type)]):
                yield kept, now

"""What an old save does not say of an object: it has it already, or takes the default."""

from __future__ import annotations

from collections import Counter
from typing import Any

from savegen.runtime.errors import SaveApplyError
from savegen.runtime.matching import Match
from savegen.runtime.snapshot import Table


class Missing:
    """Stands in a row for a value that neither the save nor the class knows."""

    def __repr__(self) -> str:
        return "<missing>"


MISSING = Missing()


class Supply:
    """Completes the tables of an old save, for the objects that stand for those in it.

    An object of today, or one built from its prefab, keeps what it has. One that was made
    blank takes the default that its class declares.
    """

    def __init__(self, match: Match) -> None:
        self._match = match
        self.defaulted: Counter[str] = Counter()  # objects, by field

    def of(self, tables: dict[type, Table]) -> dict[type, Table]:
        """Return the tables, complete. Raises `SaveApplyError` that names what has no default."""
        return {
            cls: self._completed(table) if table.lacks else table
            for cls, table in tables.items()
        }

    def _completed(self, table: Table) -> Table:
        made = Table(
            table.entry,
            table.objects,
            None if table.rows is None else [*table.rows],
            None if table.data is None else [*table.data],
            table.recordings,
            table.lacks,
        )
        for place, each in enumerate(table.objects):
            today = self._match.stand_ins.get(id(each), each)
            if today is not None:
                self._complete(made, place, None if today is each else today)
        return made

    def _complete(self, table: Table, place: int, today: Any) -> None:
        """Complete what one object holds; `today` is what stands for it, if that is not new."""
        has = _row(table, today)
        for column, (number, _) in table.lacks.items():
            if not table.lacks[column].is_at(place):
                continue
            if has is not None:
                value, is_there = has[column], True
            elif table.rows is not None:
                value = table.rows[place * table.width + column]
                is_there = value is not MISSING
            else:
                assert table.data is not None
                value, is_there = None, number in table.data[place]
            self._note(table, column, has is None, is_there)
            if table.rows is not None:
                table.rows[place * table.width + column] = value
            elif has is not None and table.data is not None:
                data = table.data[place]
                table.data[place] = {n: v for n, v in data.items() if n != number}

    def _note(self, table: Table, column: int, is_new: bool, is_there: bool) -> None:
        assert table.entry.rows is not None
        field = f"{_name(table)}.{[*table.entry.rows.checks][column]}"
        if not is_there:
            raise SaveApplyError(
                f"`{field}` is not in the save, and has no default: give it a value in the"
                " class, or `Save(default=…)`, or write a `@migration`"
            )
        if is_new:
            self.defaulted[field] += 1


def settled(table: Table) -> Table:
    """Return a table that was completed as one that lacks nothing."""
    if not table.lacks or table.rows is None:
        return table
    return Table(table.entry, table.objects, table.rows, recordings=table.recordings)


def _row(table: Table, today: Any) -> list[Any] | None:
    """Return what an object holds; `None` if it is new, or has not all of its fields."""
    assert table.entry.rows is not None
    if today is None:
        return None
    try:
        return table.entry.rows.capture([today])
    except Exception:  # an attribute is not set, say
        return None


def _name(table: Table) -> str:
    return type(table.objects[0]).__qualname__

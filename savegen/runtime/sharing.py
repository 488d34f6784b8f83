"""Strict capture: is every field of its kind, and is no mutable value in two fields?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from savegen.runtime.checks import check_fields
from savegen.runtime.errors import SaveError
from savegen.runtime.snapshot import Table


def check_sharing(tables: Iterable[Table]) -> None:
    """Raise `SaveError` at the first field that would not come back as it is."""
    holders: dict[int, str] = {}
    for table in tables:
        for place, component in enumerate(table.objects):
            if table.entry.save_type < 0:
                _check_cells(component, table, place)
            elif table.entry.rows is not None:
                check_fields(component, table.entry.rows.checks)
                _check_component(component, table, place, holders)


def _check_cells(component: Any, table: Table, place: int) -> None:
    """Check an object of ours: what it holds is in its row."""
    assert table.entry.rows is not None
    cells = zip(table.entry.rows.checks.items(), table.row(place), strict=True)
    for (name, check), value in cells:
        if fault := check.fault(value):
            where = f"`{type(component).__qualname__}.{name}{fault.path}`"
            raise SaveError(f"{where} holds {fault.found}, not {fault.wanted}")


def _check_component(
    component: Any, table: Table, place: int, holders: dict[int, str]
) -> None:
    assert table.entry.rows is not None
    for name, check in table.entry.rows.checks.items():
        where = f"`{type(component).__qualname__}.{name}` (object {place})"
        for part in check.changeable(getattr(component, name, None)):
            if id(part) in holders:
                kind = type(part).__qualname__
                raise SaveError(
                    f"{holders[id(part)]} and {where} hold one {kind}: after a load they"
                    " would hold two; give each its own, or make it an object with"
                    " `@saveable`"
                )
            holders[id(part)] = where

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
        if table.entry.rows is None:
            continue
        for place, component in enumerate(table.objects):
            if table.entry.save_type >= 0:
                check_fields(component, table.entry.rows.checks)
            _check_component(component, table, place, holders)


def _check_component(
    component: Any, table: Table, place: int, holders: dict[int, str]
) -> None:
    assert table.entry.rows is not None
    if table.entry.save_type < 0:  # an object of ours holds nothing of the game's
        return
    for name, check in table.entry.rows.checks.items():
        value = getattr(component, name, None)
        for part in check.changeable(value):
            where = f"`{type(component).__qualname__}.{name}` (object {place})"
            other = holders.setdefault(id(part), where)
            if other != where:
                kind = type(part).__qualname__
                raise SaveError(
                    f"{other} and {where} hold one {kind}: after a load they would hold"
                    " two; give each its own, or make it an object with `@saveable`"
                )

"""Days, times and spans of time: in ISO 8601, with what that does not say beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from savegen.runtime import checks
from savegen.runtime.errors import SaveError, told
from savegen.runtime.saves.wire._leaf_nodes import text, text_of

WORDS = {
    id(checks.DATE): "date",
    id(checks.TIME): "time",
    id(checks.DATETIME): "datetime",
}
ZONES = "a zone of `zoneinfo` by its name, or one of `datetime.timezone`"
SPANS = [timedelta]
_STEP = timedelta(microseconds=1)


def span(value: timedelta) -> list[int]:
    return [value.days, value.seconds, value.microseconds]


def read_span(wire: Any) -> timedelta:
    days, seconds, microseconds = wire
    return timedelta(days, seconds, microseconds)


def write(value: date | time) -> Any:
    """Return a day, a time or a moment as it is written; `None` if its zone has no name."""
    if not isinstance(value, (datetime, time)):
        return value.isoformat()
    bare = value.replace(tzinfo=None, fold=0).isoformat()
    if value.tzinfo is None:
        return [bare, value.fold, None] if value.fold else bare
    zone = _zone(value.tzinfo)
    return None if zone is None else [bare, value.fold, zone]


def _zone(zone: tzinfo) -> Any:
    if type(zone) is ZoneInfo:
        return zone.key
    if type(zone) is not timezone:
        return None
    offset, *names = zone.__getinitargs__()  # type: ignore[attr-defined]
    return [offset // _STEP, *map(text, names)]


def reader(word: str, saved: str) -> Callable[[Any], list[Any]] | None:
    """Return what reads values of a word that were saved as `saved`; `None` if nothing can."""
    if saved != word and (saved, word) != ("datetime", "date"):
        return None
    parse = _PARSE[word]
    return lambda values: [_read(parse, wire) for wire in values]


def _date(iso: str) -> date:
    return datetime.fromisoformat(iso) if "T" in iso else date.fromisoformat(iso)


_PARSE: dict[str, Callable[[str], Any]] = {
    "date": _date,
    "time": time.fromisoformat,
    "datetime": datetime.fromisoformat,
}


def _read(parse: Callable[[str], Any], wire: Any) -> Any:
    if type(wire) is str:
        return parse(wire)
    iso, fold, zone = wire
    return parse(iso).replace(fold=fold, tzinfo=_read_zone(zone))


def _read_zone(zone: Any) -> tzinfo | None:
    if zone is None:
        return None
    if type(zone) is str:
        return _named(zone)
    offset, *names = zone
    return timezone(offset * _STEP, *map(text_of, names))


# A name leads to a file of the system's: nothing but the names of zones may.
_NAME = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")


@lru_cache(64)
def _named(name: str) -> ZoneInfo:
    try:
        if len(name) <= 64 and _NAME.fullmatch(name):
            return ZoneInfo(name)
    except Exception as error:
        raise SaveError(
            f"the time zone {name!r} is not known here: {told(error)}"
        ) from None
    raise SaveError(f"{name[:64]!r} is no time zone")

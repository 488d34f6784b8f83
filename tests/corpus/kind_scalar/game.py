"""Every scalar, and scalars inside others: none of them is ever copied."""

from __future__ import annotations

import datetime as dt
import pathlib
import uuid
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import NoneType
from uuid import UUID

from savegen import Saved, saveable

from _savegen.components.game import LedgerSaveLoad


@saveable
class Ledger(LedgerSaveLoad):
    open: Saved[bool] = True
    count: Saved[int] = 0
    rate: Saved[float] = 1.0
    phase: Saved[complex] = 0j
    title: Saved[str] = ""
    seal: Saved[bytes] = b""
    nothing: Saved[None] = None
    nothing_at_all: Saved[NoneType] = None  # type: ignore[nonetype-type]
    price: Saved[Decimal] = Decimal("9.99")
    share: Saved[Fraction] = Fraction(1, 3)
    day: Saved[date]
    hour: Saved[time]
    at: Saved[datetime]
    then: Saved[dt.datetime]
    took: Saved[timedelta] = timedelta()
    key: Saved[UUID]
    other_key: Saved[uuid.UUID]
    folder: Saved[Path] = Path()
    pure: Saved[pathlib.PurePath] = pathlib.PurePath()
    posix: Saved[PurePosixPath] = PurePosixPath("/")
    windows: Saved[PureWindowsPath] = PureWindowsPath("C:/")
    days: Saved[dict[date, list[Decimal]]]
    spans: Saved[tuple[timedelta, float]]

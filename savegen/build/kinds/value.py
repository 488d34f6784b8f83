"""Recognise frozen plain classes that contain only immutable values and need no copy."""

from __future__ import annotations

from savegen.build.kinds._base import Classes, Kind, Type
from savegen.build.kinds.record import cell as cell
from savegen.build.kinds.record import plain_class
from savegen.build.kinds.record import stored as stored


def recognise(type: Type, classes: Classes) -> Kind | None:
    return plain_class(type, classes, "value")

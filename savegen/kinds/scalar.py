"""Immutable values of the standard library, kept as they are."""

from __future__ import annotations

from savegen.kinds._base import Classes, Kind, Type

NAMES = frozenset(
    [
        "None",
        *(f"builtins.{name}" for name in "bool int float complex str bytes".split()),
        *(f"datetime.{name}" for name in "date time datetime timedelta".split()),
        "decimal.Decimal",
        "fractions.Fraction",
        "uuid.UUID",
        "pathlib.Path",
        "pathlib.PurePath",
        "pathlib.PosixPath",
        "pathlib.PurePosixPath",
        "pathlib.WindowsPath",
        "pathlib.PureWindowsPath",
    ]
)


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name not in NAMES:
        return None
    return Kind("scalar", type.name, immutable=True, hashable=True)

"""Recognise immutable values of the standard library."""

from __future__ import annotations

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type

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


# Stored type and cell type.
_TYPES = {
    "None": ("none", "None"),
    **{f"builtins.{n}": (n, n) for n in "bool int str bytes".split()},
    # Type checkers accept an int as a float.
    "builtins.float": ("float", "float | int"),
    "builtins.complex": ("complex", "tuple[float, float]"),
    **{f"datetime.{n}": (n, "str") for n in "date time datetime".split()},
    "datetime.timedelta": ("timedelta", "tuple[int, int, int]"),
    "decimal.Decimal": ("decimal", "str"),
    "fractions.Fraction": ("fraction", "str"),
    "uuid.UUID": ("uuid", "bytes"),
}
_PATH = ("path", "str")


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return stored_name(kind)


def stored_name(kind: Kind) -> str:
    return _TYPES.get(kind.name, _PATH)[0]


def cell(kind: Kind, cells: CellTypes) -> str:
    return _TYPES.get(kind.name, _PATH)[1]

"""Recognise immutable values of the standard library."""

from __future__ import annotations

from typing import NamedTuple

from savegen.build.kinds._base import CellTypes, Classes, Kind, StoredTypeWriter, Type


class ScalarType(NamedTuple):
    """A type of immutable values, and all that the build knows of it."""

    full: str  # its full name
    stored: str  # its stored type, and its functions in `pack` and `unpack`
    cell: str = "str"  # the annotation of its cells
    json: tuple[str, ...] = ("text",)  # the shapes of its values in levels
    is_called: bool = False  # with the text from a level; msgspec decodes the others
    pattern: str = ""  # of this text
    limits_later: bool = False  # msgspec does not check the limits of its numbers
    returned_by: str = ""  # the functions of the library that return one

    @property
    def module(self) -> str:
        return self.full.rpartition(".")[0] or "builtins"

    @property
    def name(self) -> str:
        return self.full.rpartition(".")[2]

    @property
    def is_number(self) -> bool:
        """Whether a level can write its values as numbers, which may have limits."""
        return "int" in self.json or "float" in self.json


_ALL = [
    ScalarType("None", "none", "None", ("null",)),
    ScalarType("builtins.bool", "bool", "bool", ("bool",)),
    ScalarType("builtins.int", "int", "int", ("int",)),
    # Type checkers accept an int as a float.
    ScalarType("builtins.float", "float", "float | int", ("float",)),
    ScalarType("builtins.complex", "complex", "tuple[float, float]", ("array",)),
    ScalarType("builtins.str", "str"),
    ScalarType("builtins.bytes", "bytes", "bytes"),
    ScalarType("datetime.date", "date", returned_by="datetime.date.today"),
    ScalarType("datetime.time", "time"),
    ScalarType(
        "datetime.datetime",
        "datetime",
        returned_by="datetime.datetime.now datetime.datetime.utcnow",
    ),
    ScalarType("datetime.timedelta", "timedelta", "tuple[int, int, int]"),
    ScalarType(
        "decimal.Decimal", "decimal", json=("text", "int", "float"), limits_later=True
    ),
    ScalarType(
        "fractions.Fraction",
        "fraction",
        is_called=True,
        pattern=r"^-?[0-9]+(/0*[1-9][0-9]*)?$",
        limits_later=True,
    ),
    ScalarType("uuid.UUID", "uuid", "bytes", returned_by="uuid.uuid1 uuid.uuid4"),
    *(
        ScalarType(f"pathlib.{name}", "path", is_called=True)
        for name in "Path PurePath PosixPath PurePosixPath WindowsPath PureWindowsPath".split()
    ),
]
SCALARS = {each.full: each for each in _ALL}


def recognise(type: Type, classes: Classes) -> Kind | None:
    if type.name not in SCALARS:
        return None
    return Kind("scalar", type.name, immutable=True, hashable=True)


def scalar_type(kind: Kind) -> ScalarType:
    return SCALARS[kind.name]


def stored(kind: Kind, types: StoredTypeWriter) -> str:
    return scalar_type(kind).stored


def cell(kind: Kind, cells: CellTypes) -> str:
    return scalar_type(kind).cell

"""A save as plain data: what a file says, whatever its bytes look like, and no object of the game.

It describes itself. A reader that knows none of the game's code can tell classes, fields and
values, and can write all of it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

import msgspec

# How the values of a column are written: a word, `"int"`, or a word and what it is made of,
# `["list", "int"]`. `wire.forms` knows all of them.
Form: TypeAlias = str | list[Any]

# Some rows of a table, column by column.
Piece: TypeAlias = list[list[Any]]

ROWS_OF_A_PIECE = 1000  # at most: a longer step would hold up the game's own thread


class Column(msgspec.Struct, frozen=True):
    """One field of a class: its stable number, its name when it was saved, and its form."""

    number: int
    name: str
    form: Form


def known_by(columns: Iterable[Column]) -> list[tuple[int, Form]]:
    """Return what columns are known by, whatever they are called."""
    return [(column.number, column.form) for column in columns]


class Table(msgspec.Struct, eq=False):
    """The objects of one class, or one of the tables that every save has.

    >>> walls = Table(7, "Wall", [Column(16, "height", "int")], 3, [[[2, 2]], [[5]]])
    >>> walls.values(0)
    [2, 2, 5]
    """

    number: int  # of the class, or one of those below
    name: str
    columns: list[Column]
    count: int  # of rows
    pieces: Iterable[Piece]  # may be gone through again, and may be made only then

    def values(self, place: int) -> list[Any]:
        """Return all values of a column."""
        return [*chain.from_iterable(piece[place] for piece in self.pieces)]

    def all_values(self) -> list[list[Any]]:
        """Return all values of every column: the pieces are made once."""
        found: list[list[Any]] = [[] for _ in self.columns]
        for piece in self.pieces:
            for column, values in zip(found, piece, strict=True):
                column += values
        return found

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the values row by row."""
        for piece in self.pieces:
            yield from zip(*piece, strict=True)

    @property
    def is_of_class(self) -> bool:
        return self.number >= GAME_OBJECTS


class Document(msgspec.Struct, eq=False):
    """One save.

    The objects are numbered as they come, through all tables of classes: a reference is such a
    number, or `None`.
    """

    tables: list[Table]
    save_version: int = 0  # `[tool.savegen] save_version`, when it was saved
    # The fields of each class of plain data that a form names, with their forms.
    shapes: dict[str, list[tuple[str, Form]]] = {}
    dangling: int = 0  # references to what was destroyed, saved as `None`

    def table(self, number: int) -> Table:
        """Return the table of a number; one without rows if the save has none."""
        for table in self.tables:
            if table.number == number:
                return table
        return Table(number, NAMES.get(number, ""), [*SYSTEM.get(number, ())], 0, [])

    @property
    def classes(self) -> list[Table]:
        """The tables of classes: their rows are the objects."""
        return [table for table in self.tables if table.is_of_class]

    @property
    def count(self) -> int:
        """How many objects there are, components and game objects included."""
        return sum(table.count for table in self.classes)


# -- the tables that are of no class of the game's

GAME_OBJECTS = -1
RECORDS = -2  # what was added to the world, in the order of its slot map
EMPTIES = -3  # the empty slots, with the generation of the next key to each
FREE = -4  # those that can be filled, the next one at the end
TOMBSTONES = -5  # placed objects that were destroyed
STATES = -6  # what `add_state` added
GENERATORS = -7  # random generators; a value that is one is a place in this table
KEPT = -8  # values as an older save had them, that the game of today holds otherwise

NAMES = {
    GAME_OBJECTS: "GameObject",
    RECORDS: "records",
    EMPTIES: "empty slots",
    FREE: "free slots",
    TOMBSTONES: "tombstones",
    STATES: "states",
    GENERATORS: "generators",
    KEPT: "kept",
}

# Of the class of what a migration has removed: what refers to that refers to nothing.
REMOVED = 2**63 - 1

# Numbers of columns below 16 are savegen's own.
DATA = 14  # of a class that saves itself: all it holds, by number
RECORDED = 15  # what a Recorder has recorded
FIRST_FIELD = 16  # of those of a `GameObject`, which have no numbers of their own


def _columns(**forms: Form) -> tuple[Column, ...]:
    pairs = enumerate(forms.items())
    return tuple(Column(number, name, form) for number, (name, form) in pairs)


SYSTEM: dict[int, tuple[Column, ...]] = {
    RECORDS: _columns(
        object="ref",
        index="int",
        generation="int",
        prefab=["optional", "int"],
        placement=["optional", "str"],
        level=["optional", "str"],
    ),
    EMPTIES: _columns(slot="int", generation="int"),
    FREE: _columns(slot="int"),
    TOMBSTONES: _columns(placement="str", level=["optional", "str"]),
    STATES: _columns(name="str", value="any"),
    GENERATORS: _columns(kind="str", state="any"),
    # `now` is what today's game was given instead: as long as a field still holds that,
    # the next save has the old value too.
    KEPT: _columns(
        object="ref", number="int", name="str", form="any", value="any", now="any"
    ),
}

"""Scalars, constants and objects."""

from __future__ import annotations

import pathlib
from typing import Any

from savegen.runtime.checks import WEAK_REFERENCE, Check, Literals
from savegen.runtime.errors import SaveCorruptError, SaveError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire import _times
from savegen.runtime.saves.wire._base import (
    LOST,
    Column,
    Names,
    Reader,
    Readings,
    Things,
    Wire,
    as_it_is,
)
from savegen.runtime.saves.wire._json import jsonable
from savegen.runtime.saves.wire._leaf_nodes import LiteralNode, text, text_of
from savegen.runtime.saves.wire._node import DEPTH, Node
from savegen.runtime.saves.wire._scalars import (
    NO_TYPES,
    ODD_NUMBERS,
    ODD_TEXTS,
    SCALARS,
    read_numbers,
    read_texts,
)


class ScalarWire(Wire):
    """Values of exactly some types."""

    def __init__(self, check: Check, wires: Any) -> None:
        super().__init__(check, wires)
        self._scalar = SCALARS[id(check)]

    def _formed(self) -> Form:
        return self._scalar.word

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not self._scalar.types.issuperset(map(type, values)):
            raise self.refuse(values)
        return self._scalar.write(values)

    def takes(self, rows: Column) -> bool:
        """Tell whether all that is in some rows is written as it is."""
        return self._scalar.takes(rows)

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if isinstance(node, LiteralNode):
            return self._of_constants(node)
        word = word_of(node)
        read = self._scalar.reads.get(word)
        if read is None:
            return None
        if read is as_it_is:
            return Reader(read, odd=NO_TYPES)
        odd = ODD_NUMBERS if read is read_numbers else None
        return Reader(read, odd=ODD_TEXTS if read is read_texts else odd)

    def _of_constants(self, node: LiteralNode) -> Reader | None:
        """Read constants, if each may be a value of any kind like it."""
        constants = node.members
        if not self._scalar.types.issuperset(map(type, constants)):
            return None
        return Reader(lambda values, things: [*map(constants.__getitem__, values)])


def word_of(node: Node) -> str:
    """Return the word of a form."""
    return node.form if isinstance(node.form, str) else str(node.form[0])


class TimeWire(Wire):
    """Days, times of a day, and moments."""

    def _formed(self) -> Form:
        return _times.WORDS[id(self.check)]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        made = []
        for place, value in enumerate(values):
            written = _times.write(value)
            if written is None:
                raise self.unfit(place, value.tzinfo, _times.ZONES)
            made.append(written)
        return made

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        read = _times.reader(str(self.form), word_of(node))
        return None if read is None else Reader(lambda values, _: read(values))


# -- paths

_PATHS: dict[str, type[pathlib.PurePath]] = {
    "posix": pathlib.PurePosixPath,
    "windows": pathlib.PureWindowsPath,
    "path": type(pathlib.Path()),  # of the system: another one than where it was saved
}
_FLAVOURS = {cls: flavour for flavour, cls in _PATHS.items()}


class PathWire(Wire):
    """Paths, pure ones or of the system."""

    def _formed(self) -> Form:
        return "path"

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        for place, value in enumerate(values):
            if type(value) not in _FLAVOURS:
                fault = self.check.fault(value)
                raise self.unfit(
                    place, value, fault.wanted if fault else "path of pathlib"
                )
        return [[_FLAVOURS[type(each)], text(_written(each))] for each in values]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if word_of(node) != "path":
            return None
        return Reader(
            lambda values, _: [_PATHS[f](text_of(wire)) for f, wire in values]
        )


def _written(path: pathlib.PurePath) -> str:
    # The backslashes of a system path would mean nothing on another system.
    return path.as_posix() if isinstance(path, pathlib.Path) else str(path)


# -- objects


class ReferenceWire(Wire):
    """Objects; in rows a weak reference is its object, too."""

    def _formed(self) -> Form:
        return "ref"

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        return names.refs(values)

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if word_of(node) != "ref":
            return None
        # A weak reference to what is gone is one all the same.
        return (
            OBJECTS if self.check is WEAK_REFERENCE else Reader(_alive, gives_lost=True)
        )


def _alive(values: Column, things: Things) -> Column:
    """Return objects; what was destroyed is lost."""
    if None not in values:
        return _objects(values, things)
    things.may_be_lost = True
    return [LOST if each is None else each for each in _objects(values, things)]


def _objects(values: Column, things: Things) -> Column:
    objects = things.objects
    try:
        return [None if n is None else objects[n] for n in values]
    except IndexError:
        raise SaveCorruptError(
            f"the save refers to an object {max(filter(None, values))}, it has {len(objects)}"
        ) from None


OBJECTS = Reader(_objects, gives_lost=True)  # or `None`


# -- constants


class LiteralsWire(Wire):
    """A few constants, written as places among them."""

    def __init__(self, check: Literals, wires: Any) -> None:
        super().__init__(check, wires)
        self._constants = [*check.values]
        self._places = {(type(v), v): n for n, v in enumerate(self._constants)}

    def _formed(self) -> Form:
        return ["literal", [jsonable(each) for each in self._constants]]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        return [self._places[type(each), each] for each in values]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if isinstance(node, LiteralNode):
            constants = node.members
            return Reader(lambda values, _: self._known([constants[n] for n in values]))
        if word_of(node) == "none" and self.check.fits(None):
            return Reader(as_it_is, odd=NO_TYPES)
        return None

    def _known(self, values: list[Any]) -> list[Any]:
        for value in values:
            if not self.check.fits(value):
                raise SaveError(
                    f"the save has {value!r}, which is not {self.check.wanted} any more"
                )
        return values

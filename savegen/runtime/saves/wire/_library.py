"""Classes, prefabs, assets, generators, and values that a codec knows."""

from __future__ import annotations

from typing import Any

from savegen.runtime.checks import Foreign, Member
from savegen.runtime.errors import SaveError, told
from savegen.runtime.generators import kept
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._any_nodes import ForeignNode
from savegen.runtime.saves.wire._base import (
    Column,
    Names,
    NoConversion,
    Reader,
    Readings,
    Things,
    Wire,
)
from savegen.runtime.saves.wire._leaves import word_of
from savegen.runtime.saves.wire._node import DEPTH, Node
from savegen.runtime.saves.wire._scalars import read_texts, texts


class ClassWire(Wire):
    """Saveable classes, by their stable numbers."""

    def _formed(self) -> Form:
        return "class"

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        return [int(cls.save_type) for cls in values]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if word_of(node) != "class":
            return None
        return Reader(lambda values, things: [*map(things.class_of, values)])


class PrefabWire(Wire):
    """Members of the enumeration of prefabs, by their stable numbers."""

    check: Member

    def _formed(self) -> Form:
        return "prefab"

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        return [*map(int, values)]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if word_of(node) != "prefab":
            return None
        return Reader(lambda values, things: [*map(self.member, values)])

    def member(self, number: int) -> Any:
        """Return the prefab of a number. Raises `SaveError` if there is none."""
        try:
            return self.check.enumeration(number)
        except ValueError:
            raise SaveError(
                f"the save has a prefab {number}, which the game does not know"
            ) from None


class AssetWire(Wire):
    """Shared things, by their ids."""

    def _formed(self) -> Form:
        return "asset"

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        ids = {
            key: names.asset(thing) for key, thing in {id(v): v for v in values}.items()
        }
        return texts([ids[id(value)] for value in values])

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        return Reader(_assets) if word_of(node) == "asset" else None


def _assets(values: Column, things: Things) -> Column:
    ids = read_texts(values, things)
    found = {id: things.asset(id) for id in dict.fromkeys(ids)}
    return [*map(found.__getitem__, ids)]


class GeneratorWire(Wire):
    """Random generators, by their places in the table of them."""

    def _formed(self) -> Form:
        return "random" if self.check.wanted == "random.Random" else "numpy_random"

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        return [names.generator(kept(value)) for value in values]

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        return Reader(self._states) if word_of(node) == self.form else None

    def _states(self, values: Column, things: Things) -> Column:
        states = [*map(things.generator, values)]
        if not all(map(self.check.fits, states)):
            raise SaveError(f"the save has a generator that is no {self.check.wanted}")
        return states


class ForeignWire(Wire):
    """Values that a codec takes apart into plain data."""

    check: Foreign

    def _formed(self) -> Form:
        return ["foreign", self.check.name]

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        if not all(map(self.check.fits, values)):
            raise self.refuse(values)
        encoded = [*map(self.check.encoded, values)]
        try:
            return self.wires.dynamic.pack(encoded, names)
        except SaveError as error:
            raise SaveError(
                f"what the codec of `{self.check.wanted}` returned: {error}"
            ) from error

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        if not isinstance(node, ForeignNode):
            return None
        name = str(node.form[1])
        if _last(name) != _last(self.check.name):
            raise NoConversion(f"it was {name}, it is {self.check.name}")
        return Reader(self._decoded)

    def _decoded(self, values: Column, things: Things) -> Column:
        plain = self.wires.dynamic.read(values, things)
        return [*map(self.decode, plain)]

    def decode(self, data: Any) -> Any:
        """Return the value that a codec makes of plain data.

        Raises `SaveError` if it cannot.
        """
        try:
            made = self.check.codec.decode(data)
        except Exception as error:
            raise SaveError(
                f"the codec of `{self.check.wanted}` raised {told(error)}"
            ) from error
        if not self.check.fits(made):
            raise SaveError(
                f"the codec of `{self.check.wanted}` made a {type(made).__qualname__}"
            )
        return made


def _last(name: str) -> str:
    return name.replace(":", ".").rpartition(".")[2]

"""What every wire is: it writes the values of a check, and reads what was saved of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import is_
from typing import TYPE_CHECKING, Any, TypeAlias

from savegen.runtime.checks import Fault
from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError, a, told
from savegen.runtime.generators import GeneratorState
from savegen.runtime.keys import SaveLoadKey
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._choice_nodes import UnionNode
from savegen.runtime.saves.wire._node import DEPTH, Exact, Node, Shapes
from savegen.runtime.saves.wire.forms import node_of

if TYPE_CHECKING:
    from savegen.runtime.saves.wire._wires import Wires

Column: TypeAlias = Sequence[Any]


class Names:
    """What is written of things that are not written themselves. A subclass answers.

    Each method raises `SaveError` for what has no name.
    """

    def refs(self, objects: Column, /) -> list[int | None]:
        """Return the numbers of objects; `None` for `None`, and for what was destroyed."""
        raise NotImplementedError

    def asset(self, thing: Any, /) -> str:
        """Return the id of an asset."""
        raise NotImplementedError

    def generator(self, state: GeneratorState, /) -> int:
        """Return the place of a generator in the table of them."""
        raise NotImplementedError

    def key(self, key: SaveLoadKey, /) -> int | None | tuple[int, ...]:
        """Return the number of what a key names.

        Of what is not part of the save: its index, its generation, and the component's number.
        """
        raise NotImplementedError


class _Lost:
    def __repr__(self) -> str:
        return "<lost>"


def has_lost(values: Column) -> bool:
    return any(map(is_, values, repeat(LOST)))


# Stands for an object that the game cannot make, and for one that was destroyed where no `None`
# may be.
LOST = _Lost()


class Things:
    """What was named: the other side of `Names`. A subclass answers."""

    may_be_lost = True  # whether `LOST` can be among what is read

    # By number; `LOST` is `None` in a field, and left out of containers.
    objects: Sequence[Any]

    def asset(self, id: str, /) -> Any:
        """Return the asset with an id."""
        raise NotImplementedError

    def generator(self, place: int, /) -> GeneratorState:
        """Return the generator at a place of their table, with its state."""
        raise NotImplementedError

    def class_of(self, number: int, /) -> type:
        """Return the saveable class of a number."""
        raise NotImplementedError

    def key(self, named: int | tuple[int, ...], /) -> SaveLoadKey | None:
        """Return the key that `Names.key` has returned this for."""
        raise NotImplementedError


class Unfit(Exception):
    """A value that is not what its field may hold: `save` refuses what `load` would refuse.

    `place` is that of the value in the column, `fault` what is wrong with it.
    """

    def __init__(self, place: int, fault: Fault) -> None:
        super().__init__(f"at {place}: {fault.path} {fault.found}, not {fault.wanted}")
        self.place = place
        self.fault = fault

    def within(self, place: int, step: str) -> Unfit:
        """Return it as it is seen from the value that the column is a part of."""
        return Unfit(place, self.fault.below(step))


class NoConversion(Exception):
    """What a save has of a field cannot become what the field holds today: by itself."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


Read: TypeAlias = Callable[[Column, Things], Column]


def as_it_is(values: Column, things: Things) -> Column:
    return values


def not_yet(values: Column, things: Things) -> Column:
    """Stand for what reads values that lead back to themselves, as long as it is made."""
    raise AssertionError("the reader is not finished")


class Reader:
    """Reads the values of one column.

    `loses` tells that the field of today cannot hold all of what was saved, `gives_lost` that
    `LOST` may be among what `read` returns.

    Two tell where nothing is to be done: without the types of wire values that are `odd`
    (`None` if nearly all are) a column is the values themselves; one that is `Exact` is, if
    the reader `passes_exact` ones.
    """

    __slots__ = ("gives_lost", "loses", "odd", "passes_exact", "read")

    def __init__(
        self,
        read: Read,
        loses: bool = False,
        odd: frozenset[type] | None = None,
        gives_lost: bool = False,
        passes_exact: bool = False,
    ) -> None:
        self.read = read
        self.loses = loses
        self.odd = odd
        self.gives_lost = gives_lost
        self.passes_exact = passes_exact or odd is not None

    def __call__(self, values: Sequence[Any], things: Things) -> list[Any]:
        """Return the values that wire values stand for.

        Raises `SaveError`, and nothing else, if one of them cannot be read.
        """
        if self.passes_exact and type(values) is Exact:
            return values
        found = found_by(lambda: self.without_lost(values, things))
        if len(found) != len(values):  # what is the game's has raised `StopIteration`
            raise SaveCorruptError("a value cannot be read, and does not say why")
        return found if type(found) is list else [*found]

    def become(self, other: Reader) -> None:
        """Read as another one does, which may not know yet how it will."""
        self.loses, self.odd, self.gives_lost = other.loses, other.odd, other.gives_lost
        self.passes_exact = other.passes_exact
        is_known = other.read is not not_yet
        self.read = other.read if is_known else lambda *given: other.read(*given)

    def without_lost(self, values: Column, things: Things) -> Column:
        """Read, with `None` in the place of what is lost."""
        found = self.read(values, things)
        if self.gives_lost and things.may_be_lost and has_lost(found):
            return [None if each is LOST else each for each in found]
        return found


def found_by(run: Callable[[], Column]) -> Column:
    """Return what `run` returns; whatever it raises is a `SaveError`."""
    try:
        return run()
    except SaveError:
        raise
    except RecursionError:
        raise SaveLimitError("the depth of a value", DEPTH, 1000) from None
    except MemoryError:
        raise SaveError("a value needs more memory than there is") from None
    except Exception as error:
        raise SaveCorruptError(f"a value cannot be read: {told(error)}") from error


class Readings:
    """The readers of one column's form: one for each wire and form, which may lead back."""

    def __init__(self) -> None:
        self._readers: dict[tuple[int, int], Reader] = {}

    def of(self, wire: Wire, node: Node) -> Reader:
        """Return what reads a form for a wire. Raises `NoConversion` if nothing can."""
        key = id(wire), id(node)
        if key not in self._readers:
            before = len(self._readers)
            reader = self._readers[key] = Reader(not_yet)
            try:
                made = wire.converting(node, self)
            except NoConversion:
                # What was made meanwhile may use the one that never will be.
                for unfinished in [*self._readers][before:]:
                    del self._readers[unfinished]
                raise
            reader.become(made)
        return self._readers[key]


class Wire:
    """One check's values, as they are written."""

    def __init__(self, check: Any, wires: Wires) -> None:
        self.check = check
        self.wires = wires
        self._form: Form | None = None

    @property
    def form(self) -> Form:
        """How the values are written; the shapes that it names are in those of the `Wires`.

        Raises `SaveError` if a class of the game's is needed and cannot be imported.
        """
        if self._form is None:
            with self.wires.lock:
                self._form = self._formed()
        return self._form

    def _formed(self) -> Form:
        raise NotImplementedError

    def pack(self, values: Column, names: Names, depth: int = DEPTH) -> Column:
        """Return wire values; where they are the values themselves, the very same column.

        Raises `Unfit` for a value that is not what the check allows, and `SaveLimitError` for
        one that is nested too deep.
        """
        raise NotImplementedError

    def refuse(self, values: Column) -> Unfit:
        """Return what is to be raised for a column with a value that does not fit."""
        for place, value in enumerate(values):
            if fault := self.check.fault(value):
                return Unfit(place, fault)
        raise AssertionError("all values fit")

    def unfit(self, place: int, value: Any, wanted: str) -> Unfit:
        """Return what is to be raised for a value that could not be read again."""
        return Unfit(place, Fault("", a(type(value).__qualname__), wanted))

    def reader(self, form: Form, shapes: Shapes) -> Reader:
        """Return what reads values that were saved in a form, today's or an older one.

        Raises `NoConversion` if that form cannot become what the check wants.
        """
        return Readings().of(self, node_of(form, shapes))

    def converting(self, node: Node, readings: Readings) -> Reader:
        """Return what reads the values of a node."""
        made = self._reader(node, readings)
        if made is None and isinstance(node, UnionNode):
            made = self._of_union(node, readings)
        if made is None:
            raise NoConversion(f"it was {shown(node.form)}, it is {self.check.wanted}")
        return made

    def _reader(self, node: Node, readings: Readings) -> Reader | None:
        """Return what reads a node; `None` if the values of it cannot become mine."""
        raise NotImplementedError

    def _of_union(self, node: UnionNode, readings: Readings) -> Reader:
        readers = {id(part): readings.of(self, part) for part in node.parts}
        loses = any(reader.loses for reader in readers.values())
        gives_lost = not self.check.fits(None) and any(
            reader.gives_lost for reader in readers.values()
        )

        def read(values: Column, things: Things) -> Column:
            def of(part: Node, column: Column) -> Column:
                reader = readers[id(part)]
                return (reader.read if gives_lost else reader.without_lost)(
                    column, things
                )

            return [value for _, value in node.each(values, of)]

        return Reader(read, loses, gives_lost=gives_lost)


def shown(form: Form) -> str:
    """Return a form as people say it."""
    if isinstance(form, str):
        return form
    word, *parts = form
    if word in ("record", "keys"):
        return str(parts[0]).rpartition(":")[2]
    if word in ("enum", "flag", "foreign", "scalar"):
        return f"{word} {str(parts[0]).rpartition(':')[2]}"
    return word if word == "literal" else f"{word}[{', '.join(map(shown, parts))}]"

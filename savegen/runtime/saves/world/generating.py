"""Random generators of a save: made when something refers to them, in the state that they had."""

from __future__ import annotations

import random
import sys
from typing import Any

from savegen.runtime.errors import SaveCorruptError, SaveError, told
from savegen.runtime.generators import GeneratorState
from savegen.runtime.saves.document import GENERATORS, Document
from savegen.runtime.saves.wire import Things, Wires

# Those of numpy's, by the names that their states have.
BITS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


class Generators:
    """The table of random generators: each of them is one object, wherever it is used."""

    def __init__(self, document: Document, wires: Wires) -> None:
        table = document.table(GENERATORS)
        self._kinds, states = table.values(0), table.values(1)
        self._states = wires.dynamic.read(states, Things())
        self._made: dict[int, GeneratorState] = {}

    def at(self, place: int) -> GeneratorState:
        """Return one of them. Raises `SaveError` if it is none, or has no such state."""
        if not 0 <= place < len(self._states):
            raise SaveCorruptError(f"the save has no generator {place}")
        if place not in self._made:
            self._made[place] = _made(self._kinds[place], self._states[place])
        return self._made[place]


def _made(kind: Any, state: Any) -> GeneratorState:
    try:
        if kind == "random":
            made: Any = random.Random()
            made.setstate(state)
        else:
            made = _of_numpy(state)
        return GeneratorState(made, state)
    except SaveError:
        raise
    except Exception as error:
        raise SaveCorruptError(
            f"the state of a random generator makes no sense: {told(error)}"
        ) from error


def _of_numpy(state: Any) -> Any:
    numpy: Any = sys.modules.get("numpy.random")
    name = state["bit_generator"]
    if numpy is None or name not in BITS:
        raise SaveError(
            f"there is no random generator of numpy's here that is {name!r}"
        )
    made = numpy.Generator(getattr(numpy, name)())
    made.bit_generator.state = state
    return made

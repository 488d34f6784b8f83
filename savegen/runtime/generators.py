"""Random generators: which one it is, and how far it has come.

A generator that several objects share is one after a load, too. So it is never copied like a
value: it stays the object that it is, and is set back to where it stood.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

from savegen.runtime.errors import SaveError, a


class GeneratorState:
    """A random generator, and its state at one moment.

    >>> dice = random.Random(1)
    >>> state = kept(dice)
    >>> first = dice.random()
    >>> resumed(state) is dice, dice.random() == first
    (True, True)
    """

    __slots__ = ("generator", "state")

    def __init__(self, generator: Any, state: Any) -> None:
        """`state` is plain data: nothing in it can change."""
        self.generator = generator
        self.state = state


def kept(generator: Any) -> GeneratorState:
    """Return how a generator stands; of one at rest, what it is already.

    Raises `SaveError` for a generator that cannot tell.
    """
    if type(generator) is GeneratorState:
        return generator
    return GeneratorState(generator, _state_of(generator))


def resumed(state: GeneratorState) -> Any:
    """Set the generator back to where it stood, and return it."""
    generator = state.generator
    if type(generator) is random.Random:
        generator.setstate(state.state)
    else:
        generator.bit_generator.state = state.state
    return generator


def is_numpy_generator(value: Any) -> bool:
    """Tell whether a value is a `numpy.random.Generator`, numpy loaded or not."""
    module = sys.modules.get("numpy.random")
    return module is not None and type(value) is module.Generator


def is_generator(value: Any) -> bool:
    """Tell whether a value is a generator of a kind that can be set back."""
    return type(value) is random.Random or is_numpy_generator(value)


class Renewed:
    """Other generators that go on from where some stand: one for each, however often asked.

    >>> dice = random.Random(1)
    >>> renewed = Renewed()
    >>> other = renewed(dice)
    >>> other is dice, renewed(dice) is other, other.random() == dice.random()
    (False, True, True)
    """

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}  # keeps alive what the ids are of

    def __call__(self, generator: Any) -> Any:
        _, made = self._made.setdefault(id(generator), (generator, _like(generator)))
        return made


def _like(generator: Any) -> Any:
    if type(generator) is random.Random:
        made = random.Random()
    else:
        made = type(generator)(type(generator.bit_generator)())
    return resumed(GeneratorState(made, _state_of(generator)))


def _state_of(generator: Any) -> Any:
    if type(generator) is random.Random:
        return generator.getstate()
    if is_numpy_generator(generator):
        return _plain(generator.bit_generator.state)
    raise SaveError(f"{a(type(generator).__qualname__)} has no state to keep")


def _plain(state: Any) -> Any:
    """Return the state of a bit generator of numpy without its arrays."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    tolist: Callable[[], Any] | None = getattr(state, "tolist", None)
    return tolist() if tolist else state

"""States of random generators as plain data.

Objects that share a generator still share it after a load. Rows therefore hold only its key,
and the snapshot holds its state once.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

from savegen.runtime.errors import SaveCorruptError, SaveError, with_article

_STATE_SIZE = 4 * 625  # bytes: 624 words of a Mersenne Twister, and a position


def is_generator(value: Any) -> bool:
    """Return whether a value is a generator whose state can be saved."""
    return type(value) is random.Random or _is_numpy_generator(value)


def state_of(generator: Any) -> Any:
    """Return the state of a generator as plain data.

    Raises `SaveError` for a generator of an unsupported class.

    >>> dice = random.Random(1)
    >>> state = state_of(dice)
    >>> first = dice.random()
    >>> set_state(dice, state)
    >>> dice.random() == first
    True
    """
    if type(generator) is random.Random:
        version, words, gauss = generator.getstate()
        packed = b"".join(word.to_bytes(4, "little") for word in words)
        return ["random", version, packed, gauss]
    if _is_numpy_generator(generator):
        return ["numpy", _plain_numpy_state(generator.bit_generator.state)]
    raise SaveError(
        f"{with_article(type(generator).__qualname__)} cannot be saved as a random generator"
    )


def set_state(generator: Any, state: Any) -> None:
    """Set a generator to a state. Raises `SaveCorruptError` if the state is invalid."""
    try:
        if state[0] == "random":
            generator.setstate(_random_state(state))
        else:
            generator.bit_generator.state = _numpy_state(state[1])
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise SaveCorruptError(
            f"the state of a random generator in the save is damaged: {error}"
        ) from None


def generator_from(state: Any) -> Any:
    """Return a new generator with a state. Raises `SaveCorruptError` if the state is invalid.

    >>> dice = random.Random(1)
    >>> generator_from(state_of(dice)).random() == dice.random()
    True
    """
    if state[0] == "random":
        generator: Any = random.Random()
    else:
        generator = _numpy_generator(state[1])
    set_state(generator, state)
    return generator


def can_set_state(generator: Any, state: Any) -> bool:
    """Return whether a generator can be set to a state."""
    if state[0] == "random":
        return type(generator) is random.Random
    if not _is_numpy_generator(generator):
        return False
    return bool(type(generator.bit_generator).__name__ == state[1]["bit_generator"])


def _random_state(state: Any) -> Any:
    _, version, packed, gauss = state
    if len(packed) != _STATE_SIZE:
        raise ValueError(f"it has {len(packed)} bytes, not {_STATE_SIZE}")
    starts = range(0, len(packed), 4)
    words = tuple(int.from_bytes(packed[n : n + 4], "little") for n in starts)
    return version, words, gauss


def _numpy_state(state: Any) -> Any:
    """Return the state of a NumPy bit generator, with long ints converted back from text."""
    if isinstance(state, dict):
        return {key: _numpy_state(value) for key, value in state.items()}
    if isinstance(state, str) and state[:2] == "0x":
        return int(state, 16)
    return state


def _numpy_generator(state: Any) -> Any:
    numpy_random: Any = sys.modules.get("numpy.random")
    if numpy_random is None:
        import numpy.random as numpy_random  # the save holds a NumPy generator
    name = state["bit_generator"]
    if name not in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"):
        raise SaveCorruptError(f"the save contains an unknown bit generator {name!r}")
    return numpy_random.Generator(getattr(numpy_random, name)())


def _is_numpy_generator(value: Any) -> bool:
    module = sys.modules.get("numpy.random")
    return module is not None and type(value) is module.Generator


def _plain_numpy_state(state: Any) -> Any:
    """Return the state of a NumPy bit generator, with arrays as lists and long ints as text."""
    if isinstance(state, dict):
        return {key: _plain_numpy_state(value) for key, value in state.items()}
    tolist: Callable[[], Any] | None = getattr(state, "tolist", None)
    value = tolist() if tolist else state
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return hex(value)
    return value

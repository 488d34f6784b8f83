"""States of random generators, and of `itertools.count`, as plain data.

Objects that share a generator still share it after a load. Rows therefore hold only its key,
and the snapshot holds its state once. A counter is a generator whose state cannot be set: a load
makes a new one, for all that share it.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

from savegen.runtime.errors import SaveCorruptError, SaveError, with_article

GENERATORS = {"random": "random", "generator": "numpy", "count": "count"}
"""The stored types of generators, each with the first item of their states."""

_STATE_SIZE = 4 * 625  # bytes: 624 words of a Mersenne Twister, and a position
# The repr of a counter: the next number, and the step unless it is 1. Nothing else shows both in
# every version of Python.
_ONE_NUMBER = r"Fraction\(-?\d+, \d+\)|Decimal\('[^']*'\)|[^(),]+"
_COUNTER = re.compile(rf"count\(({_ONE_NUMBER})(?:, ({_ONE_NUMBER}))?\)")


def is_generator(value: Any) -> bool:
    """Return whether a value is a generator whose state can be saved."""
    cls = type(value)
    if cls is random.Random or cls is PreservedGenerator:
        return True
    if cls is count:
        return _counter_state(value) is not None
    return _is_numpy_generator(value)


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
    if type(generator) is PreservedGenerator:
        return generator.state
    if _is_numpy_generator(generator):
        state = ["numpy", _plain_numpy_state(generator.bit_generator.state)]
        check_state(state)  # a later version of numpy may have other entries
        return state
    if type(generator) is count:
        if counter := _counter_state(generator):
            return counter
        raise SaveError(
            f"`{generator!r}` cannot be saved: it does not count ints, floats, Fractions or"
            " Decimals"
        )
    raise SaveError(
        f"{with_article(type(generator).__qualname__)} cannot be saved as a random generator"
    )


def set_state(generator: Any, state: Any) -> None:
    """Set a generator to a state for which `can_set_state` is true.

    Raises `SaveCorruptError` if the state is invalid.
    """
    if type(generator) is PreservedGenerator:
        generator.state = state
        return
    check_state(state)
    if type(generator) is random.Random:
        generator.setstate(_random_state(*state[1:]))
    elif type(generator) is not count:  # whose state is this one already
        generator.bit_generator.state = _numpy_state(state[1])


def check_state(state: Any) -> None:
    """Raise `SaveCorruptError` if a state is invalid.

    The generators trust some numbers of their states, so all of them are checked here.
    """
    kind = ""
    try:
        kind, *content = state
        if kind == "random":
            _check_random_state(*content)
        elif kind == "numpy":
            _numpy_state(*content)
        elif kind == "count":
            _counter(*content)
        else:
            raise ValueError(f"its kind is {str(kind)[:40]!r}")
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        what = "a counter" if kind == "count" else "a random generator"
        raise SaveCorruptError(
            f"the state of {what} in the save is damaged: {error}"
        ) from None


def generator_from(state: Any, uses_numpy: bool = True) -> Any:
    """Return a new generator with a state. Raises `SaveCorruptError` if the state is invalid.

    If the game does not use numpy, a generator of numpy is only preserved.

    >>> dice = random.Random(1)
    >>> generator_from(state_of(dice)).random() == dice.random()
    True
    """
    check_state(state)
    if state[0] == "count":
        return _counter(*state[1:])
    if state[0] == "random":
        generator: Any = random.Random()
    elif uses_numpy:
        generator = _numpy_generator(state[1]["bit_generator"])
    else:
        generator = PreservedGenerator(state)
    set_state(generator, state)
    return generator


def can_set_state(generator: Any, state: Any) -> bool:
    """Return whether a generator can be set to a valid state; a counter has it, or cannot."""
    if state[0] == "random":
        return type(generator) is random.Random
    if state[0] == "count":
        return type(generator) is count and _counter_state(generator) == [*state]
    if type(generator) is PreservedGenerator:
        return "numpy" not in sys.modules
    if not _is_numpy_generator(generator):
        return False
    return bool(type(generator.bit_generator).__name__ == state[1]["bit_generator"])


def _counter_state(counter: count[Any]) -> list[str] | None:
    """Return the state of a counter; `None` if it counts other numbers than those of Python."""
    try:
        text = repr(counter)
    except ValueError:  # an int with thousands of digits
        return None
    shown = _COUNTER.fullmatch(text)
    state = ["count", shown[1], shown[2] or "1"] if shown else None
    try:
        return state if state and _counter(*state[1:]) else None
    except (ValueError, ArithmeticError):
        return None


def _counter(following: str, step: str) -> count[Any]:
    return count(_number(following), _number(step))


def _number(text: str) -> Any:
    """Return the number with a `repr`. Raises an error for any other text."""
    number: Any
    if type(text) is not str:
        raise TypeError(f"{str(text)[:40]!r} is not the text of a number")
    if text.startswith("Fraction("):
        number = Fraction(*map(int, text[9:-1].split(", ")))
    elif text.startswith("Decimal("):
        number = Decimal(text[9:-2])
    else:
        number = int(text) if text.lstrip("-").isdecimal() else float(text)
    if repr(number) != text:
        raise ValueError(f"{text[:40]!r} is not a number")
    return number


class PreservedGenerator:
    """Stands for a numpy generator in a game that does not use numpy; the next save has it again."""

    __slots__ = ("__weakref__", "state")

    def __init__(self, state: Any) -> None:
        self.state = state


def _check_random_state(version: Any, packed: Any, gauss: Any) -> None:
    if type(packed) is not bytes or len(packed) != _STATE_SIZE:
        raise ValueError(f"it does not have {_STATE_SIZE} bytes")
    position = int.from_bytes(packed[-4:], "little")
    if version != 3 or position > 624 or type(gauss) not in (float, type(None)):
        raise ValueError("a number is out of range")


def _random_state(version: Any, packed: bytes, gauss: Any) -> Any:
    starts = range(0, len(packed), 4)
    words = tuple(int.from_bytes(packed[n : n + 4], "little") for n in starts)
    return version, words, gauss


# The entries of the states of numpy's bit generators: for a number, its maximum; for an array, its
# length and the maximum of its numbers.
_U32, _U64, _U128 = 2**32 - 1, 2**64 - 1, 2**128 - 1
_CACHED = {"has_uint32": 1, "uinteger": _U32}
_PCG = {"state": {"state": _U128, "inc": _U128}, **_CACHED}
_NUMPY_STATES: dict[str, dict[str, Any]] = {
    "MT19937": {"state": {"key": (624, _U32), "pos": 624}},
    "PCG64": _PCG,
    "PCG64DXSM": _PCG,
    "Philox": {
        "state": {"counter": (4, _U64), "key": (2, _U64)},
        "buffer": (4, _U64),
        "buffer_pos": 4,
        **_CACHED,
    },
    "SFC64": {"state": {"state": (4, _U64)}, **_CACHED},
}
_LONG_INT = re.compile("0x[0-9a-f]{1,32}")


def _numpy_state(state: dict[str, Any]) -> dict[str, Any]:
    name = state["bit_generator"]
    if name not in _NUMPY_STATES:
        raise ValueError(f"it is of the unknown bit generator {str(name)[:40]!r}")
    others = {key: value for key, value in state.items() if key != "bit_generator"}
    return {"bit_generator": name, **_checked_entry(others, _NUMPY_STATES[name])}


def _checked_entry(entry: Any, limits: Any) -> Any:
    """Return an entry of the state of a numpy generator, with long ints converted from text."""
    if type(limits) is dict:
        if type(entry) is not dict or entry.keys() != limits.keys():
            raise ValueError("its entries are not those of its bit generator")
        return {key: _checked_entry(entry[key], limits[key]) for key in limits}
    if type(limits) is int:
        if type(entry) is str and _LONG_INT.fullmatch(entry):
            entry = int(entry, 16)
        numbers, maximum = [entry], limits
    else:
        length, maximum = limits
        numbers = entry
        if type(numbers) not in (list, tuple) or len(numbers) != length:
            raise ValueError("an array has another length")
    if {*map(type, numbers)} != {int} or not 0 <= min(numbers) <= max(
        numbers
    ) <= maximum:
        raise ValueError("a number is out of range")
    return entry


def _numpy_generator(name: str) -> Any:
    numpy_random: Any = sys.modules.get("numpy.random")
    if numpy_random is None:
        import numpy.random as numpy_random  # a field is declared as a numpy generator
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

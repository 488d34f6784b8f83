"""States of random generators and of `itertools.count` as plain data.

Objects that share a generator still share it after a load. Rows therefore hold only its key,
and the snapshot holds its state once.
"""

from __future__ import annotations

import itertools
import random
import re
import struct
import sys
from collections.abc import Callable
from typing import Any

from savegen.runtime.errors import SaveCorruptError, SaveError, with_article
from savegen.runtime.values.libraries.standard_types import (
    unpack_decimal,
    unpack_fraction,
)

_WORDS = struct.Struct("<625I")  # 624 words of a Mersenne Twister, and a position


def is_generator(value: Any) -> bool:
    """Return whether a value is a generator whose state can be saved."""
    return kind_of(value) != ""


def kind_of(value: Any) -> str:
    """Return "random", "numpy" or "count", the kind of a generator's state; "" for no generator.

    >>> kind_of(random.Random()), kind_of(itertools.count()), kind_of(random.SystemRandom())
    ('random', 'count', '')
    """
    cls = type(value)
    if cls is itertools.count:
        return "count"
    if cls is PreservedGenerator or _is_numpy_generator(value):
        return "numpy"
    return "random" if _is_random(value) else ""


def _is_random(value: Any) -> bool:
    """Return whether a value is a Mersenne Twister, perhaps of a class of the game."""
    return isinstance(value, random.Random) and not isinstance(
        value, random.SystemRandom
    )


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
    if _is_random(generator):
        version, words, gauss = random.Random.getstate(generator)
        return ["random", version, _WORDS.pack(*words), gauss]
    if type(generator) is itertools.count:
        return _count_state(generator)
    if type(generator) is PreservedGenerator:
        return generator.state
    if _is_numpy_generator(generator):
        state = ["numpy", _plain_numpy_state(generator.bit_generator.state)]
        check_state(state)  # a later version of numpy may have other entries
        return state
    raise SaveError(
        f"{with_article(type(generator).__qualname__)} cannot be saved as a random generator"
    )


def set_state(generator: Any, state: Any) -> None:
    """Set a generator to a state. Raises `SaveCorruptError` if the state is invalid."""
    if type(generator) is PreservedGenerator:
        generator.state = state
        return
    check_state(state)
    if type(generator) is itertools.count:  # `can_set_state`: it has this state
        return
    if _is_random(generator):
        _, version, packed, gauss = state
        random.Random.setstate(generator, (version, _WORDS.unpack(packed), gauss))
        return
    try:
        generator.bit_generator.state = _numpy_state(state[1])
    except (TypeError, ValueError) as error:  # some versions of numpy check more
        raise SaveCorruptError(
            f"the state of a random generator in the save is damaged: {error}"
        ) from None


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
            _count_of(*content)
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
        return _count_of(*state[1:])
    if state[0] == "random":
        generator: Any = random.Random()
    elif uses_numpy:
        generator = _numpy_generator(state[1]["bit_generator"])
    else:
        generator = PreservedGenerator(state)
    set_state(generator, state)
    return generator


def can_set_state(generator: Any, state: Any) -> bool:
    """Return whether a generator can be set to a valid state; a counter can only be replaced."""
    if state[0] == "count":
        return type(generator) is itertools.count and state_of(generator) == state
    if state[0] == "random":
        return _is_random(generator)
    if type(generator) is PreservedGenerator:
        return "numpy" not in sys.modules
    if not _is_numpy_generator(generator):
        return False
    return bool(type(generator.bit_generator).__name__ == state[1]["bit_generator"])


class PreservedGenerator:
    """Stands for a numpy generator in a game that does not use numpy; the next save has it again."""

    __slots__ = ("__weakref__", "state")

    def __init__(self, state: Any) -> None:
        self.state = state


# -- counters

_MAX_NUMBER = 4300  # characters; Python may refuse to read longer ones
_COUNT = re.compile(
    r"count\((?P<next>[^(),]+|\w+\([^()]*\))(?:, (?P<step>[^(),]+|\w+\([^()]*\)))?\)"
)


def _count_state(counter: Any) -> Any:
    """Return the next number and the step of a counter, as its `repr` shows them.

    >>> _count_state(itertools.count(5)), _count_state(itertools.count(0.5, 0.25))
    (['count', ['int', '5'], ['int', '1']], ['count', ['float', '0.5'], ['float', '0.25']])
    """
    try:
        match = _COUNT.fullmatch(repr(counter))
    except ValueError:  # an int with thousands of digits
        match = None
    if match is None:
        raise SaveError(
            "a counter of other numbers than int, float, Fraction and Decimal"
        )
    state = ["count", _packed(match["next"]), _packed(match["step"] or "1")]
    check_state(state)
    return state


def _packed(text: str) -> list[str]:
    """Return the type of a number and its text, from its `repr`."""
    if text.startswith("Fraction("):
        return ["fraction", text[9:-1].replace(", ", "/")]
    if text.startswith("Decimal("):
        return ["decimal", text[9:-2]]
    return ["int" if text.lstrip("-").isdigit() else "float", text]


_NUMBERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "fraction": unpack_fraction,
    "decimal": unpack_decimal,
}


def _count_of(first: Any, step: Any) -> Any:
    numbers = []
    for name, text in (first, step):
        if type(text) is not str or len(text) > _MAX_NUMBER:
            raise ValueError("a number of a counter is no text, or too long")
        numbers.append(_NUMBERS[name](text))
    return itertools.count(*numbers)


def _check_random_state(version: Any, packed: Any, gauss: Any) -> None:
    if type(packed) is not bytes or len(packed) != _WORDS.size:
        raise ValueError(f"it does not have {_WORDS.size} bytes")
    position = int.from_bytes(packed[-4:], "little")
    if version != 3 or position > 624 or type(gauss) not in (float, type(None)):
        raise ValueError("a number is out of range")


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

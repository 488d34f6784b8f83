"""Random generators: which one it is, and how far it has come.

A generator that several objects share is one after a load, too. So it is never copied like a
value: it stays the object that it is, and is set back to where it stood.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary, ref

from savegen.runtime.errors import SaveError, a


class GeneratorState:
    """A random generator, and its state at one moment.

    >>> dice = random.Random(1)
    >>> state = kept(dice)
    >>> first = dice.random()
    >>> resumed(state) is dice, dice.random() == first
    (True, True)
    """

    __slots__ = ("__weakref__", "_text", "generator", "state")

    def __init__(self, generator: Any, state: Any) -> None:
        """`state` is plain data: nothing in it can change."""
        self.generator = generator
        self.state = state
        self._text = b""

    @property
    def text(self) -> bytes:
        """The state as bytes: it is nothing but numbers and names."""
        self._text = self._text or repr(self.state).encode()
        return self._text


class Moment:
    """A time in which no generator draws: each is asked, and set, only once.

    So what many objects share takes no more room in a snapshot than what one has.

    >>> dice = random.Random(1)
    >>> with Moment() as moment:
    ...     before = kept(dice)
    ...     kept(dice) is before
    True
    >>> first = dice.random()
    >>> with Moment() as moment:
    ...     _ = resumed(before)
    >>> moment.undo()
    >>> dice.random() == first
    False
    """

    def __init__(self) -> None:
        self._kept: dict[int, GeneratorState] = {}  # by the `id` of the generator
        self._before: dict[int, GeneratorState] = {}  # of those that were set
        self._outer: Moment | None = None

    def __enter__(self) -> Moment:
        self._outer = _moment()
        _now.moment = ref(self)
        return self

    def __exit__(self, *error: object) -> None:
        _now.moment = ref(self._outer) if self._outer else None

    def keep(self, generator: Any) -> GeneratorState:
        found = self._kept.get(id(generator))
        if found is None:
            found = self._kept[id(generator)] = _latest(generator)
        return found

    def resume(self, state: GeneratorState) -> None:
        if self._kept.get(id(state.generator)) is not state:
            before = GeneratorState(state.generator, _state_of(state.generator))
            self._before.setdefault(id(state.generator), before)
            _set(state)
            self._kept[id(state.generator)] = state

    def undo(self) -> None:
        """Set every generator back to where it stood before."""
        for state in self._before.values():
            _set(state)


# Weakly: an interrupt on its last line must not leave a moment that never ends.
_now = threading.local()


def _moment() -> Moment | None:
    found: ref[Moment] | None = getattr(_now, "moment", None)
    return found() if found else None


# The state that each was last seen in, by the `id` of the generator, which it keeps alive: as
# long as a generator does not draw, there is only one.
_seen: WeakValueDictionary[int, GeneratorState] = WeakValueDictionary()


def kept(generator: Any) -> GeneratorState:
    """Return how a generator stands; of one at rest, what it is already.

    Raises `SaveError` for a generator that cannot tell.
    """
    if type(generator) is GeneratorState:
        return generator
    moment = _moment()
    return moment.keep(generator) if moment else _latest(generator)


def resumed(state: GeneratorState) -> Any:
    """Set the generator back to where it stood, and return it."""
    moment = _moment()
    if moment:
        moment.resume(state)
    else:
        _set(state)
    return state.generator


def _latest(generator: Any) -> GeneratorState:
    state = _state_of(generator)
    seen = _seen.get(id(generator))
    if seen is None or seen.state != state:
        seen = _seen[id(generator)] = GeneratorState(generator, state)
    return seen


def _set(state: GeneratorState) -> None:
    generator = state.generator
    if type(generator) is random.Random:
        generator.setstate(state.state)
    else:
        generator.bit_generator.state = state.state


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
        if id(generator) not in self._made:
            self._made[id(generator)] = generator, _like(generator)
        return self._made[id(generator)][1]


def _like(generator: Any) -> Any:
    if type(generator) is random.Random:
        made = random.Random()
    else:
        made = type(generator)(type(generator.bit_generator)())
    _set(GeneratorState(made, _state_of(generator)))
    return made


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

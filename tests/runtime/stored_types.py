"""Stored types for hypothesis, and cells of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from savegen.runtime.stored import ATOMS, NATIVE, Stored

SCALAR_ATOMS = sorted(ATOMS - {"any"})
NAMES = st.sampled_from(["hp", "Vec2", "mygame.shapes.Vec2", "größe", "_x", "Box[int]"])
NUMBERS = st.integers(-1, 2**31 - 1)
_SOME_NUMBERS = st.lists(NUMBERS, min_size=1, max_size=3, unique=True).map(tuple)
_SOME_NAMES = st.lists(NAMES, unique=True, max_size=3).map(tuple)
CONSTANTS = st.one_of(
    st.text(max_size=8),
    st.binary(max_size=4),
    st.integers(-(2**80), 2**80),
    st.booleans(),
    st.none(),
).map(ascii)


def _leaves(open_names: tuple[str, ...]) -> st.SearchStrategy[Stored]:
    leaves = [
        st.sampled_from(sorted(ATOMS)).map(Stored),
        NAMES.map(lambda name: Stored("ndarray", label=name)),
        NAMES.map(lambda name: Stored("numpy", label=name)),
        st.builds(Stored, st.sampled_from(["ref", "class"]), numbers=_SOME_NUMBERS),
        _SOME_NUMBERS.map(lambda n: Stored("weak", (Stored("ref", numbers=n),))),
        st.builds(
            lambda word, label, names: Stored(word, label=label, names=names),
            st.sampled_from(["enum", "flag"]),
            NAMES,
            _SOME_NAMES,
        ),
        st.lists(CONSTANTS, min_size=1, max_size=4).map(
            lambda found: Stored("literal", names=tuple(found))
        ),
    ]
    if open_names:
        leaves.append(st.sampled_from(open_names).map(lambda n: Stored("rec", label=n)))
    return st.one_of(leaves)


@st.composite
def _record(draw: Callable[..., Any], depth: int, around: tuple[str, ...]) -> Stored:
    label = draw(NAMES)
    names = draw(_SOME_NAMES)
    numbers = draw(
        st.lists(NUMBERS, unique=True, min_size=len(names), max_size=len(names))
    )
    parts = [draw(stored_types(depth - 1, (*around, label))) for _ in names]
    absent = tuple(name for name in names if draw(st.booleans()))
    word = draw(st.sampled_from(["value", "record"]))
    return Stored(word, tuple(parts), label, tuple(numbers), names, absent)


def stored_types(
    depth: int = 3, around: tuple[str, ...] = ()
) -> st.SearchStrategy[Stored]:
    """Return a strategy of stored types, nested at most `depth` deep."""
    if not depth:
        return _leaves(around)
    inner = st.deferred(lambda: stored_types(depth - 1, around))
    one = ["list", "tuple", "set", "frozenset", "deque", "Counter"]
    return st.one_of(
        _leaves(around),
        st.builds(lambda w, t: Stored(w, (t,)), st.sampled_from(one), inner),
        inner.filter(lambda t: t.name != "optional").map(
            lambda t: Stored("optional", (t,))
        ),
        st.builds(
            lambda word, key, value: Stored(word, (key, value)),
            st.sampled_from(["dict", "defaultdict", "OrderedDict"]),
            inner,
            inner,
        ),
        st.lists(inner, max_size=3).map(lambda found: Stored("fixed", tuple(found))),
        st.builds(lambda name, t: Stored("codec", (t,), name), NAMES, inner),
        st.lists(inner, min_size=2, max_size=3).map(
            lambda found: Stored("union", tuple(found))
        ),
        _record(depth, around),
    )


NATIVE_ATOMS = sorted(NATIVE)

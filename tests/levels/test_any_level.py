"""Random changes in a level give findings and never an exception, and both kinds of rules agree."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from savegen.levels.layout import layout_of
from savegen.levels.reader import DESCRIPTION, Folder
from savegen.findings import Severity
from tests.levels.example import (
    BOTH,
    CYAN,
    FILES,
    FLOOR,
    GATE,
    GREY,
    HERO,
    RED,
    png,
)
from tests.soaking import examples

WHOLE: dict[str, Any] = {
    "version": 1,
    "layer_names": ["layer1", "layer2"],
    "layer_params": [{"position": {"x": 1, "y": 2, "z": 0.5}}, {}],
    "sprites": {
        CYAN: {**HERO, "goal": "door", "spots": {"a": [{"x": 1}]}, "pair": [1, None]},
    },
    "spr_colors": [RED, {"r": 1, "g": 2, "b": 3}],
    "spr_prefabs": [{**GATE, "$id": "door"}, GATE],
    "obj_colors": [GREY],
    "obj_prefabs": [{"$type": "WallSerializer"}],
}
IMAGES = {**FILES, "geometry/layer2.png": png(4, 2, FLOOR)}
WORDS = [
    *WHOLE,
    "door",
    "../x",
    "layer1",
    "LAYER1",
    "HeroSerializer",
    CYAN,
    "#00000000",
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from([0.5, 10**400, *WORDS])
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=2), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value inside a value, beginning with the value itself."""
    yield path
    items = enumerate(value) if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, dict) else items:
        yield from places(inner, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a value in which the value at a path is replaced; `...` removes it."""
    if not path:
        return new
    found = copy.copy(value)
    if len(path) == 1 and new is ...:
        del found[path[0]]
    else:
        found[path[0]] = changed(value[path[0]], path[1:], new)
    return found


def folder(text: bytes | None, images: Mapping[str, bytes] = IMAGES) -> Folder:
    kinds: dict[str, dict[str, bytes]] = {}
    for name, data in images.items():
        kind, _, layer = name.removesuffix(".png").partition("/")
        kinds.setdefault(kind, {})[layer] = data
    return Folder("cavern", "cavern", text, kinds)


def check(read: Folder) -> None:
    """Check that both kinds of rules give the same codes and no exception."""
    codes = []
    for rules in BOTH:
        layout, findings = layout_of(read, rules)
        failed = any(each.severity is Severity.ERROR for each in findings)
        assert (layout is None) == failed
        assert all(each.message and each.span.path for each in findings)
        codes.append({each.code for each in findings})
        for each in findings:
            if each.span.path.endswith(DESCRIPTION) and read.description:
                assert each.span.line <= read.description.count(b"\n") + 1
    assert codes[0] == codes[1]


@given(st.lists(st.tuples(st.integers(0, 10**6), VALUES | st.just(...)), max_size=4))
@settings(max_examples=examples(150), deadline=None)
def test_a_randomly_changed_level_is_loaded_or_reported(
    changes: list[tuple[int, Any]],
) -> None:
    value: Any = WHOLE
    for number, new in changes:
        found = [*places(value)]
        path = found[number % len(found)]
        if path or new is not ...:
            value = changed(value, path, new)
    check(folder(json.dumps(value, indent=1).encode()))


@given(
    st.integers(0, 10**6),
    st.sampled_from([b"", b'"', b",", b"}", b"]", b"\xff", b"NaN", b"\\", b"//", b"{"]),
    st.integers(0, 3),
)
@example(901, b"NaN", 2)  # inside of an object with any keys
@settings(max_examples=examples(80), deadline=None)
def test_damaged_text_is_loaded_or_reported(at: int, new: bytes, length: int) -> None:
    text = json.dumps(WHOLE, indent=1).encode()
    at %= len(text)
    check(folder(text[:at] + new + text[at + length :]))


@given(st.sampled_from(sorted(IMAGES)), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_images_of_any_size_and_colours_are_loaded_or_reported(
    name: str, data: st.DataObject
) -> None:
    width, height = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 5))
    place = st.tuples(st.integers(0, width - 1), st.integers(0, height - 1))
    colours = st.sampled_from([GREY, CYAN, RED, "#010203", "#ff000080", "#123456"])
    pixels = data.draw(st.dictionaries(place, colours))
    mode = data.draw(st.sampled_from(["RGBA", "RGB"]))
    images = {**IMAGES, name: png(width, height, pixels, mode)}
    check(folder(json.dumps(WHOLE).encode(), images))


def test_the_unchanged_level_has_no_findings() -> None:
    layout, findings = layout_of(folder(json.dumps(WHOLE).encode()), BOTH[0])
    assert layout is not None
    # The other kinds of images are of one layer only.
    assert [each.code for each in findings] == ["SG502", "SG502"]

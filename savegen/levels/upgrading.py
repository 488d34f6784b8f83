"""Rewrite `level.lvl` in the current form, with current names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from savegen.levels.colours import colour_of, text_of
from savegen.levels.description import GENERATED, LISTS, VERSION
from savegen.levels.json_writing import file_of, read
from savegen.levels.layout import Layout
from savegen.levels.rules import Rules

_NEW = {name: new for new, pair in LISTS.items() for name in (new, *pair)}


def upgraded(data: bytes, rules: Rules) -> bytes:
    """Return a `level.lvl` without faults with colours as keys and present names.

    Whatever else it says stays: the order of its parts, and the digits of its numbers.

    >>> from savegen.levels.rules import SchemaRules
    >>> wall = {"properties": {"$type": {"enum": ["Wall"]}}}
    >>> rules = SchemaRules({"$defs": {"any-prefab": {"anyOf": [wall]}}})
    >>> old = b'{"version": 1, "obj_colors": ["#000000"], "obj_prefabs": [{"$type": "Wall"}]}'
    >>> print(upgraded(old, rules).decode(), end="")
    {
      "version": 1,
      "tiles": {
        "#000000": {"$type": "Wall"}
      }
    }
    """
    told = read(data)
    new: dict[str, Any] = {}
    for name in told:
        if name in _NEW:
            new.setdefault(_NEW[name], dict(_entries(told, _NEW[name], rules)))
        elif name != GENERATED:
            new[name] = told[name]
    if "version" in new:
        new["version"] = VERSION
    return file_of(new)


def _entries(told: dict[str, Any], new: str, rules: Rules) -> Iterator[tuple[str, Any]]:
    """Yield colours and what they stand for, of both spellings."""
    colours, prefabs = (told.get(name, []) for name in LISTS[new])
    for colour, entry in [
        *told.get(new, {}).items(),
        *zip(colours, prefabs, strict=True),
    ]:
        number = colour_of(colour)
        assert number is not None, colour
        yield text_of(number), rules.current(entry).data


def is_same(old: Layout, new: Layout) -> bool:
    """Tell whether two layouts place the same, by the same names."""
    return _said(old) == _said(new)


def _said(layout: Layout) -> list[Any]:
    return [
        (
            (layer.name, layer.position, layer.size, layer.pixels_per_unit),
            [
                each._replace(entry=each.entry._replace(where=()))
                for each in layer.placed
            ],
        )
        for layer in layout.layers
    ]

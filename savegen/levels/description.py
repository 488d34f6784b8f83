"""`level.lvl`: the layers of a level and the meaning of its colours, in either of two forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from savegen.findings import Finding, Span
from savegen.levels.colours import WANTED, colour_of, text_of
from savegen.levels.findings import (
    AbsentImage,
    ClashingNames,
    ColourTwice,
    NewerVersion,
    UnequalLists,
    UnknownLayer,
    UnreadableFile,
    UnsafeLayer,
    WrongShape,
)
from savegen.levels.json_text import Path, Text
from savegen.levels.reader import DESCRIPTION, KINDS, Folder, image_name
from savegen.levels.schema import HINT, Schema, Validator
from savegen.runtime.errors import nearest
from savegen.runtime.filenames import is_device, same_on_disk

COMMENT = "$comment"  # in a level or an entry, for people who read the file
GENERATED = "@generated"  # in a template only: levels are written by people
VERSION = 1  # of `level.lvl`; newer ones are not read

# Beyond it, floats are more than a unit apart. Sums of two such numbers fit into an array.
FARTHEST = 1 << 53
# The older form: two lists, colours and prefabs, in place of one object.
LISTS = {
    "sprites": ("spr_colors", "spr_prefabs"),
    "tiles": ("obj_colors", "obj_prefabs"),
}
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]|^\.|[. ]$|^ |[\ud800-\udfff]')
_MOST_LETTERS = 200

_STRING: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number", "minimum": -FARTHEST, "maximum": FARTHEST}
_ENTRY: Schema = {
    "type": "object",
    "required": ["$type"],
    "properties": {
        "$type": {**_STRING, HINT: "it names the prefab"},
        "$id": {**_STRING, "minLength": 1},
        COMMENT: _STRING,
    },
}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


# The form that all games accept; entries may have more keys, by their prefabs.
_SHAPE: Schema = {
    "type": "object",
    "required": ["version"],
    "additionalProperties": False,
    "properties": {
        "version": {
            "type": "integer",
            "minimum": 0,
            HINT: f'write `"version": {VERSION}`',
        },
        "layer_names": {"type": "array", "items": _STRING},
        "layer_params": {
            "type": "array",
            "items": _object(position=_object(x=_NUMBER, y=_NUMBER, z=_NUMBER)),
        },
        **dict.fromkeys(LISTS, {"type": "object", "additionalProperties": _ENTRY}),
        **dict.fromkeys(("spr_colors", "obj_colors"), {"type": "array"}),
        **dict.fromkeys(
            ("spr_prefabs", "obj_prefabs"), {"type": "array", "items": _ENTRY}
        ),
        **dict.fromkeys(("$schema", GENERATED, COMMENT), _STRING),
    },
}


class LayerInfo(NamedTuple):
    """One layer: the name of its images, without `.png`, and its position."""

    name: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in units; low z is first


class Entry(NamedTuple):
    """The meaning of one colour."""

    colour: int  # 0xRRGGBBAA
    tag: str  # its `$type`
    id: str | None  # its `$id`
    data: dict[str, Any]  # the JSON object, without its comment
    where: Path


@dataclass(frozen=True)
class Description:
    """The content of `level.lvl`."""

    # In the order of `layer_names`; without that, the layers of the images.
    layers: tuple[LayerInfo, ...]
    sprites: Mapping[int, Entry]  # by colour
    tiles: Mapping[int, Entry]
    # The colours of each kind, including those of wrong entries.
    colours: Mapping[str, frozenset[int]]
    # The `$id`s of wrong entries; None is one that cannot be read.
    unread_ids: frozenset[str | None]
    text: Text = field(repr=False, compare=False)

    @property
    def entries(self) -> Iterator[Entry]:
        """All entries, those of sprites first."""
        yield from self.sprites.values()
        yield from self.tiles.values()

    def span(self, where: Path, *, of_key: bool = False) -> Span:
        """Return the place of a value or of its key in the file."""
        return self.text.span(where, of_key=of_key)


def read_description(folder: Folder) -> tuple[Description | None, list[Finding]]:
    """Return the content of `level.lvl` in a folder, and its errors apart from the game's rules.

    >>> text = b'{"version": 1, "layer_names": ["a"], "tiles": {"#000000": {"$type": "Wall"}}}'
    >>> description, findings = read_description(Folder("cavern", "cavern", text, {}))
    >>> [layer.name for layer in description.layers], description.tiles[0x000000FF].tag
    (['a'], 'Wall')
    >>> [finding.message for finding in findings]
    ['`geometry/a.png` is missing']
    """
    if folder.description is None:
        return None, []
    text = Text(folder.description, folder.where(DESCRIPTION))
    value, findings = text.read()
    if not isinstance(value, dict):
        reason = "`level.lvl` must contain a JSON object, `{…}`"
        return None, findings or [WrongShape(text.span(()), reason)]
    version = value.get("version")
    if type(version) is int and version > VERSION:  # the rest may have changed, too
        newer = NewerVersion(text.span(("version",)), version, VERSION)
        return None, [*findings, newer]
    return _Reading(folder, text, value, findings).description(), findings


class _Reading:
    """One `level.lvl` while it is read; values of a wrong form are left out."""

    def __init__(
        self, folder: Folder, text: Text, value: dict[str, Any], found: list[Finding]
    ) -> None:
        self._folder = folder
        self._text = text
        self._value = value
        self._findings = found
        self._colours: dict[str, frozenset[int]] = {}
        self._unread_ids: set[str | None] = set()

    def description(self) -> Description:
        for fault in Validator(_SHAPE).faults(self._value):
            span = self._text.span(fault.path, of_key=fault.of_key)
            self._findings.append(WrongShape(span, fault.message(fault.path)))
        sprites, tiles = map(self._entries, LISTS)
        layers, unread = self._layers(), frozenset(self._unread_ids)
        return Description(layers, sprites, tiles, self._colours, unread, self._text)

    def _list(self, key: str) -> list[Any] | None:
        value = self._value.get(key)
        return value if isinstance(value, list) else None

    def _unequal(self, at: str, *names: str) -> None:
        """Add a finding for two lists of different lengths, at the key `at`."""
        first, second = names
        lengths = len(self._list(first) or ()), len(self._list(second) or ())
        span = self._text.span((at,), of_key=True)
        self._findings.append(UnequalLists(span, (first, second), lengths))

    # -- layers

    def _layers(self) -> tuple[LayerInfo, ...]:
        names = self._names()
        params = self._list("layer_params")
        listed = self._value.get("layer_names", names)  # also names that are not safe
        if (
            params is not None
            and isinstance(listed, list)
            and len(params) != len(listed)
        ):
            span = self._text.span(("layer_params",), of_key=True)
            lengths = len(params), len(listed)
            pair = "layer_params", "layer_names"
            self._findings.append(UnequalLists(span, pair, lengths))
        positions = [*map(_position, params or ())]
        positions += [LayerInfo("").position] * (len(names) - len(positions))
        self._findings += _image_faults(self._folder, names)
        return tuple(map(LayerInfo, names, positions))

    def _names(self) -> list[str]:
        if "layer_names" not in self._value:
            return _layers_of_images(self._folder)
        names: dict[str, str] = {}  # by their form for comparison
        for place, name in enumerate(self._list("layer_names") or ()):
            path, other = ("layer_names", place), None
            if not isinstance(name, str):
                continue
            if not is_safe(name):
                self._findings.append(UnsafeLayer(self._text.span(path), name))
            elif other := names.get(same_on_disk(name)):
                self._findings.append(ClashingNames(self._text.span(path), name, other))
            else:
                names[same_on_disk(name)] = name
        return [*names.values()]

    # -- entries

    def _entries(self, kind: str) -> dict[int, Entry]:
        """Return the entries of sprites, or of tiles, from both forms, by colour."""
        found: dict[int, Entry] = {}
        firsts: dict[int, Path] = {}
        for path, colour, where, data in self._pairs(kind):
            number = self._colour(path, colour)
            entry = self._entry(number or 0, data, where)
            if number in firsts:
                self._colour_twice(number, path, firsts[number])
            elif number is not None:
                firsts[number] = path
                found |= {} if entry is None else {number: entry}
            if entry and entry.id and found.get(entry.colour) is not entry:
                self._unread_ids.add(entry.id)
        self._colours[kind] = frozenset(firsts)
        return found

    def _pairs(self, kind: str) -> Iterator[tuple[Path, Any, Path, Any]]:
        """Yield the place and value of each colour, and those of its entry."""
        by_colour = self._value.get(kind)
        if isinstance(by_colour, dict):
            for colour, entry in by_colour.items():
                yield (kind, colour), colour, (kind, colour), entry
        names = LISTS[kind]
        colours, prefabs = (self._list(name) or [] for name in names)
        there = [name for name in names if name in self._value]
        if len(there) == 1:
            self._unequal(there[0], *names)
        elif len(colours) != len(prefabs) and all(map(self._is_list, names)):
            self._unequal(names[0], *names)
        for place, (colour, entry) in enumerate(zip(colours, prefabs)):
            yield (names[0], place), colour, (names[1], place), entry

    def _is_list(self, name: str) -> bool:
        return self._list(name) is not None

    def _colour(self, path: Path, value: Any) -> int | None:
        colour = colour_of(value)
        if colour is not None and colour & 255:
            return colour
        reason = f"this is not a colour: write {WANTED}"
        if colour is not None:
            reason = "a colour with alpha 0 is always empty and cannot place a prefab"
        self._findings.append(WrongShape(self._span_of_colour(path), reason))
        return None

    def _colour_twice(self, colour: int, path: Path, first: Path) -> None:
        span, line = self._span_of_colour(path), self._span_of_colour(first).line
        self._findings.append(ColourTwice(span, text_of(colour), line))

    def _span_of_colour(self, path: Path) -> Span:
        # In one form a colour is a key, in the other it is in a list.
        return self._text.span(path, of_key=isinstance(path[1], str))

    def _entry(self, colour: int, data: Any, where: Path) -> Entry | None:
        """Return an entry. If it is wrong, note its `$id` and return `None`."""
        if not isinstance(data, dict):
            self._unread_ids.add(None)
            return None
        id, tag = data.get("$id"), data.get("$type")
        if not (isinstance(id, str) and id):
            self._unread_ids |= {None} if "$id" in data else set()
            id = None
        if not isinstance(tag, str):
            self._unread_ids |= {id} if id else set()
            return None
        without = {name: data[name] for name in data if name != COMMENT}
        return Entry(colour, tag, id, without, where)


def _position(params: Any) -> tuple[float, float, float]:
    position = params.get("position") if isinstance(params, dict) else None
    axes = position if isinstance(position, dict) else {}
    x, y, z = (axes.get(axis, 0) for axis in "xyz")
    return _number(x), _number(y), _number(z)


def _number(value: Any) -> float:
    is_number = type(value) in (int, float) and abs(value) <= FARTHEST
    return float(value) if is_number else 0.0


# -- names of layers, and their images


def is_safe(name: str) -> bool:
    """Return whether files can have a name on every system, and only inside their folder.

    >>> is_safe("layer 1"), is_safe("../layer1"), is_safe("nul"), is_safe("C:\\\\x")
    (True, False, False, False)
    """
    return (
        0 < len(name) <= _MOST_LETTERS
        and _UNSAFE.search(name) is None
        and not is_device(name)
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Return names in natural order: numbers in them count as numbers.

    >>> in_order(["layer10", "layer2", "Attic"])
    ['Attic', 'layer2', 'layer10']
    """
    return sorted(names, key=_parts)


def _parts(name: str) -> tuple[list[tuple[int, str]], str]:
    parts = re.split("([0-9]+)", name.casefold())  # every second one is a number
    digits = [part.lstrip("0") for part in parts]
    key = [
        (len(number), number) if place % 2 else (0, part)
        for place, (part, number) in enumerate(zip(parts, digits))
    ]
    return key, name


def _layers_of_images(folder: Folder) -> list[str]:
    found = {name for images in folder.images.values() for name in images}
    return in_order(name for name in found if is_safe(name))


def _image_faults(folder: Folder, layers: Sequence[str]) -> Iterator[Finding]:
    """Yield missing images of layers, and images that belong to no layer."""
    known = frozenset(layers)
    for kind in KINDS:
        for layer in layers:
            yield from _missing_image(folder, kind, layer)
        for stem in folder.images.get(kind, {}):
            if stem not in known:
                name = image_name(kind, stem)
                span = Span(folder.where(name))
                yield UnknownLayer(span, name, nearest(stem, layers))


def _missing_image(folder: Folder, kind: str, layer: str) -> Iterator[Finding]:
    images, name = folder.images.get(kind, {}), image_name(kind, layer)
    if layer in images or folder.unread & {kind, f"{kind}/{layer}"}:
        return
    span = Span(folder.where(name))
    if kind == "geometry":
        yield UnreadableFile(span, name, "is missing")
    elif images:
        yield AbsentImage(span, name)

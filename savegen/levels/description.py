"""Read and check `level.lvl`, which lists the layers of a level and a prefab for each colour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from savegen.findings import Finding, Span
from savegen.levels.colours import COLOUR_FORMS, colour_of, text_of
from savegen.levels.findings import (
    ClashingNames,
    DuplicateColour,
    MissingImage,
    NewerVersion,
    UnequalLists,
    UnknownLayer,
    UnreadableLevelFile,
    UnsafeLayer,
    WrongShape,
)
from savegen.levels.json_text import JsonPath, JsonText
from savegen.levels.reader import DESCRIPTION, KINDS, Folder, image_name
from savegen.levels.schema import HINT, Schema, Validator
from savegen.runtime.errors import nearest
from savegen.runtime.values.basics.filenames import comparable_name, is_device

COMMENT = "$comment"  # in a level or an entry, for people who read the file
GENERATED = "@generated"  # only in the generated `template.lvl`
VERSION = 1  # of `level.lvl`; newer ones are not read

# Larger floats are more than a unit apart. Sums of two numbers up to this limit fit into 64 bits.
MAX_COORDINATE = 1 << 53
# Keys of the older form, which has a list of colours and one of prefabs instead of an object.
LISTS = {
    "sprites": ("spr_colors", "spr_prefabs"),
    "tiles": ("obj_colors", "obj_prefabs"),
}
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]|^\.|[. ]$|^ |[\ud800-\udfff]')
_MAX_NAME_LENGTH = 200

_STRING: Schema = {"type": "string"}
_NUMBER: Schema = {
    "type": "number",
    "minimum": -MAX_COORDINATE,
    "maximum": MAX_COORDINATE,
}
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


# The schema of `level.lvl` in any game. The game's own schema checks the parameters in entries.
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
    # x and y in units; z is the drawing order.
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Entry(NamedTuple):
    """The prefab and parameters of one colour."""

    colour: int  # 0xRRGGBBAA
    type_name: str  # its `$type`
    id: str | None  # its `$id`
    data: dict[str, Any]  # the JSON object, without its comment
    path: JsonPath  # in `level.lvl`
    former: Mapping[str, str] = {}  # present names of parameters → those in the file

    def place_of(self, part: JsonPath) -> JsonPath:
        """Return the path of a part of the entry, with the parameter names that the file uses."""
        former: Mapping[Any, str] = self.former
        return (*self.path, *(former.get(name, name) for name in part[:1]), *part[1:])


@dataclass(frozen=True)
class Description:
    """The content of `level.lvl`."""

    # In the order of `layer_names`; without this key, all layers that have images.
    layers: tuple[LayerInfo, ...]
    sprites: Mapping[int, Entry]  # by colour
    tiles: Mapping[int, Entry]
    # The colours of "sprites" and of "tiles", including those of wrong entries.
    colours: Mapping[str, frozenset[int]]
    # The `$id`s of wrong entries; `None` if the `$id` itself is wrong.
    unread_ids: frozenset[str | None]
    text: JsonText = field(repr=False, compare=False)

    @property
    def entries(self) -> Iterator[Entry]:
        """All entries, those of sprites first."""
        yield from self.sprites.values()
        yield from self.tiles.values()

    def span(self, path: JsonPath, *, of_key: bool = False) -> Span:
        """Return the span of a value or of its key in the file."""
        return self.text.span(path, of_key=of_key)


def read_description(folder: Folder) -> tuple[Description | None, list[Finding]]:
    """Return the content of `level.lvl` in a folder, and the errors that need no game to find.

    >>> text = b'{"version": 1, "layer_names": ["a"], "tiles": {"#000000": {"$type": "Wall"}}}'
    >>> description, findings = read_description(Folder("cavern", "cavern", text, {}))
    >>> [layer.name for layer in description.layers], description.tiles[0x000000FF].type_name
    (['a'], 'Wall')
    >>> [finding.message for finding in findings]
    ['`geometry/a.png` is missing']
    """
    if folder.description is None:
        return None, []
    text = JsonText(folder.description, folder.path_of(DESCRIPTION))
    value, findings = text.read()
    if not isinstance(value, dict):
        reason = "`level.lvl` must contain a JSON object, `{…}`"
        return None, findings or [WrongShape(text.span(()), reason)]
    version = value.get("version")
    if type(version) is int and version > VERSION:
        # The meaning of everything else may have changed, too.
        newer = NewerVersion(text.span(("version",)), version, VERSION)
        return None, [*findings, newer]
    return _DescriptionReader(folder, text, value, findings).description(), findings


class _DescriptionReader:
    """Reads one `level.lvl` and collects findings; values of a wrong form are left out."""

    def __init__(
        self,
        folder: Folder,
        text: JsonText,
        value: dict[str, Any],
        findings: list[Finding],
    ) -> None:
        self._folder = folder
        self._text = text
        self._value = value
        self._findings = findings
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

    def _add_unequal(
        self, key: str, names: tuple[str, str], lengths: tuple[int, int]
    ) -> None:
        """Add a finding for two lists of different lengths at a key of the file."""
        span = self._text.span((key,), of_key=True)
        self._findings.append(UnequalLists(span, names, lengths))

    # -- layers

    def _layers(self) -> tuple[LayerInfo, ...]:
        names = self._names()
        params = self._list("layer_params")
        # `names` lacks unsafe, clashing and non-text names.
        all_names = self._value.get("layer_names", names)
        if params is not None and isinstance(all_names, list):
            if len(params) != len(all_names):
                lengths = len(params), len(all_names)
                keys = "layer_params", "layer_names"
                self._add_unequal("layer_params", keys, lengths)
        positions = [*map(_position, params or ())]
        positions += [LayerInfo("").position] * (len(names) - len(positions))
        self._findings += _image_faults(self._folder, names)
        return tuple(map(LayerInfo, names, positions))

    def _names(self) -> list[str]:
        if "layer_names" not in self._value:
            return _layers_of_images(self._folder)
        names: dict[str, str] = {}  # by the form in which file systems compare them
        for index, name in enumerate(self._list("layer_names") or ()):
            path = "layer_names", index
            if not isinstance(name, str):
                continue
            if not is_safe(name):
                self._findings.append(UnsafeLayer(self._text.span(path), name))
            elif other := names.get(comparable_name(name)):
                self._findings.append(ClashingNames(self._text.span(path), name, other))
            else:
                names[comparable_name(name)] = name
        return [*names.values()]

    # -- entries

    def _entries(self, kind: str) -> dict[int, Entry]:
        """Return the entries of sprites, or of tiles, from both forms, by colour."""
        entries: dict[int, Entry] = {}
        firsts: dict[int, JsonPath] = {}
        for colour_path, value, path, data in self._pairs(kind):
            colour = self._colour(colour_path, value)
            entry = self._entry(colour or 0, data, path)
            if colour in firsts:
                self._add_duplicate(colour, colour_path, firsts[colour])
            elif colour is not None:
                firsts[colour] = colour_path
                if entry is not None:
                    entries[colour] = entry
            if entry and entry.id and entries.get(entry.colour) is not entry:
                self._unread_ids.add(entry.id)
        self._colours[kind] = frozenset(firsts)
        return entries

    def _pairs(self, kind: str) -> Iterator[tuple[JsonPath, Any, JsonPath, Any]]:
        """Yield path and JSON of each colour, and path and JSON of its entry."""
        by_colour = self._value.get(kind)
        if isinstance(by_colour, dict):
            for colour, entry in by_colour.items():
                yield (kind, colour), colour, (kind, colour), entry
        names = LISTS[kind]
        colours, prefabs = (self._list(name) or [] for name in names)
        lengths = len(colours), len(prefabs)
        present = [name for name in names if name in self._value]
        if len(present) == 1:
            self._add_unequal(present[0], names, lengths)
        elif lengths[0] != lengths[1] and None not in map(self._list, names):
            self._add_unequal(names[0], names, lengths)
        for index, (colour, entry) in enumerate(zip(colours, prefabs)):
            yield (names[0], index), colour, (names[1], index), entry

    def _colour(self, path: JsonPath, value: Any) -> int | None:
        colour = colour_of(value)
        if colour is not None and colour & 255:
            return colour
        reason = f"this is not a colour: write {COLOUR_FORMS}"
        if colour is not None:
            reason = "a colour with alpha 0 is always empty and cannot place a prefab"
        self._findings.append(WrongShape(self._span_of_colour(path), reason))
        return None

    def _add_duplicate(self, colour: int, path: JsonPath, first: JsonPath) -> None:
        span, line = self._span_of_colour(path), self._span_of_colour(first).line
        self._findings.append(DuplicateColour(span, text_of(colour), line))

    def _span_of_colour(self, path: JsonPath) -> Span:
        # In one form a colour is a key, in the other it is in a list.
        return self._text.span(path, of_key=isinstance(path[1], str))

    def _entry(self, colour: int, data: Any, path: JsonPath) -> Entry | None:
        """Return an entry, or `None` if it is wrong; its `$id` is then remembered as unread.

        An entry with a wrong `$id` is returned without it.
        """
        if not isinstance(data, dict):
            self._unread_ids.add(None)
            return None
        id, type_name = data.get("$id"), data.get("$type")
        if not (isinstance(id, str) and id):
            self._unread_ids |= {None} if "$id" in data else set()
            id = None
        if not isinstance(type_name, str):
            self._unread_ids |= {id} if id else set()
            return None
        data = {name: value for name, value in data.items() if name != COMMENT}
        return Entry(colour, type_name, id, data, path)


def _position(params: Any) -> tuple[float, float, float]:
    position = params.get("position") if isinstance(params, dict) else None
    axes = position if isinstance(position, dict) else {}
    x, y, z = (axes.get(axis, 0) for axis in "xyz")
    return _number(x), _number(y), _number(z)


def _number(value: Any) -> float:
    is_number = type(value) in (int, float) and abs(value) <= MAX_COORDINATE
    return float(value) if is_number else 0.0


# -- names of layers, and their images


def is_safe(name: str) -> bool:
    """Return whether a name is a valid file name on every system, and no path to elsewhere.

    >>> is_safe("layer 1"), is_safe("../layer1"), is_safe("nul"), is_safe("C:\\\\x")
    (True, False, False, False)
    """
    return (
        0 < len(name) <= _MAX_NAME_LENGTH
        and _UNSAFE.search(name) is None
        and not is_device(name)
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Return names in natural order: numbers in them count as numbers.

    >>> in_order(["layer10", "layer2", "Attic"])
    ['Attic', 'layer2', 'layer10']
    """
    return sorted(names, key=_sort_key)


def _sort_key(name: str) -> tuple[list[tuple[int, str]], str]:
    parts = re.split("([0-9]+)", name.casefold())  # every second one is a number
    key = [(0, part) for part in parts]
    for index in range(1, len(parts), 2):
        digits = parts[index].lstrip("0")
        key[index] = len(digits), digits
    return key, name


def _layers_of_images(folder: Folder) -> list[str]:
    names = {name for images in folder.images.values() for name in images}
    return in_order(name for name in names if is_safe(name))


def _image_faults(folder: Folder, layers: Sequence[str]) -> Iterator[Finding]:
    """Yield missing images of layers, and images that belong to no layer."""
    layer_names = frozenset(layers)
    for kind in KINDS:
        for layer in layers:
            yield from _missing_image(folder, kind, layer)
        for stem in folder.images.get(kind, {}):
            if stem not in layer_names:
                name = image_name(kind, stem)
                span = Span(folder.path_of(name))
                yield UnknownLayer(span, name, nearest(stem, layers))


def _missing_image(folder: Folder, kind: str, layer: str) -> Iterator[Finding]:
    images, name = folder.images.get(kind, {}), image_name(kind, layer)
    if layer in images or folder.unread & {kind, f"{kind}/{layer}"}:
        return
    span = Span(folder.path_of(name))
    if kind == "geometry":
        yield UnreadableLevelFile(span, name, "is missing")
    elif images:
        yield MissingImage(span, name)

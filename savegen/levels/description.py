"""`level.lvl`: its layers and colours, in either of the two forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from savegen.levels import layers
from savegen.levels.colours import WANTED, colour_of, text_of
from savegen.levels.findings import (
    ClashingNames,
    ColourTwice,
    KeyTwice,
    NewerVersion,
    NotJson,
    UnequalLists,
    UnsafeLayer,
    WrongShape,
)
from savegen.levels.json_text import Path, Text, TextFault
from savegen.levels.reader import DESCRIPTION, Folder
from savegen.findings import Finding, Span
from savegen.runtime.errors import nearest
from savegen.runtime.filenames import same_on_disk

COMMENT = "$comment"  # of a level or of an entry: for those who read the file
GENERATED = (
    "@generated"  # only a template has it: what is made of it, an author has written
)
VERSION = 1  # of `level.lvl`; what is newer is not read

# No float tells units apart that are farther away; sums of two fit into an array.
FARTHEST = 1 << 53
# The spelling of two lists, colours and prefabs, by what their one object is called.
LISTS = {
    "sprites": ("spr_colors", "spr_prefabs"),
    "tiles": ("obj_colors", "obj_prefabs"),
}
_TEXTS = ("$schema", GENERATED, COMMENT)
_KEYS = (
    *("version", "layer_names", "layer_params", "sprites", "tiles"),
    *(name for pair in LISTS.values() for name in pair),
    *_TEXTS,
)


class LayerInfo(NamedTuple):
    """One layer: the stem of its images' names, and where it is."""

    name: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in units; low z is first


class Entry(NamedTuple):
    """What one colour stands for."""

    colour: int  # 0xRRGGBBAA
    tag: str  # its `$type`
    id: str | None  # its `$id`
    data: dict[str, Any]  # the JSON object, without what is only said to its readers
    where: Path


@dataclass(frozen=True)
class Description:
    """All that `level.lvl` says."""

    # In their order; those of the images if none are named.
    layers: tuple[LayerInfo, ...]
    sprites: Mapping[int, Entry]  # by colour
    tiles: Mapping[int, Entry]
    # The colours of each kind, also those of entries that are not what they must be.
    known: Mapping[str, frozenset[int]]
    # The `$id`s of entries that are not what they must be; None is one that cannot be read.
    unread_ids: frozenset[str | None]
    text: Text = field(repr=False, compare=False)

    @property
    def entries(self) -> Iterator[Entry]:
        """All entries, those of sprites first."""
        yield from self.sprites.values()
        yield from self.tiles.values()

    def span(self, where: Path, *, of_key: bool = False) -> Span:
        """Return where something is in the file; it is looked for only now."""
        return self.text.span(where, of_key=of_key)


def read_description(folder: Folder) -> tuple[Description | None, list[Finding]]:
    """Return what `level.lvl` of a folder says, and all that is wrong with it.

    Nothing is known of the game here: what entries say beside `$type` and `$id` may be wrong.

    >>> text = b'{"version": 1, "layer_names": ["a"], "tiles": {"#000000": {"$type": "Wall"}}}'
    >>> told, findings = read_description(Folder("cavern", "cavern", text, {}))
    >>> [layer.name for layer in told.layers], told.tiles[0x000000FF].tag
    (['a'], 'Wall')
    >>> [finding.message for finding in findings]
    ['`geometry/a.png` is missing']
    """
    if folder.description is None:
        return None, []
    text = Text(folder.description, folder.where(DESCRIPTION))
    return _Reading(folder, text).described()


class _Reading:
    """One `level.lvl` on its way to a description."""

    def __init__(self, folder: Folder, text: Text) -> None:
        self._folder = folder
        self._text = text
        self._findings: list[Finding] = []
        self._value: Any = None
        self._known: dict[str, frozenset[int]] = {}
        self._unread_ids: set[str | None] = set()

    def described(self) -> tuple[Description | None, list[Finding]]:
        self._value, faults = self._text.read()
        self._findings += map(self._of_json, faults)
        if not isinstance(self._value, dict):
            if not faults:
                self._wrong((), "`level.lvl` must contain a JSON object, `{…}`")
            return None, self._findings
        version = self._version()
        if version > VERSION:  # what it says may all mean something else there
            where = self._text.span(("version",))
            self._findings.append(NewerVersion(where, version, VERSION))
            return None, self._findings
        self._check_keys((), self._value, _KEYS)
        for key in _TEXTS:
            if not isinstance(self._value.get(key, ""), str):
                self._wrong((key,), f"`{key}` must be a string")
        sprites, tiles = map(self._entries, LISTS)
        layers, known = self._layers(), self._known
        unread = frozenset(self._unread_ids)
        told = Description(layers, sprites, tiles, known, unread, self._text)
        return told, self._findings

    def _of_json(self, fault: TextFault) -> Finding:
        span = self._text.between(fault.start, fault.end)
        if fault.first is None:
            return NotJson(span, fault.what)
        return KeyTwice(span, fault.what, self._text.line_and_column(fault.first)[0])

    def _wrong(self, path: Path, what: str, *, of_key: bool = False) -> None:
        self._findings.append(WrongShape(self._text.span(path, of_key=of_key), what))

    def _version(self) -> int:
        if "version" not in self._value:
            self._wrong((), f'`version` is missing; write `"version": {VERSION}`')
            return VERSION
        version = self._value["version"]
        if type(version) is not int or version < 0:
            self._wrong(("version",), "`version` must be a whole number, 0 or more")
            return VERSION
        return version

    def _check_keys(
        self, path: Path, value: dict[str, Any], keys: Sequence[str]
    ) -> None:
        for key in value:
            if key not in keys:
                offered = [each for each in keys if each not in ("$schema", GENERATED)]
                what = f"unknown key {nearest(key, offered)}"
                self._wrong((*path, key), what, of_key=True)

    # -- layers

    def _layers(self) -> tuple[LayerInfo, ...]:
        names = self._names()
        params = self._list(("layer_params",)) or []
        if "layer_params" in self._value and len(params) != len(names):
            pair = ("layer_params", "layer_names")
            self._unequal("layer_params", pair, (len(params), len(names)))
        positions = [self._position(place, it) for place, it in enumerate(params)]
        positions += [LayerInfo("").position] * (len(names) - len(params))
        self._findings += layers.faults(self._folder, names)
        return tuple(map(LayerInfo, names, positions))

    def _names(self) -> list[str]:
        if "layer_names" not in self._value:
            return layers.of_images(self._folder)
        names: dict[str, str] = {}  # by what they are to systems that fold names
        for place, name in enumerate(self._list(("layer_names",)) or ()):
            path = ("layer_names", place)
            if not isinstance(name, str):
                self._wrong(path, "the name of a layer must be a string")
            elif not layers.is_safe(name):
                self._findings.append(UnsafeLayer(self._text.span(path), name))
            elif (other := names.get(same_on_disk(name))) is not None:
                self._findings.append(ClashingNames(self._text.span(path), name, other))
            else:
                names[same_on_disk(name)] = name
        return [*names.values()]

    def _position(self, place: int, params: Any) -> tuple[float, float, float]:
        path: Path = ("layer_params", place)
        found = self._only(path, params, ("position",)).get("position", {})
        axes = self._only((*path, "position"), found, ("x", "y", "z"))
        for axis, value in axes.items():
            if type(value) not in (int, float) or abs(value) > FARTHEST:
                where = (*path, "position", axis)
                self._wrong(where, f"`{axis}` must be a number of units")
                axes = {**axes, axis: 0}
        return float(axes.get("x", 0)), float(axes.get("y", 0)), float(axes.get("z", 0))

    def _only(self, path: Path, value: Any, keys: Sequence[str]) -> dict[str, Any]:
        """Return what an object has of some keys; none if it is no object."""
        if not isinstance(value, dict):
            wanted = ", ".join(map(repr, keys))
            self._wrong(path, f"this must be an object with {wanted}")
            return {}
        self._check_keys(path, value, keys)
        return {key: value[key] for key in keys if key in value}

    def _list(self, path: Path) -> list[Any] | None:
        """Return a list of the file; None if it is not there, or is no list."""
        value = self._value.get(path[0])
        if isinstance(value, list):
            return value
        if path[0] in self._value:
            self._wrong(path, f"`{path[0]}` must be a list")
        return None

    def _unequal(
        self, at: str, names: tuple[str, str], lengths: tuple[int, int]
    ) -> None:
        span = self._text.span((at,), of_key=True)
        self._findings.append(UnequalLists(span, names, lengths))

    # -- entries

    def _entries(self, kind: str) -> dict[int, Entry]:
        """Return the entries of sprites, or of tiles, in both spellings, by colour."""
        found: dict[int, Entry] = {}
        firsts: dict[int, Path] = {}
        for path, colour, where, data in self._pairs(kind):
            number = self._colour(path, colour, of_key=path == where)
            entry = self._entry(number or 0, data, where)
            if number in firsts:
                self._colour_twice(number, path, firsts[number])
            elif number is not None:
                firsts[number] = path
                found |= {} if entry is None else {number: entry}
            if entry and entry.id and found.get(entry.colour) is not entry:
                self._unread_ids.add(entry.id)
        self._known[kind] = frozenset(firsts)
        return found

    def _pairs(self, kind: str) -> Iterator[tuple[Path, Any, Path, Any]]:
        """Yield place and text of each colour, and place and value of what it stands for."""
        by_colour = self._value.get(kind, {})
        if isinstance(by_colour, dict):
            for colour, entry in by_colour.items():
                yield (kind, colour), colour, (kind, colour), entry
        else:
            self._wrong((kind,), f"`{kind}` must be an object with colours as keys")
        colours, prefabs = LISTS[kind]
        pair = self._list((colours,)), self._list((prefabs,))
        lengths = len(pair[0] or ()), len(pair[1] or ())
        if lengths[0] != lengths[1] or (pair[0] is None) != (pair[1] is None):
            shown = colours if pair[0] is not None else prefabs
            self._unequal(shown, (colours, prefabs), lengths)
        for place, (colour, entry) in enumerate(zip(pair[0] or (), pair[1] or ())):
            yield (colours, place), colour, (prefabs, place), entry

    def _colour(self, path: Path, value: Any, *, of_key: bool) -> int | None:
        colour = colour_of(value)
        if colour is None:
            self._wrong(path, f"this is not a colour: write {WANTED}", of_key=of_key)
        elif not colour & 255:
            what = "a colour with alpha 0 is always empty and cannot place a prefab"
            self._wrong(path, what, of_key=of_key)
            return None
        return colour

    def _colour_twice(self, colour: int, path: Path, first: Path) -> None:
        # In one spelling a colour is a key, in the other it is what a list holds.
        span, before = (
            self._text.span(each, of_key=isinstance(each[1], str))
            for each in (path, first)
        )
        self._findings.append(ColourTwice(span, text_of(colour), before.line))

    def _entry(self, colour: int, data: Any, where: Path) -> Entry | None:
        if not isinstance(data, dict):
            self._wrong(where, "this must be an object with the `$type` of a prefab")
            self._unread_ids.add(None)
            return None
        id, tag = self._id(data, where), data.get("$type")
        if not isinstance(data.get(COMMENT, ""), str):
            self._wrong((*where, COMMENT), f"`{COMMENT}` must be a string")
        if isinstance(tag, str):
            said = {name: data[name] for name in data if name != COMMENT}
            return Entry(colour, tag, id, said, where)
        missing = "`$type` is missing; it names the prefab"
        self._wrong(
            (*where, "$type"), missing if tag is None else "`$type` must be a string"
        )
        if id is not None:
            self._unread_ids.add(id)
        return None

    def _id(self, data: dict[str, Any], where: Path) -> str | None:
        id = data.get("$id")
        if isinstance(id, str) and id:
            return id
        if "$id" in data:
            self._wrong((*where, "$id"), "`$id` must be a string that is not empty")
            self._unread_ids.add(None)
        return None

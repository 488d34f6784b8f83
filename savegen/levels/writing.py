"""Make the content of level files: new levels, upgraded `level.lvl` files, and smaller images."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from savegen.findings import Finding
from savegen.levels.colours import colour_of, colours_in, text_of
from savegen.levels.description import GENERATED, LISTS, VERSION
from savegen.levels.images import Picture, channels_of, decode
from savegen.levels.reader import DESCRIPTION, KINDS, image_name
from savegen.levels.rules import SchemaRules

if TYPE_CHECKING:
    from PIL import Image

_WIDTH = 88  # of a line, unless a single value is wider
_OUTER_DEPTH = 2  # of `level.lvl`: objects and lists that always have a line per member
# The keys of both forms → the key of the current form.
_CURRENT_KEYS = {
    key: current for current, keys in LISTS.items() for key in (current, *keys)
}
_PALETTE_SIZE = 256
# Programs need these to show the image with the same colours and size.
_METADATA = {"icc_profile", "dpi"}

# -- new levels


def new_level(
    template: bytes, size: tuple[int, int], pixels_per_unit: int, schema: str = ""
) -> dict[str, bytes]:
    """Return the files of a new level by their paths in its folder.

    `template` is the content of the generated `template.lvl`; `size` is in units. Images of
    sprites and visuals have `pixels_per_unit` pixels for each unit. `schema` is the path from
    the folder to the generated schema, which editors use to suggest names.

    >>> files = new_level(b'{"version": 1, "sprites": {}}', (32, 18), 4)
    >>> list(files)
    ['level.lvl', 'geometry/layer1.png', 'sprites/layer1.png', 'visuals/layer1.png']
    """
    content = from_json(template)
    content.pop(GENERATED, None)
    if schema:
        content = {"$schema": schema, **content}
    files = {DESCRIPTION: _description(content)}
    width, height = size
    large = width * pixels_per_unit, height * pixels_per_unit
    for layer in content.get("layer_names") or ["layer1"]:
        for kind in KINDS:
            image = _empty_image(size if kind == KINDS[0] else large)
            files[image_name(kind, layer)] = image
    return files


def _empty_image(size: tuple[int, int]) -> bytes:
    from PIL import Image

    return _png(Image.new("RGBA", size, 0))


def _png(image: Image.Image, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "png", optimize=True, **options)
    return file.getvalue()


# -- upgraded levels


def upgraded(data: bytes, rules: SchemaRules) -> bytes:
    """Return a valid `level.lvl` in the current form and with the present names.

    The order of keys and the digits of numbers stay the same.

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
    old = from_json(data)
    new: dict[str, Any] = {}
    for name in old:
        if key := _CURRENT_KEYS.get(name):
            new.setdefault(key, dict(_entries(old, key, rules)))
        elif name != GENERATED:
            new[name] = old[name]
    if "version" in new:
        new["version"] = VERSION
    return _description(new)


def _entries(
    level: dict[str, Any], key: str, rules: SchemaRules
) -> Iterator[tuple[str, Any]]:
    """Yield colours and entries of sprites, or of tiles, from both forms."""
    colours, prefabs = (level.get(name, []) for name in LISTS[key])
    pairs = *level.get(key, {}).items(), *zip(colours, prefabs, strict=True)
    for colour, entry in pairs:
        number = colour_of(colour)
        assert number is not None, colour
        yield text_of(number), rules.current(entry).data


# -- smaller images


def packed(data: bytes, name: str, path: str = "") -> bytes | Finding:
    """Return a smaller PNG file with the same pixels, or a finding if it cannot be read.

    Returns `data` itself if it would not get smaller, and for animations and images with 16 bits
    per channel, which would lose content. All fully transparent pixels become equal.

    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGBA", (100, 100), (0, 255, 255, 128)).save(file, "png")
    >>> small = packed(file.getvalue(), "layer1.png")
    >>> len(small) < len(file.getvalue()), packed(small, "layer1.png") == small
    (True, True)
    """
    picture = decode(data, name, path)
    if not isinstance(picture, Picture):
        return picture
    if picture.has_16_bits or picture.image.n_frames > 1:
        return data
    smaller = _smaller(picture)
    is_better = len(smaller) < len(data) and _has_same_pixels(picture, smaller)
    return smaller if is_better else data


def _has_same_pixels(picture: Picture, data: bytes) -> bool:
    import numpy as np

    other = decode(data, picture.name)
    return isinstance(other, Picture) and np.array_equal(other.colours, picture.colours)


def _smaller(picture: Picture) -> bytes:
    import numpy as np
    from PIL import Image

    colours = np.array(sorted(colours_in(picture.colours)), np.uint32)
    info = picture.image.info
    metadata = {key: info[key] for key in _METADATA & info.keys()}
    if len(colours) <= _PALETTE_SIZE:
        image, options = _with_palette(
            colours, np.searchsorted(colours, picture.colours)
        )
        return _png(image, **options, **metadata)
    channels = channels_of(picture.colours)
    image = Image.fromarray(channels)
    is_opaque = (channels[..., 3] == 255).all()
    return _png(image.convert("RGB") if is_opaque else image, **metadata)


def _with_palette(colours: Any, indices: Any) -> tuple[Image.Image, dict[str, Any]]:
    """Return an image with a palette, and Pillow's options to save its alpha.

    Opaque colours come last in the palette, because trailing alpha of 255 need not be stored.
    """
    from PIL import Image

    channels = channels_of(colours)
    order = channels[:, 3].argsort(kind="stable")
    ranks = order.argsort()
    image = Image.fromarray(ranks.astype("u1")[indices])
    image.putpalette(channels[order, :3].tobytes())
    alpha = channels[order, 3].tobytes().rstrip(b"\xff")
    return image, {"transparency": alpha} if alpha else {}


# -- JSON with short values on one line and unchanged numbers


class ExactNumber(float):
    """A number with a point or an exponent that keeps its text, so 2.50 stays 2.50."""

    text: str

    def __new__(cls, text: str) -> ExactNumber:
        number = super().__new__(cls, text)
        number.text = text
        return number


def from_json(data: bytes) -> Any:
    """Return the value of valid JSON.

    >>> from_json(b'{"price": 2.50}')["price"].text
    '2.50'
    """
    return json.loads(data.decode("utf-8-sig"), parse_float=ExactNumber)


def _description(level: Any) -> bytes:
    """Return the bytes of a `level.lvl`."""
    return f"{to_json(level, _OUTER_DEPTH)}\n".encode()


def to_json(value: Any, outer_depth: int = 0) -> str:
    """Return a value as JSON.

    Objects and lists nested less than `outer_depth` deep have a line per member. Others have one
    line for all members if it is short enough.

    >>> print(to_json({"version": 1, "at": {"x": 0, "y": 2.50}, "none": []}, 1))
    {
      "version": 1,
      "at": {"x": 0, "y": 2.5},
      "none": []
    }
    """
    return _text(value, "", 0, outer_depth)


def _text(value: Any, indent: str, key_width: int, outer_depth: int) -> str:
    """Return the text of a value that follows an indent and a key of some width in its line."""
    if not isinstance(value, (dict, list)) or not value:
        return _one_line(value)
    if outer_depth <= 0:
        line = _one_line(value)
        if len(indent) + key_width + len(line) < _WIDTH:  # a comma may follow
            return line
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner = f"{indent}  "
    members = _members(value, inner, outer_depth - 1)
    lines = ",\n".join(f"{inner}{member}" for member in members)
    return f"{opening}\n{lines}\n{indent}{closing}"


def _members(value: Any, indent: str, outer_depth: int) -> Iterator[str]:
    if isinstance(value, list):
        yield from (_text(member, indent, 0, outer_depth) for member in value)
        return
    for name, member in value.items():
        key = f"{_scalar(name)}: "
        yield key + _text(member, indent, len(key), outer_depth)


def _one_line(value: Any) -> str:
    if isinstance(value, dict):
        members = (f"{_scalar(k)}: {_one_line(v)}" for k, v in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_one_line, value))}]"
    return value.text if isinstance(value, ExactNumber) else _scalar(value)


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

"""Write level files: new levels, `level.lvl` in its current form, and smaller images."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from savegen.findings import Finding
from savegen.levels.colours import colour_of, colours_in, text_of
from savegen.levels.description import GENERATED, LISTS, VERSION
from savegen.levels.images import Picture, channels_of, decode
from savegen.levels.layout import Layout
from savegen.levels.reader import DESCRIPTION, KINDS, image_name
from savegen.levels.rules import Rules

if TYPE_CHECKING:
    from PIL import Image

_WIDTH = 88  # columns of a line, unless a single value is wider
_BROKEN = 2  # nesting levels of `level.lvl` with a line for each member
_CURRENT = {
    name: current for current, pair in LISTS.items() for name in (current, *pair)
}
_PALETTE_SIZE = 256
# How programs show the colours and the size of an image.
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
    content = read(template)
    content.pop(GENERATED, None)
    head = {"$schema": schema} if schema else {}
    files = {DESCRIPTION: _description(head | content)}
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


# -- current forms


def upgraded(data: bytes, rules: Rules) -> bytes:
    """Return a valid `level.lvl` with colours as keys and present names.

    The order of everything and the digits of numbers stay the same.

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
    old = read(data)
    new: dict[str, Any] = {}
    for name in old:
        if kind := _CURRENT.get(name):
            new.setdefault(kind, dict(_entries(old, kind, rules)))
        elif name != GENERATED:
            new[name] = old[name]
    if "version" in new:
        new["version"] = VERSION
    return _description(new)


def _entries(
    level: dict[str, Any], kind: str, rules: Rules
) -> Iterator[tuple[str, Any]]:
    """Yield colours and entries of sprites, or of tiles, from both forms."""
    colours, prefabs = (level.get(name, []) for name in LISTS[kind])
    pairs = *level.get(kind, {}).items(), *zip(colours, prefabs, strict=True)
    for colour, entry in pairs:
        number = colour_of(colour)
        assert number is not None, colour
        yield text_of(number), rules.current(entry).data


def is_same(old: Layout, new: Layout) -> bool:
    """Return whether two layouts place the same objects under the same ids."""
    return _placed(old) == _placed(new)


def _placed(layout: Layout) -> list[Any]:
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


# -- smaller images


def packed(data: bytes, name: str, path: str = "") -> bytes | Finding:
    """Return a smaller PNG file with the same pixels, or a finding if it cannot be read.

    Returns `data` if it would not get smaller, and for animations and images with 16 bits per
    channel, which would lose something. All colours with alpha 0 become one.

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

    again = decode(data, picture.name)
    return isinstance(again, Picture) and np.array_equal(again.colours, picture.colours)


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
    """Return an image of some colours, and how to save their alpha.

    Opaque colours come last in the palette: their alpha is not stored.
    """
    from PIL import Image

    channels = channels_of(colours)
    order = channels[:, 3].argsort(kind="stable")
    ranks = order.argsort()
    image = Image.fromarray(ranks.astype("u1")[indices])
    image.putpalette(channels[order, :3].tobytes())
    alpha = channels[order, 3].tobytes().rstrip(b"\xff")
    return image, {"transparency": alpha} if alpha else {}


# -- JSON as a person writes it: short values on one line, numbers unchanged


class Number(float):
    """A number with a fraction or an exponent, and its text: 2.50 does not become 2.5."""

    text: str

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number


def read(data: bytes) -> Any:
    """Return the value of valid JSON.

    >>> read(b'{"price": 2.50}')["price"].text
    '2.50'
    """
    return json.loads(data.decode("utf-8-sig"), parse_float=Number)


def _description(level: Any) -> bytes:
    """Return the bytes of a `level.lvl`."""
    return f"{written(level, _BROKEN)}\n".encode()


def written(value: Any, broken: int = 0) -> str:
    """Return a value as text; its `broken` outermost nesting levels have a line per member.

    >>> print(written({"version": 1, "at": {"x": 0, "y": 2.50}, "none": []}, 1))
    {
      "version": 1,
      "at": {"x": 0, "y": 2.5},
      "none": []
    }
    """
    return _text(value, "", 0, broken)


def _text(value: Any, indent: str, taken: int, broken: int) -> str:
    """Return the text of a value that begins `taken` columns behind the indent of its line."""
    if not isinstance(value, (dict, list)) or not value:
        return _one_line(value)
    if broken <= 0:
        short = _one_line(value)
        if len(indent) + taken + len(short) < _WIDTH:  # a comma may follow
            return short
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner = f"{indent}  "
    lines = ",\n".join(f"{inner}{line}" for line in _members(value, inner, broken - 1))
    return f"{opening}\n{lines}\n{indent}{closing}"


def _members(value: Any, indent: str, broken: int) -> Iterator[str]:
    if isinstance(value, list):
        yield from (_text(member, indent, 0, broken) for member in value)
        return
    for name, member in value.items():
        key = f"{_scalar(name)}: "
        yield key + _text(member, indent, len(key), broken)


def _one_line(value: Any) -> str:
    if isinstance(value, dict):
        members = (f"{_scalar(k)}: {_one_line(v)}" for k, v in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_one_line, value))}]"
    return value.text if isinstance(value, Number) else _scalar(value)


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)

"""Create a new level: a colour for every prefab, and empty images."""

from __future__ import annotations

import io
from savegen.levels.description import GENERATED
from savegen.levels.json_writing import file_of, read
from savegen.levels.reader import DESCRIPTION, KINDS, image_name


def beginning(
    template: bytes, size: tuple[int, int], pixels_per_unit: int, schema: str = ""
) -> dict[str, bytes]:
    """Return the files of a new level by their paths in its folder.

    `template` is what pass 3 wrote; `size` is in units, and sprites and visuals have so many
    pixels of each. `schema` leads from the folder to the schema: editors help with it.

    >>> files = beginning(b'{"version": 1, "sprites": {}}', (32, 18), 4)
    >>> list(files)
    ['level.lvl', 'geometry/layer1.png', 'sprites/layer1.png', 'visuals/layer1.png']
    """
    told = read(template)
    told.pop(GENERATED, None)
    about = {"$schema": schema} if schema else {}
    files = {DESCRIPTION: file_of(about | told)}
    width, height = size
    finer = width * pixels_per_unit, height * pixels_per_unit
    for layer in told.get("layer_names") or ["layer1"]:
        for kind in KINDS:
            image = _empty(size if kind == KINDS[0] else finer)
            files[image_name(kind, layer)] = image
    return files


def _empty(size: tuple[int, int]) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGBA", size, 0).save(file, "png", optimize=True)
    return file.getvalue()

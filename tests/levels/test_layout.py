"""A level without errors becomes a layout: the positions and ids of its objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from savegen.levels.description import in_order
from savegen.levels.plan import LayerLayout, LevelLayout
from tests.levels.example import (
    BY_SCHEMA,
    CYAN,
    FLOOR,
    GATE,
    GREY,
    HERO,
    LEVEL,
    RED,
    layout_and_findings,
    png,
    write,
)


def laid(folder: Path, files: dict[str, Any] = {}) -> LevelLayout:
    layout, findings = layout_and_findings(write(folder / "cavern", files))
    assert layout is not None and not findings, findings
    return layout


def sprites(layer: LayerLayout) -> list[tuple[str, str, int, int]]:
    return [(each.id, each.entry.type_name, each.x, each.y) for each in layer.sprites]


def test_tiles_are_rectangles_and_sprites_pixels(tmp_path: Path) -> None:
    layout = laid(tmp_path)
    (layer,) = layout.layers
    assert (layout.name, layer.name, layer.size) == ("cavern", "layer1", (4, 2))
    assert (layer.pixels_per_unit, layer.visual_pixels_per_unit) == (2, 4)
    (tile,) = layer.tiles
    assert (tile.x, tile.y, tile.width, tile.height) == (0, 1, 4, 1)
    assert (
        tile.id == "cavern/layer1/tile/0,1" and tile.entry.type_name == "WallSerializer"
    )
    assert sprites(layer) == [
        ("cavern/layer1/0,1", "HeroSerializer", 0, 1),
        ("cavern/layer1/5,1", "GateSerializer", 5, 1),
    ]
    assert layer.visual is not None and layer.visual.size == (16, 8)


def test_an_id_becomes_the_placement_id(tmp_path: Path) -> None:
    level = {
        "version": 1,
        "sprites": {CYAN: HERO, RED: {**GATE, "$id": "door"}},
        "tiles": {GREY: {"$type": "WallSerializer", "$id": "floor"}},
    }
    (layer,) = laid(tmp_path, {"level.lvl": level}).layers
    assert [each.id for each in (*layer.tiles, *layer.sprites)] == [
        "floor",
        "cavern/layer1/0,1",
        "door",
    ]


def test_a_tile_and_a_sprite_in_one_cell_have_different_ids(tmp_path: Path) -> None:
    image = png(4, 2, {(0, 1): RED})
    (layer,) = laid(tmp_path, {"sprites/layer1.png": image}).layers
    ids = [each.id for each in (*layer.tiles, *layer.sprites)]
    assert ids == ["cavern/layer1/tile/0,1", "cavern/layer1/0,1"]


def test_both_forms_of_level_lvl_mean_the_same(tmp_path: Path) -> None:
    lists = {
        "version": 1,
        "layer_names": ["layer1"],
        "layer_params": [{"position": {"x": 0, "y": 0, "z": 0}}],
        "spr_colors": [{"r": 0, "g": 255, "b": 255, "a": 255}, RED.upper()],
        "spr_prefabs": [HERO, GATE],
        "obj_colors": [GREY + "ff"],
        "obj_prefabs": [{"$type": "WallSerializer"}],
    }
    new, old = laid(tmp_path / "a"), laid(tmp_path / "b", {"level.lvl": lists})
    assert sprites(new.layers[0]) == sprites(old.layers[0])
    assert [t[2:] for t in new.layers[0].tiles] == [t[2:] for t in old.layers[0].tiles]


def test_both_forms_can_be_mixed(tmp_path: Path) -> None:
    mixed = {
        **LEVEL,
        "sprites": {CYAN: HERO},
        "spr_colors": [RED],
        "spr_prefabs": [GATE],
    }
    (layer,) = laid(tmp_path, {"level.lvl": mixed}).layers
    assert [each.entry.type_name for each in layer.sprites] == [
        "HeroSerializer",
        "GateSerializer",
    ]


LAYERS = {f"geometry/layer{n}.png": png(1, 1, {}) for n in (1, 2, 10)}
ONLY_GEOMETRY = {**LAYERS, "sprites/layer1.png": None, "visuals/layer1.png": None}


def test_layers_are_in_natural_order_without_layer_names(tmp_path: Path) -> None:
    layout = laid(tmp_path, ONLY_GEOMETRY)
    assert [layer.name for layer in layout.layers] == ["layer1", "layer2", "layer10"]


def test_layers_are_in_the_order_of_layer_names(tmp_path: Path) -> None:
    level = {
        **LEVEL,
        "layer_names": ["layer10", "layer1", "layer2"],
        "layer_params": [
            {"position": {"x": 1, "y": -2.5, "z": 9}},
            {},
            {"position": {}},
        ],
    }
    layout = laid(tmp_path, {**ONLY_GEOMETRY, "level.lvl": level})
    assert [layer.name for layer in layout.layers] == ["layer10", "layer1", "layer2"]
    assert layout.layers[0].position == (1.0, -2.5, 9.0)
    assert layout.layers[1].position == layout.layers[2].position == (0.0, 0.0, 0.0)


def test_natural_order_counts_numbers_as_numbers() -> None:
    names = ["b", "a10", "a9", "a", "a09", "10", "9", "a9b", "A1"]
    assert in_order(names) == ["9", "10", "a", "A1", "a09", "a9", "a9b", "a10", "b"]


def test_areas_of_two_colours_become_different_tiles(tmp_path: Path) -> None:
    level = {**LEVEL, "tiles": {GREY: {"$type": "WallSerializer"}, "#ffffff": GATE}}
    image = png(4, 2, {**FLOOR, (2, 1): "#ffffff"})
    files = {"level.lvl": level, "geometry/layer1.png": image}
    (layer,) = laid(tmp_path, files).layers
    assert [(t.x, t.width, t.entry.type_name) for t in layer.tiles] == [
        (0, 2, "WallSerializer"),
        (2, 1, "GateSerializer"),
        (3, 1, "WallSerializer"),
    ]


@pytest.mark.parametrize("mode", ["RGBA", "P", "LA"])
def test_images_may_have_any_mode(tmp_path: Path, mode: str) -> None:
    import io

    from PIL import Image

    def stored(data: bytes) -> bytes:
        image, file = Image.open(io.BytesIO(data)), io.BytesIO()
        (image.quantize() if mode == "P" else image.convert(mode)).save(file, "png")
        return file.getvalue()

    level = {**LEVEL, "sprites": {"#b2b2b2": GATE}}
    files = {
        "level.lvl": level,
        "geometry/layer1.png": stored(png(4, 2, FLOOR)),
        "sprites/layer1.png": stored(png(8, 4, {(3, 3): "#b2b2b2"})),
    }
    (layer,) = laid(tmp_path, files).layers
    assert len(layer.tiles) == len(layer.sprites) == 1


def test_a_level_with_warnings_has_a_layout(tmp_path: Path) -> None:
    layout, findings = layout_and_findings(
        write(tmp_path / "cavern", {"notes.txt": b""}), BY_SCHEMA
    )
    assert layout is not None and [each.code for each in findings] == ["SG503"]

"""A part of a level is loaded alone, and its pictures are cut to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PIL import Image

from savegen.levels import Level, load_level
from savegen.runtime import (
    SaveError,
)
from savegen.runtime.manager import SaveLoadManager as Manager
from tests.levels.cave import FURNITURE, MAP, PORTAL, SPRITES, placed, refused


def test_regions_side_by_side_are_the_whole_level(manager: Manager, draw: Any) -> None:
    folder = draw(MAP, SPRITES, FURNITURE)
    whole = load_level(folder, manager)
    covered, ids = cells(whole), placed(manager)
    whole.unload()
    assert len(manager) == 0
    halves = [load_level(folder, manager, (x, 0, 4, 9)) for x in (0, 4)]
    assert sum(map(len, map(cells, halves))) == len(covered)
    assert {**cells(halves[0]), **cells(halves[1])} == covered
    sprites = {id: at for id, at in ids.items() if at in [(1.5, 1.5), (6.5, 1.5)]}
    assert len(sprites) == 2 and sprites.items() <= placed(manager).items()
    halves[0].unload()
    assert {*placed(manager)} == {
        manager.record_of(o).placement for o in halves[1].objects
    }


def cells(level: Level) -> dict[tuple[int, int], int]:
    """Return the cells that tiles of the level cover, with their colours."""
    found = {}
    (rectangles,), (index,) = level.rectangles, level.cell_to_rectangle
    (tiles,) = level.tiles
    assert len(tiles) == len(rectangles)
    for row, (left, top, width, height, value) in enumerate(rectangles.tolist()):
        there = tiles[row].transform
        assert there.position == (left + width / 2, top + height / 2, 0)
        assert there.scale == (width, height, 1)
        for y in range(top, top + height):
            for x in range(left, left + width):
                found[x, y] = value
                assert index[y, x] == row
    assert (index >= 0).sum() == len(found)
    return found


def test_a_destroyed_tile_is_none_until_a_load_restores_it(
    manager: Manager, draw: Any
) -> None:
    level = load_level(draw("##.### ......", {}), manager)
    before, (first, second) = manager.create_snapshot(), level.tiles[0]
    manager.destroy(first)
    assert level.tiles == ((None, second),)
    manager.apply_snapshot(before)
    assert level.tiles[0][0] is not None and level.tiles[0][1] is second
    manager.clear()
    assert level.tiles == ((None, None),)


def test_a_tile_that_is_cut_keeps_its_id_where_it_begins(
    manager: Manager, draw: Any
) -> None:
    folder = draw("........ .######.")
    whole = load_level(folder, manager)
    (id,) = placed(manager)
    whole.unload()
    load_level(folder, manager, (0, 0, 3, 2))
    assert placed(manager) == {id: (2.0, 1.5)}
    load_level(folder, manager, (3, 0, 5, 2))
    assert placed(manager) == {id: (2.0, 1.5), "cavern/layer1/tile/3,1": (5.0, 1.5)}


def test_a_reference_leads_into_a_loaded_region(
    manager: Manager, draw: Any, game: Any
) -> None:
    handle = {"$type": "HandleSerializer", "gates": ["front"]}
    folder = draw("....", "H..F", {"H": handle, "F": {"$id": "front", **PORTAL}})
    error = refused(folder, manager, region=(0, 0, 2, 1))
    assert "'gates' of HandleSerializer" in str(error) and "region" in str(error)
    load_level(folder, manager, (2, 0, 2, 1))
    load_level(folder, manager, (0, 0, 2, 1))
    (lever,), (gate,) = manager.find(game.Lever), manager.find(game.Gate)
    assert lever.gates == (gate,)


def test_a_snapshot_restores_a_level_after_unloading(
    manager: Manager, draw: Any, game: Any
) -> None:
    folder = draw("..## ....", "F..G ....", {"F": PORTAL, "G": PORTAL})
    level = load_level(folder, manager)
    tile, front, back = level.objects
    front.get(game.Gate).is_open = True
    manager.destroy(back)
    manager.destroy(tile)
    left = manager.create_snapshot(filter=level.name)
    level.unload()
    hero = manager.add(game.Lamp())
    level = load_level(folder, manager)
    assert len([*level.objects]) == 3
    manager.apply_snapshot(left)
    (front,) = level.objects
    assert front.get(game.Gate).is_open
    assert manager.record_of(front).placement == "cavern/layer1/0,0"
    assert [*manager.find(game.Lamp)] == [hero]


def test_the_rows_of_rectangles_are_regions(manager: Manager, draw: Any) -> None:
    folder = draw("..## ..##")
    whole = load_level(folder, manager)
    whole.unload()
    left, top, width, height, _ = whole.rectangles[0][0]
    again = load_level(folder, manager, (left, top, width, height))
    assert (again.rectangles[0] == whole.rectangles[0]).all()


def repr_of(region: Any) -> str:
    try:
        return repr(region)[:20]
    except ValueError:  # of too many digits
        return "huge"


@pytest.mark.parametrize(
    "region",
    [
        *((0, 0, 0, 3), (0, 0, -2, 3), (0, 0, 2), (0, 0, 2, 2, 2), ()),
        *((0.5, 0, 2, 2), (0.0, 0, 2, 2), (float("nan"), 0, 2, 2), (None, 0, 2, 2)),
        *(
            (0, 0, 10**400, 1),
            (0, 0, -(10**5000), 1),
            (-(10**30), 0, 10**30, 1),
            (0, 0, float("inf"), 1),
        ),
        *(5, 0, "abcd", True, "", {"left": 0}, ["0", "0", "1", "1"]),
    ],
    ids=repr_of,
)
def test_an_invalid_region_is_refused(manager: Manager, draw: Any, region: Any) -> None:
    with pytest.raises(SaveError, match="region"):
        load_level(draw("##"), manager, region)
    assert not [*manager.objects]


def test_a_region_may_begin_outside_and_be_larger_than_all(
    manager: Manager, draw: Any
) -> None:
    folder = draw("##.. ....")
    huge = load_level(folder, manager, (-(1 << 40), -9, 1 << 41, 1 << 41))
    assert len([*huge.objects]) == len(huge.rectangles[0]) == 1
    huge.unload()
    outside = load_level(folder, manager, (-5, -5, 5, 5))
    assert not [*outside.objects] and len(outside.rectangles[0]) == 0
    assert (outside.cell_to_rectangle[0] == -1).all()


def test_arrays_of_a_region_have_the_types_of_the_whole(
    manager: Manager, draw: Any
) -> None:
    folder = draw("##.. ....")
    whole = load_level(folder, manager)
    whole.unload()
    part = load_level(folder, manager, (0, 0, 1, 1))
    assert part.rectangles[0].dtype == whole.rectangles[0].dtype == np.int64
    assert part.cell_to_rectangle[0].dtype == np.int32
    assert whole.cell_to_rectangle[0].dtype == np.int32


# -- what is drawn as it is


def test_visuals_are_slices_without_duplicates(manager: Manager, draw: Any) -> None:
    folder = draw("... ...")
    red, blue = (255, 0, 0, 255), (0, 0, 255, 128)
    picture = Image.new("RGBA", (6, 4), red)
    picture.paste(blue, (2, 0, 4, 2))
    (folder / "visuals").mkdir()
    picture.save(folder / "visuals" / "layer1.png")
    (visual,) = load_level(folder, manager).visuals
    assert visual is not None and visual.pixels_per_unit == 2
    assert np.array_equal(visual.image, np.asarray(picture))
    tiles, places = visual.unique_tiles()
    assert places.tolist() == [[0, 1, 0], [0, 0, 0]]
    assert tiles.shape == (2, 2, 2, 4)
    assert tiles[:, 0, 0].tolist() == [[*red], [*blue]]


def test_visuals_of_a_region_are_cut_to_it(manager: Manager, draw: Any) -> None:
    folder = draw("... ...")
    ramp = np.arange(6 * 4 * 4, dtype=np.uint8).reshape(4, 6, 4) | 1
    (folder / "visuals").mkdir()
    Image.fromarray(ramp).save(folder / "visuals" / "layer1.png")
    (visual,) = load_level(folder, manager, (1, 1, 9, 9)).visuals
    assert visual is not None
    assert (visual.left, visual.top, visual.width, visual.height) == (1, 1, 2, 1)
    assert np.array_equal(visual.image, ramp[2:, 2:])

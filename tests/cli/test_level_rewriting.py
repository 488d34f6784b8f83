"""`savegen level pack|upgrade`: files of levels rewritten, and nothing that they mean."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from savegen.levels import writing
from savegen.levels.description import Entry
from savegen.levels.images import Picture, decode
from savegen.levels.layout import layout_of
from savegen.levels.plan import LevelLayout
from savegen.levels.reader import Folder, read_folder
from savegen.levels.rules import SchemaRules
from savegen.levels.comparing import is_same
from savegen.levels.writing import from_json, packed, to_json, upgraded
from tests.cli.drawn import INKS, FRIENDLY, MAP, SPRITES, draw, png
from tests.cli.games import Game
from tests.project import Said
from tests.soaking import examples

LISTS: dict[str, Any] = {
    "version": 1,
    "layer_names": ["layer1"],
    "spr_colors": ["#ff0000", {"r": 255, "g": 215, "b": 0}],
    "spr_prefabs": [
        {"$type": "OgreSerializer", "$id": "grub", "life": 5, "price": 0.10},
        {"$type": "CoinSerializer"},
    ],
    "obj_colors": ["#5A5046"],
    "obj_prefabs": [{"$type": "WallSerializer"}],
}
TODAY = """\
{
  "version": 1,
  "layer_names": [
    "layer1"
  ],
  "sprites": {
    "#ff0000": {"$type": "OrcSerializer", "$id": "grub", "hp": 5, "price": 0.10},
    "#ffd700": {"$type": "CoinSerializer"}
  },
  "tiles": {
    "#5a5046": {"$type": "WallSerializer"}
  }
}
"""


@pytest.fixture
def game(drawn_game: Game) -> Game:
    return drawn_game


def layout(game: Game, folder: str) -> LevelLayout:
    rules = SchemaRules(json.loads(game.read("_savegen/level.schema.json")))
    found, findings = layout_of(read_folder(game.folder / folder), rules)
    assert found is not None, findings
    return found


def said_of(found: LevelLayout) -> list[Any]:
    """Return all that a layout places, but for where `level.lvl` says so."""
    blank = Entry(0, "", None, {}, ())
    return [
        (
            layer.position,
            [
                (each._replace(entry=blank), each.entry.data)
                for each in (*layer.tiles, *layer.sprites)
            ],
        )
        for layer in found.layers
    ]


# upgrade


def test_lists_and_former_names_become_what_is_written_today(game: Game) -> None:
    text = json.dumps(LISTS).replace("0.1}", "0.10}")
    folder = draw(game, told=text)
    before = said_of(layout(game, folder))
    assert game.run("level", "upgrade", folder) == Said(
        0, f"wrote {folder}/level.lvl\n", ""
    )
    assert game.read(f"{folder}/level.lvl") == TODAY
    assert said_of(layout(game, folder)) == before
    assert game.run("level", "upgrade", folder) == Said(0, "up to date\n", "")


def test_the_difference_is_shown_and_nothing_written(game: Game) -> None:
    folder = draw(game, told=LISTS)
    before = game.files()
    said = game.run("level", "upgrade", folder, "--diff")
    assert said.code == 1 and '+    "#ffd700": {"$type": "CoinSerializer"}' in said.out
    assert game.files() == before


def test_a_level_with_errors_is_not_touched(game: Game) -> None:
    good = draw(game, told=LISTS)
    bad = draw(game, "levels/pit", told={**LISTS, "obj_colors": []})
    before = game.files()
    assert game.run("level", "upgrade", good, bad).code == 1
    assert game.files() == before


def test_the_order_of_parts_and_both_spellings_are_kept(game: Game) -> None:
    tiles = {"tiles": FRIENDLY["tiles"]}
    told = {name: LISTS[name] for name in ("version", "spr_colors", "spr_prefabs")}
    folder = draw(game, told={**tiles, **told, "layer_names": ["layer1"]})
    game.run("level", "upgrade", folder)
    new = json.loads(game.read(f"{folder}/level.lvl"))
    assert [*new] == ["tiles", "version", "sprites", "layer_names"]


def test_comments_are_kept_and_mean_nothing(game: Game) -> None:
    told = json.loads(json.dumps(LISTS))
    told = {"$comment": "the pit", **told}
    told["spr_prefabs"][0] = {"$comment": "a boss", **told["spr_prefabs"][0]}
    folder = draw(game, told=told)
    assert game.run("level", "upgrade", folder).code == 0
    new = json.loads(game.read(f"{folder}/level.lvl"))
    assert new["$comment"] == "the pit" and [*new][0] == "$comment"
    first = [*new["sprites"].values()][0]
    assert first["$comment"] == "a boss" and [*first][0] == "$comment"
    text = game.read(f"{folder}/level.lvl")
    for verb in ("upgrade", "pack", "check"):
        assert game.run("level", verb, folder).code == 0
    assert game.read(f"{folder}/level.lvl") == text
    schema = json.loads(game.read("_savegen/level.schema.json"))
    jsonschema.Draft202012Validator(schema).validate(new)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False)
    | st.just(1e300),
    lambda inner: st.lists(inner, max_size=5)
    | st.dictionaries(st.text(), inner, max_size=5),
)


@given(
    JSON.filter(lambda value: "Infinity" not in json.dumps(value)), st.integers(0, 3)
)
@settings(max_examples=examples(100))
def test_what_is_written_means_what_was_read(value: Any, broken: int) -> None:
    text = json.dumps(value)
    again = to_json(from_json(text.encode()), broken)
    assert json.loads(again) == value
    assert to_json(from_json(again.encode()), broken) == again


PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "life": st.integers(1, 9),
        "price": st.floats(-1e9, 1e9) | st.integers(-9, 9),
        "$id": st.sampled_from(["grub", "the other", "löwe"]),
    },
)
ORCS = st.builds(
    lambda tag, told: {"$type": tag, **told},
    st.sampled_from(["OgreSerializer", "OrcSerializer"]),
    PARAMETERS,
)
SPELLINGS = st.sampled_from(
    ["#ff0000", "#FF0000", "#ff0000ff", {"r": 255, "g": 0, "b": 0}]
)


@st.composite
def levels(draw: st.DrawFn) -> dict[str, Any]:
    """Return a `level.lvl` of which each part is spelt in either way."""
    orc, colour = draw(ORCS), draw(SPELLINGS)
    coin = {"$type": "CoinSerializer", "worth": draw(st.integers(-9, 9))}
    told: dict[str, Any] = {"version": 1, "layer_names": ["layer1"]}
    if isinstance(colour, str) and draw(st.booleans()):
        told["sprites"] = {colour: orc, "#ffd700": coin}
    else:
        told |= {"spr_colors": ["#FFD700", colour], "spr_prefabs": [coin, orc]}
    wall = {"$type": "WallSerializer", "solid": draw(st.booleans())}
    if draw(st.booleans()):
        told["tiles"] = {"#5a5046": wall}
    else:
        told |= {"obj_colors": ["#5a5046"], "obj_prefabs": [wall]}
    return dict(draw(st.permutations([*told.items()])))


@given(levels(), st.sampled_from([None, 1, "\t"]))
@settings(max_examples=examples(60))
def test_whatever_is_upgraded_places_the_same(
    drawn: Path, told: dict[str, Any], indent: int | str | None
) -> None:
    rules = SchemaRules(json.loads((drawn / "_savegen/level.schema.json").read_bytes()))
    old = json.dumps(told, indent=indent).encode()
    images = {"geometry": {"layer1": png(MAP)}, "sprites": {"layer1": png(SPRITES)}}
    folder = Folder("cave", "cave", old, {**images, "visuals": {}})
    new = upgraded(old, rules)
    before, after = (
        layout_of(replace(folder, description=data), rules) for data in (old, new)
    )
    assert before[0] and after[0] and before[1] == after[1] == []
    assert is_same(before[0], after[0])
    assert not {"life", "OgreSerializer", "spr_colors"} & {
        *re.findall(r"\w+", new.decode())
    }
    assert upgraded(new, rules) == new


def test_levels_that_place_something_else_are_not_the_same(game: Game) -> None:
    text = json.dumps(FRIENDLY)
    first = layout(game, draw(game))
    for wrong in (
        text.replace('"hp": 5', '"hp": 6'),
        text.replace('"$id": "grub", ', ""),
        text.replace("CoinS", "OrcS"),
        text.replace("#ff0000", "#0")
        .replace("#ffd700", "#ff0000")
        .replace("#0", "#ffd700"),
    ):
        assert not is_same(first, layout(game, draw(game, told=wrong)))


# pack


def test_images_get_smaller_and_stay_the_same(game: Game) -> None:
    folder = draw(game)
    rng = np.random.default_rng(7)
    few = rng.integers(0, 4, (64, 64), np.uint8) * np.uint8(60)
    pixels = np.dstack([few, few, few, np.where(few > 100, 255, 0).astype(np.uint8)])
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "png", compress_level=0)
    path = f"{folder}/visuals/layer1.png"
    game.write(path, file.getvalue())
    (game.folder / path).chmod(0o640)
    said = game.run("level", "pack", folder, "--dry-run")
    assert f"would write {path}, 17 kB to" in said.out
    assert game.files()[path] == file.getvalue()

    said = game.run("level", "pack", folder)
    assert said.code == 0 and f"wrote {path}, 17 kB to" in said.out
    image = Image.open(game.folder / path)
    assert image.mode == "P"
    seen = np.asarray(image.convert("RGBA"))
    clear = pixels[..., 3] == 0
    assert (seen[~clear] == pixels[~clear]).all() and (seen[clear][:, 3] == 0).all()
    assert (game.folder / path).stat().st_mode & 0o777 == 0o640
    assert game.run("level", "pack", folder).out == "up to date\n"


def test_an_image_that_cannot_be_read_keeps_all_as_they_are(game: Game) -> None:
    folder = draw(game)
    game.write(f"{folder}/sprites/layer1.png", png(["oc.."])[:-20])
    before = game.files()
    said = game.run("level", "pack", folder)
    assert said.code == 1 and "sprites/layer1.png" in said.out
    assert game.files() == before


@pytest.mark.parametrize("verb", ["pack", "upgrade"])
@pytest.mark.parametrize("gone", [False, True])
def test_what_was_saved_meanwhile_is_not_overwritten(
    game: Game, monkeypatch: pytest.MonkeyPatch, verb: str, gone: bool
) -> None:
    folder = draw(game, told=LISTS)
    inside = "geometry/layer1.png" if verb == "pack" else "level.lvl"
    path, drawn = f"{folder}/{inside}", b"just drawn"
    if verb == "pack":
        game.write(path, loose(4, 3))
    name = {"pack": "packed", "upgrade": "upgraded"}[verb]
    real = getattr(writing, name)

    def slow(*args: Any) -> Any:
        found = real(*args)
        if gone:
            (game.folder / path).unlink(missing_ok=True)
        else:
            game.write(path, drawn)
        return found

    monkeypatch.setattr(writing, name, slow)
    said = game.run("level", verb, folder)
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        f"error: {path} changed during the run, so savegen did not replace it: run the"
        " command again\n"
    )
    assert (game.folder / path).exists() != gone
    assert gone or (game.folder / path).read_bytes() == drawn


def loose(width: int, height: int) -> bytes:
    """Return an image that could be much smaller."""
    image, file = Image.new("RGBA", (width, height), INKS["#"]), io.BytesIO()
    image.save(file, "png", compress_level=0)
    return file.getvalue()


def test_images_of_sixteen_bits_and_animations_stay_as_they_are() -> None:
    deep, moving = io.BytesIO(), io.BytesIO()
    Image.fromarray(np.arange(4096, dtype=np.uint16).reshape(64, 64)).save(deep, "png")
    frames = [Image.new("RGB", (64, 64), (n, 0, 0)) for n in range(3)]
    frames[0].save(moving, "png", save_all=True, append_images=frames[1:])
    for file in (deep, moving):
        assert packed(file.getvalue(), "layer1.png") == file.getvalue()


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 3, 16, 17, 255, 256, 257, 400]),
    st.sampled_from(["RGBA", "RGB", "L", "LA", "P", "1"]),
)
@settings(max_examples=examples(40))
def test_every_pixel_stays_what_it_is(seed: int, colours: int, mode: str) -> None:
    rng = np.random.default_rng(seed)
    known = rng.integers(0, 256, (colours, 4), np.uint8)
    pixels = known[rng.integers(0, colours, (17, 23))]
    file = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(file, "png", compress_level=0)
    new = packed(file.getvalue(), "layer1.png")
    assert isinstance(new, bytes) and len(new) <= len(file.getvalue())
    before, after = (decode(data, "layer1.png") for data in (file.getvalue(), new))
    assert isinstance(before, Picture) and isinstance(after, Picture)
    assert np.array_equal(before.colours, after.colours)

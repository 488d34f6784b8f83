"""Each fault in a level folder gives a finding with its place, and all are reported together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from savegen.levels import layout as layout_module
from savegen.levels.description import read_description
from savegen.levels.reader import read_folder
from savegen.levels.rules import SchemaRules
from savegen.findings import Severity
from tests.levels.example import (
    BOTH,
    CYAN,
    FILES,
    FLOOR,
    GATE,
    GREY,
    HERO,
    LEVEL,
    RED,
    as_lines,
    layout_and_findings,
    png,
    write,
)

WALL = {"$type": "WallSerializer"}
TILES = {GREY: WALL}


@pytest.fixture(params=BOTH, ids=["schema", "game"])
def rules(request: pytest.FixtureRequest) -> SchemaRules:
    found: SchemaRules = request.param
    return found


def lines(
    folder: Path, files: Mapping[str, object], rules: SchemaRules = BOTH[0]
) -> list[str]:
    """Return the findings of the level with some files changed, which make a layout impossible."""
    layout, findings = layout_and_findings(write(folder / "cavern", files), rules)
    errors = [each for each in findings if each.severity is Severity.ERROR]
    assert (layout is None) == bool(errors)
    return as_lines(findings, folder / "cavern")


def of_level(folder: Path, level: object, rules: SchemaRules = BOTH[0]) -> list[str]:
    return lines(folder, {"level.lvl": level}, rules)


def test_a_level_without_errors_has_a_layout(
    tmp_path: Path, rules: SchemaRules
) -> None:
    assert lines(tmp_path, {}, rules) == []


# -- level.lvl, whatever the game


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        (
            {"version": 2},
            [
                "2:14 SG508 the level has version 2, but your savegen reads only versions up to 1"
            ],
        ),
        (
            {"version": True},
            ["2:14 SG507 `version`: expected a whole number, got true"],
        ),
        (
            {"sprite": {}},
            ["SG507 unknown key 'sprite'; did you mean 'sprites'?"],
        ),
        ({"tiles": [WALL]}, ["SG507 `tiles`: expected an object, got a list"]),
        (
            {"layer_names": "layer1"},
            ["SG507 `layer_names`: expected a list, got a string"],
        ),
        (
            {"layer_names": ["layer1", 7]},
            ["SG507 `layer_names[1]`: expected a string, got a whole number"],
        ),
        (
            {"layer_names": ["layer1", "Layer1"]},
            ["SG504 'Layer1' and 'layer1' are the same file name on Windows or macOS"],
        ),
        (
            {"layer_names": ["layer1", "layer1"]},
            ["SG504 'layer1' appears twice"],
        ),
        (
            {"layer_names": ["layer1", "a", "a"]},
            ["SG504 'a' appears twice"],
        ),
        (
            {"layer_params": [{}, {}]},
            [
                "SG509 `layer_params` and `layer_names` must have the same length, but have 2 and 1 items"
            ],
        ),
        (
            {"layer_params": []},
            [
                "SG509 `layer_params` and `layer_names` must have the same length, but have 0 and 1 items"
            ],
        ),
        ({"layer_params": 3}, ["SG507 `layer_params`: expected a list"]),
        (
            {"layer_names": ["layer1", "a/b"], "layer_params": [{}, {}]},
            ["SG511 'a/b' cannot be the name of a layer"],
        ),
        (
            {"layer_params": [{"position": {"w": 1}}]},
            ["SG507 unknown key 'w'; available:"],
        ),
        (
            {"layer_params": [{"position": {"x": "1"}}]},
            ["SG507 `layer_params[0].position.x`: expected a number, got a string"],
        ),
        (
            {"layer_params": [{"position": {"z": 10**400}}]},
            [
                "SG507 `layer_params[0].position.z`: expected a number, got a number that is too large"
            ],
        ),
        (
            {"layer_params": [[]]},
            ["SG507 `layer_params[0]`: expected an object, got a list"],
        ),
        (
            {"spr_colors": ["#000000"]},
            [
                "SG509 `spr_colors` and `spr_prefabs` must have the same length, but have 1 and 0 items"
            ],
        ),
        (
            {"spr_colors": []},
            [
                "SG509 `spr_colors` and `spr_prefabs` belong together, but one of them is missing"
            ],
        ),
        (
            {"spr_colors": {}, "spr_prefabs": []},
            ["SG507 `spr_colors`: expected a list, got an object"],
        ),
        (
            {"obj_colors": ["#000"], "obj_prefabs": [WALL]},
            ['SG507 this is not a colour: write "#rrggbb", "#rrggbbaa" or'],
        ),
        (
            {"obj_colors": ["#00000000"], "obj_prefabs": [WALL]},
            ["SG507 a colour with alpha 0 is always empty and cannot place a prefab"],
        ),
        (
            {"obj_colors": [GREY.upper() + "FF"], "obj_prefabs": [WALL]},
            ["SG510 the colour #404040 appears twice, first in line 12"],
        ),
        (
            {"obj_colors": [{"r": 64, "g": 64, "b": 64}], "obj_prefabs": [WALL]},
            ["SG510 the colour #404040 appears twice, first in line 12"],
        ),
        (
            {"obj_colors": ["#000000"], "obj_prefabs": [3]},
            ["SG507 `obj_prefabs[0]`: expected an object, got a whole number"],
        ),
        (
            {"obj_colors": ["#000000"], "obj_prefabs": [{}]},
            ["SG507 `obj_prefabs[0]`: `$type` is missing; it names the prefab"],
        ),
        (
            {"obj_colors": ["#000000"], "obj_prefabs": [{"$type": 3}]},
            ["SG507 `obj_prefabs[0].$type`: expected a string, got a whole number"],
        ),
        (
            {"obj_colors": ["#000000"], "obj_prefabs": [{**WALL, "$id": ""}]},
            ["SG507 `obj_prefabs[0].$id`: has 0 characters; at least 1 is required"],
        ),
    ],
)
def test_a_wrong_level_lvl_is_reported(
    tmp_path: Path, changed: dict[str, Any], wanted: list[str]
) -> None:
    found = [
        line
        for line in of_level(tmp_path, {**LEVEL, **changed})
        if line.startswith("level.lvl:")  # there may be images that are not known now
    ]
    assert len(found) == len(wanted)
    for line, words in zip(found, wanted):
        assert words in line


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "C:x",
        "nul",
        "con .a",
        "CONIN$.x",
        "",
        ".",
        "..",
        "a.",
    ],
)
def test_unsafe_layer_names_are_reported(tmp_path: Path, name: str) -> None:
    found = of_level(tmp_path, {**LEVEL, "layer_names": ["layer1", name]})
    (line,) = found
    assert f"SG511 {name!r} cannot be the name of a layer" in line


def test_a_newer_version_is_the_only_finding_about_level_lvl(tmp_path: Path) -> None:
    (line,) = of_level(tmp_path, {"version": 9, "sprits": 3, "tiles": []})
    assert line == (
        "level.lvl:2:14 SG508 the level has version 9, but your savegen reads only versions up to 1"
    )


def test_a_missing_version_or_json_object_is_reported(tmp_path: Path) -> None:
    (line,) = of_level(tmp_path / "a", {k: LEVEL[k] for k in ("sprites", "tiles")})
    assert "SG507 `version` is missing" in line
    (line,) = of_level(tmp_path / "b", [])
    assert line == "level.lvl:1:1 SG507 `level.lvl` must contain a JSON object, `{…}`"


def test_invalid_json_does_not_hide_other_findings(tmp_path: Path) -> None:
    text = json.dumps(LEVEL).replace('"version": 1', '"version": NaN, "x": 1')
    found = of_level(tmp_path, "\ufeff" + text.replace("HeroS", "HerS"))
    codes = [line.split()[1] for line in found]
    assert codes == ["SG505", "SG505", "SG507", "SG521"]


@pytest.mark.parametrize("value", ["NaN", "1e999", '"\\q"'])
def test_an_invalid_value_is_reported_once(tmp_path: Path, value: str) -> None:
    text = json.dumps({**LEVEL, "version": "?"}).replace('"?"', value)
    (line,) = of_level(tmp_path, text)
    assert "SG505" in line


def test_a_repeated_key_names_the_line_of_the_first(tmp_path: Path) -> None:
    text = '{"version": 1,\n "tiles": {},\n "tiles": {"#404040": {"$type": "WallSerializer"}}}'
    found = of_level(tmp_path, text)
    assert found[0] == (
        "level.lvl:3:2 SG506 the key 'tiles' appears twice, first in line 2"
    )


# -- entries


def entry(**values: object) -> dict[str, Any]:
    return {**LEVEL, "sprites": {CYAN: {**HERO, **values}, RED: GATE}}


@pytest.mark.parametrize(
    ("values", "place", "words"),
    [
        (
            {"hpp": 3},
            (6, 7),
            "HeroSerializer has no parameter 'hpp'; did you mean 'hp'?",
        ),
        ({"hp": 0}, (6, 13), "`hp`: "),
        ({"hp": 100}, (6, 13), "`hp`: "),
        ({"hp": 1.5}, (6, 13), "`hp`: "),
        ({"hp": True}, (6, 13), "`hp`: "),
        ({"hp": None}, (6, 13), "`hp`: "),
        ({"mood": "CLAM"}, (6, 15), "unknown value 'CLAM'; did you mean 'CALM'?"),
        ({"spots": {"a": [{"x": 1, "y": -1}]}}, (10, 18), "`spots.a[0].y`: "),
        ({"spots": {"a": [{"x": 1, "z": 1}]}}, (10, 13), "no parameter 'z'"),
        ({"spots": {"a": [{"y": 1}]}}, (8, 11), "`spots.a[0]`: "),
        ({"pair": [1]}, (6, 15), "`pair`: "),
        ({"counts": {"x": True}}, (7, 9), ""),
        ({"price": "0.25"}, (6, 16), "0.25"),
        ({"price": "cheap"}, (6, 16), "`price`: "),
        ({"code": "abc"}, (6, 15), "`code`: "),
        ({"either": []}, (6, 17), "`either`: "),
    ],
)
def test_a_wrong_parameter_is_reported_with_line_and_column(
    tmp_path: Path,
    rules: SchemaRules,
    values: dict[str, object],
    place: tuple[int, int],
    words: str,
) -> None:
    (line,) = of_level(tmp_path, entry(**values), rules)
    assert line.startswith("level.lvl:{}:{} SG522 ".format(*place)) and words in line


def test_each_wrong_parameter_of_an_entry_is_reported(
    tmp_path: Path, rules: SchemaRules
) -> None:
    found = of_level(tmp_path, entry(hp=0, mood="X", hq=1, code="abc"), rules)
    assert [line.split()[0] for line in found] == [
        f"level.lvl:{line}:{column}"
        for line, column in ((6, 13), (7, 15), (8, 7), (9, 15))
    ]


def test_an_unknown_prefab_is_reported_with_the_nearest_name(
    tmp_path: Path, rules: SchemaRules
) -> None:
    level = {**LEVEL, "sprites": {CYAN: {"$type": "HerroSerializer"}, RED: GATE}}
    (line,) = of_level(tmp_path, level, rules)
    assert line == (
        "level.lvl:5:16 SG521 there is no prefab 'HerroSerializer';"
        " did you mean 'HeroSerializer'?"
    )


def test_former_names_are_read_as_present_ones(
    tmp_path: Path, rules: SchemaRules
) -> None:
    level = {
        **LEVEL,
        "sprites": {CYAN: {"$type": "KnightSerializer", "health": 3}, RED: GATE},
    }
    layout, findings = layout_and_findings(
        write(tmp_path / "cavern", {"level.lvl": level}), rules
    )
    assert layout is not None and not findings
    placed = layout.layers[0].sprites[0].entry
    assert placed.type_name == "HeroSerializer"
    assert placed.data == {"$type": "HeroSerializer", "hp": 3}


def test_a_wrong_value_under_a_former_name_has_its_own_span(
    tmp_path: Path, rules: SchemaRules
) -> None:
    (line,) = of_level(tmp_path, entry(health=0), rules)
    assert line.startswith("level.lvl:6:17 SG522 `health`: ")


def test_a_former_name_beside_the_present_one_is_unknown(
    tmp_path: Path, rules: SchemaRules
) -> None:
    (line,) = of_level(tmp_path, entry(health=3, hp=3), rules)
    assert "has no parameter 'health'" in line


def test_comments_are_allowed_only_at_the_top_and_in_entries(
    tmp_path: Path, rules: SchemaRules
) -> None:
    level = {"$comment": "the first one", **entry(**{"$comment": "hp as it is"})}
    level["tiles"] = {GREY: {"$comment": "", **WALL}}
    folder = write(tmp_path / "a" / "cavern", {"level.lvl": level})
    layout, findings = layout_and_findings(folder, rules)
    assert layout is not None and not findings
    assert [*layout.description.sprites.values()][0].data == HERO
    level["layer_params"] = [{"$comment": "", "position": {"$comment": ""}}]
    level["sprites"][RED] = {**GATE, "$comments": ""}
    level["$note"] = ""
    found = of_level(tmp_path, level, rules)
    assert [line.split()[1] for line in found] == ["SG522", "SG507", "SG507", "SG507"]


@pytest.mark.parametrize("comment", [None, 3, ["one", "two"], {}])
def test_a_comment_must_be_a_string(
    tmp_path: Path, rules: SchemaRules, comment: object
) -> None:
    level = {"$comment": comment, **entry(**{"$comment": comment})}
    in_level, in_entry = of_level(tmp_path, level, rules)
    assert "SG507 `$comment`: expected a string, got" in in_level
    assert f"SG507 `sprites.{CYAN}.$comment`: expected a string, got" in in_entry


# -- ids and references


@pytest.mark.parametrize(
    "values",
    [{"goal": "g"}, {"gates": ["g", "g"]}, {"known": {"g": 1}}, {"goal": None}],
)
def test_a_reference_must_name_the_id_of_a_placed_object(
    tmp_path: Path, rules: SchemaRules, values: dict[str, object]
) -> None:
    level = entry(**values)
    level["sprites"][RED] = {**GATE, "$id": "g"}
    assert of_level(tmp_path, level, rules) == []


def test_an_undrawn_object_may_refer_to_an_undrawn_object(
    tmp_path: Path, rules: SchemaRules
) -> None:
    level = entry(goal="g")
    level["sprites"]["#00ff00"] = {**GATE, "$id": "g"}
    files = {"level.lvl": level, "sprites/layer1.png": png(8, 4, {})}
    assert lines(tmp_path, files, rules) == []
    level["sprites"][CYAN]["goal"] = "gg"  # that nothing is, drawn or not
    (line,) = lines(tmp_path, files, rules)
    assert "no entry has the `$id` 'gg'" in line


@pytest.mark.parametrize("damaged", [b"", FILES["sprites/layer1.png"][:-20]])
def test_an_unreadable_image_causes_no_findings_about_missing_objects(
    tmp_path: Path, rules: SchemaRules, damaged: bytes
) -> None:
    level = entry(goal="g")
    level["sprites"][RED] = {**GATE, "$id": "g"}
    files = {"level.lvl": level, "sprites/layer1.png": damaged}
    _, findings = layout_and_findings(write(tmp_path / "cavern", files), rules)
    assert [each.code for each in findings] == ["SG531"]


@pytest.mark.parametrize(
    ("values", "place", "words"),
    [
        ({"goal": "gg"}, "6:15", "no entry has the `$id` 'gg'; did you mean 'ggg'?"),
        ({"gates": ["ggg", "x"]}, "8:9", "no entry has the `$id` 'x'; available:"),
        ({"known": {"x": 1}}, "7:14", "no entry has the `$id` 'x'; available:"),
        (
            {"goal": "hero"},
            "6:15",
            "'hero' is a `HeroSerializer`, but this parameter accepts",
        ),
        (
            {"goal": "nowhere"},
            "6:15",
            "the colour of 'nowhere' is not drawn in any image",
        ),
    ],
)
def test_a_dangling_reference_is_reported(
    tmp_path: Path,
    rules: SchemaRules,
    values: dict[str, object],
    place: str,
    words: str,
) -> None:
    level = entry(**values)
    level["sprites"][CYAN]["$id"] = "hero"
    level["sprites"][RED] = {**GATE, "$id": "ggg"}
    level["sprites"]["#123456"] = {**GATE, "$id": "nowhere"}
    (line,) = of_level(tmp_path, level, rules)
    assert line.startswith(f"level.lvl:{place} SG524 ") and words in line


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ({"$id": "g"}, "SG507 `{}`: `$type` is missing"),
        ({"$type": None, "$id": "g"}, "SG507 `{}.$type`: expected a string"),
        ({"$type": ["Gate"], "$id": "g"}, "SG507 `{}.$type`: expected a string"),
        ({"$type": "GatSerializer", "$id": "g"}, "SG521 there is no prefab"),
        ({**GATE, "$id": 7}, "SG507 `{}.$id`: expected a string"),
        ({**GATE, "$id": ["g"]}, "SG507 `{}.$id`: expected a string"),
        ({**GATE, "$id": None}, "SG507 `{}.$id`: expected a string"),
        ({**GATE, "$id": ""}, "SG507 `{}.$id`: has 0 characters"),
        ("GateSerializer", "SG507 `{}`: expected an object, got a string"),
        ([], "SG507 `{}`: expected an object, got a list"),
    ],
)
@pytest.mark.parametrize("spelling", ["by colour", "in lists"])
def test_an_unreadable_entry_is_one_finding(
    tmp_path: Path, rules: SchemaRules, gate: Any, words: str, spelling: str
) -> None:
    level = entry(goal="g", gates=["g"], **{"$id": "hero"})
    del level["sprites"][RED]
    if spelling == "by colour":
        level["sprites"][RED] = gate
    else:
        level |= {"spr_colors": [RED], "spr_prefabs": [gate]}
    (line,) = of_level(tmp_path, level, rules)
    place = f"sprites.{RED}" if spelling == "by colour" else "spr_prefabs[0]"
    assert words.format(place) in line


@pytest.mark.parametrize(
    ("colour", "words"),
    [(CYAN.upper(), "SG510 the colour"), ("#00ff", "SG507 this is not a colour")],
)
def test_the_id_of_an_entry_with_a_wrong_colour_counts(
    tmp_path: Path, rules: SchemaRules, colour: str, words: str
) -> None:
    level = entry(goal="g")
    level["sprites"][colour] = {**GATE, "$id": "g"}
    (line,) = of_level(tmp_path, level, rules)
    assert words in line


def test_among_very_many_ids_no_nearest_one_is_suggested(tmp_path: Path) -> None:
    level = entry(gates=[f"x{n}" for n in range(400)])
    for n in range(400):
        level["sprites"][f"#01{n:04x}"] = {**GATE, "$id": f"g{n}"}
    found = of_level(tmp_path, level)
    assert len(found) == 400
    assert "'x0'; available:" in found[0] and found[-1].endswith("`$id` 'x399'")


def test_names_of_very_many_layers_are_compared_once(tmp_path: Path) -> None:
    names = [f"layer{n}" for n in range(1, 20_001)]
    level = {**LEVEL, "layer_names": [*names, "LAYER20000"]}
    folder = write(tmp_path / "cavern", {"level.lvl": level})
    started = process_time()
    _, findings = read_description(read_folder(folder))
    assert process_time() - started < 20  # pair by pair it would take an hour
    assert "'LAYER20000' and 'layer20000'" in findings[0].message


def test_an_entry_without_a_type_does_not_hide_wrong_references(
    tmp_path: Path, rules: SchemaRules
) -> None:
    level = entry(gates=["g", "h"])
    level["sprites"][RED] = {"$id": "g"}
    first, second = of_level(tmp_path, level, rules)
    assert "`$type` is missing" in second
    assert "no entry has the `$id` 'h'; available: 'g'" in first


def test_an_id_belongs_to_one_entry_that_is_placed_once(tmp_path: Path) -> None:
    level = entry(**{"$id": "a"})
    level["sprites"][RED] = {**GATE, "$id": "a"}
    level["tiles"] = {GREY: {**WALL, "$id": "wall"}, "#ffffff": WALL}
    split = png(4, 2, {**FLOOR, (1, 1): "#ffffff"})
    found = lines(tmp_path, {"level.lvl": level, "geometry/layer1.png": split})
    assert found == [
        "level.lvl:10:14 SG523 only one object can have the id 'a': line 6 has it too",
        "level.lvl:16:14 SG523 only one object can have the id 'wall': its entry is placed 2 times, first in"
        " `geometry/layer1.png` at 0,1 and in `geometry/layer1.png` at 2,1",
    ]


def test_an_id_cannot_equal_the_automatic_id_of_another_object(
    tmp_path: Path,
) -> None:
    (line,) = of_level(tmp_path, entry(**{"$id": "cavern/layer1/5,1"}))
    assert "SG523" in line and "an object without a `$id` has it already" in line


def test_too_many_of_a_prefab_are_reported_with_the_first_extra_one(
    tmp_path: Path, rules: SchemaRules
) -> None:
    sprites = png(8, 4, {(0, 1): CYAN, (5, 1): CYAN, (6, 2): CYAN})
    (line,) = lines(tmp_path, {"sprites/layer1.png": sprites}, rules)
    assert line == (
        "level.lvl:5:16 SG525 the level has 3 `HeroSerializer`, but at most 1 may be placed: the first extra one is in"
        " `sprites/layer1.png` at 5,1"
    )


# -- images


def test_missing_images_and_images_without_a_layer_are_reported(tmp_path: Path) -> None:
    level = {**LEVEL, "layer_names": ["layer1", "layer3"]}
    files = {"level.lvl": level, "sprites/layer2.png": png(4, 2, {})}
    assert lines(tmp_path, files) == [
        "geometry/layer3.png:1:1 SG501 `geometry/layer3.png` is missing",
        "sprites/layer2.png:1:1 SG512 `sprites/layer2.png` is ignored: there is no layer"
        " 'layer2'; did you mean 'layer3'?",
        "sprites/layer3.png:1:1 SG502 `sprites/layer3.png` is missing, but other layers have such an image",
        "visuals/layer3.png:1:1 SG502 `visuals/layer3.png` is missing, but other layers have such an image",
    ]


def test_a_layer_may_have_only_geometry(tmp_path: Path) -> None:
    files = {"sprites/layer1.png": None, "visuals/layer1.png": None}
    assert lines(tmp_path, files) == []


@pytest.mark.parametrize("size", [(9, 4), (8, 6), (4, 4), (3, 1), (2, 1)])
@pytest.mark.parametrize("kind", ["sprites", "visuals"])
def test_image_sizes_are_the_same_whole_multiple_on_both_axes(
    tmp_path: Path, kind: str, size: tuple[int, int]
) -> None:
    (line,) = lines(tmp_path, {f"{kind}/layer1.png": png(*size, {})})
    assert line.startswith(f"{kind}/layer1.png:1:1 SG533 ")
    assert "{} × {} pixels".format(*size) in line and line.endswith(
        "needs 4 × 2 or a multiple, such as 8 × 4"
    )


def test_too_many_objects_are_reported_and_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout_module, "MAX_OBJECTS", 11)
    full = {(x, y): CYAN for x in range(4) for y in range(2)}
    level = {**LEVEL, "sprites": {CYAN: WALL, RED: GATE}}
    files = {"level.lvl": level, "sprites/layer1.png": png(4, 2, full)}
    assert lines(tmp_path / "a", files) == []  # a floor of one tile, and eight
    files["sprites/layer2.png"] = png(4, 2, {(x, 0): RED for x in range(3)})
    files["geometry/layer2.png"] = png(4, 2, {})
    files["visuals/layer2.png"] = png(4, 2, {})
    assert lines(tmp_path / "b", files) == [
        "sprites/layer2.png:1:1 SG538 `sprites/layer2.png` contains 3 objects; all images of a"
        " level together may contain 11"
    ]
    dots = {(x, y): GREY for x in range(6) for y in range(6) if (x + y) % 2}
    files = {
        "geometry/layer1.png": png(6, 6, dots),
        "sprites/layer1.png": png(6, 6, {}),
    }
    files["visuals/layer1.png"] = png(6, 6, {})
    (line,) = lines(tmp_path / "c", files)
    assert "SG538 `geometry/layer1.png` contains 18 objects" in line


def test_each_truncated_image_is_reported(tmp_path: Path) -> None:
    names = [f"{kind}/layer1.png" for kind in ("geometry", "sprites", "visuals")]
    found = lines(tmp_path, {name: png(4, 2, {})[:-5] for name in names})
    assert [line.split()[1] for line in found] == ["SG531"] * 3


def test_images_are_checked_even_without_level_lvl(tmp_path: Path) -> None:
    files = {"level.lvl": None, "visuals/layer1.png": b"x"}
    assert [line.split()[1] for line in lines(tmp_path, files)] == ["SG501", "SG531"]


def test_an_unknown_colour_is_reported_with_pixel_count_and_nearest_colour(
    tmp_path: Path,
) -> None:
    drawn = {(3, 1): "#00fffe", (7, 2): "#00fffe", (5, 1): RED}
    folder = write(tmp_path / "a", {"sprites/layer1.png": png(8, 4, drawn)})
    (finding,) = layout_and_findings(folder)[1]
    assert finding.message == (
        "`sprites/layer1.png` contains the unknown colour #00fffe: 2 pixels, the first at 3,1"
    )
    assert (
        finding.help
        == "draw with #00ffff, the nearest known colour, or add an entry for #00fffe"
    )


def test_an_opaque_background_has_its_own_finding(tmp_path: Path) -> None:
    white = {(x, y): "#fefefe" for x in range(8) for y in range(4)}
    image = png(8, 4, {**white, (5, 1): RED}, "RGB")
    folder = write(tmp_path / "a", {"sprites/layer1.png": image})
    (finding,) = layout_and_findings(folder)[1]
    assert finding.code == "SG536"
    assert finding.message == (
        "`sprites/layer1.png` has no transparency, and its background #fefefe is an unknown colour:"
        " 31 pixels, the first at 0,0"
    )
    assert finding.help and finding.help.endswith(
        "(the nearest known colour is #00ffff)"
    )


def test_an_opaque_background_in_a_known_colour_is_not_reported(tmp_path: Path) -> None:
    floor = {(x, y): GREY for x in range(4) for y in range(2)}
    assert lines(tmp_path, {"geometry/layer1.png": png(4, 2, floor, "RGB")}) == []


def test_blurred_edges_share_one_finding(tmp_path: Path) -> None:
    drawn = {(5, 1): RED, (4, 1): "#ff000080", (6, 1): "#ff000040", (5, 0): "#fe0000ff"}
    folder = write(tmp_path / "a", {"sprites/layer1.png": png(8, 4, drawn)})
    unknown, blurred = layout_and_findings(folder)[1]
    assert unknown.code == "SG534" and "1 pixel, at 5,0" in unknown.message
    assert blurred.code == "SG537" and "2 pixels, the first at 4,1" in blurred.message
    assert "#ff000080" in blurred.message


def test_a_semi_transparent_colour_may_have_an_entry(tmp_path: Path) -> None:
    level = {**LEVEL, "sprites": {**LEVEL["sprites"], "#ff000080": GATE}}
    image = png(8, 4, {(4, 1): "#ff000080"})
    assert lines(tmp_path, {"level.lvl": level, "sprites/layer1.png": image}) == []


def test_of_many_unknown_colours_the_most_frequent_are_reported(tmp_path: Path) -> None:
    drawn = {(n % 8, n // 8): f"#0000{n:02x}" for n in range(30)}
    found = lines(tmp_path, {"sprites/layer1.png": png(8, 4, drawn)})
    assert len(found) == 13
    assert "contains 18 more unknown colours, in 18 pixels" in found[-1]


def test_a_colour_with_a_wrong_entry_is_not_unknown(tmp_path: Path) -> None:
    level = {**LEVEL, "sprites": {CYAN: {}, RED: GATE}}
    (line,) = of_level(tmp_path, level)
    assert "SG507" in line


# -- all at once


def test_all_findings_are_reported_together(tmp_path: Path, rules: SchemaRules) -> None:
    level = {
        "version": 1,
        "sprits": {},
        "layer_names": ["layer1", "../x"],
        "sprites": {
            CYAN: {**HERO, "hp": 0, "goal": "g"},
            RED: {"$type": "GatSerializer"},
        },
        "spr_colors": ["#00FFFF"],
        "spr_prefabs": [],
        "tiles": TILES,
    }
    files = {
        "level.lvl": level,
        "notes.txt": b"",
        "geometry/layer1.png": png(4, 2, {(0, 0): "#111111"}),
        "sprites/layer1.png": png(9, 4, {(0, 0): "#00ffff7f"}),
        "visuals/layer1.png": b"GIF89a",
    }
    codes = [line.split()[1] for line in lines(tmp_path, files, rules)]
    assert sorted(codes) == sorted(
        "SG503 SG507 SG509 SG511 SG521 SG522 SG524 SG531 SG533 SG534 SG537".split()
    )

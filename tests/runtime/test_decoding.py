"""Decoding of level entries from JSON, and the errors for invalid ones."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

import msgspec
import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from savegen.runtime import SaveError
from savegen.runtime.prefabs.decoding import decode
from savegen.runtime.prefabs.serializers import PrefabSerializer


class Point(Struct, forbid_unknown_fields=True):
    x: float
    y: float


class Gun(PrefabSerializer, tag="GunSerializer"):
    shots: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    kind: Literal["LIGHT", "HEAVY"] | None | UnsetType = UNSET
    aim: Point | None | UnsetType = UNSET
    path: list[tuple[Point, Literal["A", "B"]]] | UnsetType = UNSET
    names: dict[str, list[Point]] | UnsetType = UNSET
    costs: list[dict[Literal["IRON", "GOLD"], dict[int, int]]] | UnsetType = UNSET


class Tank(PrefabSerializer, tag="TankSerializer"):
    armour: int | UnsetType = UNSET


Entry = Union[Gun, Tank]


def test_valid_entries_are_decoded() -> None:
    found = decode('[{"$type": "GunSerializer", "shots": 3, "$id": "a"}]', list[Entry])
    assert found == [Gun(shots=3, placement_id="a")]
    assert decode(msgspec.json.encode(found), list[Entry]) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"$type": "GunSerializer", "shot": 3}',
            "GunSerializer has no parameter 'shot'; did you mean 'shots'?",
        ),
        (
            '{"$type": "TankSerializer", "shots": 3}',
            "TankSerializer has no parameter 'shots'; available: 'armour', '$id'",
        ),
        (
            '{"$type": "GunSerialiser"}',
            "there is no prefab 'GunSerialiser'; did you mean 'GunSerializer'?",
        ),
        ('{"$type": 3}', "at `$type`: expected `str`"),
        ("{}", "object missing required field `$type`"),
        (
            '{"$type": "GunSerializer", "kind": "HEVY"}',
            "at `kind`: unknown value 'HEVY'; did you mean 'HEAVY'?",
        ),
        (
            '{"$type": "GunSerializer", "aim": {"x": 1, "y": 2, "yy": 3}}',
            "at `aim`: this object has no parameter 'yy'; did you mean 'y'?",
        ),
        (
            '{"$type": "GunSerializer", "path": [[{"x": 1, "y": 2}, "A"], [{"x": 1, "z": 2}, "A"]]}',
            "at `path[1][0]`: this object has no parameter 'z'; available: 'x', 'y'",
        ),
        (
            '{"$type": "GunSerializer", "path": [[{"x": 1, "y": 2}, "C"]]}',
            "at `path[0][1]`: unknown value 'C'; available: 'A', 'B'",
        ),
        (
            '{"$type": "GunSerializer", "names": {"a": [], "b": [{"xx": 1}]}}',
            "at `names[...][0]`: this object has no parameter 'xx'; did you mean 'x'?",
        ),
        ('{"$type": "GunSerializer", "shots": 0}', "at `shots`: expected `int` >= 1"),
        (
            '{"$type": "GunSerializer", "shots": "3"}',
            "at `shots`: expected `int`, got `str`",
        ),
        (
            '{"$type": "GunSerializer", "costs": [{"IRON": {}}, {"GULD": {}}]}',
            "at a key of `costs[1]`: unknown value 'GULD'; did you mean 'GOLD'?",
        ),
        (
            '{"$type": "GunSerializer", "costs": [{"IRON": {"a": 1}}]}',
            "at a key of `costs[0][...]`: expected `int`, got `str`",
        ),
        (
            '{"$type": "GunSerializer", "$type": "TankSerializer"}',
            "`$type` appears twice",
        ),
        ('{"$type": ', "this is not valid JSON: Input data was truncated"),
        (
            '{"$type": "GunSerializer", "shots": 0',
            "this is not valid JSON: Input data was truncated",
        ),
        ("", "this is not valid JSON: Input data was truncated"),
    ],
)
def test_an_error_suggests_the_nearest_valid_name(text: str, said: str) -> None:
    with pytest.raises(SaveError) as error:
        decode(text, Entry)
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[{"$type": "TankSerializer"}, {"$type": "TankSerialiser"}]', "[1]"),
        ('[{"$type": "TankSerializer", "armor": 1}]', "[0]"),
    ],
)
def test_an_error_names_the_entry(text: str, place: str) -> None:
    with pytest.raises(SaveError, match=f"^at `\\{place}`: .* did you mean "):
        decode(text, list[Entry])


def test_an_error_in_a_value_of_an_object_names_the_entry() -> None:
    text = '{"#fff": {"$type": "TankSerializer"}, "#000": {"$type": "TankSerializr"}}'
    with pytest.raises(SaveError, match="no prefab 'TankSerializr'; did you mean"):
        decode(text, dict[str, Entry])


@pytest.mark.parametrize("data", [b"\xff", b'{"$type": "\xff"}', b"\x00", b"[" * 9999])
def test_invalid_json_raises_a_save_error(data: bytes) -> None:
    with pytest.raises(SaveError):
        decode(data, Entry)


def test_a_long_list_of_names_is_shortened() -> None:
    tags = [f"Prefab{number}" for number in range(100)]
    structs: list[Any] = [
        msgspec.defstruct(tag, [], bases=(PrefabSerializer,), tag=tag) for tag in tags
    ]
    with pytest.raises(SaveError) as error:
        decode('{"$type": "something else"}', Union[tuple(structs)])
    assert len(str(error.value)) < 300

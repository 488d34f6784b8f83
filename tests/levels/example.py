"""A small game whose levels the tests draw, and the folders that they draw."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from PIL import Image

from savegen.levels.layout import layout_of
from savegen.levels.plan import LevelLayout
from savegen.levels.reader import Folder, read_folder
from savegen.levels.rules import GameRules, SchemaRules
from savegen.findings import Finding, Report
from savegen.runtime import NO_REFERENCES, References
from savegen.runtime.values.basics.limits import within
from savegen.runtime.prefabs.level_schema import PrefabEntry, schema_of
from savegen.runtime.prefabs.prefabs import FORMAT, Prefab, PrefabInfo
from savegen.runtime.values.rows import Row
from savegen.runtime.prefabs.serializers import PrefabSerializer

GateReference = Annotated[
    str, Meta(extra_json_schema={"x-references": ["GateSerializer"]})
]
Pixels = Mapping[tuple[int, int], str]


class PrefabType(IntEnum):
    WALL = 1
    HERO = 2
    GATE = 3


class Spot(Struct, forbid_unknown_fields=True, kw_only=True):
    x: float
    y: Annotated[float, Meta(ge=0)] | UnsetType = UNSET


class WallSerializer(PrefabSerializer, tag="WallSerializer"):
    def get_prefab_type(self) -> PrefabType:
        return PrefabType.WALL

    def get_component_snapshots(
        self, references: References = NO_REFERENCES
    ) -> dict[int, Row]:
        return {}


class HeroSerializer(PrefabSerializer, tag="HeroSerializer"):
    former_tags = ("PlayerSerializer", "KnightSerializer")
    former_names = {"health": "hp", "lives": "hp"}

    hp: Annotated[int, Meta(ge=1, le=99)] | UnsetType = UNSET
    mood: Literal["CALM", "ANGRY"] | None | UnsetType = UNSET
    goal: GateReference | None | UnsetType = UNSET
    gates: list[GateReference] | UnsetType = UNSET
    known: dict[GateReference, int] | UnsetType = UNSET
    spots: dict[str, list[Spot]] | UnsetType = UNSET
    either: int | str | UnsetType = UNSET
    pair: tuple[int, Spot | None] | UnsetType = UNSET
    counts: dict[int, bool] | UnsetType = UNSET
    price: Annotated[Decimal, Meta(extra_json_schema={"minimum": 0.5})] | UnsetType = (
        UNSET
    )
    code: Annotated[str, Meta(pattern="^[a-z]{2}$")] | UnsetType = UNSET

    def get_prefab_type(self) -> PrefabType:
        return PrefabType.HERO

    def get_component_snapshots(
        self, references: References = NO_REFERENCES
    ) -> dict[int, Row]:
        if self.price is not UNSET:
            within("price", self.price, ge=0.5)
        return {}


class GateSerializer(PrefabSerializer, tag="GateSerializer"):
    def get_prefab_type(self) -> PrefabType:
        return PrefabType.GATE

    def get_component_snapshots(
        self, references: References = NO_REFERENCES
    ) -> dict[int, Row]:
        return {}


TYPES: tuple[type[PrefabSerializer], ...] = (
    WallSerializer,
    HeroSerializer,
    GateSerializer,
)
INFO = PrefabInfo(
    FORMAT,
    (
        Prefab(PrefabType.WALL, "Wall", "game", lambda: object, {}),
        Prefab(PrefabType.HERO, "Hero", "game", lambda: object, {}, max_count=1),
        Prefab(PrefabType.GATE, "Gate", "game", lambda: object, {}),
    ),
    lambda: WallSerializer | HeroSerializer | GateSerializer,
)
SCHEMA = schema_of(
    [PrefabEntry(prefab, type, type.__name__) for prefab, type in zip(INFO, TYPES)]
)
BY_SCHEMA: SchemaRules = SchemaRules(json.loads(json.dumps(SCHEMA)))
BY_GAME: SchemaRules = GameRules(INFO)
BOTH = (BY_SCHEMA, BY_GAME)

GREY, CYAN, RED = "#404040", "#00ffff", "#ff0000"
HERO, GATE = {"$type": "HeroSerializer"}, {"$type": "GateSerializer"}
LEVEL: dict[str, Any] = {
    "version": 1,
    "sprites": {CYAN: HERO, RED: GATE},
    "tiles": {GREY: {"$type": "WallSerializer"}},
}


def png(width: int, height: int, pixels: Pixels, mode: str = "RGBA") -> bytes:
    """Return a PNG file in which some pixels are drawn."""
    image = Image.new(mode, (width, height))
    for place, colour in pixels.items():
        channels = bytes.fromhex(colour[1:].ljust(8, "f"))
        image.putpixel(place, tuple(channels[: len(mode)]))
    file = io.BytesIO()
    image.save(file, "png")
    return file.getvalue()


FLOOR = {(x, 1): GREY for x in range(4)}
FILES = {
    "geometry/layer1.png": png(4, 2, FLOOR),
    "sprites/layer1.png": png(8, 4, {(0, 1): CYAN, (5, 1): RED}),
    "visuals/layer1.png": png(16, 8, {}),
}


def write(folder: Path, files: Mapping[str, object] = {}) -> Path:
    """Write the level, with some files changed, or (None) left out; return the folder.

    `level.lvl` may be given as data.
    """
    for name, data in {"level.lvl": LEVEL, **FILES, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if data is not None:
            path.write_bytes(_bytes(data))
    return folder


def _bytes(data: object) -> bytes:
    if isinstance(data, bytes):
        return data
    return (data if isinstance(data, str) else json.dumps(data, indent=2)).encode()


def layout_and_findings(
    folder: Path | Folder, rules: SchemaRules = BY_SCHEMA
) -> tuple[LevelLayout | None, list[Finding]]:
    """Return the layout of a folder, and its findings in order."""
    read = folder if isinstance(folder, Folder) else read_folder(folder)
    layout, findings = layout_of(read, rules)
    return layout, [*Report(findings)]


def as_lines(findings: Iterable[Finding], folder: Path) -> list[str]:
    """Return findings as lines with file, place, code and message."""
    return [
        f"{f.span.path.removeprefix(f'{folder}/')}:{f.span.line}:{f.span.column}"
        f" {f.code} {f.message}"
        for f in findings
    ]

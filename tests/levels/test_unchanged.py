"""A level whose files are unchanged is not decoded and laid out again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from savegen.levels import layout, load_level, loading, unchanged
from savegen.runtime import LevelError, SaveLoadManager
from tests.levels.cave import GUARD, LAMP, placed


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the levels that were laid out."""
    names: list[str] = []
    layout_of = layout.layout_of

    def counted(folder: Any, rules: Any) -> Any:
        names.append(folder.name)
        return layout_of(folder, rules)

    monkeypatch.setattr(loading, "layout_of", counted)
    return names


def loaded(folder: Path, game: Any, **options: Any) -> dict[str, tuple[float, ...]]:
    manager = SaveLoadManager(game.REGISTRY, game.PREFAB_INFO)
    load_level(folder, manager, **options)
    return placed(manager)


def test_an_unchanged_level_is_laid_out_once(
    game: Any, draw: Any, laid_out: list[str]
) -> None:
    folder = draw("#... ....", ".... .L..", {"L": LAMP})
    first = loaded(folder, game)
    assert loaded(folder, game) == first
    assert loaded(folder, game, y_up=True) != first
    assert len(loaded(folder, game, region=(0, 0, 1, 1))) == 1
    assert laid_out == ["cavern"]


def test_its_objects_are_placed_anew(
    game: Any, manager: SaveLoadManager, draw: Any, laid_out: list[str]
) -> None:
    folder = draw("#... ....", ".... .L..", {"L": LAMP})
    level = load_level(folder, manager)
    image, objects = level.rectangles[0], {*map(id, level.objects)}
    first = [*level.objects]
    image[:] = 0  # arrays belong to their `Level`
    level.unload()
    manager.clear()
    again = load_level(folder, manager)
    assert objects.isdisjoint(map(id, again.objects)) and len(first) == 2
    assert again.rectangles[0].tolist() != image.tolist()
    assert laid_out == ["cavern"]


@pytest.mark.parametrize("file", ["level.lvl", "geometry/layer1.png"])
def test_a_changed_file_is_read_even_if_its_time_and_size_stay(
    game: Any, draw: Any, laid_out: list[str], file: str
) -> None:
    entries = {"L": {**LAMP, "watts": 3.0}}
    folder = draw("#... ....", ".... .L..", entries)
    first = loaded(folder, game)
    other = draw("#..# ....", ".... .L..", entries) if file != "level.lvl" else folder
    path = other / file
    if file == "level.lvl":
        path.write_text(path.read_text("utf-8").replace('"x": 0', '"x": 7'), "utf-8")
    os.utime(path, ns=(0, 0))
    assert loaded(other, game) != first
    assert laid_out == ["cavern"] * 2


def test_a_new_or_a_missing_file_is_noticed(
    game: Any, draw: Any, laid_out: list[str]
) -> None:
    folder = draw("#... ....", ".... .L..", {"L": LAMP})
    first = loaded(folder, game)
    (folder / "sprites" / "layer1.png").rename(folder / "sprites.png")
    assert len(loaded(folder, game)) == len(first) - 1
    (folder / "level.lvl").unlink()
    with pytest.raises(LevelError, match="is missing"):
        loaded(folder, game)


def test_a_level_with_errors_is_checked_each_time(
    game: Any, draw: Any, laid_out: list[str]
) -> None:
    folder = draw("....", "..G.", {"G": {**GUARD, "nmae": "Grub"}})
    for _ in range(2):
        with pytest.raises(LevelError, match="did you mean 'name'"):
            loaded(folder, game)
    assert laid_out == ["cavern"] * 2


def test_only_the_last_levels_are_kept(
    game: Any, draw: Any, laid_out: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (
        (drawn := draw("#...", "..L.", {"L": LAMP})).rename(drawn.with_name(name))
        for name in ("a", "b")
    )
    monkeypatch.setattr(unchanged, "_MAX_LEVELS", 1)
    for folder in (one, one, two, two, one):
        loaded(folder, game)
    assert laid_out == ["a", "b", "a"]
    monkeypatch.setattr(unchanged, "_MAX_LEVELS", 2)
    monkeypatch.setattr(unchanged, "_MAX_PIXELS", 4)
    for folder in (two, two, one):  # one level may have more
        loaded(folder, game)
    assert laid_out == ["a", "b", "a", "b", "a"]


def test_the_layouts_of_two_games_are_kept_apart(
    game: Any, draw: Any, laid_out: list[str]
) -> None:
    from savegen.runtime.prefabs.prefabs import FORMAT, PrefabInfo

    folder = draw("#...", "..L.", {"L": LAMP})
    loaded(folder, game)
    info = game.PREFAB_INFO
    other = PrefabInfo(FORMAT, tuple(info), info._serializers)
    load_level(folder, SaveLoadManager(game.REGISTRY, other))
    assert laid_out == ["cavern"] * 2

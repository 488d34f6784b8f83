"""Values of other libraries in whole worlds: shared generators, assets, arrays, codecs."""

from __future__ import annotations

import pytest

from tests.project import Project

GAME = """
    import random
    from dataclasses import dataclass, field
    from typing import Annotated

    import numpy as np
    import pygame
    from savegen import Asset, Saved, saveable
    from _savegen.components.game import (
        CampSaveLoad, DeckSaveLoad, DiceSaveLoad, HeroSaveLoad, MapSaveLoad, OddSaveLoad
    )

    class Picture:
        pass

    @dataclass
    class Stats:
        hp: int
        at: pygame.Vector2
        dice: random.Random

    @saveable
    class Dice(DiceSaveLoad):
        rng: Saved[random.Random]
        also: Saved[list[random.Random]]

        def __init__(self, rng: random.Random) -> None:
            self.rng, self.also = rng, [rng]

    @saveable
    class Deck(DeckSaveLoad):
        rng: Saved[random.Random]
        bits: Saved[np.random.Generator]

    @saveable
    class Hero(HeroSaveLoad):
        icon: Saved[Annotated[Picture | None, Asset()]] = None
        icons: Saved[list[Annotated[Picture, Asset()]]]

        def __init__(self) -> None:
            self.icons = []

    @saveable
    class Map(MapSaveLoad):
        tiles: Saved[np.ndarray]
        at: Saved[pygame.Vector2]
        stats: Saved[Stats]
        dice: Saved[random.Random]

    @saveable(override=True)
    class Camp(CampSaveLoad):
        stats: Saved[Stats]
        tiles: Saved[np.ndarray]
        kind: Saved[type[Map] | None] = Map
        hero: Saved[Hero | None] = None

        def save_data(self, references):
            return self.save_data_(references)

        def load_data(self, data, references):
            self.load_data_(data, references)

    class Odd_:
        pass

    @saveable
    class Odd(OddSaveLoad):
        it: Saved[Odd_]
"""

CODECS = """
    class Broken:
        def copy(self, value):
            return value

        def encode(self, value):
            raise ValueError("cannot")

        decode = copy

    broken = Broken()
    half = object()
"""

PYPROJECT = """
    [tool.savegen]
    source = "game.py"
    output = "_savegen"

    [tool.savegen.codecs]
    "game.Odd_" = "my_codecs:{codec}"
"""

HEAD = """
import random
import numpy as np
import pygame
from _savegen.registry import REGISTRY
from game import *
from savegen.runtime import AssetRegistry, SaveError, SaveLoadManager

manager = SaveLoadManager(REGISTRY)
"""


def written(folder, codec: str) -> Project:
    files = {
        "game.py": GAME,
        "my_codecs.py": CODECS,
        "pyproject.toml": PYPROJECT.format(codec=codec),
    }
    return Project(folder, files).generated()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return written(tmp_path_factory.mktemp("library"), "broken")


def play(project: Project, script: str) -> str:
    lines = [line[4:] for line in script.splitlines()]
    return project.script(HEAD + "\n".join(lines))


def test_a_generator_that_is_shared_stays_shared_and_the_same(project: Project) -> None:
    play(
        project,
        """
    rng = random.Random(7)
    one, two = manager.add(Dice(rng)), manager.add(Dice(rng))
    deck = manager.add(Deck())
    deck.rng, deck.bits = rng, np.random.default_rng(7)
    before = manager.create_snapshot()
    drawn = [rng.random() for _ in range(3)], deck.bits.random(3).tolist()
    one.rng = random.Random(8)
    two.also.clear()
    manager.destroy(two)
    manager.apply_snapshot(before)
    again = [rng.random() for _ in range(3)], deck.bits.random(3).tolist()
    assert drawn == again
    first, second = manager.find(Dice)
    assert first.rng is second.rng is first.also[0] is second.also[0] is deck.rng is rng
    """,
    )


def test_generators_tell_what_has_changed(project: Project) -> None:
    play(
        project,
        """
    dice = manager.add(Dice(random.Random(7)))
    before = manager.create_snapshot()
    assert not list(manager.create_snapshot().changes(since=before))
    assert manager.create_snapshot().digest() == before.digest()
    dice.rng.random()
    after = manager.create_snapshot()
    (change,) = after.changes(since=before)
    assert change.fields == ("rng", "also")
    assert before.digest() != after.digest()
    """,
    )


def test_only_objects_whose_generators_were_used_count_as_changed(
    project: Project,
) -> None:
    play(
        project,
        """
    used, unused = (manager.add(Dice(random.Random(seed))) for seed in (7, 8))
    before = manager.create_snapshot()
    assert manager.apply_snapshot(before).changed == 0
    used.rng.random()
    assert manager.apply_snapshot(before).changed == 1
    """,
    )


def test_copies_have_generators_of_their_own_that_they_share_as_before(
    project: Project,
) -> None:
    play(
        project,
        """
    rng = random.Random(7)
    manager.add(Dice(rng)), manager.add(Dice(rng))
    deck = manager.add(Deck())
    deck.rng, deck.bits = rng, np.random.default_rng(7)
    keys = manager.merge(manager.create_snapshot())
    one, two, other = map(manager.get_object, keys.values())
    assert one.rng is two.rng is one.also[0] is other.rng is not rng
    assert other.bits is not deck.bits
    assert one.rng.random() == rng.random()
    assert other.bits.random() == deck.bits.random()
    """,
    )


def test_an_object_with_a_generator_is_not_taken_from_a_pool(project: Project) -> None:
    play(
        project,
        """
    shared = random.Random(7)
    manager = SaveLoadManager(REGISTRY, {"dice": lambda: Dice(shared)})
    pool = manager.pool("dice")
    dice = manager.spawn("dice")
    manager.destroy(dice)
    assert len(pool) == 0
    """,
    )


def test_what_many_share_is_kept_once(project: Project) -> None:
    play(
        project,
        """
    rng, bits = random.Random(7), np.random.default_rng(7)
    decks = [manager.add(Deck()) for _ in range(100)]
    for deck in decks:
        deck.rng, deck.bits = rng, bits
    one = manager.create_snapshot()
    assert len(one.generators) == 2
    rng.random()
    manager.apply_snapshot(one)
    assert rng.getstate() == random.Random(7).getstate()
    """,
    )


def test_a_load_that_fails_leaves_every_generator_where_it_stood(
    project: Project,
) -> None:
    play(
        project,
        """
    rng = random.Random(7)
    dice = manager.add(Dice(rng))
    before = manager.create_snapshot()
    manager.destroy(dice)
    rng.random()
    state = rng.getstate()

    def fail():
        raise ValueError("no")

    manager.after_load.append(fail)
    try:
        manager.apply_snapshot(before)
    except SaveError:
        assert rng.getstate() == state
    else:
        raise AssertionError("it was loaded")
    """,
    )


def test_padding_is_no_difference_and_python_objects_are_refused(
    project: Project,
) -> None:
    play(
        project,
        """
    thing = manager.add(Map())
    aligned = np.dtype([("k", "u1"), ("x", "f8"), ("in", [("s", "u1"), ("y", "i4", 2)])], align=True)
    odd = np.dtype({"names": ["a", "b"], "formats": ["i4", "u1"], "offsets": [0, 2]})
    for tiles in (np.zeros(4, aligned), np.zeros(2, odd), np.zeros((0, 3)), np.array(3.5)):
        thing.tiles = tiles
        thing.at, thing.dice = pygame.Vector2(), random.Random(1)
        thing.stats = Stats(1, pygame.Vector2(), thing.dice)
        before = manager.create_snapshot()
        assert not list(manager.create_snapshot().changes(since=before)), tiles.dtype
        assert manager.create_snapshot().digest() == before.digest()
    thing.tiles = np.zeros(4, aligned)
    before = manager.create_snapshot()
    thing.tiles[1]["in"]["y"][1] = 3
    (change,) = manager.create_snapshot().changes(since=before)
    assert change.fields == ("tiles",)
    thing.tiles = np.array([[1]], dtype=object)
    try:
        manager.create_snapshot(strict=True)
    except SaveError as error:
        assert "`Map.tiles`" in str(error) and "Python objects" in str(error), error
    else:
        raise AssertionError("it was taken")
    """,
    )


def test_states_and_recordings_hold_what_a_codec_knows_from_the_start(
    project: Project,
) -> None:
    play(
        project,
        """
    import _savegen.components.game
    place = pygame.Vector2(1, 2)
    manager.add_state("place", lambda: place, lambda value: place.update(value))
    before = manager.create_snapshot()
    place.x = 9.0
    manager.apply_snapshot(before)
    assert place == (1, 2)
    """,
    )


def test_assets_are_the_same_after_a_load_and_have_their_ids_in_digests(
    project: Project,
) -> None:
    play(
        project,
        """
    def digest(icon, *icons):
        assets = AssetRegistry()
        sword, shield = assets["sword"], assets["shield"] = Picture(), Picture()
        manager = SaveLoadManager(REGISTRY, assets=assets)
        hero = manager.add(Hero())
        hero.icon, hero.icons = assets[icon], [assets[each] for each in icons]
        before = manager.create_snapshot()
        hero.icon, hero.icons = None, []
        manager.apply_snapshot(before)
        assert hero.icon is assets[icon] and hero.icons == [assets[each] for each in icons]
        return before.digest()

    assert digest("sword", "shield") == digest("sword", "shield")
    assert digest("sword", "shield") != digest("sword", "sword")
    assert digest("sword", "shield") != digest("shield", "shield")
    """,
    )


def test_an_asset_without_an_id_comes_back_from_memory_and_is_lost_in_a_file(
    project: Project,
) -> None:
    play(
        project,
        """
    hero = manager.add(Hero())
    hero.icon = picture = Picture()
    before = manager.create_snapshot()
    hero.icon = Picture()
    report = manager.apply_snapshot(before)
    assert hero.icon is picture and not report.lost
    (lost,) = before.lost
    assert lost.where == "Hero.icon"
    try:
        manager.create_snapshot(strict=True)
    except SaveError as error:
        assert "`Hero.icon` cannot be saved: a Picture" in str(error)
    else:
        raise AssertionError("it was captured")
    """,
    )


def test_what_is_no_asset_of_the_type_is_told(project: Project) -> None:
    play(
        project,
        """
    hero = manager.add(Hero())
    hero.icons = [3]
    try:
        manager.create_snapshot(strict=True)
    except SaveError as error:
        assert "`Hero.icons` holds a list" in str(error), error
    else:
        raise AssertionError("it was saved")
    """,
    )


@pytest.mark.parametrize("cls", ["Map", "Camp"])
def test_a_class_that_saves_itself_or_lacks_attributes_keeps_such_values(
    project: Project, cls: str
) -> None:
    play(
        project,
        f"""
    cls = {cls}
    """
        """
    rng = random.Random(7)
    thing = manager.add(cls())
    thing.stats = Stats(3, pygame.Vector2(1, 2), rng)
    thing.tiles = np.zeros(3)
    before = manager.create_snapshot()
    text, drawn = before.digest(), rng.random()
    assert not list(manager.create_snapshot().changes(since=before)) or drawn

    thing.stats.hp, thing.stats.at.x, thing.tiles[0] = 4, 9.0, 9.0
    after = manager.create_snapshot()
    (change,) = after.changes(since=before)
    assert change.fields == ("tiles", "stats") or change.fields == ("stats", "tiles")
    assert after.digest() != text
    manager.apply_snapshot(before)
    assert thing.stats.hp == 3 and thing.stats.at == (1, 2) and not thing.tiles.any()
    assert thing.stats.dice is rng and rng.random() == drawn
    manager.apply_snapshot(before)
    assert manager.create_snapshot().digest() == text
    assert not hasattr(thing, "at")

    (key,) = manager.merge(before).values()
    copied = manager.get_object(key)
    assert copied.stats is not thing.stats and copied.stats.at == (1, 2)
    assert copied.stats.dice is not rng and copied.stats.dice.random() == drawn
    """,
    )


def test_a_codec_without_memory_or_calls_refuses_the_save(project: Project) -> None:
    play(
        project,
        """
    import my_codecs
    manager.add(Odd()).it = Odd_()
    for error in (MemoryError("none left"), RecursionError()):
        def encode(self, value):
            raise error
        my_codecs.Broken.encode = encode
        for tries in range(2):
            try:
                manager.create_snapshot()
            except SaveError as told:
                assert f"'my_codecs:broken' raised {type(error).__name__}" in str(told)
            else:
                raise AssertionError("it was written")
    """,
    )


def test_a_codec_that_raises_is_named(project: Project) -> None:
    play(
        project,
        """
    odd = manager.add(Odd())
    odd.it = Odd_()
    try:
        manager.create_snapshot(strict=True)
    except SaveError as error:
        assert "the codec 'my_codecs:broken' raised ValueError: cannot" in str(error)
    else:
        raise AssertionError("it was written")
    """,
    )


@pytest.mark.parametrize(
    "codec, words",
    [
        ("missing", "the codec 'my_codecs:missing' for `Odd_` cannot be found"),
        ("half", "the codec 'my_codecs:half' for `Odd_` has no `encode`"),
    ],
)
def test_a_codec_that_is_none_is_told_at_the_first_save(
    tmp_path, codec: str, words: str
) -> None:
    play(
        written(tmp_path, codec),
        f"""
    words = {words!r}
    """
        """
    odd = Odd()
    odd.it = Odd_()
    for save in (odd.save_data, lambda: (manager.add(odd), manager.create_snapshot(strict=True))):
        try:
            save()
        except SaveError as error:
            assert words in str(error), error
        else:
            raise AssertionError("it was saved")
    """,
    )

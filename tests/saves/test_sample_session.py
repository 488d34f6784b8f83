"""Playing the sample game: time runs back, saves come back, and what goes wrong is said in one line."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sample_game.game import AUTO, AUTOSAVE, OLD_SAVE, REWINDABLE, Game
from sample_game.items import Coin
from sample_game.keys import NONE, Keys
from sample_game.landmarks import Exit
from sample_game.level import FOLDER
from sample_game.old_saves import report_lines
from sample_game.physics import Matter
from sample_game.player import Player
from sample_game.progress import Progress
from sample_game.settings import Action
from savegen.runtime import LevelError, SaveError
from tests.golden import HERE as GOLDEN

RUN = Keys.RIGHT


@pytest.fixture
def game(tmp_path: Path) -> Game:
    return Game(tmp_path, "cellar")


def play(game: Game, keys: Keys, frames: int) -> None:
    for _ in range(frames):
        game.step(keys)


def coin_of(game: Game) -> Coin:
    return next(coin for coin in game.manager.find(Coin) if not coin.taken)


def take_a_coin(game: Game) -> str:
    """Move the player to a coin, and return the name of its place."""
    coin = coin_of(game)
    game.player.position = coin.position
    game.step(NONE)
    assert coin.taken
    placement = game.manager.record_of(game.manager.object_of(coin)).placement
    assert placement
    return placement


def killed(game: Game) -> None:
    """Do what the system does when a process ends."""
    game.slots.wait()
    game._running.close()


def rewound(game: Game) -> str:
    """Return the digest of what a rewind takes back: all but the progress."""
    return game.manager.create_snapshot(
        filter=lambda record: type(record.object) is not Progress
    ).digest()


# Time


def test_time_runs_back_twice_as_fast_to_the_very_beginning(game: Game) -> None:
    play(game, NONE, 30)
    there, digest = game.player.position, rewound(game)
    play(game, RUN, 60)
    play(game, Keys.REWIND, 30)
    assert rewound(game) == digest and game.player.position == there
    play(game, Keys.REWIND, 30)
    assert game.steps == 0 and game.rewindable() == 0.0


def test_half_a_minute_can_be_taken_back(game: Game) -> None:
    play(game, NONE, REWINDABLE + 50)
    assert game.rewindable() == 30.0
    play(game, Keys.REWIND, REWINDABLE)
    assert game.steps == 50


def test_what_is_played_after_a_rewind_is_what_would_have_been_played_without(
    game: Game,
) -> None:
    play(game, RUN, 60)
    digest = game.digest()
    play(game, Keys.REWIND, 20)
    play(game, RUN, 40)
    assert game.digest() == digest


def test_a_coin_comes_back_but_it_stays_found(game: Game) -> None:
    placement = take_a_coin(game)
    assert game.player.coins > 0 and placement in game.progress.found
    play(game, Keys.REWIND, 1)
    assert game.player.coins == 0 and not coin_of(game).taken
    assert placement in game.progress.found


def test_a_shot_comes_back_into_the_air(game: Game) -> None:
    play(game, NONE, 60)
    play(game, Keys.FIRE, 2)
    (shot,) = game.world.missiles
    place = shot.position
    play(game, NONE, 2)
    play(game, Keys.REWIND, 1)
    assert [each.position for each in game.world.missiles] == [place]


# Quicksave, slots, autosave


def test_a_quicksave_is_loaded_from_memory_and_by_the_next_game_from_its_file(
    game: Game, tmp_path: Path
) -> None:
    play(game, RUN, 40)
    digest = game.digest()
    play(game, Keys.QUICKSAVE, 2)
    assert game.notice == "saved"
    play(game, RUN, 40)
    game.quickload()
    assert game.notice == "loaded"
    play(game, Keys.REWIND, 1)  # the load can be taken back, too
    game.slots.wait()
    again = Game(tmp_path, "hall")
    again.quickload()
    assert (again.level_name, again.digest()) == ("cellar", digest)


def test_a_key_that_is_held_saves_once(game: Game) -> None:
    play(game, Keys.QUICKSAVE, 20)
    game.slots.wait()
    assert game.slots.list()[0].generations == (1,)


def test_a_quickload_leads_back_to_the_level_of_the_quicksave(game: Game) -> None:
    play(game, RUN, 40)
    digest = game.digest()
    game.quicksave()
    game.start("hall")
    play(game, RUN, 10)
    game.quickload()
    assert (game.level_name, game.digest()) == ("cellar", digest)


def test_nothing_saved_is_told_and_nothing_changes(game: Game) -> None:
    before = game.digest()
    game.quickload()
    assert game.notice == "nothing was saved yet" and game.digest() == before


def test_a_slot_has_a_title_a_picture_a_level_and_a_time(game: Game) -> None:
    play(game, RUN, 90)
    info = game.save("one", b"\x89PNG\r\n\x1a\n, or so")
    assert info is not None and info.level == "cellar" and info.playtime == 1.5
    assert info.title == f"Pip: {game.player.coins} coins, 5 hearts"
    assert game.notice == f"saved: {info.title}"
    assert game.slots.thumbnail("one").startswith(b"\x89PNG")


def test_the_next_game_goes_on_where_the_autosave_stopped(
    game: Game, tmp_path: Path
) -> None:
    play(game, RUN, AUTOSAVE)
    there = game.digest()
    play(game, RUN, AUTOSAVE // 2)
    killed(game)
    again = Game(tmp_path)
    assert (again.steps, again.digest(), again.notice) == (AUTOSAVE, there, "")
    assert len([*again.manager.find(Player)]) == 1


def test_a_game_that_is_closed_goes_on_at_its_last_step(
    game: Game, tmp_path: Path
) -> None:
    play(game, RUN, AUTOSAVE + 7)
    game.close()
    assert Game(tmp_path).digest() == game.digest()


def test_all_slots_share_the_settings(game: Game, tmp_path: Path) -> None:
    game.save("one")
    game.settings.volume = 30
    game.settings.bind(Action.JUMP, "j")
    game.save_settings()
    game.load("one")
    game.slots.wait()
    again = Game(tmp_path)
    assert again.settings.volume == game.settings.volume == 30
    assert again.settings.keys[Action.JUMP] == ["space", "j"]
    assert [info.slot for info in again.slots.list()] == ["one"]


def test_an_old_save_is_in_the_list_once_and_says_what_became_of_it(
    game: Game, tmp_path: Path
) -> None:
    assert OLD_SAVE.read_bytes() == (GOLDEN / "0.3" / "world.sav").read_bytes()
    for _ in range(2):
        game.offer_old_save()
    (info,) = game.slots.list()
    assert (info.slot, info.metadata.game_version) == ("version-0.3", "0.3")
    lines = report_lines(game.load(info.slot))
    assert game.level_name == "hall" and len([*game.manager.find(Player)]) == 1
    for line in (
        "Renamed: ShootOnMissile is called Sentry",
        "Converted: Enemies on patrol are on guard.",
        "Converted: The volume, which was a fraction from 0 to 1, is in percent.",
        "New in Settings: sounds, subtitles",
    ):
        assert line in lines
    assert game.player.stats.kills == {"Goblin": 1}
    game.step(NONE)
    assert not game.world.ground.touched(game.player.area, Matter.ROCK)


# What goes wrong


def test_a_level_with_faults_is_refused_and_the_game_goes_on(
    game: Game, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "level.lvl").write_text("{")
    play(game, RUN, 30)
    before = game.digest()
    with pytest.raises(LevelError) as caught:
        game.start(broken)
    assert [fault.code[:3] for fault in caught.value.findings] == ["SG5"]
    assert game.digest() == before and game.level_name == "cellar"
    play(game, RUN, 30)
    assert game.steps == 60


def test_a_level_without_layers_is_refused(game: Game, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    content = {"version": 1, "layer_names": [], "layer_params": []}
    (empty / "level.lvl").write_text(json.dumps(content))
    with pytest.raises(SaveError, match="the level empty places no Hero"):
        game.start(empty)
    game.step(RUN)


def test_a_level_without_a_hero_is_refused(game: Game, tmp_path: Path) -> None:
    empty = shutil.copytree(FOLDER / "hall", tmp_path / "empty")
    text = (empty / "level.lvl").read_text()
    content = json.loads(text)
    sprites = content["sprites"]
    content["sprites"] = {colour: {"$type": "HeartSerializer"} for colour in sprites}
    (empty / "level.lvl").write_text(json.dumps(content))
    before = game.digest()
    with pytest.raises(SaveError, match="the level empty places no Hero"):
        game.start(empty)
    assert game.digest() == before and game.level_name == "cellar"
    game.step(RUN)


def test_a_full_disk_is_told_and_the_game_goes_on(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert game.save("one") is None
    assert game.notice.startswith("not saved: ") and "No space left" in game.notice
    play(game, RUN, AUTOSAVE)
    game.slots.wait()
    game.notice = ""
    play(game, RUN, 1)
    assert "No space left" in game.notice and "\n" not in game.notice
    monkeypatch.undo()
    play(game, RUN, AUTOSAVE)
    game.slots.wait()
    assert [info.fault for info in game.slots.list()] == [""]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    game = Game(tmp_path / "file", "cellar")
    play(game, RUN, AUTOSAVE)
    game.slots.wait()
    play(game, RUN, 1)
    assert "not saved: " in game.notice
    game.quickload()
    assert game.steps == AUTOSAVE + 1


def damaged(data: bytes) -> bytes:
    return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]


def newer(data: bytes) -> bytes:
    return data[:8] + bytes([data[8] + 1]) + data[9:]


@pytest.mark.parametrize("spoil", [damaged, newer])
def test_an_autosave_that_cannot_be_read_is_told_and_stays(
    spoil: Callable[[bytes], bytes], game: Game, tmp_path: Path
) -> None:
    play(game, RUN, AUTOSAVE)
    game.close()
    (save,) = tmp_path.glob("auto/*")
    save.write_bytes(spoil(save.read_bytes()))
    kept = save.read_bytes()
    again = Game(tmp_path)
    assert again.notice.startswith("a new game begins: ") and "\n" not in again.notice
    play(again, RUN, AUTOSAVE)
    again.close()
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert kept in files  # perhaps under another name
    assert Game(tmp_path).digest() == again.digest()


def test_a_damaged_journal_is_told_and_stays(game: Game, tmp_path: Path) -> None:
    play(game, RUN, AUTOSAVE)
    game.slots.wait()
    play(game, RUN, AUTOSAVE)
    game.close()
    journal = tmp_path / "auto" / "1.journal"
    journal.write_bytes(damaged(journal.read_bytes()))
    kept = journal.read_bytes()
    again = Game(tmp_path)
    assert again.steps == AUTOSAVE
    assert again.notice == "the newest save is damaged: this is the one before"
    again.quicksave()
    for _ in range(4):
        play(again, RUN, AUTOSAVE)
        again.close()
    assert journal.read_bytes() == kept


def test_damaged_settings_are_told(game: Game, tmp_path: Path) -> None:
    game.save_settings()
    game.slots.wait()
    (save,) = tmp_path.glob("_shared/settings/*.sav")
    save.write_bytes(b"")
    assert Game(tmp_path, "cellar").notice.startswith("the settings: ")


def test_of_settings_that_two_games_changed_the_newest_stay(
    game: Game, tmp_path: Path
) -> None:
    other = Game(tmp_path, "cellar")
    for each, volume in ((game, 10), (other, 20)):
        each.settings.volume = volume
        each.save_settings()
        each.close()
    again = Game(tmp_path)
    assert (again.settings.volume, again.notice) == (20, "")


def test_a_quicksave_that_cannot_be_loaded_stays_beside_the_next_one(
    game: Game, tmp_path: Path
) -> None:
    level = shutil.copytree(FOLDER / "hall", tmp_path / "level")
    game.start(level)
    game.quicksave()
    game.close()
    shutil.rmtree(level)
    game = Game(tmp_path, "cellar")
    game.quickload()
    assert game.notice.startswith("not loaded: ") and game.level_name == "cellar"
    for _ in range(5):
        game.quicksave()
        game.slots.wait()
        game.step(NONE)
    assert game.notice == "saved"
    assert (tmp_path / "quick" / "1.sav").exists()


def test_each_save_in_the_background_that_fails_is_told(
    game: Game, tmp_path: Path
) -> None:
    (tmp_path / "quick").touch()
    (tmp_path / "_shared").touch()
    for save in (game.save_settings, game.quicksave):
        while game.steps % AUTOSAVE != AUTOSAVE - 1:
            game.step(NONE)
        save()
        game.step(NONE)  # and autosaves, which goes well
        told = [game.notice]  # already, if the save has ended so soon
        game.slots.wait()
        game.notice = ""
        game.step(NONE)
        # What the world says in the same step stands before it.
        assert any("not saved: " in each for each in (*told, game.notice))


def test_a_damaged_slot_is_refused_and_its_older_save_loads(
    game: Game, tmp_path: Path
) -> None:
    game.save("one")
    play(game, RUN, 30)
    game.save("one")
    (tmp_path / "one" / "2.sav").write_bytes(b"torn")
    (info,) = (info for info in game.slots.list() if info.slot == "one")
    assert not info.is_newest and info.generations == (2, 1)
    before = game.digest()
    with pytest.raises(SaveError):
        game.load("one", generation=2)
    assert game.digest() == before and game.level_name == "cellar"
    assert game.load("one", generation=1).info.generation == 1 and game.steps == 0


def test_two_games_at_once_notice_each_other_and_lose_nothing(
    game: Game, tmp_path: Path
) -> None:
    play(game, RUN, AUTOSAVE)
    game.slots.wait()
    other = Game(tmp_path)
    assert other.notice == "the game runs twice: this one autosaves apart"
    for each in (other, game, other, game):
        play(each, RUN, AUTOSAVE)
        each.slots.wait()
    for each in (game, other):
        each.close()
    kept, digests = Game(tmp_path), []
    for slot in (AUTO, f"{AUTO}-2"):
        kept.load(slot)
        digests.append(kept.digest())
    assert digests == [game.digest(), other.digest()]
    assert kept.notice == ""


def test_what_was_taken_is_not_lost_on_the_way_to_the_next_level(game: Game) -> None:
    take_a_coin(game)
    game.player.hp = 2.5
    coins, found = game.player.coins, {*game.progress.found}
    (exit,) = game.manager.find(Exit)
    game.player.position, exit.guard = exit.position, None
    game.step(NONE)
    assert game.level_name == exit.to == "cavern"
    assert game.player.hp == 2.5 and game.player.coins == coins
    assert game.progress.found >= found
    assert "cellar" in game.player.stats.best_times
    assert game.rewindable() == 0.0

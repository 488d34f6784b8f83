"""Playing the sample game: F5 saves, F9 loads, and the next run goes on from the autosave."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest

from sample_game.enemies import Goblin
from sample_game.items import Coin
from sample_game.player import Player
from sample_game.session import AUTOSAVE, SLOT, Session
from sample_game.shapes import Vec2
from sample_game.window import THUMBNAIL, Window
from savegen.runtime import NoSuchSave


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.fixture
def window(session: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """On no screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield Window(session)
    pygame.quit()


def press(window: Window, key: int) -> bool:
    return window.handle(pygame.event.Event(pygame.KEYDOWN, key=key))


def test_what_was_saved_comes_back_in_the_world_that_it_was_saved_from(
    session: Session,
) -> None:
    session.save()
    before = session.manager.create_snapshot().digest()
    session.player.inventory.pockets.clear()
    session.player.stats.kills["Goblin"] = 9
    session.steer(1, 0)
    session.tick(1.0)
    assert session.manager.create_snapshot().digest() != before
    session.load()
    assert session.manager.create_snapshot().digest() == before
    assert session.player.stats.kills == {}


def test_a_load_is_seen_by_everybody_who_asks_the_manager(session: Session) -> None:
    session.save()
    session.load()
    players = [*session.manager.find(Player)]
    assert players == [session.player]
    assert all(
        goblin.prey in (None, *players) for goblin in session.manager.find(Goblin)
    )


def test_a_save_is_loaded_by_the_next_run(session: Session, tmp_path: Path) -> None:
    session.steer(1, 0)
    session.tick(1.5)
    session.save()
    there = session.player.position
    again = Session(tmp_path)
    assert again.player.position != there
    again.load()
    assert again.player.position == there == Vec2(9.0, 4.0)
    assert again.playtime == 1.5


def test_the_next_run_goes_on_where_the_autosave_stopped(
    session: Session, tmp_path: Path
) -> None:
    session.steer(1, 0)
    for _ in range(10):
        session.tick(AUTOSAVE / 4)
    there = session.player.position  # half a second after the last record
    again = Session(tmp_path)
    assert again.playtime == 2 * AUTOSAVE
    assert again.player.position == there - Vec2(4, 0) * (AUTOSAVE / 2)
    assert again.manager.create_snapshot(strict=True)


def test_nothing_saved_is_told_and_nothing_changes(session: Session) -> None:
    before = session.manager.create_snapshot().digest()
    with pytest.raises(NoSuchSave):
        session.load()
    assert session.manager.create_snapshot().digest() == before


def test_a_coin_within_reach_is_taken_once(session: Session) -> None:
    for _ in range(2):
        session.player.position = next(session.manager.find(Coin)).position
        session.tick(0.01)
    assert session.player.coins == 5
    assert session.title == "Pip: 5 coins, 5 hearts"


def test_f5_saves_with_a_title_and_a_picture_and_f9_loads(
    window: Window, session: Session
) -> None:
    window.step(0.1)
    assert press(window, pygame.K_F5)
    (info,) = session.slots.list()
    assert (info.slot, info.title) == (SLOT, "Pip: 0 coins, 5 hearts")
    picture = pygame.image.load(io.BytesIO(session.slots.thumbnail(SLOT)))
    assert picture.get_size() == THUMBNAIL
    session.player.hp = 1
    assert press(window, pygame.K_F9)
    assert session.player.hp == 5
    assert window.said == "loaded: Pip: 0 coins, 5 hearts"


def test_a_load_that_cannot_be_is_told_and_the_game_goes_on(window: Window) -> None:
    assert press(window, pygame.K_F9)
    assert "no save" in window.said
    window.step(0.1)


def test_closing_the_window_ends_the_game(window: Window) -> None:
    assert not window.handle(pygame.event.Event(pygame.QUIT))


def test_shots_are_fired_until_there_is_no_ammo(
    window: Window, session: Session
) -> None:
    shots = len(session.player.gun.ammo)
    before = len(session.manager)
    for _ in range(shots + 1):
        press(window, pygame.K_SPACE)
    assert len(session.manager) == before + shots == before + 3
    window.draw()

"""`adopt` marks the properties that sprites inherit, so that a load calls their setters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.adopt.reading import proposal, verdicts
from tests.cli.games import TABLE, Game
from tests.project import pyright

ARCADE = """
import arcade

class Mover(arcade.Sprite):
    def __init__(self, image):
        super().__init__(image, 0.5)
        self.center_x = 5
        self.left = 3
        self.texture = arcade.load_texture("a.png")
        self.home = self.center_y
        self.hp = 3

class Coin(Mover):
    def __init__(self):
        super().__init__("coin.png")
        self.change_x = 2
        self.alpha = 100
        self.value = 1
"""


def test_one_property_of_arcade_saves_those_of_the_same_state() -> None:
    found = proposal("Mover", game=ARCADE)
    assert verdicts(found, "Mover") == {
        "position": "tuple[float, float]",
        "angle": "float",
        "scale": "tuple[float, float]",
        "velocity": "tuple[float, float]",
        "color": "Color",
        "texture": "transient",
        "home": "float",
        "hp": "int",
    }
    assert verdicts(found, "Coin") == {"value": "int"}


PYGAME = """
import pygame

class Ball(pygame.sprite.Sprite):
    def __init__(self, images):
        super().__init__()
        self.images = [pygame.Surface((1, 1))]
        self.image = images[0]
        self.rect = self.images[0].get_rect()

class Unclear(pygame.sprite.Sprite):
    def __init__(self, size):
        super().__init__()
        self.rect = size.get_rect()
"""


def test_the_rect_of_a_pygame_sprite_is_saved_and_its_image_is_not() -> None:
    found = proposal("game.py", game=PYGAME)
    assert verdicts(found, "Ball") == {
        "images": "transient",
        "image": "transient",
        "rect": "Rect",
    }
    (question,) = found.questions
    assert question.subject == "Unclear.rect"
    assert question.choices[0] == (
        "saved: annotate `self.rect: Annotated[…, Save(setter=True)] = …`"
    )


def test_what_the_game_marked_itself_is_left_as_it_is() -> None:
    text = """
    import arcade
    from typing import Annotated
    from savegen import Save, saveable

    @saveable
    class Hero(arcade.Sprite):
        center_x: Annotated[float, Save(setter=True)]
        angle: float
    """
    found = proposal("Hero", game=text)
    assert verdicts(found, "Hero") == {
        "center_x": "float",
        "angle": "float",
        "scale": "tuple[float, float]",
    }
    (marks,) = found.marks["game.py"]
    assert marks.wrapped == ("angle",)
    assert marks.setters >= {"angle", "scale"}


@pytest.mark.parametrize("text", [ARCADE, PYGAME.partition("class Unclear")[0]])
def test_the_marked_sprites_build_and_are_clean_under_pyright(
    tmp_path: Path, text: str
) -> None:
    bare = Game(tmp_path)
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/sprites.py", text)
    assert bare.run("adopt", "game/sprites.py", "--apply").code == 0
    assert "Save(setter=True)]" in bare.read("game/sprites.py")
    done = bare.run("build")
    assert done.code == 0, done.out
    assert set(re.findall(r"SG\d+", done.out)) <= {"SG147"}  # on pictures, to rebuild
    assert pyright(tmp_path, "game") == []

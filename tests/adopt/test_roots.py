"""`adopt` finds the classes that a game pickles, however the game puts its state together."""

from __future__ import annotations

import pytest

from savegen.build.adopt.inference import Inference
from savegen.build.adopt.roots import roots
from tests.adopt.reading import program

GAME = """
import copy
import pickle


class Player:
    pass


class World:
    current = None

    def __init__(self, player):
        World.current = self
        self.player = player

    def save(self, file):
        {method}


def dump(state, file):
    pickle.dump(state, file)


def main(file):
    player = Player()
    if file:
        world = pickle.load(file)
    else:
        world = World(player)
    {function}
"""


def pickled(function: str = "pass", method: str = "pass") -> list[set[str]]:
    """The names of the classes at each place that pickles."""
    text = GAME.format(function=function, method=method)
    game = program(game=text)
    found = [
        {c.qualname for c in root.classes} for root in roots(game, Inference(game))
    ]
    return [classes for classes in found if classes or "dump(state" not in function]


@pytest.mark.parametrize(
    ("expression", "classes"),
    [
        ("player", {"Player"}),
        ("world", {"World"}),
        ("{'player': player, 'world': world, 'turn': 3}", {"Player", "World"}),
        ("[player, None]", {"Player"}),
        ("(1, world)", {"World"}),
        ("dict(world=world)", {"World"}),
        ("copy.copy(World.current)", {"World"}),
        ("World.current", {"World"}),
        ("vars(player)", {"Player"}),
        ("world.__dict__", {"World"}),
        ("3", set()),
        ("unknown(world)", set()),
    ],
)
def test_what_a_pickled_expression_contains(expression: str, classes: set[str]) -> None:
    found = pickled(f"pickle.dump({expression}, file)")
    assert found[-1] == classes


def test_the_parameter_of_a_function_that_pickles_has_the_classes_of_its_callers() -> (
    None
):
    assert pickled("dump({'world': world}, file)") == [{"World"}]


def test_a_local_name_is_followed_to_what_is_assigned_to_it() -> None:
    assert pickled("state = {'p': player}; pickle.dump(state, file)")[-1] == {"Player"}


def test_the_attributes_of_the_object_itself_are_pickled() -> None:
    # `pickle.dump` is no call of the game's own `dump`, so nothing shows what that pickles.
    found = pickled(method="pickle.dump(self.__dict__, file)")
    assert found == [{"World"}, set()]


def test_names_that_are_assigned_to_each_other_end() -> None:
    assert pickled("a = b; b = a; pickle.dump(a, file)")[-1] == set()

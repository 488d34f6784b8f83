"""Whatever a game becomes, as long as it is legal: its old saves lose nothing.

A random game makes a random world and saves it; then the game is changed at random, generated for
again with the lock it has, and loads the save in a fresh process. The judge is
`tests.saves.evolving_oracle`, which knows nothing of savegen.
"""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from tests.project import Project
from tests.cli.games import Game as Folder
from tests.saves.evolving_changes import ALL, INT, REVERSIBLE, changed, new_game, value
from tests.saves.evolving_driver import Job
from tests.saves.evolving_games import (
    GAME_OBJECT,
    Class,
    Field,
    Game,
    Migration,
    Recipe,
    Type,
    source,
)
from tests.saves.evolving_oracle import (
    UNSET,
    Shown,
    Thing,
    World,
    labels_in,
    seen,
    with_defaults,
)
from tests.soaking import examples

LOCK = "savegen.lock"


class Version:
    """One version of a game, generated, in a folder of its own."""

    def __init__(self, folder: Path, game: Game, before: Version | None = None) -> None:
        self.game = game
        self.project = Project(folder, source(game))
        self.commands = Folder(folder)
        if before:
            shutil.copy(before.project.folder / LOCK, folder / LOCK)
        for gone in game.retired:
            self.say("lock", "retire", gone)
        self.say("components")

    def say(self, *words: str) -> None:
        said = self.commands.run(*words)
        assert said.code == 0, f"{' '.join(words)}\n{said.out}{said.err}"

    def run(self, job: Job) -> dict[int, Shown]:
        """Do a job in a fresh process; return what was there at the end."""
        folder = self.project.folder
        (folder / "job").write_bytes(pickle.dumps(job._replace(game=self.game)))
        self.project.run("-m", "tests.saves.evolving_driver")
        found: dict[int, Shown] = pickle.loads((folder / "told").read_bytes())
        return found


def random_world(game: Game, dice: Random) -> World:
    """Return a world with some objects of each class; one in three is only referred to."""
    classes = [cls.ident for cls in game.classes for _ in range(dice.randint(1, 4))]
    labels: dict[str, list[int]] = {}
    for label, ident in enumerate(dice.sample(classes, len(classes))):
        labels.setdefault(ident, []).append(label)
    things = {
        label: Thing(label, ident, random_values(ident, game, dice, labels))
        for ident, some in labels.items()
        for label in some
    }
    parts = [*wholes(things, dice)]
    held = {label for whole in parts for label in labels_in(whole.values["parts"])}
    added = [n for n in sorted(things) if n not in held and dice.random() < 0.7]
    added += [whole.label for whole in parts]
    things.update((whole.label, whole) for whole in parts)
    return World(things, tuple(dice.sample(added, len(added))))


def wholes(things: dict[int, Thing], dice: Random) -> Iterator[Thing]:
    """Yield game objects of some of the things, most of them below another one."""
    free = dice.sample([*things], len(things) // 2)
    parent: Recipe = None
    for number in range(3):
        parts = [free.pop() for _ in range(dice.randrange(4)) if free]
        label = len(things) + number
        values = {
            "parts": ("tuple", *(("ref", part) for part in parts)),
            "parent": parent,
        }
        yield Thing(label, GAME_OBJECT, values)
        parent = ("ref", label) if dice.random() < 0.7 else None


def random_values(
    ident: str, game: Game, dice: Random, labels: dict[str, list[int]]
) -> dict[str, Recipe]:
    return {
        field.ident: (
            UNSET
            if not field.default and dice.random() < 0.05
            else value(field.type, game, dice, labels)
        )
        for field in game.fields(ident)
        if field.ident != "label"
    }


def assert_same(told: dict[int, Shown], wanted: dict[int, Shown]) -> None:
    """Compare to the letter: `repr` tells 1, 1.0 and True apart, and 0.0 and -0.0."""
    assert sorted(told) == sorted(wanted)
    for label, shown in wanted.items():
        there = told[label]
        assert (there.cls, there.is_added) == (shown.cls, shown.is_added), label
        for ident in {**shown.values, **there.values}:
            found, right = (
                repr(each.values.get(ident, UNSET)) for each in (there, shown)
            )
            assert found == right, f"{shown.cls} {label}, {ident}"


def check_old_save(folder: Path, dice: Random) -> None:
    old = new_game(dice)
    new = changed(old, dice, ALL, dice.randint(1, 8))
    world = random_world(old, dice)
    saves = str(folder / "saves")
    first = Version(folder / "first", old)
    told = first.run(Job(old, saves, False, (*world.things.values(),), world.added))
    assert_same(told, seen(world, old))
    second = Version(folder / "second", new, first)
    assert_same(second.run(Job(new, saves, True)), seen(world, new, old))
    # And once more, with the save that the new game has made.
    assert_same(second.run(Job(new, saves, True)), seen(world, new, old))


many = settings(
    max_examples=examples(6),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@many
@given(st.integers(0, 2**32))
@example(5027)  # a set with an int beyond 64 bits became a frozenset
def test_an_old_save_loads_whatever_the_game_has_become(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    check_old_save(tmp_path_factory.mktemp("old"), Random(seed))


def check_return(folder: Path, dice: Random) -> None:
    """There and back: what one version does not know is kept for the other."""
    old = new_game(dice)
    new = changed(old, dice, REVERSIBLE, dice.randint(1, 8))
    world = random_world(old, dice)
    saves = str(folder / "saves")
    first = Version(folder / "first", old)
    first.run(Job(old, saves, False, (*world.things.values(),), world.added))
    second = Version(folder / "second", new, first)

    world = with_defaults(world, new)
    changes = random_changes(world, old, new, dice)
    told = second.run(Job(new, saves, True, changes=changes))
    world = with_changes(world, changes)
    assert_same(told, seen(world, new))
    world = with_defaults(world, old)
    assert_same(first.run(Job(old, saves, True)), seen(world, old))
    assert_same(second.run(Job(new, saves, True)), seen(world, new))
    # Back for good, through a migration that has nothing to do.
    third = Version(
        folder / "third", old._replace(save_version=1, migrations=IDLE), first
    )
    assert_same(third.run(Job(old, saves, True)), seen(world, old))


IDLE = (Migration(1, "", "", ("Nobody", "nothing"), 0),)


def random_changes(
    world: World, old: Game, new: Game, dice: Random
) -> tuple[tuple[int, str, Recipe], ...]:
    """Return other values for some fields: such as both versions can have."""
    there = seen(world, new)
    labels: dict[str, list[int]] = {}
    for label, shown in there.items():
        if old.cls(shown.cls):
            labels.setdefault(shown.cls, []).append(label)
    return tuple(
        (label, field.ident, recipe)
        for label, shown in there.items()
        for field in new.fields(shown.cls)
        if shown.cls != GAME_OBJECT
        and field.ident in shown.values
        and is_alike(field.type, old, new)
        and dice.random() < 0.2
        for recipe in [value(field.type, new, dice, labels)]
        # The same again is no change: what was kept aside for the field still counts.
        if repr(recipe) != repr(shown.values[field.ident])
    )


def is_alike(type: Type, old: Game, new: Game) -> bool:
    """Tell whether the values of a type are the same in two versions of a game."""
    for part in type.walk():
        if part.word == "enum" and differs(old.members, new.members, part):
            return False
        if part.word == "record":
            members = new.record(part.idents[0]).members
            if differs(old.record, new.record, part):
                return False
            if not all(is_alike(member.type, old, new) for member in members):
                return False
    return True


def differs(
    of_old: Callable[[str], object], of_new: Callable[[str], object], part: Type
) -> bool:
    return of_old(part.idents[0]) != of_new(part.idents[0])


def with_changes(world: World, changes: tuple[tuple[int, str, Recipe], ...]) -> World:
    things = dict(world.things)
    for label, ident, recipe in changes:
        thing = things[label]
        things[label] = thing._replace(values={**thing.values, ident: recipe})
    return world._replace(things=things)


@many
@example(67108864)  # a plain object refers to one of a class that is not known
@given(st.integers(0, 2**32))
@example(1149)  # a value is kept of a field that others have not set
def test_what_a_version_does_not_know_is_kept_for_one_that_does(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    check_return(tmp_path_factory.mktemp("return"), Random(seed))


# -- control arms: the oracle sees what is lost


FIELDS = (Field("label", INT, "label"), Field("a", INT, "a"), Field("b", INT, "b"))
BEFORE = Game((Class("C0", "Foe", "plain", FIELDS),), (), ())
AFTER = BEFORE._replace(
    classes=(BEFORE.classes[0]._replace(fields=(FIELDS[0], FIELDS[2], FIELDS[1])),)
)
FOE = Thing(0, "C0", {"a": 1, "b": 2})


def load_reordered(folder: Path, by_position: tuple[str, ...]) -> None:
    world, saves = World({0: FOE}, (0,)), str(folder / "saves")
    first = Version(folder / "first", BEFORE)
    first.run(Job(BEFORE, saves, False, (FOE,), (0,)))
    second = Version(folder / "second", AFTER, first)
    told = second.run(Job(AFTER, saves, True, by_position=by_position))
    assert_same(told, seen(world, AFTER))


def test_fields_are_matched_by_number(tmp_path: Path) -> None:
    load_reordered(tmp_path, by_position=())


def test_a_loader_that_matches_fields_by_position_is_caught(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="C0 0"):
        load_reordered(tmp_path, by_position=("label", "a", "b"))

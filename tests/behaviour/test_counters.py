"""Counters of `itertools.count` in fields: shared as generators are, and never set back too far."""

from __future__ import annotations

import pytest

from tests.project import Project

GAME = """
    from __future__ import annotations

    import itertools
    from collections.abc import Iterator
    from dataclasses import dataclass, field
    from itertools import count
    from typing import Any

    from savegen import Activation, Recorder, Saved, on_activate, saveable

    @dataclass
    class Desk:
        numbers: Iterator[int] = field(default_factory=lambda: count(10, 5))

    @saveable
    class World:
        ids: Saved[itertools.count[int]]
        tickets: Saved[dict[str, count]]
        desk: Saved[Desk]
        enemies: Saved[list[Enemy]]
        seats: Saved[Iterator[int]]

        def __init__(self) -> None:
            self.ids = itertools.count(1)
            self.tickets = {"a": self.ids, "b": count(0.5, -0.25)}
            self.desk = Desk()
            self.enemies = []
            self.seats = count()

        def spawn(self) -> None:
            self.enemies.append(Enemy(self.ids))

    @saveable
    class Enemy:
        ids: Saved[count]
        id: Saved[int] = 0
        greedy: Saved[bool] = False

        def __init__(self, ids: Any) -> None:
            self.ids = ids
            self.id = next(ids)

        @on_activate
        def wake(self, reason: Activation) -> None:
            if self.greedy:
                next(self.ids)

    @saveable
    class Anything:
        held: Saved[count[Any] | int | None] = None
"""

HEAD = """
import itertools
from decimal import Decimal
from fractions import Fraction
from itertools import count
from _savegen.registry import REGISTRY
from game import *
from savegen.runtime import History, SaveError, SaveLoadManager
from savegen.saves import Autosave, MemoryStore, SaveSlots, decode, encode

manager = SaveLoadManager(REGISTRY)
world = manager.add(World())

def world_of(manager):
    return next(obj for obj in manager.objects if type(obj) is World)

def numbers(world):
    return [*map(repr, (world.ids, *world.tickets.values(), world.desk.numbers, world.seats))]

def use(world):
    world.spawn()
    next(world.tickets["b"]), next(world.desk.numbers), next(world.seats)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("counters")
    files = {"game.py": GAME}
    project = Project(folder, files)
    project.run("-m", "savegen", "build", "--quiet", "game.py")
    return project


def play(project: Project, script: str) -> str:
    lines = [line[4:] for line in script.splitlines()]
    return project.script(HEAD + "\n".join(lines))


def test_a_counter_goes_on_where_it_stood_and_stays_shared(project: Project) -> None:
    play(
        project,
        """
    use(world), use(world)
    there = numbers(world)
    assert there == ["count(3)", "count(3)", "count(0.0, -0.25)", "count(20, 5)", "count(2)"]
    snapshot = manager.create_snapshot(strict=True)
    use(world)
    manager.apply_snapshot(snapshot)
    def check(manager):
        world = world_of(manager)
        assert numbers(world) == there
        assert all(enemy.ids is world.ids is world.tickets["a"] for enemy in world.enemies)
    check(manager)
    manager.clear()
    manager.apply_snapshot(snapshot)
    check(manager)
    other = SaveLoadManager(REGISTRY)
    other.apply_snapshot(decode(encode(snapshot), REGISTRY))
    check(other)
    slots = SaveSlots(MemoryStore())
    assert slots.save("slot-1", manager).is_exact
    loaded = SaveLoadManager(REGISTRY)
    assert not slots.load("slot-1", loaded).notes
    check(loaded)
    """,
    )


def test_the_history_and_the_journal_follow_a_counter(project: Project) -> None:
    play(
        project,
        """
    slots = SaveSlots(MemoryStore())
    history, autosave, seen = History(manager, capacity=10), Autosave(slots, manager), []
    for _ in range(4):
        history.record(), autosave.record()
        seen.append(numbers(world_of(manager)))
        use(world_of(manager))
    history.record(), autosave.record()
    seen.append(numbers(world_of(manager)))

    loaded = SaveLoadManager(REGISTRY)
    slots.load("auto", loaded)
    assert numbers(world_of(loaded)) == seen[-1]
    for there in reversed(seen[:-1]):
        history.rewind(1)
        world = world_of(manager)
        assert numbers(world) == there
        assert all(enemy.ids is world.ids for enemy in world.enemies)
    """,
    )


def test_an_unused_counter_stays_the_same_object(project: Project) -> None:
    play(
        project,
        """
    ids, snapshot = world.ids, manager.create_snapshot()
    assert manager.apply_snapshot(snapshot).changed == 0
    assert world.ids is ids
    next(ids)
    digest = manager.create_snapshot().digest()
    assert digest != snapshot.digest()
    manager.apply_snapshot(snapshot)
    assert world.ids is not ids and manager.create_snapshot().digest() == snapshot.digest()
    """,
    )


def test_a_load_that_fails_leaves_every_counter_where_it_stood(
    project: Project,
) -> None:
    play(
        project,
        """
    use(world)
    world.enemies[0].greedy = True
    snapshot = manager.create_snapshot()
    there = numbers(world)

    def fail():
        assert numbers(world) != there
        raise ValueError("no")

    manager.after_load.append(fail)
    try:
        manager.apply_snapshot(snapshot)
    except SaveError:
        pass
    manager.after_load.clear()
    assert world.enemies[0].ids is world.ids is world.tickets["a"]
    greedy = 1  # the hook runs again for the world that is restored
    assert repr(world.ids) == f"count({2 + greedy})", numbers(world)
    assert numbers(world)[2:] == there[2:]
    """,
    )


def test_a_counter_counts_any_number_of_python(project: Project) -> None:
    play(
        project,
        """
    held = [
        count(2**80, -3), count(Fraction(1, 2)), count(Fraction(-1, 3), Fraction(2, 7)),
        count(Decimal("1.10"), Decimal("-0.1")), count(float("inf")), count(float("nan")),
        count(1, 2.5), count(-5), count(3, 0), count(-0.0),
    ]
    objects = [manager.add(Anything()) for _ in held]
    for each, counter in zip(objects, held):
        each.held = counter
        next(counter)
    texts = [*map(repr, held)]
    other = SaveLoadManager(REGISTRY)
    other.apply_snapshot(decode(encode(manager.create_snapshot(strict=True)), REGISTRY))
    found = [repr(each.held) for each in other.objects if type(each) is Anything]
    assert found == texts, found
    """,
    )


def test_a_counter_of_other_numbers_is_reported_by_name(project: Project) -> None:
    said = play(
        project,
        """
    class Odd(complex):
        pass
    thing = manager.add(Anything())
    thing.held = count(Odd(1j))
    report = SaveSlots(MemoryStore()).save("slot-1", manager)
    assert not report.is_exact
    print(report)
    try:
        manager.create_snapshot(strict=True)
    except SaveError as error:
        print(error)
    """,
    )
    assert said.count("Anything.held") >= 2


def test_a_damaged_state_of_a_counter_is_an_error_that_says_so(
    project: Project,
) -> None:
    play(
        project,
        """
    snapshot = manager.create_snapshot()
    key = next(k for k, state in snapshot.generators.items() if state[0] == "count")
    for state in (
        ["count"], ["count", "1"], ["count", 1, 1], ["count", "x", "1"], ["count", "1", "1_0"],
        ["count", "Fraction(1, 0)", "1"], ["count", "Decimal('x')", "1"], ["count", " 1", "1"],
        ["count", "1" * 5000, "1"], ["count", "1", "1", "1"], ["count", None, "1"],
        ["count", "Fraction(1, 2, 3)", "1"], ["count", "__import__('os')", "1"],
        ["random", 3, b"", None],
    ):
        bad = manager.create_snapshot()
        bad.generators[key] = state
        before = numbers(world)
        try:
            manager.apply_snapshot(bad)
        except SaveError as error:
            assert "counter" in str(error) or state[0] == "random", (state, error)
        else:
            raise AssertionError(state)
        assert numbers(world) == before
    """,
    )

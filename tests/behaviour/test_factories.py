"""`defaultdict`s whose factories no save contains: a load takes those of their classes."""

from __future__ import annotations

import shutil

import pytest

from tests.project import ROOT, Project

PLAY = """
from collections import defaultdict
from functools import partial

import game
from _savegen.registry import REGISTRY
from game import Item, Shop
from savegen.runtime import History, SaveError, SaveLoadManager
from savegen.saves import MemoryStore, SaveSlots, decode, encode

manager = SaveLoadManager(REGISTRY)

def loaded(snapshot):
    other = SaveLoadManager(REGISTRY)
    other.apply_snapshot(decode(encode(snapshot), REGISTRY))
    return next(iter(other.objects))

def factories(value):
    "Yield the value that each factory makes, and what is in it."
    if isinstance(value, defaultdict):
        made = value.default_factory and value.default_factory()
        yield repr(made) if type(made) in (int, list, type(None)) else type(made)
        yield from factories(made)
        for each in value.values():
            yield from factories(each)
    elif isinstance(value, (game.Stats, game.Deal)):
        for name in ("bonus", "stock", "plain", "low", "high"):
            yield from factories(getattr(value, name, None))

def all_factories(shop):
    return {name: [*factories(getattr(shop, name))] for name in Shop.save_load_field_names}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("factories")
    source = ROOT / "tests" / "corpus" / "own_factories" / "game.py"
    project = Project(folder, {})
    shutil.copy(source, folder)
    project.components("--quiet", "game.py")
    return project


def play(project: Project, script: str) -> str:
    lines = [line[4:] for line in script.splitlines()]
    return project.script(PLAY + "\n".join(lines))


def test_every_factory_that_the_build_reads_is_there_after_a_load(
    project: Project,
) -> None:
    play(
        project,
        """
    shop = manager.add(Shop())
    for name in ("stock", "nothing", "prices", "lists", "stats", "rolls", "items"):
        getattr(shop, name)["made"]
    shop.rows["row"]["made"], shop.deal.low["x"], shop.stats["made"].bonus["x"]
    shop.none["x"] = 1
    wanted, content = all_factories(shop), repr(shop.rows["row"]["made"])
    assert wanted["stock"] == ["10"] and wanted["rows"].count("6") == 2, wanted
    snapshot = manager.create_snapshot(strict=True)
    shop.stock["more"], shop.rows["more"]["more"]
    manager.apply_snapshot(snapshot)
    assert all_factories(shop) == wanted and "more" not in shop.stock
    history = History(manager, capacity=5)
    history.record()
    shop.stock["more"]
    history.record()
    history.rewind(1)
    assert all_factories(shop) == wanted and "more" not in shop.stock
    other = loaded(snapshot)
    assert all_factories(other) == wanted
    assert other.rows["row"] == {"made": 6} and other.stats["made"].bonus == {"x": 5}
    assert other.rows["new"]["newer"] == 6 and other.none.default_factory is None
    slots = SaveSlots(MemoryStore())
    assert slots.save("slot-1", manager).is_exact
    # What was loaded is saved like what the class has made.
    slots.load("slot-1", manager)
    assert slots.save("slot-2", manager).is_exact
    manager.create_snapshot(strict=True)
    """,
    )


def test_only_the_factory_of_the_class_itself_is_taken_for_it(project: Project) -> None:
    play(
        project,
        """
    def price():
        return 4

    start = 10
    def closure():
        return defaultdict(lambda: start)

    class Other:
        def __init__(self):
            self.stock = defaultdict(lambda: 10)

    for name, wrong in {
        "stock": defaultdict(lambda: 10),
        "nothing": Shop().stock,
        "prices": defaultdict(price),
        "made": closure(),
        "known": defaultdict(lambda: 0),
        "rolls": defaultdict(partial(game.roll, 5)),
        "items": defaultdict(Item().new.__func__),
        "rows": defaultdict(lambda: defaultdict(lambda: 6)),
    }.items():
        shop = Shop()
        manager = SaveLoadManager(REGISTRY)
        manager.add(shop)
        manager.create_snapshot(strict=True)
        setattr(shop, name, wrong)
        try:
            manager.create_snapshot(strict=True)
        except SaveError as error:
            assert f"Shop.{name}" in str(error), error
        else:
            raise AssertionError(name)
    """,
    )


def test_entries_of_another_factory_survive_and_the_report_says_what_does_not(
    project: Project,
) -> None:
    play(
        project,
        """
    start = 3
    shop = manager.add(Shop())
    shop.stock = defaultdict(lambda: start, {"arrow": 6})  # not that of the class
    shop.known = defaultdict(lambda: start, {"bow": 2})  # the class has `int`
    shop.rows["row"]["x"]
    shop.rows["odd"] = 5
    shop.prices["price"] = 2.5  # does not fit; the factory is that of the class
    snapshot = manager.create_snapshot()
    mine, rows = shop.stock, shop.rows.default_factory
    shop.stock = shop.known = None
    shop.rows = shop.prices = None
    manager.apply_snapshot(snapshot)
    assert shop.stock == {"arrow": 6} and shop.stock["new"] == 3 == shop.known["new"]
    assert shop.rows["row"] == {"x": 6} and shop.rows["more"]["y"] == 6
    assert shop.prices["price"] == 2.5 and shop.prices["new"] == 3
    del shop.stock["new"], shop.known["new"], shop.rows["more"], shop.prices["new"]
    slots = SaveSlots(MemoryStore())
    report = str(slots.save("slot-1", manager))
    assert "Shop.stock" in report and "Shop.known" in report, report
    slots.load("slot-1", manager)
    (shop,) = manager.objects
    assert shop.stock == {"arrow": 6} and shop.stock["new"] == 10
    assert shop.known == {"bow": 2} and shop.known.default_factory is None
    assert shop.rows["odd"] == 5 and shop.rows["row"] == {"x": 6}
    assert shop.rows["more"]["y"] == 6
    assert shop.prices == {"price": 2.5} and shop.prices["new"] == 3
    """,
    )


def test_a_factory_that_a_type_tells_comes_back_whatever_the_class_gives(
    project: Project,
) -> None:
    play(
        project,
        """
    for entries in ({}, {"arrow": 6}):
        shop = Shop()
        shop.stock, shop.none = defaultdict(int, entries), defaultdict(int, entries)
        shop.known = defaultdict(None, entries)
        manager = SaveLoadManager(REGISTRY)
        manager.add(shop)
        snapshot = manager.create_snapshot()
        other = loaded(snapshot)
        shop.stock = shop.none = shop.known = None
        manager.apply_snapshot(snapshot)
        for each in (shop, other):
            assert each.stock == each.none == each.known == entries
            assert each.stock["new"] == 0 == each.none["new"]
            assert each.known.default_factory is None
    """,
    )


def test_a_factory_that_is_not_that_of_the_class_is_no_change(project: Project) -> None:
    play(
        project,
        """
    history, shop, start = History(manager), manager.add(Shop()), 3
    shop.stock, shop.none = defaultdict(int, {"arrow": 6}), defaultdict(int)
    shop.prices = defaultdict(lambda: start, {"bow": 2.5})
    history.record()
    stock = shop.stock
    assert history.rewind(0).changed == 0 and shop.stock is stock
    shop.stock["arrow"] = 5
    assert history.rewind(0).changed == 1 and shop.stock == {"arrow": 6}
    """,
    )


def test_an_old_save_without_the_field_gets_the_factory_too(project: Project) -> None:
    play(
        project,
        """
    entry = next(entry for entry in REGISTRY if entry.load_class() is Shop)
    shop = manager.add(Shop())
    fields = {number.name.lower(): number for number in Shop.SaveLoadFields}
    made = entry.initial[fields["stock"]](Shop), entry.initial[fields["rows"]](Shop)
    shop.stock, shop.rows = made
    manager.create_snapshot(strict=True)
    assert shop.stock["x"] == 10 and shop.rows["x"]["y"] == 6
    """,
    )


def test_a_factory_is_found_in_a_game_that_runs_as_a_script(project: Project) -> None:
    script = project.folder.joinpath("game.py").read_text() + """
if __name__ == "__main__":
    from _savegen.registry import REGISTRY
    from savegen.runtime import SaveLoadManager
    manager = SaveLoadManager(REGISTRY)
    shop = manager.add(Shop())
    shop.stock["x"]
    snapshot = manager.create_snapshot(strict=True)
    manager.clear()
    manager.apply_snapshot(snapshot)
    assert next(iter(manager.objects)).stock["y"] == 10
"""
    project.folder.joinpath("game.py").write_text(script)
    project.run("game.py")

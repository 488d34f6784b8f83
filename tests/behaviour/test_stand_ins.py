"""Stand-ins: classes of libraries are saved without a change to the library."""

from __future__ import annotations

import datetime
import decimal
import functools
import io
import itertools
import queue
import random
import re
import threading
import types
from pathlib import Path

import pygame
import pytest

from savegen.build.resolve.standard_stand_ins import unsuitable_stand_in
from savegen.findings import Span
from savegen.runtime.generated.stand_ins import stand_in_faults
from tests.project import Project

FILES = {
    "pyproject.toml": '[tool.savegen]\nsource = ["game"]\n',
    "enginelib/__init__.py": "from enginelib.grid import Cell",
    "enginelib/grid.py": """
        class Cell:
            def __init__(self, terrain, height):
                self.terrain, self.height = terrain, height
                self.neighbours, self.__heat, self.view = [], 0, object()

            def __setattr__(self, name, value):
                calls.append(name)
                object.__setattr__(self, name, value)

            def show(self, *_):
                raise AssertionError("a method of the library is no hook")

            def heat(self):
                self.__heat += 1
                return self.__heat

        class HexCell(Cell):
            def __init__(self):
                super().__init__("hex", 0)
                self.side = 6

        class Mark:
            __slots__ = ("text",)

            def __init__(self, text):
                self.text = text

        calls = []
        """,
    "game/__init__.py": "",
    "game/library.py": """
        from enginelib.grid import Cell
        from game._savegen.components.library import (
            CellStandInSaveLoad,
            HexCellStandInSaveLoad,
            MarkStandInSaveLoad,
        )
        from savegen import Saved, before_save, on_activate, saveable

        @saveable(of=("enginelib.grid.Cell", "enginelib.Cell"), subclasses=True)
        class CellStandIn(CellStandInSaveLoad):
            terrain: Saved[str]
            height: Saved[int] = 4
            neighbours: Saved[list[Cell]]
            __heat: Saved[int]

            @before_save
            def settle(self):
                self.height = round(self.height)

            @on_activate
            def show(self, reason):
                self.view = reason.value

        @saveable(of="enginelib.grid.HexCell")
        class HexCellStandIn(HexCellStandInSaveLoad, CellStandIn):
            side: Saved[int]

        @saveable(of="enginelib.grid.Mark")
        class MarkStandIn(MarkStandInSaveLoad):
            text: Saved[str]
        """,
    "game/world.py": """
        import enginelib
        from enginelib.grid import Mark
        from game._savegen.components.world import MapSaveLoad
        from savegen import Saved, saveable

        @saveable(subclasses=True)
        class Map(MapSaveLoad):
            cells: Saved[list[enginelib.Cell]]
            start: Saved[enginelib.Cell | None] = None
            label: Saved[Mark | str] = ""

            def __init__(self):
                self.cells = []
        """,
}

TILE = """
from enginelib.grid import HexCell
from game._savegen.components.tiles import TileSaveLoad
from savegen import Saved, saveable

@saveable
class Tile(TileSaveLoad, HexCell):
    hp: Saved[int] = 7

class Bare(HexCell):  # saved as a HexCell, since it is not marked
    pass
"""
HEAD = """
import enginelib
from enginelib.grid import Cell, HexCell, Mark, calls
from game._savegen.registry import REGISTRY
from game.world import Map
from savegen.runtime import SaveLoadManager
from savegen.saves import SaveSlots

def a_world():
    manager, map = SaveLoadManager(REGISTRY), Map()
    map.cells = [Cell("sand", 1), HexCell()]
    map.start, map.label = map.cells[0], Mark("here")
    map.start.neighbours += [map.cells[1], map.start]
    map.start.heat()
    manager.add(map)
    return manager, map

def reloaded(manager):
    slots, other = SaveSlots("saves"), SaveLoadManager(REGISTRY)
    slots.save("one", manager)
    calls.clear()
    slots.load("one", other)
    return [*other.find(Map)][0]

def assert_is_right(map):
    assert [type(cell) for cell in map.cells] == [Cell, HexCell], map.cells
    start, hex = map.cells
    assert map.start is start and start.neighbours == [hex, start]
    assert (start.terrain, start.height, start.heat()) == ("sand", 1, 2)
    assert hex.side == 6 and hex.neighbours == []
    assert type(map.label) is Mark and map.label.text == "here"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("stand_ins"), FILES).generated()


def test_objects_of_a_library_come_back_from_a_file(project: Project) -> None:
    project.script(HEAD + """
manager, map = a_world()
report = SaveSlots("saves").save("one", manager)
assert not report.lost and not report.mismatches, report
assert_is_right(reloaded(manager))
""")


def test_a_snapshot_keeps_identity_and_brings_back_removed_objects(
    project: Project,
) -> None:
    project.script(HEAD + """
manager, map = a_world()
snapshot, (start, hex) = manager.create_snapshot(), map.cells
start.terrain, start.neighbours = "ice", []
map.cells = [start]
manager.create_snapshot()
manager.apply_snapshot(snapshot)
assert map.cells[0] is start
assert_is_right(map)
assert [*manager.find(Cell)] and manager.key_of(start) != 0
""")


def test_a_load_runs_no_code_of_the_library(project: Project) -> None:
    project.script(HEAD + """
manager, map = a_world()
reloaded(manager)
assert set(calls) <= {"view"}, calls  # the hook sets it
""")


def test_hooks_of_a_stand_in_get_the_object(project: Project) -> None:
    project.script(HEAD + """
manager, map = a_world()
map.start.height = 1.2
map = reloaded(manager)
assert map.start.height == 1
assert [cell.view for cell in map.cells] == ["restored", "restored"]
""")


def test_an_attribute_that_is_not_set_stays_unset(project: Project) -> None:
    project.script(HEAD + """
manager, map = a_world()
del map.start.terrain
map.cells[1].side = "six"  # does not fit its field
map = reloaded(manager)
assert not hasattr(map.start, "terrain") and map.cells[1].side == "six"
""")


def test_objects_of_a_library_can_be_added_alone(project: Project) -> None:
    project.script(HEAD + """
from savegen.runtime import GameObject
from savegen.runtime.testing import assert_round_trip
manager = SaveLoadManager(REGISTRY)
cell = manager.add(Cell("mud", 2))
part = GameObject(Mark("part"))
manager.add(part)
assert manager.get_component(manager.key_of(cell)) is cell
assert [*manager.find(Cell)] == [cell] and part.get(Mark).text == "part"
snapshot = manager.create_snapshot(strict=True)
manager.destroy(cell)
manager.apply_snapshot(snapshot)
assert [(c.terrain, c.height) for c in manager.find(Cell)] == [("mud", 2)]
assert_round_trip(Cell("ice", 3), REGISTRY)
""")


def test_the_stand_in_saves_and_loads_one_object(project: Project) -> None:
    project.script(HEAD + """
from game.library import MarkStandIn
row = MarkStandIn.save_data(Mark("a"))
mark = Mark("b")
MarkStandIn.load_data(mark, row)
assert mark.text == "a" and REGISTRY.new(MarkStandIn.save_type).__class__ is Mark
""")


@pytest.mark.parametrize(
    "library, words",
    [
        ("class Other: ...", "the stand-in `MarkStandIn` is for `enginelib.grid.Mark`"),
        ("Mark = 7", "which is an int, not a class"),
        (
            "class Mark:\n    __slots__ = ('words',)",
            "has the field `text`, but objects of `enginelib.grid.Mark` have no such",
        ),
        (
            "class Mark:\n    __slots__ = ('_text',)\n    text = property(lambda mark: '')",
            "`enginelib.grid.Mark.text` is a property that cannot be set",
        ),
        (
            "class Mark:\n    def __new__(cls, text): return object.__new__(cls)",
            "a load could not make its objects, because `__new__` needs arguments",
        ),
        ("class Mark(str): ...", "contain as a `str` is in no field; write a codec"),
        (
            "class Mark(list): ...",
            "contain as a `list` is in no field; copy it to a field",
        ),
    ],
)
def test_a_class_that_cannot_be_saved_is_reported_at_the_start(
    project: Project, library: str, words: str
) -> None:
    text = project.script(f"""
import enginelib.grid
from game._savegen.registry import REGISTRY
from savegen import SaveError
from savegen.runtime import SaveLoadManager
del enginelib.grid.Mark
exec({library!r}, vars(enginelib.grid))
try:
    SaveLoadManager(REGISTRY)
except SaveError as error:
    print(error)
""")
    assert words in text


def test_hooks_can_save_what_a_container_of_a_library_contains(tmp_path: Path) -> None:
    stand_in = """
        from savegen import Activation, Saved, before_save, on_activate, saveable
        from game._savegen.components.library import DeckStandInSaveLoad

        @saveable(of="cards.Deck")
        class DeckStandIn(DeckStandInSaveLoad):
            cards: Saved[list[int]]

            @before_save
            def note(self):
                self.cards = [*self]

            @on_activate
            def fill(self, reason):
                if reason is not Activation.SPAWNED:
                    self[:] = self.cards
        """
    files = {n: text for n, text in FILES.items() if "__init__" in n or "toml" in n}
    library = {"cards.py": "class Deck(list): ...", "game/library.py": stand_in}
    game = Project(tmp_path, files | library)
    game.components("--quiet")
    game.script("""
from cards import Deck
from game._savegen.registry import REGISTRY
from savegen.runtime import SaveLoadManager
from savegen.saves import decode, encode
manager = SaveLoadManager(REGISTRY)
manager.add(Deck([4, 2]))
other = SaveLoadManager(REGISTRY)
other.apply_snapshot(decode(encode(manager.create_snapshot()), other))
assert [*other.find(Deck)] == [[4, 2]]
""")


def test_a_method_of_the_library_is_reported_and_lost(project: Project) -> None:
    project.script(HEAD + """
from savegen.saves import decode, encode
manager, map = a_world()
show, heat = map.start.show, map.start.heat
for value, left in (show, ""), (heat, ""), ([show], [None]):
    map.label = value  # `show` is the name of a hook of the stand-in, too
    snapshot = manager.create_snapshot()
    assert [each.field for each in snapshot.lost] == ["label"], snapshot.lost
    other = SaveLoadManager(REGISTRY)
    other.apply_snapshot(decode(encode(snapshot), other))
    assert [loaded.label for loaded in other.find(Map)] == [left]
""")


def test_a_field_that_an_old_save_lacks_gets_the_default_of_the_stand_in(
    tmp_path: Path,
) -> None:
    text = FILES["game/library.py"]
    without = text.replace("height: Saved[int] = 4", "height = 4  # not saved")
    files = FILES | {"game/tiles.py": TILE}
    game = Project(tmp_path, files | {"game/library.py": without}).generated()
    game.script(HEAD + """
from game.tiles import Tile
manager, map = a_world()
map.cells.append(Tile())
SaveSlots("saves").save("old", manager)
""")
    Project(tmp_path, files).components("--quiet")
    game.script(HEAD + """
manager = SaveLoadManager(REGISTRY)
report = SaveSlots("saves").load("old", manager)
(map,) = manager.find(Map)
assert [(cell.terrain, cell.height) for cell in map.cells] == [
    ("sand", 4), ("hex", 4), ("hex", 4)
]
""")


def test_a_failed_load_leaves_the_objects_as_they_were(project: Project) -> None:
    project.script(HEAD + """
from savegen import SaveError
manager, map = a_world()
snapshot, (start, hex) = manager.create_snapshot(), map.cells
start.terrain, start.neighbours = "ice", [start]

@manager.after_load.append
def fail(*_):
    raise ValueError("no")

try:
    manager.apply_snapshot(snapshot)
except SaveError:
    pass
else:
    raise AssertionError
assert map.cells == [start, hex] and start.neighbours == [start]
assert (start.terrain, start.heat()) == ("ice", 2)
""")


MADE = HEAD + """
class Swamp(Cell):
    depth = 3
    def __init__(self):
        super().__init__("swamp", 0)
Lake = type("Lake", (HexCell,), {})
SecretMap = type("SecretMap", (Map,), {})
def a_wet_world():
    manager, map = SaveLoadManager(REGISTRY), SecretMap()
    map.cells = [Swamp(), Cell("sand", 1), Lake(), Swamp()]
    map.cells[0].neighbours.append(map.cells[3])
    manager.add(map)
    return manager, map
"""


def test_objects_of_a_class_made_at_run_time_are_saved_as_their_base(
    project: Project,
) -> None:
    project.script(MADE + """
manager, map = a_wet_world()
report = SaveSlots("saves").save("wet", manager)
names = ("Lake as HexCell", "SecretMap as Map", "Swamp as Cell")
assert report.as_base == names and not report.is_exact and not report.lost and not report.mismatches, report
assert "saved as objects of a base: Lake as HexCell" in repr(report)
map = reloaded(manager)
assert [type(cell) for cell in map.cells] == [Cell, Cell, HexCell, Cell]
assert [cell.terrain for cell in map.cells] == ["swamp", "sand", "hex", "swamp"]
assert map.cells[0].neighbours == [map.cells[3]] and type(map) is Map
""")


def test_objects_of_a_class_made_at_run_time_stay_the_same_in_memory(
    project: Project,
) -> None:
    project.script(MADE + """
from savegen.runtime import History
manager, map = a_wet_world()
history = History(manager)
history.record()
cells, first = [*map.cells], map.cells[0]
first.terrain = "mud"
map.cells.pop()
history.record()
snapshot = manager.create_snapshot(strict=True)
history.rewind(1)
assert map.cells[0] is first and first.terrain == "swamp" and type(first) is Swamp
assert type(map) is SecretMap and len(map.cells) == 4
manager.apply_snapshot(snapshot)
assert [cell.terrain for cell in map.cells] == ["mud", "sand", "hex"]
assert [*manager.find(SecretMap)] == [map] and [*manager.find(Map)] == [map]
manager.create_snapshot()
assert [*manager.find(Swamp)] == [first, *first.neighbours]
assert len([*manager.find(Cell)]) == 4
manager.destroy(map)
assert not [*manager.find(Map)]
""")


def test_a_subclass_of_a_library_class_needs_permission(tmp_path: Path) -> None:
    files = {n: text.replace("subclasses=True", "") for n, text in FILES.items()}
    game = Project(tmp_path, files).generated()
    game.script(HEAD + """
from savegen import SaveError
class Swamp(Cell): ...
class Own(Map): ...
for cls, words in (Swamp, "has no stand-in"), (Own, "is not marked `@saveable`"):
    try:
        SaveLoadManager(REGISTRY).add(cls.__new__(cls))
    except SaveError as error:
        assert f"`{cls.__name__}` {words}, but its base" in str(error)
    else:
        raise AssertionError
manager, map = a_world()
map.start = Swamp("mud", 1)
assert SaveSlots("saves").save("one", manager).lost
""")


def test_a_class_of_the_game_inherits_the_fields_and_hooks_of_a_stand_in(
    tmp_path: Path,
) -> None:
    game = Project(tmp_path, FILES | {"game/tiles.py": TILE}).generated()
    game.script(HEAD + """
from game.tiles import Bare, Tile
manager, map = a_world()
map.cells.append(Tile())
map.start = tile = map.cells[-1]
tile.terrain, tile.hp, tile.side = "paved", 1, 5
tile.heat()
report = SaveSlots("saves").save("one", manager)
assert report.is_exact, report
map.cells.append(Bare())
report = SaveSlots("saves").save("one", manager)
assert report.as_base == ("Bare as HexCell",) and not report.mismatches, report
map.cells.pop()
map = reloaded(manager)
tile = map.start
assert type(tile) is Tile and tile is map.cells[-1] and tile.view == "restored"
assert (tile.terrain, tile.hp, tile.side, tile.heat()) == ("paved", 1, 5, 2)
""")


def test_a_stand_in_is_seen_in_files_that_were_read_before(tmp_path: Path) -> None:
    files = FILES | {"game/library.py": ""}
    world = FILES["game/world.py"]
    files["game/world.py"] = world.replace("enginelib.Cell", "int").replace(
        "Mark |", ""
    )
    Project(tmp_path, files).components("--quiet")
    game = Project(tmp_path, {"game/world.py": world})
    with pytest.raises(AssertionError, match="SG202"):
        game.components()
    game = Project(tmp_path, {"game/library.py": FILES["game/library.py"]})
    game.components()
    assert "up to date" in game.components()


class _Slotted:
    __slots__ = ("hp", "__weakref__")


class _Stateless:
    __slots__ = ()


class _Fault(Exception):
    pass


class _Fee(decimal.Decimal):
    pass


class _Wait(datetime.timedelta):
    pass


@pytest.mark.parametrize(
    ("cls", "fields", "hooks", "fault"),
    [
        (itertools.count, (), (), "whose objects have no attribute"),
        (itertools.chain, (), (True, True), "whose objects have no attribute"),
        (queue.SimpleQueue, (), (), "whose objects have no attribute"),
        (pygame.time.Clock, (), (), "whose objects have no attribute"),
        (map, (), (), "could not make its objects"),
        (types.GeneratorType, (), (), "could not make its objects"),
        (re.Pattern, ("pattern",), (), "could not make its objects"),
        (functools.partial, ("func",), (), "could not make its objects"),
        (io.BytesIO, ("title",), (), "whose state is in none of its fields"),
        (random.Random, (), (), "whose state is in none of its fields"),
        (pygame.Surface, (), (), "whose state is in none of its fields"),
        (_Fault, ("hp",), (), "whose state is in none of its fields"),
        (
            _Fee,
            ("due",),
            (True,),
            "contain as a `Decimal` is in no field; write a codec",
        ),
        (_Wait, ("due",), (), "contain as a `timedelta` is in no field; write a codec"),
        (pygame.Surface, (), (False, True), ""),
        (io.BytesIO, ("title",), (True,), ""),
        (_Fault, ("hp", "args"), (), ""),
        (pygame.Vector2, ("x", "y"), (), ""),
        (threading.Thread, (), (), ""),
        (types.SimpleNamespace, ("hp",), (), ""),
        (_Slotted, ("hp",), (), ""),
        (_Slotted, (), (), ""),
        (_Stateless, (), (), ""),
    ],
)
def test_a_stand_in_that_could_hold_nothing_of_its_class_is_refused(
    cls: type, fields: tuple[str, ...], hooks: tuple[bool, ...], fault: str
) -> None:
    found = [*stand_in_faults(cls, cls.__name__, fields, *(hooks or (False,)))]
    assert [fault in text and text for text in found] == (found if fault else [])
    assert bool(found) is bool(fault)
    assert all("codec" in text for text in found)


def test_a_stand_in_for_a_function_of_python_is_refused_at_build_time() -> None:
    faults = unsuitable_stand_in(["functools.reduce"], [], [], Span(""))
    assert [fault.reason for fault in faults] == [
        "this stand-in is for `functools.reduce`, which is a builtin_function_or_method, not a"
        " class"
    ]

"""The sample game: what it saves comes back, and what is generated for it is what is committed."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path, PurePath
from typing import Any

import black
import jsonschema
import msgspec
import pytest


from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.prefabs import AnySerializer
from sample_game._savegen.registry import REGISTRY
from sample_game._savegen.types import PrefabType
from sample_game.enemies import Bat, Enemy
from sample_game.hud import HUD
from sample_game.keys import NONE, Keys, ScriptError, read_script
from sample_game.landmarks import Landmark
from sample_game.progress import Run
from sample_game.shapes import Vec2
from sample_game.spawners import Sound
from sample_game.weapons import MissileType, PlayerGun
from savegen.build.lock import parse
from savegen.build.lock.file import CATEGORIES, number_of
from savegen.runtime import AssetRegistry, SaveError, SaveLoadManager
from savegen.runtime.world.building import LocalKeys
from savegen.runtime.generated.registry import ClassEntry
from tests.project import python, try_python
from tests.room import Room
from tests.roster import Roster

ROOT = Path(__file__).parents[1]
GAME = ROOT / "sample_game"
MOVABLE = [prefab for prefab in PREFAB_INFO if prefab.parts]  # all others are ground
SKIPPED = {".savegen_cache", "__pycache__"}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sample game as it is committed."""
    ignore = shutil.ignore_patterns(*SKIPPED)
    return shutil.copytree(GAME, tmp_path / "sample_game", ignore=ignore)


def run(*words: str, cwd: Path, code: int = 0) -> str:
    """Run Python in a folder, expect an exit code, return what was said on stdout."""
    path = os.pathsep.join([str(cwd), str(ROOT)])
    return python(*words, folder=cwd, code=code, PYTHONPATH=path)


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and SKIPPED.isdisjoint(path.parts)
    }


def generated(folder: Path) -> list[Path]:
    found = sorted((folder / "_savegen").rglob("*.py"))
    assert found
    return found


def roster_of(room: Room) -> Roster:
    """Return all but the run: only a manager can save its dice."""
    return Roster(*(thing for thing in room.cast if thing is not room.run))


# The game


SCRIPT = """\
# to the right, with a shot
60 RIGHT
9 RIGHT+JUMP
20 RIGHT+FIRE
30 REWIND
1 QUICKSAVE
40 LEFT
2 QUICKLOAD
30
"""


def headless(*words: str, folder: Path) -> str:
    saves = str(folder / "saves")
    words = ("-m", "sample_game", "--headless", "--saves", saves, *words)
    return run(*words, cwd=ROOT)


def test_a_script_is_played_without_a_display_and_always_in_the_same_way(
    tmp_path: Path,
) -> None:
    script = tmp_path / "script.txt"
    script.write_text(SCRIPT)
    said = [
        headless("cavern", "--script", str(script), folder=tmp_path / name)
        for name in ("one", "two")
    ]
    digest, where, what = said[0].splitlines()[:3]
    assert said[0] == said[1]
    assert re.fullmatch(r"digest [0-9a-f]{32}", digest)
    assert re.match(r"level cavern, step \d+, position \(", where)
    assert what.startswith("coins ")


def test_what_is_recorded_is_a_script_that_plays_the_same(tmp_path: Path) -> None:
    script, record = tmp_path / "script.txt", tmp_path / "record.txt"
    script.write_text(SCRIPT)
    first = headless(
        *("hall", "--script", str(script), "--record", str(record)),
        folder=tmp_path / "1",
    )
    lines = SCRIPT.partition("\n")[2]
    assert record.read_text() == lines
    assert headless("hall", "--script", str(record), folder=tmp_path / "2") == first


def test_frames_cut_a_script_or_go_on_after_it(tmp_path: Path) -> None:
    said = headless("hall", "--frames", "7", folder=tmp_path)
    assert "level hall, step 7, " in said


@pytest.mark.parametrize(
    "words, message",
    [
        (["--fast"], "unrecognized arguments: --fast"),
        (["nowhere", "--headless"], "SG501 `nowhere` is missing"),
        (["--headless", "--frames", "many"], "argument --frames: invalid int value"),
        (["--headless", "--frames", "-1"], "--frames must be from 0 to"),
        (["--frames", "9"], "--frames needs --headless"),
        (["--headless", "--script", "none.txt"], "none.txt: No such file"),
        (["--headless", "--record", "no/where.txt"], "no/where.txt"),
        (["--headless", "--record", "."], "Is a directory"),
    ],
)
def test_a_wrong_argument_is_named_in_one_line(
    words: list[str], message: str, tmp_path: Path
) -> None:
    done = try_python("-m", "sample_game", "--saves", str(tmp_path), *words)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("python -m sample_game: ")
    assert message in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "line, message",
    [
        ("5 UPP", "there is no key 'UPP', only LEFT, RIGHT,"),
        ("RIGHT", "'RIGHT' is no number of frames"),
        ("9999999999 UP", "'9999999999' is no number of frames"),
        ("5 LEFT JUMP", "there is no key 'LEFT JUMP'"),
        ("-5 LEFT", "'-5' is no number of frames"),
        ("9" * 5000 + " UP", "'99999999999999999999' is no number of frames"),
        ("999998 UP", "the script is longer than 1000000 frames"),
    ],
)
def test_a_wrong_line_of_a_script_is_named(
    line: str, message: str, tmp_path: Path
) -> None:
    script = tmp_path / "script.txt"
    script.write_text(f"3 LEFT\n{line}\n")
    with pytest.raises(ScriptError) as caught:
        read_script(script)
    assert str(caught.value).startswith(f"{script}, line 2: {message}")


def test_a_script_of_an_editor_of_windows_is_read(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_bytes(b"\xef\xbb\xbf2 LEFT + JUMP\r\n1\r\n")
    assert read_script(script) == [Keys.LEFT | Keys.JUMP] * 2 + [NONE]


def test_help_explains_the_arguments() -> None:
    said = run("-m", "sample_game", "--help", cwd=ROOT)
    assert "usage: python -m sample_game " in said and "cellar, cavern" in said


def test_the_game_is_small_and_saving_is_but_a_small_part_of_it() -> None:
    """Counted are statements: no blank lines, no comments, no docstrings, no imports."""
    count, saving = 0, Counter[str]()
    for path in (*GAME.glob("*.py"), *GAME.glob("screen/*.py")):
        text = path.read_text(encoding="utf-8")
        count += sum(map(is_counted, ast.walk(ast.parse(text))))
        saving.update(SAVING.findall(text))
    assert count <= 3_000
    assert saving.total() < count / 8


SAVING = re.compile(
    r"\bSaved\[|\bSave\(|\bSaveOverride\(|@saveable\b|@on_activate\b|\b_data\b|"
    r"\bsave_data\b|\bload_data\b|@migration\b|@converter\b"
)


def is_counted(node: ast.AST) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return False
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.stmt) and not words


def test_every_class_is_in_the_room() -> None:
    classes = {entry.load_class() for entry in REGISTRY} - {Enemy, Landmark}
    assert classes == {type(thing) for thing in Room().cast}


def test_a_load_into_objects_without_init_saves_the_same_again() -> None:
    room = Room()
    room.spoil()
    roster = roster_of(room)
    saved = roster.save()
    fresh = Roster(*(REGISTRY.new(each.save_type) for each in roster.components))
    fresh.load(saved)
    assert fresh.save() == saved


def test_the_loops_over_many_objects_find_those_that_differ_from_their_rows() -> None:
    room = Room()
    roster = roster_of(room)
    entries = [entry for entry in REGISTRY if entry.load_class() is not Run]
    tables = [(e, objects_of(room, e)) for e in entries if not e.wraps]
    rows = [[each.save_data(roster) for each in objects] for _, objects in tables]
    assert not any(differing(*each, roster) for each in zip(tables, rows, strict=True))
    room.spoil()
    spoilt = 0
    for (entry, objects), table in zip(tables, rows, strict=True):
        now = [each.save_data(roster) for each in objects]
        changed = {n for n, row in enumerate(now) if row != table[n]}
        assert changed <= {*differing((entry, objects), table, roster)}
        spoilt += len(changed)
    assert spoilt > len(tables) == len(entries) - 1


def differing(
    table: tuple[ClassEntry, list[Any]], rows: list[Any], roster: Roster
) -> list[int]:
    entry, objects = table
    return entry.differing(objects, rows, roster)


def objects_of(room: Room, entry: ClassEntry) -> list[Any]:
    return [c for c in room.cast if type(c) is entry.load_class()]


def test_a_load_shares_nothing_with_what_was_saved() -> None:
    room = Room()
    roster = roster_of(room)
    saved, again = roster.save(), roster.save()
    roster.load(saved)
    room.spoil()
    assert saved == again


def test_the_hud_shows_what_a_snapshot_put_into_the_gun() -> None:
    room, manager = Room(), SaveLoadManager(REGISTRY)
    manager.add(room.player)  # it leads to the gun, which needs not be added
    before = manager.create_snapshot()
    ammo = [*room.gun.ammo]
    room.player.fire()
    assert HUD.ammo != ammo
    manager.apply_snapshot(before)
    assert HUD.ammo == room.gun.ammo == ammo


def test_the_hud_shows_what_a_load_put_into_the_gun() -> None:
    gun = PlayerGun(MissileType.ROCKET, MissileType.BOUNCER)
    saved = gun.save_data()
    gun.ammo.clear()
    PlayerGun()
    assert not HUD.ammo
    gun.load_data(saved)
    assert HUD.ammo == gun.ammo == [MissileType.ROCKET, MissileType.BOUNCER]


def test_a_reference_to_somebody_who_is_not_on_the_roster_is_refused() -> None:
    room = Room()
    with pytest.raises(SaveError, match="a Player is not on the roster"):
        Roster(room.camera).save()


def test_level_authors_see_fields_by_their_names_for_them() -> None:
    mappings = Room().camera.get_param_name_mappings()
    assert [(m.component_field_name, m.prefab_field_name) for m in mappings] == [
        ("centre", "centre"),
        ("bounds", "bounds"),
        ("zoom", "zoom_level"),
        ("target", "target"),
        ("trail", "trail"),
    ]


def test_each_module_can_be_the_first_to_be_imported() -> None:
    names = [
        f"sample_game.{path.stem}"
        for path in GAME.glob("*.py")
        if path.stem != "__main__"
    ]
    program = (
        "import importlib, sys\n"
        f"for name in {names!r}:\n"
        "    for loaded in [n for n in sys.modules if n.startswith('sample_game')]:\n"
        "        del sys.modules[loaded]\n"
        "    importlib.import_module(name)\n"
    )
    run("-c", program, cwd=ROOT)


# Its prefabs


def test_there_are_prefabs_and_variants_of_them() -> None:
    classes = [prefab.load_class() for prefab in PREFAB_INFO]
    variants = [cls for cls in classes if {*cls.__mro__[1:]} & {*classes}]
    assert len(classes) >= 10 and len(variants) >= 2


def test_every_prefab_is_spawned_saved_and_built_again() -> None:
    manager = SaveLoadManager(REGISTRY, PREFAB_INFO)
    spawned = [manager.spawn(prefab.type) for prefab in MOVABLE]
    before = manager.create_snapshot(strict=True)
    for thing in spawned:
        manager.destroy(thing)
    assert manager.apply_snapshot(before).created == len(MOVABLE)
    assert manager.create_snapshot().digest() == before.digest()
    assert [[n for n, _ in o.numbered] for o in manager.objects] == [
        [*prefab.parts.values()] for prefab in MOVABLE
    ]


def decoded(text: str) -> Any:
    return msgspec.json.decode(text, type=AnySerializer)


def test_what_a_level_says_is_set_and_nothing_else() -> None:
    text = """{"$type": "BatCaveSerializer", "makes": "GOLD_COIN", "every": "PT0S", "bats": 0,
               "places": [], "rivals": ["Grub"], "stopped_by": "BAT"}"""
    with pytest.raises(msgspec.ValidationError, match=r"`int` >= 1 - at `\$.bats`"):
        decoded(text)
    entry = decoded(text.replace('"bats": 0', '"bats": 1'))
    manager = SaveLoadManager(REGISTRY, PREFAB_INFO)
    cave = manager.spawn(entry.get_prefab_type())
    for number, row in entry.get_component_snapshots(manager).items():
        dict(cave.numbered)[number].load_data(row, manager)
    spawner = cave.part("spawner")
    assert spawner.makes is PrefabType.GOLD_COIN and spawner.every == timedelta()
    assert (spawner.most, spawner.places) == (1, [])
    assert spawner.rivals == {"Grub"} and spawner.stopped_by is Bat
    assert spawner.sound is None and cave.part("glow").bounds == Vec2(40, 30)


def test_a_level_refers_to_what_it_has_placed_by_its_id() -> None:
    manager = SaveLoadManager(REGISTRY, PREFAB_INFO)
    gates = [manager.spawn(PrefabType.GATE).part("door") for _ in range(2)]
    lever = manager.spawn(PrefabType.LEVER)
    entry = decoded('{"$type": "LeverSerializer", "doors": ["in", "out"]}')
    level = LocalKeys(placed={"in": gates[0], "out": gates[1]}.__getitem__)
    (row,) = entry.get_component_snapshots(level).values()
    lever.part("switch").load_data(row, level)
    assert lever.part("switch").doors == (*gates,)


def test_an_asset_is_named_in_a_level() -> None:
    text = '{"$type": "BatCaveSerializer", "sound": "flutter"}'
    assets = AssetRegistry()
    assets["flutter"] = flutter = Sound(PurePath("flutter.ogg"))
    manager = SaveLoadManager(REGISTRY, PREFAB_INFO, assets=assets)
    (row,) = decoded(text).get_component_snapshots(manager).values()
    assert row.sound == "flutter" and manager.asset("flutter") is flutter


def test_a_lever_hangs_on_the_gates_it_is_spawned_with() -> None:
    manager = SaveLoadManager(REGISTRY, PREFAB_INFO)
    gate = manager.spawn(PrefabType.GATE).part("door")
    lever = manager.spawn(PrefabType.LEVER, doors=(gate,)).part("switch")
    assert gate.switches == [lever]


def test_levels_are_described_by_a_schema_that_the_template_fits() -> None:
    schema = json.loads((GAME / "_savegen" / "level.schema.json").read_text("utf-8"))
    template = json.loads((GAME / "_savegen" / "template.lvl").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(template)
    assert len(template["sprites"]) == len(MOVABLE)
    entries = [*template["sprites"].values(), *template["tiles"].values()]
    assert len(entries) == len(PREFAB_INFO)
    for entry in entries:
        again = msgspec.json.encode(decoded(json.dumps(entry)))
        assert json.loads(again) == entry
        wrong = {**template, "sprites": {"#ffffff": {**entry, "golt": 1}}}
        assert not validator.is_valid(wrong)


# What is generated for it


def test_what_is_committed_is_up_to_date(copy: Path) -> None:
    before = files(copy)
    assert run("-m", "savegen", "check", cwd=copy) == "up to date\n"
    assert files(copy) == before


def test_what_is_generated_is_what_is_committed(copy: Path) -> None:
    committed = files(copy)
    shutil.rmtree(copy / "_savegen")
    run("-m", "savegen", "build", cwd=copy)
    assert files(copy) == committed


def test_numbers_that_no_lock_has_are_made_of_names_alone(copy: Path) -> None:
    (copy / "savegen.lock").unlink()
    shutil.rmtree(copy / "_savegen")
    run("-m", "savegen", "build", cwd=copy)
    first = (copy / "savegen.lock").read_text(encoding="utf-8")
    lock = parse(first)
    for category in CATEGORIES:
        for birth, home in lock.owners(category).items():
            assert home.number == category.number(birth)
            assert birth == home.location.replace(":", ".")
        for field in lock.fields_of(category).values():
            assert field.number == number_of(field.name) and field.state == "alive"


def test_every_class_is_wired(copy: Path) -> None:
    committed = files(copy)
    assert run("-m", "savegen", "wire", cwd=copy) == "up to date\n"
    assert files(copy) == committed


def test_black_would_change_nothing_in_generated_code() -> None:
    for path in generated(GAME):
        text = path.read_text(encoding="utf-8").replace("# fmt: off\n", "")
        assert black.format_str(text, mode=black.Mode()) == text, path


def test_a_forgotten_build_is_found(copy: Path) -> None:
    camera = copy / "camera.py"
    text = camera.read_text(encoding="utf-8")
    camera.write_text(text.replace('"zoom_level"', '"zoom"'), encoding="utf-8")
    run("-m", "savegen", "check", cwd=copy, code=1)


def test_make_build_names_a_class_and_the_module_generated_for_it() -> None:
    root = Path(__file__).parents[1]
    makefile = (root / "Makefile").read_text()
    found = re.search(r"compare class (\w+) in (\S+) with ([^\s\"]+)", makefile)
    assert found
    name, source, module = found.groups()
    marked = rf"(?m)^@saveable.*\n(?:@.*\n)*class {name}\({name}SaveLoad\b"
    assert re.search(marked, (root / source).read_text())
    assert f"class {name}SaveLoad" in (root / module).read_text()

"""`savegen build` as its users meet it: three passes in one."""

from __future__ import annotations

import json
import os
import re
import signal
import time

import pytest

from savegen import disk
from tests.cli.games import TABLE, Game
from tests.cli.prefabricated import PASS_2, PASS_3, another, prefabricated

OUT = "game/_savegen"
INFO = f"{OUT}/prefab_info.json"
SOURCES = f"{OUT}/prefab_sources.txt"
posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX system")


@pytest.fixture
def camp(bare: Game) -> Game:
    """A game with a prefab, nothing generated."""
    return prefabricated(bare)


@pytest.fixture
def built(camp: Game) -> Game:
    assert camp.run("build").code == 0
    return camp


def test_one_command_writes_everything(camp):
    said = camp.door("build")
    assert said.code == 0 and said.err == ""
    shared = ["__init__.py", "components/__init__.py", "components/orc.py"]
    assert camp.generated() == sorted(
        [*shared, "registry.py", "types.py", *PASS_2, *PASS_3]
    )
    lines = said.out.splitlines()
    assert lines[-1] == "wrote 13 files"
    assert len(lines) == 14 and len({*lines}) == 14  # each file once
    for command in ("build", "components", "prefabs", "links", "check"):
        assert camp.door(command) == (0, "up to date\n", ""), command


def test_it_writes_what_the_passes_write_one_by_one(make_game):
    one, other = (prefabricated(make_game(name)) for name in ("one", "other"))
    assert one.run("build").code == 0
    for command in ("components", "prefabs", "links"):
        assert other.run(command).code == 0
    assert one.files() == other.files()


def test_a_game_without_prefabs_is_built_without_being_run(game):
    game.append("game/__init__.py", "raise SystemExit\n")
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    written = (
        f"wrote {OUT}/components/orc.py\nwrote {OUT}/registry.py\n"
        "wrote savegen.lock\nwrote 3 files\n"
    )
    assert game.run("build") == (0, written, "")
    assert game.run("build", "--no-cache") == (0, "up to date\n", "")


def test_a_method_that_changes_writes_no_code(built):
    built.append("game/orc.py", "\n    def roar(self) -> None: ...\n")
    assert built.run("build") == (0, f"wrote {SOURCES}\nwrote 1 file\n", "")


def test_a_finding_of_any_pass_keeps_everything_from_being_written(built):
    built.append("game/orc.py", "\n    mp: Saved[str] = ''\n")
    built.replace("game/camp.py", "part(Orc, 5)", "part(Orc, 5).set(nope=1)")
    before = built.files()
    said = built.run("build")
    assert said.code == 1 and "error[SG403]" in said.out
    assert built.files() == before
    built.replace("game/camp.py", ".set(nope=1)", "")
    assert f"wrote {OUT}/components/orc.py\n" in built.run("build").out
    assert built.run("check") == (0, "up to date\n", "")


def test_what_fails_in_the_game_leaves_the_code_that_it_needs(built):
    another(built, "Elf", "1 / 0")
    before = built.read(INFO)
    said = built.run("build")
    assert said.code == 1 and "error[SG411]" in said.out
    assert f"wrote {OUT}/components/elf.py\n" in said.out
    assert not said.out.splitlines()[-1].startswith("wrote 6 files")
    assert built.read(INFO) == before
    built.replace("game/elf.py", "1 / 0", "pass")
    assert built.run("build").out.splitlines()[-1] == "wrote 4 files"


def test_a_game_that_dies_does_not_hide_what_was_written(camp):
    another(camp, "Elf", "import os; os._exit(3)")
    said = camp.run("build", "--output-format", "json")
    assert said.code == 2 and json.loads(said.out) == []
    assert f"wrote {OUT}/prefabs.py\n" in said.err and "exit code 3" in said.err


def test_all_findings_are_one_document(camp):
    another(camp, "Elf", "1 / 0")
    camp.marked("game/new.py", "New")
    said = camp.run("build", "--no-wire", "--output-format", "json")
    assert [each["code"] for each in json.loads(said.out)] == ["SG411", "SG110"]


def test_a_build_that_wires_does_not_ask_for_it_beside_other_errors(camp):
    camp.marked("game/new.py", "New", "hp: Saved[object]")
    said = camp.run("build")
    assert said.code == 1 and "SG204" in said.out and "SG110" not in said.out
    said = camp.run("build", "--no-wire")
    assert said.code == 1 and "SG204" in said.out and "SG110" in said.out


def test_with_locked_nothing_is_written_if_the_lock_would_change(built):
    assert built.run("build", "--locked") == (0, "up to date\n", "")
    another(built, "Elf", "pass")
    before = built.files()
    said = built.run("build", "--locked")
    assert said.code == 1 and said.out.startswith("savegen.lock would change\n+ ")
    assert said.err == "run `savegen build` and commit savegen.lock to fix this\n"
    assert built.files() == before


def test_a_comment_for_pass_2_is_checked_in_a_game_without_prefabs(game):
    assert game.run("build").code == 0
    game.append("game/orc.py", "    # a comment\n")
    assert game.run("build") == (0, "up to date\n", "")
    game.append("game/orc.py", "    # savegen: ignore[SG405]\n")
    for _ in range(2):
        said = game.run("build")
        assert said.code == 0 and "warning[SG107]" in said.out


def test_strict_takes_warnings_of_every_pass_for_errors(built):
    line = "    orc = part(Orc, 5)"
    built.replace("game/camp.py", line, f"{line}  # savegen: ignore[SG405]")
    before = built.files()
    said = built.run("build", "--strict")
    assert said.code == 1 and "error[SG107]" in said.out
    assert built.files() == before
    said = built.run("build")
    assert said.code == 0 and "warning[SG107]" in said.out
    said = built.run("build", "--strict")
    assert said.code == 1 and "error[SG107]" in said.out


def test_paths_limit_which_mixins_are_rewritten(built):
    another(built, "Elf", "pass")
    assert built.run("build").code == 0
    for path in ("game/orc.py", "game/elf.py"):
        built.replace(
            path,
            "    hp: Saved[int] = 3\n",
            "    hp: Saved[int] = 3\n    mp: Saved[str] = ''\n",
        )
    built.replace("game/elf.py", 'show(hp="elf_hp")', 'show(hp="elf_hp", mp=None)')
    said = built.run("build", "game/orc.py")
    assert said.code == 0 and f"wrote {OUT}/components/orc.py\n" in said.out
    assert "components/elf.py" not in said.out
    assert said.err == "pass 3 was skipped: files outside PATHS are out of date\n"
    assert f"would change {OUT}/components/elf.py\n" in built.run("check").out
    for command, hint in (  # for these all of the game counts
        ("prefabs", "run `savegen components` first\n"),
        ("links", "run `savegen build` instead\n"),
    ):
        said = built.run(command, "game/orc.py")
        assert (said.code, said.err) == (1, hint)
    assert built.run("build").code == 0
    assert built.run("check") == (0, "up to date\n", "")


def test_a_time_that_is_none_is_refused(camp):
    for seconds in ("0", "-1", "nan", "x", "1.5"):
        assert camp.run("build", "--timeout", seconds).code == 2, seconds
    assert "game/_savegen/types.py" not in camp.files()


def test_two_at_once_leave_a_whole_game(camp):
    running = [camp.start("build") for _ in range(3)]
    said = [
        (process.communicate(timeout=120), process.returncode) for process in running
    ]
    assert [code for _, code in said] == [0, 0, 0], said
    assert sum("wrote 13 files" in out for (out, _), _ in said) == 1
    assert camp.run("check", "--no-cache") == (0, "up to date\n", "")


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_while_the_game_runs_the_next_build_goes_on(camp, number):
    slow = "import os, time; open('begun', 'w').close(); time.sleep(9)"
    another(camp, "Elf", slow)
    with camp.start("build") as process:
        while not (camp.folder / "begun").exists():
            assert process.poll() is None
        process.send_signal(number)
        process.communicate(timeout=30)
    assert set(PASS_2) < {*camp.generated()} and not {*PASS_3} & {*camp.generated()}
    said = camp.run("check")
    assert said.code == 1 and said.err == "run `savegen build` to fix this\n"
    camp.replace("game/elf.py", slow, "pass")
    assert camp.run("build").code == 0
    assert camp.run("check") == (0, "up to date\n", "")


@pytest.mark.parametrize(
    ("gone", "verb"),
    [
        (["components/orc.py"], "components"),
        (["prefabs.py"], "prefabs"),
        (["template.lvl"], "links"),
        (["components/orc.py", "template.lvl"], "build"),
        (["types.py", "prefabs.py"], "build"),
    ],
)
def test_check_names_build_though_one_pass_would_do(built, gone, verb):
    clean = built.files()
    for path in gone:
        built.remove(f"{OUT}/{path}")
    said = built.run("check")
    assert said.code == 1 and said.err == "run `savegen build` to fix this\n"
    missing = {f"would write {OUT}/{path}" for path in gone}
    assert {*said.out.splitlines()} == missing
    assert built.run(verb).code == 0
    assert built.files() == clean and built.run("check").code == 0


def test_check_shows_the_lines_of_all_passes(built):
    built.replace("game/camp.py", "Where orcs live.", "Where orcs sleep.")
    said = built.run("check", "--diff")
    assert '+    """Where orcs sleep."""' in said.out
    assert f"would change {SOURCES}\n" in said.out


def test_the_configuration_is_part_of_what_mends(built):
    built.write("other.toml", TABLE)
    built.remove(f"{OUT}/prefabs.py")
    built.remove(f"{OUT}/types.py")
    said = built.run("check", "--config", "other.toml")
    assert said.err == "run `savegen build --config other.toml` to fix this\n"


def test_numbers_begin_anew_for_prefabs_too(built):
    before = built.files()
    said = built.run("lock", "reset", "--yes")
    assert said.code == 0 and "prefab game.camp.Camp" in built.lock()
    assert built.files() == before


def test_a_release_knows_the_prefabs(built):
    assert built.run("release", "v1").code == 0
    assert "prefab game.camp.Camp" in built.lock("v1/savegen.lock")


def test_verbose_counts_what_was_read_unless_nothing_had_to_be(built):
    seen = r"read \d source files: 1 class and 1 prefab \(\d\.\d s\)\n"
    assert re.search(seen, built.run("build", "--verbose", "--no-cache").err)
    time.sleep(0.1)
    assert built.run("build").out == "up to date\n"
    assert built.run("build", "--verbose") == (0, "up to date\n", "")


@pytest.fixture
def unwired(game):
    """A wired game, and one class that has just been marked."""
    game.marked("game/rat.py", "Rat")
    return game


def test_a_newly_marked_class_is_wired_and_built_at_once(unwired):
    said = unwired.door("build")
    assert said.code == 0 and said.err == ""
    lines = said.out.splitlines()
    assert lines[0] == "wrote game/rat.py"
    assert f"wrote {OUT}/components/rat.py" in lines
    assert lines[-1] == f"wrote {len(lines) - 1} files"
    assert "class Rat(RatSaveLoad):" in unwired.read("game/rat.py")
    for command in ("build", "check", "wire"):
        assert unwired.door(command) == (0, "up to date\n", ""), command
    unwired.python("import game.rat")


def test_a_class_that_is_generated_but_not_wired_is_wired(unwired):
    unwired.run("components")
    assert unwired.run("build") == (0, "wrote game/rat.py\nwrote 1 file\n", "")


def test_a_class_in_a_game_with_prefabs_is_wired_before_the_prefabs_are_built(bare):
    camp = prefabricated(bare)
    camp.run("build")
    text = camp.read("game/orc.py")
    camp.replace("game/orc.py", "(OrcSaveLoad)", "")
    imported = next(line for line in text.splitlines() if "import OrcSaveLoad" in line)
    camp.replace("game/orc.py", imported + "\n", "")
    assert camp.run("build").code == 0
    assert "(OrcSaveLoad" in camp.read("game/orc.py")


@pytest.mark.parametrize("words", (["--no-wire"], ["--no-wire", "--no-cache"]))
def test_without_wiring_the_source_is_left_alone_and_the_class_is_told(unwired, words):
    before = unwired.read("game/rat.py")
    for times in range(2):
        said = unwired.run("build", *words)
        assert said.code == 0 and "warning[SG110]" in said.out, times
    assert unwired.read("game/rat.py") == before
    assert unwired.run("build").out.startswith("wrote game/rat.py\n")


NOT_WIRED = "a marked class is not wired: run `savegen build` to fix this\n"


@pytest.mark.parametrize("command", ["build", "components", "prefabs"])
def test_with_locked_a_class_that_is_not_wired_fails_and_nothing_is_written(
    unwired, command
):
    unwired.run("components")
    unwired.append("game/orc.py", "    # a comment\n")
    before = unwired.files()
    for _ in range(2):
        said = unwired.run(command, "--locked")
        assert said.code == 1 and "warning[SG110]" in said.out
        assert "would change game/rat.py\n" in said.out and said.err == NOT_WIRED
    assert unwired.files() == before
    unwired.run("build")
    assert unwired.run(command, "--locked").code == 0


def test_components_writes_the_code_of_a_class_that_is_not_wired_and_says_so(unwired):
    said = unwired.run("components")
    assert said.code == 0 and "warning[SG110]: `Rat`" in said.out
    assert f"wrote {OUT}/components/rat.py\n" in said.out


@pytest.mark.parametrize("command", ["build", "components", "prefabs"])
def test_with_locked_a_class_that_is_silenced_need_not_be_wired(unwired, command):
    unwired.replace("game/rat.py", "Rat:", "Rat:  # savegen: ignore[SG110]")
    unwired.run("components")
    assert unwired.run(command, "--locked").code == 0


def test_a_build_with_an_error_wires_nothing(unwired):
    unwired.append("game/orc.py", "    bad: Saved[list]\n")
    before = unwired.files()
    said = unwired.run("build")
    assert said.code == 1 and "error[SG206]" in said.out
    assert unwired.files() == before


def test_an_error_of_pass_2_wires_nothing(built):
    built.marked("game/rat.py", "Rat")
    built.replace("game/camp.py", "part(Orc, 5)", "part(Orc, 5).set(nope=1)")
    before = built.files()
    said = built.run("build")
    assert said.code == 1 and "error[SG403]" in said.out
    assert built.files() == before


def test_a_class_that_cannot_be_wired_is_an_error_and_nothing_is_written(unwired):
    unwired.append("game/rat.py", "\n\nRatSaveLoad = 3\n")
    unwired.marked("game/elk.py", "Elk")
    before = unwired.files()
    said = unwired.run("build")
    assert said.code == 1 and "error[SG106]" in said.out
    assert unwired.files() == before


@posix
@pytest.mark.parametrize(
    ("path", "target", "reason"),
    [
        (OUT, "..", "is a symbolic link that points outside the project"),
        (OUT, None, "is a file where a folder is needed"),
        (f"{OUT}/components", ".", "is a symbolic link inside the output"),
        (f"{OUT}/registry.py", "x", "is a symbolic link, which savegen does not"),
        (f"{OUT}/registry.py", None, "was not written by savegen"),
        (INFO, "x", "is a symbolic link, which savegen does not follow"),
        ("savegen.lock", "x", "is a symbolic link, which savegen does not follow"),
    ],
)
def test_where_the_code_cannot_be_written_no_source_is_wired(
    camp, path, target, reason
):
    camp.marked("game/rat.py", "Rat")
    place = camp.folder / path
    place.parent.mkdir(exist_ok=True)
    if target is None:
        place.write_text("mine = 1\n")
    else:
        place.symlink_to(camp.folder / target if target != ".." else "/")
    before = camp.files()
    said = camp.run("build")
    assert said.code == 2 and f"{path} {reason}" in said.err
    assert camp.files() == before


def test_where_the_disk_refuses_the_code_no_source_is_wired(unwired, monkeypatch):
    def create(path, *parts, mode=None):
        if "_savegen" in path:
            raise PermissionError(13, "Permission denied", path)
        return create_file(path, *parts, mode=mode)

    create_file = disk.create
    monkeypatch.setattr(disk, "create", create)
    before = unwired.files()
    said = unwired.run("build")
    assert said.code == 2 and "Permission denied" in said.err
    assert unwired.files() == before


@posix
def test_a_source_that_is_a_link_is_not_replaced(unwired):
    (unwired.folder / "game/rat.py").rename(unwired.folder / "rat.txt")
    (unwired.folder / "game/rat.py").symlink_to("../rat.txt")
    before = unwired.files()
    said = unwired.run("build")
    assert said.code == 2 and "does not write through links; replace it" in said.err
    assert unwired.files() == before


def test_strict_does_not_mind_a_class_that_it_wires(unwired):
    assert unwired.run("build", "--strict").code == 0
    assert "(RatSaveLoad)" in unwired.read("game/rat.py")


def test_a_silenced_class_is_not_wired(unwired):
    unwired.replace("game/rat.py", "Rat:", "Rat:  # savegen: ignore[SG110]")
    before = unwired.read("game/rat.py")
    assert unwired.run("build").code == 0
    assert unwired.read("game/rat.py") == before


def test_paths_limit_which_classes_are_wired(unwired):
    unwired.marked("game/elk.py", "Elk")
    said = unwired.run("build", "game/elk.py")
    assert said.code == 0 and said.out.count("SG110") == 1
    assert "(ElkSaveLoad)" in unwired.read("game/elk.py")
    assert "(RatSaveLoad)" not in unwired.read("game/rat.py")


def test_a_base_that_is_not_the_first_is_moved(unwired):
    unwired.run("build")
    unwired.replace("game/rat.py", "(RatSaveLoad)", "(Body, RatSaveLoad)")
    unwired.replace("game/rat.py", "@saveable", "class Body: ...\n\n\n@saveable")
    assert unwired.run("build").out.startswith("wrote game/rat.py\n")
    assert "(RatSaveLoad, Body)" in unwired.read("game/rat.py")


def test_a_bare_game_is_wired_and_built(bare):
    bare.marked("game.py", "Orc")
    assert bare.run("build", "game.py").out.startswith("wrote game.py\n")
    bare.python("import game")


def test_check_reports_a_class_that_build_would_wire(unwired):
    unwired.run("build", "--no-wire")
    before = unwired.files()
    for words in ([], ["--no-cache"]):
        said = unwired.run("check", *words)
        assert said.code == 1 and "would change game/rat.py\n" in said.out
        assert said.err == "run `savegen build` to fix this\n"
    assert "+class Rat(RatSaveLoad):" in unwired.run("check", "--diff").out
    assert unwired.files() == before

"""`savegen prefabs` as its users meet it: pass 2, and one output folder for three passes."""

from __future__ import annotations

import json

import pytest

from tests.cli.games import Game
from tests.cli.prefabricated import PASS_2, PASS_3, another, prefabricated
from tests.project import git, repository

OUT = "game/_savegen"
WROTE = [f"{OUT}/{name}" for name in (*PASS_2, "types.py")] + ["savegen.lock"]
NO_PREFAB = "no class is marked `@prefab`\n"


@pytest.fixture
def camp(bare: Game) -> Game:
    """A game with a prefab, after pass 1."""
    assert prefabricated(bare).run("components").code == 0
    return bare


@pytest.fixture
def built(camp: Game) -> Game:
    """A game with a prefab, after all passes."""
    assert camp.run("build").code == 0
    return camp


# What it writes


def test_pass_2_writes_its_files_and_then_has_nothing_to_do(camp):
    lines = [f"wrote {path}\n" for path in WROTE]
    assert camp.door("prefabs") == (0, "".join(lines) + "wrote 5 files\n", "")
    assert camp.door("prefabs") == (0, "up to date\n", "")
    assert "CAMP = " in camp.read(f"{OUT}/types.py")
    assert camp.run("components") == (0, "up to date\n", "")


def test_its_outputs_can_be_listed(camp):
    listed = "".join(f"{path}\n" for path in WROTE)
    assert camp.run("prefabs", "--list-outputs") == (0, listed, "")


def test_a_game_without_prefabs_has_nothing_to_do_for_it(game):
    before = game.files()
    for command in ("prefabs", "links"):
        assert game.run(command) == (0, "up to date\n", NO_PREFAB)
        assert game.run(command, "--no-cache") == (0, "up to date\n", NO_PREFAB)
    assert game.run("build") == (0, "up to date\n", "")
    assert game.files() == before


def test_what_there_was_of_prefabs_goes_with_the_last_one(built):
    built.remove("game/camp.py")
    said = built.run("check")
    assert said.code == 1 and said.err == "run `savegen build` to fix this\n"
    assert f"would remove {OUT}/template.lvl\n" in said.out
    said = built.run("prefabs")
    assert said.code == 0 and said.err == NO_PREFAB
    removed = "".join(f"removed {OUT}/{name}\n" for name in sorted(PASS_2 + PASS_3))
    assert removed in said.out and "CAMP" not in built.read(f"{OUT}/types.py")
    assert built.run("check") == (0, "up to date\n", "")


def test_a_module_called_prefabs_has_its_mixins_beside_the_others(built):
    built.marked("game/prefabs.py", "Elf")
    assert built.run("wire").code == built.run("build").code == 0
    assert "ElfSaveLoad" in built.read(f"{OUT}/components/prefabs.py")
    assert "CampSerializer" in built.read(f"{OUT}/prefabs.py")
    assert built.run("check") == (0, "up to date\n", "")


def test_what_was_changed_by_hand_is_kept(built):
    built.append(f"{OUT}/prefabs.py", "# mine\n")
    assert f"would replace hand-edited {OUT}/prefabs.py\n" in built.run("check").out
    assert built.run("components").code == 0  # which is another pass's business
    said = built.run("prefabs")
    assert (
        said.code == 0 and "was edited by hand; a copy of your edits is in" in said.err
    )
    kept = ".savegen_cache/replaced/game/_savegen/prefabs.py"
    assert built.read(kept).endswith("# mine\n")


def test_clean_takes_the_files_of_all_passes(built):
    said = built.run("clean")
    assert said.code == 0 and said.err == "run `savegen build` to write them again\n"
    assert built.generated() == []


# When it is refused


def test_it_is_refused_while_pass_1_has_something_to_do(camp):
    camp.append("game/orc.py", "\n    mp: Saved[str] = ''\n")
    before = camp.files()
    files = (f"{OUT}/components/orc.py", f"{OUT}/registry.py", "savegen.lock")
    changed = "".join(f"would change {file}\n" for file in files)
    assert camp.door("prefabs") == (1, changed, "run `savegen components` first\n")
    assert camp.files() == before
    assert camp.run("components").code == camp.run("prefabs").code == 0


def test_it_tells_what_pass_1_finds(camp):
    camp.append("game/orc.py", "    bag: Saved[list] = ()\n")
    said = camp.run("prefabs")
    assert said.code == 1 and "error[SG" in said.out and "first" not in said.err


def test_its_own_findings_keep_it_from_writing_and_pass_1_does_not_tell_them(camp):
    camp.replace("game/camp.py", "part(Orc, 5)", "part(Orc, 5).set(mp=1)")
    before = camp.files()
    assert camp.run("components") == (0, "up to date\n", "")
    for command in ("prefabs", "links", "build", "check"):
        said = camp.run(command)
        assert said.code == 1 and "error[SG403]" in said.out, command
    assert camp.files() == before


def test_with_locked_a_change_of_the_lock_is_refused(camp):
    before = camp.files()
    said = camp.run("prefabs", "--locked")
    assert said.code == 1 and said.out.startswith("savegen.lock would change\n+ ")
    assert said.err.startswith("run `savegen prefabs` and commit savegen.lock")
    assert camp.files() == before
    camp.run("prefabs")
    assert camp.run("prefabs", "--locked") == (0, "up to date\n", "")


def test_findings_are_one_document_as_json(camp):
    camp.replace("game/camp.py", "part(Orc, 5)", "part(Orc, 5).set(mp=1)")
    said = camp.run("prefabs", "--output-format", "json")
    assert [each["code"] for each in json.loads(said.out)] == ["SG403"]


# What passes leave to each other


def test_pass_1_keeps_what_the_others_have_written(built):
    others = {path: built.read(f"{OUT}/{path}") for path in PASS_2 + PASS_3}
    built.append("game/orc.py", "\n    mp: Saved[str] = ''\n")
    assert built.run("components").code == 0
    assert {path: built.read(f"{OUT}/{path}") for path in others} == others
    said = built.run("check")
    assert said.code == 1 and f"would change {OUT}/prefabs.py\n" in said.out
    assert said.err == "run `savegen build` to fix this\n"


@pytest.mark.parametrize(
    "command", ["components", "prefabs", "links", "build", "check"]
)
def test_after_a_build_no_pass_has_anything_to_do(built, command):
    assert built.door(command) == (0, "up to date\n", "")


LOADED = """\
import sys
from savegen import cli
code = cli.run(sys.argv[1:])
heavy = ("libcst", "jinja2", "black", "msgspec", "subprocess")
print(code, *(name for name in heavy if name in sys.modules))
"""


@pytest.mark.parametrize(
    "command", ["components", "prefabs", "links", "build", "check"]
)
def test_to_find_that_out_nothing_heavy_is_loaded(built, command):
    # The first may have been too soon to be trusted.
    assert built.run("build").code == 0
    done = built.python(f"import sys; sys.argv = ['', {command!r}]\n{LOADED}")
    assert done == "up to date\n0\n"


def test_a_pass_is_not_held_back_by_what_a_later_one_has_to_do(camp):
    assert camp.run("components") == (0, "up to date\n", "")
    assert camp.run("prefabs").out.endswith("wrote 5 files\n")
    camp.remove(f"{OUT}/prefabs.py")
    assert camp.run("components") == (0, "up to date\n", "")
    assert camp.run("prefabs").out == f"wrote {OUT}/prefabs.py\nwrote 1 file\n"


def stamps(game: Game, edited: str) -> dict[str, int]:
    """Return when each file but one was written."""
    others = (path for path in game.files() if path != edited)
    return {path: (game.folder / path).stat().st_mtime_ns for path in others}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("game/orc.py", "self.hp = hp", "self.hp = max(hp, 1)"),
        ("game/orc.py", "\n\n@saveable", "\n\n# green\n@saveable"),
        ("game/camp.py", "part(Orc, 5)", "part(Orc, hp=7)"),
    ],
)
def test_what_no_output_is_made_of_makes_none_anew(camp, path, old, new):
    assert camp.run("prefabs").code == 0
    before = stamps(camp, path)
    camp.replace(path, old, new)
    for verb in ("components", "prefabs"):
        assert camp.run(verb).out == "up to date\n"
    assert stamps(camp, path) == before


def test_a_first_prefab_is_seen_although_no_mixin_changes(game):
    assert game.run("check").code == 0
    game.append("game/orc.py", "\n\nfrom savegen import part, prefab\n\n\n")
    game.append("game/orc.py", "@prefab\nclass Camp:\n    orc = part(Orc)\n")
    assert game.run("components") == (0, "up to date\n", "")
    said = game.run("check")
    assert said.code == 1 and f"would write {OUT}/prefabs.py\n" in said.out
    assert game.run("prefabs").out.endswith("wrote 5 files\n")


# Comments that silence its findings


def test_a_comment_for_a_finding_of_pass_2_is_not_idle_in_pass_1(camp):
    line = "    orc = part(Orc, 5)"
    camp.replace("game/camp.py", line, f"{line}  # savegen: ignore[SG405]")
    assert camp.run("components", "--no-cache") == (0, "up to date\n", "")
    assert "SG107" in camp.run("prefabs").out
    assert "SG107" in camp.run("prefabs").out  # and again, where nothing is to be done
    assert camp.run("components") == (0, "up to date\n", "")
    assert camp.run("prefabs", "--strict").code == 1


# What a commit will have


@pytest.fixture
def repo(built: Game) -> Game:
    repository(built.folder)
    return built


def test_a_new_prefab_goes_through_both_hooks(repo):
    another(repo, "Elf", "pass")
    git(repo.folder, "add", "game/elf.py")
    assert repo.run("components", "--tracked").code == 1  # its mixin is to be added
    said = repo.run("prefabs", "--tracked")
    assert said.code == 0 and "wrote game/_savegen/prefabs.py\n" in said.out
    said = repo.run("check", "--tracked")
    assert said.code == 1 and said.err == "run `savegen links` to fix this\n"


def test_a_file_of_pass_2_that_is_not_added_is_told(repo):
    git(repo.folder, "rm", "-q", "--cached", f"{OUT}/prefabs.py")
    for verb in ("prefabs", "check"):
        said = repo.run(verb, "--tracked")
        assert said.code == 1 and f"untracked {OUT}/prefabs.py\n" in said.out
    assert repo.run("components", "--tracked").code == 0


def test_an_untracked_prefab_counts_as_absent(repo):
    another(repo, "Elf", "pass")
    assert repo.run("components", "--tracked").code == 0
    assert repo.run("prefabs", "--tracked") == (0, "up to date\n", "")
    said = repo.run("check", "--tracked")
    assert said.code == 0, said
    mend = "run `savegen components --tracked && savegen prefabs --tracked` to fix this"
    repo.replace("game/orc.py", "hp:", "health:")
    repo.replace("game/orc.py", "self.hp", "self.health")
    repo.run("lock", "retire", "Orc.hp")
    assert mend.rpartition(" && ")[0] in repo.run("check", "--tracked").err


# Games of other shapes


def test_a_game_of_one_file_has_prefabs(bare):
    bare.write(
        "my game.py",
        "from savegen import Saved, part, prefab, saveable\n\n\n"
        "@saveable(prefab=True)\nclass Orc:\n    hp: Saved[int] = 3\n",
    )
    bare.folder.joinpath("my game.py").rename(bare.folder / "game.py")
    assert (
        bare.run("prefabs", "game.py").err == "run `savegen components game.py` first\n"
    )
    assert bare.run("components", "-q", "game.py").code == 0
    assert bare.run("prefabs", "-q", "game.py").code == 0
    assert "ORC = " in bare.read("_savegen/types.py").partition("PrefabType")[2]
    assert bare.run("wire", "game.py").code == 0
    assert bare.run("build", "game.py").code == 0
    assert '"ORC"' in bare.read("_savegen/prefab_info.json")
    assert bare.door("build", "game.py") == (0, "up to date\n", "")
    assert bare.door("links", "game.py") == (0, "up to date\n", "")
    assert bare.door("check", "game.py") == (0, "up to date\n", "")

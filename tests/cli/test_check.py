"""`savegen check`: what a run would do, told without doing it."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.games import TABLE

MEND = "run `savegen build` to fix this\n"
ORC = "game/_savegen/components/orc.py"
SHARED = "would change game/_savegen/registry.py\nwould change savegen.lock\n"


@pytest.fixture(params=["with a cache", "without a cache", "with a lost cache"])
def check(request, game):
    """Run `savegen check`, which must leave everything as it is."""

    def check(*words: str):
        if request.param == "with a lost cache":
            shutil.rmtree(game.folder / ".savegen_cache", ignore_errors=True)
        options = ["--no-cache"] if request.param == "without a cache" else []
        before = game.files(), (game.folder / ".savegen_cache").exists()
        said = game.run("check", *options, *words)
        assert (game.files(), (game.folder / ".savegen_cache").exists()) == before
        return said

    return check


def test_a_clean_project_is_up_to_date(check):
    assert check() == (0, "up to date\n", "")


def test_warnings_are_told_and_are_no_drift(game, check):
    game.append("game/orc.py", "\n    def __init__(self): self.mp = 1\n")
    assert game.run("components").code == 0
    said = check()
    assert said.code == 0 and said.err == ""
    assert "warning[SG140]" in said.out and said.out.endswith("1 warning\nup to date\n")


def test_errors_are_told_like_those_of_a_run(game, check):
    game.append("game/orc.py", "    bag: Saved[list] = ()\n")
    said = check()
    assert said.code == 1 and said.out == game.run("components").out


def test_a_changed_source_is_told_by_what_it_would_change(game, check):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    assert check() == (
        1,
        f"would change {ORC}\n{SHARED}",
        MEND,
    )


def test_a_missing_output_is_told(game, check):
    game.remove(ORC)
    assert check() == (1, f"would write {ORC}\n", MEND)


def test_an_orphan_is_told(game, check):
    game.remove("game/orc.py")
    shared = (
        "would change game/_savegen/registry.py\nwould change game/_savegen/types.py\n"
        "would change savegen.lock\n"
    )
    assert check() == (1, f"{shared}would remove {ORC}\n", MEND)


def test_an_edit_by_hand_is_told_as_far_as_it_can_be_known(game, request, check):
    game.append(ORC, "# mine\n")
    lost = "lost cache" in request.node.name
    assert check() == (
        1,
        f"would {'change' if lost else 'replace hand-edited'} {ORC}\n",
        MEND,
    )


def test_a_missing_lock_is_told(game, check):
    game.remove("savegen.lock")
    assert check() == (1, "would write savegen.lock\n", MEND)


def test_a_mix_of_old_and_new_files_is_told(game, check):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    old = game.files()
    game.run("components")
    game.write("savegen.lock", old["savegen.lock"])
    assert check() == (1, "would change savegen.lock\n", MEND)


def test_the_difference_is_shown_on_demand(game, check):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    game.remove("game/foes/elf.py")
    lines = check("--diff").out.splitlines()
    changed = ["would change ", "would remove "]
    said = [line for line in lines if line.startswith(tuple(changed))]
    assert len(said) == 6 and said[-1].startswith("would remove")
    for line in said:
        path = line.split()[2]
        after = lines[lines.index(line) + 1 :][:2]
        assert after == [f"--- a/{path}", f"+++ b/{path}"]
    assert "+    mp: str" in lines and "-class ElfFields(IntEnum):" in lines


def test_a_difference_in_line_ends_alone_is_named(game, check):
    game.write(ORC, game.read(ORC).replace("\n", "\r\n"))
    said = check("--diff")
    assert said.code == 1
    assert said.out == f"would change {ORC}\nonly the line endings differ\n"


def test_paths_limit_what_is_looked_at(game, check):
    for path in ("game/orc.py", "game/foes/elf.py"):
        game.append(path, "    mp: Saved[str] = ''\n")
    said = check("game/orc.py")
    assert said == (
        1,
        f"would change {ORC}\n{SHARED}",
        "run `savegen build game/orc.py` to fix this\n",
    )


def test_what_it_says_is_mended_by_what_it_says(game, check):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    words = check().err.split("`")[1].split()[1:]
    assert game.run(*words).code == 0
    assert check() == (0, "up to date\n", "")


def test_a_bare_game_is_checked_by_its_files(bare):
    bare.marked("my game/orc.py", "Orc")
    said = bare.run("check", "-q", "my game/orc.py")
    assert said.code == 1 and "would write my game/_savegen/registry.py\n" in said.out
    said = bare.run("check", "my game/orc.py")
    assert said.err == "run `savegen build 'my game/orc.py'` to fix this\n"
    bare.run("components", "my game/orc.py")
    bare.marked("my game/orc.py", "Orc", "hp: Saved[int] = 3", "mp: Saved[str] = ''")
    assert bare.run("check", "my game/orc.py").code == 1


def test_other_commands_name_what_mends_in_the_same_way(game, bare):
    game.write("other.toml", TABLE)
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    words = ("components", "--config", "other.toml", "game/orc.py")
    said = game.run("components", "--locked", *words[1:])
    mend = f"run `savegen {' '.join(words)}` and commit savegen.lock to fix this\n"
    assert said.code == 1 and said.err == mend
    said = game.run("release", "v1", *words[1:3])
    assert (
        said.code == 1 and "run `savegen build --config other.toml` first" in said.err
    )
    said = game.run("clean", "--config", "other.toml")
    mend = "run `savegen build --config other.toml` to write them again\n"
    assert said.err == mend


def test_what_was_cleaned_of_a_bare_game_is_written_again_by_its_files(bare):
    bare.marked("my game/orc.py", "Orc")
    bare.run("components", "my game/orc.py")
    said = bare.run("clean", "my game/orc.py")
    assert said.err == "run `savegen build 'my game/orc.py'` to write them again\n"


def test_another_configuration_is_part_of_what_mends(game):
    game.write(
        "other.toml", TABLE + 'output = "game/_made"\nexclude = ["game/_savegen"]\n'
    )
    said = game.run("check", "--config", "other.toml")
    assert said.code == 1
    assert said.err == "run `savegen build --config other.toml` to fix this\n"


def test_paths_are_told_as_they_are_reached(game):
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    said = game.run("check", "--diff", cwd="game/foes")
    assert "would change ../_savegen/components/orc.py\n" in said.out
    assert "+++ b/../_savegen/components/orc.py\n" in said.out


def test_the_real_door_gives_the_same(game):
    assert game.door("check") == (0, "up to date\n", "")
    game.append("game/orc.py", "    mp: Saved[str] = ''\n")
    assert game.door("check") == (
        1,
        f"would change {ORC}\n{SHARED}",
        MEND,
    )
    assert game.door("check", "-q") == (
        1,
        f"would change {ORC}\n{SHARED}",
        "",
    )

"""`savegen init`: what it writes, and that it writes all of it or nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
import yaml

from savegen import disk
from savegen.build import write
from savegen.build.init import plan
from savegen.findings import SavegenError
from tests.cli.games import TABLE, Game
from tests.project import git, repository, try_python

TABLE_OF = '[tool.savegen]\nsource = "{}"\n'
ABSENT = (
    "`savegen init --optional` would also create Makefile, .pre-commit-config.yaml,"
    " .vscode/settings.json\n"
)
NEXT = (
    "next: mark your classes with `@saveable`, or run `savegen adopt`; then run"
    " `savegen build`\n"
)
FILES = {".gitattributes", ".gitignore", "pyproject.toml"}


@pytest.fixture
def fresh(bare: Game) -> Game:
    """A package without any configuration."""
    bare.write("mygame/__init__.py", "")
    return bare


def refusal(game: Game, *words: str) -> str:
    """Run `init`, which has to be refused and to change nothing; return why."""
    before = game.files()
    said = game.run("init", *words)
    assert said.code == 2 and said.out == ""
    assert game.files() == before
    return said.err.removeprefix("error: ").removesuffix("\n")


# What it writes


def test_a_project_gets_its_configuration_by_the_real_door(fresh):
    assert fresh.door("init") == (
        0,
        'wrote pyproject.toml: [tool.savegen] with source = "mygame"\n'
        "wrote .gitattributes: how git merges savegen.lock, and which files are"
        " generated\n"
        "wrote .gitignore: .savegen_cache/\n",
        ABSENT + NEXT,
    )
    assert fresh.read("pyproject.toml") == TABLE_OF.format("mygame")
    assert fresh.read(".gitattributes") == (
        "savegen.lock merge=union\n"
        "mygame/_savegen/prefab_sources.txt merge=union\n"
        "mygame/_savegen/** linguist-generated\n"
    )
    assert fresh.read(".gitignore") == ".savegen_cache/\n"


def test_a_second_run_adds_nothing(fresh):
    fresh.run("init", "--optional")
    before = fresh.files()
    assert fresh.run("init", "--optional") == (0, "up to date\n", NEXT)
    assert fresh.run("init") == (0, "up to date\n", NEXT)
    assert fresh.files() == before


def test_a_build_works_afterwards(fresh):
    fresh.marked("mygame/orc.py", "Orc")
    said = fresh.door("init")
    assert said.err.endswith("\nnext: run `savegen build`\n")
    assert fresh.door("wire") == (0, "wrote mygame/orc.py\n", "")
    assert fresh.door("build").code == 0
    assert fresh.door("check") == (0, "up to date\n", "")


def test_a_dry_run_shows_the_changes_and_writes_nothing(fresh):
    before = fresh.files()
    said = fresh.run("init", "--dry-run")
    assert said.code == 0 and said.err == ""
    assert said.out.startswith(
        'would create pyproject.toml: [tool.savegen] with source = "mygame"\n'
        "--- a/pyproject.toml\n+++ b/pyproject.toml\n@@ -0,0 +1,2 @@\n"
        '+[tool.savegen]\n+source = "mygame"\n'
    )
    assert fresh.files() == before and not (fresh.folder / disk.CACHE).exists()
    fresh.run("init")
    assert fresh.run("init", "--dry-run") == (0, "up to date\n", "")


@pytest.mark.parametrize("everything", [False, True])
def test_what_is_optional_is_added_to_files_that_exist(fresh, everything):
    fresh.write("Makefile", "all:\n\techo hello")
    fresh.write(".pre-commit-config.yaml", "repos:\n")
    fresh.write(".vscode/extensions.json", "{}")
    said = fresh.run("init", *(["--optional"] if everything else []))
    assert said.err == NEXT
    assert fresh.read("Makefile") == (
        "all:\n\techo hello\n\n.PHONY: savegen\nsavegen:\n\tsavegen build\n"
    )
    hooks = yaml.safe_load(fresh.read(".pre-commit-config.yaml"))["repos"][0]["hooks"]
    assert [hook["entry"] for hook in hooks] == [
        "savegen components --tracked",
        "savegen prefabs --tracked",
        "savegen check --tracked",
    ]
    assert json.loads(fresh.read(".vscode/settings.json")) == {
        "files.associations": {"*.lvl": "json"},
        "json.schemas": [
            {"fileMatch": ["*.lvl"], "url": "./mygame/_savegen/level.schema.json"}
        ],
    }


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make")
@pytest.mark.parametrize("before", ["", "\n.RECIPEPREFIX = >\nall:\n> echo\n"])
def test_make_runs_the_target(fresh, before):
    fresh.write("Makefile", before)
    fresh.run("init")
    done = subprocess.run(
        ["make", "-n", "savegen"],
        cwd=fresh.folder,
        # The tests may have been started by make themselves.
        env={k: v for k, v in os.environ.items() if "MAKE" not in k},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "savegen build\n"


def test_git_takes_the_attributes_and_ignores_the_cache(fresh):
    git(fresh.folder, "init", "-q")
    fresh.run("init")
    fresh.run("build")
    asked = ("check-attr", "merge", "linguist-generated", "--")
    paths = ("savegen.lock", "mygame/_savegen/components/a.py")
    sources = "mygame/_savegen/prefab_sources.txt"
    assert f"{sources}: merge: union" in git(fresh.folder, *asked, sources)
    told = git(fresh.folder, *asked, *paths)
    assert "savegen.lock: merge: union" in told
    assert f"{paths[1]}: linguist-generated: set" in told
    assert disk.CACHE not in git(fresh.folder, "status", "--porcelain")


# The text that is there


@pytest.mark.parametrize(
    "before",
    [
        '[project]\nname = "other"\n',
        '[project]\nname = "other"',
        '[project]\r\nname = "other"\r\n',
        '\ufeff[project]\nname = "other"\n',
        "\ufeff",
        "\n\n",
        "   ",
        "# only a comment",
        "[tool.black]\n\tline-length = 88\n",
        "tool.black.line-length = 88\n",
        "[tool]\nblack.line-length = 88\n",
        "[tool.black]\nx = '''\n[tool.savegen]\n'''\n",
        "[[tool.mypy.overrides]]\nmodule = 'a'\n",
        "x = nan\n",
    ],
)
def test_the_text_of_pyproject_stays_byte_for_byte(fresh, before):
    fresh.write("pyproject.toml", before)
    assert fresh.run("init").code == 0
    after = (fresh.folder / "pyproject.toml").read_bytes().decode()
    assert after.startswith(before)
    added = after.removeprefix(before)
    assert ("\r\n" in added) == ("\r\n" in before)
    assert added.replace("\r\n", "\n").lstrip("\n") == TABLE_OF.format("mygame")
    assert fresh.run("build").code == 0
    assert fresh.run("init").out == "up to date\n"


@pytest.mark.parametrize(
    "before",
    [
        "repos:\n  - repo: local\n    hooks: []\n",
        "repos:\n- repo: local\n  hooks: []\n",
        "repos:\n- repo: local\n  hooks: []",
        "repos:\r\n  - repo: local\r\n    hooks: []\r\n",
        "repos: # ours\n  # first\n  - repo: local\n    hooks: []\n\n# end\n",
        "---\nrepos:\n    - repo: local\n      hooks: []\n\nfail_fast: true\n",
        "repos:\n  - repo: local\n    hooks: []\nci:\n  autofix_prs: false\n",
        "fail_fast: true\n",
        "# nothing\n",
        "",
        "'repos':\n\n- repo: a\n  rev: |\n    x\n    # y\nfail_fast: true\n",
        "repos:\n- repo: local\n  hooks: []\n...\n",
    ],
)
def test_the_hooks_are_added_to_the_list_of_any_form(fresh, before):
    fresh.write(".pre-commit-config.yaml", before)
    assert fresh.run("init").code == 0
    text = (fresh.folder / ".pre-commit-config.yaml").read_bytes().decode()
    old, new = yaml.safe_load(before) or {}, yaml.safe_load(text)
    added = new["repos"].pop()
    assert new == {"repos": []} | old
    assert [hook["id"] for hook in added["hooks"]] == [
        "savegen-components",
        "savegen-prefabs",
        "savegen-check",
    ]
    assert text.count("\r\n") in (0, text.count("\n"))
    lines = iter(text.splitlines())
    assert all(line in lines for line in before.splitlines())  # in their order


@pytest.mark.parametrize(
    "before",
    ["{}", "{\n}\n", '{\n\t"a": 1\n}\n', '{"a": {"b": [1, 2]}}', '\ufeff{"a": 1}\r\n'],
)
def test_the_settings_of_the_editor_keep_their_members(fresh, before):
    fresh.write(".vscode/settings.json", before)
    assert fresh.run("init").code == 0
    after = json.loads(fresh.read(".vscode/settings.json").removeprefix("\ufeff"))
    assert after.pop("files.associations") == {"*.lvl": "json"}
    assert len(after.pop("json.schemas")) == 1
    assert after == json.loads(before.removeprefix("\ufeff"))


@pytest.mark.parametrize(
    "before", ['{\n  // mine\n  "a": 1,\n}', '{"json.schemas": []}', "[]", "", "{{"]
)
def test_settings_that_are_not_plain_json_are_left_to_the_user(fresh, before):
    fresh.write(".vscode/settings.json", before)
    said = fresh.run("init")
    assert said.code == 0 and '"json.schemas": [{"fileMatch"' in said.err
    assert (
        "for completion in level files, add this to .vscode/settings.json" in said.err
    )
    assert fresh.read(".vscode/settings.json") == before


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".gitignore", "/.savegen_cache\n"),
        (".gitignore", "**/.savegen_cache/\n"),
        (
            ".gitattributes",
            "savegen.lock merge=binary\n**/_savegen/** linguist-generated=true\n"
            "prefab_sources.txt merge=union\n",
        ),
        (
            ".gitattributes",
            "/savegen.lock merge=ours\n_savegen/** linguist-generated\n"
            "prefab_sources.txt merge=union\n",
        ),
        (
            ".gitattributes",
            '"/savegen.lock" merge=ours\n_savegen/** linguist-generated\n'
            "prefab_sources.txt merge=union\n",
        ),
        ("Makefile", "build:\n\tpython -m savegen build\n"),
        ("Makefile", "a savegen: b\n"),
        ("Makefile", "a \\\n  savegen:: b\n"),
        ("Makefile", "savegen : b ; echo a\n"),
        (".pre-commit-config.yaml", "repos:\n- hooks: [{id: savegen-check}]\n"),
        (".vscode/settings.json", '{"json.schemas": [{"fileMatch": ["level.lvl"]}]}'),
    ],
)
def test_what_is_there_in_other_words_is_not_added_again(fresh, path, text):
    fresh.write(path, text)
    assert fresh.run("init", "--optional").code == 0
    assert fresh.read(path) == text


@pytest.mark.parametrize(
    ("path", "text", "added"),
    [
        ("Makefile", "# savegen build runs by hand\n", "savegen:\n"),
        ("Makefile", "all: # savegen: b\n", "savegen:\n"),
        ("Makefile", "savegen := foo\n", "savegen:\n"),
        ("Makefile", "savegen ::= foo\n", "savegen:\n"),
        ("Makefile", "all: savegen\n", "savegen:\n"),
        (".pre-commit-config.yaml", "# savegen-check was removed\n", "savegen-check"),
        (".pre-commit-config.yaml", "repos: # savegen check\n", "id: savegen-check"),
        (".gitattributes", "  # savegen.lock merge=ours\n", "savegen.lock merge=union"),
    ],
)
def test_comments_and_variables_are_no_configuration(fresh, path, text, added):
    fresh.write(path, text)
    assert fresh.run("init").code == 0
    assert added in fresh.read(path).removeprefix(text)
    assert fresh.run("init").out == "up to date\n"


def test_a_file_of_windows_keeps_its_line_ends(fresh):
    fresh.write(".gitignore", "a\r\nb\r\n")
    fresh.run("init")
    assert fresh.read(".gitignore") == "a\r\nb\r\n.savegen_cache/\r\n"


# Which package


@pytest.mark.parametrize(
    ("paths", "source"),
    [
        (["a/__init__.py"], "a"),
        (["src/a/__init__.py"], "src/a"),
        (["größe/__init__.py"], "größe"),
        (["a/__init__.py", "tests/__init__.py", "_b/__init__.py"], "a"),
        (["a/__init__.py", "main.py", "setup.py"], "a"),
        (["game.py"], "."),
        (["game.py", "conftest.py"], "."),
        (["main.py", "player.py"], "."),
        (["a/main.py"], "a"),
        (["src/main.py"], "src"),
        ([".venv/a/__init__.py", "env/__init__.py", "game.py"], "."),
    ],
)
def test_the_game_is_found(bare, paths, source):
    for path in paths:
        bare.write(path, "")
    assert bare.run("init").code == 0
    assert bare.read("pyproject.toml") == TABLE_OF.format(source)
    assert bare.run("build").code == 0


def test_a_class_in_a_second_file_is_saved_if_the_game_had_one_file_at_first(bare):
    bare.marked("game.py", "Orc")
    assert bare.run("init").code == 0 and bare.run("build").code == 0
    bare.marked("elves.py", "Elf")
    assert bare.run("build").code == 0
    assert "class Elf(ElfSaveLoad):" in bare.read("elves.py")


def test_a_game_in_the_whole_folder_leaves_out_tests_and_copies(bare):
    others = ["tests/test_orc.py", "build/lib/game.py", "dist/game.py", "docs/demo.py"]
    for path in ["game.py", "test_game.py", *others]:
        bare.marked(path, "Orc")
    before = bare.files()
    exclude = 'exclude = ["build", "dist", "docs", "tests", "test_*.py"]\n'
    table = f'[tool.savegen]\nsource = "."\n{exclude}'
    assert table in bare.run("build").err  # which says what to write
    assert f'source = "." and {exclude}' in bare.run("init").out
    assert bare.read("pyproject.toml") == table
    assert bare.run("build").code == 0
    changed = {path for path, data in bare.files().items() if before.get(path) != data}
    assert before.keys() & changed == {"game.py"}


def test_a_package_called_build_belongs_to_the_game(bare):
    bare.write("main.py", "")
    bare.marked("build/towers.py", "Tower")
    bare.write("build/__init__.py", "")
    assert bare.run("init", ".").code == 0 and bare.run("build").code == 0
    assert "TowerSaveLoad" in bare.read("build/towers.py")


def test_a_lock_that_git_ignores_is_reported(fresh):
    fresh.write(".gitignore", "save*\n")
    git(fresh.folder, "init", "-q")
    said = fresh.run("init")
    assert said.code == 0 and "warning[SG135]: git ignores `savegen.lock`" in said.out


def test_the_package_named_like_the_project_is_the_game(bare):
    bare.write("pyproject.toml", '[project]\nname = "My-Game"\n')
    for name in ("my_game", "other"):
        bare.write(f"{name}/__init__.py", "")
    assert bare.run("init").code == 0
    assert bare.read("pyproject.toml").endswith(TABLE_OF.format("my_game"))


@pytest.mark.parametrize(
    ("word", "source"),
    [
        ("a", "a"),
        ("a/", "a"),
        ("./b", "b"),
        ("c", "src/c"),
        ("one.py", "one.py"),
        ("one", "one.py"),
        (".", "."),
    ],
)
def test_the_game_can_be_named(bare, word, source):
    for path in ("a/__init__.py", "b/__init__.py", "src/c/__init__.py", "one.py"):
        bare.write(path, "")
    assert bare.run("init", word).code == 0
    assert bare.read("pyproject.toml") == TABLE_OF.format(source)


def test_without_a_game_nothing_is_written(bare):
    assert refusal(bare) == (
        "there is no Python package or file in this folder. Create your game's package,"
        " for example mygame/__init__.py, then run `savegen init` again"
    )


def test_of_several_packages_one_has_to_be_named(bare):
    for name in ("a", "src/b"):
        bare.write(f"{name}/__init__.py", "")
    bare.write("game.py", "class Player: ...\n")
    assert refusal(bare) == (
        "your game could be any of these: a, src/b, . (`.` is this whole folder)."
        " Name it: `savegen init a`, or several: `savegen init a src/b`, or all of it:"
        " `savegen init .`"
    )


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["mygame/orc.py"], "mygame"),
        (["mygame/orcs/chief.py"], "mygame"),
        (["src/game.py"], "src"),
        (["src/mygame/orc.py"], "src/mygame"),
    ],
)
def test_a_file_beside_a_folder_it_could_import_is_not_the_game(bare, paths, found):
    for path in ["main.py", "tests/test_orc.py", *paths]:
        bare.write(path, "")
    assert refusal(bare) == (
        f"your game could be any of these: {found}, . (`.` is this whole folder)."
        f" Name it: `savegen init {found}`, or all of it: `savegen init .`"
    )
    assert "Run `savegen init .`" in bare.run("build").err
    assert bare.run("init", found).code == 0
    assert bare.read("pyproject.toml") == TABLE_OF.format(found)
    assert bare.run("build").code == 0


def test_several_packages_can_be_named(bare):
    for name in ("alpha", "beta"):
        bare.write(f"{name}/__init__.py", "")
    said = bare.run("init", "alpha", "beta", "alpha")
    assert said.code == 0
    wrote = 'wrote pyproject.toml: [tool.savegen] with source = ["alpha", "beta"]\n'
    assert said.out.startswith(wrote)
    assert bare.read("pyproject.toml") == '[tool.savegen]\nsource = ["alpha", "beta"]\n'
    assert bare.run("build").code == bare.run("init", "beta").code == 0
    bare.write("gamma/__init__.py", "")
    assert "To make gamma the source" in refusal(bare, "alpha", "gamma")


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        (
            "nosuch",
            "there is no package, folder or Python file nosuch here; savegen found mygame",
        ),
        (
            "../other",
            "../other is outside this folder. Run `savegen init` in the folder that"
            " contains your game",
        ),
        (
            "class",
            "Python cannot import class: `class` is a keyword in Python. Rename it",
        ),
        (
            "my-game",
            "Python cannot import my-game: `my-game` is not a name in Python. Rename it",
        ),
        ("", "the name of the package is empty; write `.` for this whole folder"),
        ("art", "art contains no Python files; name the folder of your game"),
        ("notes", "notes is not a Python file; name the package of your game"),
    ],
)
def test_a_wrong_name_is_refused(fresh, word, reason):
    fresh.write("class/__init__.py", "")
    fresh.write("my-game/__init__.py", "")
    fresh.write("art/orc.png", "")
    fresh.write("notes", "")
    assert refusal(fresh, word) == reason


def test_inside_a_package_it_says_where_to_run(fresh):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(fresh.folder)
        said = fresh.run("init", cwd="mygame")
    assert said == (
        2,
        "",
        "error: this folder is a package; run `savegen init` in the folder that"
        " contains it\n",
    )


def test_inside_a_configured_project_it_says_where_to_run(fresh):
    fresh.run("init")
    fresh.write("tools/make.py", "")
    said = fresh.run("init", cwd="tools")
    assert said == (
        2,
        "",
        "error: this folder belongs to ../pyproject.toml, which has [tool.savegen]"
        " already. Run `savegen init` in .., or create a pyproject.toml here\n",
    )
    fresh.write("tools/pyproject.toml", "")
    assert fresh.run("init", cwd="tools").code == 0


# Bad input


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "[project\n",
            "pyproject.toml:1:9: this is not valid TOML: Expected ']' at the end of a"
            " table declaration",
        ),
        (b"\xff", "pyproject.toml:1: this file is not UTF-8; save it as UTF-8"),
        (
            'tool = { black = { line-length = 88 } }\n[project]\nname = "a"\n',
            "pyproject.toml defines `tool` as an inline table or an array, so"
            " [tool.savegen] cannot be appended. Add"
            ' `savegen = { source = "mygame" }` to the inline table, or write it as'
            " tables such as [tool.black]",
        ),
        (
            "[[tool]]\n",
            "pyproject.toml defines `tool` as an inline table or an array, so"
            " [tool.savegen] cannot be appended. Add"
            ' `savegen = { source = "mygame" }` to the inline table, or write it as'
            " tables such as [tool.black]",
        ),
        (
            "[tool.savegen]\nsorce = 'a'\n",
            "pyproject.toml: unknown key `sorce` in [tool.savegen];"
            " did you mean `source`?",
        ),
    ],
)
@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_a_broken_pyproject_is_named(fresh, text, reason, words):
    fresh.write("pyproject.toml", text)
    assert refusal(fresh, *words) == reason


@pytest.mark.parametrize("path", ["pyproject.toml", ".gitignore", ".gitattributes"])
def test_a_folder_in_the_place_of_a_file_is_named(fresh, path):
    fresh.write(f"{path}/inside", "")
    assert refusal(fresh) == (
        f"{path} is a folder, but savegen needs a file of that name; rename the folder,"
        " then run `savegen init` again"
    )


@pytest.mark.parametrize("path", ["pyproject.toml", ".gitignore"])
def test_a_link_is_not_written_through(fresh, path):
    fresh.write("elsewhere/file", "")
    (fresh.folder / path).symlink_to(fresh.folder / "elsewhere/file")
    said = refusal(fresh)
    assert said.startswith(
        f"{path} is a link, and savegen does not write through links. Add this to the"
        " file yourself, then run `savegen init` again:\n\n"
    )
    fresh.write("elsewhere/file", said.partition("\n\n")[2] + "\n")
    assert fresh.run("init").code == 0


def test_a_hard_link_is_not_written_to(fresh):
    fresh.write("other", "a\n")
    (fresh.folder / ".gitignore").hardlink_to(fresh.folder / "other")
    assert refusal(fresh).startswith(
        ".gitignore has another hard link, and savegen does not write through links."
    )


def test_a_link_to_a_missing_file_is_named(fresh):
    (fresh.folder / ".gitignore").symlink_to(fresh.folder / "nowhere")
    assert refusal(fresh) == (
        ".gitignore is a symbolic link to a file that does not exist;"
        " remove it, then run `savegen init` again"
    )


@pytest.mark.parametrize("words", [(), ("other",)])
def test_a_package_outside_the_project_is_refused(bare, tmp_path_factory, words):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "__init__.py").write_text("")
    (bare.folder / "other").symlink_to(outside)
    assert refusal(bare, *words) == (
        "other is outside the project, behind a symbolic link. Move your game into"
        " this folder, or run `savegen init` where the game is"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use stays there")
def test_a_working_folder_that_is_gone_is_named(tmp_path):
    (tmp_path / "gone").mkdir()
    program = (
        "import os; os.chdir('gone'); os.rmdir('../gone')\n"
        "import sys; from savegen.cli import run; sys.exit(run(['init']))"
    )
    done = try_python("-c", program, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: the working folder no longer exists\n"


@pytest.mark.parametrize(
    ("text", "is_marked"),
    [
        ("# @saveable\nclass Orc: ...\n", False),
        ("print('@saveable')\n", False),
        ("@saveables\nclass Orc: ...\n", False),
        ("import savegen\n\n@savegen.saveable\nclass Orc: ...\n", True),
        ("if True:\n    @saveable(name='x')\n    class Orc: ...\n", True),
    ],
)
def test_only_a_decorator_marks_a_class(fresh, text, is_marked):
    fresh.write("mygame/orc.py", text)
    assert ("mark your classes" not in fresh.run("init").err) == is_marked


def test_a_source_that_is_the_whole_folder_is_named_so(fresh):
    fresh.run("init", ".")
    assert refusal(fresh, "mygame") == (
        "pyproject.toml has [tool.savegen] already, and its source is this whole folder"
        " (`.`). To make mygame the source, change the file"
    )


def test_a_utf_16_gitignore_is_refused(fresh):
    fresh.write(".gitignore", "a\n".encode("utf-16"))
    assert refusal(fresh) == (
        ".gitignore contains NUL bytes, perhaps because it is UTF-16;"
        " save it as UTF-8, then run `savegen init` again"
    )


def test_hooks_that_cannot_be_added_are_shown(fresh):
    fresh.write(".pre-commit-config.yaml", "repos: [{repo: local, hooks: []}]\n")
    said = refusal(fresh)
    assert said.startswith(
        ".pre-commit-config.yaml does not write `repos` as a list with one entry per line"
    )
    assert "entry: savegen check --tracked" in said


@pytest.mark.parametrize(
    "before",
    [
        "repos:\n-\n  repo: x\n  rev: a\n  hooks: []\n",
        "repos:\n  -\n    repo: local\n    hooks: []\n",
        "repos:\n- {repo: local,\n   hooks: []}\n",
        "repos:\n- repo: local\n  hooks: [\n]\n",
        "repos:\n- repo: local\n  hooks: [\n  ]\n- repo: 'a\n- b'\n",
        "repos:\n  &list\n  - repo: local\n    hooks: []\n",
        "repos:\n  - repo: local\n    hooks: []\nrepos:\n  - repo: meta\n",
        "{repos: []}\n",
        "{\nrepos: []\n}\n",
        "  repos:\n    - repo: local\n",
        "- repo: local\n  hooks: []\n",
        "fail_fast: true\n...\n",
        "a: 1\n---\nrepos: []\n",
        "repos:\r- repo: local\r  hooks: []\r",
    ],
)
def test_hooks_in_a_form_that_is_not_simple_are_left_to_the_user(fresh, before):
    fresh.write(".pre-commit-config.yaml", before.encode())
    said = refusal(fresh)
    assert said.startswith(".pre-commit-config.yaml does not write `repos` as a list")
    assert "entry: savegen check --tracked" in said


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("[tool.savgen]\nsource = 'mygame'\n", "[tool.savgen]"),
        ("[tool.SaveGen]\n", "[tool.SaveGen]"),
        ("[savegen]\nsource = 'mygame'\n", "[savegen]"),
    ],
)
def test_a_misspelt_table_is_not_given_a_second_one(fresh, text, table):
    fresh.write("pyproject.toml", text)
    assert (
        refusal(fresh)
        == refusal(fresh, "mygame")
        == (
            f"pyproject.toml has {table}: did you mean [tool.savegen]? Rename the table,"
            " then run `savegen init` again"
        )
    )


def test_another_source_than_the_configured_one_is_refused(game):
    game.run("init")
    assert game.run("init", "game").code == 0
    game.write("other/__init__.py", "")
    assert refusal(game, "other") == (
        "pyproject.toml has [tool.savegen] already, and its source is game."
        " To make other the source, change the file"
    )


def test_a_configured_project_gets_the_rest(game):
    before = game.read("pyproject.toml")
    said = game.run("init")
    assert [line.split(":")[0] for line in said.out.splitlines()] == [
        "wrote .gitattributes",
        "wrote .gitignore",
    ]
    assert before == game.read("pyproject.toml") == TABLE
    assert "game/_savegen/** linguist-generated\n" in game.read(".gitattributes")


def test_another_file_cannot_be_the_configuration(fresh):
    assert "leave out --config" in refusal(fresh, "--config", "other.toml")


@pytest.mark.parametrize("is_staged", [False, True])
def test_a_file_with_changes_that_git_does_not_have_is_refused(fresh, is_staged):
    fresh.write("pyproject.toml", "[project]\n")
    fresh.write(".gitignore", "a\n")
    repository(fresh.folder)
    fresh.append("pyproject.toml", "# mine\n")
    if is_staged:
        git(fresh.folder, "add", ".")
    expected = (
        "pyproject.toml has changes that are not committed; nothing was changed."
        " Commit them first, or run `savegen init --allow-dirty`"
    )
    assert refusal(fresh) == expected
    before = fresh.files()
    said = fresh.run("init", "--dry-run")
    assert said.code == 2 and "would change pyproject.toml" in said.out
    assert said.err == f"error: {expected}\n" and fresh.files() == before
    assert fresh.run("init", "--allow-dirty").code == 0
    assert fresh.read("pyproject.toml").startswith("[project]\n# mine\n")


def test_a_change_while_savegen_waits_for_its_lock_is_refused(fresh, monkeypatch):
    fresh.write(".gitignore", "a\n")
    repository(fresh.folder)
    enter = disk.BuildLock.__enter__

    def late(lock: disk.BuildLock) -> disk.BuildLock:
        fresh.append(".gitignore", "b\n")
        return enter(lock)

    monkeypatch.setattr(disk.BuildLock, "__enter__", late)
    said = fresh.run("init")
    assert (
        said.code == 2 and ".gitignore has changes that are not committed" in said.err
    )
    assert fresh.read(".gitignore") == "a\nb\n"
    assert not (fresh.folder / "pyproject.toml").exists()


def test_files_that_git_has_never_seen_and_other_changes_are_no_hindrance(fresh):
    repository(fresh.folder)
    fresh.write("pyproject.toml", "[project]\n")
    fresh.write("mygame/__init__.py", "changed = True\n")
    assert fresh.run("init").code == 0


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write")
def test_a_read_only_folder_is_named(fresh):
    fresh.folder.chmod(0o555)
    try:
        said = refusal(fresh)
    finally:
        fresh.folder.chmod(0o755)
    assert said == "cannot write to this folder: Permission denied; nothing was changed"


def test_a_folder_that_cannot_be_locked_is_named(fresh, monkeypatch):
    def refuse(root: str) -> str:
        raise PermissionError(13, "Permission denied", root)

    monkeypatch.setattr(disk, "cache_folder", refuse)
    said = refusal(fresh)
    assert said == "cannot write to this folder: Permission denied; nothing was changed"


@pytest.mark.parametrize("number", range(3))
def test_if_one_file_cannot_be_written_none_is(fresh, monkeypatch, number):
    create = disk.create
    calls = iter(range(-1, 9))  # the first one is the cache's

    def fail_once(path: str, *parts: bytes, mode: int | None = None) -> None:
        if next(calls) == number:
            raise OSError(28, "No space left on device", path)
        create(path, *parts, mode=mode)

    monkeypatch.setattr(disk, "create", fail_once)
    assert "No space left on device" in refusal(fresh)
    monkeypatch.undo()
    assert fresh.run("init").code == 0


def test_a_file_that_changes_meanwhile_is_not_overwritten(fresh, monkeypatch):
    rewrite = write.rewrite

    def late(root: str, files: dict[str, tuple[bytes | None, bytes]]) -> object:
        fresh.write("pyproject.toml", "# faster\n")
        return rewrite(root, files)

    monkeypatch.setattr(write, "rewrite", late)
    said = fresh.run("init")
    assert (said.code, said.err) == (
        2,
        "error: pyproject.toml changed while savegen ran; run savegen again\n",
    )
    assert FILES & fresh.files().keys() == {"pyproject.toml"}
    assert fresh.read("pyproject.toml") == "# faster\n"


def test_two_runs_at_once_write_everything_once(fresh):
    both = [fresh.start("init", "--optional") for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    for process in both:
        process.communicate()
    assert fresh.read("pyproject.toml") == TABLE_OF.format("mygame")
    assert fresh.read("Makefile").count("savegen:") == 1
    assert fresh.read(".pre-commit-config.yaml").count("savegen-check") == 1


def test_a_plan_reads_pyproject_once_so_that_no_other_run_comes_between(
    fresh, tmp_path, monkeypatch
):
    fresh.write("pyproject.toml", "[project]\n")
    read, paths = disk.read, []

    def read_and_note(path):
        paths.append(path)
        return read(path)

    monkeypatch.setattr(disk, "read", read_and_note)
    assert plan(str(tmp_path)).additions
    assert paths.count(str(tmp_path / "pyproject.toml")) == 1


def test_a_plan_changes_nothing(fresh, tmp_path):
    before = fresh.files()
    assert {addition.path for addition in plan(str(tmp_path)).additions} == FILES
    assert fresh.files() == before
    with pytest.raises(SavegenError):
        plan(str(tmp_path), ["nosuch"])


# Without a configuration


@pytest.mark.parametrize(
    "words",
    [
        ("build",),
        ("components",),
        ("check",),
        ("wire",),
        ("breaking", "--against", "x"),
    ],
)
def test_every_command_shows_the_lines_to_write(bare, words):
    bare.write("src/orcs/__init__.py", "")
    assert bare.run(*words) == (
        2,
        "",
        "error: found no pyproject.toml with [tool.savegen] in this folder or above it.\n"
        "Run `savegen init`, or write these lines into pyproject.toml:\n\n"
        '[tool.savegen]\nsource = "src/orcs"\n',
    )


@pytest.mark.parametrize(
    "words", [("show",), ("lock", "show"), ("release", "releases/1")]
)
def test_commands_on_the_lock_show_the_lines_to_write(bare, words):
    said = bare.run(*words)
    assert said.code == 2 and said.err == (
        "error: found neither a pyproject.toml with [tool.savegen] nor savegen.lock"
        " in this folder or above it.\nRun `savegen init`, or write these lines into"
        ' pyproject.toml:\n\n[tool.savegen]\nsource = "mygame"\n'
    )

"""What `[tool.savegen]` may say, where it is found, and how everything else is refused."""

import doctest
import os
import tomllib
from pathlib import Path

import pytest

from savegen.build import config
from savegen.build.config import Config, bare, load
from savegen.findings import SavegenError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project that is the working folder, in which files are written by path."""
    monkeypatch.chdir(tmp_path)

    def write(path, text=""):
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(place)

    return write


def read(project, table, before=""):
    project("pyproject.toml", f"{before}\n[tool.savegen]\n{table}")
    found = load(os.getcwd())
    assert found is not None
    return found


def refusal(project, table):
    with pytest.raises(SavegenError) as caught:
        read(project, table)
    return str(caught.value)


# Values


def test_an_empty_table_means_the_whole_project(project, tmp_path):
    assert read(project, "") == Config(str(tmp_path), source=(".",), output="_savegen")


def test_every_key_is_read(project, tmp_path):
    project("game/main.py")
    project("tools/level.py")
    found = read(
        project,
        'source = ["game", "tools/level.py"]\noutput = "generated"\n'
        'package = "games.snake"\n'
        'exclude = ["tests/*", "*_old.py"]\nsave_version = 7\nworld = "game:world"\n'
        'required-version = ">=0.0.1"',
    )
    assert found == Config(
        root=str(tmp_path),
        source=("game", "tools/level.py"),
        output="generated",
        package="games.snake",
        exclude=("tests/*", "*_old.py"),
        world="game:world",
        save_version=7,
        required_version=">=0.0.1",
    )


def test_a_configuration_cannot_be_changed(project):
    with pytest.raises(AttributeError):
        read(project, "").output = "elsewhere"


def test_one_source_may_be_text(project):
    project("game/main.py")
    assert read(project, 'source = "game"').source == ("game",)


@pytest.mark.parametrize("folder", ["my_game", "src/my_game", "My_Game", "src/My_Game"])
def test_without_a_source_the_package_named_like_the_project_is_it(project, folder):
    project(f"{folder}/__init__.py")
    found = read(project, "", before='[project]\nname = "My-Game"')
    assert found.source == (folder,)
    assert found.output == f"{folder}/_savegen"


@pytest.mark.parametrize("name", ['"other"', '"../my_game"', '"my_game/."', '""', "3"])
def test_without_a_package_of_that_name_the_source_is_the_project(project, name):
    project("my_game/__init__.py")
    found = read(project, "", before=f"[project]\nname = {name}")
    assert found.source == (".",)


def test_a_folder_that_is_no_package_is_not_taken_for_the_source(project):
    project("my_game/main.py")
    assert read(project, "", before='[project]\nname = "my-game"').source == (".",)


@pytest.mark.parametrize(
    ("source", "output"),
    [("game", "game/_savegen"), ("game/main.py", "game/_savegen"), (".", "_savegen")],
)
def test_the_output_lies_in_the_first_source(project, source, output):
    project("game/main.py")
    project("other/main.py")
    assert read(project, f'source = ["{source}", "other"]').output == output


def test_the_output_of_a_file_at_the_top_lies_beside_it(project):
    project("main.py")
    assert read(project, 'source = "main.py"').output == "_savegen"


def test_paths_are_normal_and_named_once(project):
    project("game/main.py")
    found = read(project, 'source = ["./game/", "game", "other/../game"]')
    assert found.source == ("game",)


# Refusals


@pytest.mark.parametrize(
    "value", ['"my-game"', '""', '".game"', '"game."', '"a/b"', '"a.class"', "3", "[]"]
)
def test_a_package_that_no_import_can_name_is_refused(project, value):
    said = refusal(project, f"package = {value}")
    assert said.startswith("pyproject.toml: `package` in [tool.savegen] must be a name")


@pytest.mark.parametrize(
    ("table", "key", "hint"),
    [
        ('sorce = "game"', "sorce", "did you mean `source`?"),
        ('Output = "game"', "Output", "did you mean `output`?"),
        (
            'required_version = ">=0.1"',
            "required_version",
            "did you mean `required-version`?",
        ),
        (
            "colour = 1",
            "colour",
            "the keys are source, output, package, exclude, codecs, bases, transient, presets,"
            " format, python, world, save_version, required-version",
        ),
        (
            'root = "/"',
            "root",
            "the keys are source, output, package, exclude, codecs, bases, transient, presets,"
            " format, python, world, save_version, required-version",
        ),
    ],
)
def test_an_unknown_key_is_refused_with_a_suggestion(project, table, key, hint):
    assert (
        refusal(project, table)
        == f"pyproject.toml: unknown key `{key}` in [tool.savegen]; {hint}"
    )


def test_what_is_said_of_types_is_read(project):
    config = read(
        project,
        'transient = ["game.Brush", "game.Brush"]\n'
        'presets = ["numpy"]\n'
        'codecs = { "game.vec.Vec2" = "game.codecs:vec2", "a.B" = "c:D.e" }\n'
        'bases = { "engine.Actor" = true, "engine.Thing" = "game.bases:prepare" }\n',
    )
    assert config.transient == ("game.Brush",)
    assert config.presets == ("numpy",)
    assert config.codecs == (("a.B", "c:D.e"), ("game.vec.Vec2", "game.codecs:vec2"))
    assert config.bases == (
        ("engine.Actor", True),
        ("engine.Thing", "game.bases:prepare"),
    )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("codecs = []", 'must be a table such as { "mygame.vec.Vec2" ='),
        (
            'codecs = { Vec2 = "a:b" }',
            'must name classes with their module, such as "mygame.vec.Vec2"',
        ),
        ('codecs = { "a b.C" = "a:b" }', '"mygame.vec.Vec2", not "a b.C"'),
        (
            'codecs = { "a.B" = "a.b" }',
            'to an object such as "mygame.codecs:vec2", not "a.b"',
        ),
        (
            'codecs = { "a.B" = true }',
            'must set "a.B" to an object such as "mygame.codecs:vec2", not true',
        ),
        (
            'bases = { "a.B" = 1 }',
            'must set "a.B" to an object such as "mygame.codecs:vec2", not 1',
        ),
        ('bases = "a.B"', 'must be a table such as { "engine.Actor" = true }'),
        (
            'world = "game.world"',
            'must be a function such as "mygame.session:new_world"',
        ),
        ('transient = "a.B"', 'must be a list such as ["mygame.sound.Channel"]'),
        ('transient = ["a-b"]', 'must be a list such as ["mygame.sound.Channel"]'),
        (
            'presets = ["pygame"]',
            'must be a list with any of "pygame-ce", "arcade", "panda3d", "numpy",'
            ' not ["pygame"]; did you mean "pygame-ce"?',
        ),
    ],
)
def test_what_is_said_wrongly_of_types_is_refused(project, table, words):
    assert words in refusal(project, table)


@pytest.mark.parametrize("value", ["-1", "1.0", "true", '"7"', "[7]", "2147483648"])
def test_a_version_of_saves_is_a_whole_number(project, value):
    said = refusal(project, f"save_version = {value}")
    assert (
        "`save_version` in [tool.savegen] must be a whole number from 0 to 2147483647"
        in said
    )


@pytest.mark.parametrize(
    ("table", "rest"),
    [
        ("source = 3", "`source` {} must be a folder or a list of folders, not 3"),
        (
            "source = true",
            "`source` {} must be a folder or a list of folders, not true",
        ),
        ("source = []", "`source` {} must be a folder or a list of folders, not []"),
        (
            "source = {}",
            "`source` {} must be a folder or a list of folders, not a table",
        ),
        ('source = ["a", 3]', '`source` {} must be a path such as "src/mygame", not 3'),
        ('source = ""', '`source` {} must be a path such as "src/mygame", not ""'),
        (
            'output = ["a"]',
            '`output` {} must be a path such as "src/mygame", not ["a"]',
        ),
        (
            "output = 1979-05-27",
            '`output` {} must be a path such as "src/mygame", not 1979-05-27',
        ),
        ('exclude = "a"', '`exclude` {} must be a list such as ["tests/*"], not "a"'),
        (
            "exclude = [1.5]",
            '`exclude` {} must be a path such as "src/mygame", not 1.5',
        ),
        (
            "required-version = 0.1",
            '`required-version` {} must be a version specifier such as ">=0.1" or "~=1.2, !=1.2.3", not 0.1',
        ),
        (
            'required-version = "0.1"',
            '`required-version` {} must be a version specifier such as ">=0.1" or "~=1.2, !=1.2.3", not "0.1"',
        ),
    ],
)
def test_a_wrong_value_is_refused_saying_what_was_expected(project, table, rest):
    expected = rest.format("in [tool.savegen]")
    assert refusal(project, table) == f"pyproject.toml: {expected}"


def test_a_huge_value_is_shown_short(project):
    assert len(refusal(project, f"source = {{}}\noutput = {['x' * 70] * 9}")) < 200
    assert "not a huge number" in refusal(project, f"source = 0x{'f' * 9000}")


@pytest.mark.parametrize("path", ["..", "../x", "a/../../x", "./../x"])
@pytest.mark.parametrize("key", ["source", "output"])
def test_a_path_that_leaves_the_project_is_refused(project, key, path):
    assert refusal(project, f'{key} = "{path}"') == (
        f"pyproject.toml: `{key}` in [tool.savegen]"
        f' must stay inside the project\'s folder, not "{path}"'
    )


@pytest.mark.parametrize("path", ["/", "/etc", "~/game", "C:/game", "c:game"])
def test_a_path_that_is_not_relative_is_refused(project, path):
    assert "must be relative to the project" in refusal(
        project, f'exclude = ["{path}"]'
    )


def test_a_path_is_written_with_slashes(project):
    assert "must use `/` between folders" in refusal(
        project, r"source = 'game\main.py'"
    )


@pytest.mark.parametrize("letter", [r"\u0000", r"\n", r"\u001b", r"\u202e"])
def test_a_path_with_a_control_character_is_refused(project, letter):
    assert "contains a control character" in refusal(
        project, f'source = "game{letter}"'
    )


def test_a_glob_may_begin_with_a_set_of_letters(project):
    assert read(project, 'exclude = ["[:a]*"]').exclude == ("[:a]*",)


def test_a_source_has_to_be_there(project):
    assert refusal(project, 'source = "game"') == (
        'pyproject.toml: `source` in [tool.savegen] names "game", which does not exist'
    )


def test_a_source_has_to_be_a_folder_or_a_python_file(project):
    project("notes.txt")
    assert "neither a folder nor a Python file" in refusal(
        project, 'source = "notes.txt"'
    )


@pytest.mark.parametrize("output", [".", "game", "game/sub", "game/sub/main.py"])
def test_an_output_must_not_hold_sources(project, output):
    project("game/sub/main.py")
    message = refusal(project, f'source = "game/sub/main.py"\noutput = "{output}"')
    assert "must be a separate folder that contains no sources" in message


def test_an_output_may_be_named_like_the_beginning_of_a_source(project):
    project("game_data/main.py")
    assert read(project, 'source = "game_data"\noutput = "game"').output == "game"


@pytest.mark.parametrize("name", ["gen-code", "2d", "class", "a.b"])
def test_an_output_must_be_importable(project, name):
    message = refusal(project, f'output = "game/{name}"')
    assert f'must end in a name that Python can import, not "{name}"' in message


def test_the_table_has_to_be_a_table(project):
    project("pyproject.toml", "tool.savegen = 3")
    with pytest.raises(SavegenError, match="`tool.savegen` must be a table"):
        load(os.getcwd())


def test_a_tool_that_is_no_table_configures_nothing(project):
    project("pyproject.toml", 'tool = "savegen"')
    assert load(os.getcwd()) is None


# Files that cannot be read


def test_a_file_that_is_not_toml_is_not_called_missing(project):
    project("pyproject.toml", "[project\n")
    project("game/hero.py", "")
    with pytest.raises(SavegenError) as caught:
        bare([])
    assert str(caught.value).startswith("pyproject.toml:1:9: this is not valid TOML:")
    os.chdir("game")
    with pytest.raises(SavegenError, match=r"^\.\./pyproject.toml:1:9: this is"):
        bare([])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            b"[tool.savegen]\n\nsource game\n",
            "pyproject.toml:3:8: this is not valid TOML: Expected '=' after a key in a key/value pair",
        ),
        (
            b"[tool.savegen]\nsource = [\n",
            "pyproject.toml:3: this is not valid TOML: Invalid value",
        ),
        (
            b'[tool.savegen]\nsource = "\xff"\n',
            "pyproject.toml:2: this file is not UTF-8; save it as UTF-8",
        ),
        (
            "[tool.savegen]\n".encode("utf-16"),
            "pyproject.toml:1: this file is not UTF-8; save it as UTF-8",
        ),
    ],
)
def test_a_file_that_is_not_toml_is_refused_with_its_line(project, text, message):
    project("pyproject.toml", text)
    with pytest.raises(SavegenError) as caught:
        load(os.getcwd())
    assert str(caught.value) == message


def test_hostile_toml_is_refused_like_any_other(project):
    for value in ("[" * 50_000, "9" * 5_000):
        assert refusal(project, f"source = {value}").startswith("pyproject.toml")


def test_a_byte_order_mark_is_no_fault(project):
    project("pyproject.toml", b'\xef\xbb\xbf[tool.savegen]\noutput = "gen"\n')
    found = load(os.getcwd())
    assert found and found.output == "gen"


def test_a_broken_file_that_does_not_name_savegen_is_passed_over(project):
    project("pyproject.toml", "[tool.savegen]\n")
    project("sub/pyproject.toml", "not toml at all")
    found = load(os.path.join(os.getcwd(), "sub"))
    assert found and found.root == os.getcwd()


def test_an_unreadable_file_is_named(project):
    with pytest.raises(SavegenError, match="^cannot read nope.toml: No such file"):
        load(os.getcwd(), "nope.toml")


# Where it is found


def test_the_nearest_file_with_the_table_counts(project, tmp_path):
    project("pyproject.toml", '[tool.savegen]\noutput = "outer"\n')
    project("game/pyproject.toml", '[tool.savegen]\noutput = "inner"\n')
    project("game/sub/pyproject.toml", '[project]\ndependencies = ["savegen"]\n')
    found = load(str(tmp_path / "game" / "sub"))
    assert found and (found.root, found.output) == (str(tmp_path / "game"), "inner")


def test_without_any_table_there_is_no_configuration(project, tmp_path):
    project("pyproject.toml", "[project]\n")
    assert load(str(tmp_path)) is None


def test_a_file_above_is_named_as_it_is_reached(project, tmp_path):
    project("pyproject.toml", "[tool.savegen]\nsorce = 1\n")
    project("a/b/main.py")
    with pytest.raises(SavegenError, match=r"^\.\./\.\./pyproject\.toml: unknown"):
        load(str(tmp_path / "a" / "b"))


def test_a_named_file_counts_instead_and_its_folder_is_the_root(project, tmp_path):
    project("pyproject.toml", '[tool.savegen]\noutput = "outer"\n')
    project("other/settings.toml", '[tool.savegen]\noutput = "named"\n')
    found = load(str(tmp_path), "other/settings.toml")
    assert found and (found.root, found.output) == (str(tmp_path / "other"), "named")


def test_a_named_file_without_the_table_is_refused(project, tmp_path):
    project("other.toml", "[tool.other]\n")
    with pytest.raises(SavegenError, match=r"^other.toml has no \[tool.savegen\];"):
        load(str(tmp_path), "other.toml")


# Without configuration


def test_one_file_is_a_game_with_its_output_beside_it(project, tmp_path):
    project("games/snake.py")
    assert bare(["games/snake.py"]) == Config(
        str(tmp_path / "games"), source=("snake.py",), output="_savegen", is_bare=True
    )


def test_a_file_of_a_package_is_named_from_where_the_package_is_imported(
    project, tmp_path
):
    project("game/__init__.py")
    project("game/ai/__init__.py")
    project("game/ai/goblin.py")
    assert bare(["game/ai/goblin.py"]) == Config(
        str(tmp_path),
        source=("game/ai/goblin.py",),
        output="game/ai/_savegen",
        is_bare=True,
    )


def test_folders_may_be_given(project, tmp_path):
    project("game/__init__.py")
    project("loose/main.py")
    assert bare(["game"]) == Config(
        str(tmp_path), ("game",), "game/_savegen", is_bare=True
    )
    assert bare(["loose"]) == Config(
        str(tmp_path / "loose"), (".",), "_savegen", is_bare=True
    )


def test_several_files_have_the_root_that_they_share(project, tmp_path):
    project("a/one.py")
    project("b/two.py")
    assert bare(["a/one.py", "b/two.py", "a/one.py"]) == Config(
        str(tmp_path),
        source=("a/one.py", "b/two.py"),
        output="a/_savegen",
        is_bare=True,
    )


def test_paths_that_are_no_sources_are_refused(project):
    project("notes.txt")
    with pytest.raises(SavegenError, match="^nope.py does not exist$"):
        bare(["nope.py"])
    with pytest.raises(SavegenError, match="^notes.txt is neither a folder nor"):
        bare(["notes.txt"])


def test_no_paths_and_no_configuration_is_refused_with_both_ways_out(project):
    project("game.py")
    with pytest.raises(SavegenError) as caught:
        bare([])
    assert str(caught.value) == (
        "found no pyproject.toml with [tool.savegen] in this folder or above it.\n"
        "Run `savegen init`, or write these lines into pyproject.toml:\n\n"
        '[tool.savegen]\nsource = "."\n\n'
        "A game of one file works without them, too: `savegen build game.py`"
    )


# Versions


def test_a_project_that_needs_another_savegen_says_so_first(project):
    # A newer savegen's keys are unknown here; to call them misspelt would mislead.
    message = refusal(project, 'brand-new = 1\nrequired-version = ">=99.1"')
    assert message == (
        f"pyproject.toml requires savegen >=99.1, but this is savegen {config.VERSION};"
        " install a version that it allows"
    )


def test_the_version_is_that_of_the_package():
    document = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert config.VERSION == document["project"]["version"]


@pytest.mark.parametrize("specifier", [">=0.1", " >= 0.1 , <2, !=1.3.*", "~=0.1"])
def test_all_clauses_of_a_specifier_have_to_hold(project, specifier):
    found = read(project, f'required-version = "{specifier}"')
    assert found.required_version == specifier
    assert "requires savegen" in refusal(
        project, f'required-version = "{specifier}, !={config.VERSION}"'
    )


@pytest.mark.parametrize("version", ["0.2rc1", "0.2.dev3"])
def test_a_prerelease_counts_as_a_version(project, monkeypatch, version):
    monkeypatch.setattr(config, "VERSION", version)
    read(project, 'required-version = ">=0.1, <0.2.1"')
    assert "requires savegen" in refusal(project, 'required-version = ">=0.2"')


@pytest.mark.parametrize(
    "specifier", ["", ",", "1.0", "=1", ">=x", ">=1.", "~=1", "^1.0", ">= 1 2"]
)
def test_a_specifier_that_is_none_is_refused(project, specifier):
    said = refusal(project, f'required-version = "{specifier}"')
    assert "must be a version specifier such as" in said


def test_the_examples_hold():
    results = doctest.testmod(config)
    assert (results.attempted > 0, results.failed) == (True, 0)

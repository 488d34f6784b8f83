"""`[tool.savegen] format`: generated code in the style that the project asks black for."""

from __future__ import annotations

import sys
import time

import black
import pytest
from black.mode import TargetVersion
from black.parsing import InvalidInput

ORC = "game/_savegen/components/orc.py"
LONG = "a_rather_long_name_for_the_points_that_an_orc_has_got"
NARROW = "[tool.black]\nline-length = 60\n"


@pytest.fixture
def wide(game):
    """A game with a line that is too long, and which savegen leaves to black."""
    game.append("game/orc.py", f"    {LONG}: Saved[int]\n")
    assert game.run("components", "-q").code == 0
    return game


def styled(game, text: str) -> None:
    game.write("pyproject.toml", f'[tool.savegen]\nsource = "game"\n{text}')


def by_black(text: str, **style) -> str:
    marker = "# fmt: off\n# ruff: noqa\n# isort: skip_file\n"
    assert marker in text
    made = black.format_str(text.replace(marker, ""), mode=black.Mode(**style))
    head, _, rest = made.partition("\n")
    return f"{head}\n{marker}{rest}"


def test_the_style_of_the_project_is_that_of_its_generated_code(wide):
    before = wide.read(ORC)
    styled(wide, NARROW)
    assert wide.run("check").code == 1
    assert wide.run("components", "-q").code == 0
    after = wide.read(ORC)
    assert after != before and after == by_black(before, line_length=60)
    assert wide.run("check") == wide.run("components") == (0, "up to date\n", "")
    assert wide.run("check", "--no-cache") == (0, "up to date\n", "")
    styled(wide, "")
    assert wide.run("components", "-q").code == 0
    assert wide.read(ORC) == before


def test_the_style_of_the_folder_above_counts_up_to_the_repository(wide):
    wide.write("deep/game/__init__.py", "")
    wide.write("deep/game/orc.py", wide.read("game/orc.py"))
    wide.write("deep/pyproject.toml", '[tool.savegen]\nsource = "game"\n')
    wide.write("pyproject.toml", NARROW)
    assert wide.run("components", "-q", cwd="deep").code == 0
    narrow = wide.read(f"deep/{ORC}")
    assert narrow == by_black(wide.read(ORC), line_length=60)
    wide.write("deep/.git/HEAD", "")
    assert wide.run("components", "-q", cwd="deep").code == 0
    assert wide.read(f"deep/{ORC}") == wide.read(ORC)


@pytest.mark.parametrize(
    ("settings", "style"),
    [
        ("line_length = 60", {"line_length": 60}),
        ("line-length = 120\npreview = true", {"line_length": 120, "preview": True}),
        (
            "line-length = 60\nskip-magic-trailing-comma = true",
            {"line_length": 60, "magic_trailing_comma": False},
        ),
        (
            'target-version = ["py312"]\nskip-string-normalization = true',
            {
                "target_versions": {TargetVersion.PY312},
                "string_normalization": False,
            },
        ),
    ],
)
def test_every_word_about_style_is_heard(wide, settings, style):
    before = wide.read(ORC)
    styled(wide, f"[tool.black]\n{settings}\n")
    assert wide.run("components", "-q").code == 0
    assert wide.read(ORC) == by_black(before, **style)


def test_black_does_not_run_where_nobody_asks_for_it(wide, monkeypatch):
    monkeypatch.setitem(sys.modules, "black", None)  # to import it fails
    styled(wide, "")
    assert wide.run("components", "--no-cache") == (0, "up to date\n", "")
    styled(wide, f'format = "none"\n{NARROW}')
    assert wide.run("components", "--no-cache") == (0, "up to date\n", "")


@pytest.mark.parametrize("settings", ['format = "black"\n', "[tool.black]\n"])
def test_a_project_that_uses_black_gets_its_usual_style(wide, settings):
    before = wide.read(ORC)
    styled(wide, settings)
    assert wide.run("components", "-q").code == 0
    assert wide.read(ORC) == by_black(before) != before


def test_only_what_has_changed_is_formatted(wide, monkeypatch):
    styled(wide, NARROW)
    wide.run("components", "-q")
    formatted: list[str] = []
    as_before = black.format_str

    def noting(text: str, *, mode):
        formatted.append(text.partition("\n")[0])
        return as_before(text, mode=mode)

    monkeypatch.setattr(black, "format_str", noting)
    wide.append("game/orc.py", "    mp: Saved[str] = ''\n")
    assert wide.run("components", "-q").code == 0
    changed = (
        ORC,
        "game/_savegen/registry.py",
    )  # that has the stored types of all fields
    assert {*formatted} == {wide.read(path).partition("\n")[0] for path in changed}
    wide.remove(ORC)
    assert wide.run("components", "-q").code == 0
    assert wide.run("check") == (0, "up to date\n", "")


@pytest.mark.parametrize("verb", ["check", "components"])
def test_another_black_is_asked_anew_where_nothing_else_has_changed(
    wide, monkeypatch, verb
):
    styled(wide, NARROW)
    wide.run("components", "-q")
    time.sleep(0.1)
    assert wide.run("components").out == "up to date\n"  # sealed
    as_before = black.format_str
    monkeypatch.setattr(black, "format_str", lambda *a, **k: as_before(*a, **k) + "\n")
    assert wide.run(verb) == (0, "up to date\n", "")
    wide.write("site/black/__init__.py", "# of another version")
    monkeypatch.syspath_prepend(wide.folder / "site")
    said = wide.run(verb)
    assert ORC in said.out and "up to date" not in said.out


def test_orphans_and_paths_are_as_without_it(wide):
    styled(wide, NARROW)
    wide.run("components", "-q")
    wide.append("game/foes/elf.py", "    mp: Saved[str] = ''\n")
    wide.append("game/orc.py", "    mp: Saved[str] = ''\n")
    before = wide.read("game/_savegen/components/foes/elf.py")
    assert wide.run("components", "-q", "game/orc.py").code == 0
    assert wide.read("game/_savegen/components/foes/elf.py") == before
    wide.remove("game/orc.py")
    said = wide.run("components")
    assert said.code == 0 and f"removed {ORC}" in said.out


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ("line-length = 'x'", "[tool.black] is not valid: invalid literal"),
        ("target-version = ['py27']", "[tool.black] is not valid: 'PY27'"),
        ("enable-unstable-feature = ['no']", "[tool.black] is not valid: 'no'"),
        ("target-version = 3", "[tool.black] is not valid: 'int' object"),
    ],
)
def test_a_style_that_black_would_not_take_is_told(wide, settings, complaint):
    styled(wide, f"[tool.black]\n{settings}\n")
    before = wide.files()
    said = wide.run("components")
    assert said.code == 2 and said.err.startswith(f"error: {complaint}")
    assert wide.files() == before


def test_a_black_that_fails_is_told(wide, monkeypatch):
    def fails(text, *, mode):
        raise InvalidInput("cannot parse")

    monkeypatch.setattr(black, "format_str", fails)
    styled(wide, NARROW)
    said = wide.run("components")
    assert said.code == 2 and "black cannot format game/_savegen/" in said.err


def test_a_black_that_is_missing_is_told(wide):
    styled(wide, NARROW)
    wide.write("black.py", "raise ModuleNotFoundError(name='black')\n")
    code = "import sys; sys.path.insert(0, '.'); from savegen.__main__ import main; "
    code += "sys.argv[1:] = ['components']; print(main())"
    assert wide.python(code).endswith("2\n")


@pytest.mark.parametrize("value", ['"ruff"', "true", "1", "[]", '""'])
def test_another_format_is_refused(game, value):
    styled(game, f"format = {value}\n")
    said = game.run("components")
    assert said.code == 2
    assert '`format` in [tool.savegen] must be "auto", "black" or "none"' in said.err

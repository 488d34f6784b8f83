"""Generated code is as formatters would have it: black and ruff find nothing to do."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import sysconfig
from pathlib import Path
from random import Random

import black
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from savegen import cli
from tests.emit.random_games import RandomGame

RUFF = shutil.which("ruff", path=sysconfig.get_path("scripts"))
# What keeps formatters off, and hides the text from this test.
KEPT_OFF = ("# fmt: off\n", "# ruff: noqa\n", "# isort: skip_file\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formatted")


# Shrinking a seed is of no use.
@settings(max_examples=max(12, settings().max_examples // 20), phases=[Phase.generate])
@given(st.integers(0, 2**64), st.sampled_from([20, 60, 100]))
def test_black_and_ruff_leave_any_generated_code_as_it_is(folder, seed, longest):
    files = generated(RandomGame(Random(seed), longest).files(), folder / "game")
    for path, text in files.items():
        assert black.format_str(text, mode=black.Mode()) == text, path
    formatted = by_ruff(files, folder / "ruff")
    assert formatted == files


def generated(files: dict[str, str], folder: Path) -> dict[str, str]:
    """Return what is generated for a game, without what keeps formatters off."""
    shutil.rmtree(folder, ignore_errors=True)
    put(files, folder)
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said):
        assert cli.run(["wire", "-q"]) == 0, said.getvalue()
        assert cli.run(["components", "-q"]) == 0, said.getvalue()
        assert cli.run(["prefabs", "-q"]) == 0, said.getvalue()
    found = folder.rglob("_savegen/**/*.py")
    return {p.relative_to(folder).as_posix(): bare(p) for p in sorted(found)}


def bare(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line not in KEPT_OFF)


def by_ruff(files: dict[str, str], folder: Path) -> dict[str, str]:
    shutil.rmtree(folder, ignore_errors=True)
    put(files, folder)
    assert RUFF, "ruff is not installed beside this Python"
    subprocess.run(
        [RUFF, "format", "-q", "--no-cache", "--isolated", folder], check=True
    )
    return {path: (folder / path).read_text(encoding="utf-8") for path in files}


def put(files: dict[str, str], folder: Path) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def test_what_no_two_formatters_agree_about_is_kept_off_alone(folder: Path) -> None:
    name = "q" * 90
    game = f"from savegen import Saved, saveable\n\n\n@saveable\nclass Orc:\n    {name}: Saved[int] = 1\n"
    project = {
        "pyproject.toml": '[tool.savegen]\nsource = "game"\n',
        "game/orc.py": game,
    }
    text = generated(project, folder / "long")["game/_savegen/components/orc.py"]
    assert f"    {name.upper()} = (\n" in text and text.count("  # fmt: skip\n") >= 2
    assert black.format_str(text, mode=black.Mode()) == text

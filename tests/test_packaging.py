"""What is shipped: the wheel works alone, and does what the checkout does."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Dependencies come from the environment that runs the tests: nothing is downloaded.
INSTALLED = Path(sysconfig.get_path("purelib"))
IGNORED = shutil.ignore_patterns(
    ".venv*", ".git", "__pycache__", ".*_cache", ".hypothesis", "dist"
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, so that building leaves no trace in it."""
    return shutil.copytree(
        ROOT, tmp_path_factory.mktemp("source") / "savegen", ignore=IGNORED
    )


@pytest.fixture(scope="module")
def sdist(source: Path) -> Path:
    return build(source, "sdist")


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    return build(source, "wheel")


@pytest.fixture(scope="module")
def wheel_from_sdist(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return build(folder / sdist.name.removesuffix(".tar.gz"), "wheel")


def build(source: Path, what: str) -> Path:
    command = [sys.executable, "-m", "build", "--no-isolation", f"--{what}", "."]
    run(command, cwd=source)
    (built,) = source.glob("dist/*.whl" if what == "wheel" else "dist/*.tar.gz")
    return built


def run(command: list[str], cwd: Path, code: int = 0) -> str:
    """Run a command, expect its exit code, return what it said on both channels."""
    clean = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=clean,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == code, f"{command} exits {done.returncode}:\n{done.stdout}"
    return done.stdout


class Environment:
    """An environment that holds a wheel, and what it is given of this one's packages."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        venv.create(folder, symlinks=os.name != "nt")
        self.folder = folder
        self.python = folder / "bin" / "python"
        self.packages = Path(
            run([str(self.python), "-c", PRINT_PURELIB], cwd=folder).strip()
        )
        # `--python` makes this environment's pip work there: it has none.
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install"]
        run([*pip, "--no-index", "--no-deps", "--quiet", str(wheel)], cwd=folder)

    def borrow(self, *names: str) -> None:
        """Make some packages of the running environment importable, and no other."""
        for name in names:
            (self.packages / name).symlink_to(INSTALLED / name)

    def borrow_everything(self) -> None:
        """Put the running environment last on the path; its .pth files stay unread."""
        (self.packages / "borrowed.pth").write_text(f"{INSTALLED}\n", encoding="utf-8")

    def savegen(self, *words: str, cwd: Path, code: int = 0) -> str:
        return run([str(self.python), "-m", "savegen", *words], cwd, code=code)


PRINT_PURELIB = "import sysconfig; print(sysconfig.get_path('purelib'))"


@pytest.fixture(scope="module")
def full(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    environment = Environment(tmp_path_factory.mktemp("full") / "venv", wheel)
    environment.borrow_everything()
    return environment


@pytest.fixture(scope="module")
def game_only(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """As a player has it: savegen without an extra."""
    environment = Environment(tmp_path_factory.mktemp("game") / "venv", wheel)
    environment.borrow("msgspec", "platformdirs")
    return environment


@pytest.fixture
def sample_game(tmp_path: Path) -> Path:
    """A copy of the sample game, as it is committed."""
    return shutil.copytree(
        ROOT / "sample_game", tmp_path / "sample_game", ignore=IGNORED
    )


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_carries_the_type_marker_and_the_templates(wheel: Path) -> None:
    names = contents(wheel).keys()
    templates = sorted((ROOT / "templates").rglob("*.jinja"))
    carried = [path.relative_to(ROOT / "templates").as_posix() for path in templates]
    assert carried
    assert names >= {"savegen/py.typed", *(f"savegen/_templates/{c}" for c in carried)}


def test_the_wheel_carries_the_stories_of_all_findings(wheel: Path) -> None:
    pages = [
        path.name for path in (ROOT / "savegen" / "build" / "stories").glob("*.md")
    ]
    assert pages
    assert contents(wheel).keys() >= {f"savegen/build/stories/{name}" for name in pages}


def test_the_wheel_carries_the_package_and_nothing_else(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in contents(wheel)}
    assert tops == {"savegen", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}


def test_the_package_index_accepts_both_files(wheel: Path, sdist: Path) -> None:
    files = [str(wheel), str(sdist)]
    said = run([sys.executable, "-m", "twine", "check", "--strict", *files], cwd=ROOT)
    assert said.count("PASSED") == 2, said


def test_no_link_of_the_description_is_relative(wheel: Path) -> None:
    (name,) = (n for n in contents(wheel) if n.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(contents(wheel)[name])
    text = metadata.get_payload()
    assert isinstance(text, str)
    addresses = re.findall(r"\]\(([^)]*)\)", text)
    assert [a for a in addresses if not a.startswith("https://")] == []
    assert "your own first save, step by step" in text  # the words of a link stay


def test_a_wheel_from_the_sdist_is_the_same_wheel(
    wheel: Path, wheel_from_sdist: Path
) -> None:
    assert wheel_from_sdist.name == wheel.name
    assert contents(wheel_from_sdist) == contents(wheel)


def test_the_installed_wheel_generates_what_is_committed(
    full: Environment, sample_game: Path
) -> None:
    committed = files(sample_game)
    generated = [path for path in committed if "_savegen" in path.parts]
    assert generated, "sample_game has no generated code"
    for path in generated:
        (sample_game / path).unlink()

    full.savegen("build", cwd=sample_game)

    assert files(sample_game) == committed


def files(folder: Path) -> dict[Path, bytes]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    skipped = {".savegen_cache", "__pycache__"}
    paths = sorted(path for path in found if skipped.isdisjoint(path.parts))
    return {path: (folder / path).read_bytes() for path in paths}


def test_the_installed_command_is_the_module(full: Environment, tmp_path: Path) -> None:
    command = str(full.folder / "bin" / "savegen")
    assert run([command, "--help"], cwd=tmp_path)
    assert full.savegen("--help", cwd=tmp_path)


def test_the_installed_wheel_does_not_lean_on_the_checkout(
    full: Environment, tmp_path: Path
) -> None:
    program = "import savegen; print(savegen.__file__)"
    where = run([str(full.python), "-c", program], cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(full.packages)


def test_a_game_needs_nothing_of_the_build_extra(
    game_only: Environment, sample_game: Path
) -> None:
    generated = sorted(
        path.relative_to(sample_game.parent).with_suffix("")
        for path in sample_game.rglob("*.py")
        if "_savegen" in path.parts and path.stem != "__init__"
    )
    assert generated, "sample_game has no generated code"
    modules = [".".join(path.parts) for path in generated]
    program = f"import savegen.runtime\nimport {', '.join(modules)}"
    run([str(game_only.python), "-c", program], cwd=sample_game.parent)


def test_the_tool_without_the_build_extra_says_what_to_install(
    game_only: Environment, sample_game: Path
) -> None:
    before = files(sample_game)
    said = game_only.savegen("components", cwd=sample_game, code=2)
    assert "savegen[build]" in said
    assert "Traceback" not in said
    assert files(sample_game) == before

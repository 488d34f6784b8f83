"""Each folder of the corpus is a small game: what is generated for it, and said, to the letter.

`findings.txt` is what the command prints, with the files that it wrote, and its exit code.
`expected/` has the generated files that the case is about, and most often the lock, which has a
line for each field. A new case gets all files from `--accept`; delete those it is not about.
"""

from __future__ import annotations

import ast
import difflib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project import mypy, savegen, try_python

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests" / "corpus"
CASES = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())

SAID = "findings.txt"
LOCK = "savegen.lock"
BELONGS_TO_THE_TEST = (SAID, "expected", "__pycache__")


# -- running a case


class Outcome(NamedTuple):
    """What became of a case."""

    said: str
    code: int
    files: dict[str, str]  # generated, by path

    @property
    def texts(self) -> dict[str, str]:
        """Everything that has a golden, by its path in the case's folder."""
        expected = {f"expected/{path}": text for path, text in self.files.items()}
        return {SAID: f"{self.said}exit {self.code}\n", **expected}


def arguments(folder: Path, command: str = "components") -> list[str]:
    """Return a command for a case: without a configuration its files are named."""
    if (folder / "pyproject.toml").exists():
        return [command, "--no-color", "--all"]
    return [command, "--no-color", "--all", *sources(folder)]


def sources(folder: Path) -> list[str]:
    """Return the names of the game's files, and of folders with packages."""
    names = {path.relative_to(folder).parts[0] for path in folder.rglob("*.py")}
    return sorted(names - {"_savegen"})


def copied(name: str, folder: Path) -> Path:
    """Copy what a user would have written of a case."""
    ignored = shutil.ignore_patterns(*BELONGS_TO_THE_TEST)
    return Path(shutil.copytree(CORPUS / name, folder / name, ignore=ignored))


def run(folder: Path, *options: str) -> Outcome:
    """Run the command in this process; a case with prefabs is for the second one too."""
    said, code = answer(folder, arguments(folder) + [*options])
    if code == 0 and has_prefabs(folder):
        said, code = answer(folder, arguments(folder, "prefabs") + [*options])
    return Outcome(said, code, generated(folder) if code == 0 else {})


def answer(folder: Path, command: list[str]) -> tuple[str, int]:
    said = savegen(folder, *command, together=True)
    return said.out, said.code


def has_prefabs(folder: Path) -> bool:
    """Return whether some file of a case uses the mark."""
    files = [path for name in sources(folder) for path in [folder / name]]
    texts = [file.read_bytes() for file in files if file.is_file()]
    texts += [
        f.read_bytes() for top in files if top.is_dir() for f in top.rglob("*.py")
    ]
    return any(re.search(rb"@(\w+\.)?prefab\b|prefab=True", text) for text in texts)


def generated(folder: Path) -> dict[str, str]:
    """Return what lies in a case's folder since the command ran."""
    written = [folder / LOCK, *folder.rglob("*.py")]
    named = {path.relative_to(folder).as_posix(): path for path in written}
    case = CORPUS / folder.name
    new = {name for name in named if name == LOCK or not (case / name).exists()}
    return {name: text_of(named[name]) for name in sorted(new)}


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for copies of all cases."""
    return tmp_path_factory.mktemp("corpus")


@cache
def outcome(name: str, workshop: Path) -> Outcome:
    return run(copied(name, workshop))


# -- the goldens


def goldens(name: str) -> dict[str, str]:
    folder = CORPUS / name
    found = [folder / SAID, *(p for p in folder.rglob("expected/**/*") if p.is_file())]
    return {p.relative_to(folder).as_posix(): text_of(p) for p in found if p.exists()}


def wanted(found: dict[str, str], goldens: dict[str, str]) -> dict[str, str]:
    """Return what is compared: what has a golden; all of a case that has none yet."""
    if SAID not in goldens:
        return found
    return {path: text for path, text in found.items() if path in goldens}


def differences(found: dict[str, str], goldens: dict[str, str]) -> Iterator[str]:
    for path in sorted({*found, *goldens}):
        old, new = goldens.get(path, ""), found.get(path, "")
        if old != new or (path in found) != (path in goldens):
            lines = (old.splitlines(True), new.splitlines(True))
            yield "".join(difflib.unified_diff(*lines, f"golden/{path}", path)) or path


def rewrite(name: str, found: dict[str, str]) -> None:
    folder = CORPUS / name
    shutil.rmtree(folder / "expected", ignore_errors=True)
    for path, text in found.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


def assert_as_expected(name: str, outcome: Outcome, accept: bool = False) -> None:
    assert outcome.code != 3, outcome.said  # a bug of ours is nothing to accept
    expected = goldens(name)
    found = wanted(outcome.texts, expected)
    different = list(differences(found, expected))
    if different and accept:
        rewrite(name, found)
        pytest.fail(f"{len(different)} expected files rewritten: look at them", False)
    assert not different, "\n".join(["", *different])


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_answered_with_its_goldens(
    name: str, workshop: Path, accept: bool
) -> None:
    assert_as_expected(name, outcome(name, workshop), accept)


@pytest.fixture
def no_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.CORPUS", tmp_path)


def test_what_is_accepted_fails_once_and_then_passes(no_cases: None) -> None:
    rewrite("case", {SAID: "", "expected/kept.py": "1", "expected/lost.py": "2"})
    found = Outcome("what is said", 0, {"kept.py": "3", "other.py": "4"})
    with pytest.raises(pytest.fail.Exception):
        assert_as_expected("case", found, accept=True)
    assert_as_expected("case", found)
    assert goldens("case") == {SAID: found.texts[SAID], "expected/kept.py": "3"}


def test_all_files_of_a_new_case_are_accepted(no_cases: None) -> None:
    found = Outcome("what is said", 0, {"one.py": "1", "other.py": "2"})
    with pytest.raises(pytest.fail.Exception):
        assert_as_expected("case", found, accept=True)
    assert goldens("case") == found.texts


@pytest.mark.parametrize("name", ["kind_container", "unknown_type"])
def test_the_installed_command_answers_with_the_same(name: str, tmp_path: Path) -> None:
    folder = copied(name, tmp_path)
    done = try_python("-m", "savegen", *arguments(folder), folder=folder)
    said = done.stdout + done.stderr
    files = generated(folder) if done.returncode == 0 else {}
    assert_as_expected(name, Outcome(said, done.returncode, files))


@pytest.mark.parametrize("name", CASES)
def test_a_second_run_finds_nothing_to_do(name: str, tmp_path: Path) -> None:
    folder = copied(name, tmp_path)
    first, second = run(folder), run(folder, "--no-cache")
    assert (second.code, second.files) == (first.code, first.files), second.said
    assert second.said.endswith("up to date\n" if first.code == 0 else first.said)


def has_findings_or_files(name: str) -> bool:
    """Return whether a case has findings, or files that could be the cause of one."""
    files = [p for p in CORPUS.glob(f"{name}/**/*.py") if "expected" not in p.parts]
    return len(files) > 1 or "[SG" in goldens(name).get(SAID, "")


@pytest.mark.parametrize("name", [*filter(has_findings_or_files, CASES)])
def test_a_comment_changes_no_finding(name: str, tmp_path: Path) -> None:
    """A run that reads one file again reports what other files are the cause of, too."""
    folder = copied(name, tmp_path)
    first = findings(folder)
    assert findings(folder) == first
    for file in sorted(folder.rglob("*.py")):
        if "_savegen" not in file.parts:
            content = file.read_bytes()
            file.write_bytes(content + b"\n# a comment\n")
            assert findings(folder) == findings(folder, "--no-cache") == first
            file.write_bytes(content)


def findings(folder: Path, *options: str) -> list[str]:
    command = [*arguments(folder), "--output-format", "concise", *options]
    said, _ = answer(folder, command)
    return [line for line in said.splitlines() if re.search(r":\d+: SG\d{3} ", line)]


# -- the generated files are good Python


@pytest.fixture(scope="session")
def clean(workshop: Path) -> dict[str, Outcome]:
    """The cases that something is generated for."""
    outcomes = {name: outcome(name, workshop) for name in CASES}
    return {name: found for name, found in outcomes.items() if found.files}


def python_files(clean: dict[str, Outcome]) -> dict[str, str]:
    return {
        f"{name}/{path}": text
        for name, found in clean.items()
        for path, text in found.files.items()
        if path.endswith(".py")
    }


def test_generated_files_can_be_parsed(clean: dict[str, Outcome]) -> None:
    for path, text in python_files(clean).items():
        ast.parse(text, path)


def test_generated_files_are_ascii(clean: dict[str, Outcome]) -> None:
    files = python_files(clean)
    foreign = {path for path, text in files.items() if not text.isascii()}
    assert {path.partition("/")[0] for path in foreign} == {"names_of_all_alphabets"}


# -- and fit the classes that they are for


@pytest.fixture(scope="session")
def packages(
    clean: dict[str, Outcome], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """All clean cases side by side, each of them a package."""
    folder = tmp_path_factory.mktemp("packages")
    for name, found in clean.items():
        if name == "python_3_12" and sys.version_info < (3, 12):
            continue
        copied(name, folder)
        for path, text in found.files.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_bytes(text.encode())
        as_package(folder / name)
    return folder


def as_package(folder: Path) -> None:
    """Let the files of a case import each other from within the case."""
    for top, place in list(importable(folder)):
        package = place.removesuffix(top).removesuffix(".")
        changes = {
            rf"^( *from ){top}\b": rf"\1{place}",
            rf"^( *import ){top}\.": rf"\1{place}.",
            rf"^( *)import {top}\b": rf"\1from {package} import {top}",
            rf'^( *"){top}(?=[.:][^"]+": f")': rf"\1{place}",  # in `SUBCLASS_MIXINS`
        }
        for path in folder.rglob("*.py"):
            replace_all(path, changes)
    for file in [folder / "game.py", *folder.rglob("*.py")]:
        (file.parent / "__init__.py").touch()


def replace_all(path: Path, changes: dict[str, str]) -> None:
    data = path.read_bytes()  # in whatever encoding
    for pattern, instead in changes.items():
        data = re.sub(b"(?m)" + pattern.encode(), instead.encode(), data)
    path.write_bytes(data)


def importable(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what a case imports from the roots of its packages, and where that is."""
    for path in folder.rglob("*.py"):
        top = path.parent if path.name == "__init__.py" else path
        if not (top.parent / "__init__.py").exists():
            place = top.relative_to(folder.parent).with_suffix("")
            yield top.stem, ".".join(place.parts)


def test_mypy_is_content(packages: Path) -> None:
    done = mypy(packages, ".")
    assert done.stdout.startswith("Success: "), done.stdout + done.stderr


def test_pyright_is_content(packages: Path) -> None:
    settings = {"extraPaths": [str(ROOT)], "include": ["."]}
    (packages / "pyrightconfig.json").write_text(json.dumps(settings))
    options = ["--outputjson", "--pythonpath", sys.executable]
    done = try_python("-m", "pyright", *options, folder=packages)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] > len(list(packages.iterdir()))
    faults = [f for f in report["generalDiagnostics"] if f["severity"] == "error"]
    places = ((f, Path(f["file"]).relative_to(packages)) for f in faults)
    lines = [
        f"{path}:{f['range']['start']['line'] + 1}: {f['message']}"
        for f, path in places
    ]
    assert not faults, "\n".join(["", *lines])


LOAD_ALL = """
import importlib, sys

for name in sys.argv[1:]:
    try:
        for entry in importlib.import_module(name).REGISTRY:
            entry.load_class()
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}")
"""


def test_every_class_can_be_found_by_its_number(
    packages: Path, clean: dict[str, Outcome]
) -> None:
    wired = [name for name, found in clean.items() if "SG110" not in found.said]
    files = (file for name in wired for file in packages.glob(f"{name}/**/registry.py"))
    found = [
        ".".join(file.relative_to(packages).with_suffix("").parts) for file in files
    ]
    paths = [packages, ROOT, packages / "unknown_base", packages / "kind_foreign"]
    path = os.pathsep.join(map(str, paths))
    done = try_python("-c", LOAD_ALL, *found, folder=packages, PYTHONPATH=path)
    assert found and (done.stdout, done.stderr) == ("", "")

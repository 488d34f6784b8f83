"""Nothing is discovered: the tuples name what the folders hold, and each has its cases."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import savegen
from savegen.build.check import RULES
from savegen.build.check.types import REFUSED
from savegen.build.model import upper_snake
from savegen.findings import Finding, StoredFinding
from savegen.build.scan.exported import EXPORTED
from savegen.build.scan.marks import MARKS

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests" / "corpus"
TEMPLATES = ROOT / "templates"
TUPLES = {"kinds": "KINDS", "emit": "OUTPUTS"}


def named(package: str) -> list[str]:
    """Return the file stems that a folder's tuple names, in its order."""
    module = importlib.import_module(f"savegen.build.{package}")
    elements = getattr(module, TUPLES[package])
    assert isinstance(elements, tuple)
    return [home(element).rpartition(".")[2] for element in elements]


def home(element: object) -> str:
    """Return the module of a tuple's element: itself, or where it is defined."""
    if isinstance(element, ModuleType):
        return element.__name__
    return element.__module__


def on_disk(package: str) -> list[str]:
    folder = ROOT / "savegen" / "build" / package
    files = {path.stem for path in folder.iterdir() if path.name != "__pycache__"}
    return sorted(name for name in files if not name.startswith("_"))


@pytest.mark.parametrize("package", TUPLES)
def test_a_tuple_names_each_file_of_its_folder_once(package: str) -> None:
    assert sorted(named(package)) == on_disk(package)


def test_each_kind_has_its_template() -> None:
    templates = {path.stem for path in TEMPLATES.glob("kinds/*.jinja")}
    assert without_underscore(templates) == set(named("kinds"))


@pytest.mark.parametrize("name", named("kinds"))
def test_a_corpus_case_shows_the_code_for_each_kind(name: str) -> None:
    assert [*(CORPUS / f"kind_{name}").glob("expected/**/components/*.py")]


@pytest.mark.parametrize("name", named("emit"))
def test_a_corpus_case_shows_each_output(name: str) -> None:
    several = {"components": "components/*.py", "packages": "__init__.py"}
    assert [*CORPUS.glob(f"*/expected/**/{several.get(name, f'{name}.py')}")]


def test_the_tuples_of_rules_name_each_rule_once() -> None:
    names = [rule.__name__ for rule in RULES]
    assert len(names) == len({*names})
    modules = {inspect.getmodule(rule) for rule in RULES}
    there = {
        name
        for module in modules
        for name, found in inspect.getmembers(module, inspect.isgeneratorfunction)
        if (found.__doc__ or "").startswith("Report ")
    }
    assert there == {*names}


def test_each_rule_has_a_corpus_case() -> None:
    cases = {rule.__name__ for rule in RULES} - {"refused_type"}
    cases |= {upper_snake(each.__name__).lower() for each in REFUSED.values()}
    assert not [case for case in sorted(cases) if not is_case(case)]


def is_case(name: str) -> bool:
    return (CORPUS / name).is_dir() and any((CORPUS / name).iterdir())


def without_underscore(names: set[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def test_a_code_belongs_to_one_finding() -> None:
    by_code = defaultdict(set)
    for finding in findings():
        by_code[finding.code].add(f"{finding.__module__}.{finding.__qualname__}")
    assert not {code: sorted(who) for code, who in by_code.items() if len(who) > 1}


def test_each_finding_has_a_code() -> None:
    codes = {finding.__qualname__: finding.code for finding in findings()}
    wrong = {name for name, code in codes.items() if not is_code(code)}
    assert codes and not wrong


def is_code(code: str) -> bool:
    return code.startswith("SG") and len(code) == 5 and code[2:].isdecimal()


@pytest.mark.parametrize("package", EXPORTED)
def test_the_names_that_a_game_can_import_are_all_listed(package: str) -> None:
    module = importlib.import_module(package)
    marks = {name for name in MARKS if hasattr(module, name)}  # of the runtime, extras
    extra = marks | {"Asset"} if package == "savegen.runtime" else set()
    assert sorted(EXPORTED[package]) == sorted({*module.__all__} | extra)


def findings() -> Iterator[type[Finding]]:
    """Yield every kind of finding in savegen, however deep its class derives."""
    for module in pkgutil.walk_packages(savegen.__path__, "savegen."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting = Finding.__subclasses__()
    while waiting:
        finding = waiting.pop()
        waiting += finding.__subclasses__()
        if finding.__module__.startswith("savegen.") and finding is not StoredFinding:
            if finding.code or not finding.__subclasses__():  # not a base of several
                yield finding

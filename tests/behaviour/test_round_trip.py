"""Every type in every position keeps its values: through data, through rows, into any object.

One game is generated and one process plays it; `driver.py` has what is tried with each class.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from filelock import FileLock

from savegen.cli._session import Session
from savegen.build.config import load
from savegen.build.kinds import KINDS, container, scalar
from savegen.build.model import SavedModule, walk
from tests.behaviour import bestiary
from tests.project import Project, made_once
from tests.specimens import SPECIMENS

Outcome = dict[str, list[str]]


@pytest.fixture(scope="module")
def project(shared_folder: Path) -> Project:
    """Return the game, written by the first process of this test run that asks."""
    return Project(made_once(shared_folder / "bestiary", write), {})


def write(folder: Path) -> None:
    made = Project(folder, bestiary.files()).generated()
    # As pass 2 will, once the game has prefabs.
    types = made.folder / "game/_savegen/types.py"
    with types.open("a", encoding="utf-8") as file:
        file.write("\n    ORC = 16\n    ROCKET = 77\n")
    # Once for the processes that are to come: each of them imports all of it.
    made.run("-m", "compileall", "-q", "--invalidation-mode=checked-hash", "game")


def play(project: Project, *cases: str) -> Outcome:
    found: Outcome = json.loads(project.run("-m", "tests.behaviour.driver", *cases))
    return found


def outcome(project: Project, position: str) -> Outcome:
    """Return what went wrong with the cases of a position, played once in a test run.

    The process plays its neighbours as well: to import the engines takes longer than a game.
    """
    first = [*bestiary.POSITIONS].index(position) // 3 * 3
    neighbours = [*bestiary.POSITIONS][first : first + 3]
    told = project.folder / f"{neighbours[0]}.json"
    with FileLock(f"{told}.lock"):
        if not told.exists():
            cases = [c for c in bestiary.CASES if c.partition("/")[0] in neighbours]
            told.write_text(json.dumps(play(project, *cases)), encoding="utf-8")
    found: Outcome = json.loads(told.read_text(encoding="utf-8"))
    return found


@pytest.mark.soak
@pytest.mark.parametrize("case", bestiary.CASES)
def test_what_is_saved_comes_back_the_same(case: str, project: Project) -> None:
    failures = outcome(project, case.partition("/")[0])[case]
    assert not failures, "\n\n".join(failures)


# -- are these all types?


@pytest.fixture(scope="module")
def declared(project: Project) -> SavedModule:
    """The model of the classes whose fields are annotated in the class body."""
    config = load(str(project.folder))
    assert config is not None
    return Session(config).generate().model.modules["game.declared"]


def test_each_specimen_is_of_the_kind_that_it_stands_for(declared: SavedModule) -> None:
    bare = declared.classes[0]
    assert bare.simple_name == "DeclaredBare"
    found = {field.name: field.kind.kind for field in bare.fields}
    expected = {f"f_{key}": s.kind for key, s in SPECIMENS.items()}
    expected["f_stats"] = "union"  # of the class and of its subclass
    assert found == expected


def test_no_type_is_forgotten(declared: SavedModule) -> None:
    kinds = {
        (kind.kind, kind.name.rpartition(":")[0] or kind.name)
        for cls in declared.classes
        for field in cls.fields
        for kind in walk(field.kind)
    }
    # test_groups.py and test_value_subclasses.py look at groups, which stay the same objects, at
    # subclasses of builtin types, and at what no field declares.
    elsewhere = {"group", "subclass", "any_"}
    assert {kind for kind, _ in kinds} == set(map(last_name, KINDS)) - elsewhere
    assert {("scalar", name) for name in scalar.SCALARS} <= kinds
    containers = {each.name for each in container.CONTAINERS.values()}
    assert {("container", name) for name in {*containers, "fixed_tuple"}} <= kinds


def last_name(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


# -- would it be noticed?

DAMAGE = {
    "declared": ("o.f_list = [*data.f_list]", "o.f_list = data.f_list"),
    "dataclass": ("pack.list(value.tags, str)", "value.tags"),
    "slots_dataclass": ("o.f_set = {*data.f_set}", "o.f_set = data.f_set"),
    "slots": (
        "f_int=v if type(v := self.f_int) is int",
        "f_int=v if type(v := self.f_int) is not str",
    ),
    "in_init": ("o.f_foe = references.get_component(data.f_foe)", "pass"),
    "frozen_slots": ("items=[*cell[1]])", "items=cell[1])"),
    "frozen_dataclass": ("if type(v := self.f_bool) is bool", "if True"),
    "inherited_init": ("if data.f_str is not UNSET:", "if data.f_str is UNSET:"),
    "attrs": ("    f_decimal: str\n", "    f_decimal: int\n"),
    "defaulted": ("pack.decimal(self.f_decimal)", "str(self.f_decimal)"),
}


def test_damage_to_generated_code_is_noticed(project: Project, tmp_path: Path) -> None:
    shutil.copytree(project.folder, tmp_path, dirs_exist_ok=True)
    for position, (text, damaged) in DAMAGE.items():
        path = tmp_path / f"game/_savegen/components/{position}.py"
        whole = path.read_text(encoding="utf-8")
        assert text in whole
        path.write_text(whole.replace(text, damaged, 1), encoding="utf-8")
    cases = (f"{position}/bare" for position in DAMAGE)
    found = play(Project(tmp_path, {}), "--one-failure", *cases)
    assert [case for case, failures in found.items() if not failures] == []

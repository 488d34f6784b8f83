"""Every type goes through JSON: what a built prefab holds, and what a level says instead.

One game is generated, with a prefab for each class of the bestiary; `prefab_driver.py` has
what is tried with each value.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.behaviour import bestiary
from tests.project import Project
from tests.specimens import SPECIMENS

POSITION = "declared"
ORCS = """
from savegen import Saved, part, prefab, saveable
from game._savegen.components.orcs import BodySaveLoad

@saveable
class Body(BodySaveLoad):
    size: Saved[int] = 1

@prefab
class Orc:
    body = part(Body)

@prefab
class Rocket:
    body = part(Body)
"""

# What JSON has no form for, or what levels could not tell apart.
HIDDEN = set(
    "array array_or_int array_or_rng bytes_or_bytearray deque_or_counter floats foe_or_int"
    " foes_or_foe literal many_members method method_or_int methods ndarray np_date np_float np_number np_random random"
    " rng_and_foe rngs stats_or_vec tuples weak_or_foes weak_or_int".split()
)
# Of these, JSON keeps less than there is: no signs of NaN, no zones by name, a list for a
# tuple of the codec's own, 1.0 for the 1 in a float; no limit of a deque.
NEARLY = set(
    "arcade_rect bag complex datetime decimal defaultdict deque deque_of_lists float hex"
    " line list_of_stats pure_path pyglet_vec set_of_tuples stats time uuid vec"
    " windows_path".split()
)


def fields(told: dict[str, Any], what: str) -> set[str]:
    return {name.removeprefix("f_") for name in told[what]}


@pytest.fixture(scope="module")
def told(shared_folder: Path) -> dict[str, Any]:
    """Return what the driver says of every wrapper: it is asked once in a test run."""
    answer = shared_folder / "prefab_values.json"
    with FileLock(f"{answer}.lock"):
        if not answer.exists():
            answer.write_text(asked(shared_folder / "prefabs"), encoding="utf-8")
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found


def asked(folder: Path) -> str:
    files = bestiary.files()
    home = f"game/{POSITION}.py"
    others = {f"game/{name}.py" for name in bestiary.POSITIONS} - {home}
    chosen = {path: text for path, text in files.items() if path not in others}
    marked = chosen[home].replace("@saveable\n", "@saveable(prefab=True)\n")
    files = {**chosen, home: marked, "game/orcs.py": ORCS}
    made = Project(folder, files).generated().prefabs()
    driver = ("-m", "tests.behaviour.prefab_driver", POSITION)
    return made.run(*driver, *bestiary.WRAPPERS)


@pytest.mark.parametrize("wrapper", bestiary.WRAPPERS)
def test_what_is_built_comes_back_the_same(wrapper: str, told: dict[str, Any]) -> None:
    failures = [
        failure
        for failure in told[wrapper]["failures"]
        if failure.partition(":")[0].partition(",")[0].removeprefix("f_") not in NEARLY
    ]
    assert not failures, "\n\n".join(failures)


@pytest.mark.parametrize("wrapper", bestiary.WRAPPERS)
def test_what_json_cannot_say_is_no_parameter(
    wrapper: str, told: dict[str, Any]
) -> None:
    all_of_them = {field.key for field in bestiary.fields_of(POSITION, wrapper)}
    assert fields(told[wrapper], "hidden") == HIDDEN & all_of_them


@pytest.mark.parametrize("wrapper", bestiary.WRAPPERS)
def test_only_references_and_assets_have_no_id_yet(
    wrapper: str, told: dict[str, Any]
) -> None:
    unsaid = told[wrapper]["unsaid"]
    nameless = {
        name.removeprefix("f_")
        for name, why in unsaid.items()
        if "no id" in str(why) or "cannot set assets" in str(why)
    }
    plain = {
        key
        for key in nameless
        if not any(word in SPECIMENS[key].type for word in ("Foe", "Asset", "Link"))
    }
    assert plain <= {"beast", "camp", "frozen_camp", "hittable", "many_members"}


@pytest.mark.parametrize("wrapper", bestiary.WRAPPERS)
def test_all_else_is_said(wrapper: str, told: dict[str, Any]) -> None:
    kept, unsaid = fields(told[wrapper], "kept"), told[wrapper]["unsaid"]
    nameless = {
        name.removeprefix("f_")
        for name, why in unsaid.items()
        if "no id" in str(why) or "cannot set assets" in str(why)
    }
    all_of_them = {field.key for field in bestiary.fields_of(POSITION, wrapper)}
    rest = all_of_them - kept - HIDDEN - NEARLY - nameless
    # NaN, dates that are times, bits without a name.
    assert rest <= {"bits", "date", "dict_of_dicts", "vector"}

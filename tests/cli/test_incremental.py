"""A second run reads what has changed, does no more than it must, and says what a first one would."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import libcst
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from savegen.build.emit import registry
from savegen.build.lock.source import DeclaredClass
from savegen.build.model import SavedClass
from tests.cli.games import MARKS, TABLE, Game
from tests.soaking import examples


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that libcst was given."""
    texts: list[str] = []
    real = libcst.parse_module

    def parse(text: str, *rest: object) -> libcst.Module:
        texts.append(text)
        return real(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(libcst, "parse_module", parse)
    return texts


def test_a_first_run_parses_the_marked_files_and_those_that_types_lead_to(bare, parsed):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/plain.py", "class Plain: ...\n")
    bare.write("game/vec.py", "from typing import NewType\nHp = NewType('Hp', int)\n")
    bare.write(
        "game/orc.py",
        f"{MARKS}from game.vec import Hp\n@saveable\nclass Orc:\n    hp: Saved[Hp]\n",
    )
    bare.run("components")
    assert sorted(parsed) == sorted(map(bare.read, ("game/orc.py", "game/vec.py")))


@pytest.mark.parametrize(
    "change", ["# a comment\n", "    mp: Saved[int] = 0\n", "    def hit(self): ...\n"]
)
def test_a_later_run_parses_what_has_changed(game, parsed, change):
    game.append("game/orc.py", change)
    game.run("components")
    assert parsed == [game.read("game/orc.py")]


def test_nothing_is_parsed_where_nothing_has_changed(game, parsed):
    assert game.run("components") == (0, "up to date\n", "")
    assert game.run("check") == (0, "up to date\n", "")
    os.utime(game.folder / "game/orc.py")  # looked into, and found the same
    assert game.run("components") == (0, "up to date\n", "")
    assert parsed == []


@pytest.mark.parametrize("change", ["# a comment\n", "\n\ndef helper():\n    ...\n"])
def test_what_no_text_is_made_of_changes_no_file(game, change):
    before = game.files()
    game.append("game/orc.py", change)
    assert game.run("components").out == "up to date\n"
    assert game.files() == before | {"game/orc.py": game.read("game/orc.py").encode()}


def test_a_renamed_method_of_a_plain_base_changes_the_registry(bare):
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/base.py", "class Base:\n    def hit(self): ...\n")
    bare.write(
        "game/orc.py",
        "from game.base import Base\nfrom savegen import Method, Saved, saveable\n"
        "@saveable\nclass Orc(Base):\n    call: Saved[Method[[], None] | None] = None\n",
    )
    bare.run("components")
    bare.write("game/base.py", "class Base:\n    def strike(self): ...\n")
    assert "registry.py" in bare.run("components").out
    assert 'methods=("strike",)' in bare.read("game/_savegen/registry.py")


def test_an_entry_of_the_registry_is_not_taken_for_that_of_another_module(bare):
    """The first default that is code changes the alias of a module called like a builtin."""
    module = (
        "from savegen import Saved, saveable\n@saveable\nclass {}:\n    {}: Saved[int]\n"
        "    def __init__(self, value: int) -> None:\n        self.{} = {}\n"
    )
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/list.py", module.format("Thing", "hp", "hp", "value"))
    bare.write("game/list_2.py", module.format("Thing", "name", "name", "value"))
    bare.write("game/zed.py", module.format("Zed", "z", "z", "value"))
    bare.run("components")
    bare.write("game/zed.py", module.format("Zed", "z", "z", "7"))
    bare.run("components")
    warm = bare.read("game/_savegen/registry.py")
    bare.run("components", "--no-cache")
    assert bare.read("game/_savegen/registry.py") == warm


def test_a_module_that_becomes_a_package_is_generated_anew(game):
    game.run("components", "--no-cache")
    text = game.read("game/orc.py")
    (game.folder / "game/orc.py").unlink()
    game.write("game/orc/__init__.py", text)
    assert "game/_savegen/components/orc/__init__.py" in game.run("components").out
    before = game.files()
    assert game.run("components", "--no-cache").code == 0
    assert game.files() == before


def test_a_new_field_is_numbered_and_written_alone(game, monkeypatch):
    written: list[str] = []
    numbered: list[str] = []
    assign = import_module(
        "savegen.build.lock.assign"
    )  # the package has a function of that name
    entry, declared = registry._entry, assign.declared_classes

    def written_entry(cls: SavedClass, *rest: Any) -> str:
        written.append(cls.name)
        return entry(cls, *rest)

    def declared_classes(*arguments: Any) -> Iterator[DeclaredClass]:
        for cls in declared(*arguments):
            numbered.append(cls.location)
            yield cls

    monkeypatch.setattr(registry, "_entry", written_entry)
    monkeypatch.setattr(assign, "declared_classes", declared_classes)
    game.append("game/orc.py", "    mp: Saved[int] = 0\n")
    game.run("components")
    assert written == numbered == ["game.orc:Orc"]
    game.append("savegen.lock", "# edited\n")
    game.append("game/orc.py", "    xp: Saved[int] = 0\n")
    written.clear()
    numbered.clear()
    game.run("components")
    assert len(written) == len(numbered) == 2


LOADED = """
import sys
from savegen.__main__ import main
sys.argv = ["savegen", *sys.argv[1:]]
code = main()
heavy = "black", "libcst", "libcst.matchers", "jinja2", "msgspec"
print(code, *[name for name in heavy if name in sys.modules])
"""


def loaded(game: Game, *words: str) -> str:
    """Return the exit code of a command, and which heavy libraries it took."""
    game.write("loaded.py", LOADED)
    out = game.python(
        f"import sys; sys.argv[1:] = {words}; exec(open('loaded.py').read())"
    )
    return out.splitlines()[-1]


def test_a_build_takes_no_more_libraries_than_it_must(game):
    time.sleep(0.1)  # what has changed just before a run is looked into by the next
    game.run("components")
    assert loaded(game, "components") == "0"
    assert loaded(game, "check") == "0"
    game.append("game/orc.py", "# a comment\n")
    assert loaded(game, "components") == "0 libcst msgspec"
    game.append("game/orc.py", "# another\n")
    assert loaded(game, "build") == "0 libcst msgspec"
    game.append("game/orc.py", "    mp: Saved[int] = 0\n")
    assert loaded(game, "components") == "0 libcst jinja2 msgspec"
    assert loaded(game, "components", "--no-cache") == "0 libcst jinja2 msgspec"


def test_findings_are_told_again_when_nothing_has_changed(game, parsed):
    game.append("game/orc.py", "\n\n@saveable\nclass Unwired: ...\n")
    first = game.run("components")
    assert "warning[SG110]" in first.out
    parsed.clear()
    again = game.run("components")
    assert (
        again.out.replace("up to date\n", "") == first.out[: first.out.index("wrote")]
    )
    assert parsed == []


# What is remembered may be lost or damaged


@pytest.mark.parametrize("name", ["state", "memory"])
@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "noise", "flipped"])
def test_a_damaged_cache_costs_time_and_nothing_else(game, name, damage):
    path = game.folder / ".savegen_cache" / name
    before, data = game.files(), path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        flipped = bytes([*data[:-9], data[-9] ^ 1, *data[-8:]])
        path.write_bytes(
            {
                "empty": b"",
                "cut": data[: len(data) // 2],
                "noise": b"\xff\x00" * 99,
                "flipped": flipped,
            }[damage]
        )
    assert game.run("components") == (0, "up to date\n", "")
    assert game.files() == before
    game.append("game/orc.py", "    mp: Saved[int] = 0\n")
    assert game.run("components").code == 0
    assert "mp" in game.read("game/_savegen/components/orc.py")


def test_another_interpreter_or_savegen_believes_nothing_of_a_cache(
    game, parsed, monkeypatch
):
    monkeypatch.setattr("savegen.build.cache.tool", lambda: "0.0.0")
    assert game.run("components") == (0, "up to date\n", "")
    assert len(parsed) == 2


def test_a_file_that_changes_at_the_same_length_in_the_same_moment_is_seen(game):
    for type in ("str", "int") * 5:
        game.replace("game/orc.py", "str" if type == "int" else "int", type)
        game.run("components")
        assert f"hp: {type}" in game.read("game/_savegen/components/orc.py")


# Whatever is changed, a run with a cache ends as one without


BASES = {
    "plain": "@saveable\nclass Base:\n    hp: Saved[int] = 1\n",
    "more": "@saveable\nclass Base:\n    hp: Saved[int] = 1\n    mp: Saved[float] = 1.0\n",
    "rated": "@saveable\nclass Base:\n    rate = 1\n    hp: Saved[int] = 1\n",
    "unmarked": "class Base:\n    hp: Saved[int] = 1\n",
    "renamed": "@saveable\nclass Root:\n    hp: Saved[int] = 1\nBase = Root\n",
    "gone": "",
    "broken": "class Base(:\n",
}
VALUES = {
    "frozen": "@dataclass(frozen=True)\nclass Vec:\n    x: int\n    y: int\n",
    "longer": "@dataclass(frozen=True)\nclass Vec:\n    x: int\n    y: int\n    z: int\n",
    "mutable": "@dataclass\nclass Vec:\n    x: int\n    y: int\n",
    "enum": "class Vec(Enum):\n    UP = 1\n    DOWN = 2\n",
    "alias": "Vec = tuple[int, int]\n",
    "object": "class Vec: ...\n",
    "gone": "",
}
ORCS = {
    "extends": "@saveable\nclass Orc(Base):\n    at: Saved[Vec | None] = None\n",
    "refers": "@saveable\nclass Orc:\n    foe: Saved[Base | None] = None\n",
    "holds": "@saveable\nclass Orc:\n    path: Saved[list[Vec]]\n",
    "comment": "# orcs\n@saveable\nclass Orc(Base):\n    at: Saved[Vec | None] = None\n",
    "nothing": "class Orc: ...\n",
    "unset": "@saveable(transient=('image',))\nclass Orc(Base):\n"
    "    def __init__(self):\n        self.image = object()\n",
}
OTHERS = {
    "nothing": "",
    "subclass": "class Knight(Base): ...\n",
    "subclass_below": "# knights\nclass Knight(Base): ...\n",
    "prefab": "@prefab\nclass Camp:\n    orc = part(Orc)\n",
    "assigns": "def hit(base: Base) -> None:\n    base.rate = 3\n",
}
BELOW = {
    "nothing": "",
    "plain": "@dataclass(frozen=True)\nclass Deep(Vec):\n    z: int = 0\n",
    "unsavable": "@dataclass(frozen=True)\nclass Deep(Vec):\n    z: object = None\n",
    "list": "class Deck(list[Vec]): ...\n",
    "forgets": "class Deck(list[Vec]):\n    def call(self):\n        self.name = ''\n",
}
HEADS = {
    "game/base.py": MARKS,
    "game/vec.py": "from dataclasses import dataclass\nfrom enum import Enum\n",
    "game/orc.py": f"{MARKS}from game.base import Base\nfrom game.vec import Vec\n"
    "import game.below\n",
    "game/below.py": "from dataclasses import dataclass\nfrom game.vec import Vec\n",
    "game/elf.py": "from game.marks import *\nfrom game.vec import Vec\n",
    "game/marks.py": "",
    "game/others.py": "from savegen import part, prefab\nfrom game.orc import Base, Orc\n",
}
BODIES = {
    "game/base.py": BASES,
    "game/vec.py": VALUES,
    "game/orc.py": ORCS,
    "game/below.py": BELOW,
    "game/elf.py": {
        "marked": "@keep\nclass Elf:\n    at: Saved[Vec | None] = None\n",
        "plain": "class Elf: ...\n",
    },
    "game/marks.py": {
        "kept": "from savegen import Saved, saveable as keep\n",
        "lost": "def keep(cls): return cls\nSaved = list\n",
    },
    "game/others.py": OTHERS,
}


def test_what_a_failed_run_found_out_about_bases_is_not_remembered(tmp_path):
    game = Game(tmp_path / "game")
    game.write("pyproject.toml", TABLE)
    game.write("game/__init__.py", "")
    game.write("game/vec.py", VALUES["alias"])
    game.write("game/base.py", HEADS["game/base.py"] + BASES["unmarked"])
    game.write("game/orc.py", HEADS["game/orc.py"] + ORCS["extends"])
    game.run("components")
    game.write("game/orc.py", HEADS["game/orc.py"] + ORCS["refers"])
    assert "error[SG205]" in game.run("components").out
    assert "warning[SG120]" in game.run("check").out


OUTPUTS = ["registry.py", "types.py", "components/orc.py", "components/base.py"]


class TwoRuns(RuleBasedStateMachine):
    """The same edits in two folders, one of which never remembers anything."""

    folder: Path

    def __init__(self) -> None:
        super().__init__()
        TwoRuns.count += 1
        self.games = [
            Game(self.folder / f"{name}{TwoRuns.count}") for name in ("cached", "fresh")
        ]

    count = 0

    @initialize()
    def begin(self) -> None:
        for game in self.games:
            game.write("pyproject.toml", TABLE)
            game.write("game/__init__.py", "")
            for path, bodies in BODIES.items():
                game.write(path, HEADS[path] + next(iter(bodies.values())))

    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(BODIES)))
        body = data.draw(st.sampled_from(sorted(BODIES[path])))
        for game in self.games:
            game.write(path, HEADS[path] + BODIES[path][body])

    @rule(output=st.sampled_from(OUTPUTS))
    def lose_an_output(self, output: str) -> None:
        for game in self.games:
            (game.folder / "game/_savegen" / output).unlink(missing_ok=True)

    @rule(output=st.sampled_from(OUTPUTS))
    def edit_an_output(self, output: str) -> None:
        for game in self.games:
            if output in game.generated():
                game.append(f"game/_savegen/{output}", "# by hand\n")

    @rule(data=st.data())
    def lose_a_line_of_the_lock(self, data: st.DataObject) -> None:
        lines = self.games[0].read("savegen.lock").splitlines(keepends=True)
        lost = data.draw(st.sampled_from(lines))
        for game in self.games:
            game.replace("savegen.lock", lost, "")

    @rule()
    def wire(self) -> None:
        self.agree("wire")

    @rule()
    def check(self) -> None:
        self.agree("check", "--diff")

    @invariant()
    def both_end_alike(self) -> None:
        self.agree("components")

    def agree(self, *words: str) -> None:
        if not (self.games[0].folder / "pyproject.toml").exists():
            return
        cached, fresh = self.games
        forget = ["--no-cache"] * (words[0] != "wire")
        assert cached.run(*words) == fresh.run(*words, *forget)
        assert cached.files() == fresh.files()


def test_a_cache_changes_nothing_but_the_time(tmp_path):
    machine = type("Here", (TwoRuns,), {"folder": tmp_path})
    few = settings(max_examples=examples(20), stateful_step_count=12, deadline=None)
    run_state_machine_as_test(machine, settings=few)

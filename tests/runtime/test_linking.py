"""The program of pass 3, run in a fresh process: what it prints, whatever the game does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from textwrap import dedent, indent
from typing import Annotated, Any, Literal

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, Struct, UnsetType

from savegen.runtime.prefabs.level_schema import PrefabEntry, schema_of, template_of
from savegen.runtime.prefabs.prefabs import Prefab
from savegen.runtime.prefabs.serializers import PrefabSerializer
from tests.project import ENVIRONMENT, Project

_GUNS = '''
    """What was generated, and the class above it, in short."""

    from enum import Enum, IntEnum
    from typing import Any

    from savegen.runtime import NO_REFERENCES, SaveLoadable
    from savegen.runtime.values.saveable import ParamNameMapping
    from savegen.runtime.generated.components import field_names
    from savegen.runtime.generated.registry import FORMAT, ClassEntry, Registry, ValueEntry
    from savegen.runtime.values.rows import UNSET, Row, misfit

    TYPES = {"shots": "int", "heat": "float", "mood": "Mood", "marks": "list[str]",
             "mate": "Gun | None"}
    STORED = {"shots": "int", "heat": "float", "mood": "enum Mood{CALM ANGRY}",
              "marks": "list<str>", "mate": "optional<ref<16>>"}


    class Mood(Enum):
        CALM = 1
        ANGRY = 2


    class GunFields(IntEnum):
        SHOTS = 21
        HEAT = 22
        MOOD = 23
        MARKS = 24
        MATE_REF = 25


    class GunData(Row):
        __numbers__ = GunFields
        shots: Any
        heat: Any
        mood: Any
        marks: Any
        mate: Any


    class GunSaveLoad(SaveLoadable):
        save_type = IntEnum("Types", {"GUN": 16}, module="fort._savegen.types").GUN
        save_load_field_names = field_names(GunData)

        def save_data(self, references=NO_REFERENCES):
            mood, marks = self.mood, self.marks
            return GunData(
                self.shots,
                self.heat,
                mood.name if type(mood) is Mood else misfit(mood),
                [*marks] if type(marks) is list else misfit(marks),
                references.key_of(self.mate),
            )

        def load_data(self, data, references=NO_REFERENCES):
            for name in ("shots", "heat", "marks"):
                if getattr(data, name) is not UNSET:
                    setattr(self, name, getattr(data, name))
            if data.mood is not UNSET:
                self.mood = Mood[data.mood]
            if data.mate is not UNSET:
                self.mate = references.get_component(data.mate)

        @classmethod
        def get_param_name_mappings(cls):
            numbers = cls.save_load_field_names
            return tuple(ParamNameMapping(n, t, n, numbers[n]) for n, t in TYPES.items())


    class Gun(GunSaveLoad):
        mood = Mood.CALM
        mate = None

        def __init__(self, shots=3, heat=0.5, marks=()):
            self.shots, self.heat, self.marks = shots, heat, marks


    REGISTRY = Registry(
        FORMAT,
        (ClassEntry(GunSaveLoad, lambda: None, GunData, fields=(*STORED.items(),)),),
        values=(ValueEntry("Mood", lambda: Mood, STORED["mood"]),),
    )
    '''
_HEAD = """
    import os, random, sys, threading, time
    from savegen import part, prefab
    from fort.guns import Gun, Mood, GunSaveLoad
    """
_SERIALIZER = '''
    class {name}Serializer(PrefabSerializer, tag="{name}Serializer"):
        """A {name}."""

        shots: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
        heat: float | UnsetType = UNSET
        mood: Literal["CALM", "ANGRY"] | UnsetType = UNSET
        marks: list[str] | UnsetType = UNSET
        mate: str | None | UnsetType = UNSET

        def get_prefab_type(self):
            return PrefabType.{name}
    '''
_LINK = """
    from savegen.runtime.prefabs.linking import link
    from fort.guns import REGISTRY

    from .prefab_info import PREFAB_INFO

    MAPPINGS = {
        16: (
            ("shots", "int", "shots", 21),
            ("heat", "float", "heat", 22),
            ("mood", "Mood", "mood", 23),
            ("marks", "list[str]", "marks", 24),
            ("mate", "Gun | None", "mate", 25),
        ),
    }
    if __name__ == "__main__":
        link(PREFAB_INFO, REGISTRY, MAPPINGS)
    """


class Fort(Project):
    """A game of prefabs by module; each has one part, a gun."""

    def __init__(
        self,
        folder: Path,
        modules: Mapping[str, str],
        package: str = "",
        max_counts: Mapping[str, int] | None = None,
    ) -> None:
        found = {
            module: [
                line.split()[1].partition("(")[0].rstrip(":")
                for line in dedent(text).splitlines()
                if line.startswith("class ") and "GunSaveLoad" not in line
            ]
            for module, text in modules.items()
        }
        names = [name for each in found.values() for name in each]
        rows = "".join(
            _row(name, module, (max_counts or {}).get(name))
            for module, each in found.items()
            for name in each
        )
        types = "".join(f"    {name} = {n}\n" for n, name in enumerate(names, 1))
        files = {
            "fort/__init__.py": package,
            "fort/guns.py": _GUNS,
            "fort/_savegen/__init__.py": "",
            "fort/_savegen/registry.py": "from fort.guns import REGISTRY\n",
            "fort/_savegen/link_prefabs.py": _LINK,
            **{f"fort/{module}.py": _text(text) for module, text in modules.items()},
        }
        super().__init__(folder, files)
        self._write(
            "types", f"from enum import IntEnum\nclass PrefabType(IntEnum):\n{types}"
        )
        self._write(
            "prefab_info",
            "from importlib import import_module\n"
            "from savegen.runtime.prefabs.prefabs import Prefab, PrefabInfo\n"
            "from .types import PrefabType\n"
            "def _serializers():\n    from . import prefabs\n    return prefabs.ANY\n"
            f"PREFAB_INFO = PrefabInfo(1, [{rows}], _serializers)\n",
        )
        serializers = "".join(dedent(_SERIALIZER.format(name=name)) for name in names)
        self._write(
            "prefabs",
            "from typing import Annotated, Literal\n"
            "from msgspec import UNSET, Meta, UnsetType\n"
            "from savegen.runtime.prefabs.serializers import PrefabSerializer\n"
            f"from .types import PrefabType\n{serializers}"
            f"ANY = {' | '.join(f'{name}Serializer' for name in names)}\n",
        )

    def _write(self, name: str, text: str) -> None:
        (self.folder / "fort" / "_savegen" / f"{name}.py").write_text(text)

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        environ = {**os.environ, **ENVIRONMENT}
        environ.pop("PYTHONUNBUFFERED", None)
        environ["PYTHONPATH"] += os.pathsep + str(self.folder)
        return subprocess.Popen(
            [sys.executable, *options, "-m", "fort._savegen.link_prefabs"],
            cwd=self.folder.parent,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def link(self, *options: str) -> tuple[Any, str]:
        """Run the program, which must succeed; return what it prints on both streams."""
        out, err = (program := self.start(*options)).communicate(timeout=60)
        assert program.returncode == 0, err.decode()
        return json.loads(out), err.decode()


def _text(text: str) -> str:
    return dedent(_HEAD) + dedent(text)


def _row(name: str, module: str, max_count: int | None) -> str:
    load = f"lambda: getattr(import_module('fort.{module}'), '{name}')"
    return (
        f"Prefab(PrefabType.{name}, '{name}', 'fort.{module}', {load},"
        f" {{'gun': 11}}, max_count={max_count}), "
    )


def test_every_prefab_is_told_of_with_its_defaults(tmp_path: Path) -> None:
    fort = Fort(
        tmp_path,
        {"towers": """
                @prefab
                class Tower:
                    gun = part(Gun, 7, marks=["a"]).set(mood=Mood.ANGRY)

                class Keep(Tower):
                    gun = part(Gun)
                """},
        max_counts={"Keep": 2},
    )
    told, _ = fort.link()
    keep = {"shots": 3, "heat": 0.5, "mood": "CALM", "marks": [], "mate": None}
    home = {"module": "fort.towers"}
    assert told["format"] == 1 and told["failures"] == []
    assert told["prefabs"] == {
        "Tower": {
            "number": 1,
            "name": "Tower",
            "serializer": "TowerSerializer",
            "defaults": {**keep, "shots": 7, "mood": "ANGRY", "marks": ["a"]},
        }
        | home,
        "Keep": {
            "number": 2,
            "name": "Keep",
            "serializer": "KeepSerializer",
            "max_count": 2,
            "defaults": keep,
        }
        | home,
    }
    here = [str(tmp_path / "fort" / name) for name in ("__init__", "guns", "towers")]
    assert told["loaded"] == [f"{path}.py" for path in here]
    entry = told["schema"]["$defs"]["KeepSerializer"]
    assert entry["title"] == "Keep"
    assert entry["description"] == "A Keep.\n\nat most 2 in a level"
    assert entry["properties"]["shots"] == {
        "type": "integer",
        "minimum": 0,
        "default": 3,
    }
    validator(told["schema"]).validate(told["template"])
    assert [e["$type"] for e in told["template"]["sprites"].values()] == [
        "TowerSerializer",
        "KeepSerializer",
    ]


def test_what_cannot_be_said_in_a_level_is_left_out(tmp_path: Path) -> None:
    fort = Fort(
        tmp_path,
        {"towers": """
                class Hot:
                    gun = part(Gun, 2**70, float("inf"), ["\\ud800"])
                class Missing:
                    gun = part(Gun, -1, float("nan"), None)
                class Tied:
                    class _Gun(Gun):
                        mood = None
                    gun = part(_Gun, "x", "y", {1: 2}).set(mate=Gun())
                class Deleted:
                    class _Gun(Gun):
                        def __init__(self):
                            pass
                    gun = part(_Gun)
                """},
    )
    told, _ = fort.link()
    found = {name: each["defaults"] for name, each in told["prefabs"].items()}
    assert told["failures"] == []
    assert found == {
        "Hot": {"shots": 2**70, "mood": "CALM", "mate": None},
        "Missing": {"mood": "CALM", "mate": None},
        "Tied": {},
        "Deleted": {"mood": "CALM", "mate": None},
    }
    validator(told["schema"]).validate(told["template"])


FAULTY = """
    class Good:
        gun = part(Gun)

    class Raises:
        class _Gun(Gun):
            def __init__(self):
                self._load([])

            def _load(self, shots):
                return shots.index(3)

        gun = part(_Gun)

    class Leaves:
        gun = part(lambda: sys.exit(3))

    class Falls:
        class _Gun(Gun):
            def __init__(self):
                self.__init__()

        gun = part(_Gun)

    class Mute(Exception):
        gun = part(lambda: Mute.fall())

        @staticmethod
        def fall():
            raise Mute

        def __str__(self):
            raise ValueError

    class Chained:
        gun = part(Gun, marks=[]).set(colour=3)

    class Last:
        gun = part(Gun, 8)
    """


def test_a_prefab_that_fails_is_told_of_and_the_others_are_built(
    tmp_path: Path,
) -> None:
    told, _ = Fort(tmp_path, {"towers": FAULTY}).link()
    file = str(tmp_path / "fort" / "towers.py")
    lines = Path(file).read_text().splitlines()
    found = {
        each["prefab"].removeprefix("fort.towers:"): (
            each["kind"],
            each["error"].partition(":")[0],
            each["function"],
            each["line"] and lines[each["line"] - 1].strip(),
        )
        for each in told["failures"]
    }
    assert found == {
        "Raises": ("raised", "ValueError", "_load", "return shots.index(3)"),
        "Leaves": (
            "raised",
            "SystemExit",
            "<lambda>",
            "gun = part(lambda: sys.exit(3))",
        ),
        "Falls": ("raised", "RecursionError", "__init__", "self.__init__()"),
        "Mute": ("raised", "Mute", "fall", "raise Mute"),
        "Chained": ("raised", "SaveError", "", 0),
    }
    assert {each["file"] for each in told["failures"]} == {file, ""}
    assert told["prefabs"]["Good"]["defaults"]["shots"] == 3
    assert told["prefabs"]["Last"]["defaults"]["shots"] == 8
    validator(told["schema"]).validate(told["template"])
    assert len(told["template"]["sprites"]) == 7


@pytest.mark.parametrize(
    ("fault", "error", "line"),
    [
        ("import fort.helper", "ZeroDivisionError: division by zero", 2),
        ("sys.exit('no')", "SystemExit: no", 5),
        ("import no_such", "ModuleNotFoundError: No module named 'no_such'", 5),
        ("def broken(:", "SyntaxError: ", 5),
        ("raise BaseException()", "BaseException", 5),
    ],
)
def test_a_module_that_cannot_be_imported_is_one_failure(
    tmp_path: Path, fault: str, error: str, line: int
) -> None:
    text = (
        f"{fault}\nclass One:\n    gun = part(Gun)\n\nclass Two:\n    gun = part(Gun)\n"
    )
    good = "class Good:\n    gun = part(Gun)\n"
    fort = Fort(tmp_path, {"broken": text, "good": good})
    (tmp_path / "fort" / "helper.py").write_text("class A:\n    x = 1 / 0\n")
    told, _ = fort.link()
    (failure,) = told["failures"]
    assert (failure["prefab"], failure["kind"]) == ("fort.broken", "import")
    assert failure["error"].startswith(error) and failure["line"] == line
    name = "helper" if "helper" in fault else "broken"
    assert failure["file"] == str(tmp_path / "fort" / f"{name}.py")
    assert told["prefabs"]["Good"]["defaults"]["shots"] == 3
    assert told["prefabs"]["One"]["defaults"] == {}


def test_a_class_that_is_gone_from_its_module_is_its_own_failure(
    tmp_path: Path,
) -> None:
    text = """
        class Gone:
            gun = part(Gun)
        class Here:
            gun = part(Gun)
        del Gone
        """
    told, _ = Fort(tmp_path, {"towers": text}).link()
    (failure,) = told["failures"]
    assert (failure["prefab"], failure["kind"]) == ("fort.towers:Gone", "import")
    assert told["prefabs"]["Here"]["defaults"]["shots"] == 3


@pytest.mark.parametrize("options", [(), ("-u",)])
def test_nothing_that_the_game_prints_reaches_the_real_stdout(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    text = """
        import atexit, subprocess
        print("at import")
        atexit.register(print, "at the end")

        class Loud:
            class _Gun(Gun):
                def __init__(self):
                    super().__init__()
                    print("in Python")
                    sys.__stdout__.write("around Python")
                    os.write(1, b"below Python\\n")
                    subprocess.run([sys.executable, "-c", "print('beside Python')"])
                    print("no end of line", end="")

            gun = part(_Gun)
        """
    told, err = Fort(tmp_path, {"towers": text}).link(*options)
    assert told["failures"] == [] and told["prefabs"]["Loud"]["defaults"]["shots"] == 3
    for said in (
        "at import",
        "in Python",
        "around",
        "below",
        "beside",
        "no end of line",
    ):
        assert said in err
    assert "at the end" not in err


def test_what_the_package_prints_before_is_kept_off_while_it_is_buffered(
    tmp_path: Path,
) -> None:
    text = "class Tower:\n    gun = part(Gun)\n"
    told, err = Fort(tmp_path, {"towers": text}, package="print('welcome')").link()
    assert told["format"] == 1 and "welcome" in err


def test_a_game_that_spoils_the_streams_is_told_of_all_the_same(tmp_path: Path) -> None:
    text = """
        class Rude:
            class _Gun(Gun):
                def __init__(self):
                    super().__init__()
                    sys.stdout.close()
                    sys.stdout = sys.stderr = None

            gun = part(_Gun)
        """
    told, _ = Fort(tmp_path, {"towers": text}).link()
    assert told["prefabs"]["Rude"]["defaults"]["shots"] == 3


def test_threads_left_running_do_not_hold_the_program_up(tmp_path: Path) -> None:
    text = """
        class Busy:
            class _Gun(Gun):
                def __init__(self):
                    super().__init__()
                    threading.Thread(target=time.sleep, args=(600,)).start()

            gun = part(_Gun)
        """
    told, _ = Fort(tmp_path, {"towers": text}).link()
    assert told["failures"] == []


def test_an_interrupt_ends_the_program(tmp_path: Path) -> None:
    text = """
        class Slow:
            class _Gun(Gun):
                def __init__(self):
                    threading.Thread(target=time.sleep, args=(600,)).start()
                    raise KeyboardInterrupt

            gun = part(_Gun)
        """
    program = Fort(tmp_path, {"towers": text}).start()
    out, _ = program.communicate(timeout=60)
    assert (program.returncode, out) == (130, b"")


def test_building_one_prefab_changes_no_roll_of_another(tmp_path: Path) -> None:
    rolls = "\n\n".join(f"class {name}(Rolls):\n    pass" for name in ("One", "Two"))
    text = f"""
        random.seed(3)

        class Rolls:
            class _Gun(Gun):
                def __init__(self):
                    super().__init__(random.randint(0, 10**9))

            gun = part(_Gun)

{indent(rolls, "        ")}
        """
    told, _ = Fort(tmp_path, {"towers": text}).link()
    assert len({each["defaults"]["shots"] for each in told["prefabs"].values()}) == 1


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (
            "super().get_param_name_mappings()[:-1]",
            "does not return `mate: Gun | None` as 'mate', number 25",
        ),
        (
            "(*super().get_param_name_mappings(), ('x', 'int', 'y', 3))",
            "returns `x: int` as 'y', number 3, which savegen did not generate",
        ),
        (
            "super().get_param_name_mappings()[::-1]",
            "returns its parameters in a different order",
        ),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_parameters_that_were_not_generated_are_refused(
    tmp_path: Path, rows: str, error: str
) -> None:
    text = f"""
        class Tower:
            class _Gun(Gun):
                @classmethod
                def get_param_name_mappings(cls):
                    return {rows}

            gun = part(_Gun)

        class Other(Tower):
            pass
        """
    text = text.replace("super()", "Gun")
    told, _ = Fort(tmp_path, {"towers": text}).link()
    (failure,) = told["failures"]
    assert (failure["prefab"], failure["kind"]) == ("fort.towers:Tower", "mapping")
    assert error in failure["error"] and failure["file"].endswith("towers.py")
    assert failure["function"] == "get_param_name_mappings"


def test_a_part_that_is_no_component_is_told_of(tmp_path: Path) -> None:
    text = """
        class Odd:
            gun = part(int, 3)
        class Tower:
            gun = part(Gun)
        """
    told, _ = Fort(tmp_path, {"towers": text}).link()
    (failure,) = told["failures"]
    assert (failure["prefab"], failure["kind"]) == ("fort.towers:Odd", "mapping")
    assert "'int' object has no attribute" in failure["error"]


def test_a_property_that_raises_is_told_of(tmp_path: Path) -> None:
    text = """
        class Tower:
            class _Gun(Gun):
                def __init__(self):
                    self.heat, self.marks = 1.0, []

                @property
                def shots(self):
                    raise RuntimeError("jammed")

            gun = part(_Gun)
        """
    told, _ = Fort(tmp_path, {"towers": text}).link()
    (failure,) = told["failures"]
    assert (failure["kind"], failure["function"]) == ("unreadable", "shots")
    assert failure["error"] == "RuntimeError: jammed"
    assert told["prefabs"]["Tower"]["defaults"]["heat"] == 1.0


def test_shown_names_are_those_of_the_defaults(tmp_path: Path) -> None:
    text = """
        class Tower:
            gun = part(Gun, marks=[]).show(shots="heat", heat=None, mate="x")
        """
    told, _ = Fort(tmp_path, {"towers": text}).link()
    assert told["prefabs"]["Tower"]["defaults"] == {
        "heat": 3,
        "mood": "CALM",
        "marks": [],
    }


def test_only_the_games_own_files_are_told_as_loaded(tmp_path: Path) -> None:
    text = "import json, msgspec, lib.tool\nclass Tower:\n    gun = part(Gun)\n"
    fort = Fort(tmp_path, {"towers": text})
    for name in ("lib", "site-packages"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tool.py").write_text("import sys\n")
    told, _ = fort.link()
    names = [Path(path).relative_to(tmp_path).as_posix() for path in told["loaded"]]
    assert names == [
        "fort/__init__.py",
        "fort/guns.py",
        "fort/towers.py",
        "lib/tool.py",
    ]


def test_two_runs_print_the_same(tmp_path: Path) -> None:
    fort = Fort(tmp_path, {"towers": FAULTY})
    assert fort.link() == fort.link()


# -- the schema


class Vec2Value(Struct, forbid_unknown_fields=True):
    x: float
    y: float = 0.0


class DoorSerializer(PrefabSerializer, tag="DoorSerializer"):
    """A door."""

    hp: Annotated[int, Meta(ge=1, le=9)] | UnsetType = UNSET
    at: Vec2Value | UnsetType = UNSET
    mood: Literal["CALM", "ANGRY"] | UnsetType = UNSET
    tags: set[str] | UnsetType = UNSET
    uniqueItems: dict[str, list[Vec2Value | None]] | UnsetType = UNSET
    either: int | str | None | UnsetType = UNSET
    costs: list[dict[Literal["CALM", "x"], dict[int, int]] | None] | UnsetType = UNSET
    cells: tuple[dict[int, int], int] | UnsetType = UNSET


class WallSerializer(PrefabSerializer, tag="WallSerializer"):
    height: Annotated[float, Meta(gt=0)] | UnsetType = UNSET


class PrefabType(IntEnum):
    DOOR = 5
    WALL = 70000


ENTRIES = [
    PrefabEntry(
        Prefab(PrefabType.DOOR, "Door", "game.doors", lambda: object, {}, max_count=1),
        DoorSerializer,
        "DoorSerializer",
        {"hp": 3, "at": {"x": 1, "y": 2}, "tags": [], "either": None},
    ),
    PrefabEntry(
        Prefab(PrefabType.WALL, "Wall", "game.walls", lambda: object, {}),
        WallSerializer,
        "WallSerializer",
    ),
]
SCHEMA = schema_of(ENTRIES)
ANY = DoorSerializer | WallSerializer


def validator(schema: dict[str, Any]) -> Any:
    checked = jsonschema.Draft202012Validator
    checked.check_schema(schema)
    return checked(schema)


def fits(level: Any) -> bool:
    return bool(validator(SCHEMA).is_valid(level))


def test_the_schema_is_one_of_2020_12() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for entries in ([], ENTRIES[:1], ENTRIES):
        validator(schema_of(entries)).validate(template_of(entries))


def test_the_schema_tells_what_is_known_of_a_prefab() -> None:
    door = SCHEMA["$defs"]["DoorSerializer"]
    assert door["title"] == "Door"
    assert door["description"] == "A door.\n\nat most 1 in a level"
    assert door["properties"]["hp"]["default"] == 3
    assert (
        door["properties"]["hp"]["minimum"],
        door["properties"]["mood"]["enum"],
    ) == (
        1,
        ["ANGRY", "CALM"],
    )
    assert door["properties"]["at"]["default"] == {"x": 1, "y": 2}
    assert "uniqueItems" in door["properties"]
    assert "uniqueItems" not in door["properties"]["tags"]
    assert SCHEMA["$defs"]["WallSerializer"]["title"] == "Wall"


@pytest.mark.parametrize(
    "level",
    [
        {"version": 0},
        {"version": 1, "$schema": "x", "@generated": "y"},
        {
            "version": 0,
            "layer_names": ["layer1"],
            "layer_params": [{"position": {"x": 1.0, "y": 1.0, "z": 1.0}}],
            "spr_colors": [{"r": 0, "g": 255, "b": 255, "a": 255}],
            "spr_prefabs": [{"$type": "DoorSerializer"}],
            "obj_colors": ["#000000", "#00FF00ff"],
            "obj_prefabs": [{"$type": "WallSerializer"}, {"$type": "WallSerializer"}],
        },
        {"version": 1, "sprites": {"#00ffff": {"$type": "DoorSerializer", "$id": "a"}}},
        {
            "version": 1,
            "tiles": {"#00ffff80": {"$type": "WallSerializer", "height": 1}},
        },
    ],
)
def test_a_level_may_say_this(level: Any) -> None:
    assert fits(level)


@pytest.mark.parametrize(
    "level",
    [
        {},
        [],
        {"version": "1"},
        {"version": 1, "sprite": {}},
        {"version": 1, "layer_names": [""]},
        {"version": 1, "layer_params": [{"position": {"w": 1}}]},
        {"version": 1, "spr_colors": []},
        {"version": 1, "obj_prefabs": []},
        {"version": 1, "spr_colors": ["#00fff"], "spr_prefabs": []},
        {"version": 1, "spr_colors": [{"r": 256, "g": 0, "b": 0}], "spr_prefabs": []},
        {"version": 1, "spr_colors": [{"r": 1, "g": 0}], "spr_prefabs": []},
        {"version": 1, "sprites": {"cyan": {"$type": "DoorSerializer"}}},
        {"version": 1, "sprites": {"#00ffff": {"$type": "GateSerializer"}}},
        {"version": 1, "sprites": {"#00ffff": {}}},
        {"version": 1, "tiles": {"#00ffff": {"$type": "WallSerializer", "height": 0}}},
    ],
)
def test_a_level_may_not_say_this(level: Any) -> None:
    assert not fits(level)


_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.floats(-2, 2).filter(lambda value: not value.is_integer())
    | st.sampled_from(["", "CALM", "x"])
)
_AXES = st.dictionaries(st.sampled_from(["x", "y", "z"]), _LEAVES, max_size=3)
_VALUES = (
    _LEAVES
    | _AXES
    | st.lists(_LEAVES | _AXES, max_size=2)
    | st.dictionaries(st.text(max_size=2), st.lists(_LEAVES | _AXES, max_size=2))
)
_NAMES = st.sampled_from(
    [*DoorSerializer.__struct_encode_fields__, "height", "Hp", "placement_id"]
)


@given(
    st.sampled_from(["DoorSerializer", "WallSerializer", "Door"]),
    st.dictionaries(_NAMES, _VALUES, max_size=2),
)
def test_the_schema_takes_an_entry_exactly_if_msgspec_does(
    tag: str, values: dict[str, Any]
) -> None:
    entry = {"$type": tag, **values}
    try:
        msgspec.json.decode(json.dumps(entry).encode(), type=ANY)
        reads = True
    except msgspec.ValidationError:
        reads = False
    assert fits({"version": 1, "sprites": {"#00ffff": entry}}) is reads


@pytest.mark.parametrize("key", ["CALM", "1", "-2", "0", "-0", "01", "1.0", " 1", ""])
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("costs", '[{"%s": {}}]'),
        ("costs", '[null, {"x": {"%s": 1}}]'),
        ("cells", '[{"%s": 1}, 2]'),
    ],
)
def test_the_schema_takes_a_key_exactly_if_msgspec_does(
    name: str, form: str, key: str
) -> None:
    text = f'{{"$type": "DoorSerializer", "{name}": {form % key}}}'
    try:
        msgspec.json.decode(text, type=ANY)
        reads = True
    except msgspec.ValidationError:
        reads = False
    assert fits({"version": 1, "sprites": {"#00ffff": json.loads(text)}}) is reads


class ShopSerializer(PrefabSerializer, tag="ShopSerializer"):
    price: Decimal | UnsetType = UNSET
    fees: list[Annotated[Decimal, Meta(extra_json_schema={"minimum": 0})]] | UnsetType = UNSET  # fmt: skip


@pytest.mark.parametrize("value", ["1.5", 1.5, 0, -2, None, True, [], {}])
def test_a_decimal_number_may_be_a_text_or_a_number(value: Any) -> None:
    prefab = Prefab(PrefabType.DOOR, "Shop", "game.shops", lambda: object, {})
    schema = schema_of([PrefabEntry(prefab, ShopSerializer, "ShopSerializer")])
    entry = {"$type": "ShopSerializer", "price": value}
    level = {"version": 1, "sprites": {"#00ffff": entry}}
    assert validator(schema).is_valid(level) is (type(value) in (str, float, int))
    below = {"version": 1, "sprites": {"#00ffff": {**entry, "price": 0, "fees": [-1]}}}
    assert not validator(schema).is_valid(below)


@given(st.sets(st.integers(0, 2**31 - 1), max_size=40))
def test_every_prefab_has_a_colour_of_its_own_in_the_template(
    numbers: set[int],
) -> None:
    make: Any = IntEnum
    kinds = make("kinds", {f"P{n}": n for n in numbers})
    entries = [
        PrefabEntry(
            Prefab(kind, kind.name, "m", lambda: object, {}), WallSerializer, kind.name
        )
        for kind in kinds
    ]
    sprites = template_of(entries)["sprites"]
    assert [each["$type"] for each in sprites.values()] == [kind.name for kind in kinds]
    assert all(len(colour) == 7 for colour in sprites)
    assert template_of(entries[::-1])["sprites"] == sprites

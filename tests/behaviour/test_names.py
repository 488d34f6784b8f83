"""Fields may have any name: nothing in generated code is hidden by one, nor hides one."""

from __future__ import annotations

import keyword
from pathlib import Path

import pytest

from tests.project import Project, mypy

# Field, its type, two values. Each name means something where the generated code uses it:
# in modules, in loops over rows, in functions that copy records, to enumerations, to Python.
FIELDS = {
    "name": ("str", "'a'", "'b'"),
    "value": ("int", "1", "2"),
    "type": ("list[int] | str", "[1]", "'x'"),
    "data": ("list[list[int]]", "[[1]]", "[[2]]"),
    "self": ("int", "1", "2"),
    "mro": ("int", "1", "2"),
    "references": ("Foe", "foe(0)", "foe(1)"),
    "cls": ("int", "1", "2"),
    "o": ("list[int]", "[1]", "[2]"),
    "objects": ("list[Foe]", "[foe(0)]", "[foe(1)]"),
    "rows": ("int", "1", "2"),
    "values": ("list[int]", "[1]", "[2]"),
    "resolve": ("Foe", "foe(0)", "foe(1)"),
    "x": ("list[list[int]]", "[[1]]", "[[2]]"),
    "k": ("dict[str, list[int]]", "{'a': [1]}", "{'b': [2]}"),
    "it": ("Stats", "Stats([1], 2)", "Stats([2], 3)"),
    "made": ("Stats", "Stats([1], 2)", "Stats([2], 3)"),
    "zip": ("list[Foe]", "[foe(0)]", "[foe(1)]"),
    "iter": ("int", "1", "2"),
    "hasattr": ("int", "1", "2"),
    "isinstance": ("Foe | int", "foe(0)", "1"),
    "int": ("list[int]", "[1]", "[2]"),
    "str": ("str", "'a'", "'b'"),
    "list": ("list[list[int]]", "[[1]]", "[[2]]"),
    "dict": ("dict[str, list[int]]", "{'a': [1]}", "{'b': [2]}"),
    "set": ("set[int]", "{1}", "{2}"),
    "tuple": ("tuple[list[int], ...]", "([1],)", "([2],)"),
    "frozenset": ("frozenset[Foe]", "frozenset([foe(0)])", "frozenset()"),
    "deque": ("deque[list[int]]", "deque([[1]], 3)", "deque([[2]])"),
    "defaultdict": (
        "defaultdict[str, list[int]]",
        "defaultdict(list, a=[1])",
        "defaultdict(list)",
    ),
    "OrderedDict": (
        "OrderedDict[str, list[int]]",
        "OrderedDict(a=[1])",
        "OrderedDict()",
    ),
    "Counter": ("Counter[Foe]", "Counter([foe(0)])", "Counter()"),
    "array": ("array | int", "array('i', [1])", "3"),
    "weak": ("weakref.ref[Foe]", "weakref.ref(foe(0))", "weakref.ref(foe(1))"),
    "ref": ("weakref.ref[Foe] | int", "weakref.ref(foe(0))", "1"),
    "pack": ("Stats", "Stats([1], 2)", "Stats([2], 3)"),
    "unpack": ("set[Foe]", "{foe(0)}", "set()"),
    "differ": ("int", "1", "2"),
    "checks_rows": ("int", "1", "2"),
    "_pack_stats": ("Stats", "Stats([1], 2)", "Stats([2], 3)"),
    "_unpack_stats": ("int", "1", "2"),
    "_StatsCell": ("int", "1", "2"),
    "set_field": ("int", "1", "2"),
    "lazy": ("int", "1", "2"),
    "game": ("int", "1", "2"),
    "place": ("int", "1", "2"),
    "cell": ("int", "1", "2"),
    "get": ("int", "1", "2"),
    "Row": ("int", "1", "2"),
    "Key": ("Foe | None", "foe(0)", "None"),
    "UNSET": ("int", "1", "2"),
    "mismatch": ("int", "1", "2"),
    "field_names": ("int", "1", "2"),
    "param_names": ("int", "1", "2"),
    "CodecAdapter": ("int", "1", "2"),
    "Any": ("int", "1", "2"),
    "ClassVar": ("int", "1", "2"),
    "TYPE_CHECKING": ("int", "1", "2"),
    "Callable": ("int", "1", "2"),
    "Iterable": ("int", "1", "2"),
    "Mapping": ("int", "1", "2"),
    "IntEnum": ("int", "1", "2"),
    "References": ("int", "1", "2"),
    "NO_REFERENCES": ("int", "1", "2"),
    "ParamNameMapping": ("int", "1", "2"),
    "SaveLoadable": ("Foe | int", "foe(0)", "1"),
    "SaveLoadableType": ("int", "1", "2"),
    "classmethod": ("int", "1", "2"),
    "property": ("int", "1", "2"),
    "OddFields": ("int", "1", "2"),
    "OddData": ("int", "1", "2"),
    "Stats": ("Stats", "Stats([1], 2)", "Stats([2], 3)"),
    "class_": ("int", "1", "2"),
    "from_": ("int", "1", "2"),
    "match": ("int", "1", "2"),
    "_2d": ("int", "1", "2"),
    "_": ("int", "1", "2"),
    "foe": ("Foe | None", "foe(0)", "None"),
    "_foe": ("int", "1", "2"),
    "été": ("int", "1", "2"),
    "_private": ("list[int]", "[1]", "[2]"),
    "__secret": ("list[int]", "[1]", "[2]"),
    "__target": ("Foe", "foe(0)", "foe(1)"),
}

HEAD = """
from __future__ import annotations
import dataclasses
import weakref
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Annotated, NamedTuple, TypedDict
from savegen import Save, Saved, saveable
from _savegen.components.game import FoeSaveLoad, OddSaveLoad

FOES = []

def foe(number):
    return FOES[number]

@saveable
class Foe(FoeSaveLoad):
    hp: Saved[int] = 3

@dataclasses.dataclass
class Stats:
    self: list[int]
    it: int
    made: Awkward | None = None
    references: Foe | None = None

class Awkward(NamedTuple):
    self: list[int]
    it: Foe
    cls: int = 0

FOES += [Foe(), Foe()]
"""


def game(position: str) -> str:
    """Return a game with all the fields; where they stand makes other code of them."""
    mark = "Annotated[{}, Save(editor=False)]"
    body = {name: f"{name}: {mark.format(type)}" for name, (type, *_) in FIELDS.items()}
    if position == "init":
        assigned = [f"        self.{line} = {FIELDS[n][1]}" for n, line in body.items()]
        lines = "\n".join(["    def __init__(self):", *assigned])
    else:
        lines = "\n".join(f"    {line}" for line in body.values())
    return f"{HEAD}\n@saveable\nclass Odd(OddSaveLoad):\n{lines}\n"


SCRIPT = """
import msgspec
import game
from game import FOES, Odd
from tests.behaviour.driver import World, same
from tests.behaviour.test_names import FIELDS
from tests.oracle import difference, shares_mutable
from _savegen.registry import REGISTRY

world = World(*FOES)

def mangled(name):
    return f"_Odd{name}" if name.startswith("__") else name

def make(turn):
    thing = Odd.__new__(Odd)
    for name, (_, *values) in FIELDS.items():
        setattr(thing, mangled(name), eval(values[turn], vars(game)))
    return thing

assert sorted(Odd.save_load_field_names) == sorted(FIELDS)
entry = REGISTRY[Odd.save_type]
for turn in (0, 1):
    thing, new = make(turn), make(1 - turn)
    data = thing.save_data(world)
    assert {int(number) for number in Odd.SaveLoadFields} == {
        int(number) for number in Odd.SaveLoadFields if number in data
    }
    assert len(type(data).__struct_fields__) == len(FIELDS)
    assert entry.differing([thing, new], [data, data], world) == [1]
    new.load_data(data, world)
    world.finish()
    assert difference(new, make(turn), same) is None, difference(new, make(turn), same)
    assert shares_mutable(new, thing) is None
    assert entry.differing([thing, new], [data, data], world) == []
    # Decoding asks for the types of the cells.
    encoded = msgspec.msgpack.encode(data)
    again = REGISTRY.new(Odd.save_type)
    again.load_data(msgspec.msgpack.decode(encoded, type=entry.row), world)
    world.finish()
    assert difference(again, thing, same) is None
"""


@pytest.mark.parametrize("position", ["class", "init"])
def test_no_name_is_in_the_way(position: str, tmp_path: Path) -> None:
    project = Project(tmp_path, {"game.py": game(position)}).generated("game.py")
    project.script(SCRIPT)


def test_every_keyword_can_be_a_field_with_an_underscore(tmp_path: Path) -> None:
    words = [word for word in keyword.kwlist if word.islower()]
    assert len(words) > 30
    lines = "\n".join(f"    {word}_: Saved[list[int]]" for word in words)
    head = "from savegen import Saved, saveable\n"
    head += "from _savegen.components.game import WordsSaveLoad\n\n"
    text = f"{head}@saveable\nclass Words(WordsSaveLoad):\n{lines}\n"
    project = Project(tmp_path, {"game.py": text}).generated("game.py")
    project.script(f"""
        from game import Words
        from _savegen.registry import REGISTRY
        words, new = Words(), Words()
        for word in {words}:
            setattr(words, word + "_", [len(word)])
        new.load_data(words.save_data())
        assert vars(new) == vars(words)
        """)


def test_private_names_of_base_and_subclass_are_two_fields(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {"game.py": """
            from typing import Annotated
            from savegen import Save, Saved, saveable
            from _savegen.components.game import BaseSaveLoad, _VaultSaveLoad

            @saveable
            class Base(BaseSaveLoad):
                __door: Annotated[int, Save("base_door")] = 1

                def __init__(self):
                    self.__key: Annotated[list[int], Save(editor=False)] = [1]

            @saveable
            class _Vault(_VaultSaveLoad, Base):
                def __init__(self):
                    super().__init__()
                    self.__lock: Annotated[list[int], Save(editor=False)] = [2]

            def spoil(vault):
                vault._Base__door, vault._Base__key, vault._Vault__lock = 5, [5], [5]
            """},
    ).generated("game.py")
    project.script("""
        from game import _Vault, spoil
        from _savegen.registry import REGISTRY
        vault, new = _Vault(), _Vault.__new__(_Vault)
        data = vault.save_data()
        differing = REGISTRY[_Vault.save_type].differing
        assert differing([vault], [data], None) == []
        spoil(vault)
        assert differing([vault], [data], None) == [0]
        vault.load_data(data)
        found = vault._Base__door, vault._Base__key, vault._Vault__lock
        assert found == (1, [1], [2]), found
        new.load_data(data)
        assert vars(new) == vars(vault)
        """)


def test_private_names_of_plain_classes_are_kept_as_python_stores_them(
    tmp_path: Path,
) -> None:
    project = Project(
        tmp_path,
        {"game.py": """
            from dataclasses import dataclass, field
            import attrs, msgspec
            from savegen import Saved, saveable
            from _savegen.components.game import VaultSaveLoad

            @dataclass
            class Base:
                __notes: list[int] = field(default_factory=lambda: [1])

            @dataclass
            class Lock(Base):
                __notes: list[int] = field(default_factory=lambda: [2])

            @attrs.define
            class Key:
                __notes: list[int] = attrs.Factory(lambda: [3])

            class Door(msgspec.Struct):
                __notes: list[int] = msgspec.field(default_factory=lambda: [4])

            @saveable
            class Vault(VaultSaveLoad):
                lock: Saved[Lock]
                key: Saved[Key]
                door: Saved[Door]

                def __init__(self):
                    self.lock, self.key, self.door = Lock(), Key(), Door()

            def notes(vault):
                lock, key, door = vault.lock, vault.key, vault.door
                own = key._Key__notes, door._Door__notes
                return lock._Base__notes, lock._Lock__notes, *own
            """},
    ).generated("game.py")
    project.script("""
        from game import Vault, notes
        from _savegen.registry import REGISTRY
        vault, differing = Vault(), REGISTRY[Vault.save_type].differing
        data = vault.save_data()
        for found in notes(vault):
            found.append(9)
        assert differing([vault], [data], None) == [0]
        vault.load_data(data)
        assert notes(vault) == ([1], [2], [3], [4]), notes(vault)
        """)
    done = mypy(project.folder, "_savegen/components/game.py")
    assert done.stdout.startswith("Success"), done.stdout

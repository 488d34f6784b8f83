"""What `savegen breaking` says of a change to classes is what a load does; kinds are in `test_matrix`."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from savegen.build.lock import parse
from savegen.build.lock.retire import retire
from savegen.runtime import SaveApplyError
from tests.promises.games import Game, Slot


class Change(NamedTuple):
    old: str  # the source of a class `Orc`, and what else there is
    new: str
    fill: str  # what the old game does
    codes: set[str]
    found: Any = None  # what `look` is after the load; "refused" if there is none
    look: str = "[orc.hp for orc in manager.find(Orc)]"


HP = "@saveable\nclass Orc:\n    hp: Saved[int] = 1\n"
CREATURE = "class Creature:\n    hp: Saved[int] = 1\n\n"
BEASTS = """
@saveable
class Beast:
    name: Saved[str] = ""

@saveable
class Wolf{}:
    name: Saved[str] = ""

@saveable
class Orc:
    hp: Saved[{}]
"""
HOLDER = """
from typing import Generic, TypeVar
T = TypeVar("T")

class Holder(Generic[T]):
    hp: Saved[T]

@saveable
class Orc(Holder[{}]):
    pass
"""
OVERRIDE = """
@saveable(override=True)
class Orc:
    hp: Annotated[{}, SaveOverride()]

    def save_data(self, references=NO_REFERENCES):
        data = self.save_data_(references)
        data.hp = self.hp
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        self.hp = data.hp
"""
STATS = (
    "@dataclass\nclass Stats:\n    {}\n\n@saveable\nclass Orc:\n    hp: Saved[Stats]\n"
)
MOOD = "class Mood(Enum):\n    A = 1\n    {}\n\n"
DOT = "@dataclass\nclass Dot:\n    x: int\n"
TANK = """
@saveable
class Gun:
    ammo: Saved[int] = 1
    mode: Saved[str] = "single"

@saveable
class Rifle(Gun):
    scope: Saved[int] = 2

@saveable
class Shield:
    ammo: Saved[{}] = {}
    power: Saved[int] = 3

@saveable
class Orc:
    hp: Saved[{} | None] = None

@prefab
class Tank:
    {}
"""
SPAWN = """
from _savegen.types import PrefabType
tank = manager.spawn(PrefabType.TANK)
(part,) = tank.components
part.ammo, part.mode = 7, "burst"
manager.add(Orc()).hp = part
"""
PARTS = """[
    (type(part).__name__, vars(part)) for tank in manager.find(GameObject)
    for part in [tank.part("{}")]
], [orc.hp is not None for orc in manager.find(Orc)], report.preserved"""
CONVERTER = '\n@converter(Orc, "hp")\ndef read(old):\n    return {}\n'
ADD = "manager.add(Orc()).hp = {}"
CHANGES = {
    "a member is removed that the class saves itself": Change(
        MOOD.format("B = 2") + OVERRIDE.format("list[Mood]"),
        MOOD.format("") + OVERRIDE.format("list[Mood]"),
        ADD.format("[Mood.B]"),
        {"SG603"},
        ["hp"],
        "[lost.field for lost in report.lost]",
    ),
    "an enum and a plain class move that the class saves itself": Change(
        MOOD.format("B = 2") + DOT + OVERRIDE.format("dict[str, Mood | Dot]"),
        "class Moved:\n"
        + textwrap.indent(MOOD.format("B = 2") + DOT, "    ")
        + OVERRIDE.format("dict[str, Moved.Mood | Moved.Dot]"),
        ADD.format("{'a': Mood.B, 'b': Dot(3)}"),
        set(),
        [["B", 3]],
        "[[orc.hp['a'].name, orc.hp['b'].x] for orc in manager.find(Orc)]",
    ),
    "a part gets another class": Change(
        TANK.format("int", 5, "Gun", "gun = part(Gun)"),
        TANK.format("int", 5, "Gun | Shield", "gun = part(Shield)"),
        SPAWN,
        {"SG606"},
        ([("Shield", {"ammo": 7})], [True], {"Gun.mode": 1}),
        PARTS.format("gun"),
    ),
    "a part and its name get another class that others cannot refer to": Change(
        TANK.format("str", "'x'", "Gun", "gun = part(Gun)"),
        TANK.format("str", "'x'", "Gun", 'shield = part(Shield).was("gun")'),
        SPAWN,
        {"SG606"},
        ([("Shield", {})], [False], {"Orc.hp": 1, "Gun.mode": 1, "Gun.ammo": 1}),
        PARTS.format("shield"),
    ),
    "only references to a part do not fit its new class": Change(
        TANK.replace('mode: Saved[str] = "single"', "power: Saved[int] = 4").format(
            "int", 5, "Gun", "gun = part(Gun)"
        ),
        TANK.replace('mode: Saved[str] = "single"', "power: Saved[int] = 4").format(
            "int", 5, "Gun", "gun = part(Shield)"
        ),
        SPAWN.replace('part.mode = 7, "burst"', "part.power = 7, 8"),
        {"SG606"},
        ([("Shield", {"ammo": 7, "power": 8})], [False], {"Orc.hp": 1}),
        PARTS.format("gun"),
    ),
    "a part becomes a subclass": Change(
        TANK.format("int", 5, "Gun", "gun = part(Gun)"),
        TANK.format("int", 5, "Gun", "gun = part(Rifle)"),
        SPAWN,
        set(),
        ([("Rifle", {"ammo": 7, "mode": "burst"})], [True], {}),
        PARTS.format("gun"),
    ),
    "a part is renamed": Change(
        TANK.format("int", 5, "Gun", "gun = part(Gun)"),
        TANK.format("int", 5, "Gun", 'cannon = part(Gun).was("gun")'),
        SPAWN,
        set(),
        ([("Gun", {"ammo": 7, "mode": "burst"})], [True], {}),
        PARTS.format("cannon"),
    ),
    "a base is dropped": Change(
        CREATURE + "@saveable\nclass Orc(Creature):\n    mp: Saved[int] = 2\n",
        "@saveable\nclass Orc:\n    mp: Saved[int] = 2\n",
        ADD.format(7),
        {"SG601"},
        ([2], {"Orc.hp": 1}),
        "([orc.mp for orc in manager.find(Orc)], report.preserved)",
    ),
    "the last field is removed": Change(
        HP,
        "@saveable\nclass Orc:\n    pass\n",
        ADD.format(7),
        {"SG601"},
        (1, {"Orc.hp": 1}),
        "(len([*manager.find(Orc)]), report.preserved)",
    ),
    "a class is removed": Change(
        HP + "\n@saveable\nclass Elf:\n    pass\n",
        HP,
        "manager.add(Elf())",
        {"SG605"},
        {"Elf": 1},
        "report.preserved",
    ),
    "a type argument is widened": Change(
        HOLDER.format("int"), HOLDER.format("float"), ADD.format(7), set(), [7.0]
    ),
    "a type argument is another": Change(
        HOLDER.format("int"), HOLDER.format("str"), ADD.format(7), {"SG602"}, "refused"
    ),
    "a class that is referred to loses a base": Change(
        BEASTS.format("(Beast)", "Beast"),
        BEASTS.format("", "Beast"),
        ADD.format("Wolf()"),
        {"SG602"},
        "refused",
    ),
    "a class that is referred to gets a base": Change(
        BEASTS.format("", "Wolf"),
        BEASTS.format("(Beast)", "Beast"),
        ADD.format("Wolf()"),
        set(),
        ["Wolf"],
        "[type(orc.hp).__name__ for orc in manager.find(Orc)]",
    ),
    "a class that is a value is removed": Change(
        BEASTS.format("(Beast)", "type[Beast]"),
        BEASTS.format("(Beast)", "type[Beast]").replace(
            '@saveable\nclass Wolf(Beast):\n    name: Saved[str] = ""\n', ""
        ),
        ADD.format("Wolf"),
        {"SG602", "SG605"},
        "refused",
    ),
    "a field has no default": Change(
        HP, HP + "    mp: Saved[str]\n", ADD.format(7), {"SG604"}, "refused"
    ),
    "what a class saves itself is declared otherwise": Change(
        OVERRIDE.format("int"), OVERRIDE.format("float"), ADD.format(7), set(), [7]
    ),
    "a class saves itself now": Change(
        "@saveable\nclass Orc:\n    hp: Saved[int]\n",
        OVERRIDE.format("int"),
        ADD.format(7),
        {"SG602"},
        "refused",
    ),
    "a field inside is renamed": Change(
        STATS.format("mana: int"),
        STATS.format('magic: Annotated[int, Save(was="mana")]'),
        ADD.format("Stats(7)"),
        set(),
        [7],
        "[orc.hp.magic for orc in manager.find(Orc)]",
    ),
    "a field inside is removed": Change(
        STATS.format("mana: int\n    luck: int"),
        STATS.format("mana: int"),
        ADD.format("Stats(7, 8)"),
        {"SG601"},
        (
            [7],
            [
                "`Orc.hp.luck` of object #1 is lost: `Stats` has no field `luck` any more"
            ],
            {},
        ),
        "([orc.hp.mana for orc in manager.find(Orc)], [*map(str, report.lost)], report.preserved)",
    ),
    "a converter takes what does not fit": Change(
        HP,
        "@saveable\nclass Orc:\n    hp: Saved[str]\n" + CONVERTER.format("str(old)"),
        ADD.format(7),
        set(),
        ["7"],
    ),
    "a converter takes what is inside": Change(
        STATS.format("mana: int"),
        STATS.format("mana: str") + CONVERTER.format('{"mana": str(old["mana"])}'),
        ADD.format("Stats(7)"),
        set(),
        ["7"],
        "[orc.hp.mana for orc in manager.find(Orc)]",
    ),
    "a converter takes members that are gone": Change(
        "class Mood(Enum):\n    A = 1\n    B = 2\n\n@saveable\nclass Orc:\n    hp: Saved[Mood]\n",
        "class Mood(Enum):\n    A = 1\n\n@saveable\nclass Orc:\n    hp: Saved[Mood]\n"
        + CONVERTER.format("'A'"),
        ADD.format("Mood.B"),
        set(),
        ["A"],
        "[orc.hp.name for orc in manager.find(Orc)]",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_said_of_a_change_is_what_a_load_does(
    tmp_path: Path, name: str
) -> None:
    change = CHANGES[name]
    old = Game(tmp_path / "old", change.old).generate()
    new = Game(tmp_path / "new", change.new, after=old)
    lock = new.folder / "savegen.lock"
    if "Mood.B" in lock.read_text():
        lock.write_text(retire(parse(lock.read_text()), "Mood.B").text())
    new.generate()
    slot = Slot(tmp_path / "saves")
    with old.playing() as play:
        manager = play.manager()
        exec(change.fill, {**vars(play.game), "manager": manager})
        slot.save(manager)
    assert codes(new, old) == change.codes
    with new.playing() as play:
        manager = play.manager()
        try:
            report = slot.load(manager)
        except SaveApplyError:
            assert change.found == "refused"
            return
        names = {**vars(play.game), "manager": manager, "report": report}
        assert eval(change.look, names) == change.found


def codes(new: Game, old: Game) -> set[str]:
    words = ("breaking", "--against", str(old.folder / "savegen.lock"))
    _, text = new.command(
        *words, "--output-format", "json", "--level", "save", code=None
    )
    found = {each["code"] for each in json.JSONDecoder().raw_decode(text)[0]}
    return {code for code in found if code.startswith("SG60")}

"""The numbers of prefabs and parts, as the commands show, keep and retire them."""

from __future__ import annotations

import pytest

from savegen.build.lock import parse
from tests.cli.games import TABLE, Game

PREFABS = '''\
from __future__ import annotations

from typing import Annotated

from savegen import Save, Saved, part, prefab, saveable


@saveable
class Gun:
    ammo: Annotated[int, Save("rounds", ge=0, le=99)] = 3
    "How many shots there are at first."
    heat: Annotated[float, Save(editor=False)] = 0.0


@saveable
class Body:
    hp: Saved[int] = 10


@saveable(prefab=True)
class Coin:
    """Worth something."""

    worth: Saved[int] = 1


class Armed:
    gun = part(Gun).was("cannon")


@prefab(was="Turret", max_count=1)
class Shooter(Armed):
    """Answers a missile with a missile.

    And more.
    """

    body = part(Body).set(hp=3)
    left = part(Gun).show(ammo="left_rounds")


@prefab
class BigShooter(Shooter):
    gun = part(Gun).show(ammo=None)
'''
WALLS = """

@saveable
class Spot:
    at: Saved[tuple[float, float]] = (0.0, 0.0)


@prefab(position="spot.at")
class Flag:
    spot = part(Spot)


@prefab(static=True)
class Wall:
    pass
"""
PROGRAM = """
import sys
from savegen.__main__ import main
sys.argv = ["savegen"]
main()
"""
ALL = """
prefab          number  parts  parameters  variant of  place
BigShooter  1058151056      3           2  Shooter     game/things.py:43
Coin        1044469003      1           1              game/things.py:21
Shooter     1973727017      3           3              game/things.py:32
"""
SHOOTER = """\
prefab Shooter 1973727017  game/things.py:32
Answers a missile with a missile.
was Turret
at most per level: 1

part      number  class  sets  was     from
gun   1946686650  Gun          cannon  Armed
body  1981246965  Body   hp
left   453859551  Gun

name in levels  part  field  type  limits     meaning
rounds          gun   ammo   int   ≥ 0, ≤ 99  How many shots there are at first.
hp              body  hp     int
left_rounds     left  ammo   int   ≥ 0, ≤ 99  How many shots there are at first.
"""
COIN = """\
Coin 641939000  game/things.py:21

field     number  type  name in levels
worth  795446418  int   worth

prefab Coin 1044469003  game/things.py:21
Worth something.

part     number  class
coin  175047133  Coin

name in levels  part  field  type
worth           coin  worth  int
"""
LOCKED = """\
BigShooter       1058151056  prefab game.things.BigShooter
BigShooter.body  1981246965  part Body
BigShooter.gun   1946686650  part Gun
BigShooter.left  453859551   part Gun
Body             617112091   game.things.Body
Body.hp          2019892316  int
Coin             1044469003  prefab game.things.Coin
Coin             641939000   game.things.Coin
Coin.coin        175047133   part Coin
Coin.worth       795446418   int
"""


@pytest.fixture
def things(bare: Game) -> Game:
    """A game with prefabs that nothing was generated for yet."""
    bare.write("pyproject.toml", TABLE)
    bare.write("game/__init__.py", "")
    bare.write("game/things.py", PREFABS)
    return bare


@pytest.fixture
def numbered(things: Game) -> Game:
    build(things)
    return things


def build(game: Game) -> None:
    """Run the two passes."""
    for command in ("components", "prefabs"):
        said = game.run(command)
        assert said.code == 0, said.out + said.err


def without(game: Game, *prefabs: str) -> None:
    """Take prefabs out of the source."""
    kept = [
        text
        for text in game.read("game/things.py").split("\n\n\n")
        if not any(f"class {name}" in text for name in prefabs)
    ]
    game.write("game/things.py", "\n\n\n".join(kept) + "\n")


# `show`


def test_prefabs_are_listed_below_the_classes(things: Game) -> None:
    assert things.run("show").out.endswith(ALL)


def test_a_prefab_is_shown_with_its_parts_and_what_can_be_set(things: Game) -> None:
    assert things.run("show", "Shooter") == (0, SHOOTER, "")
    assert things.run("show", "game.things.Shooter").out == SHOOTER


def test_a_variant_is_shown_as_one(things: Game) -> None:
    said = things.run("show", "BigShooter").out
    assert "\nvariant of Shooter\n" in said and "rounds     left " in said
    assert "\nrounds" not in said


def test_a_name_of_a_class_and_a_prefab_shows_both(things: Game) -> None:
    assert things.run("show", "Coin") == (0, COIN, "")


def test_a_diagram_of_a_prefab_has_the_classes_of_its_parts(things: Game) -> None:
    assert things.run("show", "Shooter", "--graph", "a.mmd").code == 0
    text = things.read("a.mmd")
    assert '"Gun"' in text and '"Coin"' not in text


def test_an_unknown_prefab_is_refused_with_near_ones(things: Game) -> None:
    error = "error: there is no saveable class or prefab 'Shoter'; did you mean "
    assert things.run("show", "Shoter").err.startswith(error + "'Shooter'")


def test_what_is_wrong_with_prefabs_is_told_instead(things: Game) -> None:
    things.replace("game/things.py", "hp=3", "speed=3")
    said = things.run("show", "Shooter")
    assert said.code == 1 and "error[SG4" in said.out and "number" not in said.out


def test_show_tells_the_numbers_that_the_lock_keeps(numbered: Game) -> None:
    numbered.replace("game/things.py", "class BigShooter", "class Huge")
    numbered.replace("game/things.py", "@prefab\n", '@prefab(was="BigShooter")\n')
    assert numbered.run("show", "Huge").out.startswith("prefab Huge 1058151056 ")


# `lock`, `release`, completion


def test_prefabs_and_parts_are_told_from_classes_and_fields(numbered: Game) -> None:
    assert numbered.run("lock", "show").out.startswith(LOCKED)
    said = numbered.run("lock", "show", "Shooter").out
    assert [line.split()[0] for line in said.splitlines()] == [
        "Shooter",
        "Shooter.body",
        "Shooter.gun",
        "Shooter.left",
    ]


def test_a_prefab_that_is_gone_is_absent_until_it_is_retired(numbered: Game) -> None:
    without(numbered, "BigShooter")
    assert numbered.run("components").code == 0
    assert "BIG_SHOOTER = " in numbered.read("game/_savegen/types.py")
    build(numbered)
    assert "BIG_SHOOTER = " not in numbered.read("game/_savegen/types.py")
    assert _gone(numbered) == ["absent", "Body", "Gun", "Gun"]
    said = numbered.run("lock", "retire", "BigShooter")
    assert said == (0, "retired BigShooter\n", "next: run `savegen build`\n")
    assert _gone(numbered) == ["retired"] * 4


def _gone(game: Game) -> list[str]:
    rows = game.run("lock", "show", "BigShooter").out.splitlines()
    return [row.split()[-1] for row in rows]


def test_a_class_that_is_no_prefab_any_more_stays_a_class(numbered: Game) -> None:
    numbered.replace("game/things.py", "@saveable(prefab=True)", "@saveable")
    assert numbered.run("lock", "retire", "Coin").code == 0
    lock = parse(numbered.read("savegen.lock"))
    coin = "game.things.Coin"
    assert lock.classes[coin].state == "alive"
    assert lock.prefabs[coin].state == lock.parts[f"{coin}.coin"].state == "retired"


def test_a_prefab_that_is_still_there_is_not_retired(numbered: Game) -> None:
    for name in ("Shooter", "Shooter.gun", "Shooter.left"):
        error = f"error: {name} is still in the source: remove it there first\n"
        assert numbered.run("lock", "retire", name) == (2, "", error)


def test_a_release_has_the_prefabs_too(numbered: Game) -> None:
    assert numbered.run("release", "releases/1.0").code == 0
    assert "\nprefab game.things.Shooter 1973727017 " in numbered.lock(
        "releases/1.0/savegen.lock"
    )


def test_the_tab_key_knows_prefabs(
    numbered: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SAVEGEN_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_CWORD", "2")
    for begun, offered in (("B", ["BigShooter", "Body"]), ("Coi", ["Coin"])):
        monkeypatch.setenv("COMP_WORDS", f"savegen show {begun}")
        said = numbered.python(PROGRAM).split()
        assert [each.partition(",")[2] for each in said] == offered


def test_no_release_before_the_lock_knows_the_prefabs(things: Game) -> None:
    things.run("components")
    error = "error: savegen.lock is not up to date: run `savegen build` first\n"
    assert things.run("release", "releases/1.0") == (1, "", error)


def test_a_reset_numbers_prefabs_and_parts_anew(numbered: Game) -> None:
    numbered.replace("game/things.py", "left = part(Gun)", "right = part(Gun)")
    numbered.replace("game/things.py", '"left_rounds")', '"left_rounds").was("left")')
    build(numbered)
    assert "part game.things.Shooter.left 453859551 as right: Gun" in numbered.lock()
    assert numbered.run("lock", "reset", "--yes").code == 0
    assert "\npart game.things.Shooter.right " in numbered.lock()
    build(numbered)
    assert "453859551" not in numbered.read("game/_savegen/prefab_info.py")


def test_lines_of_parts_that_are_lost_are_missed(numbered: Game) -> None:
    numbered.replace("game/things.py", "left = part(Gun)", "right = part(Gun)")
    numbered.replace("game/things.py", '"left_rounds")', '"left_rounds").was("left")')
    build(numbered)
    lines = numbered.read("savegen.lock").splitlines(keepends=True)
    kept = (line for line in lines if " as right: Gun" not in line)
    numbered.write("savegen.lock", "".join(kept))
    assert numbered.run("components").code == 0
    said = numbered.run("prefabs")
    assert (
        said.code == 2
        and "prefab_info.py uses numbers that it no longer has" in said.err
    )


# The two passes, and numbers that are lost


def test_pass_1_after_pass_2_changes_nothing(numbered: Game) -> None:
    before = numbered.files()
    said = numbered.run("components", "--no-cache")
    assert said.out.endswith("up to date\n") and numbered.files() == before
    members = numbered.read("game/_savegen/types.py").partition("PrefabType")[2]
    assert members.split('"""')[2].partition("\n\n    def ")[0] == (
        "\n\n    BIG_SHOOTER = 1058151056\n    COIN = 1044469003\n"
        "    SHOOTER = 1973727017"
    )


@pytest.mark.parametrize("member", ["SHOOTER", "COIN"])
def test_types_are_valid_python_whatever_a_merge_has_left(
    numbered: Game, member: str
) -> None:
    name = member.title()
    numbered.append("savegen.lock", f"prefab X 4711 game.other:{name}\n")
    assert numbered.run("components").code == 0
    line = "from game._savegen.types import PrefabType as P; print(len(P))"
    assert numbered.python(line) == "4\n"


@pytest.mark.parametrize("kept", [None, ("#",), ("class", "field")])
def test_a_lost_lock_is_missed_where_prefabs_had_other_names(
    numbered: Game, kept: tuple[str, ...] | None
) -> None:
    numbered.replace("game/things.py", "class BigShooter", "class Huge")
    numbered.replace("game/things.py", "@prefab\n", '@prefab(was="BigShooter")\n')
    build(numbered)
    text = numbered.read("savegen.lock")
    if kept is None:
        numbered.remove("savegen.lock")
    else:
        lines = [
            ln
            for ln in text.splitlines()
            if kept and ln[:5] in ("class", "field", "# The")
        ]
        numbered.write("savegen.lock", "\n".join(lines))
    before = numbered.files()
    said = numbered.run("components")
    assert said.code == 2 and numbered.files() == before
    assert "types.py uses numbers that it no longer has: restore " in said.err
    numbered.write("savegen.lock", text)
    assert numbered.run("components").out.endswith("up to date\n")


def test_a_lost_lock_is_not_missed_while_all_have_the_names_of_their_births(
    numbered: Game,
) -> None:
    text = numbered.read("savegen.lock")
    numbered.remove("savegen.lock")
    assert numbered.run("components").code == 0
    build(numbered)
    assert numbered.read("savegen.lock") == text


def test_a_position_and_a_static_prefab_are_shown(things: Game) -> None:
    things.write("game/things.py", PREFABS + WALLS)
    build(things)
    said = things.run("show", "Flag")
    assert said.code == 0 and "\nposition: spot.at\n" in said.out
    said = things.run("show", "Wall")
    assert "\nstatic: levels place no objects of it\n" in said.out

"""Prefabs: declared in classes, built from their parts, spawned with parameters."""

from __future__ import annotations

import gc
import json
import random
import sys
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import Enum, IntEnum
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import msgspec
import numpy
import panda3d.core
import pygame
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from savegen.runtime import (
    Activation,
    AssetRegistry,
    GameObject,
    PrefabInfo,
    SaveApplyError,
    SaveError,
    SaveLoadManager,
    part,
    prefab,
    saveable,
)
from savegen.runtime.world.building import Copier
from savegen.runtime.prefabs.prefabs import FORMAT, Prefab
from savegen.runtime.generated.registry import Registry
from tests.project import Project, mypy
from tests.runtime.armoury import made, only, table


class PrefabType(IntEnum):
    TANK = 1


@pytest.fixture(scope="module")
def guns(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return made(tmp_path_factory.mktemp("armoury"))


@pytest.fixture
def registry(guns: Any) -> Registry:
    module: Any = import_module("armoury._savegen.registry")
    found: Registry = module.REGISTRY
    return found


def manager_of(
    registry: Registry, *classes: Any, assets: AssetRegistry | None = None
) -> tuple[SaveLoadManager, Any]:
    info = table(*classes)
    kinds: Any = type([*info][0].type)
    return SaveLoadManager(registry, info, assets=assets), kinds


# -- building


def test_the_marks_return_their_class_unchanged() -> None:
    class Thing:
        pass

    assert prefab(Thing) is Thing
    assert prefab(max_count=1, was="Old")(Thing) is Thing
    assert prefab(was=("Old", "Older"))(Thing) is Thing
    assert saveable(prefab=True)(Thing) is Thing


def test_an_object_has_a_component_for_each_part(guns: Any) -> None:
    class Tank:
        turret = part(guns.Turret, guns.Vec2(1, 2), missile=guns.Missile.ROCKET)
        lamp = part(guns.Lamp)

    built = only(Tank).build()
    numbers = [*only(Tank).parts.values()]
    assert [number for number, _ in built.numbered] == numbers
    assert [type(each) for each in built.components] == [guns.Turret, guns.Lamp]
    turret = built.part("turret")
    assert (turret.at, turret.missile) == ((1, 2), guns.Missile.ROCKET)
    assert built.part("lamp") is built.components[1]


def test_the_components_come_in_the_order_of_the_table(guns: Any) -> None:
    class Tank:
        lamp = part(guns.Lamp)
        turret = part(guns.Turret)

    row = Prefab(PrefabType.TANK, "Tank", "x", lambda: Tank, {"turret": 3, "lamp": 2})
    assert [n for n, _ in row.build().numbered] == [3, 2]


def test_component_stands_for_what_is_built_for_a_part(guns: Any) -> None:
    class Guard:
        turret = part(guns.Turret)
        answers = part(
            guns.Answers,
            turret.component,
            [turret.component],
            by={"x": turret.component},
        )

    one, two = only(Guard).build(), only(Guard).build()
    answers = one.part("answers")
    assert answers.turret is answers.rest[0][0] is answers.more["by"]["x"]
    assert answers.turret is one.part("turret") is not two.part("turret")


def test_a_component_that_a_part_needs_is_constructed_first(guns: Any) -> None:
    class Small:
        answers = part(guns.Answers, guns.Turret())

    class Big(Small):
        turret = part(guns.Turret)
        answers = part(guns.Answers, turret.component)

    built = only(Big).build()
    assert built.part("answers").turret is built.part("turret")
    assert [type(each) for each in built.components] == [guns.Answers, guns.Turret]


def test_parts_that_need_each_other_are_refused_with_a_way_out(guns: Any) -> None:
    class Circle:
        one = part(guns.Answers, guns.Turret())
        two = part(guns.Answers, one.component)

    class Closed(Circle):
        one = part(guns.Answers, Circle.two.component)

    with pytest.raises(
        SaveError, match=r"one → two → one; set one of these fields with `\.set"
    ):
        only(Closed).build()


def test_what_a_variant_replaces_is_replaced_everywhere(guns: Any) -> None:
    class Guard:
        turret = part(guns.Turret)
        answers = part(guns.Answers, turret.component).set(shadow=turret.component)

    class Big(Guard):
        turret = part(guns.BigTurret, guns.Vec2(3, 3))

    built = only(Big).build()
    answers = built.part("answers")
    assert type(answers.turret) is guns.BigTurret
    assert answers.turret is built.part("turret") is answers.shadow()
    assert type(only(Guard).build().part("turret")) is guns.Turret


def test_a_part_changed_for_a_variant_stays_as_it_was_in_the_base(guns: Any) -> None:
    class Base:
        turret = part(guns.Turret)

    class Weak(Base):
        turret = Base.turret.set(hp=1).show(hp="life").was("gun")

    assert only(Base).build().part("turret").hp == 5
    assert only(Weak).build().part("turret").hp == 1
    assert (Base.turret.shown, Base.turret.former) == ({}, ())


def test_fields_are_set_however_they_are_kept(guns: Any) -> None:
    class Everything:
        coin = part(guns.Coin).set(worth=7)
        slotted = part(guns.Slotted).set(value=8)
        lamp = part(guns.Lamp).set(watts=9.0)
        turret = part(guns.Turret).set(hp=3)
        answers = part(guns.Answers, turret.component).set(__secret="whisper", told="x")
        vault = part(guns.Vault).set(keeper=turret.component, items=["gold"])

    built = only(Everything).build()
    assert built.part("coin").worth == 7
    assert built.part("slotted").value == 8
    assert built.part("lamp").seen == [9.0]
    assert built.part("answers").secret == "whisper"
    assert built.part("answers").told == "x"
    assert built.part("vault").keeper is built.part("turret")
    assert built.part("vault").items == ["gold"]


def test_fields_are_set_once_all_parts_are_constructed(guns: Any) -> None:
    class Guard:
        one = part(guns.Answers, None).set(turret=None)
        two = part(guns.Turret)
        three = part(guns.Answers, two.component)

    class Late(Guard):
        one = part(guns.Answers, None).set(turret=Guard.two.component)

    built = only(Late).build()
    assert built.part("one").turret is built.part("two")


def test_every_kind_of_reference_can_be_set(guns: Any) -> None:
    class Guard:
        turret = part(guns.Turret)
        friend = part(guns.Answers, turret.component)
        answers = part(guns.Answers, turret.component).set(
            ally=friend.component,
            shadow=turret.component,
            either=turret.component,
        )

    answers = only(Guard).build().part("answers")
    assert answers.ally.turret is answers.shadow() is answers.either is answers.turret


def test_a_random_generator_is_shared_and_none_is_drawn_from(
    guns: Any, registry: Registry
) -> None:
    dice = random.Random(3)

    class Gambler:
        roller = part(guns.Roller).set(dice=dice)

    assert only(Gambler).build().part("roller").dice is dice
    manager, kinds = manager_of(registry, Gambler)
    assert manager.spawn(kinds.Gambler, dice=dice).part("roller").dice is dice
    assert dice.random() == random.Random(3).random()


def test_two_objects_share_no_container(guns: Any) -> None:
    crates = [guns.Crate(2, ["fragile"])]

    class Tank:
        turret = part(guns.Turret, crates=crates)
        answers = part(guns.Answers, turret.component).set(tags=["tall"])

    one, two = only(Tank).build(), only(Tank).build()
    one.part("turret").crates[0].marks.append("late")
    one.part("turret").crates.append(guns.Crate())
    one.part("answers").tags.append("loud")
    assert two.part("turret").crates == [guns.Crate(2, ["fragile"])] == crates
    assert two.part("answers").tags == ["tall"]


def test_what_is_built_again_is_like_the_first_and_shares_no_component(
    guns: Any,
) -> None:
    class Tank:
        turret = part(guns.Turret, guns.Vec2(1, 2), missile=guns.Missile.ROCKET)
        lamp = part(guns.Lamp)

    row = only(Tank)
    first, *others = [row.build() for _ in range(3)]
    for other in others:
        assert [n for n, _ in other.numbered] == [n for n, _ in first.numbered]
        assert other.part_numbers == first.part_numbers
        assert other.part("turret").at == (1, 2)
        assert other.part("turret").missile is guns.Missile.ROCKET
        ours = map(id, first.components)
        assert not {*ours} & {*map(id, other.components)}


def test_what_is_set_in_a_part_is_set_in_every_object(guns: Any) -> None:
    class Guard:
        turret = part(guns.Turret)
        answers = part(guns.Answers, None).set(turret=turret.component)

    row = only(Guard)
    for built in [row.build() for _ in range(3)]:
        assert built.part("answers").turret is built.part("turret")


def test_an_asset_is_never_copied(guns: Any) -> None:
    picture, mine = guns.Picture("a.png"), guns.Picture("b.png")
    assets = AssetRegistry()
    assets["a"] = picture

    class Tank:
        answers = part(guns.Answers, None, picture, [picture], mine).set(icon=picture)

    answers = only(Tank).build(assets).part("answers")
    shared, listed, own = answers.rest
    assert answers.icon is shared is listed[0] is picture
    assert own == mine and own is not mine


def test_what_a_codec_takes_apart_is_of_each_object_its_own(
    guns: Any, registry: Registry
) -> None:
    badge = guns.Badge("Grub")

    class Tank:
        answers = part(guns.Answers, None, badge).set(badge=badge)

    manager, kinds = manager_of(registry, Tank)
    one, two = (manager.spawn(kinds.Tank).part("answers") for _ in range(2))
    given = manager.spawn(kinds.Tank, badge=badge).part("answers")
    found = [badge, one.rest[0], two.rest[0], one.badge, two.badge, given.badge]
    assert len({id(each.names) for each in found}) == len(found)
    assert all(each.names == ["Grub"] for each in found)


def test_a_class_that_is_a_prefab_is_its_own_only_part(guns: Any) -> None:
    built = only(guns.Coin).build()
    assert isinstance(built, GameObject)
    assert built.part("coin") is built.get(guns.Coin) and built.part("coin").worth == 1


def test_a_table_that_is_out_of_date_says_what_to_run(guns: Any) -> None:
    class Tank:
        turret = part(guns.Turret)
        lamp = part(guns.Lamp)

    for parts, told, form in (
        (
            {"turret": 1, "lamp": 2, "gun": 3},
            "has no part 'gun'",
            "outside of any condition",
        ),
        ({"turret": 1}, "has a new part 'lamp'", "`lamp = part"),
    ):
        row = Prefab(PrefabType.TANK, "Tank", "x", lambda: Tank, parts)
        with pytest.raises(SaveError, match=f"{told}: run `savegen prefabs`.*{form}"):
            row.build()
    with pytest.raises(SaveError, match="format 0, .* run `savegen prefabs` again"):
        PrefabInfo(0, ())


def test_a_misspelt_setting_is_refused_with_the_nearest_name(guns: Any) -> None:
    class Tank:
        turret = part(guns.Turret).set(misile=guns.Missile.ROCKET)

    told = "'turret' of .*Tank` sets 'misile': `Turret` has no saved field"
    with pytest.raises(SaveError, match=f"{told} 'misile'; did you mean 'missile'"):
        only(Tank).build()


def test_what_a_constructor_raises_comes_out_as_it_is(guns: Any) -> None:
    class Bomb:
        fuse = part(guns.Fuse)

    with pytest.raises(LookupError) as caught:
        only(Bomb).build()
    assert caught.value.args == ("no fire",) and caught.value.__cause__ is None
    assert str(caught.traceback[-1].path).endswith("guns.py")


def test_what_a_setter_raises_says_where_and_comes_out_as_it_is(guns: Any) -> None:
    class Cave:
        lamp = part(guns.Lamp).set(watts=-1.0)

    with pytest.raises(ZeroDivisionError) as caught:
        only(Cave).build()
    assert "while setting `watts` in the part `lamp`" in caught.value.__notes__[0]


def test_a_component_of_another_prefab_is_refused(guns: Any) -> None:
    class Other:
        turret = part(guns.Turret)

    loose: Any = part(guns.Turret)

    class Tank:
        one = part(guns.Answers, Other.turret.component)

    class Nameless:
        one = part(guns.Answers, loose.component)

    with pytest.raises(SaveError, match="the prefab has no part 'turret'"):
        only(Tank).build()
    with pytest.raises(SaveError, match="the prefab has no such part$"):
        only(Nameless).build()


# -- what is copied


class Point(NamedTuple):
    x: int
    names: list[str]


class Colour(Enum):
    RED = [1]


@dataclass(frozen=True)
class Still:
    inner: list[int]


@dataclass
class Busy:
    inner: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cache = [1]


@dataclass(slots=True)
class Slotted:
    inner: list[int]


@attrs.define
class Bag:
    inner: list[int]


@attrs.frozen
class Sealed:
    inner: list[int]


class Row(msgspec.Struct):
    inner: list[int]


@pytest.mark.parametrize(
    "value",
    [
        [[1]],
        {"a": [1]},
        ([1],),
        {1, 2},
        deque([[1]], 3),
        defaultdict(list, {"a": [1]}),
        OrderedDict(a=[1]),
        Counter("aab"),
        bytearray(b"x"),
        Point(1, ["a"]),
        Still([1]),
        Busy({"a": [1]}),
        Slotted([1]),
        Bag([1]),
        Sealed([1]),
        Row([1]),
        pygame.Vector2(1, 2),
        pygame.Vector3(1, 2, 3),
        pygame.Rect(1, 2, 3, 4),
        pygame.FRect(1, 2, 3, 4),
        pygame.Color(1, 2, 3, 4),
        panda3d.core.LVector3f(1, 2, 3),
        panda3d.core.LPoint2i(1, 2),
        panda3d.core.Quat(),
        panda3d.core.LMatrix4f(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_can_change_is_copied_and_what_is_in_it_too(value: Any) -> None:
    copied = Copier().copy(value)
    assert type(copied) is type(value) and copied == value
    mine = {id(each) for each in changeable(value)}
    assert not [each for each in changeable(copied) if id(each) in mine]


def changeable(value: Any) -> Iterator[Any]:
    """Yield every list and the like below a value, and itself."""
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, (type, str, int)) or callable(each):
            continue
        seen.add(id(each))
        yield each
        waiting += gc.get_referents(each)


def test_an_array_is_copied() -> None:
    array = numpy.array([[1, 2]])
    copied = Copier().copy([array])[0]
    copied[0, 0] = 9
    assert array[0, 0] == 1


@pytest.mark.parametrize(
    "value",
    [
        Colour.RED,
        Busy,
        len,
        random.Random(1),
        pygame.Surface((1, 1)),
        "text",
        (1, "a"),
        frozenset([1]),
        Point,
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_shared_or_cannot_change_stays_itself(value: Any) -> None:
    found = Copier().copy([value])[0]
    assert found is value or (found == value and type(value) in (tuple, frozenset))


def test_a_frozen_value_that_holds_nothing_that_can_change_stays_itself() -> None:
    still = Still(())  # type: ignore[arg-type]
    assert Copier().copy(still) is still


def test_what_a_dataclass_keeps_beside_its_fields_is_kept() -> None:
    busy = Busy()
    copied = Copier().copy(busy)
    assert copied.cache == [1] and copied.cache is not busy.cache


def test_an_object_that_leads_back_to_itself_is_copied_with_it() -> None:
    busy = Busy()
    busy.inner["self"] = [busy]  # type: ignore[list-item]
    copied = Copier().copy(busy)
    assert copied.inner["self"][0] is copied is not busy


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    | st.builds(Bag, st.lists(inner, max_size=2))
    | st.tuples(inner, inner),
    max_leaves=12,
)


@given(_PLAIN)
def test_any_nesting_is_copied_deeply(value: Any) -> None:
    copied = Copier().copy(value)
    assert copied == value
    lists = [each for each in changeable(value) if type(each) in (list, dict, Bag)]
    mine = {id(each) for each in lists}
    assert not [each for each in changeable(copied) if id(each) in mine]


# -- the table


def test_prefabs_are_found_by_type_or_number(guns: Any) -> None:
    class Tank:
        turret = part(guns.Turret)

    class Cart:
        lamp = part(guns.Lamp)

    info = table(Tank, Cart)
    tank, cart = info
    assert info[tank.type] is info[int(tank.type)] is info.get_prefab(tank.type) is tank
    assert len(info) == 2 and cart.type in info and 99 not in info
    wrong: tuple[Any, ...] = (99, "TANK", None, [])
    for each in wrong:
        with pytest.raises(SaveError, match="there is no prefab"):
            info.get_prefab(each)


def test_a_table_imports_nothing_before_a_prefab_is_asked_for() -> None:
    def raising() -> type:
        raise AssertionError("too early")

    info = PrefabInfo(FORMAT, [Prefab(PrefabType.TANK, "Tank", "no_such", raising, {})])
    assert [each.qualname for each in info] == ["Tank"]
    with pytest.raises(AssertionError, match="too early"):
        info[1].build()


def test_a_game_loads_nothing_that_only_levels_or_linking_need(tmp_path: Path) -> None:
    said = Project(tmp_path, {}).script("""
        import sys
        from savegen.runtime import GameObject, PrefabInfo, SaveLoadManager, part
        print(*(name.removeprefix("savegen.runtime.") for name in sys.modules))
        """)
    loaded = {*said.split()}
    assert "prefabs" in loaded
    assert loaded.isdisjoint(["linking", "serializers", "difflib"])


# -- spawning


def test_parameters_are_known_by_the_names_of_level_authors(
    guns: Any, registry: Registry
) -> None:
    class Tank:
        left = part(guns.Turret).show(hp="left_health", at=None)
        right = part(guns.Turret)
        answers = part(guns.Answers, left.component).show(told="whisper")

    manager, kinds = manager_of(registry, Tank)
    rocket = guns.Missile.ROCKET
    tank = manager.spawn(kinds.Tank, left_health=3, health=4, whisper="psst", sight=2)
    assert [each.hp for each in tank.components[:2]] == [3, 4]
    assert tank.part("answers").told == "psst" and tank.part("answers").sight == 2
    assert manager.spawn(kinds.Tank, at=guns.Vec2(1, 1)).part("right").at == (1, 1)
    assert manager.record_of(tank).prefab == kinds.Tank
    for name, told in (
        ("hp", r"Tank has no parameter 'hp'"),
        ("helth", r"Tank has no parameter 'helth'; did you mean 'health'\?"),
        ("zzz", r"Tank has no parameter 'zzz'; available: 'missile', 'left_health', "),
        (
            "missile",
            r"Tank has several parameters 'missile', in the parts 'left' and 'right'",
        ),
    ):
        for prefab in (kinds.Tank, int(kinds.Tank)):
            with pytest.raises(SaveError, match=told):
                manager.spawn(prefab, **{name: rocket})
    assert len(manager) == 2


def test_fields_are_set_by_spawn_however_they_are_kept(
    guns: Any, registry: Registry
) -> None:
    class Everything:
        coin = part(guns.Coin)
        slotted = part(guns.Slotted)
        lamp = part(guns.Lamp)
        answers = part(guns.Answers, None)
        vault = part(guns.Vault)

    manager, kinds = manager_of(registry, Everything)
    owners, turret = ["me"], guns.Turret()
    thing = manager.spawn(
        kinds.Everything,
        worth=2,
        owners=owners,
        value=3,
        watts=4.0,
        secret="psst",
        items=owners,
        keeper=turret,
    )
    owners.append("you")
    assert (thing.part("coin").worth, thing.part("coin").owners) == (2, ["me"])
    assert thing.part("slotted").value == 3
    assert thing.part("lamp").seen == [4.0]
    assert thing.part("answers").secret == "psst"
    assert thing.part("vault").items == ["me"]
    assert thing.part("vault").keeper is turret


def test_objects_are_given_for_references(guns: Any, registry: Registry) -> None:
    class Guard:
        answers = part(guns.Answers, None)

    manager, kinds = manager_of(registry, Guard)
    turret = guns.Turret()
    ally = guns.Answers(turret)
    answers = manager.spawn(
        kinds.Guard, turret=turret, ally=ally, shadow=turret, either=turret
    ).part("answers")
    assert answers.turret is answers.shadow() is answers.either is turret
    assert answers.ally is ally
    again = manager.spawn(kinds.Guard, shadow=weakref.ref(turret), either=3, ally=None)
    answers = again.part("answers")
    assert answers.shadow() is turret and answers.either == 3 and answers.ally is None


def test_an_asset_given_to_spawn_is_never_copied(guns: Any, registry: Registry) -> None:
    class Guard:
        answers = part(guns.Answers, None)

    assets = AssetRegistry()
    picture = assets["a"] = guns.Picture("a.png")
    manager, kinds = manager_of(registry, Guard, assets=assets)
    assert manager.spawn(kinds.Guard, icon=picture).part("answers").icon is picture


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("missile", 3, "'missile' of Tank cannot be 3: it is an int, not Missile"),
        ("health", "7", "'health' of Tank cannot be '7': it is a str, not int"),
        ("health", 0, "cannot be 0: it must be at least 1 and at most 99"),
        ("health", 100, "cannot be 100: it must be at least 1 and at most 99"),
        ("health", None, "cannot be None: it is a NoneType, not int"),
        ("armour", 1, "cannot be 1: it must be above 0 and below 1"),
        ("armour", 0.0, "cannot be 0.0: it must be above 0 and below 1"),
        ("armour", float("nan"), "cannot be nan: it must be above 0 and below 1"),
        ("crates", [3], r"a list: at `\[0\]` it holds an int; .* `list\[Crate\]`"),
        ("at", "x" * 99, "cannot be 'x+…: it is a str, not Vec2"),
        (
            "at",
            date(2026, 1, 31),
            r"cannot be datetime\.date\(2026, 1, 31\): it is a d",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_refused_before_anything_is_set(
    guns: Any, registry: Registry, name: str, value: Any, told: str
) -> None:
    class Tank:
        turret = part(guns.Turret)
        lamp = part(guns.Lamp)

    manager, kinds = manager_of(registry, Tank)
    pool = manager.pool(kinds.Tank, warm=1)
    (lamp,) = [each.part("lamp") for each in pool.waiting]
    with pytest.raises(SaveError, match=told):
        manager.spawn(kinds.Tank, watts=3.0, **{name: value})
    assert len(manager) == 0 and len(pool) == 1 and 3.0 not in lamp.seen


def test_a_list_that_holds_itself_is_refused(guns: Any, registry: Registry) -> None:
    class Tank:
        vault = part(guns.Answers, None)

    manager, kinds = manager_of(registry, Tank)
    tags: list[Any] = []
    tags.append(tags)
    with pytest.raises(SaveError, match="'tags' of Tank cannot be a list"):
        manager.spawn(kinds.Tank, tags=tags)


def test_a_type_without_a_row_in_the_table_says_what_to_run(guns: Any) -> None:
    with pytest.raises(SaveError, match="`TANK` in the table; run `savegen prefabs`"):
        PrefabInfo(FORMAT, ()).get_prefab(PrefabType.TANK)


def test_limits_bound_single_numbers_only(guns: Any, registry: Registry) -> None:
    class Tank:
        turret = part(guns.Turret)

    manager, kinds = manager_of(registry, Tank)
    for health in (1, 99):
        assert manager.spawn(kinds.Tank, health=health).part("turret").hp == health
    assert manager.spawn(kinds.Tank, armour=None).part("turret").armour is None


def test_position_is_where_the_object_stands(guns: Any, registry: Registry) -> None:
    class Tank:
        turret = part(guns.Turret).show(at="position")

    class Cart:
        lamp = part(guns.Lamp)

    manager, kinds = manager_of(registry, Tank, Cart)
    cart = manager.spawn(kinds.Cart, position=(1.0, 2.0, 3.0))
    assert cart.transform.position == (1.0, 2.0, 3.0)
    tank = manager.spawn(kinds.Tank, position=guns.Vec2(4, 5))
    assert tank.part("turret").at == (4, 5)
    assert tank.transform.position == (0.0, 0.0, 0.0)
    with pytest.raises(SaveError, match="a position is a tuple of three numbers"):
        manager.spawn(kinds.Cart, position=(1.0, 2.0))


def test_hooks_are_told_of_it_once_the_parameters_are_set(
    guns: Any, registry: Registry
) -> None:
    class Extra:
        actor = part(guns.Actor).set(hp=5)

    manager, kinds = manager_of(registry, Extra)
    assert manager.spawn(kinds.Extra).part("actor").log == [(Activation.SPAWNED, 5)]
    actor = manager.spawn(kinds.Extra, hp=7).part("actor")
    assert actor.log == [(Activation.SPAWNED, 7)]


def test_what_a_constructor_raises_comes_out_of_spawn(
    guns: Any, registry: Registry
) -> None:
    class Bomb:
        fuse = part(guns.Fuse)

    manager, kinds = manager_of(registry, Bomb)
    with pytest.raises(LookupError, match="no fire"):
        manager.spawn(kinds.Bomb)
    with pytest.raises(SaveError, match="there is no prefab 9"):
        manager.spawn(9)
    with pytest.raises(SaveError, match=r"did you mean `PrefabType\.Bomb`\?"):
        manager.spawn("bom")
    with pytest.raises(SaveError, match="; pass a member of `PrefabType`"):
        manager.spawn("quux")
    by_name = SaveLoadManager(registry, {"bomb": dict})
    with pytest.raises(SaveError, match=r"'bom'; did you mean 'bomb'\?"):
        by_name.spawn("bom")
    assert len(manager) == 0


def test_what_a_setter_raises_leaves_nothing_behind(
    guns: Any, registry: Registry
) -> None:
    class Cave:
        lamp = part(guns.Lamp)

    manager, kinds = manager_of(registry, Cave)
    with pytest.raises(ZeroDivisionError):
        manager.spawn(kinds.Cave, watts=-1.0)
    assert len(manager) == 0


def test_each_spawned_object_rolls_its_own_dice(guns: Any, registry: Registry) -> None:
    class Gambler:
        roller = part(guns.Roller)

    manager, kinds = manager_of(registry, Gambler)
    random.seed(3)
    expected = [random.randint(1, 10**9) for _ in range(3)]
    random.seed(3)
    spawned = [manager.spawn(kinds.Gambler) for _ in expected]
    assert [each.part("roller").rolled for each in spawned] == expected


# -- pools, snapshots


def test_an_object_out_of_the_pool_is_as_its_prefab_builds_it(
    guns: Any, registry: Registry
) -> None:
    class Tank:
        turret = part(guns.Turret, crates=[]).set(hp=9)
        answers = part(guns.Answers, turret.component)

    manager, kinds = manager_of(registry, Tank)
    manager.pool(kinds.Tank, capacity=4)
    first = manager.spawn(kinds.Tank, health=3, sight=8.0)
    first.part("answers").turret = None
    first.part("turret").crates.append(guns.Crate())
    manager.destroy(first)
    again = manager.spawn(kinds.Tank)
    assert again is first
    assert again.part("turret").hp == 9 and again.part("turret").crates == []
    assert again.part("answers").turret is again.part("turret")
    assert again.part("answers").sight == 1.0


def test_a_missing_object_is_built_from_its_prefab(
    guns: Any, registry: Registry
) -> None:
    class Tank:
        turret = part(guns.Turret)
        actor = part(guns.Actor)

    manager, kinds = manager_of(registry, Tank)
    tank = manager.spawn(kinds.Tank, health=3)
    numbers = [number for number, _ in tank.numbered]
    watcher = manager.add(guns.Answers(tank.part("turret")))
    before = manager.create_snapshot()
    manager.destroy(tank)
    assert manager.apply_snapshot(before).created == 1
    (again,) = [each for each in manager.objects if isinstance(each, GameObject)]
    assert again is not tank and [n for n, _ in again.numbered] == numbers
    assert again.part("turret").hp == 3
    # Its constructor has run: what no field holds is there.
    assert again.part("actor").log == [(Activation.RESTORED, 3)]
    assert watcher.turret is again.part("turret")
    key = manager.key_of(again.part("turret"))
    assert before.component_keys()[key] == (manager.key_of(again), numbers[0])


def test_components_that_came_and_went_are_as_they_were(
    guns: Any, registry: Registry
) -> None:
    class Tank:
        turret = part(guns.Turret)
        lamp = part(guns.Lamp)

    manager, kinds = manager_of(registry, Tank)
    tank = manager.spawn(kinds.Tank)
    tank.remove_component(tank.part("lamp"))
    extra = tank.add_component(guns.Turret(), part="extra")
    extra.hp = 42
    before = manager.create_snapshot()
    saved = [(number, type(each)) for number, each in tank.numbered]
    manager.destroy(tank)
    manager.apply_snapshot(before)
    (again,) = manager.objects
    assert [(number, type(each)) for number, each in again.numbered] == saved
    assert again.part("extra").hp == 42
    with pytest.raises(SaveError, match="no part called 'lamp'"):
        again.part("lamp")
    again.remove_component(again.part("turret"))
    manager.apply_snapshot(before)
    assert [(number, type(each)) for number, each in again.numbered] == saved


def test_a_merge_builds_copies_from_the_prefab(guns: Any, registry: Registry) -> None:
    class Tank:
        turret = part(guns.Turret)
        actor = part(guns.Actor)

    manager, kinds = manager_of(registry, Tank)
    tank = manager.spawn(kinds.Tank, health=3)
    manager.merge(manager.create_snapshot())
    one, two = manager.objects
    assert one is tank and two.part("turret").hp == 3
    assert two.part("turret") is not one.part("turret")
    assert [n for n, _ in two.numbered] == [n for n, _ in one.numbered]
    assert manager.record_of(two).prefab == kinds.Tank


def test_another_prefab_can_be_said_to_rebuild_an_object(
    guns: Any, registry: Registry
) -> None:
    class Small:
        turret = part(guns.Turret)

    class Big(Small):
        turret = part(guns.BigTurret)
        lamp = part(guns.Lamp)

    manager, kinds = manager_of(registry, Small, Big)
    small = manager.spawn(kinds.Small, health=3)
    manager.set_prefab(small, kinds.Big)
    before = manager.create_snapshot()
    manager.destroy(small)
    manager.apply_snapshot(before)
    (again,) = manager.objects
    # What was saved counts, not what the prefab is made of today.
    assert [type(each) for each in again.components] == [guns.Turret]
    assert again.part("turret").hp == 3


def test_a_prefab_that_cannot_be_built_leaves_the_world_as_it_was(
    guns: Any, registry: Registry
) -> None:
    class Tank:
        turret = part(guns.Turret)

    class Bomb:
        fuse = part(guns.Fuse)

    manager, kinds = manager_of(registry, Tank, Bomb)
    tank = manager.spawn(kinds.Tank)
    manager.set_prefab(tank, kinds.Bomb)
    before = manager.create_snapshot()
    manager.destroy(tank)
    with pytest.raises(SaveApplyError, match="LookupError: no fire"):
        manager.apply_snapshot(before)
    assert len(manager) == 0


def test_a_merge_that_cannot_build_leaves_the_world_as_it_was(
    guns: Any, registry: Registry
) -> None:
    class Vandal:
        fuse = part(guns.Fuse)

    class Tank:
        turret = part(guns.Turret)

    manager, kinds = manager_of(registry, Tank, Vandal)
    tank, other = manager.spawn(kinds.Tank), manager.add(guns.Turret())
    manager.set_prefab(tank, kinds.Vandal)
    before = manager.create_snapshot()
    with pytest.raises(SaveApplyError, match="LookupError: no fire"):
        manager.merge(before)
    assert [*manager.objects] == [tank, other]
    assert manager.create_snapshot().digest() == before.digest()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(data=st.data())
def test_what_spawn_set_is_in_the_snapshot(
    data: st.DataObject, guns: Any, registry: Registry
) -> None:
    class Tank:
        turret = part(guns.Turret)
        answers = part(guns.Answers, turret.component)

    values = {
        "at": st.builds(guns.Vec2, st.floats(), st.floats()),
        "missile": st.sampled_from(guns.Missile),
        "health": st.integers(1, 99),
        "armour": st.none() | st.floats(0, 1, exclude_min=True, exclude_max=True),
        "crates": st.lists(st.builds(guns.Crate, st.integers(), st.lists(st.text()))),
        "tags": st.lists(st.text()),
        "secret": st.text(),
    }
    names = data.draw(st.sets(st.sampled_from([*values])))
    params = {name: data.draw(values[name]) for name in sorted(names)}
    manager, kinds = manager_of(registry, Tank)
    tank = manager.spawn(kinds.Tank, **params)
    found = {
        mapping.prefab_field_name: getattr(
            each, attribute_of(each, mapping.component_field_name)
        )
        for each in tank.components
        for mapping in each.get_param_name_mappings()
        if mapping.prefab_field_name in names
    }
    assert {k: repr(v) for k, v in found.items()} == {
        k: repr(v) for k, v in params.items()
    }
    before = manager.create_snapshot()
    manager.destroy(tank)
    manager.apply_snapshot(before)
    assert before.digest() == manager.create_snapshot().digest()


def attribute_of(component: Any, name: str) -> str:
    """Return the attribute of a field, whose private name Python has mangled."""
    private = name.startswith("__")
    return f"_{type(component).__name__}{name}" if private else name


# -- types


_RIGHT = '''
    """What type checkers must accept."""

    from savegen import part, prefab, saveable
    from savegen.runtime.prefabs.prefabs import Part


    class Gun:
        def __init__(self, shots: int, *, owner: "Gun | None" = None) -> None:
            self.shots = shots


    class Cannon(Gun):
        def __init__(self) -> None:
            super().__init__(1)


    class Crew:
        def __init__(self, gun: Gun) -> None: ...


    @prefab
    class Tank:
        """A tank."""

        gun = part(Gun, 3).set(heat=0.5).show(heat="warmth", cold=None).was("cannon")
        crew = part(Crew, gun.component).set(mate=gun.component)


    @prefab(max_count=1, was="Old")
    class BigTank(Tank):
        gun = part(Cannon)
        other = part(Gun, shots=1, owner=gun.component)


    @saveable(prefab=True)
    class Coin: ...


    found: Part[Gun] = Tank.gun
    wide: Part[Gun] = BigTank.gun
    made: Gun = Tank.gun.component
    '''
_WRONG = [
    "part(Gun)",
    'part(Gun, "3")',
    "part(Gun, 3, 4)",
    "part(Gun, shots=3, colour=1)",
    "part(Crew, Coin())",
    "part(Crew, crew.component)",
    "part(3)",
    "part(Gun, 1).show(heat=1)",
    "part(Gun, 1).was(3)",
]


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    wrong = "".join(f"    {text}\n" for text in _WRONG)
    files = {
        "right.py": _RIGHT,
        "wrong.py": f"""
            from savegen import part
            from right import Coin, Crew, Gun

            crew = part(Crew, Gun(1))
            if crew:
            """,
    }
    made = Project(tmp_path_factory.mktemp("typed"), files)
    path = made.folder / "wrong.py"
    path.write_text(path.read_text() + wrong)
    return made


def wrong_lines(project: Project) -> list[int]:
    lines = (project.folder / "wrong.py").read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if line[4:] in _WRONG]


def test_mypy_holds_parts_to_their_constructors(typed: Project) -> None:
    assert "Success" in mypy(typed.folder, "right.py").stdout
    said = mypy(typed.folder, "wrong.py").stdout
    found = {
        int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line
    }
    assert sorted(found) == wrong_lines(typed), said


def test_pyright_holds_parts_to_their_constructors(typed: Project) -> None:
    pytest.importorskip("pyright")
    options = ["--outputjson", "--pythonpath", sys.executable]
    said = typed.try_to_run("-m", "pyright", *options, "right.py", "wrong.py").stdout
    found = [
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1)
        for each in json.loads(said)["generalDiagnostics"]
        if each["severity"] == "error"
    ]
    assert sorted(set(found)) == [("wrong.py", n) for n in wrong_lines(typed)], said


def test_a_part_keeps_the_name_that_it_was_given_first() -> None:
    class Tank:
        gun = part(int)

    class Copy:
        cannon = Tank.gun
        barrel = Tank.gun.set(hp=1)

    assert (Tank.gun.name, Copy.barrel.name) == ("gun", "barrel")


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"hp": "many"}, "'hp': it is a str, not int"),
        ({"crates": "many"}, "'crates': it is a str, not list"),
        ({"armour": [1]}, "'armour': it is a list"),
    ],
)
def test_a_part_sets_what_its_field_may_hold(
    guns: Any, registry: Registry, settings: dict[str, Any], fault: str
) -> None:
    class Tank:
        turret = part(guns.Turret).set(**settings)

    manager, kinds = manager_of(registry, Tank)
    with pytest.raises(SaveError) as error:
        manager.spawn(kinds.Tank)
    text = f"the part 'turret' of `{Tank.__qualname__}` cannot set {fault}"
    assert str(error.value).startswith(text) and not len(manager)

"""Prefabs and parts keep their numbers, apart from those of classes; what is unclear is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from savegen.build.lock import Lock, assign, parse
from savegen.build.lock.file import number_of
from savegen.build.lock.retire import retire
from savegen.build.lock.assign import prefab_types
from savegen.build.model import Model
from savegen.findings import Report
from tests.lock.models import (
    facts,
    one_class,
    part,
    prefab,
    prefab_model,
    run_prefabs,
    saved,
    settled,
    settled_prefabs,
)

SHOOT = prefab("game:Shoot", {"body": "Body", "turret": "Gun"})


def test_the_first_numbers_are_those_of_the_births() -> None:
    numbers, lock = settled_prefabs(Lock(), SHOOT)
    assert numbers == {
        "Shoot": number_of("prefab game.Shoot"),
        "Shoot.body": number_of("body"),
        "Shoot.turret": number_of("turret"),
    }
    assert facts(lock) == [
        "part game.Shoot.body Body",
        "part game.Shoot.turret Gun",
        "prefab game.Shoot game:Shoot",
    ]


# What changes nothing else's number

parts = st.dictionaries(
    st.sampled_from("abcde"), st.sampled_from(["Gun", "Body"]), max_size=4
)
shapes = st.dictionaries(st.sampled_from(["Orc", "Elf", "Bat", "Owl"]), parts)


@given(shapes, shapes, st.randoms(use_true_random=False))
def test_no_change_of_prefabs_moves_the_number_of_another(before, after, chance):
    old, lock = settled_prefabs(
        Lock(), *(prefab(f"m:{n}", p) for n, p in before.items())
    )
    changed = [prefab(f"m:{n}", p) for n, p in after.items()]
    chance.shuffle(changed)
    new, _, _ = run_prefabs(lock, *changed)
    kept = new.keys() & old.keys()
    assert {name: new[name] for name in kept} == {name: old[name] for name in kept}
    assert len({(name[:3], number) for name, number in new.items()}) == len(new)


@given(st.sampled_from(["Orc", "Elf"]), st.permutations([0, 1, 2]))
def test_a_renamed_prefab_keeps_its_number_and_those_of_its_parts(name, order):
    prefabs = [prefab(f"m:{n}", {"arm": "Gun"}) for n in ("Orc", "Elf", "Bat")]
    old, lock = settled_prefabs(Lock(), *prefabs)
    renamed = [
        prefab("m:New", {"arm": "Gun"}, was=name) if p.simple_name == name else p
        for p in prefabs
    ]
    new, _ = settled_prefabs(lock, *(renamed[place] for place in order))
    back = {key.replace("New", name): number for key, number in new.items()}
    assert back == old


@pytest.mark.parametrize("was", ["Shoot", "game.Shoot"])
def test_a_former_name_may_be_told_in_full(was) -> None:
    _, lock = settled_prefabs(Lock(), SHOOT)
    numbers, _ = settled_prefabs(
        lock, prefab("other:Fire", {"body": "Body", "turret": "Gun"}, was=was)
    )
    assert numbers["Fire"] == number_of("prefab game.Shoot")


def test_a_prefab_that_moves_to_another_module_is_found_by_its_name() -> None:
    old, lock = settled_prefabs(Lock(), SHOOT)
    moved = prefab("other:Shoot", {"body": "Body", "turret": "Gun"})
    numbers, lock = settled_prefabs(lock, moved)
    assert numbers == old and "prefab game.Shoot other:Shoot" in facts(lock)


def test_a_renamed_part_keeps_its_number() -> None:
    old, lock = settled_prefabs(Lock(), SHOOT)
    renamed = prefab("game:Shoot", {"body": "Body", "gun": "Gun turret"})
    numbers, lock = settled_prefabs(lock, renamed)
    assert numbers["Shoot.gun"] == old["Shoot.turret"]
    assert "part game.Shoot.turret as gun: Gun" in facts(lock)


def test_a_part_may_be_of_another_class() -> None:
    old, lock = settled_prefabs(Lock(), SHOOT)
    numbers, lock = settled_prefabs(
        lock, prefab("game:Shoot", {"body": "Body", "turret": "BigGun"})
    )
    assert numbers == old and "part game.Shoot.turret BigGun" in facts(lock)


def test_what_is_replaced_in_a_variant_keeps_the_number() -> None:
    big = prefab("game:BigShoot", {"turret": "BigGun", "horn": "Horn"}, base=SHOOT)
    numbers, lock = settled_prefabs(Lock(), SHOOT, big)
    assert numbers["BigShoot.turret"] == numbers["Shoot.turret"]
    assert numbers["BigShoot.horn"] == number_of("horn")
    assert "part game.Shoot.turret Gun" in facts(lock)
    assert "part game.BigShoot.turret BigGun" in facts(lock)


def test_a_base_that_is_no_prefab_has_no_number() -> None:
    arms = replace(part("game:Armed", "arm"), own=False)
    orc = replace(prefab("game:Orc"), parts=(arms,), ancestors=("game:Armed",))
    numbers, lock = settled_prefabs(Lock(), orc)
    assert numbers == {
        "Orc": number_of("prefab game.Orc"),
        "Orc.arm": number_of("arm"),
    }
    assert facts(lock) == ["part game.Orc.arm Gun", "prefab game.Orc game:Orc"]
    armed = prefab("game:Armed", {"arm": "Gun"})
    marked, _ = settled_prefabs(lock, armed, orc)
    assert marked["Armed.arm"] == numbers["Orc.arm"]


def test_a_part_that_moves_to_a_base_keeps_its_number() -> None:
    base = prefab("game:Base", {"body": "Body"})
    top = prefab("game:Top", {"arm": "Gun"}, base=base)
    old, lock = settled_prefabs(Lock(), base, top)
    risen = prefab("game:Base", {"body": "Body", "arm": "Gun"})
    new, _ = settled_prefabs(lock, risen, prefab("game:Top", {}, base=risen))
    assert new["Top.arm"] == new["Base.arm"] == old["Top.arm"]


def test_a_new_variant_takes_the_numbers_of_its_base() -> None:
    lock = parse("prefab Shoot 20 game:Shoot\npart Shoot.body 21: Body\n")
    shoot = prefab("game:Shoot", {"body": "Body"})
    numbers, _ = settled_prefabs(lock, shoot, prefab("game:Big", {}, base=shoot))
    assert numbers["Big.body"] == numbers["Shoot.body"] == 21


# What is gone, and what comes back


def test_a_prefab_that_is_gone_comes_back_with_its_number() -> None:
    elf = prefab("game:Elf", {"arm": "Bow"})
    old, lock = settled_prefabs(Lock(), SHOOT, elf)
    _, lock = settled_prefabs(lock, elf)
    assert "absent prefab game.Shoot game:Shoot" in facts(lock)
    assert prefab_types(lock) == (("ELF", old["Elf"]),)
    assert settled_prefabs(lock, SHOOT, elf)[0] == old


def test_a_part_that_is_gone_comes_back_with_its_number() -> None:
    old, lock = settled_prefabs(Lock(), SHOOT)
    _, lock = settled_prefabs(lock, prefab("game:Shoot", {"body": "Body"}))
    assert "absent part game.Shoot.turret Gun" in facts(lock)
    assert settled_prefabs(lock, SHOOT)[0] == old


def test_what_was_retired_is_never_used_again() -> None:
    old, lock = settled_prefabs(Lock(), SHOOT)
    _, gone = settled_prefabs(lock)
    new, lock = settled_prefabs(retire(gone, "Shoot"), SHOOT)
    assert new["Shoot"] == number_of("prefab game.Shoot#2") != old["Shoot"]
    assert {
        "prefab game.Shoot#2 game:Shoot",
        "part game.Shoot#2.body Body",
        "retired prefab game.Shoot game:Shoot",
        "retired part game.Shoot.body Body",
    } <= set(facts(lock))


def test_a_retired_part_is_never_used_again() -> None:
    old, lock = settled_prefabs(Lock(), SHOOT)
    _, lock = settled_prefabs(lock, prefab("game:Shoot", {"body": "Body"}))
    new, lock = settled_prefabs(retire(lock, "Shoot.turret"), SHOOT)
    assert new["Shoot.turret"] == number_of("turret#2")
    assert new["Shoot"] == old["Shoot"]


# What is asked


def told(lock: Lock, *prefabs) -> list[tuple[str, str, str]]:
    return [
        (each.code, each.message, each.help or "")
        for each in run_prefabs(lock, *prefabs)[2]
    ]


def test_a_prefab_that_is_gone_while_one_like_it_is_new_is_asked_about() -> None:
    _, lock = settled_prefabs(Lock(), SHOOT)
    fire = prefab("game:Fire", {"body": "Body", "horn": "Horn"})
    assert told(lock, fire) == [
        (
            "SG309",
            "prefab `Shoot` was removed and `Fire`, with matching parts, was added:"
            " it may be a rename",
            'if you renamed it, write `@prefab(was="Shoot")`; if not,\n'
            "run `savegen lock retire Shoot` (old saves then lose its objects)",
        )
    ]
    assert told(retire(run_prefabs(lock)[1], "Shoot"), fire) == []
    ((_, message, _),) = told(lock, prefab("game:Fire", {"horn": "Horn"}))
    assert "`Fire`, in the same module, was added" in message
    assert told(lock, SHOOT, fire) == []


def test_a_variant_is_like_any_that_declares_nothing_of_its_own() -> None:
    big = prefab("game:Big", {}, base=SHOOT)
    _, lock = settled_prefabs(Lock(), SHOOT, big)
    huge = prefab("game:Huge", {}, base=SHOOT)
    assert [code for code, *_ in told(lock, SHOOT, huge)] == ["SG309"]
    armed = prefab("game:Huge", {"horn": "Horn"}, base=SHOOT)
    assert [code for code, *_ in told(lock, SHOOT, armed)] == ["SG309"]
    assert told(lock, SHOOT, replace(huge, former_names=("Big",))) == []


def test_a_part_that_is_gone_while_another_of_its_class_is_new_is_asked_about() -> None:
    _, lock = settled_prefabs(Lock(), SHOOT)
    changed = prefab("game:Shoot", {"body": "Body", "gun": "Gun"})
    assert told(lock, changed) == [
        (
            "SG310",
            "part `turret` was removed and `gun`, also `Gun`, was added:"
            " it may be a rename",
            'if you renamed it, write `part(…).was("turret")`; if not,\n'
            "run `savegen lock retire Shoot.turret` (old saves then lose its values)",
        )
    ]
    assert told(retire(lock, "Shoot.turret"), changed) == []


def test_a_former_name_that_is_still_there_is_refused() -> None:
    _, lock = settled_prefabs(Lock(), SHOOT)
    copy = prefab("game:Copy", {"arm": "Gun"}, was="Shoot")
    assert [(code, message) for code, message, _ in told(lock, SHOOT, copy)] == [
        ("SG305", "`was` of `Copy` names `Shoot`, which still exists")
    ]
    parts = {"body": "Body", "turret": "Gun", "gun": "Gun turret"}
    assert [(c, m) for c, m, _ in told(lock, prefab("game:Shoot", parts))] == [
        ("SG305", "`was` of `gun` names `turret`, which still exists")
    ]


def test_a_former_name_that_two_had_is_asked_about() -> None:
    _, lock = settled_prefabs(
        Lock(), prefab("a:Orc", {"x": "Gun"}), prefab("b:Orc", {"y": "Gun"})
    )
    assert told(lock, prefab("c:Ork", {"x": "Gun"}, was="Orc")) == [
        (
            "SG308",
            "`was` of `Ork` names `Orc`, which could mean `a.Orc` or `b.Orc`",
            'write the full name: `@prefab(was="a.Orc")` or `@prefab(was="b.Orc")`',
        )
    ]


def test_a_number_that_another_has_is_not_given_again() -> None:
    _, lock = settled_prefabs(Lock(), SHOOT)
    number = number_of("prefab game.Elf")
    text = "\n".join(lock.lines())
    text = text.replace(str(number_of("prefab game.Shoot")), str(number))
    elf = prefab("game:Elf", {"arm": "Bow"})
    numbers, _ = settled_prefabs(parse(text), SHOOT, elf)
    assert numbers["Elf"] == number_of("prefab game.Elf#2")
    text = "\n".join(lock.lines())
    text = text.replace(str(number_of("body")), str(number_of("arm")))
    more = prefab("game:Shoot", {"body": "Body", "turret": "Gun", "arm": "Bow"})
    numbers, _ = settled_prefabs(parse(text), more)
    assert numbers["Shoot.arm"] == number_of("arm#2")


def test_a_former_name_of_a_part_that_is_written_late_is_a_finding() -> None:
    _, lock = settled_prefabs(Lock(), SHOOT)
    shape = {"body": "Body", "horn": "Horn"}
    _, lock = settled_prefabs(lock, prefab("game:Shoot", {"body": "Body"}))
    _, lock = settled_prefabs(lock, prefab("game:Shoot", shape))
    late = prefab("game:Shoot", {"body": "Body", "horn": "Horn turret"})
    ((code, message, help),) = told(lock, late)
    assert code == "SG312"
    assert "delete the line of the part `game.Shoot.horn`" in help
    lines = [line for line in lock.text().splitlines() if ".horn " not in line]
    numbers, _ = settled_prefabs(parse("\n".join(lines)), late)
    assert numbers["Shoot.horn"] == number_of("turret")


# Classes and prefabs of one name


def test_a_class_that_is_a_prefab_has_a_number_as_each() -> None:
    coin = saved("game:Coin", {"coin": "int"})
    _, lock = settled(Lock(), coin)
    numbers, lock = settled_prefabs(lock, one_class("game:Coin"))
    assert numbers == {
        "Coin": number_of("prefab game.Coin"),
        "Coin.coin": number_of("coin"),
    }
    assert facts(lock) == [
        "class game.Coin game:Coin",
        "field game.Coin.coin int",
        "part game.Coin.coin Coin",
        "prefab game.Coin game:Coin",
    ]
    assert settled(lock, coin)[1] == lock


def test_a_renamed_class_that_is_a_prefab_keeps_all_its_numbers() -> None:
    old, lock = settled_prefabs(Lock(), one_class("game:GoldCoin"))
    numbers, lock = settled_prefabs(lock, one_class("game:Gem", was="GoldCoin"))
    assert numbers == {"Gem": old["GoldCoin"], "Gem.gem": old["GoldCoin.gold_coin"]}
    assert "part game.GoldCoin.gold_coin as gem: Gem" in facts(lock)


# The two passes


def test_pass_1_keeps_what_is_known_of_prefabs_and_hands_on_the_living_ones() -> None:
    _, lock = settled_prefabs(Lock(), SHOOT, prefab("game:Elf"))
    _, lock = settled_prefabs(lock, SHOOT)
    for text in (lock.text(), lock.text() + "retired prefab Shoot 99 game:Shoot\n"):
        before = parse(text)
        numbered, after = assign(before, Model(()), Report())
        assert (after.prefabs, after.parts) == (before.prefabs, before.parts)
    numbered, _ = assign(lock, prefab_model(SHOOT), Report())
    assert numbered.prefab_types == (("SHOOT", number_of("prefab game.Shoot")),)


@given(st.permutations(["a:Orc", "b:Orc", "a.b:Orc", "a:b.Orc", "c:ORC", "a:A_ORC"]))
def test_no_member_is_there_twice_whatever_a_merge_has_left(locations) -> None:
    lines = [
        f"prefab B{n} {20 + n} {location}"
        for n, location in enumerate(sorted(locations))
    ]
    lines.append("prefab B9 99 a:Orc")
    members = [name for name, _ in prefab_types(parse("\n".join(lines)))]
    assert len(set(members)) == len(members) >= 4
    lines.reverse()
    assert [name for name, _ in prefab_types(parse("\n".join(lines)))] == members


def test_what_a_merge_has_left_of_two_is_asked_about_and_told() -> None:
    text = "prefab Orc 20 game:Orc\nprefab Ork 21 game:Orc\n"
    orc = prefab("game:Orc")
    assert told(parse(text), orc) == [
        (
            "SG307",
            "savegen.lock has two prefabs named `Orc`:"
            " one was renamed from `Ork`, the other was always `Orc`",
            'if this prefab was once `Ork`, write `@prefab(was="Ork")`;\n'
            'if it was always `Orc`, write `@prefab(was="Orc")`\n'
            "(a load drops the objects saved for the other one)",
        )
    ]
    numbers, lock = settled_prefabs(parse(text), replace(orc, former_names=("Ork",)))
    assert numbers == {"Orc": 21}
    assert "retired prefab Orc game:Orc" in facts(lock)


@given(st.permutations(range(4)))
def test_one_side_has_retired_a_prefab_and_the_source_decides(order) -> None:
    lines = [
        "prefab Orc 20 game:Orc",
        "retired prefab Orc 20 game:Orc",
        "part Orc.arm 21: Gun",
        "retired part Orc.arm 21: Gun",
    ]
    lock = parse("\n".join(lines[place] for place in order))
    assert lock.lines() == sorted(lines)
    orc = prefab("game:Orc", {"arm": "Gun"})
    assert settled_prefabs(lock, orc)[0] == {"Orc": 20, "Orc.arm": 21}
    _, gone = settled_prefabs(lock)
    assert facts(gone) == ["retired part Orc.arm Gun", "retired prefab Orc game:Orc"]

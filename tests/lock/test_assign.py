"""Numbers stay what they were, whatever happens to the source; what cannot be known is asked."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from savegen.build.lock import Lock, assign, parse
from savegen.build.lock.file import number_of
from savegen.build.lock.retire import retire
from savegen.build.lock.file import ProvisionalEntries
from savegen.build.model import Model, SavedClass, SavedModule
from savegen.findings import Report
from tests.lock.models import Fields, facts, inheriting, model, run, saved, settled

ORC = saved("game:Orc", {"hp": "int", "name": "str"})


# What changes nothing else's number


def test_the_first_numbers_are_those_of_the_births():
    numbers, lock = settled(Lock(), ORC)
    births = {"Orc": "game.Orc", "Orc.hp": "hp", "Orc.name": "name"}
    assert numbers == {name: number_of(birth) for name, birth in births.items()}
    assert facts(lock) == [
        "class game.Orc game:Orc",
        "field game.Orc.hp int",
        "field game.Orc.name str",
    ]


kinds = st.sampled_from(["int", "str", "float"])
names = st.sampled_from("abcdefgh")
shapes = st.dictionaries(names, kinds, max_size=6)


@given(shapes, shapes)
def test_no_change_of_fields_moves_the_number_of_another(before, after):
    old, lock = settled(Lock(), saved("game:Orc", before))
    lost, born = set(before) - set(after), set(after) - set(before)
    new, _, findings = run(lock, saved("game:Orc", after))
    alike = {a: [b for b in born if before[a] == after[b]] for a in lost}
    others = born.difference(*alike.values())
    assert len(findings) == sum(len(alike[a] or others) for a in lost)
    kept = {f"Orc.{name}" for name in set(before) & set(after)} | {"Orc"}
    assert {name: new[name] for name in kept} == {name: old[name] for name in kept}
    assert len(set(new.values())) == len(new)


@given(st.permutations(["hp", "name", "mood"]), st.permutations([0, 1, 2]))
def test_the_order_of_fields_classes_and_modules_does_not_matter(fields, order):
    shape = dict.fromkeys(fields, "int")
    locations = ["a:Orc", "a:Elf", "b:Cat"]
    classes = [saved(location, shape) for location in locations]
    numbers, lock = settled(Lock(), *classes)
    assert settled(lock, *(classes[place] for place in order))[0] == numbers
    assert settled(Lock(), *(classes[place] for place in order))[0] == numbers


def test_a_class_that_moves_to_another_module_keeps_everything():
    numbers, lock = settled(Lock(), ORC)
    moved, after = settled(
        lock, saved("game.foes.orc:Orc", {"hp": "int", "name": "str"})
    )
    assert moved == numbers
    assert facts(after)[0] == "class game.Orc game.foes.orc:Orc"


def test_a_class_that_moves_into_another_class_keeps_everything():
    numbers, lock = settled(Lock(), ORC)
    moved, _ = settled(lock, saved("game:Camp.Orc", {"hp": "int", "name": "str"}))
    assert moved["Camp.Orc.hp"] == numbers["Orc.hp"]


def test_a_class_that_moves_and_changes_is_asked_about():
    _, lock = settled(Lock(), ORC)
    changed = saved("other:Orc", {"hp": "int"})
    _, _, (finding,) = run(lock, changed)
    assert finding.code == "SG302"
    assert finding.message == (
        "class `game.Orc` was removed and `other.Orc`, with the same name, was added:"
        " it may be a rename"
    )
    numbers, _ = settled(lock, replace(changed, former_names=("game.Orc",)))
    assert numbers["Orc"] == number_of("game.Orc")
    numbers, _ = settled(retire(lock, "game.Orc"), changed)
    assert numbers["Orc"] == number_of("other.Orc")


def test_a_class_that_moves_while_another_of_its_name_is_gone_is_asked_about():
    shape = {"hp": "int"}
    _, lock = settled(Lock(), saved("a:Orc", shape), saved("b:Orc", shape))
    _, _, findings = run(lock, saved("c:Orc", shape))
    assert [finding.code for finding in findings] == ["SG302", "SG302"]


def test_a_field_that_comes_back_has_the_number_it_had():
    numbers, lock = settled(Lock(), ORC)
    _, without = settled(lock, saved("game:Orc", {"name": "str"}))
    assert "absent field game.Orc.hp int" in facts(without)
    assert settled(without, ORC)[0] == numbers


def test_a_class_that_comes_back_has_the_numbers_it_had():
    numbers, lock = settled(Lock(), ORC)
    _, without = settled(lock)
    assert facts(without)[0] == "absent class game.Orc game:Orc"
    assert settled(without, ORC)[0] == numbers


def test_a_field_of_another_kind_keeps_its_number():
    numbers, lock = settled(Lock(), ORC)
    changed, after = settled(lock, saved("game:Orc", {"hp": "float", "name": "str"}))
    assert changed == numbers and "field game.Orc.hp float" in facts(after)


def test_an_inherited_field_has_the_number_of_the_class_that_marks_it():
    sub = inheriting("game:Boss", ORC, {"rage": "int"})
    numbers, _ = settled(Lock(), ORC, sub)
    assert numbers["Boss.hp"] == numbers["Orc.hp"] == number_of("hp")
    assert numbers["Boss.rage"] == number_of("rage")


def test_a_base_that_is_not_marked_itself_has_numbers_all_the_same():
    base = saved("game:Base", {"hp": "int"})
    numbers, lock = settled(Lock(), inheriting("game:Orc", base, {"rage": "int"}))
    assert numbers["Orc.hp"] == number_of("hp")
    both, _ = settled(lock, base, inheriting("game:Orc", base, {"rage": "int"}))
    assert both["Base.hp"] == numbers["Orc.hp"]


# Two of one name


def test_classes_of_one_name_have_births_with_their_modules():
    numbers, lock = settled(
        Lock(), saved("a:Orc", {"x": "int"}), saved("b:Orc", {"x": "int"})
    )
    assert facts(lock) == [
        "class a.Orc a:Orc",
        "class b.Orc b:Orc",
        "field a.Orc.x int",
        "field b.Orc.x int",
    ]


def test_a_second_class_of_a_name_changes_nothing_for_the_first():
    numbers, lock = settled(Lock(), ORC)
    two, after = settled(lock, ORC, saved("a:Orc", {"hp": "int"}))
    assert "class game.Orc game:Orc" in facts(after) and "class a.Orc a:Orc" in facts(
        after
    )
    assert parse(after.text()).fields["game.Orc.hp"].number == numbers["Orc.hp"]


def test_a_former_name_that_two_classes_had_is_asked_about():
    orcs = [
        saved(location, {"hp": "int"}) for location in ("a:Orc", "b:Orc", "c:Orc.Orc")
    ]
    numbers, lock = settled(Lock(), *orcs)
    _, _, findings = run(lock, saved("a:Ork", {"hp": "int"}, was="Orc"), orcs[2])
    assert [finding.code for finding in findings] == ["SG308"]
    assert findings[0].message.endswith("could mean `a.Orc` or `b.Orc`")
    told = saved("a:Ork", {"hp": "int"}, was="b.Orc")
    _, after = settled(lock, told, orcs[2])
    assert "class b.Orc a:Ork" in facts(after)
    assert "absent class a.Orc a:Orc" in facts(after)


def test_a_former_name_of_two_is_clear_if_one_of_them_is_still_there():
    orcs = [saved(location, {"hp": "int"}) for location in ("a:Orc", "b:Orc")]
    _, lock = settled(Lock(), *orcs)
    _, after = settled(lock, orcs[0], saved("b:Ork", {"hp": "int"}, was="Orc"))
    assert "class b.Orc b:Ork" in facts(after)


def test_a_dotted_former_name_means_no_other_class():
    orcs = [saved(location, {"hp": "int"}) for location in ("a:Orc", "b:a.Orc")]
    _, lock = settled(Lock(), *orcs)
    _, after = settled(lock, saved("a:Ork", {"hp": "int"}, was="a.Orc"))
    assert "class a.Orc a:Ork" in facts(after)


def test_which_of_two_took_over_a_class_that_is_gone_is_not_guessed():
    _, lock = settled(Lock(), ORC)
    shape = {"hp": "int", "name": "str"}
    one, two = saved("a:Orc", shape), saved("b:Orc", shape)
    _, _, findings = run(lock, one, two)
    assert [finding.code for finding in findings] == ["SG302", "SG302"]
    told = replace(two, former_names=("game.Orc",))
    _, after = settled(lock, one, told)
    assert "class game.Orc b:Orc" in facts(after) and "class a.Orc a:Orc" in facts(
        after
    )


# Renames


def test_a_vanished_field_with_a_candidate_is_an_error_with_both_ways_out():
    _, lock = settled(Lock(), ORC)
    _, _, (finding,) = run(lock, saved("game:Orc", {"health": "int", "name": "str"}))
    assert (finding.code, finding.span.path) == ("SG301", "game:Orc.health")
    assert finding.message == (
        "field `hp` was removed and `health`, also `int`, was added: it may be a rename"
    )
    assert finding.help == (
        'if you renamed it, write `Annotated[…, Save(was="hp")]`; if not,\n'
        "run `savegen lock retire Orc.hp` (old saves then lose its value)"
    )


def test_a_field_that_is_renamed_with_another_type_is_asked_about():
    _, lock = settled(Lock(), ORC)
    speedy = saved("game:Orc", {"speed": "float", "name": "str"})
    _, _, (finding,) = run(lock, speedy)
    assert (finding.code, finding.message) == (
        "SG301",
        "field `hp` was removed and `speed`, `float` instead of `int`, was added:"
        " it may be a rename",
    )
    renamed = saved("game:Orc", {"speed": ("float", "hp"), "name": "str"})
    assert settled(lock, renamed)[0]["Orc.speed"] == number_of("hp")
    assert settled(retire(lock, "Orc.hp"), speedy)[0]["Orc.speed"] == number_of("speed")


def test_a_field_that_vanished_before_another_appears_is_not_asked_about():
    _, lock = settled(Lock(), ORC)
    _, lock = settled(lock, saved("game:Orc", {"name": "str"}))
    _, after = settled(lock, saved("game:Orc", {"speed": "float", "name": "str"}))
    assert facts(after)[0] == "absent field game.Orc.hp int"


def test_every_candidate_is_told_of():
    _, lock = settled(Lock(), saved("game:Orc", {"a": "int", "b": "int"}))
    _, _, findings = run(lock, saved("game:Orc", {"c": "int", "d": "int"}))
    pairs = [finding.message.split("`")[1:4:2] for finding in findings]
    assert sorted(pairs) == [["a", "c"], ["a", "d"], ["b", "c"], ["b", "d"]]


def test_a_field_that_was_called_otherwise_keeps_its_number():
    numbers, lock = settled(Lock(), ORC)
    renamed = saved("game:Orc", {"health": ("int", "hp"), "name": "str"})
    new, after = settled(lock, renamed)
    assert new["Orc.health"] == numbers["Orc.hp"]
    assert "field game.Orc.hp as health: int" in facts(after)
    plain = saved("game:Orc", {"health": "int", "name": "str"})
    assert settled(after, plain)[0]["Orc.health"] == numbers["Orc.hp"]


def test_a_field_keeps_its_number_through_many_names():
    numbers, lock = settled(Lock(), saved("game:Orc", {"a": "int"}))
    for old, new in itertools.pairwise("abcdea"):
        found, lock = settled(lock, saved("game:Orc", {new: ("int", old)}))
        assert found[f"Orc.{new}"] == numbers["Orc.a"]
    assert facts(lock)[1] == "field game.Orc.a int"


def test_two_fields_can_change_names_with_each_other_in_two_steps():
    numbers, lock = settled(Lock(), saved("game:Orc", {"a": "int", "b": "int"}))
    _, lock = settled(lock, saved("game:Orc", {"c": ("int", "a"), "b": "int"}))
    _, lock = settled(lock, saved("game:Orc", {"c": "int", "a": ("int", "b")}))
    found, lock = settled(lock, saved("game:Orc", {"b": ("int", "c"), "a": "int"}))
    assert found["Orc.b"] == numbers["Orc.a"] and found["Orc.a"] == numbers["Orc.b"]


def test_the_old_name_of_a_renamed_field_can_be_used_again():
    numbers, lock = settled(Lock(), ORC)
    _, lock = settled(lock, saved("game:Orc", {"health": ("int", "hp"), "name": "str"}))
    shape = {"health": ("int", "hp"), "name": "str", "hp": "int"}
    found, after = settled(lock, saved("game:Orc", shape))
    assert found["Orc.health"] == numbers["Orc.hp"]
    assert found["Orc.hp"] == number_of("hp#2")


def test_a_former_name_that_is_still_there_is_an_error():
    _, lock = settled(Lock(), ORC)
    shape = {"hp": "int", "name": "str", "health": ("int", "hp")}
    _, _, (finding,) = run(lock, saved("game:Orc", shape))
    assert finding.code == "SG305"
    assert finding.message == "`was` of `health` names `hp`, which still exists"


def test_a_former_name_that_nobody_knows_is_no_fault():
    numbers, _ = settled(Lock(), saved("game:Orc", {"health": ("int", "life", "hp")}))
    assert numbers["Orc.health"] == number_of("health")


def test_of_several_former_names_the_first_known_counts():
    numbers, lock = settled(Lock(), saved("game:Orc", {"b": "int"}))
    found, _ = settled(lock, saved("game:Orc", {"c": ("int", "a", "b")}))
    assert found["Orc.c"] == numbers["Orc.b"]


def test_a_renamed_class_keeps_everything():
    numbers, lock = settled(Lock(), ORC)
    shape = {"hp": "int", "name": "str"}
    for was in ("Orc", "game.Orc"):
        found, after = settled(lock, saved("game:Ork", shape, was))
        assert found["Ork"] == numbers["Orc"] and found["Ork.hp"] == numbers["Orc.hp"]
        assert settled(after, saved("game:Ork", shape))[0] == found


def test_a_class_renamed_and_moved_with_its_fields_renamed_keeps_everything():
    first, lock = settled(Lock(), saved("a:Orc", {"hp": "int", "mp": "int"}))
    shape = {"health": ("int", "hp"), "mana": ("int", "mp")}
    after, lock = settled(lock, saved("b.c:Uruk", shape, was="a.Orc"))
    assert list(after.values()) == list(first.values())
    assert facts(lock)[0] == "class a.Orc b.c:Uruk"


def test_a_subclass_may_say_what_an_inherited_field_was():
    foe = saved("a:Foe", {"hp": "int"})
    first, lock = settled(Lock(), foe, inheriting("a:Orc", foe, {}))
    base = saved("a:Foe", {"health": ("int", "hp")})
    after, _ = settled(lock, base, inheriting("a:Orc", base, {}))
    assert after["Foe.health"] == after["Orc.health"] == first["Foe.hp"]


def test_an_inner_class_is_known_by_its_qualified_name():
    numbers, lock = settled(Lock(), saved("game:Camp.Orc", {"hp": "int"}))
    found, _ = settled(lock, saved("game:Camp.Ork", {"hp": "int"}, "Camp.Orc"))
    assert found["Camp.Ork.hp"] == numbers["Camp.Orc.hp"]


def test_a_vanished_class_with_one_like_it_is_an_error_with_both_ways_out():
    _, lock = settled(Lock(), ORC)
    _, _, (finding,) = run(lock, saved("game:Ork", {"hp": "int", "name": "str"}))
    assert finding.code == "SG302"
    assert (
        finding.message == "class `Orc` was removed and `Ork`, with similar fields,"
        " was added: it may be a rename"
    )
    assert finding.help == (
        'if you renamed it, write `@saveable(was="Orc")`; if not,\n'
        "run `savegen lock retire Orc` (old saves then lose its objects)"
    )


def test_a_new_class_with_other_fields_is_no_candidate_elsewhere():
    _, lock = settled(Lock(), ORC, saved("game:Elf", {}))
    settled(lock, saved("chests:Chest", {"gold": "int"}), saved("game:Elf", {}))


@pytest.mark.parametrize(
    ("new", "place"),
    [
        (saved("game:Ork", {"health": "float"}), "in the same module"),
        (saved("orks:Ork", {"health": "float"}), "in a module that may be renamed"),
    ],
)
def test_a_class_that_is_renamed_with_its_only_field_is_asked_about(new, place):
    _, lock = settled(Lock(), saved("game:Orc", {"hp": "int"}))
    _, _, (finding,) = run(lock, new)
    assert (finding.code, finding.message) == (
        "SG302",
        f"class `Orc` was removed and `Ork`, {place}, was added: it may be a rename",
    )
    renamed = replace(new, former_names=("Orc",))
    (asked,) = run(lock, renamed)[2]
    assert asked.code == "SG301"  # now that it is the same class, about its field
    settled(retire(lock, "Orc"), new)


def test_a_class_that_vanished_before_another_appears_is_not_asked_about():
    _, lock = settled(Lock(), saved("game:Orc", {"hp": "int"}))
    _, lock = settled(lock)
    settled(lock, saved("game:Ork", {"health": "float"}))


def test_a_subclass_that_is_renamed_while_its_base_changes_is_asked_about():
    foe = saved("game:Foe", {"hp": "int"})
    _, lock = settled(Lock(), foe, heir("orcs:Orc", foe, {}))
    foe = saved("game:Foe", {"hp": "int", "mp": "int"})
    _, _, (finding,) = run(lock, foe, heir("uruks:Uruk", foe, {}))
    assert finding.code == "SG302" and "`Uruk`, " in finding.message
    renamed = heir("uruks:Uruk", foe, {}, was="Orc")
    assert settled(lock, foe, renamed)[0]["Uruk"] == number_of("orcs.Orc")


def test_a_former_class_that_is_still_there_is_an_error():
    _, lock = settled(Lock(), ORC)
    ork = saved("game:Ork", {"size": "float"}, "Orc")
    _, _, (finding,) = run(lock, ORC, ork)
    assert finding.code == "SG305"
    assert finding.message == "`was` of `Ork` names `Orc`, which still exists"


def test_a_question_calls_things_by_the_names_that_the_lock_has():
    _, lock = settled(Lock(), ORC)
    _, _, (finding,) = run(
        lock, saved("game:Ork", {"health": "int", "name": "str"}, was="Orc")
    )
    assert "`savegen lock retire Orc.hp`" in (finding.help or "")
    retire(lock, "Orc.hp")


# Gone for good


def test_a_retired_number_is_never_used_again():
    numbers, lock = settled(Lock(), ORC)
    _, lock = settled(lock, saved("game:Orc", {"name": "str"}))
    lock = retire(lock, "Orc.hp")
    again, lock = settled(lock, ORC)
    assert again["Orc.hp"] == number_of("hp#2") != numbers["Orc.hp"]
    assert again["Orc.name"] == numbers["Orc.name"]
    lock = retire(lock, "Orc.hp")
    third, lock = settled(lock, ORC)
    assert third["Orc.hp"] == number_of("hp#3")
    assert facts(lock)[-2:] == [
        "retired field game.Orc.hp int",
        "retired field game.Orc.hp#2 int",
    ]


def test_a_retired_class_is_born_again_with_all_its_fields():
    numbers, lock = settled(Lock(), ORC)
    again, lock = settled(retire(lock, "Orc"), ORC)
    assert again["Orc"] == number_of("game.Orc#2") != numbers["Orc"]
    assert again["Orc.hp"] == numbers["Orc.hp"]  # it is told apart by its class
    assert "class game.Orc#2 game:Orc" in facts(lock)


def test_retiring_is_one_of_the_ways_out():
    _, lock = settled(Lock(), ORC)
    renamed = saved("game:Orc", {"health": "int", "name": "str"})
    _, after = settled(retire(lock, "Orc.hp"), renamed)
    assert "retired field game.Orc.hp int" in facts(after)
    other = saved("game:Ork", {"hp": "int", "name": "str"})
    _, after = settled(retire(lock, "Orc"), other)
    assert "class game.Ork game:Ork" in facts(after)


def test_a_retired_name_asks_no_more():
    _, lock = settled(Lock(), ORC)
    lock = retire(lock, "Orc.hp")
    settled(lock, saved("game:Orc", {"name": "str"}))
    settled(lock, saved("game:Orc", {"name": "str", "life": "int"}))


# Enumerations and records


def with_enum(*members: str) -> Model:
    module = SavedModule("game", "game.py", (ORC,), enums=(("game:Mood", members),))
    return Model([module])


def test_a_lost_member_of_an_enumeration_is_an_error_until_it_is_retired():
    report = Report()
    _, lock = assign(Lock(), with_enum("CALM", "WILD"), report)
    assert facts(lock)[-2:] == ["member Mood.CALM", "member Mood.WILD"]
    _, kept = assign(lock, with_enum("CALM"), report)
    (finding,) = report
    assert finding.code == "SG303"
    assert finding.help == (
        "add `WILD` again, or, if you renamed it, keep `WILD` as an alias of the renamed member;"
        " if no save contains it, run `savegen lock retire Mood.WILD`"
    )
    report = Report()
    _, after = assign(retire(kept, "Mood.WILD"), with_enum("CALM"), report)
    assert not report.failed and "lost Mood.WILD" in facts(after)
    _, again = assign(after, with_enum("CALM", "WILD"), report)
    assert "member Mood.WILD" in facts(again)


def test_the_members_of_an_enumeration_that_nothing_holds_are_not_missed():
    report = Report()
    _, lock = assign(Lock(), with_enum("CALM"), report)
    _, after = assign(lock, model(ORC), report)
    assert not report.failed and "member Mood.CALM" in facts(after)


# Collisions


def collision(prefix: str = "") -> tuple[str, str]:
    """Two names with one number."""
    seen: dict[int, str] = {}
    for count in itertools.count():
        name = f"f{count}"
        number = number_of(f"{prefix}{name}")
        if number in seen:
            return seen[number], name
        seen[number] = name
    raise AssertionError


def test_two_new_fields_with_one_number_are_an_error():
    one, two = collision()
    _, _, (finding,) = run(Lock(), saved("game:Orc", {one: "int", two: "str"}))
    assert finding.code == "SG304"
    names = {f"Orc.{one}", f"Orc.{two}"}
    assert set(finding.message.split("`")[1:4:2]) == names
    assert (finding.help or "").startswith("if one of them is new, rename it;")


def test_two_fields_with_one_number_since_a_merge_have_a_way_out():
    one, two = collision()
    shape = {one: "int", two: "str"}
    _, ours = settled(Lock(), saved("game:Orc", {one: "int"}))
    _, theirs = settled(Lock(), saved("game:Orc", {two: "str"}))
    merged = parse(ours.text() + theirs.text())
    _, _, (finding,) = run(merged, saved("game:Orc", shape))
    assert finding.code == "SG304"
    lines = merged.text().splitlines()
    without = parse("\n".join(line for line in lines if f".{two} " not in line))
    numbers, _ = settled(without, saved("game:Orc", shape))
    assert numbers[f"Orc.{one}"] == number_of(one)
    assert numbers[f"Orc.{two}"] == number_of(f"{two}#2")


def test_two_new_classes_with_one_number_are_an_error():
    one, two = collision("game.")
    classes = [saved(f"game:{name}", {}) for name in (one, two)]
    assert {finding.code for finding in run(Lock(), *classes)[2]} == {"SG304"}


@pytest.mark.parametrize("state", ["alive", "absent", "retired"])
def test_a_number_that_another_field_has_or_had_is_not_given_again(state):
    one, two = collision()
    _, lock = settled(Lock(), saved("game:Orc", {one: "int"}))
    if state == "retired":
        lock = retire(lock, f"Orc.{one}")
    if state == "absent":
        _, lock = settled(lock, saved("game:Orc", {}))
    shape = {one: "int", two: "str"} if state == "alive" else {two: "str"}
    numbers, _ = settled(lock, saved("game:Orc", shape))
    assert numbers[f"Orc.{two}"] == number_of(f"{two}#2")


def test_a_number_that_another_class_had_is_not_given_again():
    one, two = collision("game.")
    _, lock = settled(Lock(), saved(f"game:{one}", {"x": "int"}))
    numbers, _ = settled(retire(lock, one), saved(f"game:{two}", {"y": "str"}))
    assert numbers[two] == number_of(f"game.{two}#2")


# Fields that move between a class and its bases


def heir(location: str, base: SavedClass, fields: Fields, was: str = "") -> SavedClass:
    return replace(
        inheriting(location, base, fields), former_names=(was,) if was else ()
    )


def test_a_field_that_moves_to_a_base_keeps_its_number():
    foe = saved("game:Foe", {})
    old, lock = settled(Lock(), foe, heir("game:Orc", foe, {"hp": "int"}))
    risen = saved("game:Foe", {"hp": "int"})
    new, after = settled(lock, risen, heir("game:Orc", risen, {}))
    assert new["Orc.hp"] == new["Foe.hp"] == old["Orc.hp"]
    back, _ = settled(after, foe, heir("game:Orc", foe, {"hp": "int"}))
    assert back["Orc.hp"] == old["Orc.hp"]


def test_a_field_that_moves_from_a_base_to_a_subclass_keeps_its_number():
    foe, bare = saved("game:Foe", {"hp": "int"}), saved("game:Foe", {})
    old, lock = settled(Lock(), foe, heir("game:Orc", foe, {}))
    new, _ = settled(lock, bare, heir("game:Orc", bare, {"hp": "int"}))
    assert new["Orc.hp"] == old["Orc.hp"]


def test_a_field_that_several_bases_have_has_one_number():
    foe, npc = saved("a:Foe", {"hp": "int"}), saved("b:Npc", {"hp": "int"})
    both = heir("game:Both", foe, {})
    both = replace(both, ancestors=("a:Foe", "b:Npc"))
    numbers, _ = settled(Lock(), foe, npc, both)
    assert {numbers[f"{name}.hp"] for name in ("Foe", "Npc", "Both")} == {
        number_of("hp")
    }


def test_a_renamed_field_that_is_pulled_up_keeps_its_number():
    foe = saved("game:Foe", {})
    old, lock = settled(Lock(), foe, heir("game:Orc", foe, {"hp": "int"}))
    renamed = heir("game:Orc", foe, {"life": ("int", "hp")})
    _, lock = settled(lock, foe, renamed)
    risen = saved("game:Foe", {"life": "int"})
    new, after = settled(lock, risen, heir("game:Orc", risen, {}))
    assert new["Foe.life"] == new["Orc.life"] == old["Orc.hp"]
    assert "field game.Foe.hp as life: int" in facts(after)


def pulled_up() -> tuple[Lock, list[SavedClass]]:
    """A base with a field that one subclass has had under another name."""
    foe = saved("game:Foe", {})
    classes = [heir("game:Orc", foe, {"hp": "int"}), heir("game:Elf", foe, {})]
    _, lock = settled(Lock(), foe, *classes)
    renamed = heir("game:Orc", foe, {"life": ("int", "hp")})
    _, lock = settled(lock, foe, renamed, heir("game:Elf", foe, {"life": "int"}))
    risen = saved("game:Foe", {"life": "int"})
    return lock, [risen, *(heir(f"game:{n}", risen, {}) for n in ("Orc", "Elf"))]


def test_a_field_with_two_numbers_in_two_classes_keeps_both():
    lock, classes = pulled_up()
    numbers, after = settled(lock, *classes)
    assert {numbers[f"{n}.life"] for n in ("Foe", "Orc", "Elf")} == {number_of("life")}
    assert "former field game.Orc.hp as life: int" in facts(after)
    numbered, _ = assign(after, model(*classes), Report())
    orc = numbered.class_named("game:Orc")
    assert orc and orc.former_numbers == ((number_of("hp"), number_of("life")),)
    elf = numbered.class_named("game:Elf")
    assert elf and elf.former_numbers == ()


def test_a_former_number_follows_its_field_when_that_is_renamed_again():
    lock, classes = pulled_up()
    _, lock = settled(lock, *classes)
    base = saved("game:Foe", {"health": ("int", "life")})
    heirs = [heir(f"game:{n}", base, {}) for n in ("Orc", "Elf")]
    _, after = settled(lock, base, *heirs)
    assert "former field game.Orc.hp as health: int" in facts(after)


def test_a_question_about_an_inherited_field_is_asked_once():
    foe = saved("game:Foe", {"hp": "int"})
    orc = heir("game:Orc", foe, {})
    _, lock = settled(Lock(), foe, orc, heir("game:Boss", orc, {}))
    other = saved("game:Foe", {"life": "int"})
    classes = [other, heir("game:Orc", other, {})]
    classes.append(heir("game:Boss", classes[1], {}))
    _, _, (finding,) = run(lock, *classes)
    assert "`savegen lock retire Foe.hp`" in (finding.help or "")
    numbers, _ = settled(retire(lock, "Foe.hp", model(*classes)), *classes)
    assert numbers["Boss.life"] == number_of("life")
    settled(retire(lock, "Foe.hp"), *classes)


def test_a_field_that_a_base_has_retired_is_new_in_its_subclasses_too():
    foe = saved("game:Foe", {"hp": "int"})
    bare = saved("game:Foe", {})
    _, lock = settled(Lock(), foe, heir("game:Orc", foe, {}))
    lock = retire(lock, "Foe.hp", model(bare, heir("game:Orc", bare, {})))
    numbers, after = settled(lock, foe, heir("game:Orc", foe, {}))
    assert numbers["Foe.hp"] == numbers["Orc.hp"] == number_of("hp#2")
    assert "retired field game.Orc.hp int" in facts(after)


def test_a_renamed_subclass_without_fields_of_its_own_is_asked_about():
    foe = saved("game:Foe", {"hp": "int"})
    _, lock = settled(Lock(), foe, heir("game:Orc", foe, {}))
    _, _, (finding,) = run(lock, foe, heir("game:Ork", foe, {}))
    assert finding.code == "SG302"
    numbers, _ = settled(lock, foe, heir("game:Ork", foe, {}, was="Orc"))
    assert numbers["Ork"] == number_of("game.Orc")


# Private fields


def private(location: str, owner: str = "") -> SavedClass:
    simple = (owner or location).rpartition(":")[2]
    cls = saved(location, {"__luck": "int"})
    hidden = replace(
        cls.fields[0],
        attribute=f"_{simple}__luck",
        owner=owner or location,
        own=not owner,
    )
    return replace(cls, fields=(hidden,), ancestors=(owner,) if owner else ())


def test_a_private_field_is_mangled_with_the_birth_name_of_its_class():
    numbers, lock = settled(Lock(), private("game:Orc"))
    assert numbers["Orc.__luck"] == number_of("_Orc__luck")
    renamed = replace(private("game:Ork"), former_names=("Orc",))
    after, lock = settled(lock, renamed)
    assert after["Ork.__luck"] == numbers["Orc.__luck"]
    assert "field game.Orc._Orc__luck int" in facts(lock)


def test_private_fields_of_a_class_and_its_base_are_two():
    base = private("game:Foe")
    sub = private("game:Orc", "game:Foe")
    sub = replace(sub, fields=(*sub.fields, *private("game:Orc").fields))
    _, lock = settled(Lock(), base, sub)
    assert {number_of("_Foe__luck"), number_of("_Orc__luck")} == {
        e.number for e in lock.fields.values() if e.birth.startswith("game.Orc.")
    }


# `was` that is written late


def test_a_former_name_that_is_written_late_takes_effect():
    old, lock = settled(Lock(), ORC)
    _, lock = settled(lock, saved("game:Orc", {"name": "str"}))
    _, lock = settled(lock, saved("game:Orc", {"health": "float", "name": "str"}))
    late = saved("game:Orc", {"health": ("float", "hp"), "name": "str"})
    numbers, after = settled(lock, late)
    assert numbers["Orc.health"] == number_of("health")
    assert "former field game.Orc.hp as health: int" in facts(after)
    numbered, _ = assign(after, model(late), Report())
    orc = numbered.class_named("game:Orc")
    assert orc and orc.former_numbers == ((old["Orc.hp"], numbers["Orc.health"]),)


def test_a_late_former_name_gives_its_number_to_a_field_that_no_save_can_hold():
    old, lock = settled(Lock(), ORC)
    _, lock = settled(lock, saved("game:Orc", {"name": "str"}))
    before = lock
    _, lock = settled(lock, saved("game:Orc", {"health": "float", "name": "str"}))
    late = saved("game:Orc", {"health": ("float", "hp"), "name": "str"})
    numbers, after, findings = run(lock, late, committed=[before])
    assert findings == [] and numbers["Orc.health"] == old["Orc.hp"]
    assert "health float" not in " ".join(facts(after))


def test_a_late_former_name_of_a_class_is_a_finding_that_says_what_to_do():
    _, lock = settled(Lock(), ORC)
    _, before = settled(lock)
    _, lock = settled(before, saved("game:Ork", {"size": "float"}))
    late = saved("game:Ork", {"size": "float"}, "Orc")
    _, _, (finding,) = run(lock, late)
    assert finding.code == "SG312"
    line = "class game.Ork "
    assert "delete the line of the class `game.Ork`" in (finding.help or "")
    kept = "\n".join(each for each in lock.lines() if line not in each)
    numbers, _, findings = run(parse(kept), late)
    assert numbers["Ork"] == number_of("game.Orc")
    assert {each.code for each in findings} == {"SG301"}  # about its fields
    settled(retire(lock, "Orc"), replace(late, former_names=()))
    numbers, _, findings = run(lock, late, committed=[before])
    assert numbers["Ork"] == number_of("game.Orc")
    assert {each.code for each in findings} == {"SG301"}


def test_a_former_name_that_stays_in_the_source_asks_nothing():
    _, lock = settled(Lock(), ORC)
    renamed = saved("game:Ork", {"health": ("int", "hp"), "name": "str"}, "Orc")
    _, after = settled(lock, renamed)
    settled(after, renamed)


# Entries that no other version can hold


def test_a_field_that_was_never_committed_may_vanish_without_a_question():
    _, before = settled(Lock(), saved("game:Orc", {"name": "str"}))
    _, lock = settled(before, ORC)
    renamed = saved("game:Orc", {"life": "int", "name": "str"})
    assert [f.code for f in run(lock, renamed)[2]] == ["SG301"]
    _, after, findings = run(lock, renamed, committed=[before])
    assert findings == [] and not [fact for fact in facts(after) if ".hp" in fact]
    assert [f.code for f in run(lock, renamed, committed=[before, lock])[2]] == [
        "SG301"
    ]


def test_a_class_that_was_never_committed_may_vanish_without_a_question():
    _, lock = settled(Lock(), ORC)
    renamed = saved("game:Ork", {"hp": "int", "name": "str"})
    numbers, after, findings = run(lock, renamed, committed=[Lock()])
    assert findings == [] and numbers["Ork"] == number_of("game.Ork")
    assert not [fact for fact in facts(after) if "Orc" in fact]


def test_git_is_asked_only_if_something_vanished():
    def never() -> list[Lock]:
        raise AssertionError

    _, lock = settled(Lock(), ORC)
    more = saved("game:Orc", {"hp": "int", "name": "str", "mana": "int"})
    assign(lock, model(more), Report(), ProvisionalEntries(never))


# A line that somebody has deleted


def test_a_deleted_line_is_written_again():
    numbers, lock = settled(Lock(), ORC)
    for line in lock.lines():
        without = parse("\n".join(each for each in lock.lines() if each != line))
        assert settled(without, ORC) == (numbers, lock)

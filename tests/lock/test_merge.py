"""Branches merged by git with `merge=union`: running savegen again is the whole procedure."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from savegen.build.lock import Lock, parse
from savegen.build.lock.file import LockedClass, number_of
from savegen.build.lock.faults import AmbiguousName
from savegen.build.lock.retire import retire
from savegen.build.model import SavedClass
from tests.project import git
from tests.lock.models import facts, run, saved, settled

SHAPE = {"hp": "int", "name": "str"}
ORC = saved("game:Orc", SHAPE)


@pytest.fixture
def merge(tmp_path: Path):
    """Merge two locks that grew out of one, in a repository with the attribute."""

    def merge(base: Lock, ours: Lock, theirs: Lock) -> Lock:
        git(tmp_path, "init", "-q", "-b", "main")
        lock = tmp_path / "savegen.lock"
        (tmp_path / ".gitattributes").write_text("savegen.lock merge=union\n")
        lock.write_text(base.text())
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", "base")
        for name, branch in (("theirs", theirs), ("ours", ours)):
            git(tmp_path, "checkout", "-q", "-b", name, "main")
            lock.write_text(branch.text())
            git(tmp_path, "commit", "-q", "--allow-empty", "-a", "-m", name)
        git(tmp_path, "merge", "-q", "-m", "merged", "theirs")
        return parse(lock.read_text())

    return merge


def union(base: Lock, ours: Lock, theirs: Lock, folder: Path) -> Lock:
    """What the same merge gives, without a repository around it."""
    paths = []
    for name, lock in (("ours", ours), ("base", base), ("theirs", theirs)):
        (folder / name).write_text(lock.text())
        paths.append(name)
    return parse(git(folder, "merge-file", "-p", "--union", *paths))


def branches(*sides: SavedClass) -> tuple[Lock, list[Lock]]:
    """Return the lock of `Orc`, and one of each branch that has another class instead."""
    _, base = settled(Lock(), ORC)
    return base, [settled(base, side)[1] for side in sides]


def test_branches_that_add_different_fields_keep_both(merge):
    base, (one, two) = branches(
        saved("game:Orc", {**SHAPE, "mana": "int"}),
        saved("game:Orc", {**SHAPE, "rage": "int"}),
    )
    both = saved("game:Orc", {**SHAPE, "mana": "int", "rage": "int"})
    numbers, after = settled(merge(base, one, two), both)
    assert numbers == {name: number_of(name[4:] or "game.Orc") for name in numbers}
    assert len(facts(after)) == 5


def test_branches_that_add_the_same_field_agree(merge):
    same = saved("game:Orc", {**SHAPE, "mana": "int"})
    base, (one, two) = branches(same, same)
    numbers, after = settled(merge(base, one, two), same)
    assert after.text() == one.text() and numbers["Orc.mana"] == number_of("mana")


def test_branches_that_add_the_same_field_with_other_kinds_agree_on_its_number(merge):
    base, (one, two) = branches(
        saved("game:Orc", {**SHAPE, "mana": "int"}),
        saved("game:Orc", {**SHAPE, "mana": "float"}),
    )
    merged = saved("game:Orc", {**SHAPE, "mana": "float"})
    numbers, after = settled(merge(base, one, two), merged)
    assert numbers["Orc.mana"] == number_of("mana")
    assert "field game.Orc.mana float" in facts(after)


def test_a_rename_and_an_addition_go_together(merge):
    base, (one, two) = branches(
        saved("game:Orc", {"armor": ("int", "hp"), "name": "str"}),
        saved("game:Orc", {**SHAPE, "rage": "int"}),
    )
    both = saved("game:Orc", {"armor": "int", "name": "str", "rage": "int"})
    numbers, _ = settled(merge(base, one, two), both)
    assert numbers["Orc.armor"] == number_of("hp")


@pytest.mark.parametrize("kept", ["armor", "zeal"])
def test_a_field_that_both_branches_renamed_keeps_its_number(merge, kept):
    base, (one, two) = branches(
        saved("game:Orc", {"armor": ("int", "hp"), "name": "str"}),
        saved("game:Orc", {"zeal": ("int", "hp"), "name": "str"}),
    )
    merged = saved("game:Orc", {kept: ("int", "hp"), "name": "str"})
    numbers, after = settled(merge(base, one, two), merged)
    assert numbers[f"Orc.{kept}"] == number_of("hp")
    assert facts(after)[1:] == [
        f"field game.Orc.hp as {kept}: int",
        "field game.Orc.name str",
    ]


def test_a_field_that_one_branch_renamed_and_the_other_removed_is_what_the_source_says(
    merge,
):
    base, (one, two) = branches(
        saved("game:Orc", {"armor": ("int", "hp"), "name": "str"}),
        saved("game:Orc", {"name": "str"}),
    )
    merged = merge(base, one, two)
    numbers, _ = settled(merged, saved("game:Orc", {"armor": "int", "name": "str"}))
    assert numbers["Orc.armor"] == number_of("hp")
    _, after = settled(merged, saved("game:Orc", {"name": "str"}))
    assert "absent field game.Orc.hp as armor: int" in facts(after)


def test_a_field_that_one_branch_retired_and_the_other_renamed_stays_alive(merge):
    base, (two,) = branches(saved("game:Orc", {"armor": ("int", "hp"), "name": "str"}))
    _, one = settled(retire(base, "Orc.hp"), saved("game:Orc", {"name": "str"}))
    merged = merge(base, one, two)
    numbers, after = settled(merged, saved("game:Orc", {"armor": "int", "name": "str"}))
    assert numbers["Orc.armor"] == number_of("hp")
    assert not [fact for fact in facts(after) if fact.startswith("retired")]


def test_a_field_that_one_branch_retired_and_made_anew_is_the_new_one(merge):
    base, (two,) = branches(saved("game:Orc", {"hp": "float", "name": "str"}))
    _, one = settled(retire(base, "Orc.hp"), ORC)
    numbers, after = settled(merge(base, one, two), ORC)
    assert numbers["Orc.hp"] == number_of("hp#2")
    assert facts(after)[1:] == [
        "field game.Orc.hp#2 int",
        "field game.Orc.name str",
        "retired field game.Orc.hp float",
    ]


def test_a_class_that_one_branch_retired_and_made_anew_is_the_new_one(merge):
    base, (two,) = branches(saved("game.foes:Orc", SHAPE))
    _, one = settled(retire(base, "Orc"), ORC)
    numbers, after = settled(merge(base, one, two), ORC)
    assert numbers["Orc"] == number_of("game.Orc#2")
    alive = [fact for fact in facts(after) if fact.startswith("class")]
    assert alive == ["class game.Orc#2 game:Orc"] or alive == [
        "class game.Orc game.foes:Orc",
        "class game.Orc#2 game:Orc",
    ]


def test_a_field_added_to_a_class_that_the_other_branch_retired_goes_with_it(merge):
    elf = saved("game:Elf", SHAPE)
    _, base = settled(Lock(), ORC, elf)
    _, one = settled(retire(base, "Orc"), elf)
    _, two = settled(base, saved("game:Orc", {**SHAPE, "mana": "int"}), elf)
    _, after = settled(merge(base, one, two), elf)
    gone = [fact for fact in facts(after) if " game.Orc" in fact]
    assert gone and all(fact.startswith("retired ") for fact in gone)


def test_what_one_branch_retired_is_not_asked_about_again(merge):
    base, (two,) = branches(saved("game:Orc", {**SHAPE, "zeal": "float"}))
    rest = saved("game:Orc", {"name": "str", "mana": "int"})
    _, one = settled(retire(base, "Orc.hp"), rest)
    both = saved("game:Orc", {"name": "str", "mana": "int", "zeal": "float"})
    _, after = settled(merge(base, one, two), both)
    assert "retired field game.Orc.hp int" in facts(after)


def test_two_lines_of_one_location_leave_one_class_alive():
    text = "class Orc 20 game:Orc\nclass Orc#2 21 game:Orc\nfield Orc#2.hp 22: int\n"
    numbers, after = settled(parse(text), saved("game:Orc", {"hp": "int"}))
    assert numbers == {"Orc": 21, "Orc.hp": 22}
    assert "retired class Orc game:Orc" in facts(after)


@pytest.mark.parametrize("location", ["a:Orc", "b:Orc"])
def test_a_class_that_both_branches_moved_keeps_everything(merge, location):
    base, (one, two) = branches(saved("a:Orc", SHAPE), saved("b:Orc", SHAPE))
    numbers, after = settled(merge(base, one, two), saved(location, SHAPE))
    numbers.pop("Orc")
    assert numbers == {name: number_of(name[4:]) for name in numbers}
    assert facts(after)[0] == f"class game.Orc {location}"


def test_branches_that_make_a_class_of_one_name_come_out_with_two(merge):
    base, _ = branches()
    elf = [saved("a:Elf", {"x": "int"}), saved("b:Elf", {"y": "str"})]
    one, two = (settled(base, ORC, each)[1] for each in elf)
    merged = merge(base, one, two)
    _, after = settled(merged, ORC, *elf)
    locations = [fact.split()[-1] for fact in facts(after) if fact.startswith("class")]
    assert sorted(locations) == ["a:Elf", "b:Elf", "game:Orc"]
    numbers = {entry.number for entry in after.classes.values()}
    assert numbers == {number_of(birth) for birth in ("a.Elf", "b.Elf", "game.Orc")}


def test_an_enum_member_that_one_branch_retired_stays_retired(merge):
    base = parse("".join(f"member Mood.{name}\n" for name in "ABCDE"))
    theirs = parse(f"{base.text()}member Mood.F\n")
    merged = merge(base, retire(base, "Mood.A"), theirs)
    assert merged.members == {**theirs.members, "Mood.A": "lost"}


@pytest.mark.parametrize(("was", "lost"), [("hp", "life"), ("life", "hp")])
def test_of_two_fields_of_one_name_it_is_the_one_that_the_source_says(merge, was, lost):
    base, (one, two) = branches(
        saved("game:Orc", {"life": ("int", "hp"), "name": "str"}),
        saved("game:Orc", {**SHAPE, "life": "int"}),
    )
    merged = merge(base, one, two)
    told = saved("game:Orc", {"life": ("int", was), "name": "str"})
    numbers, after = settled(merged, told)
    assert numbers["Orc.life"] == number_of(was)
    assert after.fields[f"game.Orc.{lost}"].state == "retired"


def test_which_of_two_fields_of_one_name_is_left_is_not_guessed(merge):
    base, (one, two) = branches(
        saved("game:Orc", {"life": ("int", "hp"), "name": "str"}),
        saved("game:Orc", {**SHAPE, "life": "int"}),
    )
    merged = merge(base, one, two)
    _, _, (finding,) = run(merged, saved("game:Orc", {"life": "int", "name": "str"}))
    assert finding.code == "SG307"
    assert finding.message.endswith(
        "two fields named `life`: one was renamed from `hp`, the other was always `life`"
    )
    told = saved("game:Orc", {"zeal": ("int", "life", "hp"), "name": "str"})
    numbers, after = settled(merged, told)
    assert numbers["Orc.zeal"] == number_of("hp")
    assert "former field game.Orc.life as zeal: int" in facts(after)


@pytest.mark.parametrize("was", ["Orc", "Uruk"])
def test_of_two_classes_of_one_location_it_is_the_one_that_the_source_says(merge, was):
    base, (one, two) = branches(
        saved("game:Uruk", SHAPE, was="Orc"), saved("game:Uruk", SHAPE, was="Orc")
    )
    two = Lock(
        {
            **base.classes,
            "game.Uruk": LockedClass("game.Uruk", number_of("game.Uruk"), "game:Uruk"),
        }
    )
    merged = merge(base, one, two)
    _, _, (finding,) = run(merged, saved("game:Uruk", SHAPE))
    assert finding.code == "SG307"
    assert "renamed from `game.Orc`, the other was always `Uruk`" in finding.message
    numbers, _ = settled(merged, saved("game:Uruk", SHAPE, was=was))
    assert numbers["Uruk"] == number_of(f"game.{was}")


# Any branches at all


@dataclass
class Branch:
    """The fields of some classes, each under an identity that survives renaming."""

    fields: dict[int, tuple[str, str, str, tuple[str, ...]]] = field(
        default_factory=dict
    )
    touched: set[int] = field(default_factory=set)  # removed or renamed

    def classes(self) -> list[SavedClass]:
        shapes: dict[str, dict[str, object]] = {"Orc": {}, "Elf": {}}
        for owner, name, kind, was in self.fields.values():
            former = (each for each in was if each not in self.names(owner))
            shapes[owner][name] = (kind, *former)
        return [saved(f"game:{owner}", shape) for owner, shape in shapes.items()]

    def names(self, owner: str) -> set[str]:
        return {name for other, name, _, _ in self.fields.values() if other == owner}

    def changed(self, chance: random.Random, first: int) -> Branch:
        """Return a branch in which fields were added, removed and renamed."""
        branch = replace(self, fields=dict(self.fields), touched=set())
        for identity in range(first, first + chance.randrange(8)):
            branch._change(chance, identity)
        return branch

    def _change(self, chance: random.Random, identity: int) -> None:
        owner, name = chance.choice(["Orc", "Elf"]), chance.choice("abcdefghij")
        mine = [key for key, each in self.fields.items() if each[0] == owner]
        verb = chance.choice(["add", "add", "remove", "rename"])
        if verb == "remove" and mine:
            key = chance.choice(mine)
            del self.fields[key]
            self.touched.add(key)
        elif name in self.names(owner):
            return
        elif verb == "add":
            self.fields[identity] = (owner, name, chance.choice(["int", "str"]), ())
        elif verb == "rename" and mine:
            key = chance.choice(mine)
            _, old, kind, was = self.fields[key]
            self.fields[key] = (owner, name, kind, (old, *was))
            self.touched.add(key)

    def merged(self, ours: Branch, theirs: Branch) -> Branch:
        """Return what somebody makes of two branches that grew out of this one."""
        result = Branch()
        for key in sorted({*ours.fields, *theirs.fields}):
            if key in self.fields and not (key in ours.fields and key in theirs.fields):
                continue  # one of them has removed it
            side = ours if key in ours.touched or key not in theirs.fields else theirs
            owner, name, kind, was = side.fields[key]
            other = theirs.fields.get(key, side.fields[key])
            was = (*was, *(each for each in (other[1], *other[3]) if each != name))
            if name not in result.names(owner):
                result.fields[key] = (owner, name, kind, tuple(dict.fromkeys(was)))
        return result


def decided(lock: Lock, classes: list[SavedClass]) -> tuple[dict[str, int], Lock]:
    """Run, and answer every question with "it is gone" until none is left.

    Which of two fields of one name it is makes no difference here.
    """
    for _ in range(40):
        numbers, after, findings = run(lock, *classes)
        if not findings:
            return numbers, after
        if isinstance(findings[0], AmbiguousName):
            classes = [told(cls, findings[0]) for cls in classes]
            continue
        help = findings[0].help or ""
        assert findings[0].code == "SG301", findings
        lock = retire(lock, help.partition("retire ")[2].partition("`")[0])
    raise AssertionError("no end of questions")


def told(cls: SavedClass, question: AmbiguousName) -> SavedClass:
    was = question.births[:1]
    fields = (
        structs.replace(each, former_names=was) if each.span == question.span else each
        for each in cls.fields
    )
    return structs.replace(cls, fields=tuple(fields))


@given(st.randoms(use_true_random=False))
def test_after_any_merge_no_number_has_moved_and_none_is_used_twice(
    tmp_path_factory, chance
):
    base = Branch().changed(chance, 0)
    before, lock = decided(Lock(), base.classes())
    sides = [base.changed(chance, first) for first in (100, 200)]
    ours, theirs = (decided(lock, side.classes())[1] for side in sides)
    result = base.merged(*sides)
    folder = tmp_path_factory.getbasetemp()
    numbers, after = decided(union(lock, ours, theirs, folder), result.classes())

    for key, (owner, name, _, _) in base.fields.items():
        if key in result.fields and not any(key in side.touched for side in sides):
            assert result.fields[key][1] == name
            assert numbers[f"{owner}.{name}"] == before[f"{owner}.{name}"]
    for owner in ("Orc", "Elf"):
        used = [
            e for e in after.fields.values() if e.birth.startswith(f"game.{owner}.")
        ]
        assert len({entry.number for entry in used}) == len(used)
        alive = [entry.name for entry in used if entry.state == "alive"]
        assert sorted(alive) == sorted(result.names(owner))
    assert settled(after, *result.classes())[1].text() == after.text()


def test_the_shortcut_of_the_search_merges_like_a_repository(merge, tmp_path):
    base, (one, two) = branches(
        saved("game:Orc", {"armor": ("int", "hp"), "name": "str", "x": "float"}),
        saved("game:Orc", {"zeal": ("int", "hp"), "name": "str", "y": "float"}),
    )
    folder = tmp_path / "plain"
    folder.mkdir()
    assert union(base, one, two, folder) == merge(base, one, two)

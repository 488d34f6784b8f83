"""`adopt` sees what is added to a container under any of its names."""

from __future__ import annotations

import pytest

from tests.adopt.reading import proposal, verdicts

BAG = """
class Bag:
    def __init__(self):
        self.items = [1]
        self.rows = [[1]]
        self.others = [2]

    def all(self):
        return self.items

    def first(self):
        return self.rows[0]

    def each(self):
        for row in self.rows:
            yield row

    @property
    def top(self):
        return self.items

class Other:
    def __init__(self, bag: Bag):
        self.bag = bag

def use(bag: Bag, flag):
"""


def types(*lines: str, elsewhere: str = "") -> dict[str, str]:
    body = "".join(f"    {line}\n" for line in lines)
    return verdicts(proposal("Bag", game=f"{BAG}{body}\n{elsewhere}"), "Bag")


UNCHANGED = {"items": "list[int]", "rows": "list[list[int]]", "others": "list[int]"}


@pytest.mark.parametrize(
    ("changed", "lines"),
    [
        ("items", ("bag.all().append('a')",)),
        ("items", ("bag.top.append('a')",)),
        ("items", ("found = bag.all()", "found.append('a')")),
        ("items", ("found = bag.items", "again = found", "again += ['a']")),
        ("items", ("bag.top.extend('a')",)),
        ("items", ("(bag.items if flag else []).append('a')",)),
        ("items", ("(flag or bag.items).append('a')",)),
        ("items", ("bag.all()[0] = 'a'",)),
        ("items others", ("for x in (bag.items, bag.others): x.append('a')",)),
        ("items others", ("for x in [bag.items, bag.others]:", "    x[0] = 'a'")),
        ("items others", ("both = {'a': bag.items, 'b': bag.others}", "both['a'].append('a')")),
        ("items", ("for n, x in enumerate([bag.items]): x.append('a')",)),
        ("items", ("fill(bag.items)",)),
        ("items", ("x = bag.items", "fill(x)")),
        ("items", ("fill(bag.all())",)),
        ("items", ("fill(*[bag.items])",)),
        ("items", ("Other(bag).bag.all().append('a')",)),
        ("items", ("keep = bag.all().append", "keep('a')")),
        ("rows", ("for row in bag.rows: row.append('a')",)),
        ("rows", ("for row in reversed(bag.rows): row.append('a')",)),
        ("rows", ("for n, row in enumerate(bag.rows): row.append('a')",)),
        ("rows", ("[row for row in bag.rows][0].append('a')",)),
        ("rows", ("bag.first().append('a')",)),
        ("rows", ("for row in bag.each(): row.append('a')",)),
        ("rows", ("max(bag.rows).append('a')",)),
        ("rows", ("bag.rows.pop().append('a')",)),
        ("rows", ("row = ['a']", "bag.rows.append(row)")),
        ("rows", ("row = [1]", "bag.rows.append(row)", "row.append('a')")),
    ],
)  # fmt: skip
def test_a_change_under_another_name_counts(
    changed: str, lines: tuple[str, ...]
) -> None:
    found = types(*lines, elsewhere="def fill(x):\n    x.append('a')\n")
    for name, type_ in UNCHANGED.items():
        assert (found[name] != type_) == (name in changed.split()), found


@pytest.mark.parametrize(
    "line",
    [
        "bag.all().append(2)",
        "for x in (bag.items, bag.others): x.append(3)",
        "for row in bag.rows: row.append(3)",
        "bag.all().copy().append('a')",
        "sorted(bag.items).append('a')",
        "bag.items[:].append('a')",
        "[*bag.items].append('a')",
        "print(bag.all())",
        "for x in bag.items: x += 1",
        "for x in bag.items: x.update('a')",
        "flag.append('a')",
    ],
)
def test_what_adds_no_other_type_is_no_question(line: str) -> None:
    assert types(line) == UNCHANGED


def test_a_container_that_another_object_has_changes_there_too() -> None:
    text = """
class A:
    def __init__(self):
        self.items = [1]

class B:
    def __init__(self, a: A):
        self.mine = a.items

def f(b: B):
    b.mine.append("x")
"""
    assert verdicts(proposal("A", game=text), "A") == {"items": "asked"}


def test_a_container_is_filled_through_the_method_that_returns_it() -> None:
    text = """
class Hero:
    def __init__(self):
        self.pack = []

    def bag(self):
        return self.pack

    def pick(self):
        self.bag().append("a")

def give(hero: Hero):
    hero.bag().append(1)
"""
    assert verdicts(proposal("Hero", game=text), "Hero") == {"pack": "list[str | int]"}


def test_a_local_container_has_the_types_that_are_added_to_it() -> None:
    text = """
ALL = []

def made():
    rows = []
    rows.append(1.5)
    return rows

class A:
    def __init__(self):
        rows = []
        for n in range(3):
            rows.append([n])
        self.rows = rows
        names = [1]
        names.append("a")
        self.names = names
        self.made = made()
        self.all = ALL

def note():
    ALL.append("a")
    A().made.append(2)
"""
    assert verdicts(proposal("A", game=text), "A") == {
        "rows": "list[list[int]]",
        "names": "list[int | str]",
        "made": "list[float]",
        "all": "list[str]",
    }


def test_objects_in_a_container_may_have_methods_of_the_same_names() -> None:
    text = """
class Enemy:
    def update(self, dt): ...
    def add(self, dt): ...

class World:
    def __init__(self):
        self.enemies = [Enemy()]
        self.by_name = {"a": Enemy()}

    def step(self):
        for enemy in self.enemies:
            enemy.update(1)
        self.by_name["a"].add(3)
        for name, enemy in self.by_name.items():
            enemy.update("a")
"""
    assert verdicts(proposal("World", game=text), "World") == {
        "enemies": "list[Enemy]",
        "by_name": "dict[str, Enemy]",
    }


def test_the_dictionary_of_an_object_may_be_changed() -> None:
    text = "class A:\n    def __init__(self, n):\n        self.x = 1\n        {}\n"
    for line, expected in {
        "vars(self)[n] = 'a'": "asked",
        "d = self.__dict__; d['x'] = 'a'": "asked",
        "self.__dict__['y'] = 'a'": "int",
        "vars(self)['x'] = 2": "int",
        "vars(self).items()": "int",
        "self.__dict__.update(x='a')": "asked",
    }.items():
        found = verdicts(proposal("A", game=text.format(line)), "A")
        assert found["x"] == expected, line

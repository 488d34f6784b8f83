"""Prefabs as they are read from their source, however that is spelled."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from savegen.build.model import PrefabClass, SavedModule
from savegen.findings import Report
from savegen.build.resolve import Resolver
from savegen.build.scan.read import read
from savegen.build.source import SourceFile

BODY = """
from savegen import Saved, part, prefab, saveable

@saveable
class Body:
    size: Saved[int] = 1
    weight: Saved[int] = 2
"""


def resolved(files: Mapping[str, str], name: str) -> SavedModule:
    report = Report()
    modules = {
        module: read(SourceFile(f"{module}.py", module, text.encode()), report)
        for module, text in files.items()
    }
    assert not report.failed
    module = modules[name]
    assert module is not None
    return Resolver(modules.get).resolve(module, frozenset())


def prefabs(text: str) -> dict[str, PrefabClass]:
    module = resolved({"game": BODY + text}, "game")
    return {prefab.qualname: prefab for prefab in module.prefabs}


def reasons(text: str) -> list[str]:
    return [f.reason for each in prefabs(text).values() for f in each.faults]


def test_a_prefab_has_its_parts_in_source_order() -> None:
    orc = prefabs(
        '@prefab\nclass Orc:\n    "An orc."\n    b = part(Body)\n    a = part(Body)'
    )
    parts = orc["Orc"].parts
    assert [(p.name, p.cls, p.own) for p in parts] == [
        ("b", "game:Body", True),
        ("a", "game:Body", True),
    ]
    assert orc["Orc"].doc == "An orc." and not orc["Orc"].faults


def test_a_variant_keeps_the_place_and_the_owner_of_what_it_replaces() -> None:
    found = prefabs("""
class Base:
    body = part(Body)

@prefab
class Orc(Base):
    arm = part(Body)

@prefab
class BigOrc(Orc):
    tail = part(Body)
    body = part(Body, 3)
""")
    big = found["BigOrc"]
    assert [(p.name, p.owner, p.own) for p in big.parts] == [
        ("body", "game:Base", True),
        ("arm", "game:Orc", False),
        ("tail", "game:BigOrc", True),
    ]
    assert big.bases == ("game:Orc",) and big.ancestors == ("game:Orc", "game:Base")


def test_a_part_says_what_it_sets_shows_and_was() -> None:
    text = """
@prefab
class Orc:
    body = (
        part(Body)
        .set(size=Body())
        .show(size="girth", weight=None)
        .was("trunk", "torso")
        .set(weight=3)
    )
"""
    (part,) = prefabs(text)["Orc"].parts
    assert part.settings == ("size", "weight")
    assert part.shown == (("size", "girth"), ("weight", None))
    assert part.former_names == ("trunk", "torso")


def test_the_mark_says_how_many_there_may_be_and_what_it_was() -> None:
    orc = prefabs('@prefab(max_count=2, was=("Ork", "Orq"))\nclass Orc: ...')["Orc"]
    assert (orc.max_count, orc.former_names, orc.parts) == (2, ("Ork", "Orq"), ())


def test_a_saveable_class_can_be_a_prefab_of_one_part() -> None:
    coin = prefabs("@saveable(prefab=True)\nclass GoldCoin: ...")["GoldCoin"]
    assert coin.is_class
    assert [(p.name, p.cls) for p in coin.parts] == [("gold_coin", "game:GoldCoin")]


@pytest.mark.parametrize(
    "spelling",
    [
        "import savegen as sg\n@sg.prefab\nclass Orc:\n    body = sg.part(game.Body)",
        "from savegen import *\n@prefab\nclass Orc:\n    body = part(game.Body)",
        "from words import a, b\n@a\nclass Orc:\n    body = b(game.Body)",
        "from game import Body as B\nfrom savegen import part as p, prefab as q\n"
        "@q()\nclass Orc:\n    body: object = p(B)",
        "from savegen.runtime import part, prefab\n@prefab\nclass Orc:\n"
        "    if True:\n        body = part(game.Body)",
        "from savegen import part, prefab, saveable\n@prefab\nclass Orc:\n"
        "    body = part(game.Body[int])",
    ],
)
def test_marks_are_read_by_what_they_mean(spelling: str) -> None:
    words = "from savegen import part as b, prefab as a"
    files = {"game": BODY, "words": words, "orcs": f"import game\n{spelling}"}
    (orc,) = resolved(files, "orcs").prefabs
    assert [part.cls for part in orc.parts] == ["game:Body"] and not orc.faults


def test_a_class_inside_a_prefab_can_be_a_part() -> None:
    text = """
@prefab
class Orc:
    @saveable
    class Arm: ...
    arm = part(Arm)
"""
    assert prefabs(text)["Orc"].parts[0].cls == "game:Orc.Arm"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "body = part()",
            "the first argument of `part` must be a saveable class",
        ),
        (
            "body = part(*x)",
            "the first argument of `part` must be a saveable class",
        ),
        (
            "body = part(int)",
            "the first argument of `part` must be a saveable class",
        ),
        (
            "body = part(Bodi)",
            "the first argument of `part` must be a saveable class",
        ),
        (
            "body = part(Body).put(1)",
            "a part has no method `put`, only `set`, `show` and `was`",
        ),
        (
            "body = part(Body).set(1)",
            "`.set` takes keyword arguments only: `.set(field=value)`",
        ),
        (
            "body = part(Body).set(**x)",
            "`.set` takes keyword arguments only: `.set(field=value)`",
        ),
        (
            "body = part(Body).show('a')",
            '`.show` takes keyword arguments only: `.show(field="name")`',
        ),
        (
            "body = part(Body).show(size=1)",
            "`.show(size=…)` takes a name as a string literal, or None",
        ),
        (
            "body = part(Body).show(size='a b')",
            "`.show(size=…)` takes a name as a string literal, or None",
        ),
        ("body = part(Body).was(x)", "`.was` takes former names as string literals"),
        (
            "bodies = [part(Body), part(Body).set(size=2)]",
            "parts in a list are not built: write each on its own line, `name = part(…)`",
        ),
        ("__body = part(Body)", "the name of a part cannot begin with `__`: `__body`"),
    ],
)
def test_a_part_that_cannot_be_read_says_why(line: str, reason: str) -> None:
    assert reasons(f"@prefab\nclass Orc:\n    {line}") == [reason]


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        (
            "max_count=0",
            "`max_count` must be a whole number above 0, written as a literal",
        ),
        (
            "max_count=n",
            "`max_count` must be a whole number above 0, written as a literal",
        ),
        ("count=1", "`prefab` has no argument `count`; did you mean `max_count`?"),
        ("3", "`prefab` takes only keyword arguments"),
    ],
)
def test_a_mark_that_cannot_be_read_says_why(mark: str, reason: str) -> None:
    assert reasons(f"@prefab({mark})\nclass Orc: ...") == [reason]


def test_a_fault_of_a_base_is_told_once() -> None:
    text = "@prefab\nclass Orc:\n    body = part(3)\n@prefab\nclass BigOrc(Orc): ..."
    assert len(reasons(text)) == 1


def test_a_component_is_no_prefab_of_parts() -> None:
    text = "@prefab\n@saveable\nclass Orc: ..."
    assert reasons(text) == [
        "a saveable class cannot be a `@prefab`: write `@saveable(prefab=True)`"
    ]


@pytest.mark.parametrize(
    "line", ["body = None", "def body(self): ...", "class body: ..."]
)
def test_only_a_part_replaces_a_part(line: str) -> None:
    orc = "@prefab\nclass Orc:\n    body = part(Body)\n"
    text = f"{orc}@prefab\nclass Ghost(Orc):\n    {line}"
    assert reasons(text) == [
        "`body` is an inherited part: only another `part(…)` can replace it"
    ]


@pytest.mark.parametrize("line", ["body = Body()", "body = Body"])
def test_a_component_that_is_no_part_is_noted(line: str) -> None:
    orc = prefabs(f"@prefab\nclass Orc:\n    {line}\n    size = 3")["Orc"]
    assert [name for name, _ in orc.bare_components] == ["body"]


def test_a_part_can_begin_as_another_one() -> None:
    found = prefabs("""
@prefab
class Orc:
    body = part(Body).set(size=3).was("trunk")
    arm = body.set(weight=1)
    leg = body.set()

@prefab
class BigOrc(Orc):
    body = Orc.body.set(weight=9).show(size="girth")
    tail = Orc.arm.was("tip")
""")
    orc, big = found["Orc"], found["BigOrc"]
    assert not orc.faults and not big.faults
    assert [(p.name, p.cls, p.settings, p.former_names) for p in orc.parts] == [
        ("body", "game:Body", ("size",), ("trunk",)),
        ("arm", "game:Body", ("size", "weight"), ()),
        ("leg", "game:Body", ("size",), ()),
    ]
    assert [(p.name, p.owner, p.settings, p.shown) for p in big.parts] == [
        ("body", "game:Orc", ("size", "weight"), (("size", "girth"),)),
        ("arm", "game:Orc", ("size", "weight"), ()),
        ("leg", "game:Orc", ("size",), ()),
        ("tail", "game:BigOrc", ("size", "weight"), ()),
    ]


@pytest.mark.parametrize("other", ["body", "Egg.shell"])
def test_a_part_is_not_the_same_as_another(other: str) -> None:
    egg = "class Egg:\n    shell = part(Body)\n"
    text = f"{egg}@prefab\nclass Orc:\n    body = part(Body)\n    leg = {other}"
    (reason,) = reasons(text)
    assert reason.startswith(
        "`leg` is the same part as another one: write a new `part(…)`"
    )


def test_parts_that_begin_with_each_other_are_no_parts() -> None:
    text = """
@prefab
class Egg:
    shell = Hen.shell.set(size=1)

@prefab
class Hen:
    shell = Egg.shell.set(size=2)
"""
    assert not any(prefab.parts for prefab in prefabs(text).values())


def test_parts_outside_of_any_prefab_are_noted() -> None:
    module = resolved({"game": BODY + "class Orc:\n    body = part(Body)"}, "game")
    assert [name for name, _ in module.unmarked_prefabs] == [
        "Orc"
    ] and not module.prefabs


def test_what_is_called_part_and_is_not_ours_is_no_part() -> None:
    module = resolved(
        {"game": "def part(x): ...\nclass Orc:\n    body = part(3)"}, "game"
    )
    assert not module.unmarked_prefabs


def test_a_prefab_inside_a_function_is_known_as_such() -> None:
    text = "def f():\n    @prefab\n    class Orc: ..."
    assert prefabs(text)["f.<locals>.Orc"].local


def test_a_string_below_a_field_describes_it() -> None:
    text = """
@saveable
class Orc:
    hp: Saved[int] = 3
    '''How much it
       can take.
    '''
    mp: Saved[int] = 3; "Its magic."
    def f(self): ...
    "Not about `mp`."
    xp: Saved[int]
    f"{1}"
"""
    module = resolved({"game": BODY + text}, "game")
    docs = {
        f.name: f.doc
        for cls in module.classes
        for f in cls.fields
        if cls.qualname == "Orc"
    }
    assert docs == {"hp": "How much it\ncan take.", "mp": "Its magic.", "xp": None}

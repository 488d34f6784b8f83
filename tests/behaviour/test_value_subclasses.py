"""Subclasses of plain classes, and of builtin and library classes, come back as what they are."""

from __future__ import annotations

from pathlib import Path

from tests.project import Project

GAME = """
    from __future__ import annotations
    from collections import Counter, OrderedDict, defaultdict, deque
    from dataclasses import dataclass, field
    from datetime import date, datetime
    from enum import Enum
    from fractions import Fraction
    from random import Random
    from typing import Any, Generic, NamedTuple, TypeVar
    import attrs
    import msgspec
    import numpy
    import pygame
    from savegen import Saved, saveable
    from _savegen.components.game import HeroSaveLoad
    from cards import Pile

    T = TypeVar("T")

    @dataclass
    class Effect:
        turns: int

    @dataclass
    class Poison(Effect):
        damage: int = 1

    class Strong(Poison):
        def __init__(self, *arguments: int) -> None:
            super().__init__(*arguments)

    @attrs.frozen
    class Spot:
        x: int

    @attrs.frozen
    class Marked(Spot):
        name: str = ""

    class Stats(msgspec.Struct):
        hp: int

    class More(Stats):
        mana: int = 0

    class At(NamedTuple):
        x: int

    class Below(At):
        pass

    class Skill(Enum):
        def shout(self) -> str:
            return self.name

    class Magic(Skill):
        FIRE = 1

    @dataclass
    class Talk:  # the union of the four would be too large
        text: str
        then: list[Talk] = field(default_factory=list)
        otherwise: list[Talk] = field(default_factory=list)

    @dataclass
    class Line(Talk):
        mood: Skill | None = None

    @dataclass
    class Choice(Talk):
        more: list[Talk] = field(default_factory=list)

    @dataclass
    class Jump(Talk):
        to: Talk | None = None

    class Deck(list[Effect]): ...
    class Hand(Deck): ...
    class Loose(list): ...
    class Box(list[T], Generic[T]): ...
    class Bag(set): ...
    class Names(dict[str, int]): ...
    class Title(str): ...
    class Gold(int): ...
    class Ratio(float): ...
    class Half(Fraction): ...
    class Day(date): ...
    class Moment(datetime): ...
    class Dice(Random): ...
    class Grid(numpy.ndarray): ...
    class Vec(pygame.Vector2): ...
    class Hitbox(pygame.Rect): ...
    class Pair(tuple): ...
    class Words(tuple[int, str]): ...
    class Queue(deque[Title]): ...
    class Stock(defaultdict[str, list[int]]): ...
    class Votes(Counter[str]): ...
    class Order(OrderedDict[str, Any]): ...
    class Tree(list["Tree"]): ...

    @saveable
    class Hero(HeroSaveLoad):
        effects: Saved[list[Effect]]
        effect: Saved[Effect | int | None] = None
        spots: Saved[set[Spot]]
        stats: Saved[Stats]
        at: Saved[At]
        skill: Saved[Skill]
        talk: Saved[Talk]
        deck: Saved[Deck]
        hand: Saved[Deck]
        loose: Saved[Loose]
        box: Saved[Box[int]]
        bag: Saved[Bag]
        names: Saved[Names]
        titles: Saved[dict[Title, Gold]]
        ratio: Saved[Ratio]
        half: Saved[Half]
        day: Saved[Day]
        moment: Saved[Moment]
        dice: Saved[Dice]
        same_dice: Saved[Dice]
        grid: Saved[Grid]
        pos: Saved[Vec]
        hitbox: Saved[Hitbox]
        pair: Saved[Pair]
        words: Saved[Words]
        queue: Saved[Queue]
        stock: Saved[Stock]
        votes: Saved[Votes]
        order: Saved[Order]
        tree: Saved[Tree]
        plain: Saved[list[int]]
        nested: Saved[dict[str, list[list[int]]]]
        number: Saved[int] = 0
        when: Saved[date]
        luck: Saved[Random]
        place: Saved[pygame.Vector2]
        area: Saved[pygame.Rect]
        field: Saved[numpy.ndarray]

        def __init__(self) -> None:
            self.effects = [Effect(1), Poison(2, 3), Strong(4, 5)]
            self.effect = Strong(6, 7)
            self.spots = {Spot(1), Marked(1, "a"), Marked(2, "b")}
            self.stats = More(3, 4)
            self.at = Below(5)
            self.skill = Magic.FIRE
            end = Line("end", mood=Magic.FIRE)
            self.talk = Choice("a", [Jump("b", to=end)], [Talk("c", [Line("d")])], [Choice("e")])
            self.deck = Deck([Effect(1), Poison(2)])
            self.hand = Hand([Strong(3)])
            self.loose = Loose([1, "a", Poison(4), [Deck()], {Title("b"): self}])
            self.box = Box([1])
            self.bag = Bag({1})
            self.names = Names(a=1)
            self.titles = {Title("a"): Gold(2**70)}
            self.ratio = Ratio("nan")
            self.half = Half(1, 3)
            self.day = Day(2024, 1, 2)
            self.moment = Moment(2024, 1, 2, 3, 4, 5, 6)
            self.dice = self.same_dice = Dice(1)
            self.grid = numpy.arange(4).reshape(2, 2).view(Grid)
            self.pos = Vec(1.5, 2)
            self.hitbox = Hitbox(1, 2, 3, 4)
            self.pair = Pair([1, self])
            self.words = Words((1, "a"))
            self.queue = Queue([Title("a")], 3)
            self.stock = Stock(list, a=[1])
            self.votes = Votes("aab")
            self.order = Order(b=1, a=[2])
            self.tree = Tree([Tree(), Tree([Tree()])])
            self.plain = Pile([1, 2])
            self.nested = {"a": [[1], Pile([2])]}
            self.number = Gold(3)
            self.when = Day(2024, 2, 29)
            self.luck = Dice(2)
            self.place = Vec(3, 4)
            self.area = Hitbox(5, 6, 7, 8)
            self.field = numpy.ones(2).view(Grid)
"""
SCRIPT = """
    import sys
    from random import Random
    from _savegen.registry import REGISTRY
    from savegen.runtime import History, SaveLoadManager
    from savegen.saves import Autosave, SaveSlots
    import game

    def shown(value, depth=0):
        if isinstance(value, game.Hero):
            return "the hero"
        if isinstance(value, Random):
            return type(value).__name__, Random.getstate(value)[1][:3]
        if isinstance(value, dict):
            members = [(shown(k), shown(v)) for k, v in value.items()]
        elif isinstance(value, (set, frozenset)):
            members = sorted(map(repr, map(shown, value)))
        elif isinstance(value, (list, tuple)) or type(value).__name__ == "Queue":
            members = [*map(shown, value)]
        elif hasattr(value, "__dict__") and vars(value) and type(value).__module__ == "game":
            members = [(n, shown(v)) for n, v in vars(value).items() if n[0] != "_"]
        else:
            members = []
        return type(value).__name__, members or repr(value)

    def all_of(hero):
        return [(n, shown(getattr(hero, n))) for n in game.Hero.__annotations__]

    def expect(what):
        (hero,) = manager.objects
        found = all_of(hero)
        wrong = [pair for pair in zip(wanted, found) if pair[0] != pair[1]]
        assert not wrong, (what, wrong)
        assert hero.dice is hero.same_dice, what

    manager = SaveLoadManager(REGISTRY)
    slots = SaveSlots("saves")
    wanted = all_of(game.Hero())
    if sys.argv[1:] == ["load"]:
        report = slots.load("a", manager)
        assert not (report.lost or report.mismatches or report.defaulted), str(report)
        expect("load")
        report = slots.load("auto", manager)
        assert not (report.lost or report.mismatches), str(report)
        expect("journal")
        slots.save("b", manager)
        sys.exit()

    hero = manager.add(game.Hero())
    expect("made")
    snapshot = manager.create_snapshot(strict=True)
    before = vars(hero).copy()
    for name, value in before.items():
        if name != "same_dice":
            setattr(hero, name, None)
    history = History(manager)
    manager.apply_snapshot(snapshot)
    expect("apply")
    history.record()
    hero.effects.clear(), hero.deck.clear(), hero.names.clear()
    hero.dice.random(), hero.luck.random(), hero.talk.then.clear()
    history.record()
    history.rewind(1)
    expect("rewind")
    manager.clear()
    manager.apply_snapshot(snapshot)
    expect("clear")
    report = slots.save("a", manager)
    assert report.is_exact, str(report)
    save = Autosave(slots, manager)
    save.record()
    hero, = manager.objects
    deck, hero.deck = hero.deck, game.Deck()
    save.record()
    hero.deck = deck
    save.record()
"""


def test_they_survive_snapshots_rewinds_saves_and_the_journal(tmp_path: Path) -> None:
    project = Project(
        tmp_path, {"game.py": GAME, "cards.py": "class Pile(list[int]): ...\n"}
    )
    project.generated("game.py", "cards.py")
    project.script(SCRIPT)
    project.run("script.py", "load")


EFFECTS = """
    from dataclasses import dataclass
    from savegen import Saved, saveable
    from _savegen.components.game import HeroSaveLoad

    @dataclass
    class Effect:
        turns: int

    @dataclass
    class Bless(Effect):
        pass

    @saveable
    class Hero(HeroSaveLoad):
        effects: Saved[list[Effect]]
        other: Saved[Effect | None] = None

        def __init__(self) -> None:
            self.effects = [Effect(1)]
"""
LOAD = """
    from _savegen.registry import REGISTRY
    from savegen.runtime import SaveLoadManager
    from savegen.saves import SaveSlots
    import game
    manager = SaveLoadManager(REGISTRY)
    slots = SaveSlots("saves")
"""


def test_older_saves_load_when_subclasses_come_and_go(tmp_path: Path) -> None:
    without = EFFECTS.replace("class Bless(Effect)", "class Bless").replace(
        "        pass", "        x: int = 0"
    )
    project = Project(tmp_path, {"game.py": without}).generated("game.py")
    project.script(LOAD + "    manager.add(game.Hero()); slots.save('a', manager)\n")
    (tmp_path / "game.py").unlink()
    project = Project(tmp_path, {"game.py": EFFECTS}).generated("game.py")
    said = project.script(
        LOAD + "    print(slots.load('a', manager).mismatches)\n"
        "    hero, = manager.objects\n"
        "    hero.effects.append(game.Bless(2)); hero.other = game.Bless(3)\n"
        "    slots.save('b', manager)\n"
        "    print(hero.effects)\n"
    )
    assert said == "()\n[Effect(turns=1), Bless(turns=2)]\n"
    frost = "    @dataclass\n    class Afrost(Effect):\n        pass\n\n    @saveable"
    more = EFFECTS.replace("    @saveable", frost)
    project = Project(tmp_path, {"game.py": more}).generated("game.py")
    said = project.script(
        LOAD + "    slots.load('b', manager)\n"
        "    hero, = manager.objects\n"
        "    print(hero.effects, hero.other)\n"
    )
    assert said == "[Effect(turns=1), Bless(turns=2)] Bless(turns=3)\n"


def test_an_attribute_that_is_no_field_stays_on_the_living_object(
    tmp_path: Path,
) -> None:
    text = """
        from dataclasses import dataclass
        from savegen import Saved, saveable
        from _savegen.components.game import HeroSaveLoad

        class Named:
            def __init__(self) -> None:
                self.label = "unnamed"

        @dataclass
        class Wound(Named):
            depth: int
            inner: "Wound | None" = None

            def __post_init__(self) -> None:
                super().__init__()
                self.seen = object()

        @saveable
        class Hero(HeroSaveLoad):
            wound: Saved[Wound]
            wounds: Saved[list[Wound]]
            hp: Saved[int] = 3

            def __init__(self) -> None:
                self.wound = Wound(1, Wound(2))
                self.wounds = [Wound(3)]
        """
    project = Project(tmp_path, {"game.py": text}).generated("game.py")
    said = project.script(
        LOAD + "    hero = manager.add(game.Hero())\n"
        "    snapshot = manager.create_snapshot()\n"
        "    hero.hp = 1\n"
        "    all = lambda: [hero.wound, hero.wound.inner, *hero.wounds]\n"
        "    for n, each in enumerate(all()): each.label, each.depth = str(n), 9\n"
        "    seen = [each.seen for each in all()]\n"
        "    manager.apply_snapshot(snapshot)\n"
        "    print(*(f'{each.depth}{each.label}' for each in all()))\n"
        "    print([each.seen for each in all()] == seen)\n"
        "    manager.clear(); manager.apply_snapshot(snapshot)\n"
        "    hero, = manager.objects\n"
        "    print(*(f'{each.depth}{each.label}' for each in all()))\n"
    )
    assert said == "10 21 32\nTrue\n1unnamed 2unnamed 3unnamed\n"

"""A save of an older version of the game, or of a newer one: rule by rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from savegen.runtime import (
    GameObject,
    LoadReport,
    OnUnknown,
    SaveApplyError,
    SaveCorruptError,
    SaveLoadManager,
    SaveVersionError,
)
from savegen.runtime.values.stored import StoredType, parse_listed
from savegen.saves import coding, encode
from savegen.saves.body import Body, RawTable
from savegen.saves.limits import Guard, Limits
from tests.promises.games import Game, Slot


class Story:
    """A game through its versions: each goes on from the lock of the one before."""

    def __init__(self, folder: Path, known: dict[Any, Game]) -> None:
        self._folder = folder
        self._known = known
        self._sources: tuple[tuple[str, int], ...] = ()

    def version(self, source: str, save_version: int = 0) -> Game:
        before = self._known.get(self._sources)
        self._sources += ((source, save_version),)
        if self._sources not in self._known:
            folder = self._folder / f"v{len(self._known)}"
            made = Game(
                folder, source, after=before, save_version=save_version
            ).generate()
            self._known[self._sources] = made
        return self._known[self._sources]


@pytest.fixture(scope="module")
def versions(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, dict[Any, Game]]:
    """Return a folder, and the versions in it: many tests tell the same story."""
    return tmp_path_factory.mktemp("versions"), {}


@pytest.fixture
def slot(tmp_path: Path) -> Slot:
    return Slot(tmp_path / "saves")


@pytest.fixture
def story(versions: tuple[Path, dict[Any, Game]]) -> Story:
    return Story(*versions)


def saved(version: Game, fill: Callable[[Any, SaveLoadManager], object]) -> bytes:
    with version.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        fill(game, manager)
        return encode(manager.create_snapshot())


def loaded(
    manager: SaveLoadManager, data: bytes, read_only: bool = False
) -> LoadReport:
    return applied(manager, coding.read(data).body, read_only)


def applied(
    manager: SaveLoadManager, found: Body, read_only: bool = False
) -> LoadReport:
    snapshot = coding.decode_body(
        found,
        manager._world.registry,
        Guard(Limits(), 10**9),
        prefabs=manager._game.prefabs,
        read_only=read_only,
    )
    return manager.apply_snapshot(snapshot)


def through(version: Game, data: bytes) -> bytes:
    """Return what a version writes of what it has loaded."""
    with version.playing() as (_, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, data)
        return encode(manager.create_snapshot())


ENEMY = """
@saveable
class Enemy:
    hp: Saved[int]
    name: Saved[str]

    def __init__(self, hp: int = 1, name: str = "orc") -> None:
        self.hp = hp
        self.name = name
"""


def enemies(game: Any, manager: SaveLoadManager) -> None:
    for hp in (3, 5):
        manager.add(game.Enemy(hp, f"orc {hp}"))


def test_reordered_and_renamed_fields_just_load(story: Story) -> None:
    data = saved(story.version(ENEMY), enemies)
    later = story.version("""
        @saveable
        class Enemy:
            title: Annotated[str, Save(was="name")]
            hp: Saved[int]
        """)
    with later.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        found = [(each.title, each.hp) for each in manager.find(game.Enemy)]
    assert found == [("orc 3", 3), ("orc 5", 5)]
    assert not report.preserved and not report.defaulted


def test_a_renamed_class_just_loads(story: Story) -> None:
    data = saved(story.version(ENEMY), enemies)
    later = story.version(
        ENEMY.replace("@saveable\nclass Enemy", '@saveable(was="Enemy")\nclass Orc')
    )
    with later.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, data)
        assert [each.hp for each in manager.find(game.Orc)] == [3, 5]


ARMOURED = """
@saveable
class Enemy:
    hp: Saved[int]
    name: Saved[str]
    armour: Saved[float] = 2.5
    spells: Saved[list[str]]

    def __init__(self, hp: int = 1, name: str = "orc") -> None:
        self.hp = hp
        self.name = name
        self.spells = []
"""


def test_a_field_that_the_save_lacks_takes_its_default(story: Story) -> None:
    data = saved(story.version(ENEMY), enemies)
    with story.version(ARMOURED).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        first, second = manager.find(game.Enemy)
        assert (first.hp, first.armour, first.spells) == (3, 2.5, [])
        assert vars(first)["armour"] == 2.5, "it goes through the field like any value"
        assert first.spells is not second.spells
        assert report.defaulted == {"Enemy.armour": 2, "Enemy.spells": 2}
        again = encode(manager.create_snapshot())
        assert loaded(manager, again).defaulted == {}


HOARD = """
@dataclass
class Hoard:
    coins: int
    {new}

class Coin(NamedTuple):
    worth: int
    {small}

@saveable
class Dragon:
    hoard: Saved[Hoard | None] = None
    coins: Saved[list[Coin]]
    {small_field}
"""
SMALL = "huge: int = -(2**70)\n    text: str = '\\ud800'\n    both: tuple[int, str] = (2**70, '\\ud801')"
BIG = SMALL + """
    members: frozenset[int] = frozenset({2**64})
    by_text: dict[str, int] = field(default_factory=lambda: {"\\ud800": 2**70})
    dice: random.Random = field(default_factory=lambda: random.Random(3))
    wrong: int = None"""


def test_a_new_field_of_a_plain_class_takes_any_default(story: Story) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        dragon = manager.add(game.Dragon())
        dragon.hoard, dragon.coins = game.Hoard(7), [game.Coin(1), game.Coin(2)]

    data = saved(story.version(HOARD.format(new="", small="", small_field="")), fill)
    source = HOARD.format(new=BIG, small=SMALL, small_field="huge: Saved[int] = 2**70")
    with story.version(source).playing() as (game, registry, *_):
        for _ in range(2):
            manager = SaveLoadManager(registry)
            loaded(manager, data)
            (dragon,) = manager.find(game.Dragon)
            expected = game.Hoard(7)
            expected.dice = dragon.hoard.dice
            assert dragon.hoard == expected
            assert dragon.hoard.dice.getstate() == game.random.Random(3).getstate()
            assert dragon.coins == [game.Coin(1), game.Coin(2)]
            assert dragon.huge == 2**70
            data = encode(manager.create_snapshot())


def test_a_placed_object_keeps_what_the_save_does_not_say(story: Story) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        manager.add(game.Enemy(3), placement="gate", level="crypt")

    data = saved(story.version(ENEMY), fill)
    with story.version(ARMOURED).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        placed = manager.add(game.Enemy(9), placement="gate", level="crypt")
        placed.armour, placed.spells = 7.0, ["fire"]
        report = loaded(manager, data)
        assert [*manager.objects] == [placed] and report.kept == 1
        assert (placed.hp, placed.armour, placed.spells) == (3, 7.0, ["fire"])
        assert report.defaulted == {}


def test_without_a_default_nothing_is_loaded_and_the_way_out_is_named(
    story: Story,
) -> None:
    data = saved(story.version(ENEMY), enemies)
    later = story.version(ENEMY.replace("    hp:", "    armour: Saved[float]\n    hp:"))
    with later.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        manager.add(game.Enemy(7)).armour = 1.0
        before = manager.create_snapshot().digest()
        with pytest.raises(
            SaveApplyError, match=r"`Enemy.armour`.*`Save\(default=…\)`"
        ):
            loaded(manager, data)
        assert manager.create_snapshot().digest() == before


def test_a_field_that_the_class_lost_is_kept_and_written_back(story: Story) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        for hp in (3, 5):
            enemy = manager.add(game.Enemy(hp))
            enemy.armour, enemy.spells = hp + 0.5, ["fire"] * hp

    first = story.version(ARMOURED)
    data = saved(first, fill)
    without = story.version(ENEMY)
    with without.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        assert report.preserved == {"Enemy.armour": 2, "Enemy.spells": 2}
        first_enemy, _ = manager.find(game.Enemy)
        first_enemy.hp = 70
        manager.add(game.Enemy(9))
        newer = encode(manager.create_snapshot())
        assert not hasattr(first_enemy, "armour")
    with first.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, newer)
        found = [(e.hp, e.armour, e.spells) for e in manager.find(game.Enemy)]
    assert found == [(70, 3.5, ["fire"] * 3), (5, 5.5, ["fire"] * 5), (9, 2.5, [])]
    assert report.defaulted == {"Enemy.armour": 1, "Enemy.spells": 1}


def test_what_was_lost_and_found_again_gives_the_very_same_bytes(story: Story) -> None:
    first = story.version(ARMOURED)
    data = saved(first, enemies)
    without = story.version(ENEMY)
    kept = through(without, data)
    assert through(without, kept) == kept
    assert body(through(first, kept)) == body(data)


def body(data: bytes) -> Any:
    """Return all that a file says, whatever its metadata are."""
    return [*coding.read(data).body.sections()]


MOD = """
@saveable
class Enemy:
    hp: Saved[int]
    rider: Saved[Enemy | None] = None
    bags: Saved[list[Bag]]
    best: Saved[Bag | None] = None
    worth: Saved[dict[Bag, int]]
    seen: Saved[set[Bag]]
    places: Saved[tuple[Bag | None, int]]

    def __init__(self, hp: int = 1) -> None:
        self.hp = hp
        self.bags = []
        self.worth = {}
        self.seen = set()
        self.places = (None, 0)


@saveable
class Bag:
    size: Saved[int]
    owner: Saved[Enemy | None] = None

    def __init__(self, size: int = 1, owner: Enemy | None = None) -> None:
        self.size = size
        self.owner = owner
"""
PEARL = """
@saveable
class Pearl(Bag):
    glow: Saved[Shine] = Shine(1.0, "white")
    thief: Saved[Enemy | None] = None
"""
SHINE = """
@dataclass(frozen=True)
class Shine:
    amount: float
    colour: str

"""


def modded(story: Story) -> tuple[Game, Game]:
    """Return a game with a mod, and the same without it."""
    with_mod = story.version(SHINE + MOD + PEARL)
    return with_mod, story.version(MOD)


def treasure(game: Any, manager: SaveLoadManager) -> None:
    enemy, other = manager.add(game.Enemy(3)), manager.add(game.Enemy(5))
    bag, pearl = game.Bag(1), manager.add(game.Pearl(2, enemy))
    pearl.glow = game.Shine(0.5, "red")
    pearl.thief = game.Enemy(77)  # nobody else knows him
    manager.add(GameObject(game.Bag(8), game.Pearl(9), parent=None))
    enemy.bags, enemy.best = [bag, pearl, bag], pearl
    enemy.worth, enemy.seen = {pearl: 9, bag: 1}, {pearl}
    enemy.places = (pearl, 4)
    other.bags = [game.Pearl(6, other)]


def test_objects_of_an_unknown_class_are_kept_with_all_that_leads_to_them(
    story: Story,
) -> None:
    first, without = modded(story)
    data = saved(first, treasure)
    with without.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        enemy, other = [*manager.find(game.Enemy)][:2]
        bag = enemy.bags[0]
        assert [*map(id, enemy.bags)] == [id(bag)] * 2 and other.bags == []
        assert enemy.best is None and enemy.places == (None, 4)
        assert enemy.worth == {bag: 1} and enemy.seen == set()
        assert report.preserved["Pearl"] == 3
        kept = encode(manager.create_snapshot())
        assert through(without, kept) == kept
    assert body(through(first, kept)) == body(data)


def test_a_field_that_the_game_has_changed_since_is_not_undone(story: Story) -> None:
    first, without = modded(story)
    data = saved(first, treasure)
    with without.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, data)
        enemy = next(manager.find(game.Enemy))
        enemy.best = enemy.bags[0]
        manager.apply_snapshot(manager.create_snapshot())
        kept = encode(manager.create_snapshot())
    with first.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, kept)
        enemy = next(manager.find(game.Enemy))
        assert type(enemy.best) is game.Bag and enemy.best is enemy.bags[0]
        assert [bag.size for bag in enemy.bags] == [1, 2, 1]


def test_nothing_is_put_into_the_slot_of_what_is_kept(story: Story) -> None:
    first, without = modded(story)
    data = saved(first, treasure)
    with without.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, data)
        for size in range(5):
            manager.add(game.Bag(size))
        manager.destroy(manager.objects[0])
        manager.add(game.Bag(50))
        kept = encode(manager.create_snapshot())
    with first.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, kept)
        assert len(manager) == 9
        # One pearl only lies in a bag; `find` yields what is only referred to, too.
        assert {each.size for each in manager.find(game.Pearl)} == {2, 6, 9}


def test_clearing_the_world_forgets_what_was_kept(story: Story) -> None:
    first, without = modded(story)
    data = saved(first, treasure)
    with without.playing() as (_, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, data)
        manager.clear()
        empty = encode(manager.create_snapshot())
        assert coding.read(empty).body.tables == []
        loaded(manager, empty)


def test_what_was_retired_is_not_kept(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = modded(story)
    data = saved(first, treasure)
    number = _number_of(coding.read(data).body, "game.Pearl")
    without = story.version(MOD)
    with without.playing() as (game, registry, *_):
        monkeypatch.setattr(registry, "retired", frozenset([number]))
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        assert report.preserved == {}
        enemy = next(manager.find(game.Enemy))
        assert len(enemy.bags) == 2 and enemy.best is None
        found = coding.read(encode(manager.create_snapshot())).body
        assert number not in [table.number for table in found.tables]


@pytest.mark.parametrize(
    ("slots", "free"), [([], []), ([1, 1], []), ([1, 20], [20]), ([1, 20], [3, 3])]
)
def test_slots_that_contradict_an_older_save_are_refused(
    story: Story, monkeypatch: pytest.MonkeyPatch, slots: list[int], free: list[int]
) -> None:
    first, _ = modded(story)
    body = coding.read(saved(first, treasure)).body
    number = _number_of(body, "game.Pearl")
    world = replace(body.world, slots=slots, free=free)
    with story.version(MOD).playing() as (_, registry, *_):
        monkeypatch.setattr(registry, "retired", frozenset([number]))
        with pytest.raises(SaveCorruptError, match="slots"):
            coding.decode_body(replace(body, world=world), registry, Guard(Limits(), 0))


@pytest.mark.parametrize("name", ["Enemy", "Pearl"])
@pytest.mark.parametrize(
    ("stored", "cell"),
    [
        *(("list<int>", 5), ("list<int>", "ab"), ("ref<0>", "a")),
        *(("weak<ref<0>>", []), ("value A{1 x: int}", None)),
        *(("value A{1 x: ref<0>}", ["a"]), ("unset", 1)),
        ("list<any>", [(StoredType("str"), 3)]),
    ],
    ids=str,
)
def test_a_mismatch_that_is_not_of_its_own_type_is_refused(
    story: Story, name: str, stored: str, cell: Any
) -> None:
    """The objects of one class are loaded, those of the other are preserved."""
    first, _ = modded(story)
    body = coding.read(saved(first, treasure)).body
    tables = [
        _with_mismatch(each, stored, cell) if each.name == f"game.{name}" else each
        for each in body.tables
    ]
    with story.version(MOD).playing() as (_, registry, *_):
        with pytest.raises(SaveCorruptError, match="does not fit its type"):
            coding.decode_body(
                replace(body, tables=tables), registry, Guard(Limits(), 0)
            )


def test_a_mismatch_of_an_unknown_class_takes_its_default_whatever_is_in_it(
    story: Story,
) -> None:
    first, without = modded(story)
    body = coding.read(saved(first, treasure)).body
    gone = "value game.Gone{1 x: int}", [3]
    tables = [
        _with_mismatch(each, *gone) if each.name == "game.Enemy" else each
        for each in body.tables
    ]
    with without.playing() as (_, registry, *_):
        made = replace(body, tables=tables)
        snapshot = coding.decode_body(made, registry, Guard(Limits(), 0))
        (note,) = snapshot.report["notes"]
        assert "`Enemy.hp`" in note and "`game.Gone`" in note


def _with_mismatch(table: RawTable, stored: str, cell: Any) -> RawTable:
    """Return a table with a mismatch in the first field of its first row."""
    first, *others = table.rows(Guard(Limits(), 0))
    number = table.fields[0].number
    cells = {n: cell for n, cell in first.cells.items() if n != number}
    extras = first.extras | {number: (parse_listed(stored), cell)}
    first = first._replace(cells=cells, extras=extras)
    made = RawTable(table.number, table.name, table.fields, table.types)
    return made.add([first, *others])


def _number_of(found: Body, name: str) -> int:
    return next(table.number for table in found.tables if table.name == name)


def test_a_changed_kind_needs_a_converter(story: Story) -> None:
    data = saved(story.version(ENEMY), enemies)
    text = ENEMY.replace("name: Saved[str]", "name: Saved[tuple[str, int]]")
    with story.version(text).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        with pytest.raises(SaveApplyError, match=r'@converter\(Enemy, "name"\)'):
            loaded(manager, data)
    text += """

@converter(Enemy, "name")
def split(name: str) -> tuple[str, int]:
    kind, number = name.split()
    return kind, int(number)
"""
    with story.version(text).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, data)
        found = [each.name for each in manager.find(game.Enemy)]
        assert found == [("orc", 3), ("orc", 5)]


@pytest.mark.parametrize(
    ("body", "match"),
    [
        ("return 7", "returned an int that does not fit"),
        ("raise KeyError(name)", "raised KeyError"),
    ],
)
def test_a_converter_that_fails_is_named(story: Story, body: str, match: str) -> None:
    data = saved(story.version(ENEMY), enemies)
    text = ENEMY.replace("name: Saved[str]", "name: Saved[tuple[str, int]]")
    text += f'\n\n@converter(Enemy, "name")\ndef split(name: str) -> Any:\n    {body}\n'
    with story.version(text).playing() as (_, registry, *_):
        manager = SaveLoadManager(registry)
        with pytest.raises(SaveApplyError, match=f"`Enemy.name`.*{match}|{match}"):
            loaded(manager, data)


def test_widenings_need_none(story: Story) -> None:
    data = saved(story.version(ENEMY), enemies)
    text = ENEMY.replace("hp: Saved[int]", "hp: Saved[float | None]")
    with story.version(text).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, data)
        assert [each.hp for each in manager.find(game.Enemy)] == [3, 5]


MIGRATIONS = """
@migration(to=1)
def stronger(save: Any) -> None:
    for enemy in save["Enemy"]:
        enemy["hp"] *= 10
        enemy["best"] = {"$ref": save.add("Bag", {"size": enemy["hp"]}, registered=False)}


@migration(to=2)
def no_weaklings(save: Any) -> None:
    for enemy in [*save["Enemy"]]:
        if enemy["hp"] < 40:
            save.remove(enemy["$id"])
    save.states["told"] = [save.version]
"""


def test_migrations_are_applied_in_order_and_the_file_is_never_touched(
    story: Story,
) -> None:
    first = story.version(MOD)

    def fill(game: Any, manager: SaveLoadManager) -> None:
        manager.add(game.Enemy(3))
        strong = manager.add(game.Enemy(5))
        strong.rider = next(manager.find(game.Enemy))
        strong.bags = [game.Bag(1, strong.rider)]

    data = saved(first, fill)
    later = story.version(MOD + MIGRATIONS, save_version=2)
    with later.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        found = coding.read(data).body
        report = applied(manager, found)
        assert report.migrations == (1, 2)
        (enemy,) = manager.find(game.Enemy)
        assert (enemy.hp, enemy.best.size, enemy.rider) == (50, 50, None)
        assert enemy.bags[0].size == 1 and enemy.bags[0].owner is None
        again = encode(manager.create_snapshot())
    assert body(data) == [*found.sections()]
    assert coding.read(again).body.world.save_version == 2


def test_a_gap_between_migrations_is_refused(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = saved(story.version(ENEMY), enemies)
    with story.version(ENEMY).playing() as (_, registry, *_):
        monkeypatch.setattr(registry, "save_version", 2)
        monkeypatch.setattr(registry, "migrations", ((2, "game:none"),))
        with pytest.raises(SaveVersionError, match=r"no `@migration\(to=1\)`"):
            loaded(SaveLoadManager(registry), data)


def test_a_save_newer_than_the_game_is_refused_or_opened_read_only(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = story.version(ENEMY)
    with first.playing() as (game, registry, *_):
        monkeypatch.setattr(registry, "save_version", 9)
        manager = SaveLoadManager(registry)
        enemies(game, manager)
        data = encode(manager.create_snapshot())
        monkeypatch.setattr(registry, "save_version", 7)
        other = SaveLoadManager(registry)
        with pytest.raises(SaveVersionError, match="version 9.* up to 7"):
            loaded(other, data)
        assert len(other) == 0
        loaded(other, data, read_only=True)
        assert [each.hp for each in other.find(game.Enemy)] == [3, 5]


def test_a_changed_kind_within_a_value_is_named(story: Story) -> None:
    stats = """
        @dataclass
        class Stats:
            mana: int = 2

        @saveable
        class Orc:
            stats: Saved[list[Stats]]
        """

    def fill(game: Any, manager: SaveLoadManager) -> None:
        orc = manager.add(game.Orc())
        orc.stats = [game.Stats()]

    data = saved(story.version(stats), fill)
    later = story.version(stats.replace("int = 2", 'str = ""'))
    words = r"`Orc.stats` cannot be read: `Stats.mana`: its type was int and is str now; write"
    with later.playing() as (game, registry, *_):
        with pytest.raises(SaveApplyError, match=words):
            loaded(SaveLoadManager(registry), data)


# -- prefabs that the game does not know


UNITS = """
@saveable
class Unit:
    hp: Saved[int] = 1
    foe: Saved[Unit | None] = None
    friends: Saved[list[Unit]]

    def __init__(self) -> None:
        self.friends = []
"""


def test_what_is_built_from_an_unknown_prefab_is_preserved(story: Story) -> None:
    version = story.version(UNITS)

    def goblin() -> GameObject:
        return GameObject(game.Unit())

    with version.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry, {1: goblin, 2: goblin})
        stays, goes = manager.spawn(1), manager.spawn(2)
        goes.parent = stays
        stays.components[0].foe = goes.components[0]
        goes.components[0].friends = [stays.components[0], goes.components[0]]
        data = encode(manager.create_snapshot())

        without = SaveLoadManager(registry, {1: goblin})
        report = loaded(without, data)
        (found,) = without.objects
        assert report.preserved == {"GameObject": 1, "Unit": 1, "Unit.foe": 1}
        assert found.children == () and found.components[0].foe is None
        found.components[0].hp = 12
        assert without.spawn(1) is not None, "in a slot of its own"
        without.destroy([*without.objects][-1])
        kept = encode(without.create_snapshot())
        loaded(without, kept)
        assert body(encode(without.create_snapshot())) == body(kept)

        other = SaveLoadManager(registry, {1: goblin, 2: goblin})
        loaded(other, kept)
        stays, goes = other.objects
        assert goes.parent is stays and stays.children == (goes,)
        assert stays.components[0].foe is goes.components[0]
        assert goes.components[0].friends == [stays.components[0], goes.components[0]]
        assert stays.components[0].hp == 12


NEEDS = """
    def __new__(cls, name{default}):
        return super().__new__(cls)

    def __init__(self, name="") -> None:
        self.friends = []
"""


def test_objects_whose_new_needs_arguments_are_preserved_unless_a_prefab_builds_them(
    story: Story,
) -> None:
    with story.version(UNITS).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry, {1: lambda: GameObject(game.Unit())})
        unit, other = manager.spawn(1).components[0], manager.add(game.Unit())
        unit.hp, other.hp, unit.foe, other.friends = 5, 6, other, [other, unit]
        data = encode(manager.create_snapshot())
    init = UNITS[UNITS.index("    def __init__") :]
    needs = UNITS.replace(init, NEEDS.format(default=""))
    with story.version(needs).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry, {1: lambda: GameObject(game.Unit("a"))})
        report = loaded(manager, data)
        (unit,) = manager.find(game.Unit)
        assert (unit.hp, unit.foe) == (5, None)
        assert report.preserved == {"Unit": 1, "Unit.foe": 1}
        assert "because `__new__` needs arguments" in report.notes[0]
        manager.add(game.Unit("b")).hp = 7  # which no load can make either
        again = SaveLoadManager(registry, {1: lambda: GameObject(game.Unit("a"))})
        assert loaded(again, encode(manager.create_snapshot())).preserved["Unit"] == 2
        data = encode(again.create_snapshot())
    made = UNITS.replace(init, NEEDS.format(default="=''"))
    with story.version(made).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry, {1: lambda: GameObject(game.Unit())})
        assert not loaded(manager, data).preserved
        units = {unit.hp: unit for unit in manager.find(game.Unit)}
        assert {*units} == {5, 6, 7} and units[5].foe is units[6]
        assert units[6].friends == [units[6], units[5]]


RECORDED = " (recorded)"

# -- what the game no longer has, in objects that refer to others

FOE = """
import weakref

class Picture: ...

@dataclass
class Bond:
    foe: Foe | None

@saveable
class Foe:
    def {run}(self): ...
"""
ORC = """
@saveable
class Orc:
    act: Saved[Method | None] = None
    {picture}
    foe: Saved[Foe | None] = None
    near: Saved[Foe]
    foes: Saved[set[Foe]]
    hits: Saved[dict[Foe, int]]
    bonds: Saved[list[Bond]]
    far: Saved[weakref.ref[Foe]]
    either: Saved[Foe | int]
"""
PICTURE = "picture: Saved[list[Annotated[Picture, Asset()]]]"
CHANGING = """
    def save_data(self, references=NO_REFERENCES):
        return self.save_data_(references)

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        data.hits.clear()
        data.foes[:] = ["changed"]
"""


@pytest.mark.parametrize("is_changing", [False, True])
def test_what_the_game_lacks_is_reported_whatever_else_the_object_refers_to(
    story: Story, is_changing: bool
) -> None:
    def source(run: str) -> str:
        text = FOE.format(run=run) + ORC.format(picture="" if is_changing else PICTURE)
        if is_changing:
            text += CHANGING
            text = text.replace(
                "@saveable\nclass Orc", "@saveable(override=True)\nclass Orc"
            )
        return text

    def fill(game: Any, manager: SaveLoadManager) -> None:
        manager.assets["axe"] = axe = game.Picture()
        foe, orc = manager.add(game.Foe()), manager.add(game.Orc())
        orc.act, orc.picture, orc.bonds = foe.run, [axe], [game.Bond(foe)]
        orc.foe = orc.near = orc.either = foe
        orc.foes, orc.hits, orc.far = {foe}, {foe: 3}, game.weakref.ref(foe)

    data = saved(story.version(source("run")), fill)
    with story.version(source("flee")).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry, on_unknown=OnUnknown.DROP)
        report = loaded(manager, data)
        (orc,), (foe,) = manager.find(game.Orc), manager.find(game.Foe)
        assert repr(orc.act) == f"<missing method run of {foe!r}>"
        assert {orc.foe, orc.near, orc.either, orc.far(), *orc.foes} == {foe}
        assert (orc.hits, orc.bonds) == ({foe: 3}, [game.Bond(foe)])
        lost = ["act"] if is_changing else ["act", "picture"]
        assert [each.field for each in report.lost] == lost


def test_a_method_in_a_mismatch_loads_beside_a_reference_to_a_class_that_is_gone(
    story: Story,
) -> None:
    kept = """
        @saveable
        class Foe:
            act: Saved[Method | None] = None
            hp: Saved[int]

            def run(self): ...
        """

    def fill(game: Any, manager: SaveLoadManager) -> None:
        foe = manager.add(game.Foe())
        foe.hp = [foe.run, manager.add(game.Gone())]

    data = saved(
        story.version(kept + "\n        @saveable\n        class Gone: ..."), fill
    )
    with story.version(kept).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        (foe,) = manager.find(game.Foe)
        assert foe.hp == [foe.run, None]
        assert report.preserved == {"Foe.hp": 1, "Gone": 1}


RECORDER = """
from savegen import deserializer, serializer

class Act(Enum):
    EAT = 1
    SLEEP = 2

@saveable
class Dog(Recorder):
    age: Saved[int] = 1

    def __init__(self):
        super().__init__()
        self.meals = 0
"""
BEHAVIOR = """
    @serializer(Act.{name})
    def save_{name}(self, record):
        record.save("{name}", self.meals)

    @deserializer(Act.{name})
    def load_{name}(self, record):
        record.load("{name}", lambda meals: setattr(self, "meals", meals))
"""
EAT, SLEEP = BEHAVIOR.format(name="EAT"), BEHAVIOR.format(name="SLEEP")


@pytest.mark.parametrize("rest", ["", SLEEP])
def test_what_a_removed_behavior_saved_is_kept_for_its_return(
    story: Story, rest: str
) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        dog = manager.add(game.Dog())
        dog.meals = 7
        dog.set_dirty(game.Act.EAT)

    old = story.version(RECORDER + EAT)
    data = saved(old, fill)
    with story.version(RECORDER + rest).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        (dog,) = manager.find(game.Dog)
        assert (dog.is_dirty(), report.preserved) == (False, {f"Dog{RECORDED}": 1})
        assert report.notes == ("Dog has no deserializer for `Act.EAT`",)
        data = encode(manager.create_snapshot())
        data = encode(coding.decode(data, manager))
    with old.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        assert loaded(manager, data).notes == ()
        (dog,) = manager.find(game.Dog)
        assert (dog.meals, dog.is_dirty(game.Act.EAT)) == (7, True)


def test_behaviors_that_remain_are_loaded_and_the_removed_one_is_kept(
    story: Story,
) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        for meals in (7, 8):
            dog = manager.add(game.Dog())
            dog.meals = meals
            dog.set_dirty(game.Act.EAT)
        dog.set_dirty(game.Act.SLEEP)

    old = story.version(RECORDER + EAT + SLEEP)
    data = saved(old, fill)
    with story.version(RECORDER + SLEEP).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        first, second = manager.find(game.Dog)
        assert (first.is_dirty(), second.is_dirty(game.Act.SLEEP)) == (False, True)
        assert second.meals == 8
        assert report.notes == ("Dog has no deserializer for `Act.EAT`",)
        assert report.preserved == {f"Dog{RECORDED}": 2}
        first.set_dirty(game.Act.SLEEP)  # which records over what was preserved
        first.meals = second.meals = 9
        data = encode(manager.create_snapshot())
        loaded(manager, data)
        assert [dog.meals for dog in manager.find(game.Dog)] == [9, 9]
        data = encode(manager.create_snapshot())
    with old.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        assert loaded(manager, data).notes == ()
        for dog, meals in zip(manager.find(game.Dog), (7, 8), strict=True):
            assert dog.is_dirty(game.Act.EAT) and dog.is_dirty(game.Act.SLEEP)
            assert dog.meals in (meals, 9)


MISFITS = """
@saveable
class Foe:
    hp: Saved[int]
    weak: Saved[bool] = False
"""
TYPES = """
class Mood(Enum):
    CALM = 1

@dataclass
class Point:
    x: int

@saveable
class Holder:
    mood: Saved[Mood]
    point: Saved[Point]
"""


@pytest.mark.parametrize("is_updated", [True, False])
def test_a_mismatch_whose_class_is_gone_is_reported_and_not_set(
    story: Story, is_updated: bool
) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        for value in (game.Mood.CALM, game.Point(3), game.Holder, [game.Mood.CALM]):
            manager.add(game.Foe()).hp = value

    old = story.version(MISFITS + TYPES)
    data = saved(old, fill)
    added = "    name: Saved[str] = ''" if is_updated else ""
    with story.version(MISFITS + added).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        assert not any(hasattr(foe, "hp") for foe in manager.find(game.Foe))
        if not is_updated:
            assert [each.field for each in report.lost] == ["hp"] * 4
            return
        assert report.preserved == {"Foe.hp": 4}
        data = encode(manager.create_snapshot())
    with old.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        loaded(manager, data)
        found = [foe.hp for foe in manager.find(game.Foe)]
        calm = game.Mood.CALM
        assert found == [calm, game.Point(3), game.Holder, [calm]]


# -- values that name their own class: in states, in records and in fields of `SaveOverride`

UNTYPED = """
from savegen import SaveOverride, deserializer, serializer
from savegen.runtime import NO_REFERENCES

class Ammo(Enum):
    IMPULSE = 1
    FIRE = 2

class Act(Enum):
    SHOOT = 1

@saveable(override=True)
class Gun(Recorder):
    ammo: Annotated[list[Ammo], SaveOverride()]
    spare: Annotated[Ammo | None, SaveOverride()]
    rounds: Saved[int] = 1

    def __init__(self):
        super().__init__()
        self.ammo, self.fired, self.shown = [], None, None
        self.spare = None

    def save_data(self, references=NO_REFERENCES):
        data = self.save_data_(references)
        data[self.SaveLoadFields["AMMO"]] = self.ammo
        data[self.SaveLoadFields["SPARE"]] = self.spare
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        self.ammo = data[self.SaveLoadFields["AMMO"]]
        self.spare = data[self.SaveLoadFields["SPARE"]]
        self.shown = len(self.ammo)

    @serializer(Act.SHOOT)
    def save_shot(self, record):
        record.save("fired", self.fired)
        record.save("rounds", self.rounds)

    @deserializer(Act.SHOOT)
    def load_shot(self, record):
        record.load("fired", lambda fired: setattr(self, "fired", fired))
        record.load("rounds", lambda rounds: setattr(self, "heard", rounds))
"""


def armed(game: Any, manager: SaveLoadManager) -> None:
    gun = manager.add(game.Gun())
    gun.ammo, gun.spare = [game.Ammo.FIRE], game.Ammo.IMPULSE
    gun.fired, gun.rounds = game.Ammo.FIRE, 7
    gun.set_dirty(game.Act.SHOOT)
    manager.add_state("last", lambda: game.Ammo.FIRE, print)
    manager.add_state("score", lambda: 3, print)


def test_an_old_save_loads_without_a_class_that_its_values_name(story: Story) -> None:
    data = saved(story.version(UNTYPED), armed)
    with story.version(UNTYPED.replace("Ammo", "Missile")).playing() as version:
        game, registry, *_ = version
        manager, states = SaveLoadManager(registry), dict[str, Any]()
        manager.add_state("last", lambda: 0, lambda last: states.update(last=last))
        manager.add_state("score", lambda: 0, lambda score: states.update(score=score))
        report = loaded(manager, data)
        (gun,) = manager.find(game.Gun)
        assert (gun.ammo, gun.spare, gun.rounds, gun.shown) == ([], None, 7, 0)
        assert (gun.fired, gun.heard) == (None, 7)
        assert states == {"score": 3}
        assert {(each.class_name, each.field) for each in report.lost} == {
            ("Gun", "ammo"),
            ("Gun", "spare"),
            ("Gun", "'fired'"),
            ("", "last"),
        }
        assert all("`Old = New`" in each.value for each in report.lost)
        # An object that is there keeps what it has.
        gun.ammo, gun.fired = [game.Missile.FIRE], game.Missile.FIRE
        snapshot = replace(manager.create_snapshot())
        table = snapshot.tables[int(game.Gun.save_type)]
        row: Any = table.rows[0]
        row.ammo = row.spare = parse_listed("enum game.Gone{X}"), "X"
        manager.apply_snapshot(snapshot)
        assert (gun.ammo, gun.spare) == ([game.Missile.FIRE], None)


def test_a_class_is_found_by_its_former_name_while_the_game_has_it(
    story: Story,
) -> None:
    data = saved(story.version(UNTYPED), armed)
    renamed = UNTYPED.replace("Ammo", "Missile") + "\nAmmo = Missile\n"
    with story.version(renamed).playing() as (game, registry, *_):
        manager, states = SaveLoadManager(registry), dict[str, Any]()
        manager.add_state("last", lambda: 0, lambda last: states.update(last=last))
        assert not loaded(manager, data).lost
        (gun,) = manager.find(game.Gun)
        fire = game.Missile.FIRE
        assert (gun.ammo, gun.spare) == ([fire], game.Missile.IMPULSE)
        assert (gun.fired, states) == (fire, {"last": fire})


def test_a_field_of_its_own_code_that_the_save_lacks_takes_its_default(
    story: Story,
) -> None:
    before = UNTYPED.replace("AMMO", "ROUNDS").replace(
        "    ammo: Annotated[list[Ammo], SaveOverride()]\n", ""
    )
    before = before.replace("len(self.ammo)", "0")
    data = saved(story.version(before), lambda game, manager: manager.add(game.Gun()))
    with story.version(UNTYPED).playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        report = loaded(manager, data)
        (gun,) = manager.find(game.Gun)
        assert (gun.ammo, gun.shown, report.defaulted) == ([], 0, {"Gun.ammo": 1})


# -- parts of prefabs

TANK = """
from savegen import deserializer, serializer

class Behavior(Enum):
    FIRE = 1

@saveable
class Gun(Recorder):
    ammo: Saved[int] = 1
    mode: Saved[str] = "single"
    twin: Saved[Gun | None] = None

    def __init__(self):
        super().__init__()
        self.shots = 0

    @serializer(Behavior.FIRE)
    def save_shots(self, record):
        record.save("shots", self.shots)

    @deserializer(Behavior.FIRE)
    def load_shots(self, record):
        record.load("shots", lambda shots: setattr(self, "shots", shots))

@saveable
class Shield:
    ammo: Saved[str] = "none"
    power: Saved[int] = 3

@saveable
class Squad:
    guns: Saved[list[Gun]]
    things: Saved[dict[str, Gun | Shield]]

@prefab
class Tank:
    gun = part({gun})
    spare = part(Gun).show(ammo=None, mode=None, twin=None)
"""


def tanks(game: Any, manager: SaveLoadManager) -> None:
    (tank,) = manager._game.prefabs
    obj, squad = manager.spawn(tank.type), manager.add(game.Squad())
    gun, spare = obj.components
    gun.ammo, gun.mode, gun.twin, gun.shots = 7, "burst", spare, 12
    gun.set_dirty(game.Behavior.FIRE)
    spare.ammo, spare.twin = 8, gun
    squad.guns, squad.things = [gun, spare], {"a": gun, "b": spare}


def test_what_a_part_of_another_class_cannot_have_comes_back_with_the_old_class(
    story: Story, slot: Slot
) -> None:
    old = story.version(TANK.format(gun="Gun"))
    new = story.version(TANK.format(gun="Shield"))
    with old.playing() as play:
        manager = play.manager()
        tanks(play.game, manager)
        slot.save(manager)
    with new.playing() as play:
        # The save of the new version has the old values under the new class.
        again = {f"Shield{rest}": 1 for rest in (".ammo", ".mode", ".twin", RECORDED)}
        first = {"Gun.ammo": 1, "Gun.mode": 1, "Gun.twin": 2, f"Shield{RECORDED}": 1}
        for preserved in (first, {"Gun.twin": 1, **again}):
            manager = play.manager()
            report = slot.load(manager)
            assert report.preserved == {"Squad.guns": 1, **preserved}
            (tank,), (squad,) = manager.find(GameObject), manager.find(play.game.Squad)
            shield, spare = tank.part("gun"), tank.part("spare")
            assert (shield.ammo, shield.power) == ("none", 3)
            assert (spare.ammo, spare.twin) == (8, None)
            assert (squad.guns, squad.things) == ([spare], {"a": shield, "b": spare})
            slot.save(manager)
    with old.playing() as play:
        manager = play.manager()
        report = slot.load(manager)
        assert report.preserved == {"Shield.power": 1}
        (tank,), (squad,) = manager.find(GameObject), manager.find(play.game.Squad)
        gun, spare = tank.components
        assert (gun.ammo, gun.mode, gun.twin, gun.shots) == (7, "burst", spare, 12)
        assert (spare.twin, squad.guns) == (gun, [gun, spare])
        assert squad.things == {"a": gun, "b": spare}

"""Branches of a game merged by git: running savegen again is the whole procedure."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from savegen.build.lock import Lock, parse
from savegen.build.lock.file import CATEGORIES, CLASSES, OLD_HEADER, PREFABS, by_owner
from savegen.build.lock.assign import prefab_types
from tests.cli.games import TABLE, Game
from tests.project import git, try_git
from tests.lock.branches import HEIR, Field, Prefab, Saveable, Source, merged

LOCK = "savegen.lock"
PASSES = ("components", "prefabs")


class Repository(Game):
    """A game under git, with the attribute that `savegen.lock` wants."""

    def begin(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.write("pyproject.toml", TABLE)
        self.write(".gitattributes", f"{LOCK} merge=union\n")
        self.write("game/__init__.py", "")
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        return git(self.folder, *words)

    def put(self, source: Source) -> None:
        for path, text in source.files().items():
            self.write(path, text)

    def retire(self, source: Source) -> None:
        """Say of all that the branch has taken out that it is gone."""
        for name in source.retired:
            self.run("lock", "retire", name)
        for command in PASSES:
            said = self.run(command, "-q")
            while question := re.search("run `savegen lock retire (.*?)`", said.out):
                self.run("lock", "retire", question[1])  # renamed, then removed
                said = self.run(command, "-q")

    def build(self) -> None:
        for command in PASSES:
            said = self.run(command, "-q")
            assert said.code == 0, said.out + said.err + self.read(LOCK)

    def commit(self, branch: str, source: Source) -> None:
        self.git("checkout", "-q", "-b", branch, "main")
        self.put(source)
        self.retire(source)
        self.build()
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", branch)

    def merge(self, branch: str, source: Source, side: str) -> None:
        """Merge as people do: the source by hand, of generated files either side."""
        try_git(self.folder, "merge", "-q", "--no-ff", "-m", "merged", branch)
        conflicts = self.git("diff", "--name-only", "--diff-filter=U").split()
        assert LOCK not in conflicts
        for path in (path for path in conflicts if "/_savegen/" in path):
            if try_git(self.folder, "checkout", f"--{side}", "--", path).returncode:
                self.git("rm", "-q", "-f", "--", path)  # that side has none
        self.put(source)
        self.build()
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "merged")

    @property
    def parsed_lock(self) -> Lock:
        return parse(self.read(LOCK))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("branches") / "game"


def beginning() -> Source:
    source = Source({}, {"AA": None, "BB": None}, {"hp": "int"})
    for key, name in enumerate(("Orc", "Elf", "Bat")):
        fields = {100 + key: Field("hp", "int"), 200 + key: Field("mood", "Mood")}
        fields[300 + key] = Field("part", "Part")
        source.classes[key] = Saveable(name, "abc"[key], (), fields)
    for key, name in enumerate(("Turret", "Tower"), 3):
        parts = {400 + key: Field("body", "Body"), 500 + key: Field("gun", "Gun")}
        source.classes[key] = Prefab(name, "ab"[key - 3], (), parts)
    source.classes[6] = Saveable("Foe", "a", (), {600: Field("hp", "int")})
    fields = {700: Field("rage", "int"), 701: Field("luck", "str")}
    source.classes[6 + HEIR] = Saveable("Imp", "b", (), fields)
    return source


def numbers(lock: Lock, source: Source) -> dict[object, set[int]]:
    """Return the numbers of what a source has, by what never changes: today's, and former ones."""
    found: dict[object, set[int]] = {}
    for key, cls in source.classes.items():
        category = PREFABS if isinstance(cls, Prefab) else CLASSES
        locations = {
            e.location: e for e in lock.owners(category).values() if e.state == "alive"
        }
        entry = locations[f"game.{cls.module}:{cls.name}"]
        found[key] = {entry.number}
        fields: dict[str, set[int]] = {}
        for each in by_owner(lock.fields_of(category)).get(entry.birth, ()):
            if each.state in ("alive", "former"):
                fields.setdefault(each.name, set()).add(each.number)
        known = source.all_fields(key)
        assert sorted(fields) == sorted({f.name for f in known.values()})
        found |= {(key, k): fields[f.name] for k, f in known.items()}
    return found


def assert_sound(game: Repository, source: Source) -> None:
    """Check that nothing is left over, that no number is used twice, and all is settled."""
    lock = game.parsed_lock
    assert lock.text() == game.read(LOCK)
    states = {e.state for s in CATEGORIES for e in lock.owners(s).values()}
    states |= {e.state for s in CATEGORIES for e in lock.fields_of(s).values()}
    assert "disputed" not in states
    for table in (lock.classes, lock.prefabs):
        assert max(Counter(e.number for e in table.values()).values(), default=1) == 1
    for members in (by_owner(lock.fields), by_owner(lock.parts)):
        for fields in members.values():
            assert max(Counter(entry.number for entry in fields).values()) == 1
    alive = {e.number for e in lock.prefabs.values() if e.state == "alive"}
    assert {number for _, number in prefab_types(lock)} == alive
    assert {m for m, state in lock.members.items() if state == "alive"} >= {
        f"Mood.{name}"
        for name in source.moods
        if any(
            f.kind == "Mood" for c in source.classes.values() for f in c.fields.values()
        )
    }
    for command in PASSES:
        said = game.run(command, "--locked", "--no-cache")
        assert said.code == 0 and said.out.endswith("up to date\n")


# Shrinking a seed is of no use.
@settings(max_examples=max(4, settings().max_examples // 25), phases=[Phase.generate])
@given(st.integers(0, 2**64))
def test_any_branches_are_merged_in_any_order_by_running_again(place, seed):
    chance = random.Random(seed)
    game, base = Repository(place), beginning()
    for new in range(1000, 1000 + chance.randrange(4)):
        base.change(chance, new, (0, 1))
    game.begin()
    game.write(LOCK, f"{OLD_HEADER}\n")
    game.put(base)
    game.retire(base)
    game.build()
    game.git("add", "-A")
    game.git("commit", "-q", "-m", "base")
    before = numbers(game.parsed_lock, base)

    count = chance.choice([2, 3])
    sides = [base.copy() for _ in range(count)]
    known = []
    for place_, side in enumerate(sides):
        for turn in range(chance.randint(1, 5)):
            side.change(chance, 2000 + 100 * place_ + turn, (place_, count))
        game.commit(f"side{place_}", side)
        known.append(numbers(game.parsed_lock, side))

    outcomes = []
    for order in (range(count), reversed(range(count))):
        first, *rest = order
        game.git("checkout", "-q", "-f", f"side{first}")
        game.git("checkout", "-q", "-b", f"merged{first}")
        taken = [sides[first]]
        for other in rest:
            taken.append(sides[other])
            result = merged(base, sorted(taken, key=sides.index))
            game.merge(f"side{other}", result, chance.choice(["ours", "theirs"]))
        assert_sound(game, result)
        now = numbers(game.parsed_lock, result)
        for table in (before, *known):
            for each in now.keys() & table.keys():
                assert now[each] >= table[each], each
        generated = {p: t for p, t in game.files().items() if "_savegen/" in p}
        outcomes.append((game.read(LOCK), generated))
    assert outcomes[0] == outcomes[1]

"""Plain objects that hold one another: whole in memory, and cut in a file where it must be."""

from __future__ import annotations

from pathlib import Path

from tests.project import Project

GAME = """
    from __future__ import annotations
    from collections import Counter
    from dataclasses import dataclass, field
    from typing import NamedTuple
    from savegen import Saved, saveable
    from _savegen.components.game import TrainSaveLoad

    @dataclass
    class Wagon:
        load: int
        next: Wagon | None

    @dataclass
    class Long(Wagon):
        seats: int = 3

    @dataclass
    class Tree:
        children: list[Tree] = field(default_factory=list)

    class Loose(list): ...
    class Votes(Counter[str]): ...

    @dataclass
    class Lever:
        pulled: int
        name: str = ""

    @saveable
    class Train(TrainSaveLoad):
        first: Saved[Wagon | None] = None
        tree: Saved[Tree]
        levers: Saved[list[Lever]]
        brake: Saved[Lever | None]
        lamp: Saved[int]
        loose: Saved[Loose]
        votes: Saved[Votes]

        def __init__(self) -> None:
            self.tree, self.levers, self.brake, self.lamp = Tree(), [], None, len("a")
            self.loose, self.votes = Loose(), Votes()

    def chain(length):
        wagon = None
        for load in range(length, 0, -1):
            wagon = (Long if load % 2 else Wagon)(load, wagon)
        return wagon

    def loads(wagon):
        found = []
        while wagon is not None:
            found.append((type(wagon).__name__, wagon.load))
            wagon = wagon.next
        return found

    def deep_tree(depth):
        return Tree([deep_tree(depth - 1)] if depth > 1 else [])

    def height(tree):
        return 1 + max(map(height, filter(None, tree.children)), default=0)

    def nested(depth):
        return Loose([nested(depth - 1)] if depth > 1 else [])

    def levels(value):
        return 1 + max(map(levels, value), default=0) if isinstance(value, list) else 0
"""

SCRIPT = """
from _savegen.registry import REGISTRY
from game import *
from savegen.runtime.errors import SaveError
from savegen.runtime import SaveLoadManager
from savegen.saves import SaveSlots

def a_train():
    manager = SaveLoadManager(REGISTRY)
    return manager.add(Train()), manager

train, manager = a_train()
train.first, train.tree = chain(100), deep_tree(70)
snapshot = manager.create_snapshot()
wagon = train.first
while wagon:
    wagon.load, wagon = 0, wagon.next
manager.apply_snapshot(snapshot)
assert loads(train.first) == loads(chain(100)) and height(train.tree) == 70
try:
    manager.create_snapshot(strict=True)
except SaveError as error:
    assert "`Train.first…`" in str(error) and "mark `Wagon` with `@saveable`" in str(error)
else:
    raise AssertionError("strict")

# Of a longer chain, the end is the living object, and as good as the rest.
train.first = longest = chain(300)
snapshot = manager.create_snapshot()
train.first = None
report = manager.apply_snapshot(snapshot)
assert not report.mismatches and loads(train.first) == loads(longest), report

slots = SaveSlots("saves")
for length in (100, 300):
    train.first = chain(length)
    report = slots.save("one", manager)
    assert not report.mismatches, report
    told = [f"{each.where} {each.value}" for each in report.lost]
    assert len(told) == 2, told
    assert all("nested more than 64 deep; mark" in each for each in told), told
    other, loading = a_train()
    slots.load("one", loading)
    (other,) = loading.objects
    assert loads(other.first) == loads(chain(length))[:64]
    assert height(other.tree) == 64

# A surprise in another field changes none of this, although the table then packs the object.
train, manager = a_train()
for depth in (40, 64, 100):
    train.first, train.tree, train.lamp = chain(depth), deep_tree(depth), print
    snapshot = manager.create_snapshot()
    train.first = train.tree = None
    manager.apply_snapshot(snapshot)
    assert loads(train.first) == loads(chain(depth)) and height(train.tree) == depth
    report = slots.save("odd", manager)
    cut = {"Train.first…", "Train.tree…"} if depth > 64 else set()
    assert {each.where for each in report.lost} == {"Train.lamp", *cut}, report
    other, loading = a_train()
    slots.load("odd", loading)
    (other,) = loading.objects
    assert loads(other.first) == loads(chain(depth))[:64]
    assert height(other.tree) == min(depth, 64)

# What no field declares is cut at the same depth, in which each container counts.
for depth in (32, 33, 64, 65):
    train, manager = a_train()
    train.lamp, train.brake = chain(depth), deep_tree(depth)
    train.loose, train.votes = Loose([chain(depth)]), nested(depth)
    slots.save("undeclared", manager)
    snapshot = manager.create_snapshot()
    train.lamp = train.brake = train.loose = train.votes = None
    for each in (snapshot, "undeclared"):
        if each is snapshot:
            manager.apply_snapshot(snapshot)
            limit = 1000
        else:
            other, manager = a_train()
            slots.load("undeclared", manager)
            (train,) = manager.objects
            limit = 64
        assert loads(train.lamp) == loads(chain(depth))[:limit]
        assert height(train.brake) == min(depth, limit // 2)
        # In a list that is not as it was declared, the list and its class count, too.
        whole = depth if depth <= limit else limit - 2
        assert loads(train.loose[0]) == loads(chain(depth))[:whole]
        # A subclass counts as much as what it has the content of.
        assert levels(train.votes) == min(depth, limit // 2)

# What a subclass of a container cannot hold costs no more than the subclass, and nothing in memory.
train, manager = a_train()
train.votes, train.lamp = Votes({"a": 1.5}), [Votes({"a": 1}), Votes({"a": 1.5})]
snapshot = manager.create_snapshot()
train.votes = train.lamp = None
manager.apply_snapshot(snapshot)
assert train.votes == Votes({"a": 1.5}) and train.lamp[1]["a"] == 1.5
report = slots.save("votes", manager)
assert [each.where for each in report.lost] == ["Train.lamp[1]", "Train.votes"], report

train, manager = a_train()
train.levers, train.brake, train.lamp = [Lever(1), Lever(print)], Lever(print, "b"), print
report = slots.save("two", manager)
told = {each.where: each.value for each in report.lost}
assert {*told} == {"Train.levers[1].pulled", "Train.brake.pulled", "Train.lamp"}, told
assert told["Train.lamp"].endswith("`Train.lamp` has no default, so a load leaves it unset"), told
manager = SaveLoadManager(REGISTRY)
report = slots.load("two", manager)
(train,) = manager.objects
assert train.levers == [Lever(1), None] and train.brake is None, report
assert "`Train.lamp` of object #1 is not set" in str(report), report
"""


def test_only_what_is_nested_too_deeply_is_lost_and_only_in_a_file(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, {"game.py": GAME})
    project.run("-m", "savegen", "build", "--quiet", "game.py")
    project.script(SCRIPT)


RINGS = """
    from __future__ import annotations
    from dataclasses import dataclass, field
    from typing import NamedTuple
    from savegen import Saved, saveable
    from _savegen.components.game import WorldSaveLoad

    class Ring(list["Node"]): ...

    class Pair(NamedTuple):
        left: Node | None
        right: int

    @dataclass(eq=False)
    class Node:
        name: str
        next: Node | None = None
        others: list[Node] = field(default_factory=list)
        by_name: dict[str, tuple[Node, ...]] = field(default_factory=dict)
        pair: Pair | None = None
        ring: Ring = field(default_factory=Ring)

    @dataclass(frozen=True)
    class Fixed:
        held: list[Fixed]

    @saveable
    class World(WorldSaveLoad):
        node: Saved[Node | None] = None
        nodes: Saved[list[Node]]
        fixed: Saved[Fixed | None] = None

        def __init__(self) -> None:
            self.nodes = []

    def two():
        first, second = Node("first"), Node("second")
        first.next, second.next = second, first
        return first

    def of_everything():
        node = Node("a")
        node.others = [Node("b", others=[node, Node("c")])]
        node.by_name, node.pair = {"a": (node,)}, Pair(node, 1)
        node.ring.append(node)
        return node

    def fixed():
        made = Fixed([])
        made.held.append(made)
        return made
"""

RINGS_SCRIPT = """
from _savegen.registry import REGISTRY
from game import *
from savegen.runtime import History, SaveLoadManager
from savegen.saves import decode, encode
from tests.oracle import difference

for name, make in {
    "node": two, "nodes": lambda: [two(), Node("alone"), two()], "node ": of_everything,
    "fixed": fixed,
}.items():
    manager = SaveLoadManager(REGISTRY)
    world = manager.add(World())
    setattr(world, name.strip(), make())
    name, snapshot = name.strip(), manager.create_snapshot()
    digest = snapshot.digest()
    for turn in range(3):
        setattr(world, name, Node("other"))
        manager.apply_snapshot(snapshot)
        assert not (found := difference(make(), getattr(world, name))), (name, turn, found)
        snapshot = manager.create_snapshot()
        assert snapshot.digest() == digest, (name, turn)
    history = History(manager)
    history.record()
    world.nodes = [*world.nodes, Node("new")]
    history.record()
    history.rewind(1)
    assert not (found := difference(make(), getattr(world, name))), (name, found)
    assert {each.value for each in snapshot.lost} == {"it contains itself"}, name
    # A file has what is left without the innermost reference, and that stays.
    data = encode(snapshot)
    for _ in range(2):
        other = SaveLoadManager(REGISTRY)
        other.apply_snapshot(decode(data, REGISTRY))
        again = other.create_snapshot()
        assert not again.lost, again.lost
        data = encode(again)
        assert again.digest() == decode(data, REGISTRY).digest()
"""


def test_a_circle_of_plain_objects_is_the_same_circle_after_any_number_of_loads(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, {"game.py": RINGS})
    project.run("-m", "savegen", "build", "--quiet", "game.py")
    project.script(RINGS_SCRIPT)

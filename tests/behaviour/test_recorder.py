"""What is generated for a Recorder leads from the members of its enumerations to its methods."""

from __future__ import annotations

from pathlib import Path

from tests.project import Project

GAME = """
    from __future__ import annotations
    import dataclasses
    from enum import Enum, auto
    from savegen import Saved, saveable
    from savegen.runtime.snapshots.recorder import Record, Recorder, deserializer, serializer
    from _savegen.components.game import ChildSaveLoad, TeenSaveLoad, ToySaveLoad

    class Moves(Enum):
        JUMP = auto()

    class Jumps:
        height = 0

        def jump(self, height):
            self.height = height
            self.set_dirty(Moves.JUMP)

        @serializer(Moves.JUMP)
        def save_jump(self, record: Record):
            record.save("height", self.height)

        @deserializer(Moves.JUMP)
        def load_jump(self, record: Record):
            record.load("height", lambda height: setattr(self, "height", height))

    @saveable
    class Toy(ToySaveLoad):
        name: Saved[str] = "kite"

    @saveable
    class Child(ChildSaveLoad, Jumps, Recorder):
        class Behaviors(Enum):
            GIVE_TOY = "toy"
            PRESENT = "toy"

        age: Saved[int] = 7
        toy = None

        def give(self, toy):
            self.toy = toy
            self.set_dirty(Child.Behaviors.PRESENT)

        @serializer(Behaviors.PRESENT)
        def __save_toy(self, record: Record):
            record.save("toys", [self.toy])

        @deserializer(Behaviors.GIVE_TOY)
        def __load_toy(self, record: Record):
            record.load("toys", lambda toys: setattr(self, "toy", toys[0]))

    @saveable
    @dataclasses.dataclass(slots=True)
    class Teen(TeenSaveLoad, Child):
        class Behaviors(Enum):
            SULK = 1

        mood: Saved[str] = "fine"

        def save_jump(self, record: Record):
            record.save("height", self.height * 2)

        @serializer(Behaviors.SULK)
        @deserializer(Behaviors.SULK)
        def sulk(self, record: Record): ...
    """

SCRIPT = """
    from game import Child, Jumps, Moves, Teen, Toy
    from savegen.runtime.snapshots.recorder import EMPTY, record_all, replay
    from savegen.runtime.values.folds import typed, untyped
    from tests.behaviour.driver import World
    from _savegen.registry import REGISTRY

    def behaviors(cls):
        return REGISTRY[cls.save_type].behaviors

    assert behaviors(Toy) == {}
    assert [*behaviors(Child)] == ["Moves.JUMP", "Child.Behaviors.GIVE_TOY"]
    assert [*behaviors(Teen)] == [*behaviors(Child), "Teen.Behaviors.SULK"]

    for cls, height in ((Child, 3), (Teen, 6)):
        child, toy, other = cls(), Toy(), Toy()
        here, there = World(toy), World(other)
        assert record_all(child, behaviors(cls), lambda id, v: typed(v, here)) is EMPTY
        child.give(toy)
        child.jump(3)
        saved = record_all(child, behaviors(cls), lambda id, v: typed(v, here))
        assert saved.dirty == ("Child.Behaviors.GIVE_TOY", "Moves.JUMP")
        child.set_dirty(Moves.JUMP, False)
        for world, wanted in ((here, toy), (there, other)):
            new = REGISTRY.new(cls.save_type)
            replay(new, behaviors(cls), saved, lambda id, v: untyped(v, world))
            assert new.toy is wanted and new.height == height
            assert new.is_dirty(Moves.JUMP) and new.is_dirty(Child.Behaviors.GIVE_TOY)
    print("played")
    """


def test_a_recorder_is_saved_and_loaded_by_its_own_methods(tmp_path: Path) -> None:
    project = Project(tmp_path, {"game.py": GAME}).generated("game.py")
    assert project.script(SCRIPT) == "played\n"


def test_a_renamed_method_needs_no_more_than_a_run(tmp_path: Path) -> None:
    project = Project(tmp_path, {"game.py": GAME}).generated("game.py")
    path = tmp_path / "game.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("_jump(", "_the_jump("), encoding="utf-8")
    assert "_savegen/registry.py" in project.components("game.py")
    assert project.script(SCRIPT) == "played\n"


def test_what_is_behind_a_name_in_another_file_counts(tmp_path: Path) -> None:
    """The registry follows when the enumeration, not the class, is what changes."""
    head, _, rest = GAME.partition("class Moves(Enum):")
    moves = "from enum import Enum, auto\nclass Moves(Enum):\n    JUMP = auto()\n"
    game = f"{head}from moves import Moves\n{rest.replace('JUMP = auto()', '', 1)}"
    project = Project(tmp_path, {"game.py": game, "moves.py": moves}).generated(
        "game.py", "moves.py"
    )
    assert project.script(SCRIPT) == "played\n"
    path = tmp_path / "moves.py"
    path.write_text(moves.replace("JUMP", "LEAP"), encoding="utf-8")
    command = ("-m", "savegen", "components", "--no-color", "game.py", "moves.py")
    done = project.try_to_run(*command)
    said = done.stdout + done.stderr
    assert done.returncode == 1 and said.count("error[SG130]") == 2, said

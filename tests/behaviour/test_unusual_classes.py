"""Metaclasses, decorators that put another class in place, conditions, circles of imports."""

from __future__ import annotations

import pytest

from tests.project import Project

GAME = """
    from __future__ import annotations

    import abc
    import functools
    import sys
    from typing import TYPE_CHECKING, final

    from savegen import Saved, saveable
    from _savegen.components import game as made

    if TYPE_CHECKING:
        from other import Cart

    class Meta(type):
        registered = []

        def __new__(meta, name, bases, namespace, **options):
            cls = super().__new__(meta, name, bases, namespace)
            meta.registered.append(name)
            return cls

        def __init__(cls, name, bases, namespace, **options):
            super().__init__(name, bases, namespace)
            cls.options = options

        def __call__(cls, *args):
            thing = super().__call__(*args)
            thing.count += 1
            return thing

        def __bool__(cls):
            return False

    @saveable
    class Lamp(made.LampSaveLoad, metaclass=Meta, watts=3):
        count: Saved[int] = 0
        twin: Saved[Lamp | None] = None

    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self): ...

    @saveable
    class Square(made.SquareSaveLoad, Shape):
        side: Saved[float] = 2.0

        def area(self):
            return self.side ** 2

    def subclassed(cls):
        @functools.wraps(cls, updated=())
        class Wrapped(cls):
            extra = True
        return Wrapped

    def copied(cls):
        namespace = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        return type(cls)(cls.__name__, cls.__bases__, namespace)

    @copied
    @final
    @saveable
    @functools.total_ordering
    class Box(made.BoxSaveLoad):
        size: Saved[int] = 1

        def __lt__(self, other):
            return self.size < other.size

        def __eq__(self, other):
            return self.size == other.size

    @subclassed
    @saveable
    class Bag(made.BagSaveLoad):
        size: Saved[int] = 1

    if sys.version_info >= (3, 0):
        @saveable
        class Door(made.DoorSaveLoad):
            open: Saved[bool] = False
    else:
        Door = None

    try:
        import no_such_module
    except ImportError:
        @saveable
        class Horse(made.HorseSaveLoad):
            cart: Saved[Cart | None] = None

    class Room:
        @saveable
        class Chest(made.RoomChestSaveLoad):
            gold: Saved[int] = 5

            class Lock:
                pass

    class Plugin:
        def __init_subclass__(cls, /, kind, **kwargs):
            super().__init_subclass__(**kwargs)
            cls.kind = kind

    @saveable
    class Spell(made.SpellSaveLoad, Plugin, kind="fire"):
        cost: Saved[int] = 3

    @saveable
    class Single(made.SingleSaveLoad):
        level: Saved[int] = 0
        _only = None

        def __new__(cls):
            if cls._only is None:
                cls._only = super().__new__(cls)
            return cls._only
"""

OTHER = """
    from savegen import Saved, saveable
    from _savegen.components.other import CartSaveLoad
    import game

    @saveable
    class Cart(CartSaveLoad):
        horse: "Saved[game.Horse | None]" = None
"""

PYPROJECT = """
    [tool.savegen]
    source = ["game.py", "other.py"]
    output = "_savegen"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {"game.py": GAME, "other.py": OTHER, "pyproject.toml": PYPROJECT}
    made = Project(tmp_path_factory.mktemp("game"), files)
    said = made.components()
    assert "error" not in said and "warning" not in said, said
    return made


def test_unusual_classes_are_saved_like_any_other(project: Project) -> None:
    assert project.script("""
        from _savegen.registry import REGISTRY
        from game import *
        from other import Cart
        from savegen.runtime import SaveLoadManager

        manager = SaveLoadManager(REGISTRY)
        lamp, square, box, door = Lamp(), Square(), Box(), Door()
        horse, chest, spell, single = Horse(), Room.Chest(), Spell(), Single()
        assert lamp.count == 1 and not Lamp
        lamp.twin, horse.cart = lamp, Cart()
        horse.cart.horse = horse
        things = [lamp, square, box, door, horse, chest, spell, single]
        for thing in things:
            manager.add(thing)
        before = manager.create_snapshot()
        text = before.digest()

        lamp.count, square.side, box.size, door.open = 9, 9.0, 9, True
        chest.gold, spell.cost, horse.cart.horse, single.level = 9, 9, None, 9
        manager.apply_snapshot(before)
        assert manager.create_snapshot().digest() == text
        assert (lamp.count, square.area(), box.size, door.open) == (1, 4.0, 1, False)
        assert horse.cart.horse is horse and lamp.twin is lamp

        for thing in things:
            manager.destroy(thing)
        manager.apply_snapshot(before)
        assert manager.create_snapshot().digest() == text
        (made,), (again,) = manager.find(Lamp), manager.find(Box)
        assert made.twin is made and made.count == 1 and again == Box()
        print(len(list(manager.objects)))
        """) == "8\n"


def test_a_class_that_a_decorator_replaces_by_a_subclass_is_refused(
    project: Project,
) -> None:
    assert (
        project.script("""
        from _savegen.registry import REGISTRY
        from game import Bag
        from savegen.runtime import SaveError, SaveLoadManager

        try:
            SaveLoadManager(REGISTRY).add(Bag())
        except SaveError as error:
            print(error)
        """)
        == (
            "`Bag` is not marked `@saveable`, but its base is: mark it too and run"
            " `savegen build`\n"
        )
    )

"""Which names a file takes from savegen in vain, and which only look so."""

import pytest

from savegen.build.scan.facts import read_facts
from savegen.build.scan.missing import MissingName
from savegen.build.source import SourceFile
from tests.project import python


def missing(text: str) -> tuple[MissingName, ...]:
    return read_facts(SourceFile("game.py", "game", text.encode())).missing


def marked(text: str) -> list[str]:
    """Return what the spans of the faults of a text hold, in its order."""
    lines = text.splitlines()
    spans = sorted(each.span for each in missing(text))
    return [
        lines[span.line - 1][span.column - 1 : span.end_column - 1] for span in spans
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from savegen import Savd", ["Savd"]),
        ("from savegen import Saved, Savd as Saved2, savable", ["Savd", "savable"]),
        ("from savegen import (\n  Saved,\n  Savd,\n)", ["Savd"]),
        ("x = 'é'; from savegen import Savd", ["Savd"]),
        ("def f():\n    from savegen import Savd", ["Savd"]),
        ("import savegen\n@savegen.savable\nclass A: ...", ["savable"]),
        ("import savegen as sg\nclass A:\n  x: sg.Savd[int]", ["Savd"]),
        ("import savegen as sg\né = sg.Savd[int], sg.prefb", ["Savd", "prefb"]),
        ("import savegen as sg\nx = sg.runtime.Snapshat", ["Snapshat"]),
        ("import savegen.runtime\nx = savegen.runtime.Snapshat", ["Snapshat"]),
        ("import savegen.runtime as r\nx = r.Snapshat", ["Snapshat"]),
        ("from savegen import runtime as r\nx = r.Snapshat", ["Snapshat"]),
        ("from savegen.runtime import Snapshat", ["Snapshat"]),
        ("from savegen.saves import SaveSlts", ["SaveSlts"]),
        ("from savegen.levels import load_levl", ["load_levl"]),
        ("import os, savegen.runtme", ["runtme"]),
        ("from savegen.runtime.savs import SaveSlots", ["savs"]),
        (
            "from typing import *\nif TYPE_CHECKING:\n  from savegen import Savd",
            ["Savd"],
        ),
        ("if typing.TYPE_CHECKING:\n  from savegen import Savd", ["Savd"]),
        ("import savegen\nwith savegen.Recordr() as r:\n  pass", ["Recordr"]),
        ("import savegen\nassert hasattr(savegen, 'x')\nsavegen.y", ["y"]),
        ("import savegen\nassert hasattr(mine, 'x')\nsavegen.x", ["x"]),
        ("import savegen\nmine.x = 3\nsavegen.x", ["x"]),
        ("try:\n  from savegen import Savd\nfinally:\n  pass", ["Savd"]),
    ],
)
def test_a_name_that_savegen_lacks_is_found_at_its_place(text, names):
    assert marked(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "from savegen import Saved, saveable, prefab, Activation, SaveError",
        "from savegen import runtime, levels, saves, build",
        "from savegen import *",
        "from savegen.runtime import Saved, testing, values",
        "from savegen.saves import SaveSlots, slots",
        "from savegen.runtime.values.rows import anything",
        "import savegen, savegen.levels, savegen.saves as s\ns.SaveSlots",
        "import savegen\nsavegen.__version__, savegen.saves.slots",
        "import savegen\nsavegen.mine = 1",
        "try:\n  from savegen import Newest\nexcept ImportError:\n  Newest = None",
        "try:\n  x = 1\nexcept ImportError:\n  from savegen import Oldest",
        "try:\n  import savegen\nexcept ImportError:\n  savegen = None\nsavegen.x",
        "import contextlib\nwith contextlib.suppress(ImportError):\n  from savegen import N",
        "import savegen\nif hasattr(savegen, 'x'):\n  savegen.x",
        "import savegen\ny = savegen.x if hasattr(savegen, 'x') else 1",
        "import savegen\ny = hasattr(savegen, 'x') and savegen.x",
        "import savegen\ndef f():\n  if not hasattr(savegen, 'x'): return\n  savegen.x",
        "import savegen\nassert hasattr(savegen, 'x')\nsavegen.x",
        "import savegen\nassert hasattr(savegen, 'x')\nfrom savegen import x",
        "import savegen\nsavegen.custom = 3; print(savegen.custom)",
        "import savegen\nmonkeypatch.setattr(savegen, 'x', 3); savegen.x",
        "import savegen\ngetattr(savegen, 'x', None) or exit()\nsavegen.x",
        "import savegen.runtime as r\nr.custom: int = 3\nr.custom",
        "import pytest\nwith pytest.raises(ImportError):\n  from savegen import Q",
        "async def f():\n  async with expected():\n    from savegen import Q",
        "import savegen as sg\ndef f(sg): sg.add",
        "import savegen as sg\nsg = pygame.sprite.Group()\nsg.add",
        "import savegen as sg\nfor sg in x: sg.add",
        "import savegen as sg\nfrom pygame import sprite as sg\nsg.add",
        "from . import savegen\nsavegen.x",
        "from game import savegen\nsavegen.x",
        "from .savegen import x",
        "from savegenial import Savd\nimport savegenial\nsavegenial.savegen",
        "mine.savegen.x",
        "# from savegen import Savd",
    ],
)
def test_what_savegen_has_or_the_game_expects_to_fail_is_no_fault(text):
    assert not missing(text)


def test_modules_are_found_without_loading_them():
    program = (
        "import sys; from savegen.build.scan.exported import may_have_name\n"
        "assert may_have_name('savegen', 'saves')\n"
        "assert not may_have_name('savegen', 'savs')\n"
        "print(not {'savegen.runtime', 'savegen.saves'}.isdisjoint(sys.modules))"
    )
    assert python("-c", program) == "False\n"

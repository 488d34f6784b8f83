"""Which files can use marks: found by what their imports mean, not by how they are spelled."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from savegen import disk, runtime
from savegen.runtime import marks
from savegen.build.scan.discover import (
    MarkedFiles,
    _NameResolver,
    find_marked,
)
from savegen.build.scan.facts import Binding, Facts, read_facts
from savegen.build.scan.marks import MARKS
from savegen.build.source import Project, SourceFile

USE = "class Goblin:\n    hp: {}[int] = 7\n"
MARKED = "from savegen import Saved\n" + USE.format("Saved")


class Disk:
    """A project on disk that knows which of its files were read, and how often."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.paths: dict[str, str] = {}
        self.read: list[str] = []
        self._real = disk.read
        monkeypatch.setattr(disk, "read", self._read)

    def _read(self, path: str) -> bytes:
        self.read.append(Path(path).relative_to(self.root).as_posix())
        return self._real(path)

    def put(self, **files: str | bytes) -> None:
        """Write modules; `__` in a name stands for a dot, and packages come by themselves."""
        for name, text in files.items():
            module = name.replace("__", ".")
            data = text.encode() if isinstance(text, str) else text
            self.paths[module] = module.replace(".", "/") + ".py"
            path = self.root / self.paths[module]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def package(self, module: str, text: str = "") -> None:
        self.paths[module] = module.replace(".", "/") + "/__init__.py"
        path = self.root / self.paths[module]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def project(self) -> Project:
        return Project(str(self.root), dict(self.paths))

    def find(self, before: MarkedFiles | None = None, changed: str = "") -> MarkedFiles:
        """Find what is marked, with what an earlier run left but for `changed` files."""
        self.read.clear()
        if before is None:
            return find_marked(self.project(), {})
        stored = msgspec.msgpack.decode(
            msgspec.msgpack.encode(before), type=MarkedFiles
        )
        kept = {m: f for m, f in stored.facts.items() if m not in changed.split()}
        return find_marked(self.project(), kept, stored.exports)

    def marked(self) -> list[str]:
        """Find what is marked, in a first run and again with all that it left."""
        first = self.find()
        assert self.find(first).modules == first.modules
        assert self.read == []
        return list(first.modules)


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(tmp_path, monkeypatch)


def source(data: bytes | str) -> SourceFile:
    encoded = data.encode() if isinstance(data, str) else data
    return SourceFile("game.py", "game", encoded)


# -- one file


@pytest.mark.parametrize(
    "text",
    [
        MARKED,
        "from savegen import Saved as S\n" + USE.format("S"),
        "import savegen\n" + USE.format("savegen.Saved"),
        "import savegen as sg\n" + USE.format("sg.Saved"),
        "import savegen as sg\n" + USE.format("sg . Saved"),
        "import savegen as sg\nclass A:\n    x: (\n  sg\n  .Saved[int])\n",
        "import savegen as sg\nclass A:\n    x: sg.\\\n  Saved[int]\n",
        "import savegen as sg\nclass A:\n    x: 'sg.Saved[int]'\n",
        "import savegen.runtime\n" + USE.format("savegen.runtime.Saved"),
        "import savegen.runtime.marks as m\n" + USE.format("m.Saved"),
        "from savegen import runtime\n" + USE.format("runtime.Saved"),
        "from savegen.runtime import Saved\n" + USE.format("Saved"),
        "from savegen.runtime.marks import Saved\n" + USE.format("Saved"),
        "from savegen import (\n    SaveError,  # (sic)\n    Saved,\n)\n"
        + USE.format("Saved"),
        "from savegen import *\n" + USE.format("Saved"),
        "import os; from savegen import Saved\n" + USE.format("Saved"),
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from savegen import Saved\n" + USE.format("'Saved'"),
        "try:\n    from savegen import Saved\nexcept ImportError:\n    Saved = list\n"
        + USE.format("Saved"),
        "try:\n    import fast\nexcept ImportError:\n    from savegen import Saved\n"
        + USE.format("Saved"),
        "try:\n    import fast\nfinally:\n    from savegen import Saved\n"
        + USE.format("Saved"),
        "if 0:\n    import fast\nelse:\n    from savegen import Saved\n"
        + USE.format("Saved"),
        "match 1:\n    case 1:\n        from savegen import Saved\n"
        + USE.format("Saved"),
        "def make():\n    from savegen import saveable\n"
        "    @saveable\n    class Local: ...\n",
        "def make():\n    import savegen as sg\n"
        "    @sg.saveable\n    class Local: ...\n",
        "class Outer:\n    from savegen import Saved\n    x: Saved[int]\n",
        "import savegen as sg\nS = sg.Saved\n" + USE.format("S"),
        "import savegen as a\nb = a\n" + USE.format("b.Saved"),
        "from savegen import Save\nfrom typing import Annotated\n"
        "class A:\n    x: Annotated[int, Save()]\n",
        "from savegen import on_activate\n"
        "class A:\n    @on_activate\n    def wake(self, reason): ...\n",
    ],
)
def test_a_file_that_can_use_a_mark_is_found(game: Disk, text: str) -> None:
    game.put(goblin=text)
    assert game.marked() == ["goblin"]


@pytest.mark.parametrize(
    "text",
    [
        "class Goblin:\n    hp = 7\n",
        "# from savegen import Saved\n" + USE.format("Saved"),
        '"""from savegen import Saved"""\n' + USE.format("Saved"),
        'HELP = """\nfrom savegen import Saved\n"""\n' + USE.format("list"),
        "from savegen import SaveLoadManager\nclass World: ...\n",
        "import savegen\nclass World:\n    m = savegen.SaveLoadManager()\n",
        "import savegen\nclass World:\n    title = 'Save'\n    Saved = 1\n",
        "import savegen\nclass World:\n    def f(self):\n        self.Save.x()\n",
        "from savegen import *\nclass World:\n    m = SaveLoadManager()\n",
        "from savegen import *\nclass Menu:\n    def f(self):\n        g().Saved\n",
        "from mygame._savegen import Saved\n" + USE.format("Saved"),
        "from mygame._savegen.components.goblin import Saved\n" + USE.format("Saved"),
        "from savegenerator import Saved\n" + USE.format("Saved"),
        "from mygame.savegen import Saved\n" + USE.format("Saved"),
        "from .savegen import Saved\n" + USE.format("Saved"),
        "from .. import savegen\n" + USE.format("savegen.Saved"),
        "from savegen import saveable\n",
        "from savegen import Saved\nHp = Saved[int]\n",
        "class Saveable:\n    'It is saveable, is Saved.'\n",
    ],
)
def test_a_file_that_holds_no_mark_is_left_alone(game: Disk, text: str) -> None:
    game.put(goblin=text, elf=MARKED)
    assert game.marked() == ["elf"]


@pytest.mark.parametrize("word", MARKS)
def test_every_word_of_the_list_is_one_that_games_can_import(word: str) -> None:
    assert hasattr(runtime, word)


@pytest.mark.parametrize("word", MARKS)
def test_every_word_of_the_list_marks(game: Disk, word: str) -> None:
    game.put(goblin=f"from savegen import {word}\nclass A: ...\n")
    assert game.marked() == ["goblin"]


# -- other files' names


def test_marks_are_found_under_another_name_without_the_word_savegen(
    game: Disk,
) -> None:
    game.put(
        mygame__marks="from savegen import saveable as keep, Saved as Kept\n",
        mygame__goblin="from mygame.marks import Kept\n" + USE.format("Kept"),
        mygame__troll="from .marks import keep\n@keep\nclass Troll: ...\n",
        mygame__orc="from .marks import Saved\n" + USE.format("Saved"),
        mygame__menu="from other.marks import keep\n@keep\nclass Menu: ...\n",
    )
    assert game.marked() == ["mygame.goblin", "mygame.troll"]


HUB = "from savegen import Saved as Kept, saveable\nimport savegen as sg\n"


@pytest.mark.parametrize(
    "text",
    [
        "from mygame.core.hub import Kept\n" + USE.format("Kept"),
        "from mygame.core.hub import Kept as K\n" + USE.format("K"),
        "from mygame.core.hub import *\n" + USE.format("Kept"),
        "from mygame.core.hub import *\n" + USE.format("sg.Saved"),
        "from mygame.core.hub import sg\n" + USE.format("sg.Saved"),
        "from mygame.core.hub import sg as s\n" + USE.format("s.Saved"),
        "import mygame.core.hub\n" + USE.format("mygame.core.hub.Kept"),
        "import mygame.core.hub as h\n" + USE.format("h.Kept"),
        "import mygame.core.hub as h\n" + USE.format("h.sg.Saved"),
        "import mygame\n" + USE.format("mygame.core.hub.Kept"),
        "from mygame import core\n" + USE.format("core.hub.Kept"),
        "from mygame.core import hub\n" + USE.format("hub.Kept"),
        "from mygame.core import hub as h\n" + USE.format("'h.Kept'"),
        "from mygame.core import (\n  vec,  # (x, y)\n  hub,\n)\n"
        + USE.format("hub.Kept"),
        "from mygame.core \\\n  import vec, \\\n  hub\n" + USE.format("hub.Kept"),
        "from ..core.hub import Kept\n" + USE.format("Kept"),
        "from ..core import hub\n" + USE.format("hub.Kept"),
        "from .. import core\n" + USE.format("core.hub.Kept"),
        "from ... import mygame\n" + USE.format("list") + "# too many dots\n",
        "if 1:\n    from ..core.hub import Kept\n" + USE.format("Kept"),
        "def f():\n    from ..core.hub import saveable\n"
        "    @saveable\n    class A: ...\n",
    ],
)
def test_a_name_is_followed_through_imports(game: Disk, text: str) -> None:
    game.put(
        mygame__core__hub=HUB,
        mygame__core__vec="class Vec: ...\n",
        mygame__actors__goblin=text,
    )
    expected = [] if "too many dots" in text else ["mygame.actors.goblin"]
    assert game.marked() == expected


@pytest.mark.parametrize(
    "text",
    [
        "from mygame.core.vec import Kept\n" + USE.format("Kept"),
        "from elsewhere.hub import Kept\n" + USE.format("Kept"),
        "from elsewhere import *\n" + USE.format("Kept"),
        "from mygame.core.vec import *\n" + USE.format("Kept"),
        "from mygame.core.hub import other\nclass Kept: ...\n",
        "from mygame.core.hub import *\nclass A:\n    'UnKept, Keptish, éKept.'\n",
        "from mygame.core.local import Kept\n" + USE.format("Kept"),
        "import mygame.core.hub\nclass A:\n    Kept = 1\n",
        "import mygame.core.hub as h\nclass A:\n    x = h.KEPT\n",
        "import mygame.core.vec as hub\n" + USE.format("hub.Kept"),
        "from .hub import Kept\n" + USE.format("Kept"),
        "from . import hub\n" + USE.format("hub.Kept"),
        "class Kept: ...\n",
        "# from mygame.core.hub import Kept\nclass Kept: ...\n",
        "'''\nfrom mygame.core.hub import Kept\n'''\nclass Kept: ...\n",
    ],
)
def test_the_same_word_with_another_meaning_is_left_alone(
    game: Disk, text: str
) -> None:
    game.put(
        mygame__core__hub=HUB,
        mygame__core__vec="class Vec: ...\n",
        mygame__core__local="def f():\n    from savegen import Saved as Kept\n",
        mygame__actors__goblin=text,
    )
    assert game.marked() == []


@pytest.mark.parametrize(
    ("alias", "use"),
    [
        ("import savegen as sg\nkeep = sg.saveable\n", "keep"),
        ("import savegen\nkeep = also = savegen.runtime.saveable\n", "also"),
        ("from savegen import Saved\nHp = Saved[int]\n", "Hp"),
        ("from savegen import Saved\nHp: 'TypeAlias' = Saved[int]\n", "Hp"),
        ("from savegen import Save\nHp = Annotated[int, Save(ge=0)]\n", "Hp"),
        ("from savegen import Saved\nHp = Saved[int] | None\n", "Hp"),
        ("import savegen as sg\na, Hp = 1, sg.Saved\n", "Hp"),
        ("from savegen import saveable\nkeep = saveable(override=True)\n", "keep"),
        ("if 1:\n    from savegen import Saved\n    Hp = Saved\n", "Hp"),
        ("from savegen import Saved\nwith x:\n    Hp = Saved\n", "Hp"),
        ("from savegen import Saved\ntype Hp = Saved[int]\n", "Hp"),
        ("from savegen import Saved\ntype Hp[T] = Saved[T]\n", "Hp"),
        ("from savegen import Saved as сохранено\n", "сохранено"),
    ],
)
def test_an_alias_at_module_level_is_an_export(
    game: Disk, alias: str, use: str
) -> None:
    game.put(
        hub=alias,
        goblin=f"from hub import {use}\n" + USE.format(use),
        troll=f"import hub\n" + USE.format(f"hub.{use}"),
    )
    # Where `type` is not known yet, the hub is broken, and so marked.
    found = [module for module in game.marked() if module != "hub"]
    assert found == ["goblin", "troll"]


@pytest.mark.parametrize(
    "hub",
    [
        "def f():\n    from savegen import Saved as Kept\n",
        "class Marks:\n    from savegen import Saved as Kept\n",
        "def f():\n    import savegen\n    Kept = savegen.Saved\n",
        "from savegen import SaveLoadManager\nKept = SaveLoadManager()\n",
        "from savegen import Saved\nKept = [Saved]\n",
        "from savegen import Saved\nKept = {'a': Saved}\n",
        "from savegen import Saved\nKept = describe(Saved)\n",
    ],
)
def test_what_is_no_name_for_a_mark_is_not_exported(game: Disk, hub: str) -> None:
    game.put(hub=hub, goblin="from hub import Kept\n" + USE.format("Kept"))
    assert "goblin" not in game.marked()


def test_a_package_exports_what_its_init_binds(game: Disk) -> None:
    game.package("mygame", "from .core import keep\nfrom . import core as c\n")
    game.package("mygame.core", "from ._marks import *\n")
    game.put(
        mygame__core___marks="from savegen import saveable as keep\n",
        mygame__a="from . import keep\n@keep\nclass A: ...\n",
        mygame__b="from mygame import keep\n@keep\nclass B: ...\n",
        mygame__core__c="from .. import keep\n@keep\nclass C: ...\n",
        mygame__core__d="from . import keep\n@keep\nclass D: ...\n",
        e="import mygame\n@mygame.keep\nclass E: ...\n",
        f="import mygame\n@mygame.c.keep\nclass F: ...\n",
        g="from mygame import c\n@c.keep\nclass G: ...\n",
    )
    names = "e f g mygame.a mygame.b mygame.core.c mygame.core.d".split()
    assert game.marked() == names


def test_a_chain_of_many_hops_that_rename_is_followed_to_its_end(game: Disk) -> None:
    game.put(hop0="from savegen import Saved as n0\n")
    for n in range(1, 40):
        game.put(**{f"hop{n}": f"from hop{n - 1} import n{n - 1} as n{n}\n"})
    game.put(goblin="from hop39 import n39\n" + USE.format("n39"))
    assert game.marked() == ["goblin"]


def test_a_chain_of_star_imports_is_followed_to_its_end(game: Disk) -> None:
    game.put(hop0="from savegen import Saved as Kept\n")
    for n in range(1, 40):
        game.put(**{f"hop{n}": f"from hop{n - 1} import *\n"})
    game.put(goblin="from hop39 import Kept\n" + USE.format("Kept"))
    game.put(troll="from hop39 import *\n" + USE.format("Kept"))
    assert game.marked() == ["goblin", "troll"]


def test_a_module_under_another_name_is_followed(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable as keep\n",
        goblin="import hub as h\nm = h\n@m.keep\nclass Goblin: ...\n",
        keeper="import hub as h\nif 1:\n    m = h  # again\n",
        troll="from keeper import m\n@m.keep\nclass Troll: ...\n",
    )
    assert game.marked() == ["goblin", "troll"]


def test_a_name_that_only_turns_up_on_the_way_is_an_export_too(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable as keep\n",
        strange="import hub as h\nlocked = (h. # or so\n  keep)\n",
        goblin="import strange\n@strange.h.keep\nclass Goblin: ...\n",
        troll="from strange import locked\n@locked\nclass Troll: ...\n",
    )
    assert game.marked() == ["goblin", "troll"]


def test_names_inside_functions_and_classes_are_not_exports(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable as keep\n",
        a="def f():\n    from savegen import saveable as mine\n",
        b="class A:\n    from hub import keep as yours\n",
    )
    assert game.find().exports == ("keep",)


def test_cycles_of_imports_end(game: Disk) -> None:
    game.put(
        a="from b import *\nfrom a import *\nx = x.x\ny = z.y\nz = y.z\n",
        b="from c import *\nfrom a import *\n",
        c="from b import *\nfrom savegen import Saved as Kept\nfrom a import q as Kept\n",
        d="from e import Other as Kept\n",
        e="from d import Kept as Other\n",
        goblin="from a import Kept\n" + USE.format("Kept"),
        troll="from b import *\n" + USE.format("Kept"),
        orc="from e import Other\nfrom d import Kept\n" + USE.format("Kept"),
        elf="from a import x, y, z\n" + USE.format("x.Kept") + USE.format("z.Kept"),
    )
    assert game.marked() == ["goblin", "troll"]


def test_the_answer_for_one_name_in_a_cycle_does_not_spoil_the_next(game: Disk) -> None:
    game.put(
        a="from b import *\nfrom c import *\n",
        b="from a import *\n",
        c="from savegen import Saved as Kept\n",
        goblin="from a import Kept\n" + USE.format("Kept"),
        troll="from b import Kept\n" + USE.format("Kept"),
    )
    assert game.marked() == ["goblin", "troll"]


def test_a_folder_without_init_is_a_package_too(game: Disk) -> None:
    game.put(
        mygame__deep__marks="from savegen import saveable as keep\n",
        goblin="import mygame\n@mygame.deep.marks.keep\nclass Goblin: ...\n",
    )
    assert game.marked() == ["goblin"]


def test_a_file_named_like_an_init_is_no_package(game: Disk) -> None:
    game.put(mygame__marks="from savegen import saveable as keep\n")
    game.put(mygame__old_init="from .marks import keep\n@keep\nclass A: ...\n")
    game.paths["mygame.old_init"] = "mygame/old__init__.py"
    (game.root / "mygame/old_init.py").rename(game.root / "mygame/old__init__.py")
    assert game.marked() == ["mygame.old_init"]


# -- odd text


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + MARKED.encode(),
        MARKED.replace("\n", "\r\n").encode(),
        MARKED.replace("\n", "\r").encode(),
        b"\x0c\n\x0c" + MARKED.encode() + b"\x0c\n",
        MARKED.replace("    ", "\t").encode(),
        MARKED.encode().rstrip(),
        b"# coding: latin-1\nNAME = '\xe9'\n" + MARKED.encode(),
        b"# -*- coding: gbk -*-\nNAME = '\xc4\xe3'\n" + MARKED.encode(),
        b"# coding: utf-7\n" + MARKED.replace("savegen", "s+AGE-vegen").encode(),
        "NAME = 'Ünïcode'\n".encode() + MARKED.encode(),
        MARKED.replace("savegen", "ｓavegen").encode(),
        MARKED.replace("Saved", "𝐒aved").encode(),
        ("import savegen as sg\n" + USE.format("sg.Ｓaved")).encode(),
        b"X = '" + b"x" * 10**6 + b"'\n" + MARKED.encode(),
        b"X = (" + b"1, " * 10**5 + b")\n" + MARKED.encode(),
    ],
    ids=lambda data: repr(data[:30]),
)
def test_text_is_read_as_python_reads_it(game: Disk, data: bytes) -> None:
    compile(data, "goblin.py", "exec")
    game.put(goblin=data)
    assert game.marked() == ["goblin"]
    assert not read_facts(source(data)).broken


def test_names_are_compared_as_python_compares_them_across_files(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable as ｋeep\n",
        goblin="from hub import kee𝐩 as k\n@k\nclass Goblin: ...\n",
        troll="# coding: utf-7\nfrom hub import +AGs-eep\n@keep\nclass Troll: ...\n",
    )
    assert game.marked() == ["goblin", "troll"]


DEEP = {
    "parentheses": "x = " + "(" * 3000 + "1" + ")" * 3000,
    "minus": "x = " + "-" * 100_000 + "1",
    "sum": "x = 1" + " + 1" * 20_000,
    "attributes": "x = a" + ".b" * 20_000,
    "calls": "x = a" + ".b()" * 20_000,
    "lambdas": "x = " + "lambda: " * 3000 + "1",
    "branches": "if 1: pass\n" + "elif 1: pass\n" * 20_000,
    "indentation": "".join(" " * n + "if 1:\n" for n in range(200)) + " " * 200 + "1",
}
BROKEN = {name: text.encode() for name, text in DEEP.items()} | {
    "null": b"x = 1\0\n",
    "syntax": b"def f(:\n",
    "indent": b"  x = 1\n",
    "conflict": b"<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n",
    "python 2": b"print 'hello'\n",
    "not utf-8": b"x = '\xff'\n",
    "unknown coding": b"# coding: klingon\n",
    "not a text coding": b"# coding: rot13\nx = 1\n",
    "coding that refuses": b"# coding: undefined\nx = 1\n",
    "half a character": b"# coding: utf-7\nx = '+2AA-'\n",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_parsed_counts_if_it_names_savegen(
    game: Disk, data: bytes
) -> None:
    game.put(
        goblin=data,
        troll=data + b"\n# savegen\n",
        orc=data + b"\n" + MARKED.encode(),
        elf=MARKED,
    )
    assert game.marked() == ["elf", "orc", "troll"]
    assert read_facts(source(data)).broken


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_parsed_counts_if_it_imports_a_mark(
    game: Disk, data: bytes
) -> None:
    goblin = b"from hub import (a,  # (b)\n  keep)\n@keep\nclass Goblin: ...\n"
    game.put(
        hub="from savegen import saveable as keep\n",
        goblin=data + b"\n" + goblin,
        goblin_cr=data + b"\r" + goblin.replace(b"\n", b"\r") + b"def f(:\r",
        goblin_crlf=data + b"\r\n" + goblin.replace(b"\n", b"\r\n"),
        troll=data + b"\nif 1: import hub as h; x = 1\n@h.keep\nclass Troll: ...\n",
        orc=data + b"\nfrom hub import *\n@keep\nclass Orc: ...\n",
        elf=data + b"\nfrom elsewhere import keep\n@keep\nclass Elf: ...\n",
    )
    assert game.marked() == ["goblin", "goblin_cr", "goblin_crlf", "orc", "troll"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-32-be"])
def test_a_file_in_utf_16_or_32_counts_if_it_imports_a_mark(
    game: Disk, encoding: str
) -> None:
    game.put(
        hub="from savegen import saveable as keep\n",
        goblin="from hub import keep\n@keep\nclass Goblin: ...\n".encode(encoding),
        troll="class Troll: ...\n".encode(encoding),
        orc=MARKED.encode(encoding),
    )
    assert game.marked() == ["goblin", "orc"]


def test_a_hub_that_cannot_be_parsed_still_exports(game: Disk) -> None:
    game.put(
        hub="def f(:\nfrom savegen import saveable as keep\nlocked = keep\n",
        goblin="from hub import keep\n@keep\nclass Goblin: ...\n",
        troll="from hub import locked\n@locked\nclass Troll: ...\n",
    )
    assert game.marked() == ["goblin", "hub", "troll"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "import (\n" * 50_000,
        "from " * 50_000,
        "from . " * 50_000,
        "import " * 50_000,
        "a: b: " * 50_000,
        "keep . " * 50_000,
        "." * 200_000 + "keep",
        "\\\n" * 100_000 + "keep",
        "import keep, \\\n" * 50_000,
        "#" * 200_000 + "import keep",
    ],
    ids=lambda text: text[:12],
)
def test_no_text_takes_long(game: Disk, text: str) -> None:
    game.put(
        hub="from savegen import saveable as keep\n",
        a=f"(\n{text}\nimport keep\n",
        b=f"# savegen\n(\n{text}",
        c=f"'''\n{text}'''\nfrom hub import keep\n@keep\nclass A: ...\n",
    )
    assert game.marked() == ["b", "c"]


def test_warnings_of_the_parser_stay_inside(
    game: Disk, capfd: pytest.CaptureFixture[str]
) -> None:
    game.put(goblin="X = '\\d'\nY = 1if 1else 2\n" + MARKED)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert game.marked() == ["goblin"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert game.marked() == ["goblin"]
    assert not caught
    assert capfd.readouterr().err == ""


# -- what is read, and read again


def test_each_file_is_read_once_and_only_marked_ones_stay_in_memory(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable as keep, Saved as S\nimport savegen as sg\n",
        goblin="from hub import keep\n@keep\nclass Goblin: ...\n",
        troll="from hub import *\n" + USE.format("S"),
        menu="class Menu:\n    S = 1\n",
        other="import os\n",
        plain=MARKED,
    )
    project = game.project()
    assert find_marked(project, {}).modules == ("goblin", "plain", "troll")
    assert sorted(game.read) == sorted(game.paths.values())
    game.read.clear()
    for module in project:
        project.file(module)
    assert sorted(game.read) == ["hub.py", "menu.py", "other.py"]


def test_files_beyond_the_limit_of_memory_are_read_again(
    game: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    game.put(
        hub="from savegen import saveable as keep, Saved as S\n",
        goblin="from hub import keep\n@keep\nclass Goblin: ...\n",
        troll="from hub import *\n" + USE.format("S"),
        plain=MARKED,
    )
    monkeypatch.setattr("savegen.build.scan.discover._MAX_CACHED_BYTES", 100)
    assert game.marked() == ["goblin", "plain", "troll"]
    game.find()
    assert len(game.read) > len(game.paths)


def test_a_file_that_only_mentions_an_export_is_not_parsed(game: Disk) -> None:
    game.put(
        hub="from savegen import Saved as S\n",
        menu="import os\nclass Menu:\n    'S'\n    def f(self):\n        self.S()\n",
        north="import sys\nS = sys\nclass North:\n    x: S\n",
    )
    known = game.find().facts
    assert known["hub"] is not None
    assert known["menu"] is None
    assert known["north"] is None


def test_after_a_change_only_the_changed_file_is_read(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable as keep\nimport savegen as sg\n",
        goblin="from hub import keep\n@keep\nclass Goblin: ...\n",
        troll="import hub\n@hub.sg.saveable\nclass Troll: ...\n",
        menu="class Menu: ...\n",
        plain=MARKED,
    )
    first = game.find()
    game.put(menu="from goblin import keep\n@keep\nclass Menu: ...\n")
    second = game.find(first, changed="menu")
    assert game.read == ["menu.py"]
    assert second.modules == ("goblin", "menu", "plain", "troll")
    game.put(goblin="class Goblin: ...\n")
    third = game.find(second, changed="goblin")
    assert game.read == ["goblin.py"]
    assert third.modules == ("plain", "troll")


def test_a_new_export_is_looked_for_in_files_that_have_not_changed(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable\n",
        goblin="from hub import keep\n@keep\nclass Goblin: ...\n",
        troll="import hub\nfrom hub import saveable\n@hub.keep\nclass Troll: ...\n",
        orc="from troll import *\n@hub.keep\nclass Orc: ...\n",
    )
    first = game.find()
    assert first.modules == ("troll",)
    game.put(hub="from savegen import saveable as keep\n")
    second = game.find(first, changed="hub")
    assert second.modules == ("goblin", "orc", "troll")
    assert second.exports == ("keep",)


def test_an_export_that_goes_takes_its_users_along(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable as keep, Saved as S\n",
        goblin="from hub import keep\n@keep\nclass Goblin: ...\n",
        troll="import hub\n" + USE.format("hub.S"),
    )
    first = game.find()
    assert first.exports == ("S", "keep")
    game.put(hub="from savegen import Saved as S\nkeep = 1\n")
    second = game.find(first, changed="hub")
    assert game.read == ["hub.py"]
    assert second.modules == ("troll",)
    assert second.exports == ("S",)


def test_files_come_and_go(game: Disk) -> None:
    game.put(
        hub="from savegen import saveable as keep\n",
        goblin="from hub import keep\n@keep\nclass Goblin: ...\n",
    )
    first = game.find()
    del game.paths["hub"]
    second = game.find(first)
    assert second.modules == ()
    assert set(second.facts) == {"goblin"}
    game.put(hub="from savegen import saveable as keep\n")
    assert game.find(second).modules == ("goblin",)


def test_an_empty_project_has_nothing(game: Disk) -> None:
    assert game.find() == MarkedFiles((), (), {})


def test_facts_are_told_by_the_bytes_alone(game: Disk) -> None:
    text = "from ..marks import keep\n"
    one = SourceFile("a/b/c.py", "a.b.c", text.encode())
    other = SourceFile("x/__init__.py", "x", text.encode())
    assert read_facts(one) == read_facts(other) != Facts()


# -- against Python itself

NAMES = st.sampled_from(["Saved", "S", "sg"])
CHAINS = st.lists(NAMES, min_size=1, max_size=2).map(".".join)


@st.composite
def games(draw: st.DrawFn) -> dict[str, str]:
    """Modules m0, m1, … each of which imports only earlier ones, as Python must."""
    modules = {"m0": "from savegen.runtime import Saved as S\nclass Thing: ...\n"}
    for number in range(1, draw(st.integers(2, 6))):
        lines = [draw(_line(number)) for _ in range(draw(st.integers(1, 4)))]
        uses = draw(st.lists(CHAINS, min_size=1, max_size=2))
        body = [f"    a{n}: {use!r}" for n, use in enumerate(uses)]
        modules[f"m{number}"] = "\n".join([*lines, "class Thing:", *body]) + "\n"
    return modules


@st.composite
def _line(draw: st.DrawFn, number: int) -> str:
    name, alias = draw(NAMES), draw(NAMES)
    earlier = [f"m{n}" for n in range(number)]
    source = draw(st.sampled_from([*earlier, "savegen.runtime"]))
    forms = [
        f"from {source} import {name} as {alias}",
        f"from {source} import *",
        f"import {source} as {alias}",
        f"{alias} = {draw(CHAINS)}",
    ]
    return "try:\n    " + draw(st.sampled_from(forms)) + "\nexcept Exception:\n    pass"


def run(folder: Path, modules: Mapping[str, str]) -> Iterator[tuple[str, ModuleType]]:
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        for name in modules:
            yield name, importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        for name in modules:
            sys.modules.pop(name, None)


def uses_a_mark(module: ModuleType, text: str) -> bool:
    """Tell whether a class of a running module names a mark in an annotation."""
    for use in module.Thing.__dict__.get("__annotations__", {}).values():
        try:
            value = eval(use, vars(module))
        except (NameError, AttributeError):
            continue
        if value is marks.Saved:
            return True
    return False


@settings(deadline=None, max_examples=100)
@given(games())
def test_whatever_python_binds_to_a_mark_is_found(
    tmp_path_factory: pytest.TempPathFactory, modules: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("game")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    expected = {n for n, m in run(folder, modules) if uses_a_mark(m, modules[n])}
    project = Project(str(folder), {name: f"{name}.py" for name in modules})
    assert expected <= set(find_marked(project, {}).modules)


@settings(deadline=None, max_examples=100)
@given(games(), st.data())
def test_what_is_remembered_never_changes_the_answer(
    tmp_path_factory: pytest.TempPathFactory,
    modules: dict[str, str],
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("game")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    paths = {name: f"{name}.py" for name in modules}
    before = find_marked(Project(str(folder), paths), {})
    changed = data.draw(st.sampled_from(sorted(modules)))
    (folder / f"{changed}.py").write_text(data.draw(games())["m1"])
    kept = {name: known for name, known in before.facts.items() if name != changed}
    after = find_marked(Project(str(folder), paths), kept, before.exports)
    fresh = find_marked(Project(str(folder), paths), {})
    assert (after.modules, after.exports) == (fresh.modules, fresh.exports)


def test_names_that_lead_everywhere_are_not_followed_for_ever() -> None:
    names = "abcd"
    aliases = [Binding(x, "", f"{y}.{x}.{y}") for x in names for y in names]
    maze = {
        module: Facts((Binding("*", other), *aliases), markable=True)
        for module, other in (("m", "n"), ("n", "m"))
    }
    asked: list[str] = []

    def facts_of(module: str) -> Facts | None:
        asked.append(module)
        return maze.get(module)

    project = Project("", {"m": "m.py", "n": "n.py"})
    # Where it gives up, the file is read: that is slower, and never wrong.
    assert _NameResolver(project, facts_of).can_reach_mark(("m", "a.b.c.d.saveable"))
    assert len(asked) < 20_000

"""Whatever names and strings a game has: what is generated holds the allowed syntax, no more.

One game has a thousand of them; four games are made in a test, a hundred in a soak.
"""

from __future__ import annotations

import ast
import io
import random
import re
import shutil
import tokenize
import unicodedata
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.behaviour.hostile import STRINGS, Hostile, is_usable, letters, likeness
from tests.project import Project, savegen

TABLE = '[tool.savegen]\nsource = "game"\n'
HEAD = """\
from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal

from savegen import Save, Saved, Activation, before_save, on_activate, saveable
"""
FIELDS, CLASSES = 10, 28  # a field has a name and two or three strings

# What generated code is made of.
SYNTAX = frozenset("""
    Module Expr Import ImportFrom alias Assign AnnAssign FunctionDef ClassDef arguments arg
    If Return Pass Constant Name Attribute Call keyword Subscript Starred Tuple List Dict ListComp
    comprehension IfExp NamedExpr Compare BinOp Add BoolOp Lambda Load Store BitOr Is IsNot NotEq Or
    """.split())
# What it calls: functions, and methods of whatever object; its own functions come on top.
CALLED = frozenset("""
    ClassEntry Registry checks_rows differ enumerate field_names imported lazy misfit
    param_names type value_entry zip
    """.split())
METHODS = frozenset("enum key_of get_component list literal made".split())
LIBRARIES = frozenset(
    "__future__ collections.abc enum itertools typing builtins".split()
)

# Imports everything that was generated, and tells what else that did.
AUDIT = """
import sys, pathlib, array, collections.abc, copy, enum, itertools, typing, weakref
import savegen.runtime.generated.registry, savegen.runtime.values.rows, savegen.runtime.values.libraries.fields
import savegen.runtime.generated.components, savegen.runtime.values.basics.named, savegen.runtime.values.pack
import savegen.runtime.values.unpack, savegen.runtime.values.checks, game
output = str(pathlib.Path("game/_savegen").resolve())
names = sorted(pathlib.Path("game/_savegen").rglob("*.py"))
modules = [".".join(p.with_suffix("").parts).removesuffix(".__init__") for p in names]
done = []
QUIET = {"import", "builtins.id", "os.listdir", "os.scandir", "marshal.loads", "sys._getframe"}

def hook(event, args):
    if event in QUIET or event.startswith(("object.__", "code.__new__")):
        return
    if event == "open" and args[1] in ("r", "rb"):
        return
    if event == "compile" and str(args[1]).startswith(output):
        return
    if event == "exec" and args[0].co_filename.startswith(output):
        return
    done.append((event, [str(arg)[:80] for arg in args]))

sys.addaudithook(hook)
for module in modules:
    __import__(module)
assert not done, done[:5]
"""
# Every class keeps every value, under the name that Python has for the field.
ROUND_TRIP = """
module = __import__("game." + sys.argv[1], fromlist=["Mood"])

def value(hint):
    if typing.get_origin(hint) is typing.Literal:
        return typing.get_args(hint)[-1]
    if hint is module.Mood:
        return [*module.Mood][-1]
    if hint is module.Part:
        return module.Part(*[[place] for place in range(20)])
    return value(typing.get_args(hint)[0])

kept = 0
for cls in list(vars(module).values()):
    if not hasattr(cls, "save_type") or cls.__module__ != module.__name__:
        continue
    one, other = cls.__new__(cls), cls.__new__(cls)
    for name, text in cls.__annotations__.items():
        setattr(one, name, value(eval(text, vars(module))))
    other.load_data(one.save_data())
    assert vars(one) == vars(other), cls
    kept += len(vars(one))
print(kept)
"""


class Game:
    """A game of about a thousand names and strings."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._hostile = Hostile(self._chance)
        self.module = self._plain_name()
        self.texts = 1

    def files(self) -> dict[str, str]:
        parts = [HEAD, self._enum(), self._record()]
        parts += [self._class() for _ in range(CLASSES)]
        game = {f"game/{self.module}.py": "\n\n".join(parts), "game/__init__.py": ""}
        return {"pyproject.toml": TABLE, **game}

    def _name(self) -> str:
        self.texts += 1
        return self._hostile.name()

    def _plain_name(self) -> str:
        """Return a name that also a file, a class or a member of an enumeration can have."""
        while True:
            name = unicodedata.normalize("NFKC", self._hostile.name())
            if not name.startswith("_") and not name.endswith("_"):
                if name != "mro" and len(name.encode()) < 200:
                    return name

    def _string(self) -> str:
        self.texts += 1
        return self._hostile.string()

    def _enum(self) -> str:
        members = [f"    {self._plain_name()} = {place}" for place in range(20)]
        self.texts += 20
        return "\n".join(["class Mood(Enum):", *members])

    def _record(self) -> str:
        fields = [f"    {self._plain_name()}: list[int]" for _ in range(20)]
        self.texts += 20
        return "\n".join(["@dataclass", "class Part:", *fields])

    def _class(self) -> str:
        name = self._plain_name()
        while name in ("list", "int"):  # fields of `Part` are of type `list[int]`
            name = self._plain_name()
        quote = self._string().replace("\\", "\\\\").replace('"', '\\"')
        quote = quote.replace("\0", "").encode(errors="replace").decode()
        lines = ["@saveable", f"class {name}:", f'    """{quote}"""']
        lines += [self._field() for _ in range(FIELDS)]
        if self._chance.random() < 0.3:
            mark = self._chance.choice(["on_activate", "before_save"])
            lines += [f"    @{mark}", f"    def {self._name()}(self, *_): ..."]
        return "\n".join(lines)

    def _field(self) -> str:
        name, way = self._name(), self._chance.randrange(8)
        if way == 0:
            return f"    {name}: Saved[{self._chance.choice(['Mood', 'Part'])}]"
        values = [self._string(), self._string().encode("utf-8", "replace")]
        self._chance.shuffle(values)
        type = f"Literal[{ascii(values[0])}, {ascii(values[1])}]"
        if way > 2:
            return f"    {name}: Saved[{type}]"
        was = ascii((self._plain_name(), f"{self._plain_name()}.x"))
        self.texts += 2
        shown = self._chance.choice(["", f"{self._plain_name()!r}, "])
        return f"    {name}: Annotated[{type}, Save({shown}was={was})]"


# Shrinking a seed is of no use.
@settings(max_examples=max(2, settings().max_examples // 200), phases=[Phase.generate])
@given(st.integers(0, 2**64))
def test_a_thousand_hostile_texts_are_nothing_but_text(place: Path, seed: int) -> None:
    shutil.rmtree(place, ignore_errors=True)
    game = Game(seed)
    project = Project(place, game.files())
    assert game.texts >= 900
    said = run(place, "wire", "-q") + run(place, "components", "-q")
    assert "error" not in said, said
    for path in sorted((place / "game" / "_savegen").rglob("*.py")):
        assert_harmless(path.read_text(encoding="utf-8"), game.module)
    assert int(project.run("-c", AUDIT + ROUND_TRIP, game.module)) > 200


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "project"


def run(folder: Path, *words: str) -> str:
    said = savegen(folder, *words, together=True)
    return f"error {said.code}: {said.out}" if said.code else ""


def assert_harmless(text: str, module: str) -> None:
    """Check that a generated file has the allowed syntax, and foreign text as ASCII only."""
    tree = ast.parse(text)
    own = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    imported = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(tree):
        assert type(node).__name__ in SYNTAX, ast.dump(node)
        if isinstance(node, ast.Call):
            assert_allowed_call(node.func, own, imported)
        elif isinstance(node, ast.Import):
            assert [alias.name for alias in node.names] == [f"game.{module}"]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            known = {*LIBRARIES, f"game.{module}"}
            assert node.module in known or str(node.module).startswith(
                "savegen.runtime"
            )
        elif isinstance(node, ast.FunctionDef):
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            assert all(imported.get(m, m) == "classmethod" for m in marks)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            assert_plain(token.string)
        elif token.type == tokenize.COMMENT:
            # What a name may have a path may have: newer Pythons let letters be joined.
            odd = {each for each in token.string if not each.isprintable()}
            assert all(f"a{each}".isidentifier() for each in odd), token.string


def assert_allowed_call(
    function: ast.expr, own: set[str], imported: dict[str, str]
) -> None:
    if isinstance(function, ast.Name):
        name = imported.get(function.id, function.id)
        assert name in CALLED or name in own, name
    else:
        assert isinstance(function, ast.Attribute), ast.dump(function)
        assert function.attr in METHODS, function.attr


def assert_plain(token: str) -> None:
    """Check that a string is ASCII but for names: alone, or in the backticks of a docstring."""
    inside = token.strip('"')
    if not is_dotted(inside):
        assert all(map(is_dotted, re.findall("`([^`]+)`", inside))), token
        assert re.sub("`[^`]+`", "", inside).isascii(), token


def is_dotted(text: str) -> bool:
    return all(map(str.isidentifier, text.replace(":", ".").split(".")))


@pytest.mark.parametrize("text", STRINGS)
def test_a_former_name_that_is_no_name_is_a_finding(text: str, tmp_path: Path) -> None:
    for mark, field in (("", f", was={text!a}"), (f"(was={text!a})", "")):
        game = f"@saveable{mark}\nclass Orc:\n    hp: Annotated[int, Save(editor=True{field})]\n"
        Project(tmp_path, {"pyproject.toml": TABLE, "game/a.py": f"{HEAD}\n\n{game}"})
        said = run(tmp_path, "components", "-q", "--no-color")
        assert "`was` must be a string literal or a tuple of string literals" in said


# Names that are the same to Python, or to those who read them


def twins(count: int) -> list[tuple[str, str]]:
    """Return pairs of names that an enumeration would not tell apart."""
    chance, found = random.Random(1), list[tuple[str, str]]()
    first = [
        c for key, each in letters().items() if key.startswith("FIRST") for c in each
    ]
    while len(found) < count:
        name = "a" + "".join(chance.choices(first, k=3))
        forms = [
            name.upper(),
            name.lower(),
            name.title(),
            name.casefold(),
            f"_{name}",
            f"{name}_",
        ]
        forms += [unicodedata.normalize(form, name) for form in ("NFKC", "NFKD")]
        twin = chance.choice(forms)
        # Where only the form differs it is one name, written in two ways.
        same = unicodedata.normalize("NFKC", twin) == unicodedata.normalize(
            "NFKC", name
        )
        if not same and is_usable(twin) and likeness(twin) == likeness(name):
            found.append((name, twin))
    return found


def test_names_that_look_alike_are_findings(tmp_path: Path) -> None:
    pairs = twins(300)
    classes = [
        f"@saveable\nclass C{place}:\n    {one}: Saved[int]\n    {other}: Saved[int]\n"
        for place, (one, other) in enumerate(pairs)
    ]
    Project(
        tmp_path, {"pyproject.toml": TABLE, "game/a.py": "\n\n".join([HEAD, *classes])}
    )
    said = run(tmp_path, "components", "-q", "--no-color", "--all")
    assert said.count("error[SG116]") == len(pairs)


def test_classes_that_look_alike_are_findings(tmp_path: Path) -> None:
    pairs = [p for p in twins(300) if not any("_" in name for name in p)][:60]
    for place, (one, other) in enumerate(pairs):
        text = "".join(
            f"@saveable\nclass K{n}:\n    x: Saved[int]\n\n" for n in (one, other)
        )
        Project(tmp_path, {f"game/m{place}.py": f"{HEAD}\n\n{text}"})
    Project(tmp_path, {"pyproject.toml": TABLE})
    said = run(tmp_path, "components", "-q", "--no-color", "--all")
    places = set(re.findall(r"error\[SG(?:123|\d+)\].*\n +--> game/m(\d+)\.py", said))
    assert len(places) == len(pairs)


@pytest.mark.parametrize("text", STRINGS)
def test_a_path_that_no_import_can_say_is_a_finding(text: str, tmp_path: Path) -> None:
    name = re.sub(r"[/\0\ud800]", "-", f"a{text}b")
    game = f"{HEAD}\n\n@saveable\nclass Orc:\n    hp: Saved[int]\n"
    Project(tmp_path, {"pyproject.toml": TABLE, f"game/{name}.py": game})
    said = run(tmp_path, "components", "-q", "--no-color")
    assert "error[SG124]" in said and not (tmp_path / "game" / "_savegen").exists()

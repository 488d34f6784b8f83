"""The layers of savegen, as CONTRIBUTING.md's table has them: who may import and do what."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project import python

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "savegen"
PAGE = ROOT / "CONTRIBUTING.md"

# Which parts may import a library; who is not named may not.
LIBRARIES = {
    "libcst": ("build/scan/", "build/codemod/"),
    "jinja2": ("build/emit/",),
    "black": ("build/emit/",),
    "click": ("cli/",),
    "watchfiles": ("cli/watch.py",),
}
# `__main__` speaks when click is missing, `_streams` in the program that runs a game.
PRINTING = ("cli/", "__main__.py", "runtime/prefabs/linking/_streams.py")
FILES = (
    "disk.py",
    "levels/reader.py",
    "runtime/checkup/stale_build.py",
    "runtime/values/rows.py",  # an error names the field of its line
    "saves/stores/",
    "saves/program.py",
    "runtime/prefabs/linking/_streams.py",
)
PROCESSES = ("build/process.py",)
NEVER_IN_A_GAME = ("libcst", "jinja2", "click", "black", "watchfiles", "numpy", "PIL")


class Row(NamedTuple):
    """One line of the table: the parts it names and what they may import."""

    parts: tuple[str, ...]  # "resolve", "runtime": file or folder, all the same
    allowed: frozenset[str]
    where: str  # the page and line, and the line itself


def table(folder: str) -> list[Row]:
    """Return the lines of the table of a folder; that of `build/` may also name other rooms."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    head = f"| part of `savegen/{folder}` "
    start = next(n for n, line in enumerate(lines) if line.startswith(head))
    rows = []
    for number, line in enumerate(lines[start + 2 :], start + 3):
        if not line.startswith("|"):
            break
        parts, allowed, _ = line.strip("|").split("|")
        where = f"{PAGE.name}:{number}: {line}"
        rows.append((names(parts), allowed, where))
    every = {part for parts, _, _ in rows for part in parts}
    prefix = dotted(folder) + "." * bool(folder)
    whole = {part: prefix + part for part in every}
    whole = {dotted(path): dotted(path) for path in OUTSIDE.get(folder, ())} | whole
    return [
        Row(tuple(whole[part] for part in parts), chosen(cell, whole), where)
        for parts, cell, where in rows
    ]


OUTSIDE = {"build/": ("findings.py", "disk.py", "runtime", "saves")}


def names(cell: str) -> tuple[str, ...]:
    return tuple(dotted(path) for path in re.findall(r"`([^`]+)`", cell))


def chosen(cell: str, whole: dict[str, str]) -> frozenset[str]:
    named = set(names(cell))
    assert (
        named <= whole.keys()
    ), f"{named - whole.keys()} may be imported, is in no row"
    found = whole.keys() - named if "all but" in cell else named
    return frozenset(whole[part] for part in found)


def dotted(path: str) -> str:
    return path.removesuffix("/").removesuffix(".py").replace("/", ".")


INNER = {folder: table(f"{folder}/") for folder in ("build", "runtime")}


def with_inner_parts(row: Row) -> Row:
    """Return a row in which who may import a folder may import each part of it."""
    folders = {*INNER} & {*row.allowed, *row.parts}
    inner = {part for each in folders for r in INNER[each] for part in r.parts}
    return row._replace(allowed=row.allowed | inner)


TABLE = [
    *map(with_inner_parts, table("")),
    *map(with_inner_parts, INNER["build"]),
    *INNER["runtime"],
]
ROW_OF = {part: row for row in TABLE for part in row.parts}


def rooms(folder: str) -> dict[str, int]:
    """Return the files and folders in the page's table of a folder, by row from the top."""
    page = PAGE.read_text(encoding="utf-8")
    _, _, below = page.partition(f" of `savegen/{folder}/` | |\n")
    rows = below.partition("\n\n")[0].splitlines()[1:]
    return {room: n for n, row in enumerate(rows) for room in names(row.split("|")[1])}


ROOMS = {folder: rooms(folder) for folder in ("saves", "levels")}


def part_of(module: str) -> str | None:
    """Return the innermost part that holds a module of savegen; None for others'."""
    package, *inner = module.split(".")
    if package != "savegen":
        return None
    for length in range(len(inner), 0, -1):
        if (part := ".".join(inner[:length])) in ROW_OF:
            return part
    return inner[0] if inner else "__init__"


def below(path: str, parts: tuple[str, ...]) -> bool:
    return any(path == p or p.endswith("/") and path.startswith(p) for p in parts)


@dataclass(frozen=True)
class Module:
    """A file of the package, parsed."""

    path: str  # below savegen/
    tree: ast.Module

    @property
    def name(self) -> str:
        return "savegen." + dotted(self.path)

    def imports(self) -> Iterator[tuple[int, str]]:
        """Yield line and dotted name of whatever is imported, wherever it stands."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Import():
                    for alias in node.names:
                        yield node.lineno, alias.name
                case ast.ImportFrom():
                    base = self.base(node)
                    for alias in node.names:
                        inner = f"{base}.{alias.name}"
                        is_part = inner.removeprefix("savegen.") in ROW_OF
                        yield node.lineno, inner if is_part else base
                case ast.Call(args=[ast.Constant(value=str(name)), *_]):
                    if text_of(node.func).endswith(("import_module", "__import__")):
                        yield node.lineno, name

    def imports_when_run(self) -> Iterator[tuple[int, str]]:
        """Yield line and dotted name of what is imported, except under `if TYPE_CHECKING`."""
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            match node := waiting.pop():
                case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                    waiting += node.orelse
                case ast.Import(names=names):
                    yield from ((node.lineno, alias.name) for alias in names)
                case ast.ImportFrom(names=names):
                    base = self.base(node)
                    yield from ((node.lineno, f"{base}.{n.name}") for n in names)
                case _:
                    waiting += ast.iter_child_nodes(node)

    def base(self, node: ast.ImportFrom) -> str:
        """Return the name of the module that an import names, without dots before it."""
        if not node.level:
            return node.module or ""
        above = f"savegen/{self.path}".split("/")[: -node.level]
        return ".".join([*above, *filter(None, [node.module])])

    def uses(self) -> Iterator[tuple[int, str]]:
        """Yield line and text of every name in use: `os.replace`, `path.stat`.

        An alias is undone, so `from os import replace as r` does not hide `r(a, b)`.
        """
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute | ast.Name):
                yield node.lineno, self._text(node)

    def calls(self) -> Iterator[tuple[int, str]]:
        """Yield line and text of every name that is called."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield node.lineno, self._text(node.func)

    def _text(self, node: ast.expr) -> str:
        head, dot, rest = text_of(node).partition(".")
        return self._aliases.get(head, head) + dot + rest

    @cached_property
    def _aliases(self) -> dict[str, str]:
        aliases: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                aliases |= {a.asname: a.name for a in node.names if a.asname}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for alias in node.names:
                    aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return aliases


def text_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{text_of(value)}.{attr}"
        case _:
            return "…"


def parse(path: str, text: str) -> Module:
    return Module(path, ast.parse(text))


def modules() -> list[Module]:
    files = sorted(PACKAGE.rglob("*.py"))
    texts = {f.relative_to(PACKAGE).as_posix(): f.read_text("utf-8") for f in files}
    return [parse(path, text) for path, text in texts.items()]


# -- what each rule finds in one module

Rule = Callable[[Module], Iterator[str]]


def forbidden_imports(module: Module) -> Iterator[str]:
    row = ROW_OF.get(part_of(module.name) or "")
    if row is None:  # the exhaustiveness test has it
        return
    for line, name in module.imports():
        part = part_of(name)
        if part and part not in row.allowed and part not in row.parts:
            yield (
                f"savegen/{module.path}:{line}: {module.name} imports {name}"
                f"\n    forbidden by {row.where}"
            )


def upward_imports(module: Module) -> Iterator[str]:
    for folder, rows in ROOMS.items():
        own = rows.get(room_in(folder, module.name))
        if own is None:
            continue
        for line, name in module.imports_when_run():
            if rows.get(room := room_in(folder, name), 0) > own:
                where = f"savegen/{module.path}:{line}"
                yield f"{where}: {room} is below it in {PAGE.name}"


def room_in(folder: str, module: str) -> str:
    """Return the file or folder of `folder` that holds a module; "" for one elsewhere."""
    _, is_in, inside = f"{module}.".partition(f"savegen.{dotted(folder)}.")
    return inside.partition(".")[0] if is_in else ""


def stray_libraries(module: Module) -> Iterator[str]:
    for line, name in module.imports():
        parts = LIBRARIES.get(name.partition(".")[0])
        if parts and not below(module.path, parts):
            yield misplaced(module, line, f"imports {name}", parts)


def stray_printing(module: Module) -> Iterator[str]:
    if below(module.path, PRINTING):
        return
    for line, name in module.uses():
        if re.fullmatch(r"(builtins\.)?print|sys\.(__)?std(out|err)(__)?", name):
            yield misplaced(module, line, f"uses {name}", PRINTING)


# What takes paths as text and asks no disk; everything else in os does.
PURE_OS = re.compile(
    r"os(\.(get_terminal_size|fspath|fsencode|fsdecode|PathLike|sep|linesep|environ|pathsep|getpid|urandom|killpg|waitpid|name)(\..*)?"
    r"|\.path(\.(join|basename|dirname|split|splitext|normpath|normcase|isabs|abspath|relpath"
    r"|commonpath|commonprefix|sep))?)?"
)
FILE_MODULES = "shutil tempfile glob mmap fcntl fileinput linecache sqlite3 zipfile"
FILE_METHODS = re.compile(
    r".*\.(open|read_text|read_bytes|write_text|write_bytes|unlink|mkdir|rmdir|touch|stat"
    r"|lstat|exists|is_file|is_dir|is_symlink|iterdir|rglob|samefile|hardlink_to"
    r"|symlink_to|readlink|chmod)|pathlib\.Path\.(cwd|home)"
)


def stray_file_access(module: Module) -> Iterator[str]:
    if below(module.path, FILES):
        return
    for line, name in module.imports():
        if name.partition(".")[0] in FILE_MODULES.split():
            yield misplaced(module, line, f"imports {name}", FILES)
    for line, name in module.uses():
        if name.startswith("os.") and not PURE_OS.fullmatch(name):
            yield misplaced(module, line, f"uses {name}", FILES)
    for line, name in module.calls():
        if name.startswith("savegen."):  # disk's own words
            continue
        if name == "open" or FILE_METHODS.fullmatch(name):
            yield misplaced(module, line, f"calls {name}", FILES)


def stray_processes(module: Module) -> Iterator[str]:
    if below(module.path, PROCESSES):
        return
    for line, name in module.imports():
        if name.partition(".")[0] in ("subprocess", "multiprocessing", "pty"):
            yield misplaced(module, line, f"imports {name}", PROCESSES)


def misplaced(module: Module, line: int, what: str, parts: tuple[str, ...]) -> str:
    return f"savegen/{module.path}:{line}: {what}, which belongs in {' '.join(parts)}"


# -- the rules, held over the package


def test_every_part_of_the_package_is_in_the_table() -> None:
    found = {path for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    unknown = {p.name for p in found if dotted(p.name) not in ROW_OF} - {"py.typed"}
    assert not unknown, f"in savegen/, but in no row of {PAGE.name}: {sorted(unknown)}"


@pytest.mark.parametrize("folder", INNER)
def test_every_part_of_a_folder_is_in_its_table(folder: str) -> None:
    names = {path.name for path in (PACKAGE / folder).iterdir()}
    found = {f"{folder}.{dotted(n)}" for n in names if not n.startswith("__")}
    assert found == {part for row in INNER[folder] for part in row.parts}


@pytest.mark.parametrize("folder", ROOMS)
def test_every_file_of_a_large_part_is_in_the_table_of_its_rooms(folder: str) -> None:
    found = {
        dotted(path.name)
        for path in (PACKAGE / folder).iterdir()
        if not path.name.startswith("__")
    }
    assert found == ROOMS[folder].keys()


def test_each_file_that_a_row_of_things_to_add_names_exists() -> None:
    _, _, section = PAGE.read_text(encoding="utf-8").partition("\n## I want to add")
    named = re.findall(r"`([\w.-]+/[\w./-]*)`", section.partition("\n## Style")[0])
    assert len(named) > 30
    places = (PACKAGE, ROOT)
    missing = [n for n in named if not any((place / n).exists() for place in places)]
    assert not missing, f"named in {PAGE.name}, but not there: {missing}"


def test_a_room_imports_those_above_it_and_those_beside_it() -> None:
    assert_none(upward_imports)


def one_wrong_import(folder: str, room: str) -> tuple[str, str] | None:
    """Return the room's path and an import that its row forbids; None if none is."""
    rows = ROOMS[folder]
    below_it = next((other for other in rows if rows[other] > rows[room]), None)
    is_folder = (PACKAGE / folder / room).is_dir()
    path = f"{folder}/{room}/inner.py" if is_folder else f"{folder}/{room}.py"
    return (path, f"savegen.{dotted(folder)}.{below_it}") if below_it else None


@pytest.mark.parametrize(
    ("folder", "room"), [(folder, room) for folder in ROOMS for room in ROOMS[folder]]
)
def test_a_wrong_import_in_each_room_is_noticed(folder: str, room: str) -> None:
    if (wrong := one_wrong_import(folder, room)) is None:
        assert ROOMS[folder][room] == max(ROOMS[folder].values())
        return
    path, name = wrong
    outer, _, inner = name.rpartition(".")
    up = "." * (path.removeprefix(f"{folder}/").count("/") + 1)
    for text in (
        f"from {outer} import {inner}",
        f"def f():\n    from {name} import something",
        f"from {name}.deeper import something",
        f"import {name}",
        f"from {up}{inner} import something",
    ):
        (found,) = upward_imports(parse(path, text))
        assert f"savegen/{path}:" in found and f"{inner} is below it" in found


def test_a_part_imports_only_what_its_row_allows() -> None:
    assert_none(forbidden_imports)


def test_each_library_stays_in_its_parts() -> None:
    assert_none(stray_libraries)


def test_only_the_command_line_prints() -> None:
    assert_none(stray_printing)


def test_files_are_touched_only_where_the_page_says() -> None:
    assert_none(stray_file_access)


def test_only_process_starts_programs() -> None:
    assert_none(stray_processes)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports inside functions and under `TYPE_CHECKING` count, too."""
    assert circles(modules()) == []


def test_a_circle_is_found() -> None:
    first = parse("a.py", "def f():\n    from savegen.b.c import d")
    second = parse("b/c.py", "from savegen import a")
    third = parse("e.py", "import savegen.a")
    assert circles([first, second, third]) == [["savegen.a", "savegen.b.c"]]


def circles(parsed: list[Module]) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or through others."""
    reached = {m.name.removesuffix(".__init__"): set[str]() for m in parsed}
    for module in parsed:
        name = module.name.removesuffix(".__init__")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                reached[name].update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = module.base(node)
                inner = {f"{base}.{alias.name}" for alias in node.names}
                reached[name] |= inner & reached.keys() or {base}
        reached[name] = reached[name] & reached.keys() - {name}
    for middle, beyond in reached.items():  # Warshall's algorithm
        for others in reached.values():
            if middle in others:
                others |= beyond
    found = {frozenset(n for n in reached[m] if m in reached[n]) for m in reached}
    return sorted(sorted(circle) for circle in found if circle)


def assert_none(rule: Rule) -> None:
    found = [message for module in modules() for message in rule(module)]
    assert not found, "\n" + "\n".join(dict.fromkeys(found))


def test_a_game_loads_no_build_time_library() -> None:
    assert not loaded_by("import savegen.runtime", NEVER_IN_A_GAME)


def test_savegen_alone_does_not_load_the_runtime() -> None:
    assert not loaded_by("import savegen", ("savegen.runtime", *NEVER_IN_A_GAME))


def loaded_by(statement: str, modules: tuple[str, ...]) -> list[str]:
    program = f"{statement}; import sys; print(*sys.modules)"
    return sorted(set(modules).intersection(python("-c", program).split()))


# -- the rules themselves: what they must catch, and what they must leave alone


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("build/kinds/colour.py", "from savegen.build.model import Field"),
        ("build/kinds/colour.py", "from ..model import Field"),
        ("build/kinds/colour.py", "from .. import model"),
        ("build/kinds/colour.py", "from savegen.build import model"),
        ("build/kinds/colour.py", "import savegen"),
        ("build/kinds/colour.py", "from savegen import saveable"),
        ("build/kinds/colour.py", "def f():\n    import savegen.build.lock"),
        ("build/kinds/__init__.py", "from ..emit import write"),
        (
            "build/model.py",
            "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from savegen.build.config import Config",
        ),
        ("disk.py", "import savegen.build.config"),
        (
            "disk.py",
            "import importlib\nimportlib.import_module('savegen.build.config')",
        ),
        ("runtime/values/basics/keys.py", "import savegen.findings"),
        ("runtime/values/basics/keys.py", "from savegen.runtime import SaveError"),
        (
            "runtime/values/basics/keys.py",
            "from savegen.runtime.generated import registry",
        ),
        (
            "runtime/world/objects.py",
            "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from savegen.runtime.snapshots import snapshot",
        ),
        (
            "runtime/snapshots/capture.py",
            "def f():\n    import savegen.runtime.checkup",
        ),
        ("runtime/reports.py", "from savegen.runtime.manager import SaveLoadManager"),
        ("runtime/values/basics/keys.py", "from savegen.saves import stores"),
        ("runtime/values/basics/keys.py", "from savegen import saves"),
        ("saves/slots/slots.py", "import savegen.levels"),
        ("build/links/program.py", "from savegen import cli"),
    ],
)
def test_an_import_outside_the_row_is_found(path: str, text: str) -> None:
    (message,) = forbidden_imports(parse(path, text))
    assert f"savegen/{path}:" in message
    assert f"forbidden by {PAGE.name}:" in message


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("build/kinds/colour.py", "from savegen.build.kinds._base import Kind"),
        ("build/kinds/colour.py", "from . import _base"),
        ("build/kinds/colour.py", "from savegen.build.scan import declarations"),
        ("build/render.py", "from savegen.findings import Finding"),
        ("saves/slots/slots.py", "from savegen.runtime import SaveError"),
        ("saves/slots/slots.py", "from ...runtime.values.keys import SlotKey"),
        ("runtime/world/hooks.py", "from savegen.runtime.values.rows import Key"),
        ("runtime/__init__.py", "from savegen.runtime.manager import SaveLoadManager"),
        ("__init__.py", "def f():\n    from savegen.runtime import marks"),
        ("cli/saves.py", "from savegen.saves import SaveSlots"),
        ("build/model.py", "import msgspec, savegenerator"),
    ],
)
def test_an_import_inside_the_row_is_left_alone(path: str, text: str) -> None:
    assert not list(forbidden_imports(parse(path, text)))


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (stray_libraries, "resolve.py", "import libcst.matchers as m"),
        (stray_libraries, "build/scan/fields.py", "from jinja2 import Environment"),
        (stray_libraries, "pipeline.py", "def f():\n    import black"),
        (stray_libraries, "report.py", "import click"),
        (stray_printing, "report.py", "print('found')"),
        (stray_printing, "report.py", "import sys\nsys.stderr.write('found')"),
        (stray_printing, "report.py", "from sys import stdout as o\no.write('x')"),
        (stray_file_access, "source.py", "text = open('a').read()"),
        (stray_file_access, "source.py", "import io\nio.open('a')"),
        (stray_file_access, "source.py", "path.read_text()"),
        (stray_file_access, "source.py", "(root / 'a').write_bytes(b'')"),
        (stray_file_access, "source.py", "import os\nos.replace(a, b)"),
        (stray_file_access, "source.py", "from os import replace as r\nr(a, b)"),
        (stray_file_access, "source.py", "import os.path as p\np.exists(a)"),
        (
            stray_file_access,
            "runtime/generated/registry.py",
            "from pathlib import Path\nx.stat()",
        ),
        (stray_file_access, "write.py", "import shutil"),
        (stray_file_access, "levels/draw.py", "open('a')"),
        (stray_processes, "build/links/program.py", "import subprocess"),
        (upward_imports, "levels/reader.py", "from savegen.levels import layout"),
        (
            upward_imports,
            "levels/partition/arrays.py",
            "def f():\n    from savegen.levels.images import Picture",
        ),
        (
            upward_imports,
            "saves/stores/folder.py",
            "from savegen.saves.slots import slots",
        ),
    ],
)
def test_what_belongs_elsewhere_is_found(rule: Rule, path: str, text: str) -> None:
    assert list(rule(parse(path, text)))


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (stray_libraries, "build/scan/fields.py", "import libcst"),
        (stray_printing, "cli/show.py", "print('found')"),
        (stray_printing, "report.py", "pprint = blueprint.print_name"),
        (stray_file_access, "disk.py", "open('a')"),
        (stray_file_access, "saves/stores/files.py", "import os\nos.fsync(1)"),
        (stray_file_access, "levels/reader.py", "path.read_bytes()"),
        (stray_file_access, "emit/types.py", "import os\nos.path.join('a', 'b')"),
        (stray_file_access, "emit/types.py", "'a'.replace('b', 'c')"),
        (stray_file_access, "source.py", "from savegen import disk\ndisk.exists('a')"),
        (stray_file_access, "config.py", "import os\nos.path.abspath('a')"),
        (stray_file_access, "emit/types.py", "if found.stat and scope.home(): ..."),
        (stray_processes, "build/process.py", "import subprocess"),
        (
            upward_imports,
            "levels/layout.py",
            "from savegen.levels.partition import partition",
        ),
        (
            upward_imports,
            "levels/checking.py",
            "if TYPE_CHECKING:\n    from savegen.levels.level import Level",
        ),
        (
            upward_imports,
            "levels/__init__.py",
            "from savegen.levels.level import Level",
        ),
    ],
)
def test_what_is_in_its_place_is_left_alone(rule: Rule, path: str, text: str) -> None:
    assert not list(rule(parse(path, text)))


def test_no_part_has_two_rows() -> None:
    assert sum(len(row.parts) for row in TABLE) == len(ROW_OF)

"""Guess which packages or files in a folder are the game, if it has no configuration yet."""

import posixpath
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from savegen import disk
from savegen.build.config._values import is_name
from savegen.build.config.pyproject import PYPROJECT, TABLE, has_table
from savegen.findings import SavegenError

# Names of folders and files that usually do not contain the game.
_OTHER_FOLDERS = frozenset(
    "benchmarks build dist doc docs env example examples scripts site test tests tools"
    " venv".split()
)
# Those of them that a game in the whole folder does not read, besides copies of it.
_OTHER_CODE = frozenset("benchmarks doc docs example examples test tests".split())
_TEST_FILES = "test_*.py"
_OTHER_FILES = frozenset("conftest.py fabfile.py noxfile.py setup.py tasks.py".split())


def games(root: str) -> list[str]:
    """Return the possible values of `source` for the game in a folder.

    - Packages, also those in `src/`; and ".", the whole folder, if files beside them define
      classes.
    - Without packages: "." if there are several files.
    - Otherwise: folders that contain Python files. A single file beside them may only start the
      game, so it adds ".". Without such folders, that file is the game.
    """
    packages = [
        path for path in _folders(root) if disk.exists(disk.join(root, path, _INIT))
    ]
    files = sorted(filter(_is_script, disk.files_in(root)))
    if packages:
        is_flat = any(_has_class(disk.join(root, name)) for name in files)
        return [*packages, *(["."] if is_flat else [])]
    if len(files) > 1:
        return ["."]
    folders = [path for path in _folders(root) if _has_python(root, path)]
    if files:
        return [*folders, "."] if folders else files
    return folders


def others_in(root: str) -> list[str]:
    """Return the globs of what usually is no part of a game whose source is the whole folder."""
    copies = disk.copies_in(root)
    folders = [
        name
        for name in sorted(disk.names_in(root))
        if name in copies or (name in _OTHER_CODE and _has_python(root, name))
    ]
    has_tests = any(fnmatchcase(name, _TEST_FILES) for name in disk.files_in(root))
    return [*folders, *([_TEST_FILES] if has_tests else [])]


def refuse_projects_in(path: str, root: str, sources: Iterable[str]) -> None:
    """Raise `SavegenError` if the folder `path`, named as one game, contains whole projects.

    `sources` are the files below `root` that the game would have.
    """
    top = disk.relative(disk.resolve(path), root)
    working_folder = disk.resolve("")
    folders = {folder for source in sources for folder in _folders_between(top, source)}
    files = (disk.join(root, folder, PYPROJECT) for folder in sorted(folders))
    shown_paths = {f: disk.relative(f, working_folder) for f in files if disk.exists(f)}
    projects = [shown for file, shown in shown_paths.items() if has_table(file, shown)]
    if projects:
        raise SavegenError(
            f"{path} contains {_enumeration(projects)} with {TABLE};"
            " run savegen once for each project"
        )


def _folders_between(top: str, path: str) -> Iterator[str]:
    """Yield the parent folders of a file that are below the folder `top`."""
    prefix = "" if top == "." else f"{top}/"
    while (path := posixpath.dirname(path)).startswith(prefix) and path:
        yield path


def _enumeration(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


_INIT = "__init__.py"


def _folders(root: str) -> Iterator[str]:
    for parent in ("", "src/"):
        for name in sorted(disk.names_in(disk.join(root, parent))):
            path = disk.join(root, parent + name)
            if _is_candidate(name) and _is_folder(path):
                yield parent + name


def _is_candidate(name: str) -> bool:
    return is_name(name) and name[0] != "_" and name not in _OTHER_FOLDERS


def _is_folder(path: str) -> bool:
    status = disk.status(disk.resolve(path))
    is_virtual_environment = disk.exists(disk.join(path, "pyvenv.cfg"))
    return bool(status and status.kind == "folder" and not is_virtual_environment)


def _is_script(name: str) -> bool:
    stem = name.removesuffix(".py")
    if not name.endswith(".py") or not is_name(stem) or stem.startswith("test_"):
        return False
    return name not in _OTHER_FILES and name != _INIT


def _has_class(path: str) -> bool:
    return any(line.startswith(b"class ") for line in disk.read(path).splitlines())


def _has_python(root: str, path: str) -> bool:
    folder = disk.join(root, path)
    # The folders in src/ are separate candidates.
    names = disk.files_in(folder) if path == "src" else disk.files_below(folder)
    return any(name.endswith(".py") for name in names)

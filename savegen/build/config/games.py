"""Find the game in a folder that has no configuration yet."""

import posixpath
from collections.abc import Iterable, Iterator

from savegen import disk
from savegen.build.config import PYPROJECT, TABLE, has_table
from savegen.build.config._values import is_name
from savegen.findings import SavegenError

# Names of folders and files that usually do not contain the game.
_OTHER_FOLDERS = frozenset(
    "benchmarks build dist doc docs env example examples scripts site test tests tools"
    " venv".split()
)
_OTHER_FILES = frozenset("conftest.py fabfile.py noxfile.py setup.py tasks.py".split())


def games(root: str) -> list[str]:
    """Return the possible values of `source` for the game in a folder.

    These are the packages, also those in `src/`, or a single file. "." is the whole folder: it
    is added for several files, and for files with classes beside packages. Without packages,
    folders with Python files are returned; with a single file beside them, also "." but not
    the file, which may only start the game.
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


def refuse_projects_in(path: str, root: str, sources: Iterable[str]) -> None:
    """Raise `SavegenError` if a folder for one game contains separate projects.

    `path` is the folder, and `sources` are the files below `root` that the game would have.
    """
    place = disk.relative(disk.resolve(path), root)
    here = disk.resolve("")
    folders = {each for source in sources for each in _between(place, source)}
    files = (disk.join(root, folder, PYPROJECT) for folder in sorted(folders))
    shown = {file: disk.relative(file, here) for file in files if disk.exists(file)}
    projects = [name for file, name in shown.items() if has_table(file, name)]
    if projects:
        raise SavegenError(
            f"{path} contains {_and(projects)} with {TABLE};"
            " run savegen once for each project"
        )


def _between(place: str, path: str) -> Iterator[str]:
    """Yield the parent folders of a file that are below `place`."""
    below = "" if place == "." else f"{place}/"
    while (path := posixpath.dirname(path)).startswith(below) and path:
        yield path


def _and(names: list[str]) -> str:
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
    found = disk.status(disk.resolve(path))
    is_environment = disk.exists(disk.join(path, "pyvenv.cfg"))
    return bool(found and found.kind == "folder" and not is_environment)


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

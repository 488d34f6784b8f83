"""Find the game in a folder that has no configuration yet."""

from collections.abc import Iterator

from savegen import disk
from savegen.config._values import is_name

# Folders and files that come with a game but are not the game.
_OTHER_FOLDERS = frozenset(
    "benchmarks build dist doc docs env example examples scripts site test tests tools"
    " venv".split()
)
_OTHER_FILES = frozenset("conftest.py fabfile.py noxfile.py setup.py tasks.py".split())


def games(root: str) -> list[str]:
    """Return what could be the game in a folder: values for `source`.

    A package counts, also in `src/`; so does a single file. "." stands for several files, and
    for files with classes beside packages. Without packages, folders with Python files count.
    A single file beside such folders may only start the game: they count, and ".", not the file.
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
    found = disk.look(disk.resolve(path))
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
    # The folders in src/ are candidates of their own.
    names = disk.files_in(folder) if path == "src" else disk.files_below(folder)
    return any(name.endswith(".py") for name in names)

"""Find pyproject.toml, and read its `[tool.savegen]` into a `Config`.

If a game has no configuration, `bare` makes a `Config` from the files on the command line.
"""

import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple, NoReturn

from savegen import disk
from savegen.build.config import _values
from savegen.build.config._values import PRESETS as PRESETS
from savegen.build.config._values import InvalidValue
from savegen.build.config._values import is_name as is_name
from savegen.build.config.pyproject import PYPROJECT as PYPROJECT
from savegen.build.config.pyproject import TABLE as TABLE
from savegen.build.config.pyproject import document_of as document_of
from savegen.build.config.pyproject import (
    content,
    document_with_table,
    parse_toml,
    refuse,
)
from savegen.build.marker import HEAD_SIZE, source_of

VERSION = (
    "0.1.0"  # as in pyproject.toml; reading it with importlib.metadata takes 20 ms
)
DID_YOU_MEAN = f"did you mean {TABLE}?"
_ADD_TABLE = "add that table, or name another file"
OUTPUT = "_savegen"  # where generated code goes, unless `output` says otherwise


class Config(NamedTuple):
    """The settings of a project. Paths are posix and relative to `root`.

    Each key of `[tool.savegen]` is one line here: its name, its type, the function that
    reads it, and its default.
    """

    root: str  # absolute
    # Folders or single files. Default: the package named like the project (`my_game` or
    # `src/my_game` for `name = "my-game"`), otherwise the whole project.
    source: Annotated[tuple[str, ...], _values.sources] = ()
    # Default: `_savegen` in the first source.
    output: Annotated[str, _values.path] = ""
    # The name of the package, if the project's folder itself is one: the game then imports
    # its files as `my_game.player`, from the folder above.
    package: Annotated[str, _values.module] = ""
    # Patterns of `fnmatch`: `*` crosses folders; a folder that matches is not entered.
    exclude: Annotated[tuple[str, ...], _values.globs] = ()
    # The codecs of the game: type → `module:name` of its codec.
    codecs: Annotated[tuple[tuple[str, str], ...], _values.codecs] = ()
    # How a load initialises the part of an object that comes from a base class outside the game:
    # with its `__init__` without arguments (true), not at all (false), or with the function
    # `module:name`.
    bases: Annotated[tuple[tuple[str, str | bool], ...], _values.bases] = ()
    # Types whose values are never saved; their fields need no mark.
    transient: Annotated[tuple[str, ...], _values.types] = ()
    # The libraries whose types need no entry in `codecs`, `bases` or `transient`.
    presets: Annotated[tuple[str, ...], _values.presets] = PRESETS
    # "auto" runs black if the project has a `[tool.black]`, "black" always, "none" never.
    format: Annotated[str, _values.format] = "auto"
    # The Python that runs the game in pass 3. Default: the one that runs savegen.
    python: Annotated[str, _values.program] = ""
    # The function, as `module:name`, that makes a world for `savegen saves verify --game`: it
    # returns a manager, or a manager and the function that loads a level by name.
    world: Annotated[str, _values.function] = ""
    # The version of the saves that the game writes; migrations convert older saves to it.
    save_version: Annotated[int, _values.count] = 0
    required_version: Annotated[str, _values.specifier, "required-version"] = ""
    # Whether the sources were named on the command line, without a configuration.
    is_bare: bool = False
    # The settings of `[tool.black]` that savegen applies; `None`: black does not run.
    style: tuple[tuple[str, Any], ...] | None = None


# What `[tool.savegen]` may contain: the name in `Config` and the reader of each key.
_KEYS: dict[str, tuple[str, Callable[[object], Any]]] = {
    (*spelling, name)[0]: (name, read)
    for name, annotation in Config.__annotations__.items()
    for read, *spelling in [getattr(annotation, "__metadata__", (None,))]
    if read is not None
}


# Finding and reading the file


def load(
    start: str, file: str | None = None, paths: Sequence[str] = ()
) -> Config | None:
    """Read `file`, or else the first pyproject.toml that has the table.

    The search goes upwards from each of the `paths`, or from `start` if there are none.
    Returns `None` if no file has it. Raises `SavegenError` for an invalid file, for a named
    `file` without the table, and for paths in two projects.
    """
    if file is not None:
        config = _load(os.path.join(start, file), file)
        if config is None:
            misspelt_table = _misspelt_table_in(os.path.join(start, file))
            hint = f"it has {misspelt_table}: {DID_YOU_MEAN}"
            hint = hint if misspelt_table else _ADD_TABLE
            refuse(f"{file} has no {TABLE}; {hint}")
        return config
    if paths:
        return _load_for(paths, start)
    return _nearest(os.path.abspath(start), start)


def _nearest(folder: str, start: str) -> Config | None:
    """Read the first pyproject.toml with the table from `folder` upwards."""
    for above in _upwards(folder):
        path = disk.join(above, PYPROJECT)
        if disk.exists(path):
            config = _load(path, disk.relative(path, start))
            if config is not None:
                return config
    return None


def _load_for(paths: Sequence[str], start: str) -> Config | None:
    """Return the settings of the project that contains the paths; `None` for no project."""
    projects: dict[str, tuple[Config, str]] = {}  # with the first path in each
    for path in paths:
        if config := _config_of(os.path.join(start, path), start):
            projects.setdefault(config.root, (config, path))
    if len(projects) > 1:
        _refuse_two_projects([*projects.values()], start)
    if projects:
        return next(iter(projects.values()))[0]
    config = _nearest(os.path.abspath(start), start)
    places = (disk.resolve(os.path.join(start, path)) for path in paths)
    if config and any(_is_below(config.root, place) for place in places):
        return config  # the path is a folder that contains the project
    return None


def _config_of(path: str, start: str) -> Config | None:
    """Return the settings of the project that contains a path, after following links.

    A link that is a source of a project belongs to that project.
    """
    real, place = disk.resolve(path), disk.absolute(path)
    if place != real:
        config = _nearest(_folder_of(place), start)
        if config and _is_source(config, place):
            return _nearest(disk.resolve(config.root), start)
    return _nearest(_folder_of(real), start)


def _folder_of(place: str) -> str:
    return place if disk.is_folder(place) else disk.parent(place)


def _is_source(config: Config, place: str) -> bool:
    """Return whether `place` contains a source of the project, or is read as part of one."""
    path = disk.relative(place, config.root)
    for source in config.source:
        if _holds([path], source):
            return True
        if _holds([source], path):
            folder = disk.join(config.root, source)
            if not _has_linked_folder(folder, disk.relative(place, folder)):
                return True
    return False


def _has_linked_folder(folder: str, below: str) -> bool:
    """Return whether a folder on the path is a link, which the search for sources skips."""
    for name in below.split("/"):
        folder = disk.join(folder, name)
        status = disk.status(folder)
        if status and status.kind == "link" and disk.is_folder(folder):
            return True
    return False


def _refuse_two_projects(projects: list[tuple[Config, str]], start: str) -> NoReturn:
    belongs = [
        f"{path} belongs to {disk.relative(disk.join(config.root, PYPROJECT), start)}"
        for config, path in projects[:2]
    ]
    refuse(f"{', but '.join(belongs)}; run savegen once for each project")


def _is_below(path: str, folder: str) -> bool:
    return f"{path}{os.sep}".startswith(folder.rstrip(os.sep) + os.sep)


def bare(paths: Sequence[str]) -> Config:
    """Return the settings of a game without configuration, from the paths of its files.

    The output goes beside the first file. The root is the folder that the game is imported from:
    that of the file, or the one that contains its package. Raises `SavegenError` for a path that
    is neither a folder nor a Python file.

    >>> bare(["/no/such/game.py"])
    Traceback (most recent call last):
        ...
    savegen.findings.SavegenError: /no/such/game.py does not exist
    """
    if not paths:
        refuse(missing(os.path.abspath("")))
    places = [_place(path, len(paths) == 1) for path in paths]
    for path, place in zip(paths, places):
        if fault := _fault_of_source(place):
            refuse(f"{path} {fault}")
    folders = [_folder(place) for place in places]
    root = _common_folder([_import_root(folder) for folder in folders])
    output = _beside(disk.relative(folders[0], root))
    sources = [disk.relative(place, root) for place in places]
    earlier = _earlier_sources(root, output)
    sources += [path for path in earlier if not _holds(sources, path)]
    return Config(
        root=root,
        source=tuple(dict.fromkeys(sources)),
        output=output,
        is_bare=True,
    )


def _place(path: str, alone: bool) -> str:
    """Return the absolute path of a file or folder of a game, after following links.

    If several files were named, a link to a file is not followed.
    """
    if alone or disk.is_folder(path):
        return disk.resolve(path)
    place = disk.absolute(path)
    return disk.join(disk.resolve(disk.parent(place)), disk.name_of(place))


def missing(folder: str, also: str = "") -> str:
    """Return the error text for a game in `folder` without a configuration.

    `also` names a file that would have sufficed instead. Raises `SavegenError` if the nearest
    pyproject.toml is not valid TOML.
    """
    from savegen.build.config.games import games

    configuration = f"{PYPROJECT} with {TABLE}"
    what = f"neither a {configuration} nor {also}" if also else f"no {configuration}"
    problem = f"found {what} in this folder or above it"
    paths = [disk.join(above, PYPROJECT) for above in _upwards(folder)]
    for index, path in enumerate(filter(disk.exists, paths)):
        shown = disk.relative(path, folder)
        if index == 0:
            document_of(content(path, shown), shown)
        if table := _misspelt_table_in(path):
            return f"{problem}; {shown} has {table}: {DID_YOU_MEAN}"
    candidates = games(folder)
    if len(candidates) > 1:
        return f"{problem}.\n{_choose_from(folder, candidates)}"
    source = candidates[0] if candidates else "mygame"
    return (
        f"{problem}.\n"
        f"Run `savegen init`, or write these lines into {PYPROJECT}:\n\n"
        f"{table_for(folder, whole_if_file(source))}{_command_without_table(source)}"
    )


def _choose_from(folder: str, candidates: list[str]) -> str:
    """Return the instructions for a folder with several packages."""
    whole = " (`.` is this whole folder)" if "." in candidates else ""
    sources = ["."] if "." in candidates else candidates
    return (
        f"Your game could be any of these: {', '.join(candidates)}{whole}.\n"
        f"Run `savegen init {' '.join(sources)}`, or write these lines into"
        f" {PYPROJECT}.\nLeave out what does not belong to your game:\n\n"
        f"{table_for(folder, *sources)}"
    )


def _misspelt_table_in(path: str) -> str | None:
    """Return the table in a file that looks like a misspelt `[tool.savegen]`."""
    import tomllib

    try:
        return misspelt(tomllib.loads(disk.read(path).decode()))
    except (OSError, ValueError, RecursionError):
        return None


def misspelt(document: dict[str, Any]) -> str | None:
    """Return the table in a document that looks like a misspelt `[tool.savegen]`."""
    from savegen.findings import similar

    tool = document.get("tool")
    names = tool if isinstance(tool, dict) else ()
    if close := similar("savegen", names, cutoff=0.7):
        return f"[tool.{close}]"
    return "[savegen]" if isinstance(document.get("savegen"), dict) else None


def _command_without_table(source: str) -> str:
    """Return the command for a game of one file, which needs no configuration."""
    if not source.endswith(".py"):
        return ""
    return f"\n\nA game of one file works without them, too: `savegen build {source}`"


def whole_if_file(source: str) -> str:
    """Return the source to propose for a game: the whole folder for a file at its top.

    The game will get more files, and a class in another file must not be forgotten.
    """
    return "." if source.endswith(".py") and "/" not in source else source


def table_for(root: str, *sources: str) -> str:
    """Return the lines of pyproject.toml that make folders or files in `root` the game.

    >>> print(table_for("/no/such/folder", "src/mygame"))
    [tool.savegen]
    source = "src/mygame"
    """
    from savegen.build.config.games import others_in

    lines = [TABLE, f"source = {toml_value(sources)}"]
    if sources == (".",) and (others := others_in(root)):
        lines.append(f"exclude = {toml_value(others, is_list=True)}")
    return "\n".join(lines)


def toml_value(paths: Sequence[str], is_list: bool = False) -> str:
    """Return the value of `source` or `exclude` as TOML: a string, or a list of several.

    >>> toml_value(["alpha"]), toml_value(["alpha", "beta"])
    ('"alpha"', '["alpha", "beta"]')
    """
    import json

    value = [*paths] if is_list or len(paths) > 1 else paths[0]
    return json.dumps(value, ensure_ascii=False)


def _earlier_sources(root: str, output: str) -> Iterator[str]:
    """Yield the sources of earlier runs that still exist.

    They are still part of the game, so their generated files must not be removed.
    """
    folder = disk.join(root, output, "components")
    for name in sorted(disk.files_below(folder)):
        path = source_of(disk.head(disk.join(folder, name), HEAD_SIZE))
        if path and disk.exists(disk.join(root, path)):
            yield path


def _holds(sources: list[str], path: str) -> bool:
    return any(s in (".", path) or path.startswith(f"{s}/") for s in sources)


def _upwards(folder: str) -> Iterator[str]:
    yield folder
    while disk.parent(folder) != folder:
        folder = disk.parent(folder)
        yield folder


def _import_root(folder: str) -> str:
    return next(
        above
        for above in _upwards(folder)
        if not disk.exists(disk.join(above, "__init__.py"))
        or disk.parent(above) == above
    )


def _common_folder(folders: list[str]) -> str:
    try:
        return os.path.commonpath(folders)
    except ValueError:
        refuse("the files are on different drives; name files of one drive only")


def _load(path: str, shown: str) -> Config | None:
    return parsed(path, shown, content(path, shown))


def parsed(path: str, shown: str, data: bytes) -> Config | None:
    """Return the settings in the content of a file; `None` if it has no `[tool.savegen]`.

    `shown` is the path in error messages. Raises `SavegenError` for invalid settings.
    """
    document = document_with_table(data, shown)
    tool = document.get("tool")
    table = tool.get("savegen") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        refuse(f"{shown}: `tool.savegen` must be a table; write it as {TABLE}")
    try:
        values = _settings(table, shown)
        root = disk.parent(os.path.abspath(path))
        config = _complete(Config(root, **values), document)
        return config._replace(style=_style(config, path, document))
    except InvalidValue as error:
        refuse(f"{shown}: {error}")


def _settings(table: dict[str, object], shown: str) -> dict[str, Any]:
    # This is the first check, because a newer savegen may have keys that this one lacks.
    if "required-version" in table:
        _check_version(_read("required-version", table["required-version"]), shown)
    for key in table:
        if key not in _KEYS:
            _refuse_unknown(key)
    return {_KEYS[key][0]: _read(key, value) for key, value in table.items()}


def _read(key: str, value: object) -> Any:
    try:
        return _KEYS[key][1](value)
    except InvalidValue as error:
        raise InvalidValue(f"`{key}` in {TABLE} {error}") from None


def _refuse_unknown(key: str) -> NoReturn:
    from savegen.findings import similar

    close = similar(key, _KEYS)
    hint = f"did you mean `{close}`?" if close else f"the keys are {', '.join(_KEYS)}"
    raise InvalidValue(f"unknown key `{key}` in {TABLE}; {hint}")


def _complete(config: Config, document: dict[str, Any]) -> Config:
    """Fill in the defaults, and check that the settings fit together."""
    source = config.source or (package_of(config.root, document) or ".",)
    output = config.output or _beside(_folder(source[0]))
    _check_output(output, source)
    for path in source:
        if fault := _fault_of_source(disk.join(config.root, path)):
            raise InvalidValue(f'`source` in {TABLE} names "{path}", which {fault}')
    return config._replace(source=source, output=output)


# The settings of `[tool.black]` that affect the formatted code, with black's defaults.
_BLACK_DEFAULTS: dict[str, Any] = {
    "line_length": 88,
    "target_version": [],
    "skip_string_normalization": False,
    "skip_magic_trailing_comma": False,
    "preview": False,
    "unstable": False,
    "enable_unstable_feature": [],
}


def _style(
    config: Config, path: str, document: dict[str, Any]
) -> tuple[tuple[str, Any], ...] | None:
    """Return the settings that differ from black's defaults; `None` if black does not run."""
    if config.format == "none":
        return None
    table = _black_table(config.root, path, document)
    if table is None:
        if config.format == "auto":
            return None
        table = {}
    settings = {key.replace("--", "").replace("-", "_"): table[key] for key in table}
    return tuple(
        (key, settings[key])
        for key, default in _BLACK_DEFAULTS.items()
        if settings.get(key, default) != default
    )


def _black_table(
    root: str, path: str, document: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the `[tool.black]` that black would find for files below `root`."""
    for folder in _upwards(root):
        place = disk.join(folder, PYPROJECT)
        if place != path:
            document = _black_document(place, disk.relative(place, root))
        tool = document.get("tool")
        table = tool.get("black") if isinstance(tool, dict) else None
        if isinstance(table, dict):
            return table
        if any(disk.exists(disk.join(folder, name)) for name in (".git", ".hg")):
            break
    return None


def _black_document(path: str, shown: str) -> dict[str, Any]:
    data = disk.read(path) if disk.exists(path) else b""
    return parse_toml(data.decode(errors="replace"), shown) if b"black" in data else {}


def package_of(root: str, document: dict[str, Any]) -> str | None:
    """Return the package with the same name as the project; `None` if there is none."""
    project = document.get("project")
    name = project.get("name") if isinstance(project, dict) else None
    module = re.sub(r"[-_.]+", "_", name) if isinstance(name, str) else ""
    if not module.isidentifier():
        return None
    for folder in (module, module.lower(), f"src/{module}", f"src/{module.lower()}"):
        if disk.exists(disk.join(root, folder, "__init__.py")):
            return folder
    return None


def _folder(source: str) -> str:
    return disk.parent(source) if source.endswith(".py") else source


def _beside(folder: str) -> str:
    return posixpath.normpath(posixpath.join(folder, OUTPUT))


def _check_output(output: str, sources: tuple[str, ...]) -> None:
    # A source in the output folder would be removed like a generated file without a source.
    inside = [path for path in sources if f"{path}/".startswith(f"{output}/")]
    if output == "." or inside:
        raise InvalidValue(
            f"`output` in {TABLE} must be a separate folder that contains no sources"
        )
    name = posixpath.basename(output)
    if not is_name(name):
        raise InvalidValue(
            f'`output` in {TABLE} must end in a name that Python can import, not "{name}"'
        )


def _fault_of_source(place: str) -> str | None:
    """Return why `place` cannot be a source; `None` if it can."""
    status = disk.status(disk.resolve(place))
    if status is None:
        return "does not exist"
    if status.kind == "folder" or (status.kind == "file" and place.endswith(".py")):
        return None
    return "is neither a folder nor a Python file"


def _check_version(specifier: str, shown: str) -> None:
    from packaging.specifiers import SpecifierSet

    if not SpecifierSet(specifier).contains(VERSION, prereleases=True):
        refuse(
            f"{shown} requires savegen {specifier}, but this is savegen {VERSION};"
            " install a version that it allows"
        )

"""`[tool.savegen]` of pyproject.toml, as a frozen `Config`; what it does not know is refused."""

import keyword
import math
import operator
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple, NoReturn

from savegen import disk

VERSION = "0.1.0"  # as in pyproject.toml; asking the installed package takes 20 ms
PYPROJECT = "pyproject.toml"
TABLE = "[tool.savegen]"
OUTPUT = "_savegen"  # where generated code goes, unless `output` says otherwise


class _Wrong(Exception):
    """What is wrong with a value: the rest of a sentence that begins with its key."""


def _refuse(reason: str) -> NoReturn:
    # Imported when it is needed: a run with nothing to do has no use for findings.
    from savegen.report import SavegenError

    raise SavegenError(reason) from None


# Readers: each turns the value of a key into what `Config` holds, or raises `_Wrong`


def _path(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _Wrong(f"must be a path, not {_toml(value)}")
    if not value.isprintable():
        raise _Wrong(f"has a character that no path should have: {_toml(value)}")
    if "\\" in value:
        raise _Wrong(f"must be written with `/`, not {_toml(value)}")
    if value.startswith(("/", "~")) or re.match("[A-Za-z]:", value):
        raise _Wrong(f"must be relative to the project's folder, not {_toml(value)}")
    path = posixpath.normpath(value)
    if path == ".." or path.startswith("../"):
        raise _Wrong(f"must not lead out of the project, as {_toml(value)} does")
    return path


def _sources(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (_path(value),)
    if not isinstance(value, list) or not value:
        raise _Wrong(f"must be a folder or a list of folders, not {_toml(value)}")
    return tuple(dict.fromkeys(map(_path, value)))


def _module(value: object) -> str:
    parts = value.split(".") if isinstance(value, str) else [""]
    if isinstance(value, str) and all(map(_is_name, parts)):
        return value
    raise _Wrong(f'must be a name such as "my_game", not {_toml(value)}')


def _globs(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _Wrong(f'must be a list such as ["tests/*"], not {_toml(value)}')
    return tuple(dict.fromkeys(map(_path, value)))


def _codecs(value: object) -> tuple[tuple[str, str], ...]:
    found = _table(value, '"mygame.vec.Vec2" = "mygame.codecs:vec2"')
    return tuple((name, _place(name, each)) for name, each in found)


def _bases(value: object) -> tuple[tuple[str, str | bool], ...]:
    found = _table(value, '"engine.Actor" = true')
    return tuple(
        (name, each if isinstance(each, bool) else _place(name, each))
        for name, each in found
    )


def _table(value: object, example: str) -> list[tuple[str, object]]:
    if not isinstance(value, dict):
        raise _Wrong(f"must be a table such as {{ {example} }}, not {_toml(value)}")
    for name in value:
        if not _is_dotted(name) or "." not in name:
            raise _Wrong(f"must name a class with its module, not {_toml(name)}")
    return sorted(value.items())


def _place(key: str, value: object) -> str:
    module, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    if _is_dotted(module) and _is_dotted(name):
        return f"{module}:{name}"
    raise _Wrong(
        f'must say for "{key}" where it is, as "module:name", not {_toml(value)}'
    )


def _types(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(map(_is_dotted, value)):
        return tuple(dict.fromkeys(value))
    raise _Wrong(f'must be a list such as ["mygame.sound.Channel"], not {_toml(value)}')


PRESETS = ("pygame-ce", "arcade", "panda3d", "numpy")


def _presets(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(each in PRESETS for each in value):
        return tuple(dict.fromkeys(value))
    raise _Wrong(f"must be a list of some of {', '.join(PRESETS)}, not {_toml(value)}")


def _is_dotted(value: object) -> bool:
    return isinstance(value, str) and all(map(_is_name, value.split(".")))


def _format(value: object) -> str:
    if value in ("auto", "black", "none"):
        return str(value)
    raise _Wrong(f'must be "auto", "black" or "none", not {_toml(value)}')


def _specifier(value: object) -> str:
    try:
        if isinstance(value, str) and list(_clauses(value)):
            return value
    except ValueError:
        pass
    raise _Wrong(f'must be like ">=0.1" or "~=1.2, !=1.2.3", not {_toml(value)}')


def _toml(value: object) -> str:
    """Return a value about as the file has it, cut where it is long."""
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, list):
        text = f"[{', '.join(map(_toml, value))}]"
    elif isinstance(value, dict):
        text = "a table"
    elif isinstance(value, int) and abs(value) >= 10**9:
        text = "a huge number"  # one of 5,000 digits cannot become text
    else:
        text = str(value)
    return text if len(text) <= 60 else f"{text[:56]} ..."


_GENERATED = re.compile(rb"# Code generated by savegen from (.+); DO NOT EDIT")


class Config(NamedTuple):
    """The settings of a project. Paths are posix and relative to `root`.

    A key of `[tool.savegen]` is one line here: its name, its type and the function that
    reads it, and what it is where the file does not say.
    """

    root: str  # absolute
    # Folders or single files. Where the file does not say: the package named like the
    # project (`my_game` or `src/my_game` for `name = "my-game"`), else the whole project.
    source: Annotated[tuple[str, ...], _sources] = ()
    # Where the file does not say: `_savegen` in the first source.
    output: Annotated[str, _path] = ""
    # What the game calls the project's folder, if that is itself a package: its files are
    # imported as `my_game.player` then, from the folder above.
    package: Annotated[str, _module] = ""
    # As `fnmatch` has it: `*` crosses folders; a folder that matches is not entered.
    exclude: Annotated[tuple[str, ...], _globs] = ()
    # Types that a codec of the game's copies and takes apart: type → `module:name`.
    codecs: Annotated[tuple[tuple[str, str], ...], _codecs] = ()
    # How objects of classes from outside the game are prepared when a load has to make them:
    # by their own `__init__` without arguments, by nothing, or by a function, `module:name`.
    bases: Annotated[tuple[tuple[str, str | bool], ...], _bases] = ()
    # Types whose values are never saved, and need not be mentioned.
    transient: Annotated[tuple[str, ...], _types] = ()
    # The libraries whose types are known without being named above.
    presets: Annotated[tuple[str, ...], _presets] = PRESETS
    # "auto": by black, if the project asks it for another style than its own.
    format: Annotated[str, _format] = "auto"
    required_version: Annotated[str, _specifier, "required-version"] = ""
    is_bare: bool = (
        False  # there is no file: the sources were named on the command line
    )
    # What the project asks of black, as `[tool.black]` has it; None: it is not to run.
    style: tuple[tuple[str, Any], ...] | None = None


class _Key(NamedTuple):
    name: str  # in `Config`
    read: Callable[[object], Any]


def _keys() -> Iterator[tuple[str, _Key]]:
    for name, annotation in Config.__annotations__.items():
        read, *spelling = getattr(annotation, "__metadata__", (None,))
        if read is not None:
            yield (*spelling, name)[0], _Key(name, read)


_KEYS = dict(_keys())


# Finding and reading the file


def load(start: str, file: str | None = None) -> Config | None:
    """Read `file`, or else the first pyproject.toml from `start` upwards that has the table.

    Returns None if there is none. Raises `SavegenError` for a file that cannot be read or
    says anything that is not understood, and for a named `file` without the table.
    """
    if file is not None:
        config = _load(os.path.join(start, file), file)
        if config is None:
            _refuse(f"{file} has no {TABLE}")
        return config
    for folder in _upwards(os.path.abspath(start)):
        path = disk.join(folder, PYPROJECT)
        if disk.exists(path):
            config = _load(path, disk.relative(path, start))
            if config is not None:
                return config
    return None


def bare(paths: Sequence[str]) -> Config:
    """Return what holds for a game without configuration: these files, output beside the first.

    The root is the folder that the game is imported from: the file's own, or the one around
    its package. Raises `SavegenError` for a path that is neither a folder nor a Python file.

    >>> bare(["/no/such/game.py"])
    Traceback (most recent call last):
        ...
    savegen.report.SavegenError: /no/such/game.py is not there
    """
    if not paths:
        _refuse(
            f"there is no {PYPROJECT} with {TABLE} here or above;"
            " write one, or name the files of the game"
        )
    places = [os.path.abspath(path) for path in paths]
    for path, place in zip(paths, places):
        fault = _fault(place)
        if fault:
            _refuse(f"{path} {fault}")
    folders = [_folder(place) for place in places]
    root = _common([_import_root(folder) for folder in folders])
    output = _beside(disk.relative(folders[0], root))
    named = [disk.relative(place, root) for place in places]
    earlier = [
        path for path in _generated_from(root, output) if not _holds(named, path)
    ]
    return Config(
        root=root,
        source=tuple(dict.fromkeys(named + earlier)),
        output=output,
        is_bare=True,
    )


def _generated_from(root: str, output: str) -> Iterator[str]:
    """Yield the files that earlier runs were given and that are still there.

    What was generated from them stays: they are part of the game.
    """
    folder = disk.join(root, output, "components")
    for name in sorted(disk.files_below(folder)):
        found = _GENERATED.match(disk.head(disk.join(folder, name), 500))
        path = os.fsdecode(found[1]) if found else ""
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
        each
        for each in _upwards(folder)
        if not disk.exists(disk.join(each, "__init__.py")) or disk.parent(each) == each
    )


def _common(folders: list[str]) -> str:
    try:
        return os.path.commonpath(folders)
    except ValueError:
        _refuse("the files lie on different drives")


def _load(path: str, shown: str) -> Config | None:
    document = _document(path, shown)
    tool = document.get("tool")
    table = tool.get("savegen") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        _refuse(f"{shown}: `tool.savegen` must be a table")
    try:
        values = _values(table, shown)
        root = disk.parent(os.path.abspath(path))
        config = _complete(Config(root, **values), document)
        return config._replace(style=_style(config, path, document))
    except _Wrong as wrong:
        _refuse(f"{shown}: {wrong}")


def _document(path: str, shown: str) -> dict[str, Any]:
    """Parse the file. One that does not name savegen is empty: it need not even be valid."""
    try:
        data = disk.read(path)
    except OSError as error:
        _refuse(f"cannot read {shown}: {error.strerror}")
    if b"savegen" not in data and b"\0" not in data:
        return {}
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _refuse(f"{shown}:{line}: not UTF-8")
    return _parse(text, shown)


def _parse(text: str, shown: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, or a number of 5,000 digits
        reason, _, place = str(error).partition(" (at ")
        found = re.match(r"line (\d+), column (\d+)", place)
        line = ":".join(found.groups()) if found else text.count("\n") + 1
        _refuse(f"{shown}:{line}: not valid TOML: {reason}")
    except RecursionError:
        _refuse(f"{shown}: nested too deeply")


# From the table to the settings


def _values(table: dict[str, object], shown: str) -> dict[str, Any]:
    # First, because a project that needs a newer savegen has keys that this one does not know.
    if "required-version" in table:
        _require(_read("required-version", table["required-version"]), shown)
    for key in table:
        if key not in _KEYS:
            _refuse_unknown(key)
    return {_KEYS[key].name: _read(key, value) for key, value in table.items()}


def _read(key: str, value: object) -> Any:
    try:
        return _KEYS[key].read(value)
    except _Wrong as wrong:
        raise _Wrong(f"`{key}` in {TABLE} {wrong}") from None


def _refuse_unknown(key: str) -> NoReturn:
    import difflib

    close = difflib.get_close_matches(key.lower(), _KEYS, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(_KEYS)}"
    raise _Wrong(f"unknown key `{key}` in {TABLE}; {hint}")


def _complete(config: Config, document: dict[str, Any]) -> Config:
    """Fill in what follows from other settings, and check what must fit together."""
    source = config.source or (_package(config.root, document) or ".",)
    output = config.output or _beside(_folder(source[0]))
    _check_output(output, source)
    for path in source:
        fault = _fault(disk.join(config.root, path))
        if fault:
            raise _Wrong(f'`source` in {TABLE} names "{path}", which {fault}')
    return config._replace(source=source, output=output)


# What `[tool.black]` can say about the looks of a file, and what goes without saying.
_STYLE: dict[str, Any] = {
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
    """Return what the project wants other than black does it, if black is to run."""
    if config.format == "none":
        return None
    table = _black_table(config.root, path, document)
    named = {key.replace("--", "").replace("-", "_"): table[key] for key in table}
    wanted = {
        k: named[k] for k, usual in _STYLE.items() if named.get(k, usual) != usual
    }
    if config.format == "auto" and not wanted:
        return None
    return tuple(wanted.items())


def _black_table(root: str, path: str, document: dict[str, Any]) -> dict[str, Any]:
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
    return {}


def _black_document(path: str, shown: str) -> dict[str, Any]:
    data = disk.read(path) if disk.exists(path) else b""
    return _parse(data.decode(errors="replace"), shown) if b"black" in data else {}


def _package(root: str, document: dict[str, Any]) -> str | None:
    """Return the package that is named like the project, if there is one."""
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
    # What lies in the output without a source of its own is removed as an orphan.
    inside = [path for path in sources if f"{path}/".startswith(f"{output}/")]
    if output == "." or inside:
        raise _Wrong(
            f"`output` in {TABLE} must be a folder of its own, without sources"
        )
    name = posixpath.basename(output)
    if not _is_name(name):
        raise _Wrong(
            f'`output` in {TABLE} must be a name that Python can import, not "{name}"'
        )


def _is_name(text: str) -> bool:
    """Tell whether an `import` statement can say it."""
    return text.isidentifier() and not keyword.iskeyword(text)


def _fault(place: str) -> str | None:
    """Return what keeps `place` from being a source."""
    found = disk.look(disk.resolve(place))
    if found is None:
        return "is not there"
    if found.kind == "folder" or (found.kind == "file" and place.endswith(".py")):
        return None
    return "is neither a folder nor a Python file"


# Versions: PEP 440 as far as savegen's own go (`1.2`, `1.2a1`, `1.2.dev3`). The library
# `packaging` would more than double what it costs to read a configuration.


def _require(specifier: str, shown: str) -> None:
    ours = version()
    if not satisfies(ours, specifier):
        _refuse(f"{shown} requires savegen {specifier}, and this is savegen {ours}")


def version() -> str:
    """Return the version of the savegen that runs."""
    return VERSION


def satisfies(version: str, specifier: str) -> bool:
    """Tell whether a specifier such as `>=0.1, <1` allows a version.

    Raises `ValueError` if either is not understood.

    >>> satisfies("0.2.1", ">=0.1, <0.3"), satisfies("1.0rc1", "~=1.0")
    (True, False)
    """
    return all(allows(version) for allows in _clauses(specifier))


def _clauses(specifier: str) -> Iterator[Callable[[str], bool]]:
    for clause in specifier.split(","):
        found = re.fullmatch(r"\s*(~=|==|!=|<=|>=|<|>)\s*(\S+)\s*", clause)
        if not found:
            raise ValueError(f"{clause!r} is not a clause of a version specifier")
        yield _clause(*found.groups())


def _clause(sign: str, bound: str) -> Callable[[str], bool]:
    if sign in ("==", "!=") and bound.endswith(".*"):
        prefix, stage, _ = _version(bound[:-2])
        if stage != _FINAL:
            raise ValueError(f"{bound!r} is not a release")
        return lambda version: _begins(version, prefix) == (sign == "==")
    limit = _order(bound)
    if sign == "~=":
        prefix = _version(bound)[0][:-1]
        if not prefix:
            raise ValueError(f"{bound!r} has only one number")
        return lambda version: _order(version) >= limit and _begins(version, prefix)
    if sign == "<" and limit[1] == _FINAL:
        return lambda version: _order(version)[0] < limit[0]  # `<1` means no 1.0rc1
    compare = _COMPARISONS[sign]
    return lambda version: compare(_order(version), limit)


_FINAL = "z"  # sorts behind the stages before it: "" (only .dev), "a", "b", "rc"
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


def _version(text: str) -> tuple[list[int], str, tuple[float, float]]:
    """Return the release, the stage, and the numbers of stage and development release."""
    found = re.fullmatch(
        r"([0-9]+(?:\.[0-9]+)*)(?:(a|b|rc)([0-9]+))?(?:\.dev([0-9]+))?", text
    )
    if not found:
        raise ValueError(f"{text!r} is not a version")
    release, stage, number, dev = found.groups()
    return (
        [int(part) for part in release.split(".")],
        stage or ("" if dev else _FINAL),
        (int(number or 0), int(dev) if dev else math.inf),
    )


def _order(text: str) -> tuple[list[int], str, tuple[float, float]]:
    release, stage, numbers = _version(text)
    while release and release[-1] == 0:
        release.pop()
    return release, stage, numbers


def _begins(version: str, prefix: list[int]) -> bool:
    release = _version(version)[0]
    padding = [0] * (len(prefix) - len(release))
    return (release + padding)[: len(prefix)] == prefix

"""Plan the text that `savegen init` adds to a project's files. Existing text does not change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, NoReturn

from savegen import disk
from savegen.build import config
from savegen.build.config import PYPROJECT, TABLE, Config
from savegen.build.config.games import games
from savegen.findings import SavegenError

ATTRIBUTES, IGNORE = ".gitattributes", ".gitignore"
HOOKS, EDITOR = ".pre-commit-config.yaml", ".vscode/settings.json"
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in the order in which make looks


class FileAddition(NamedTuple):
    """A file, and its content with text added."""

    path: str  # posix, relative to the project's folder
    old: bytes | None  # None: there is no file yet
    new: bytes
    description: str  # of the added text, to be printed


class InitPlan(NamedTuple):
    """The changes that `savegen init` will make. Planning changes nothing on disk."""

    config: Config  # the configuration after the changes
    additions: tuple[FileAddition, ...]
    absent: tuple[str, ...]  # optional files that do not exist
    hints: tuple[str, ...]  # changes that the user has to make


# The position and the text to insert, with "\n"; None if there is nothing to add.
Insertion = tuple[int, str] | None


def plan(root: str, packages: Sequence[str] = (), everything: bool = False) -> InitPlan:
    """Return the plan of the text to add to the files of the project in `root`.

    `packages` are the game; without them, savegen searches for it. With `everything` the files
    of optional tools are created too. Raises `SavegenError` if the search finds no game or
    several, or if a file cannot be read or changed.
    """
    settings, table = _configured(root, packages)
    _check_output(settings)
    additions = [
        table,
        _attributes(settings),
        _addition(root, IGNORE, _CACHE, _missing_ignore),
    ]
    absent = []
    hints = []
    names = disk.names_in(root)
    makefile = next((name for name in MAKEFILES if name in names), MAKEFILES[-1])
    for path, description, insertion in (
        (makefile, "the target `savegen`", _missing_target),
        (HOOKS, "hooks that run savegen before each commit", _missing_hooks),
    ):
        if everything or path in names:
            additions.append(_addition(root, path, description, insertion))
        else:
            absent.append(path)
    if not everything and disk.parent(EDITOR) not in names:
        absent.append(EDITOR)
    elif isinstance(editor_settings := _editor(settings), str):
        hints.append(editor_settings)
    else:
        additions.append(editor_settings)
    return InitPlan(
        settings, tuple(filter(None, additions)), tuple(absent), tuple(hints)
    )


def is_marked(game: Config) -> bool:
    """Return whether the text of the game contains `@saveable`."""
    paths = disk.find_sources(game.root, game.source, game.exclude)
    return any(_MARK.search(disk.read(disk.join(game.root, path))) for path in paths)


_MARK = re.compile(rb"(?m)^[ \t]*@[ \t]*(?:[\w.]+\.)?saveable\b")


def _refuse(reason: str) -> NoReturn:
    raise SavegenError(reason)


# One file


def _addition(
    root: str, path: str, description: str, insertion: Callable[[str], Insertion]
) -> FileAddition | None:
    """Return the file with the text of `insertion` added; None if there is nothing to add."""
    return _added_to(root, path, _read(root, path), description, insertion)


def _added_to(
    root: str,
    path: str,
    old: bytes | None,
    description: str,
    insertion: Callable[[str], Insertion],
) -> FileAddition | None:
    """Do the same for a file that was read already; `None` is a file that does not exist."""
    text = _text(path, old or b"")
    inserted = insertion(text)
    if inserted is None:
        return None
    position, added = inserted
    status = disk.status(disk.join(root, path))
    if status and (status.kind == "link" or status.links > 1):
        kind = "is a link" if status.kind == "link" else "has another hard link"
        _refuse(
            f"{path} {kind}, and savegen does not write through links."
            f" Add this to the file yourself, then run `savegen init` again:\n\n{added}"
        )
    new = text[:position] + _with_line_ends(added, text) + text[position:]
    return FileAddition(path, old, new.encode(errors="surrogateescape"), description)


def _read(root: str, path: str) -> bytes | None:
    full_path = disk.join(root, path)
    target, entry = disk.status(disk.resolve(full_path)), disk.status(full_path)
    if target is None and entry and entry.kind == "link":
        _refuse(
            f"{path} is a symbolic link to a file that does not exist;"
            " remove it, then run `savegen init` again"
        )
    if target and target.kind == "folder":
        _refuse(
            f"{path} is a folder, but savegen needs a file of that name;"
            " rename the folder, then run `savegen init` again"
        )
    try:
        return disk.read(full_path) if disk.status(full_path) else None
    except OSError as error:
        _refuse(f"cannot read {path}: {error.strerror}")


def _text(path: str, data: bytes) -> str:
    if b"\0" in data:
        _refuse(
            f"{path} contains NUL bytes, perhaps because it is UTF-16;"
            " save it as UTF-8, then run `savegen init` again"
        )
    return data.decode(errors="surrogateescape")


def _with_line_ends(added: str, text: str) -> str:
    """Return `added` with the most frequent line end of `text`."""
    crlf = text.count("\r\n")
    return added.replace("\n", "\r\n") if crlf * 2 > text.count("\n") else added


def _at_end(text: str, added: str, blank: bool = True) -> tuple[int, str]:
    """Return an insertion at the end of a file, after an empty line if `blank`."""
    gap = "" if not text or text.endswith("\n") else "\n"
    if blank and text.strip("\ufeff \t\r\n") and not re.search(r"\n\r?\n\Z", text):
        gap += "\n"
    return len(text), f"{gap}{added}"


# pyproject.toml


def _configured(
    root: str, packages: Sequence[str]
) -> tuple[Config, FileAddition | None]:
    """Return the configuration, and the text that adds it to pyproject.toml if it is missing."""
    old = _read(root, PYPROJECT)
    data = old or b""
    document = config.document_of(data, PYPROJECT)
    full_path = disk.join(root, PYPROJECT)
    present = config.parsed(full_path, PYPROJECT, data)
    if present:
        for package in packages:
            _check_present(root, package, present)
        return present, None
    if other_table := config.misspelt(document):
        _refuse(
            f"{PYPROJECT} has {other_table}: {config.DID_YOU_MEAN} Rename the table, then run"
            " `savegen init` again"
        )
    named = dict.fromkeys(_path_of(root, package) for package in packages)
    sources = [*named] or [_only_game(root, document)]
    table = f"{config.table_for(root, *sources)}\n"
    _, *settings = table.splitlines()
    description = f"{TABLE} with {' and '.join(settings)}"
    # Read again, it could be the file that another run has written meanwhile.
    addition = _added_to(
        root, PYPROJECT, old, description, lambda text: _at_end(text, table)
    )
    assert addition is not None
    return _checked(full_path, sources, addition.new), addition


def _check_present(root: str, package: str, present: Config) -> None:
    if _path_of(root, package) not in present.source:
        sources = ", ".join(present.source)
        shown = "this whole folder (`.`)" if sources == "." else sources
        _refuse(
            f"{PYPROJECT} has {TABLE} already, and its source is {shown}."
            f" To make {package} the source, change the file"
        )


def _checked(path: str, sources: Sequence[str], new: bytes) -> Config:
    """Return the configuration in the new file. Raises `SavegenError` if it is invalid."""
    try:
        config.document_of(new, PYPROJECT)
    except SavegenError:
        parsed = None
    else:
        parsed = config.parsed(path, PYPROJECT, new)
    if parsed is None:
        entry = f"savegen = {{ source = {config.toml_value(sources)} }}"
        _refuse(
            f"{PYPROJECT} defines `tool` as an inline table or an array, so {TABLE} cannot be"
            f" appended. Add `{entry}` to the inline table, or write it as tables such as"
            " [tool.black]"
        )
    return parsed


def _path_of(root: str, package: str) -> str:
    """Return the path that the argument `package` stands for."""
    if not package:
        _refuse("the name of the package is empty; write `.` for this whole folder")
    path = disk.relative(disk.join(root, package), root)
    if path.startswith(".."):
        _refuse(
            f"{package} is outside this folder. Run `savegen init` in the folder that"
            " contains your game"
        )
    for choice in (path, f"{path}.py", f"src/{path}", f"src/{path}.py"):
        if disk.exists(disk.join(root, choice)):
            _check_name(choice)
            _check_content(root, choice)
            return choice
    others = ", ".join(games(root))
    _refuse(
        f"there is no package, folder or Python file {package} here"
        + (f"; savegen found {others}" if others else "")
    )


def _check_name(path: str) -> None:
    name = disk.name_of(path).removesuffix(".py")
    if path != "." and not config.is_name(name):
        reason = "is a keyword" if name.isidentifier() else "is not a name"
        _refuse(f"Python cannot import {path}: `{name}` {reason} in Python. Rename it")


def _check_content(root: str, path: str) -> None:
    if disk.is_folder(disk.join(root, path)):
        if not disk.find_sources(root, [path], []):
            _refuse(f"{path} contains no Python files; name the folder of your game")
    elif not path.endswith(".py"):
        _refuse(f"{path} is not a Python file; name the package of your game")


def _check_output(game: Config) -> None:
    """Raise `SavegenError` if links lead from the output to a folder outside the project."""
    folder = disk.parent(game.output)
    real = disk.resolve(disk.join(game.root, folder))
    if disk.relative(real, disk.resolve(game.root)).startswith(".."):
        _refuse(
            f"{folder} is outside the project, behind a symbolic link. Move your"
            " game into this folder, or run `savegen init` where the game is"
        )


def _only_game(root: str, document: dict[str, object]) -> str:
    """Return the path of the only game in a folder.

    Raises `SavegenError` if there is none or there are several.
    """
    if package := config.package_of(root, document):
        return package
    paths = games(root)
    if len(paths) == 1:
        return config.whole_if_file(paths[0])
    if not paths:
        notebooks = any(name.endswith(".ipynb") for name in disk.files_in(root))
        note = ", and savegen does not read notebooks" if notebooks else ""
        _refuse(
            f"there is no Python package or file in this folder{note}. Create your game's"
            " package, for example mygame/__init__.py, then run `savegen init` again"
        )
    whole = " (`.` is this whole folder)" if "." in paths else ""
    packages = [path for path in paths if path != "."]
    choices = [f"Name it: `savegen init {paths[0]}`"]
    if len(packages) > 1:
        choices.append(f"several: `savegen init {' '.join(packages)}`")
    if whole:
        choices.append("all of it: `savegen init .`")
    _refuse(
        f"your game could be any of these: {', '.join(paths)}{whole}."
        f" {', or '.join(choices)}"
    )


# git


def _attributes(game: Config) -> FileAddition | None:
    return _addition(
        game.root,
        ATTRIBUTES,
        "how git merges savegen.lock, and which files are generated",
        lambda text: _missing_attributes(text, game.output),
    )


def _missing_attributes(text: str, output: str) -> Insertion:
    present = [line.split() for line in text.splitlines() if _has_content(line)]
    lines = []
    if not any(pattern.rstrip('"').endswith("savegen.lock") for pattern, *_ in present):
        lines.append("savegen.lock merge=union\n")
    if not any("prefab_sources.txt" in pattern for pattern, *_ in present):
        lines.append(f"{_pattern(f'{output}/prefab_sources.txt')} merge=union\n")
    name = disk.name_of(output)
    if not any(
        name in pattern and "linguist-generated" in " ".join(attributes)
        for pattern, *attributes in present
    ):
        lines.append(f"{_pattern(f'{output}/**')} linguist-generated\n")
    return _at_end(text, "".join(lines), blank=False) if lines else None


def _pattern(path: str) -> str:
    """Return a path as a pattern of .gitattributes: escaped, and quoted if needed."""
    plain = re.sub(r"([\[\]?\\])", r"\\\1", path)
    if re.search(r'[\s"]', plain) or plain.startswith(("#", "!")):
        return json.dumps(plain, ensure_ascii=False)
    return plain


_CACHE = f"{disk.CACHE}/"


def _missing_ignore(text: str) -> Insertion:
    lines = (line.strip().removeprefix("**") for line in text.splitlines())
    if any(line.strip("/*") == disk.CACHE for line in lines):
        return None
    return _at_end(text, f"{_CACHE}\n", blank=False)


# make

# The targets of a rule; `savegen := x` is a variable.
_RULE = re.compile(r"(?m)^ *([^\s:=][^:=\n]*?)&?::?(?![:=])")


def _missing_target(text: str) -> Insertion:
    plain = _without_comments(text.replace("\\\r\n", " ").replace("\\\n", " "))
    if re.search(r"\bsavegen (build|components)\b", plain):
        return None
    if any("savegen" in rule[1].split() for rule in _RULE.finditer(plain)):
        return None
    recipe = " ; " if ".RECIPEPREFIX" in text else "\n\t"
    return _at_end(text, f".PHONY: savegen\nsavegen:{recipe}savegen build\n")


# pre-commit

# The key `repos`; group 1 is the value or comment on its line.
_REPOS = re.compile(r"""(?m)^\ufeff?["']?repos["']?[ \t]*:(?!\S)[ \t]*(\S.*?)?\s*?$""")
_KEY = re.compile(r"""["']?[\w.-]+["']?[ \t]*:(\s|$)""")
# An item of a list that is a mapping.
_ITEM = re.compile(rf" *- +({_KEY.pattern}|\{{)")
_UNINDENTED = re.compile(rf"- +\S|\.\.\.\s*$|{_KEY.pattern}")

_COMMANDS = ("components", "prefabs", "check")


def _missing_hooks(text: str) -> Insertion:
    """Return the insertion of an entry at the end of the list `repos`."""
    if re.search(r"savegen[- ](components|check)\b", _without_comments(text)):
        return None
    if not _is_plain_yaml(text):
        _refuse_hooks()
    keys = [*_REPOS.finditer(text)]
    if not keys:
        return _at_end(text, f"repos:\n{_entry('  ')}", blank=False)
    if len(keys) > 1 or (keys[0][1] and not keys[0][1].startswith("#")):
        _refuse_hooks()
    start = text.find("\n", keys[0].end()) + 1 or len(text)
    end, indent = _end_of_list(text, start)
    gap = "" if text[:end].endswith("\n") else "\n"
    return end, gap + _entry(indent)


def _refuse_hooks() -> NoReturn:
    _refuse(
        f"{HOOKS} does not write `repos` as a list with one entry per line. Add this"
        f" entry yourself, then run `savegen init` again:\n\n{_entry('  ')}"
    )


def _is_plain_yaml(text: str) -> bool:
    """Return whether a YAML file is a mapping with unindented keys.

    No bracket and no quoted text may span several lines, so that indentation shows the depth.
    """
    if re.search(r"\r(?!\n)", text):
        return False
    lines = [line for line in _lines(text.removeprefix("\ufeff")) if _has_content(line)]
    if lines and re.fullmatch(r"---\s*", lines[0]):
        lines = lines[1:]
    if any(line.startswith("---") for line in lines):
        return False
    if any(line.startswith("...") for line in lines) and not _REPOS.search(text):
        return False  # a list at the end of the file would be in a second document
    if lines and not _KEY.match(lines[0]):
        return False
    unindented = (line for line in lines if line[0] != " ")
    if not all(map(_UNINDENTED.match, unindented)):
        return False
    return all(map(_is_complete, lines))


def _is_complete(line: str) -> bool:
    """Return whether a line closes its brackets and quotes, and has no tab in its indentation."""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return False
    unquoted = re.sub(
        r"""(^|[\s\[{,:])("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')""", r"\1", line
    )
    unquoted = _without_comments(unquoted)
    if re.search(r"""(^|[\s\[{,])["']""", unquoted):
        return False
    return all(unquoted.count(a) == unquoted.count(b) for a, b in ("[]", "{}"))


def _end_of_list(text: str, start: int) -> tuple[int, str]:
    """Return the end of the list that begins at `start`, and the indentation of its items."""
    end, indent = start, None
    position = start
    for line in _lines(text[start:]):
        position += len(line)
        if not line.strip():
            continue
        if line[0] not in " -#":
            break
        if line[0] != "#":
            end = position
        if _has_content(line):
            indent = _indent_of_item(line, indent)
    return end, "  " if indent is None else indent


def _indent_of_item(line: str, indent: str | None) -> str:
    """Return the indentation of a list's items. Raises `SavegenError` if a line has another."""
    space = line[: len(line) - len(line.lstrip(" "))]
    if indent is not None and len(space) > len(indent):
        return indent
    if (indent is not None and space != indent) or not _ITEM.match(line):
        _refuse_hooks()
    return space


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _has_content(line: str) -> bool:
    return line.strip()[:1] not in ("", "#")


def _without_comments(text: str) -> str:
    return re.sub(r"(?m)(^|(?<=\s))#.*", "", text)


def _entry(indent: str) -> str:
    lines = ["- repo: local", "  hooks:"]
    for command in _COMMANDS:
        lines += [
            f"    - id: savegen-{command}",
            f"      name: savegen {command}",
            f"      entry: savegen {command} --tracked",
            "      language: system",
            "      pass_filenames: false",
            "      always_run: true",
            "      require_serial: true",
        ]
    return "".join(f"{indent}{line}\n" for line in lines)


# The editor


def _editor(game: Config) -> FileAddition | str | None:
    """Return the editor's settings with the schema added, or a hint if that is impossible."""
    schema = {"fileMatch": ["*.lvl"], "url": f"./{game.output}/level.schema.json"}
    values = {"files.associations": {"*.lvl": "json"}, "json.schemas": [schema]}
    old = _read(game.root, EDITOR)
    text = _text(EDITOR, old or b"")
    if ".lvl" in text:
        return None
    lines = [
        f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}"
        for k, v in values.items()
    ]
    if old is not None and not _is_object_without(text, values.keys()):
        shown = ",\n".join(f"  {line}" for line in lines)
        return f"for completion in level files, add this to {EDITOR}:\n\n{shown}\n"
    description = "the schema of level files"
    return _addition(game.root, EDITOR, description, lambda text: _members(text, lines))


def _is_object_without(text: str, keys: Iterable[str]) -> bool:
    """Return whether a file is a JSON object without these keys, and has no comments."""
    try:
        present = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return isinstance(present, dict) and not {*present}.intersection(keys)


def _members(text: str, lines: list[str]) -> Insertion:
    """Return the insertion of members at the end of a JSON object."""
    if not text:
        return 0, "{\n" + ",\n".join(f"  {line}" for line in lines) + "\n}\n"
    before = text[: text.rindex("}")].rstrip()
    indent = re.search(r'(?m)^([ \t]+)"', text)
    space = indent[1] if indent else "  "
    added = "".join(
        f"{',' if number or not before.endswith('{') else ''}\n{space}{line}"
        for number, line in enumerate(lines)
    )
    closing = "" if "\n" in text[len(before) :] else "\n"
    return len(before), added + closing

"""Plan the text that `savegen init` adds to files of a project. Existing text does not change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, NoReturn

from savegen import disk
from savegen.build import config
from savegen.build.config import PYPROJECT, TABLE, Config
from savegen.build.config.games import games
from savegen.findings import SavegenError

ATTRIBUTES, IGNORE = ".gitattributes", ".gitignore"
HOOKS, EDITOR = ".pre-commit-config.yaml", ".vscode/settings.json"
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in the order in which make looks


class Step(NamedTuple):
    """A file that gets more text."""

    path: str  # posix, relative to the project's folder
    old: bytes | None  # None: there is no file yet
    new: bytes
    what: str  # a short description of the added text


class Plan(NamedTuple):
    """The changes that `savegen init` will make. Planning changes nothing on disk."""

    config: Config  # the configuration after the changes
    steps: tuple[Step, ...]
    absent: tuple[str, ...]  # optional files that do not exist
    hints: tuple[str, ...]  # changes that the user has to make


# The position and the text to insert, with "\n"; None if there is nothing to add.
Insertion = tuple[int, str] | None


def plan(root: str, packages: Sequence[str] = (), everything: bool = False) -> Plan:
    """Return the plan of the text to add to the files of the project in `root`.

    Without `packages` savegen searches for the game. With `everything` the files of optional
    tools are created too. Raises `SavegenError` if there is no game or more than one, or if a
    file cannot be read or extended.
    """
    found, table = _configured(root, packages)
    _check_output(found)
    steps = [table, _attributes(found), _step(root, IGNORE, _CACHE, _ignored)]
    absent = []
    hints = []
    names = disk.names_in(root)
    makefile = next((name for name in MAKEFILES if name in names), MAKEFILES[-1])
    for path, what, insertion in (
        (makefile, "the target `savegen`", _target),
        (HOOKS, "hooks that run savegen before each commit", _hooks),
    ):
        if everything or path in names:
            steps.append(_step(root, path, what, insertion))
        else:
            absent.append(path)
    if not everything and disk.parent(EDITOR) not in names:
        absent.append(EDITOR)
    elif isinstance(edited := _editor(found), str):
        hints.append(edited)
    else:
        steps.append(edited)
    return Plan(found, tuple(filter(None, steps)), tuple(absent), tuple(hints))


def is_marked(found: Config) -> bool:
    """Return whether the text of the game contains `@saveable`."""
    paths = disk.find_sources(found.root, found.source, found.exclude)
    return any(_MARK.search(disk.read(disk.join(found.root, path))) for path in paths)


_MARK = re.compile(rb"(?m)^[ \t]*@[ \t]*(?:[\w.]+\.)?saveable\b")


def _refuse(reason: str) -> NoReturn:
    raise SavegenError(reason)


# One file


def _step(
    root: str, path: str, what: str, insertion: Callable[[str], Insertion]
) -> Step | None:
    """Return the step that inserts text into a file; None if nothing is missing."""
    return _grown(root, path, _read(root, path), what, insertion)


def _grown(
    root: str,
    path: str,
    old: bytes | None,
    what: str,
    insertion: Callable[[str], Insertion],
) -> Step | None:
    """Return the step that inserts text into a file with the content `old`; None if unneeded."""
    text = _text(path, old or b"")
    found = insertion(text)
    if found is None:
        return None
    position, added = found
    look = disk.status(disk.join(root, path))
    if look and (look.kind == "link" or look.links > 1):
        kind = "is a link" if look.kind == "link" else "has another hard link"
        _refuse(
            f"{path} {kind}, and savegen does not write through links."
            f" Add this to the file yourself, then run `savegen init` again:\n\n{added}"
        )
    new = text[:position] + _with_line_ends(added, text) + text[position:]
    return Step(path, old, new.encode(errors="surrogateescape"), what)


def _read(root: str, path: str) -> bytes | None:
    place = disk.join(root, path)
    look = disk.status(disk.resolve(place))
    if look is None and disk.status(place):
        _refuse(
            f"{path} is a symbolic link to a file that does not exist;"
            " remove it, then run `savegen init` again"
        )
    if look and look.kind == "folder":
        _refuse(
            f"{path} is a folder, but savegen needs a file of that name;"
            " rename the folder, then run `savegen init` again"
        )
    try:
        return disk.read(place) if disk.status(place) else None
    except OSError as error:
        _refuse(f"cannot read {path}: {error.strerror}")


def _text(path: str, data: bytes) -> str:
    if b"\0" in data:
        _refuse(f"{path} is not UTF-8; save it as UTF-8, then run `savegen init` again")
    return data.decode(errors="surrogateescape")


def _with_line_ends(added: str, text: str) -> str:
    windows = text.count("\r\n")
    return added.replace("\n", "\r\n") if windows * 2 > text.count("\n") else added


def _at_end(text: str, added: str, blank: bool = True) -> tuple[int, str]:
    """Return an insertion at the end of a file, after an empty line if `blank`."""
    gap = "" if not text or text.endswith("\n") else "\n"
    if blank and text.strip("\ufeff \t\r\n") and not re.search(r"\n\r?\n\Z", text):
        gap += "\n"
    return len(text), f"{gap}{added}"


# pyproject.toml


def _configured(root: str, packages: Sequence[str]) -> tuple[Config, Step | None]:
    """Return the configuration, and the step that writes it; no step if it exists already."""
    old = _read(root, PYPROJECT)
    document = config.document_of(old or b"", PYPROJECT)
    place = disk.join(root, PYPROJECT)
    present = config.parsed(place, PYPROJECT, old or b"")
    if present:
        for package in packages:
            _check_present(root, package, present)
        return present, None
    if meant := config.misspelt(document):
        _refuse(
            f"{PYPROJECT} has {meant}: {config.MEANT} Rename the table, then run"
            " `savegen init` again"
        )
    named = dict.fromkeys(_named(root, package) for package in packages)
    sources = [*named] or [_found(root, document)]
    table = f"{config.table_for(*sources)}\n"
    what = f"{TABLE} with source = {config.source_value(sources)}"
    step = _grown(root, PYPROJECT, old, what, lambda text: _at_end(text, table))
    assert step is not None
    return _checked(place, sources, step.new), step


def _check_present(root: str, package: str, present: Config) -> None:
    if _named(root, package) not in present.source:
        sources = ", ".join(present.source)
        whole = "this whole folder (`.`)"
        _refuse(
            f"{PYPROJECT} has {TABLE} already, and its source is"
            f" {whole if sources == '.' else sources}. To make {package} the source,"
            " change the file"
        )


def _checked(place: str, sources: Sequence[str], new: bytes) -> Config:
    """Return the configuration in the new file. Raises `SavegenError` if it is invalid."""
    try:
        config.document_of(new, PYPROJECT)
    except SavegenError:
        found = None
    else:
        found = config.parsed(place, PYPROJECT, new)
    if found is None:
        entry = f"savegen = {{ source = {config.source_value(sources)} }}"
        _refuse(
            f"{PYPROJECT} writes `tool` as a value, so {TABLE} cannot be added at its end."
            f" Add `{entry}` to that value, or write it as tables such as [tool.black]"
        )
    return found


def _named(root: str, package: str) -> str:
    """Return the path of the game that the user named `package`."""
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
    look = disk.status(disk.resolve(disk.join(root, path)))
    if look and look.kind == "folder":
        if not disk.find_sources(root, [path], []):
            _refuse(f"{path} contains no Python files; name the folder of your game")
    elif not path.endswith(".py"):
        _refuse(f"{path} is not a Python file; name the package of your game")


def _check_output(found: Config) -> None:
    """Raise `SavegenError` if the game is linked from outside: a build cannot write there."""
    folder = disk.parent(found.output)
    real = disk.resolve(disk.join(found.root, folder))
    if disk.relative(real, disk.resolve(found.root)).startswith(".."):
        _refuse(
            f"{folder} is outside the project, behind a symbolic link. Move your"
            " game into this folder, or run `savegen init` where the game is"
        )


def _found(root: str, document: dict[str, object]) -> str:
    """Return the path of the only game in a folder."""
    if package := config.package_of(root, document):
        return package
    found = games(root)
    if len(found) == 1:
        return found[0]
    if not found:
        _refuse(
            "there is no Python package or file in this folder. Create your game's"
            " package, for example mygame/__init__.py, then run `savegen init` again"
        )
    whole = " (`.` is this whole folder)" if "." in found else ""
    _refuse(
        f"your game could be any of these: {', '.join(found)}{whole}."
        f" Name it: `savegen init {found[0]}`{_or_several(found)}"
    )


def _or_several(found: list[str]) -> str:
    packages = [path for path in found if path != "."]
    several = f", or several: `savegen init {' '.join(packages)}`"
    return several if len(packages) > 1 else ""


# git


def _attributes(found: Config) -> Step | None:
    return _step(
        found.root,
        ATTRIBUTES,
        "how git merges savegen.lock, and which files are generated",
        lambda text: _missing_attributes(text, found.output),
    )


def _missing_attributes(text: str, output: str) -> Insertion:
    given = [line.split() for line in text.splitlines() if _has_content(line)]
    lines = []
    if not any(words[0].rstrip('"').endswith("savegen.lock") for words in given):
        lines.append("savegen.lock merge=union\n")
    name = disk.name_of(output)
    if not any(
        name in each[0] and "linguist-generated" in each[1] for each in _pairs(given)
    ):
        lines.append(f"{_pattern(f'{output}/**')} linguist-generated\n")
    return _at_end(text, "".join(lines), blank=False) if lines else None


def _pairs(lines: list[list[str]]) -> Iterator[tuple[str, str]]:
    return ((words[0], " ".join(words[1:])) for words in lines if words)


def _pattern(path: str) -> str:
    """Return a path as a pattern of .gitattributes: escaped, and quoted if it has spaces."""
    plain = re.sub(r"([\[\]?\\])", r"\\\1", path)
    if re.search(r'[\s"]', plain) or plain.startswith(("#", "!")):
        return json.dumps(plain, ensure_ascii=False)
    return plain


_CACHE = f"{disk.CACHE}/"


def _ignored(text: str) -> Insertion:
    lines = (line.strip().removeprefix("**") for line in text.splitlines())
    if any(line.strip("/*") == disk.CACHE for line in lines):
        return None
    return _at_end(text, f"{_CACHE}\n", blank=False)


# make

# The targets of a rule; `savegen := x` is a variable.
_RULE = re.compile(r"(?m)^ *([^\s:=][^:=\n]*?)&?::?(?![:=])")


def _target(text: str) -> Insertion:
    plain = _without_comments(text.replace("\\\r\n", " ").replace("\\\n", " "))
    if re.search(r"\bsavegen (build|components)\b", plain):
        return None
    if any("savegen" in found[1].split() for found in _RULE.finditer(plain)):
        return None
    recipe = " ; " if ".RECIPEPREFIX" in text else "\n\t"
    return _at_end(text, f".PHONY: savegen\nsavegen:{recipe}savegen build\n")


# pre-commit

_REPOS = re.compile(r"""(?m)^\ufeff?["']?repos["']?[ \t]*:(?!\S)[ \t]*(\S.*?)?\s*?$""")
_KEY = re.compile(r"""["']?[\w.-]+["']?[ \t]*:(\s|$)""")
_ITEM = re.compile(rf" *- +({_KEY.pattern}|\{{)")

_VERBS = ("components", "prefabs", "check")


def _hooks(text: str) -> Insertion:
    """Return the insertion of an entry at the end of the list `repos`."""
    if re.search(r"savegen[- ](components|check)\b", _without_comments(text)):
        return None
    if not _is_plain_yaml(text):
        _refuse_hooks()
    heads = [*_REPOS.finditer(text)]
    if not heads:
        return _at_end(text, f"repos:\n{_entry('  ')}", blank=False)
    if len(heads) > 1 or (heads[0][1] and not heads[0][1].startswith("#")):
        _refuse_hooks()
    start = text.find("\n", heads[0].end()) + 1 or len(text)
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
    if any(line.startswith("...") for line in lines):
        lines = lines if _REPOS.search(text) else ["..."]
    margin = [line for line in lines if line[0] != " "]
    if lines and (not margin or margin[0] is not lines[0]):
        return False
    return _starts_with_key(margin) and all(map(_is_closed, lines))


def _starts_with_key(margin: list[str]) -> bool:
    """Return whether the first unindented line is a key, and the others are keys or items."""
    if not margin:
        return True
    others = all(re.match(r"- +\S|\.\.\.\s*$", m) or _KEY.match(m) for m in margin[1:])
    return bool(_KEY.match(margin[0])) and others


def _is_closed(line: str) -> bool:
    """Return whether all brackets and quotes of a line are closed in the same line."""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return False
    rest = re.sub(r"""(^|[\s\[{,:])("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')""", r"\1", line)
    rest = _without_comments(rest)
    if re.search(r"""(^|[\s\[{,])["']""", rest):
        return False
    return all(rest.count(a) == rest.count(b) for a, b in ("[]", "{}"))


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
    for verb in _VERBS:
        tracked = (
            "savegen check --tracked"
            if verb == "check"
            else f"savegen {verb} --tracked"
        )
        lines += [
            f"    - id: savegen-{verb}",
            f"      name: savegen {verb}",
            f"      entry: {tracked}",
            "      language: system",
            "      pass_filenames: false",
            "      always_run: true",
            "      require_serial: true",
        ]
    return "".join(f"{indent}{line}\n" for line in lines)


# The editor


def _editor(found: Config) -> Step | str | None:
    """Return the step for the editor's settings, or a hint if they are not plain JSON."""
    schema = {"fileMatch": ["*.lvl"], "url": f"./{found.output}/level.schema.json"}
    values = {"files.associations": {"*.lvl": "json"}, "json.schemas": [schema]}
    old = _read(found.root, EDITOR)
    text = _text(EDITOR, old or b"")
    if ".lvl" in text:
        return None
    lines = [
        f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}"
        for k, v in values.items()
    ]
    if old is not None and not _is_open(text, values.keys()):
        shown = ",\n".join(f"  {line}" for line in lines)
        return f"for completion in level files, add this to {EDITOR}:\n\n{shown}\n"
    what = "the schema of level files"
    return _grown(found.root, EDITOR, old, what, lambda text: _members(text, lines))


def _is_open(text: str, keys: Iterable[str]) -> bool:
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
        f"{',' if n or not before.endswith('{') else ''}\n{space}{line}"
        for n, line in enumerate(lines)
    )
    closing = "" if "\n" in text[len(before) :] else "\n"
    return len(before), added + closing

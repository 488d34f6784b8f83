"""Make the files of pass 3, and check whether they are up to date.

`prefab_sources.txt` lists the files they were made from, so the check does not run the game. It
has one line for each file, and git merges it by taking the lines of both sides: two branches that
edit different files do not conflict. If both have edited one file, it has two lines, and the game
is run again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from savegen.build.links import syntax
from savegen.build.links.program import FORMAT, LinkResult
from savegen.build.marker import marker

INFO, SCHEMA, TEMPLATE = "prefab_info.json", "level.schema.json", "template.lvl"
SOURCES = "prefab_sources.txt"
WRITTEN = (INFO, SCHEMA, SOURCES, TEMPLATE)
PROGRAMS = ("link_prefabs.py", "prefabs.py")  # generated files that pass 3 runs

_MARKER = marker("link_prefabs.py")
# The outputs are the last lines, so a file that was cut off lacks one of them.
_LOADED, _OUTPUT = "loaded", "output"
_OUTPUTS = {INFO, SCHEMA, TEMPLATE, *PROGRAMS}
_LINE = re.compile(rf"({_LOADED}|{_OUTPUT}) (.+) ([0-9a-f]{{32}})")


class LinkedInfo(msgspec.Struct):
    """The content of `prefab_info.json`."""

    format: int
    prefabs: dict[str, Any]


class RecordedFile(NamedTuple):
    """A line of `prefab_sources.txt`."""

    # `loaded` by the game from the project, or an `output` that belongs to it
    kind: str
    path: str
    digest: str


class Stale(NamedTuple):
    """The reason for running the game again."""

    file: str  # the output file that is out of date
    reason: str


def loaded_files(data: bytes) -> set[str]:
    """Return the paths of the project's files that the game loaded when it was run."""
    lines = _recorded(data)
    return {line.path for line in lines or () if line.kind == _LOADED}


def _recorded(data: bytes) -> list[RecordedFile] | None:
    """Return the lines of `prefab_sources.txt`; `None` if one is damaged or badly merged."""
    lines = data.decode(errors="surrogateescape").splitlines()
    matches = [_LINE.fullmatch(line) for line in lines if not line.startswith("# ")]
    recorded = [RecordedFile(*match.groups()) for match in matches if match]
    return recorded if len(recorded) == len(matches) else None


def _read_info(data: bytes) -> LinkedInfo | None:
    """Return the content of `prefab_info.json`; `None` if it is damaged or badly merged."""
    try:
        return msgspec.json.decode(data, type=LinkedInfo)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def stale(
    info_data: bytes,
    sources_data: bytes,
    numbers: Mapping[str, int],
    read_output: Callable[[str], bytes | None],
    read_source: Callable[[str], bytes | None],
) -> Stale | None:
    """Return why the files of pass 3 are out of date; `None` if they are not.

    `info_data` and `sources_data` are the content of `prefab_info.json` and
    `prefab_sources.txt`. `numbers` maps members of `PrefabType` to prefab numbers. `read_output`
    and `read_source` return the content of a file in the output folder and in the project.
    """
    info = _read_info(info_data)
    if info is None:
        return Stale(INFO, "it cannot be read")
    if info.format != FORMAT:
        return Stale(INFO, "it has another format")
    if {name: _number(prefab) for name, prefab in info.prefabs.items()} != numbers:
        return Stale(INFO, "the prefabs have changed")
    recorded = _recorded(sources_data)
    if recorded is None or _OUTPUTS - {r.path for r in recorded if r.kind == _OUTPUT}:
        return Stale(SOURCES, "it cannot be read")
    if path := _recorded_twice(recorded):
        return Stale(SOURCES, f"a merge has left two lines for {path}")
    outputs = (line for line in recorded if line.kind == _OUTPUT)
    for path, reason in _changed(outputs, read_output, lambda _, d: syntax.of_lines(d)):
        if path in WRITTEN:
            return Stale(path, "it was edited")
        return Stale(SOURCES, reason)
    loaded = (line for line in recorded if line.kind == _LOADED)
    for _, reason in _changed(loaded, read_source, syntax.digest):
        return Stale(SOURCES, reason)
    return None


def _recorded_twice(recorded: Iterable[RecordedFile]) -> str:
    """Return the path of a file that has two digests; "" if there is none."""
    digests: dict[tuple[str, str], str] = {}
    for kind, path, digest in recorded:
        if digests.setdefault((kind, path), digest) != digest:
            return path
    return ""


def _number(prefab: object) -> object:
    return prefab.get("number") if isinstance(prefab, dict) else None


def _changed(
    recorded: Iterable[RecordedFile],
    read: Callable[[str], bytes | None],
    digest: Callable[[str, bytes], str],
) -> Iterator[tuple[str, str]]:
    """Yield each file that is missing or has another digest, and the reason in words."""
    for _, path, recorded_digest in recorded:
        data = read(path)
        if data is None:
            yield path, f"{path} is missing"
        elif digest(path, data) != recorded_digest:
            yield path, f"{path} has changed"


def files(
    result: LinkResult, programs: Mapping[str, bytes], sources: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the files of pass 3 by name; `sources` are the files that the game loaded."""
    info = {"format": result.format, "prefabs": result.prefabs}
    outputs = {
        INFO: _text({"@generated": _MARKER, **info}),
        SCHEMA: _text({"$comment": _MARKER, **_without(result.schema, "$comment")}),
        TEMPLATE: _text(
            {"@generated": _MARKER, **_without(result.template, "@generated")}
        ),
    }
    lines = [
        *(f"{_LOADED} {p} {syntax.digest(p, data)}" for p, data in sources.items()),
        *(
            f"{_OUTPUT} {p} {syntax.of_lines(data)}"
            for p, data in {**outputs, **programs}.items()
        ),
    ]
    text = "\n".join([f"# {_MARKER}", *sorted(lines), ""])
    return {**outputs, SOURCES: text.encode(errors="surrogateescape")}


def _without(document: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != key}


def _text(document: object) -> bytes:
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return text.encode(errors="backslashreplace")  # as JSON escapes such characters

"""Make the files of pass 3, and check whether they are up to date.

`prefab_info.json` lists the files it was made from, so the check does not run the game.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from savegen.build.links.program import FORMAT, LinkResult
from savegen.build.marker import marker

INFO, SCHEMA, TEMPLATE = "prefab_info.json", "level.schema.json", "template.lvl"
WRITTEN = (INFO, SCHEMA, TEMPLATE)
PROGRAMS = ("link_prefabs.py", "prefabs.py")  # generated files that pass 3 runs

_MARKER = marker("link_prefabs.py")


class LinkedInfo(msgspec.Struct):
    """The content of `prefab_info.json`, with digests of the files it was made from."""

    format: int
    prefabs: dict[str, Any]
    files: dict[str, str]  # digests of the output files that belong together
    sources: dict[str, str]  # digests of the project's files that were loaded
    digest: str  # of all this


class Stale(NamedTuple):
    """The reason for running the game again."""

    file: str  # the output file that is out of date
    reason: str


def read_info(data: bytes) -> LinkedInfo | None:
    """Return the content of `prefab_info.json`; `None` if it is damaged or badly merged."""
    try:
        return msgspec.json.decode(data, type=LinkedInfo)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def digest(data: bytes) -> str:
    """Return the digest of a file, independent of its line endings."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def stale(
    data: bytes,
    numbers: Mapping[str, int],
    read_output: Callable[[str], bytes | None],
    read_source: Callable[[str], bytes | None],
) -> Stale | None:
    """Return why `data`, the text of `prefab_info.json`, is out of date; `None` if it is not.

    `numbers` maps members of `PrefabType` to prefab numbers. `read_output` and `read_source`
    return the content of a file in the output folder and in the project.
    """
    info = read_info(data)
    if info is None:
        return Stale(INFO, "it cannot be read")
    if info.format != FORMAT:
        return Stale(INFO, "it has another format")
    if {name: _number(prefab) for name, prefab in info.prefabs.items()} != numbers:
        return Stale(INFO, "the prefabs have changed")
    if info.digest != _own_digest(json.loads(data)):
        return Stale(INFO, "it was edited")
    for path, reason in _changed(info.files, read_output):
        return Stale(path if path in WRITTEN else INFO, reason)
    for _, reason in _changed(info.sources, read_source):
        return Stale(INFO, reason)
    return None


def _number(prefab: object) -> object:
    return prefab.get("number") if isinstance(prefab, dict) else None


def _changed(
    digests: Mapping[str, str], read: Callable[[str], bytes | None]
) -> Iterator[tuple[str, str]]:
    """Yield each file that is missing or has another digest, and the reason in words."""
    for path, recorded_digest in digests.items():
        data = read(path)
        if data is None:
            yield path, f"{path} is missing"
        elif digest(data) != recorded_digest:
            yield path, f"{path} has changed"


def files(
    result: LinkResult, programs: Mapping[str, bytes], sources: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the files of pass 3 by name; `sources` are the files that the game loaded."""
    schema = _text({"$comment": _MARKER, **_without(result.schema, "$comment")})
    template = _text({"@generated": _MARKER, **_without(result.template, "@generated")})
    level_files = {SCHEMA: schema, TEMPLATE: template}
    info: dict[str, Any] = {
        "@generated": _MARKER,
        "format": result.format,
        "prefabs": result.prefabs,
        "files": _digests({**level_files, **programs}),
        "sources": _digests(sources),
    }
    return {INFO: _text({**info, "digest": _own_digest(info)}), **level_files}


def _own_digest(info: dict[str, Any]) -> str:
    return digest(_text(_without(info, "digest")))


def _without(document: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != key}


def _digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: digest(files[path]) for path in sorted(files)}


def _text(document: object) -> bytes:
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return text.encode(errors="backslashreplace")  # as JSON escapes such characters

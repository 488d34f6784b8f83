"""Check whether anything has changed since the last good run, without reading any source.

A seal is text: the settings, the stamps of savegen's own files, of every source and of every
output, and a listing of the output folder. To check it, savegen makes the same text again and
compares, which is faster than parsing anything.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from typing import NamedTuple

from savegen import disk
from savegen.config import Config, version

NAME = "seal"
# No path can hold it.
_END = "\0"


class Seal(NamedTuple):
    """The state at the end of a good run."""

    settings: str  # the seal is valid only with the same settings
    started_ns: int
    reached: int  # the last of the passes that have nothing to do
    findings: str  # of pass 1 in that run, as text without NUL; "" for none
    later: str  # of the passes after it
    sources: str
    outputs: str
    listing: str  # all files in the output folder


def sources_of(config: Config) -> dict[str, disk.Stamp]:
    """Return the game's files, by path.

    Raises `FileNotFoundError` naming a source that is not there.
    """
    left_out = (*config.exclude, config.output)
    return disk.find_sources(config.root, config.source, left_out)


def listing_of(config: Config) -> list[str]:
    """Return all files in the output folder."""
    return sorted(disk.files_below(disk.join(config.root, config.output)))


@cache
def tool() -> str:
    """Return a text that identifies this savegen under this Python."""
    python = "%d.%d" % sys.version_info[:2]
    return f"{version()} {python} {disk.stamps_below(_own_folders())}"


def close(
    config: Config,
    started_ns: int,
    reached: int,
    findings: tuple[str, str],
    sources: Mapping[str, disk.Stamp],
    outputs: Mapping[str, disk.Stamp],
    listing: Iterable[str],
) -> None:
    """Seal the findings and the outputs of a run that began at `started_ns`.

    The passes after `reached` have something to do. The first of the `findings` are those of
    pass 1, the second those of the other passes.

    A folder that cannot be written to is not an error; the next run only takes longer.
    """
    if config.is_bare:  # what lies beside the sources may change too
        return
    found = Seal(
        _settings(config),
        started_ns,
        reached,
        *findings,
        _listed(sources.items()),
        _listed(outputs.items()),
        _END.join(listing),
    )
    text = f"{_END}\n".join(map(str, found))
    with suppress(OSError):
        path = disk.join(disk.cache_folder(config.root), NAME)
        disk.put(path, text.encode(errors="surrogateescape"))


def key(config: Config) -> str:
    """Return a text of the settings that must be the same to reuse the results of a run.

    The project's folder and the excluded files are not part of it: they show in the list of
    files.
    """
    same = config._replace(
        root="", exclude=(), format="", python="", required_version=""
    )
    text = f"{tool()} {same!r}"
    return text if config.style is None else f"{text} {_black()}"


def _black() -> str:
    """Return a text that identifies the installed black; "" without one.

    Asking the installed package for its version takes longer than all the rest.
    """
    spec = PathFinder.find_spec("black")
    place = spec and spec.origin
    return f"{place} {disk.stamp(place)}" if place else ""


def _settings(config: Config) -> str:
    return f"{key(config)} {config!r}"


def findings_if_whole(config: Config, passes: int) -> list[str] | None:
    """Return the findings of the first `passes` if they have nothing to do.

    Returns `None` if anything changed since the last good run, or if that ended earlier.
    """
    seal = _read(config)
    if seal is None or seal.settings != _settings(config) or seal.reached < passes:
        return None
    try:
        sources = sources_of(config)
    except FileNotFoundError:
        return None
    latest = max((stamp.ctime_ns for stamp in sources.values()), default=0)
    if latest >= seal.started_ns - disk.RACY_NS:
        return None
    if seal.sources != _listed(sources.items()):
        return None
    if not seal.outputs or seal.outputs != _outputs_now(config, seal.outputs):
        return None
    if seal.listing != _END.join(listing_of(config)):
        return None
    told = (seal.findings, seal.later) if passes > 1 else (seal.findings,)
    return list(filter(None, told))


def _read(config: Config) -> Seal | None:
    try:
        data = disk.read(disk.join(config.root, disk.CACHE, NAME))
    except OSError:
        return None
    parts = data.decode(errors="surrogateescape").split(f"{_END}\n")
    if len(parts) != len(Seal._fields) or not all(map(str.isdecimal, parts[1:3])):
        return None
    return Seal(parts[0], int(parts[1]), int(parts[2]), *parts[3:])


def _listed(stamps: Iterable[tuple[str, disk.Stamp | None]]) -> str:
    return _END.join(
        [f"{path}{_END}%d %d %d %d" % stamp for path, stamp in stamps if stamp]
    )


def _outputs_now(config: Config, listed: str) -> str:
    paths = listed.split(_END)[::2]
    return _listed((path, disk.stamp(disk.join(config.root, path))) for path in paths)


def _own_folders() -> list[str]:
    """Return savegen's own folders; in a checkout that includes the templates."""
    package = disk.parent(__file__)
    templates = disk.join(disk.parent(package), "templates")
    is_checkout = disk.exists(disk.join(templates, "module.jinja"))
    return [package, templates] if is_checkout else [package]

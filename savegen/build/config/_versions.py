"""Compare versions: the part of PEP 440 that savegen's own use (`1.2`, `1.2a1`, `1.2.dev3`).

The library `packaging` would more than double the time to read a configuration.
"""

import math
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

VERSION = "0.1.0"  # as in pyproject.toml; asking the installed package takes 20 ms


def version() -> str:
    """Return the version of the savegen that runs."""
    return VERSION


def satisfies(version: str, specifier: str) -> bool:
    """Return whether a specifier such as `>=0.1, <1` allows a version.

    Raises `ValueError` if either is not valid.

    >>> satisfies("0.2.1", ">=0.1, <0.3"), satisfies("1.0rc1", "~=1.0")
    (True, False)
    """
    return all(allows(version) for allows in clauses(specifier))


def clauses(specifier: str) -> Iterator[Callable[[str], bool]]:
    """Yield a test for each clause of a specifier. Raises `ValueError` for one that is not valid."""
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

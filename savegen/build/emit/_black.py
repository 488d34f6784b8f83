"""Generated text in the style that a project asks black for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from savegen.findings import SavegenError

if TYPE_CHECKING:
    import black

Style = tuple[tuple[str, Any], ...]  # what `[tool.black]` says, other than usual
KEPT_OFF = "# fmt: off\n# ruff: noqa\n# isort: skip_file\n"


class CannotFormat(SavegenError):
    """Black does not understand the style, or fails; the message says why."""


def finished(
    files: Mapping[str, str],
    style: Style | None,
    known: dict[str, tuple[str, str]] | None = None,
) -> dict[str, bytes]:
    """Return files as they are on disk; without a style they are as they were written.

    `known` has texts as they were before and afterwards, by path, and is kept up to date.

    Raises `CannotFormat`.
    """
    if style is None:
        return {path: text.encode() for path, text in files.items()}
    known = {} if known is None else known
    for path, text in files.items():
        if known.get(path, ("", ""))[0] != text:
            known[path] = (text, _formatted(path, text, style))
    return {path: known[path][1].encode() for path in files}


def _formatted(path: str, text: str, style: Style) -> str:
    import black

    # It would keep black off this text too: taken out, and put back.
    header, marker, rest = text.partition(KEPT_OFF)
    bare = header + rest
    mode = _mode(style)
    try:
        made = black.format_str(bare, mode=mode)
    except Exception as error:  # whatever it is: it is black's, and named as such
        raise CannotFormat(f"black cannot format {path}: {error}") from None
    return header + marker + made.removeprefix(header)


def _mode(style: Style) -> black.Mode:
    import black
    from black.mode import Preview, TargetVersion

    wanted: dict[str, Any] = dict(style)
    try:
        return black.Mode(
            line_length=int(wanted.get("line_length", 88)),
            target_versions={
                TargetVersion[name.upper()]
                for name in _names(wanted.get("target_version", []))
            },
            string_normalization=not wanted.get("skip_string_normalization", False),
            magic_trailing_comma=not wanted.get("skip_magic_trailing_comma", False),
            preview=bool(wanted.get("preview") or wanted.get("unstable")),
            unstable=bool(wanted.get("unstable", False)),
            enabled_features={
                Preview[name]
                for name in _names(wanted.get("enable_unstable_feature", []))
            },
        )
    except (KeyError, ValueError, TypeError) as error:
        raise CannotFormat(f"[tool.black] is not valid: {error}") from None


def _names(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)

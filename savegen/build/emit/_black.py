"""Format generated files with black, in the style that the project configures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from savegen.findings import SavegenError

if TYPE_CHECKING:
    import black

Style = tuple[tuple[str, Any], ...]  # the options in `[tool.black]`
NOT_FORMATTED = "# fmt: off\n# ruff: noqa\n# isort: skip_file\n"


class CannotFormat(SavegenError):
    """Raised if black rejects the style or the generated text."""


def format_files(
    files: Mapping[str, str],
    style: Style | None,
    cache: dict[str, tuple[str, str]] | None = None,
) -> dict[str, bytes]:
    """Return the bytes of generated files, formatted by black unless `style` is None.

    `cache` maps a path to the text before and after formatting. New results are added to it.

    Raises `CannotFormat` if black rejects the style or a text.
    """
    if style is None:
        return {path: text.encode() for path, text in files.items()}
    cache = {} if cache is None else cache
    for path, text in files.items():
        if cache.get(path, ("", ""))[0] != text:
            cache[path] = (text, _formatted(path, text, style))
    return {path: cache[path][1].encode() for path in files}


def _formatted(path: str, text: str, style: Style) -> str:
    import black

    # `# fmt: off` would stop black here, too, so it is removed while black runs.
    header, marker, rest = text.partition(NOT_FORMATTED)
    bare = header + rest
    mode = _mode(style)
    try:
        formatted = black.format_str(bare, mode=mode)
    except Exception as error:  # black raises many types
        raise CannotFormat(f"black cannot format {path}: {error}") from None
    return header + marker + formatted.removeprefix(header)


def _mode(style: Style) -> black.Mode:
    import black
    from black.mode import Preview, TargetVersion

    options: dict[str, Any] = dict(style)
    try:
        return black.Mode(
            line_length=int(options.get("line_length", 88)),
            target_versions={
                TargetVersion[name.upper()]
                for name in _names(options.get("target_version", []))
            },
            string_normalization=not options.get("skip_string_normalization", False),
            magic_trailing_comma=not options.get("skip_magic_trailing_comma", False),
            preview=bool(options.get("preview") or options.get("unstable")),
            unstable=bool(options.get("unstable", False)),
            enabled_features={
                Preview[name]
                for name in _names(options.get("enable_unstable_feature", []))
            },
        )
    except (KeyError, ValueError, TypeError) as error:
        raise CannotFormat(f"[tool.black] is not valid: {error}") from None


def _names(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)

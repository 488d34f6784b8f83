"""Docstrings of the user's in generated text: whatever is in them, they end where they should."""

from __future__ import annotations

from inspect import cleandoc


def docstring(text: str | None, indent: int) -> str:
    """Return a docstring that says the same, in ASCII; "" if there is nothing to say.

    >>> docstring("Says hi", 0).strip('"')
    'Says hi'
    """
    lines = [_escaped(line.rstrip()) for line in described(text).split("\n")]
    if lines == [""]:
        return ""
    lines[0] = _guarded(lines[0], 0)
    margin = " " * indent
    if len(lines) == 1:
        return f'{margin}"""{_guarded(lines[0], -1)}"""'
    inner = [f"{margin}{line}" if line else "" for line in lines[1:]]
    return "\n".join([f'{margin}"""{lines[0]}', *inner, f'{margin}"""'])


def described(text: str | None) -> str:
    """Return what a docstring says, as `help` would show it; no lone surrogates."""
    return cleandoc(text or "").encode("utf-8", "replace").decode().strip()


def _escaped(line: str) -> str:
    return line.encode("unicode_escape").decode().replace('""', '"\\x22')


def _guarded(line: str, place: int) -> str:
    """Return a line without a quote in front, or behind: formatters put a space there."""
    if line[place] != '"':
        return line
    return f"\\x22{line[1:]}" if place == 0 else f"{line[:-1]}\\x22"

"""Escape the user's docstrings for generated code.

`prefabs.py` and `_forms.py` choose which ones are written.
"""

from __future__ import annotations

from inspect import cleandoc


def docstring(text: str | None, indent: int) -> str:
    """Return the source code of a docstring with this text, in ASCII; "" for an empty text.

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
    """Return the text of a docstring as `help` shows it, with lone surrogates replaced."""
    return cleandoc(text or "").encode("utf-8", "replace").decode().strip()


def _escaped(line: str) -> str:
    return line.encode("unicode_escape").decode().replace('""', '"\\x22')


def _guarded(line: str, position: int) -> str:
    """Return a line whose first (0) or last (-1) character is escaped if it is a quote.

    Formatters would insert a space between it and the quotes of the docstring.
    """
    if line[position] != '"':
        return line
    return f"\\x22{line[1:]}" if position == 0 else f"{line[:-1]}\\x22"

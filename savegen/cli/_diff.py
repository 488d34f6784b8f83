"""Unified diffs of changed files."""

from __future__ import annotations


def unified(path: str, old: bytes, new: bytes) -> str:
    """Return the unified diff of two contents of a file."""
    import difflib

    before, after = lines_of(old), lines_of(new)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="")
    text = "\n".join(line.rstrip("\r\n") for line in lines)
    return text or "only the line endings differ"


def lines_of(data: bytes) -> list[str]:
    return data.decode(errors="backslashreplace").splitlines()

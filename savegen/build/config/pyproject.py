"""Read pyproject.toml as TOML."""

import re
from typing import Any, NoReturn

from savegen import disk

PYPROJECT = "pyproject.toml"
TABLE = "[tool.savegen]"


def refuse(reason: str) -> NoReturn:
    """Raise a `SavegenError`."""
    # Imported only here, so that a run with nothing to do starts faster.
    from savegen.findings import SavegenError

    raise SavegenError(reason) from None


def has_table(path: str, shown: str) -> bool:
    """Return whether a file has `[tool.savegen]`. Raises `SavegenError` if it is unreadable."""
    tool = document_with_table(content(path, shown), shown).get("tool")
    return isinstance(tool, dict) and "savegen" in tool


def content(path: str, shown: str) -> bytes:
    """Return the bytes of a file. Raises `SavegenError` if it is unreadable."""
    try:
        return disk.read(path)
    except OSError as error:
        refuse(f"cannot read {shown}: {error.strerror}")


def document_with_table(data: bytes, shown: str) -> dict[str, Any]:
    """Parse TOML, or return `{}` if it does not contain the word "savegen" at all."""
    if b"savegen" not in data and b"\0" not in data:
        return {}
    return document_of(data, shown)


def document_of(data: bytes, shown: str) -> dict[str, Any]:
    """Parse TOML. Raises `SavegenError` with the line."""
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        refuse(f"{shown}:{line}: this file is not UTF-8; save it as UTF-8")
    return parse_toml(text, shown)


def parse_toml(text: str, shown: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, or a number of 5,000 digits
        reason, _, location = str(error).partition(" (at ")
        match = re.match(r"line (\d+), column (\d+)", location)
        place = ":".join(match.groups()) if match else text.count("\n") + 1
        refuse(f"{shown}:{place}: this is not valid TOML: {reason}")
    except RecursionError:
        refuse(f"{shown}: the values are nested too deeply")


# From the table to the settings

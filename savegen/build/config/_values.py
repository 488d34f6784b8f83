"""Read the values of the keys in `[tool.savegen]`; raise `Wrong` for an invalid value."""

import keyword
import posixpath
import re


class Wrong(Exception):
    """An invalid value. The message continues a sentence that begins with the key."""


def refused(expected: str, value: object) -> Wrong:
    return Wrong(f"must {expected}, not {toml(value)}")


def path(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise refused('be a path such as "src/mygame"', value)
    if not value.isprintable():
        raise Wrong(f"contains a control character: {toml(value)}")
    if "\\" in value:
        raise refused("use `/` between folders", value)
    if value.startswith(("/", "~")) or re.match("[A-Za-z]:", value):
        raise refused("be relative to the project's folder", value)
    path = posixpath.normpath(value)
    if path == ".." or path.startswith("../"):
        raise refused("stay inside the project's folder", value)
    return path


def sources(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (path(value),)
    if not isinstance(value, list) or not value:
        raise refused("be a folder or a list of folders", value)
    return tuple(dict.fromkeys(map(path, value)))


def module(value: object) -> str:
    if isinstance(value, str) and _is_dotted(value):
        return value
    raise refused('be a name such as "my_game"', value)


def globs(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise refused('be a list such as ["tests/*"]', value)
    return tuple(dict.fromkeys(map(path, value)))


def codecs(value: object) -> tuple[tuple[str, str], ...]:
    found = _table(value, '"mygame.vec.Vec2" = "mygame.codecs:vec2"')
    return tuple((name, _place(name, each)) for name, each in found)


def bases(value: object) -> tuple[tuple[str, str | bool], ...]:
    found = _table(value, '"engine.Actor" = true')
    return tuple(
        (name, each if isinstance(each, bool) else _place(name, each))
        for name, each in found
    )


def _table(value: object, example: str) -> list[tuple[str, object]]:
    if not isinstance(value, dict):
        raise refused(f"be a table such as {{ {example} }}", value)
    for name in value:
        if not _is_dotted(name) or "." not in name:
            example = 'such as "mygame.vec.Vec2"'
            raise refused(f"name classes with their module, {example}", name)
    return sorted(value.items())


def _place(key: str, value: object) -> str:
    module, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    if _is_dotted(module) and _is_dotted(name):
        return f"{module}:{name}"
    raise refused(f'point "{key}" to a place such as "mygame.codecs:vec2"', value)


def types(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(map(_is_dotted, value)):
        return tuple(dict.fromkeys(value))
    raise refused('be a list such as ["mygame.sound.Channel"]', value)


PRESETS = ("pygame-ce", "arcade", "panda3d", "numpy")


def presets(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(each in PRESETS for each in value):
        return tuple(dict.fromkeys(value))
    wrong = refused(f"be a list with any of {', '.join(map(toml, PRESETS))}", value)
    raise Wrong(f"{wrong}{_meant(value)}")


def _meant(value: object) -> str:
    """Return "did you mean …?" for the first preset that seems misspelt; "" for none."""
    from savegen.findings import similar

    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and each not in PRESETS:
            if close := similar(each, PRESETS):
                return f'; did you mean "{close}"?'
    return ""


def _is_dotted(value: object) -> bool:
    return isinstance(value, str) and all(map(is_name, value.split(".")))


def format(value: object) -> str:
    if value in ("auto", "black", "none"):
        return str(value)
    raise refused('be "auto", "black" or "none"', value)


def program(value: object) -> str:
    if isinstance(value, str) and value.strip() and value.isprintable():
        return value
    raise refused('be a path such as ".venv/bin/python"', value)


def count(value: object) -> int:
    if type(value) is int and 0 <= value < 2**31:
        return value
    raise refused("be a whole number of at least 0", value)


def specifier(value: object) -> str:
    # Slow to import, and rarely needed.
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        if isinstance(value, str) and SpecifierSet(value):
            return value
    except InvalidSpecifier:
        pass
    example = '">=0.1" or "~=1.2, !=1.2.3"'
    raise refused(f"be a version specifier such as {example}", value)


def toml(value: object) -> str:
    """Return a value as TOML, shortened if it is long."""
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, list):
        text = f"[{', '.join(map(toml, value))}]"
    elif isinstance(value, dict):
        text = "a table"
    elif isinstance(value, int) and abs(value) >= 10**9:
        text = "a huge number"  # one of 5,000 digits cannot become text
    else:
        text = str(value)
    return text if len(text) <= 60 else f"{text[:56]} ..."


def is_name(text: str) -> bool:
    """Return whether an `import` statement can contain this name."""
    return text.isidentifier() and not keyword.iskeyword(text)

"""Read the values in `[tool.savegen]`: one function for each type of value.

Each function returns the value for `Config`, or raises `InvalidValue`.
"""

import keyword
import posixpath
import re


class InvalidValue(Exception):
    """A value is invalid. The message continues a sentence that begins with the key."""


def must(expectation: str, value: object) -> InvalidValue:
    """Return an error such as `must be a path, not 5`."""
    return InvalidValue(f"must {expectation}, not {toml(value)}")


def path(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise must('be a path such as "src/mygame"', value)
    if not value.isprintable():
        raise InvalidValue(f"contains a control character: {toml(value)}")
    if "\\" in value:
        raise must("use `/` between folders", value)
    if value.startswith(("/", "~")) or re.match("[A-Za-z]:", value):
        raise must("be relative to the project's folder", value)
    path = posixpath.normpath(value)
    if path == ".." or path.startswith("../"):
        raise must("stay inside the project's folder", value)
    return path


def sources(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (path(value),)
    if not isinstance(value, list) or not value:
        raise must("be a folder or a list of folders", value)
    return tuple(dict.fromkeys(map(path, value)))


def module(value: object) -> str:
    if isinstance(value, str) and _is_dotted(value):
        return value
    raise must('be a name such as "my_game"', value)


def globs(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise must('be a list such as ["tests/*"]', value)
    return tuple(dict.fromkeys(map(path, value)))


def codecs(value: object) -> tuple[tuple[str, str], ...]:
    items = _table(value, '"mygame.vec.Vec2" = "mygame.codecs:vec2"')
    return tuple((name, _object_path(name, codec)) for name, codec in items)


def bases(value: object) -> tuple[tuple[str, str | bool], ...]:
    items = _table(value, '"engine.Actor" = true')
    return tuple(
        (name, setting if isinstance(setting, bool) else _object_path(name, setting))
        for name, setting in items
    )


def _table(value: object, example: str) -> list[tuple[str, object]]:
    if not isinstance(value, dict):
        raise must(f"be a table such as {{ {example} }}", value)
    for name in value:
        if not _is_dotted(name) or "." not in name:
            raise must(
                'name classes with their module, such as "mygame.vec.Vec2"', name
            )
    return sorted(value.items())


def _object_path(key: str, value: object) -> str:
    """Return a `module:name`."""
    module, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    if _is_dotted(module) and _is_dotted(name):
        return f"{module}:{name}"
    raise must(f'set "{key}" to an object such as "mygame.codecs:vec2"', value)


def function(value: object) -> str:
    module, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    if _is_dotted(module) and _is_dotted(name):
        return f"{module}:{name}"
    raise must('be a function such as "mygame.session:new_world"', value)


def types(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(map(_is_dotted, value)):
        return tuple(dict.fromkeys(value))
    raise must('be a list such as ["mygame.sound.Channel"]', value)


PRESETS = ("pygame-ce", "arcade", "panda3d", "numpy")


def presets(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(name in PRESETS for name in value):
        return tuple(dict.fromkeys(value))
    error = must(f"be a list with any of {', '.join(map(toml, PRESETS))}", value)
    raise InvalidValue(f"{error}{_suggestion(value)}")


def _suggestion(value: object) -> str:
    """Return "; did you mean …?" for the first preset that seems misspelt; "" for none."""
    from savegen.findings import similar

    for name in value if isinstance(value, list) else [value]:
        if isinstance(name, str) and name not in PRESETS:
            if close := similar(name, PRESETS):
                return f'; did you mean "{close}"?'
    return ""


def _is_dotted(value: object) -> bool:
    return isinstance(value, str) and all(map(is_name, value.split(".")))


def format(value: object) -> str:
    if value in ("auto", "black", "none"):
        return str(value)
    raise must('be "auto", "black" or "none"', value)


def program(value: object) -> str:
    if isinstance(value, str) and value.strip() and value.isprintable():
        return value
    raise must('be a path or a command, such as ".venv/bin/python"', value)


def count(value: object) -> int:
    if type(value) is int and 0 <= value < 2**31:
        return value
    raise must(f"be a whole number from 0 to {2**31 - 1}", value)


def specifier(value: object) -> str:
    # Imported only here, because it is slow and most projects do not use the key.
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        if isinstance(value, str) and SpecifierSet(value):
            return value
    except InvalidSpecifier:
        pass
    example = '">=0.1" or "~=1.2, !=1.2.3"'
    raise must(f"be a version specifier such as {example}", value)


def toml(value: object) -> str:
    """Return a value as TOML for an error message, shortened if it is long."""
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, list):
        text = f"[{', '.join(map(toml, value))}]"
    elif isinstance(value, dict):
        text = "a table"
    elif isinstance(value, int) and abs(value) >= 10**9:
        text = "a huge number"  # Python refuses to print more than 4,300 digits
    else:
        text = str(value)
    return text if len(text) <= 60 else f"{text[:56]} ..."


def is_name(text: str) -> bool:
    """Return whether an `import` statement can contain this name."""
    return text.isidentifier() and not keyword.iskeyword(text)

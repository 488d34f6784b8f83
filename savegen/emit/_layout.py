"""Long lines broken as black breaks them, so that no formatter has to run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from savegen.emit._breaking import broken
from savegen.emit._lines import WIDTH, line_of, width_of

_CHAIN = "][\n"  # items of items, broken: ruff leaves the last of them together
SKIP = "  # fmt: skip"  # on what no two formatters agree about
_MARGINS = [" " * indent for indent in range(WIDTH)]
_PLAIN = r'(?:\w+=)?(?:"[^"\\]*"|[\w.]+(?:\[[\w.]+\])?)'
# A call with nothing but names, texts and items in it: nearly every long line is one.
_CALL = re.compile(rf"((?:[\w.]+ = )?[\w.]+\()({_PLAIN}(?:, {_PLAIN})*)(\),?)")
_ARGUMENT = re.compile(_PLAIN)
_COMPARISON = re.compile(r"(.*) ((?:is not|!=) [\w.]+)")


def statement(indent: int, text: str) -> str:
    """Return a statement, or a member of a display with its comma, broken if it is too long.

    >>> print(statement(0, "data[1] = [first_function(x) for x in " + "x" * 50 + "]"))
    data[1] = [
        first_function(x) for x in xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    ]
    """
    if indent + width_of(text) <= WIDTH:
        return _MARGINS[indent] + text
    if call := _CALL.fullmatch(text):
        head, arguments, tail = call.groups()
        if found := _opened(indent, head, _ARGUMENT.findall(arguments), tail):
            return found
    return by_the_rules(indent, text)


def by_the_rules(indent: int, text: str) -> str:
    """Return a statement that is too long as the rules of black break it.

    They are slow. Where it is plain what they come to, the functions here go without.
    """
    lines = [line.text for line in broken(line_of(indent, text))]
    if len(lines) > 2 and _is_disputed(lines) and not text.endswith((",", ":")):
        lines[-1] += SKIP
    return "\n".join(lines)


def _is_disputed(lines: list[str]) -> bool:
    """Tell whether ruff breaks a line elsewhere: a name, or items of items, that fit nowhere.

    Or the value of a key that ends in an item.
    """
    if any(line.endswith("][") or line.lstrip().startswith("]: ") for line in lines):
        return True
    is_alone = lines[-1].strip() == ")" and lines[-3].endswith(("= (", ": ("))
    return is_alone and max(map(width_of, lines[-3:])) > WIDTH


def at(text: str, indent: int) -> str:
    """Return a statement; the text comes first, as templates need it."""
    if indent + len(text) <= WIDTH and text.isascii():
        return _MARGINS[indent] + text
    return statement(indent, text)


def returned(value: str, indent: int) -> str:
    """Return a `return`; one that fits nowhere stays in one line."""
    text = at(f"return {value}", indent)
    if all(width_of(line) <= WIDTH for line in text.split("\n")):
        return text
    return f"{_MARGINS[indent]}return {value}{SKIP}"


def item(owner: str, indent: int, key: str, value: str) -> str:
    """Return `owner[key] = value`; formatters agree on it, which they do not on all of these.

    Before a value without brackets to break at, some versions of black break the key's.

    >>> print(item("data", 4, "Key.HP", "self." + "x" * 66))
        data |= {
            Key.HP: self.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx,
        }
    """
    target = f"{owner}[{key}]"
    text = statement(indent, f"{target} = {value}")
    if "\n" not in text:
        return text
    begun = text.partition("\n")[0].partition(f"{target} = ")[2]
    bracket = line_of(0, value).leaves[0].text  # "" in front of a condition
    if begun == "(":
        agreed = bracket in ("", "(")
    else:
        agreed = bool(begun) or "] = (" not in text
    return text if agreed else display(f"{owner} |= {{", indent, [f"{key}: {value}"])


def noted(text: str, note: str) -> str:
    """Return a line with a note behind it, if there is room for that.

    >>> noted("    12: body,", "torso")
    '    12: body,  # torso'
    """
    line = f"{text}  # {note}"
    fits = "\n" not in text and line.isascii() and len(line) <= WIDTH
    return line if fits else text


def display(head: str, indent: int, members: Iterable[str]) -> str:
    """Return a display that `head` begins, a line a member."""
    inside = "\n".join([at(f"{member},", indent + 4) for member in members])
    margin, tail = _MARGINS[indent], ")" if head[-1] == "(" else "}"
    skip = SKIP if _CHAIN in inside else ""
    return f"{margin}{head}\n{inside}\n{margin}{tail}{skip}"


def signature(name: str, indent: int, parameters: list[str], result: str) -> str:
    """Return the `def` line of a function."""
    head, tail = f"def {name}(", f") -> {result}:"
    text = f"{head}{', '.join(parameters)}{tail}"
    found = _fitting(indent, text)
    if found is None and len(parameters) > 1:
        found = _opened(indent, head, parameters, tail)
    return found or by_the_rules(indent, text)


def constant(name: str, indent: int, type: str, value: str) -> str:
    """Return `name: type = value` of a class whose base has said `name: type`, if it is long."""
    whole = f"{name}: {type} = {value}"
    return _fitting(indent, whole) or statement(indent, f"{name} = {value}")


def either(conditions: list[str], indent: int, bool: str) -> str:
    """Return `return` of whether one of some conditions is met; `bool` is what bool is called."""
    whole = " or ".join(conditions)
    if len(conditions) > 1 and (found := _fitting(indent, f"return {whole}")):
        return found
    first, *others = conditions
    if not others:  # `!=` may return anything
        form = f"return {bool}({{}})" if " != " in first else "return {}"
        return _compared(first, indent, form)
    if len(others) == 1:  # formatters would break the line within the last call
        start = [_compared(first, indent, "if {}:"), at("return True", indent + 4)]
        return "\n".join([*start, either(others, indent, bool)])
    lines = [first, *(f"or {each}" for each in others)]
    body = _fitting(indent + 4, whole) or "\n".join(
        _condition(line, indent + 4) for line in lines
    )
    return f"{_MARGINS[indent]}return (\n{body}\n{_MARGINS[indent]})"


def _compared(condition: str, indent: int, form: str) -> str:
    """Return a statement about a condition, in a form; a long one begins with what it compares.

    Formatters break a call in front of a comparison at different places.
    """
    whole = form.format(condition)
    compared = _COMPARISON.fullmatch(condition)
    if compared is None or _fitting(indent, whole) or not _is_call(compared[1]):
        return at(whole, indent)
    left, right = compared.groups()
    return f"{at(f'cell = {left}', indent)}\n{at(form.format(f'cell {right}'), indent)}"


def _is_call(text: str) -> bool:
    return text.endswith(")") and not text.startswith("(")


def _condition(line: str, indent: int) -> str:
    compared = _COMPARISON.fullmatch(line)
    if not compared or indent + width_of(line) <= WIDTH:
        return at(line, indent)
    left, right = compared.groups()
    return f"{at(left, indent)}\n{_MARGINS[indent]}{right}"


def imported(text: str, indent: int = 0) -> str:
    """Return one `from … import …` statement."""
    if found := _fitting(indent, text):
        return found
    head, _, names = text.partition(" import ")
    each = [f"{name}," for name in names.split(", ")]
    return _lines(indent, f"{head} import (", each, ")")


def _fitting(indent: int, text: str) -> str | None:
    fits = indent + width_of(text) <= WIDTH
    return _MARGINS[indent] + text if fits else None


# Broken behind an opening bracket and before its closing one; None: that is not enough.


def _opened(indent: int, head: str, inside: Sequence[str], tail: str) -> str | None:
    """Return what is inside in one line, or else exploded."""
    body = ", ".join(inside)
    if not _fit(indent, (head, tail)):
        return None
    if _fit(indent + 4, (body,)):
        return _lines(indent, head, (body,), tail)
    return _exploded(indent, head, inside, tail)


def _exploded(indent: int, head: str, inside: Sequence[str], tail: str) -> str | None:
    """Return what is inside one by one, each in a line."""
    each = [f"{one}," for one in inside]
    if len(inside) < 2 or not _fit(indent, (head, tail)) or not _fit(indent + 4, each):
        return None
    return _lines(indent, head, each, tail)


def _fit(indent: int, texts: Iterable[str]) -> bool:
    return indent + max(map(width_of, texts)) <= WIDTH


def _lines(indent: int, head: str, inside: Iterable[str], tail: str) -> str:
    margin, within = _MARGINS[indent], _MARGINS[indent + 4]
    return "\n".join([margin + head, *(within + one for one in inside), margin + tail])

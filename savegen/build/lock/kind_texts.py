"""Write and read the text of kinds in a lock: annotations in which each name is unambiguous.

Classes have their simple names, or full names if two simple names are equal. The text is
more precise than an annotation: members of `Flag[Ability]` can be combined, a codec stores
`Vector2[float]` as floats, a key with `NotRequired[int]` may be absent, and a field with
`anything` is saved by the class itself.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from savegen.build.kinds import array, container, foreign, generator, group, scalar
from savegen.build.lock.file import dotted, simple_name
from savegen.build.model import FLAGS, METHOD, PREFAB_TYPE, Field, Kind, Model

GAME_OBJECT = "savegen.GameObject"
ANYTHING = "anything"
_ABSENT = "NotRequired"
_STANDARD: dict[str, Kind] = {
    **{n: Kind("array", f"numpy.{n}") for n in array.SCALARS},
    "numpy.bool": Kind("array", "numpy.bool"),
    **{n.rpartition(".")[2]: Kind("scalar", n) for n in sorted(scalar.SCALARS)},
    **{n.rpartition(".")[2]: Kind("generator", n) for n in generator.STORED},
    **{n: Kind("container", n) for n in ("array", "bytearray")},
    "any": Kind("any_", "any"),
    "GameObject": Kind("reference", GAME_OBJECT),
    "Method": Kind("method", METHOD),
    "PrefabType": Kind("prefab", PREFAB_TYPE),
    "ndarray": Kind("array", "ndarray"),
}
_CONTAINERS = {each.name for each in container.CONTAINERS.values()}.difference(
    _STANDARD
)
_ITEMS = frozenset(foreign.ITEM_ANNOTATIONS.values())
_WORDS = {
    *_CONTAINERS,
    "Any",
    "any",
    "Literal",
    "Flag",
    "Asset",
    "ref",
    "type",
    ANYTHING,
    _ABSENT,
}


class KindTexts:
    """The texts of the kinds of one project."""

    def __init__(self, model: Model) -> None:
        modules = model.modules.values()
        enums = {name for module in modules for name, _ in module.enums}
        names = enums | {record.name for module in modules for record in module.records}
        for cls in model.classes:
            names |= {cls.name, *cls.ancestors}
        counts = Counter(map(simple_name, names))
        self._ambiguous = {
            name
            for name in names
            if counts[simple_name(name)] > 1
            or simple_name(name) in _STANDARD
            or simple_name(name) in _WORDS
        }
        self._texts: dict[Kind, str] = {}

    def field(self, field: Field) -> str:
        return ANYTHING if field.override else self.of(field.kind)

    def entry(self, kind: Kind, required: bool) -> str:
        return self.of(kind) if required else f"{_ABSENT}[{self.of(kind)}]"

    def of(self, kind: Kind) -> str:
        if kind not in self._texts:
            self._texts[kind] = self._new_text(kind)
        return self._texts[kind]

    def enum(self, name: str) -> str:
        """Return the name of an enumeration, as it is written before its members."""
        is_ambiguous = name in self._ambiguous
        return dotted(name) if is_ambiguous else name.rpartition(":")[2]

    def _name(self, name: str) -> str:
        if name in self._ambiguous or name == "numpy.bool":
            return dotted(name)
        return simple_name(name)

    def _new_text(self, kind: Kind) -> str:
        parts = [*map(self.of, kind.parts)]
        name = self._name(kind.name)
        if kind.kind == "union" or not kind.name:
            return " | ".join(parts)
        if kind.kind == "class_":
            return f"type[{' | '.join(map(self._name, kind.name.split(' | ')))}]"
        if kind.kind == "asset":
            return f"Asset[{name}]"
        if kind.kind == "foreign":
            return f"{name}[{foreign.ITEM_ANNOTATIONS[foreign.item_type(kind)]}]"
        if kind.name == "fixed_tuple":
            return f"tuple[{', '.join(parts) or '()'}]"
        if kind.name == "tuple":
            return f"tuple[{parts[0]}, ...]"
        if kind.name == "ndarray":
            return f"ndarray[{kind.values[0]}]" if kind.values else name
        if kind.name == "Literal":
            return f"Literal[{', '.join(kind.values)}]"
        if kind.kind == "enum":
            return f"Flag[{name}]" if kind.values == FLAGS else name
        return f"{name}[{', '.join(parts)}]" if parts else name


def read(text: str, names: Mapping[str, Kind]) -> Kind | None:
    """Return the kind for a text from a lock; `None` for a text that is not a kind.

    `names` has the kinds of the project's classes by simple and full name.

    >>> kind = read("list[int]", {})
    >>> kind.name, kind.parts[0].name
    ('list', 'builtins.int')
    """
    try:
        return _Reader(names).kind(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return None


def without_not_required(text: str) -> tuple[str, bool]:
    """Return the text of a record field without `NotRequired`, and whether it was removed.

    >>> without_not_required("NotRequired[int]"), without_not_required("int")
    (('int', True), ('int', False))
    """
    inner = text.removeprefix(f"{_ABSENT}[")
    return (text, False) if inner == text else (inner[:-1], True)


class _Reader:
    """Reads kinds from the syntax trees of their texts."""

    def __init__(self, names: Mapping[str, Kind]) -> None:
        self._names = names

    def kind(self, node: ast.expr) -> Kind:
        match node:
            case ast.BinOp(op=ast.BitOr()):
                return self._union([*_members(node)])
            case ast.Constant(value=None):
                return Kind("scalar", "None")
            case ast.Subscript(head, inner):
                inside = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return self._subscript(ast.unparse(head), inside)
        return self._named(ast.unparse(node))

    def _named(self, name: str) -> Kind:
        return _STANDARD[name] if name in _STANDARD else self._names[name]

    def _union(self, members: list[ast.expr]) -> Kind:
        parts = (*map(self.kind, members),)
        is_reference = all(
            part.name == "None"
            or (part.kind == "reference" and part.name != "weakref.ref")
            for part in parts
        )
        return Kind("reference" if is_reference else "union", "", parts)

    def _subscript(self, head: str, inside: list[ast.expr]) -> Kind:
        if head == "Literal":
            values = (*(ascii(ast.literal_eval(each)) for each in inside),)
            return Kind("enum", "Literal", values=values)
        if head == "type":
            classes = (self._named(ast.unparse(each)) for each in _members(inside[0]))
            return Kind("class_", " | ".join(each.name for each in classes))
        if head == "Asset":
            return Kind("asset", ast.unparse(inside[0]))
        if head == "Flag":
            return Kind("enum", self._named(ast.unparse(inside[0])).name, values=FLAGS)
        if head == "ndarray":
            return Kind("array", "ndarray", values=(ast.unparse(inside[0]),))
        if head == "tuple":
            return self._tuple(inside)
        if head == "ref":
            return Kind("reference", "weakref.ref", (self.kind(inside[0]),))
        if head in group.SIMPLE_NAMES and ast.unparse(inside[0]) not in _ITEMS:
            return Kind("group", head, (self.kind(inside[0]),))
        if head in _CONTAINERS:
            return Kind("container", head, (*map(self.kind, inside),))
        if head in self._names and self._names[head].kind == "subclass":
            return Kind("subclass", self._names[head].name, (self.kind(inside[0]),))
        return foreign.with_items(head, ast.unparse(inside[0]))

    def _tuple(self, inside: list[ast.expr]) -> Kind:
        match inside:
            case [item, ast.Constant(value=end)] if end is ...:
                return Kind("container", "tuple", (self.kind(item),))
        return Kind("container", "fixed_tuple", (*map(self.kind, inside),))


def _members(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield from _members(node.left)
        yield from _members(node.right)
    else:
        yield node

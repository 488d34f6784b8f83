"""Choose the names in a generated module, without clashes, and collect its imports."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

# The names that generated code may import, with their modules.
_MODULES = {
    "Annotated": "typing",
    "Any": "typing",
    "Literal": "typing",
    "TypeAlias": "typing",
    "Union": "typing",
    "ClassVar": "typing",
    "TYPE_CHECKING": "typing",
    "Callable": "collections.abc",
    "Iterable": "collections.abc",
    "Mapping": "collections.abc",
    "IntEnum": "enum",
    "array": "array",
    "Counter": "collections",
    "OrderedDict": "collections",
    "defaultdict": "collections",
    "deque": "collections",
    "date": "datetime",
    "datetime": "datetime",
    "time": "datetime",
    "timedelta": "datetime",
    "Decimal": "decimal",
    "Fraction": "fractions",
    "Path": "pathlib",
    "PosixPath": "pathlib",
    "PurePath": "pathlib",
    "PurePosixPath": "pathlib",
    "PureWindowsPath": "pathlib",
    "WindowsPath": "pathlib",
    "UUID": "uuid",
    "Meta": "msgspec",
    "Struct": "msgspec",
    "UnsetType": "msgspec",
    "field": "msgspec",
    "Random": "random",
    "ref": "weakref",
    "checks_rows": "savegen.runtime.components",
    "CommonFields": "savegen.runtime.components",
    "NO_REFERENCES": "savegen.runtime",
    "ParamNameMapping": "savegen.runtime.components",
    "References": "savegen.runtime",
    "SaveLoadable": "savegen.runtime",
    "gives_mixins": "savegen.runtime.components",
    "field_names": "savegen.runtime.components",
    "param_names": "savegen.runtime.components",
    **dict.fromkeys(
        "is_array is_number".split(),
        "savegen.runtime.arrays",
    ),
    "CodecAdapter": "savegen.runtime.codecs",
    "is_method": "savegen.runtime.methods",
    "set_field": "savegen.runtime.fields",
    "set_property": "savegen.runtime.fields",
    "lazy": "savegen.runtime.named",
    **dict.fromkeys(
        "differ has_keys is_class is_float is_int is_literal is_path".split(),
        "savegen.runtime.checks",
    ),
    "pack": "savegen.runtime",
    "unpack": "savegen.runtime",
    **dict.fromkeys("UNSET Key Row mismatch".split(), "savegen.runtime.rows"),
    "AssetRegistry": "savegen.runtime",
    "PrefabSerializer": "savegen.runtime.serializers",
    "placed": "savegen.runtime.serializers",
    "rows": "savegen.runtime.serializers",
    "matching": "savegen.runtime.serializers",
    "within": "savegen.runtime.limits",
    "imported": "savegen.runtime.named",
}

K = TypeVar("K")
V = TypeVar("V")


def loop_variable(letter: str, depth: int) -> str:
    """Return the name of a loop variable inside `depth` other loops.

    >>> loop_variable("x", 0), loop_variable("x", 1), loop_variable("k", 3)
    ('x', 'y', 'k3')
    """
    letters = {"x": "xyz", "k": "kmn"}.get(letter, [letter])
    return letters[depth] if depth < len(letters) else f"{letter}{depth}"


# Names of parameters and variables in generated functions, which would hide a module.
_LOCAL = frozenset(
    "cell cls data k m n o objects place references result row rows self value x y z".split()
)
_NUMBERED = re.compile(r"[xk][0-9]+")
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[^\W\d]\w*")


def growing_items(mapping: Mapping[K, V]) -> Iterator[tuple[K, V]]:
    """Yield the items of a mapping, including those that are added during the iteration.

    For functions whose text needs further functions.
    """
    count = 0
    while count < len(mapping):
        for item in [*mapping.items()][count:]:
            yield item
            count += 1


class Names:
    """The names in one generated module.

    `names.Any` returns "Any", or "Any_" if "Any" is taken, and adds its import.
    """

    def __init__(self, taken: Iterable[str], types_module: str) -> None:
        """`taken` are the names of definitions and fields, which no import may use."""
        self._taken = set(taken)
        self._types_module = types_module
        self._imported: dict[tuple[str, str], str] = {}  # (module, name) → local name
        self._for_checkers: dict[tuple[str, str], str] = {}

    def __getattr__(self, name: str) -> str:
        if name in ("PrefabType", "SaveLoadableType", "SUBCLASS_MIXINS"):
            local = self._use(self._imported, self._types_module, name)
        elif name in _MODULES:
            local = self._use(self._imported, _MODULES[name], name)
        else:
            local = self._builtin(name)
        setattr(self, name, local)
        return local

    def __getitem__(self, name: str) -> str:
        return getattr(self, name)  # type: ignore[no-any-return]

    def generated(self, module: str, name: str) -> str:
        """Import a name from another generated module, and return its local name."""
        return self._use(self._imported, module, name)

    def for_checkers(self, module: str, name: str) -> str:
        """Import a type for type checkers only, and return its local name."""
        return self._use(self._for_checkers, module, name)

    def user_type(self, module: str, qualname: str) -> str:
        """Import a class of the game for type checkers only, and return its local name."""
        first, dot, rest = qualname.partition(".")
        return self._use(self._for_checkers, module, first) + dot + rest

    def module(self, name: str) -> str:
        """Return the name of the variable that holds a module of the game."""
        last = name.rpartition(".")[2]
        hidden = last in _LOCAL or hasattr(builtins, last) or last in _MODULES
        return self.unique(f"{last}_" if hidden or _NUMBERED.fullmatch(last) else last)

    def with_local_names(self, annotation: str) -> str:
        """Return an annotation in which each name is replaced by its local name.

        >>> Names({"int"}, ".types").with_local_names("tuple[int, Literal['int']]")
        "tuple[int_, Literal['int']]"
        """
        return _TOKEN.sub(self._local_name, annotation)

    def _local_name(self, token: re.Match[str]) -> str:
        name = token[0]
        is_imported = name in _MODULES or hasattr(builtins, name)
        return self[name] if is_imported and name != "None" else name

    def unique(self, name: str) -> str:
        """Return `name`, with underscores added until it is unique in the module."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    @property
    def imports(self) -> dict[str, list[str]]:
        return _grouped(self._imported)

    @property
    def checker_imports(self) -> dict[str, list[str]]:
        return _grouped(self._for_checkers)

    def _builtin(self, name: str) -> str:
        if name not in self._taken:
            return name
        return self._use(self._imported, "builtins", name)

    def _use(self, table: dict[tuple[str, str], str], module: str, name: str) -> str:
        key = (module, name)
        if key not in table:
            other = self._for_checkers if table is self._imported else self._imported
            if key in other and table is self._for_checkers:
                return other[key]
            table[key] = other.pop(key, "") or self.unique(name)
        return table[key]


def _grouped(table: dict[tuple[str, str], str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for (module, name), local in sorted(table.items(), key=_order):
        text = name if name == local else f"{name} as {local}"
        names.setdefault(module, []).append(text)
    return names


_THIRD_PARTY = ("savegen", "msgspec")


def groups(imports: dict[str, list[str]]) -> list[list[tuple[str, list[str]]]]:
    """Return imports in the groups of isort: standard library, third party, same package."""
    sections: tuple[list[tuple[str, list[str]]], ...] = ([], [], [])
    for source, names in imports.items():
        section = 2 if source[0] == "." else source.startswith(_THIRD_PARTY)
        sections[section].append((source, names))
    return [section for section in sections if section]


def _order(item: tuple[tuple[str, str], str]) -> tuple[str, bool, bool, str]:
    """Return the sort key of an imported name: constants first, then classes, as in isort."""
    (module, name), _ = item
    return module, not name.isupper(), not name[:1].isupper(), name

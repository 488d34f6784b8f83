"""Choose the names in a generated module, without clashes, and collect its imports."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TypeVar

from savegen.build.emit._layout import fits
from savegen.build.emit._types import listed
from savegen.build.kinds import MODULES_OF_TYPES

# The names that generated code may import, by their modules; the types of values follow.
_IMPORTS = {
    "enum": "IntEnum",
    "itertools": "count",
    "msgspec": "Meta Struct UnsetType field",
    "random": "Random",
    "typing": "Annotated Any ClassVar Literal TYPE_CHECKING TypeAlias Union",
    "weakref": "ref",
    "savegen.runtime": "GameObject NO_REFERENCES References SaveLoadable",
    "savegen.runtime.values": "pack unpack",
    "savegen.runtime.values.libraries.arrays": "is_array is_number",
    "savegen.runtime.values.checks": (
        "has_keys is_class is_literal is_path members_differ"
    ),
    "savegen.runtime.values.codecs": "CodecAdapter",
    "savegen.runtime.generated.components": (
        "checks_rows field_names gives_mixins param_names"
    ),
    "savegen.runtime.values.libraries.fields": "set_field set_property",
    "savegen.runtime.values.folds": "typed untyped",
    "savegen.runtime.values.kinds.subclasses": "base_value made_from",
    "savegen.runtime.values.basics.limits": "within",
    "savegen.runtime.values.libraries.methods": "is_method",
    "savegen.runtime.values.basics.named": "imported lazy",
    "savegen.runtime.values.rows": "Key Row UNSET misfit",
    "savegen.runtime.values.saveable": "is_saveable_object",
    "savegen.runtime.prefabs.serializers": "PrefabSerializer matching placed rows",
}
_MODULES = MODULES_OF_TYPES | {
    name: module for module, names in _IMPORTS.items() for name in names.split()
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
    "cell cls data k m n o objects place references result row rows self v value x y z".split()
)
_NUMBERED = re.compile(r"[xk][0-9]+")
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[^\W\d]\w*")


@cache
def _names_in(annotation: str) -> list[str]:
    """Return the names in an annotation that may be imported."""
    return [*filter(_may_be_renamed, dict.fromkeys(_TOKEN.findall(annotation)))]


def _may_be_renamed(name: str) -> bool:
    return name in _MODULES or (hasattr(builtins, name) and name != "None")


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

    def __getattr__(self, name: str) -> str:
        if name in ("PrefabType", "SaveLoadableType", "SUBCLASS_MIXINS"):
            local = self.imported_from(self._types_module, name)
        elif name in _MODULES:
            local = self.imported_from(_MODULES[name], name)
        elif name in self._taken:
            local = self.imported_from("builtins", name)
        else:
            local = name
        setattr(self, name, local)
        return local

    def __getitem__(self, name: str) -> str:
        return getattr(self, name)  # type: ignore[no-any-return]

    def imported_from(self, module: str, name: str) -> str:
        """Import a name from a module, and return its local name."""
        key = (module, name)
        if key not in self._imported:
            self._imported[key] = self.unique(name)
        return self._imported[key]

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
        if all(self[name] == name for name in _names_in(annotation)):
            return annotation
        return _TOKEN.sub(self._local_name, annotation)

    def _local_name(self, token: re.Match[str]) -> str:
        return self[token[0]] if _may_be_renamed(token[0]) else token[0]

    def unique(self, name: str, *forms: str) -> str:
        """Return `name`, with underscores added until it is unique in the module.

        With `forms`, such as `"_pack_{}"`, the names that are made of it are unique instead.
        """
        forms = forms or ("{}",)
        while not self._taken.isdisjoint(form.format(name) for form in forms):
            name += "_"
        self._taken.update(form.format(name) for form in forms)
        return name

    @property
    def imports(self) -> str:
        """The import statements of the module, in the groups of isort."""
        names: dict[str, list[str]] = {}
        for (module, name), local in sorted(self._imported.items(), key=_order):
            text = name if name == local else f"{name} as {local}"
            names.setdefault(module, []).append(text)
        groups = ["", "", ""]  # standard library, third party, same package
        for module, found in names.items():
            line = f"from {module} import {', '.join(found)}"
            if len(found) > 5 or not fits(line):
                line = f"from {module} import ({listed(found, 0, 0)})"
            group = 2 if module[0] == "." else module.startswith(_THIRD_PARTY)
            groups[group] += f"{line}\n"
        return "\n".join(filter(None, groups))


_THIRD_PARTY = ("savegen", "msgspec")


def _order(item: tuple[tuple[str, str], str]) -> tuple[str, bool, bool, str]:
    """Return the sort key of an imported name: constants first, then classes, as in isort."""
    (module, name), _ = item
    return module, not name.isupper(), not name[:1].isupper(), name

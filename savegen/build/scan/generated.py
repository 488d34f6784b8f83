"""Find the imports of generated modules, and those of names that are no longer generated."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from savegen.build.scan.names import absolute_module
from savegen.build.scan.statements import alias_span, attribute_span
from savegen.build.source import SourceFile
from savegen.findings import Span

SUFFIX = "SaveLoad"
_SHARED = frozenset(("registry", "types"))
_OF_PREFABS = frozenset(("link_prefabs", "prefab_info", "prefabs"))


class GeneratedImport(msgspec.Struct, frozen=True, array_like=True):
    """A place in a file that imports from a generated module, or uses an attribute of it."""

    name: str  # "game._savegen.components.orc.OrcSaveLoad"; it ends in "*" for a module
    span: Span
    is_optional: bool  # below `if` or `try`, so that it may never be executed


class GeneratedNames(NamedTuple):
    """The modules in the output package, and the base classes in them."""

    package: str  # "game._savegen"
    former: tuple[str, ...]  # output packages of the past
    modules: frozenset[str]
    packages: frozenset[str]  # those of the modules that define no base class
    bases: frozenset[str]

    def is_stale(self, name: str) -> bool:
        """Return whether a name in an output package is no longer generated.

        `name` is that of a `GeneratedImport`; names outside the output packages are not stale.
        """
        if any(_is_below(name, former) for former in self.former):
            return True
        if not _is_below(name, self.package):
            return False
        if name in self.modules or name in self.bases:
            return False
        top = name.removeprefix(f"{self.package}.").partition(".")[0]
        if top != "components":  # a person may keep other modules there
            return top in _OF_PREFABS and f"{self.package}.{top}" not in self.modules
        module, _, last = name.rpartition(".")
        if module not in self.modules or last == "*":
            return module not in self.modules
        return module in self.packages or last.endswith(SUFFIX)

    def home_of(self, name: str) -> str:
        """Return the module that has a stale name now, if there is exactly one, or ""."""
        for former in self.former:
            if _is_below(name, former):
                renamed = self.package + name.removeprefix(former)
                return "" if self.is_stale(renamed) else renamed.rpartition(".")[0]
        last = name.rpartition(".")[2]
        homes = [base for base in self.bases if base.endswith(f".{last}")]
        return homes[0].rpartition(".")[0] if len(homes) == 1 else ""


def _is_below(name: str, package: str) -> bool:
    return name.startswith(f"{package}.")


def generated_names(
    package: str,
    former: tuple[str, ...],
    bases: Mapping[str, Iterable[str]],
    has_prefabs: bool,
) -> GeneratedNames:
    """Return the names in the output package, with the generated base classes by module."""
    shared = _SHARED | _OF_PREFABS if has_prefabs else _SHARED
    packages = {package, f"{package}.components"}
    for module in bases:
        parent = module.rpartition(".")[0]
        while parent and parent not in packages:
            packages.add(parent)
            parent = parent.rpartition(".")[0]
    modules = {*bases, *packages, *(f"{package}.{name}" for name in shared)}
    names = {f"{module}.{base}" for module in bases for base in bases[module]}
    return GeneratedNames(
        package,
        former,
        frozenset(modules),
        frozenset(packages - bases.keys()),
        frozenset(names),
    )


# Reading the imports of a file


def generated_imports(
    imports: Iterable[tuple[ast.Import | ast.ImportFrom, bool]],
    tree: ast.Module,
    file: SourceFile,
    packages: Iterable[str],
) -> tuple[GeneratedImport, ...]:
    """Return the imports in a file of modules in the output packages, in their order.

    `imports` are all import statements of `tree`, each with whether it is optional.
    """
    return tuple(_Reader(tree, file, tuple(packages)).read(imports))


class _Reader:
    """Reads the imports of one file."""

    def __init__(
        self, tree: ast.Module, file: SourceFile, packages: tuple[str, ...]
    ) -> None:
        self._tree = tree
        self._file = file
        self._packages = packages
        self._modules: dict[str, str] = {}  # generated modules by their local names

    def read(
        self, imports: Iterable[tuple[ast.Import | ast.ImportFrom, bool]]
    ) -> Iterator[GeneratedImport]:
        for statement, is_optional in imports:
            if isinstance(statement, ast.ImportFrom):
                yield from self._from(statement, is_optional)
            else:
                yield from self._plain(statement, is_optional)
        if self._modules:
            yield from self._attributes()

    def _from(
        self, node: ast.ImportFrom, is_optional: bool
    ) -> Iterator[GeneratedImport]:
        file = self._file
        module = absolute_module(file.module, file.is_package, node.level, node.module)
        for alias in node.names if module else ():
            name = f"{module}.{alias.name}"
            if self._is_generated(name):
                if not alias.name.endswith(SUFFIX) and alias.name != "*":
                    self._modules[alias.asname or alias.name] = name
                yield GeneratedImport(name, alias_span(alias, self._file), is_optional)

    def _plain(self, node: ast.Import, is_optional: bool) -> Iterator[GeneratedImport]:
        for alias in node.names:
            if self._is_generated(f"{alias.name}.*"):
                self._modules[alias.asname or alias.name] = alias.name
                name = f"{alias.name}.*"
                yield GeneratedImport(name, alias_span(alias, self._file), is_optional)

    def _attributes(self) -> Iterator[GeneratedImport]:
        """Yield the base classes that the file uses as attributes of imported modules."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Attribute) and node.attr.endswith(SUFFIX):
                module = self._modules.get(ast.unparse(node.value))
                if module is not None:
                    name = f"{module}.{node.attr}"
                    yield GeneratedImport(name, attribute_span(node, self._file), False)

    def _is_generated(self, name: str) -> bool:
        return any(_is_below(name, package) for package in self._packages)

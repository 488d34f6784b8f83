"""Generated code imports the game's modules: their names must be names to Python."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from savegen.model import SavedModule
from savegen.report import Finding


def in_module(module: SavedModule) -> Iterator[Finding]:
    for part in _parts(module) if module.classes else ():
        if not part.isidentifier() or keyword.iskeyword(part):
            yield UnimportableModule(module.classes[0].span, module.path, part)


def _parts(module: SavedModule) -> list[str]:
    """Return the names of the file and its folders, as far as an import says them."""
    names = module.path.removesuffix(".py").removesuffix("/__init__").split("/")
    dotted = [name for name in names if "." in name and name in module.name]
    return dotted or module.name.split(".")


class UnimportableModule(Finding, frozen=True):
    code = "SG124"

    path: str
    part: str

    @property
    def message(self) -> str:
        return f"no `import` statement can name `{self.part}`, of {self.path}"

    @property
    def help(self) -> str:
        return "rename the file or folder"

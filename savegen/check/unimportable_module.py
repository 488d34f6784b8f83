"""Report a file with marks that no `import` statement can name.

Generated code imports the modules of the game by name.
"""

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
    """Return the names that an import of the file would contain."""
    names = module.path.removesuffix(".py").removesuffix("/__init__").split("/")
    dotted = [name for name in names if "." in name and name in module.name]
    return dotted or module.name.split(".")


class UnimportableModule(Finding, frozen=True):
    code = "SG124"
    MESSAGE = "`{path}` cannot be imported: `{part}` is not a valid module name"
    HELP = "rename the file or folder to a Python identifier that is not a keyword"

    path: str
    part: str

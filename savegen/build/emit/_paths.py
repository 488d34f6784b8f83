"""Compute the paths of generated files, and the imports between them."""

from __future__ import annotations

from savegen.build.emit._black import Style
from savegen.build.marker import marker
from savegen.build.model import Model, SavedModule

HEADER = f"# {marker('{}')}"  # to be formatted with the source


class Layout:
    """The paths and import names in the output package of a project."""

    def __init__(
        self,
        output: str,
        sources: tuple[str, ...],
        import_roots: tuple[str, ...] = (),
        package: str = "",
        style: Style | None = None,
    ) -> None:
        """All paths are relative to the project's root. `sources` are folders or files.

        `import_roots` are the folders that contain the game's top-level modules. `package`
        is the import name of the project's root, if that is inside a package. `style` is
        the style for black, or None.
        """
        self.style = style
        self.output = output
        self._components = f"{output}/components"
        # With several sources, files with equal relative paths would clash.
        self._source = sources[0] if len(sources) == 1 else "."
        self._dotted = self._import_path(import_roots, package)

    def mixins(self, module: SavedModule) -> str:
        """Return the path of the file with the mixins of a source module."""
        return f"{self._components}/{self._below_source(module.path)}"

    def path(self, name: str) -> str:
        return f"{self.output}/{name}"

    def packages(self, model: Model) -> list[str]:
        """Return the `__init__.py` of the output package and of every folder below it."""
        mixins = {self.mixins(m) for m in model.modules.values() if m.classes}
        folders = {self.output, self._components}
        for folder in {path.rpartition("/")[0] for path in mixins}:
            while folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return sorted({f"{folder}/__init__.py" for folder in folders} - mixins)

    def relative(self, module: SavedModule) -> str:
        """Return the dotted path of a module's mixins below `components`."""
        return self._dotted_path(module.path)

    def _dotted_path(self, path: str) -> str:
        stem = self._below_source(path).removesuffix(".py")
        if stem == "__init__":
            return ""
        return stem.removesuffix("/__init__").replace("/", ".")

    def mixins_module(self, module: SavedModule) -> str:
        """Return the relative import of a module's mixins, for a file beside `components`."""
        relative = self.relative(module)
        return f".components.{relative}" if relative else ".components"

    def import_name(self, path: str) -> str:
        """Return the absolute import name of the mixins of the source file at `path`."""
        relative = self._dotted_path(path)
        return f"{self._dotted}.{relative}" if relative else self._dotted

    @property
    def types_import(self) -> str:
        """The absolute import name of `types.py`."""
        return f"{self._dotted.removesuffix('components')}types"

    def types_module(self, module: SavedModule) -> str:
        """Return the relative import of `types.py`, for the file with a module's mixins."""
        depth = self._below_source(module.path).count("/")
        return "." * (depth + 2) + "types"

    def _import_path(self, roots: tuple[str, ...], package: str) -> str:
        """Return the absolute import name of `components`."""
        around = [root for root in roots if self.output.startswith(f"{root}/")]
        root = max(around, key=len, default="")
        inside = self.output[len(root) :].strip("/").replace("/", ".")
        outer = [package] if package and not root else []
        return ".".join([*outer, inside, "components"])

    def _below_source(self, path: str) -> str:
        """Return a path relative to the source folder, or unchanged if there are several."""
        if self._source == ".":
            return path
        if path == self._source:  # a file
            return path.rpartition("/")[2]
        return path.removeprefix(f"{self._source}/")

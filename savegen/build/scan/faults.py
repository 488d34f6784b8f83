"""Findings of the scanner: files that cannot be read, and unknown names of savegen."""

from __future__ import annotations

import re

from savegen.build.scan.exported import EXPORTED
from savegen.findings import Finding, Severity, similar


class SyntaxFault(Finding, frozen=True):
    """The file is not valid Python."""

    code = "SG101"
    MESSAGE = "cannot parse the file: {reason}"

    reason: str


class EncodingFault(Finding, frozen=True):
    """The file cannot be decoded with the encoding that it declares."""

    code = "SG102"
    MESSAGE = "cannot decode the file: {reason}"
    HELP = (
        "save the file as UTF-8 and remove any `coding` line, or declare the right "
        "encoding in the first two lines"
    )

    reason: str


class TooDeep(Finding, frozen=True):
    """Brackets or operators are nested so deeply that a parser could crash."""

    code = "SG103"
    MESSAGE = "the code in this file is nested too deeply to parse"
    HELP = "split the nested expression, or move its data into a JSON file"


class UnreadableFile(Finding, frozen=True):
    """The operating system does not let savegen open the file."""

    code = "SG105"
    MESSAGE = "cannot open the file: {reason}"
    HELP = "make the file readable, or add it to `exclude` under `[tool.savegen]`"

    reason: str


class ShadowedFile(Finding, frozen=True):
    """Another file has the same module name, and Python imports that one."""

    code = "SG104"
    severity = Severity.WARNING
    MESSAGE = "Python never imports this file: `import {module}` loads `{other}`"
    HELP = "rename or delete one of the two files"

    module: str
    other: str


class UnreadFile(Finding, frozen=True):
    """A file of the project has a mark of savegen, but is not a source of the game."""

    code = "SG134"
    severity = Severity.WARNING

    mark: str
    name: str  # of what is marked; "" if it is unknown
    place: str  # the path to add to `source`
    others: int = 0  # more files with marks in the same place
    command: str = ""  # without a configuration: the command that names the file, too

    @property
    def message(self) -> str:
        what = f"`{self.name}` is marked `@{self.mark}`" if self.name else ""
        what = what or f"this file uses `@{self.mark}`"
        reason = "was not named" if self.command else "is not in `source`"
        text = f"{what}, but this file {reason}, so savegen does not read it"
        if self.others:
            files = "file" if self.others == 1 else "files"
            text += f"; the same is true of {self.others:,} other {files}"
            text += "" if self.command else f" in `{self.place}`"
        return text

    @property
    def help(self) -> str:
        if self.command:
            return f"name it, too: run `{self.command}`"
        glob = re.sub(r"([*?[])", r"[\1]", self.place)  # `exclude` has patterns
        excluded = "it" if glob == self.place else f'"{glob}"'
        return (
            f'if the game uses it, add "{self.place}" to `source` in [tool.savegen];'
            f" otherwise add {excluded} to `exclude`"
        )


class StaleImport(Finding, frozen=True):
    """The file imports something from the generated code that is no longer generated."""

    code = "SG133"

    name: str  # "game._savegen.components.orc.OrcSaveLoad"; it ends in "*" for a module
    home: str = ""  # the module that has it now, if there is one

    @property
    def message(self) -> str:
        module, _, name = self.name.rpartition(".")
        if name == "*":
            return f"savegen no longer generates the module `{module}`"
        return f"savegen no longer generates `{name}` in `{module}`"

    @property
    def help(self) -> str:
        if self.home:
            return f"run `savegen wire`, or import it from `{self.home}`"
        return "run `savegen wire`, or remove the import and what uses it"


class UnknownName(Finding, frozen=True):
    """The file imports or reads a name that savegen does not have."""

    code = "SG108"
    MESSAGE = "`{package}` has no `{name}`"

    package: str
    name: str

    @property
    def help(self) -> str:
        documented = (
            "the API pages of the documentation list the names that you can import"
        )
        return self.suggestion or documented

    @property
    def suggestion(self) -> str:
        """A hint at the name that was probably meant; "" if no name of savegen is similar."""
        homes = [home for home, names in EXPORTED.items() if self.name in names]
        if homes:
            return f"import it from `{homes[0]}`"
        modules = (home.removeprefix(f"{self.package}.") for home in EXPORTED)
        if name := similar(self.name, (*EXPORTED[self.package], *modules), 0.7):
            return f"did you mean `{name}`?"
        for home, names in EXPORTED.items():
            if name := similar(self.name, names, 0.7):
                return f"did you mean `{name}` from `{home}`?"
        return ""

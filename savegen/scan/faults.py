"""Findings of the scanner: files that cannot be read."""

from __future__ import annotations

from savegen.report import Finding, Severity, similar
from savegen.scan.exported import EXPORTED


class SyntaxFault(Finding, frozen=True):
    """The file is not valid Python."""

    code = "SG101"

    reason: str

    @property
    def message(self) -> str:
        return f"cannot parse the file: {self.reason}"


class EncodingFault(Finding, frozen=True):
    """The file cannot be decoded with the encoding that it declares."""

    code = "SG102"

    reason: str

    @property
    def message(self) -> str:
        return f"cannot decode the file: {self.reason}"

    @property
    def help(self) -> str:
        return (
            "save the file as UTF-8 and remove any `coding` line, or declare the right"
            " encoding in the first two lines"
        )


class TooDeep(Finding, frozen=True):
    """Brackets or operators are nested so deeply that a parser could crash."""

    code = "SG103"

    @property
    def message(self) -> str:
        return "the code in this file is nested too deeply to parse"

    @property
    def help(self) -> str:
        return "split the nested expression, or move its data into a JSON file"


class UnreadableFile(Finding, frozen=True):
    """The operating system does not let savegen open the file."""

    code = "SG105"

    reason: str

    @property
    def message(self) -> str:
        return f"cannot open the file: {self.reason}"

    @property
    def help(self) -> str:
        return "make the file readable, or add it to `exclude` under `[tool.savegen]`"


class ShadowedFile(Finding, frozen=True):
    """Another file has the same module name, and Python imports that one."""

    code = "SG104"
    severity = Severity.WARNING

    module: str
    other: str

    @property
    def message(self) -> str:
        return f"Python never imports this file: `import {self.module}` loads `{self.other}`"

    @property
    def help(self) -> str:
        return "rename or delete one of the two files"


class UnknownName(Finding, frozen=True):
    """The file takes a name from savegen that savegen does not have."""

    code = "SG108"

    package: str
    name: str

    @property
    def message(self) -> str:
        return f"`{self.package}` has no `{self.name}`"

    @property
    def help(self) -> str:
        documented = (
            "the API pages of the documentation list the names that you can import"
        )
        return self.meant or documented

    @property
    def meant(self) -> str:
        """Which name the file probably means; "" if savegen has none like it."""
        homes = [home for home, names in EXPORTED.items() if self.name in names]
        if homes:
            return f"import it from `{homes[0]}`"
        modules = (home.removeprefix(f"{self.package}.") for home in EXPORTED)
        if meant := similar(self.name, (*EXPORTED[self.package], *modules), 0.7):
            return f"did you mean `{meant}`?"
        for home, names in EXPORTED.items():
            if meant := similar(self.name, names, 0.7):
                return f"did you mean `{meant}` from `{home}`?"
        return ""

"""Findings of the scanner: files that cannot be read."""

from __future__ import annotations

from savegen.report import Finding, Severity


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
        return "save the file as UTF-8, or declare its encoding in the first line"


class TooDeep(Finding, frozen=True):
    """Brackets or operators are nested so deeply that a parser could crash."""

    code = "SG103"

    @property
    def message(self) -> str:
        return "the file is nested too deeply to parse"

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

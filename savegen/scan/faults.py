"""The findings of the scanner: files that cannot be read."""

from __future__ import annotations

from savegen.report import Finding, Severity


class SyntaxFault(Finding, frozen=True):
    """The file is not Python."""

    code = "SG101"

    reason: str

    @property
    def message(self) -> str:
        return f"the file cannot be read: {self.reason}"


class EncodingFault(Finding, frozen=True):
    """The bytes are no text in the encoding that the file declares."""

    code = "SG102"

    reason: str

    @property
    def message(self) -> str:
        return f"the file is not text: {self.reason}"

    @property
    def help(self) -> str:
        return "save it as UTF-8, or declare its encoding in the first line"


class TooDeep(Finding, frozen=True):
    """Brackets or blocks are nested so deeply that no parser is safe with them."""

    code = "SG103"

    @property
    def message(self) -> str:
        return "the file is nested too deeply to be read"


class UnreadableFile(Finding, frozen=True):
    """The file system does not hand the file out."""

    code = "SG105"

    reason: str

    @property
    def message(self) -> str:
        return f"the file cannot be opened: {self.reason}"


class ShadowedFile(Finding, frozen=True):
    """Another file has the same module name: Python finds that one."""

    code = "SG104"
    severity = Severity.WARNING

    module: str
    other: str

    @property
    def message(self) -> str:
        return f"no import reaches this file: `{self.module}` is {self.other}"

    @property
    def help(self) -> str:
        return "rename one of the two"

"""The rule for the methods that savegen calls around saves and loads."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import HOOKS, SavedClass, SavedModule
from savegen.findings import Finding


def wrong_hook(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a hook that does not accept what savegen passes to it, or gets no object."""
    for hook in cls.wrong_hooks:
        yield WrongHook(hook.span, hook.name, hook.mark, hook.fault)


class WrongHook(Finding, frozen=True):
    code = "SG149"

    name: str  # `Orc.wake`
    mark: str  # or "save_data" or "load_data"
    fault: str  # as in the model

    @property
    def message(self) -> str:
        if self.fault == "async":
            return f"`{self.name}` is {self._what}, but savegen does not wait for `async` methods"
        if self.fault == "static":
            return f"`{self.name}` is {self._what}, but it does not get the object"
        if self.mark not in HOOKS:
            return (
                f"`{self.name}` cannot be called as savegen does: with {self._passed}"
            )
        return f"`{self.name}` cannot be called as `@{self.mark}` hooks are: with {self._passed}"

    @property
    def _what(self) -> str:
        return "a hook" if self.mark in HOOKS else "called by savegen"

    @property
    def _passed(self) -> str:
        return {
            "on_activate": "one argument, the `Activation`",
            "save_data": "one argument, the references",
            "load_data": "two arguments, the row and the references",
        }.get(self.mark, "no arguments")

    @property
    def help(self) -> str:
        method = self.name.rpartition(".")[2]
        parameters, result = {
            "on_activate": ("self, reason: Activation", "None"),
            "save_data": ("self, references: References = NO_REFERENCES", "Row"),
            "load_data": (
                "self, data: Row, references: References = NO_REFERENCES",
                "None",
            ),
        }.get(self.mark, ("self", "None"))
        written = f"write `def {method}({parameters}) -> {result}`"
        if self.mark not in HOOKS:
            written += f", and pass `references` on to `{method}_`"
        return written

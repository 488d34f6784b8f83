"""The rule for the methods that savegen calls around saves and loads."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import SavedClass, SavedModule
from savegen.findings import Finding


def wrong_hook(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a hook that does not accept what savegen passes to it, or gets no object."""
    for hook in cls.wrong_hooks:
        yield WrongHook(hook.span, hook.name, hook.mark, hook.fault)


class WrongHook(Finding, frozen=True):
    code = "SG149"

    name: str  # `Orc.wake`
    mark: str
    fault: str  # as in the model

    @property
    def message(self) -> str:
        if self.fault == "async":
            return f"`{self.name}` is a hook, but savegen does not wait for `async` methods"
        if self.fault == "static":
            return f"`{self.name}` is a hook, but it does not get the object"
        return f"`{self.name}` cannot be called as `@{self.mark}` hooks are: with {self._passed}"

    @property
    def _passed(self) -> str:
        is_told = self.mark == "on_activate"
        return "one argument, the `Activation`" if is_told else "no arguments"

    @property
    def help(self) -> str:
        parameters = (
            "self, reason: Activation" if self.mark == "on_activate" else "self"
        )
        method = self.name.rpartition(".")[2]
        return f"write `def {method}({parameters}) -> None`"

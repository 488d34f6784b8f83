"""Attributes that a class assigns but neither saves nor declares transient."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from savegen.build.check.classes import nature
from savegen.build.model import SavedClass, SavedModule
from savegen.findings import Finding, Report, Severity, Span

_NAMED = 4  # attributes that the message names; the help names all


def forgotten_state(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report an attribute that a class assigns but neither saves nor declares transient."""
    for found in () if nature(cls) else cls.forgotten:
        attributes = (found.attribute,)
        yield ForgottenState(
            found.span,
            found.owner,
            attributes,
            attributes if found.in_base else (),
            found.transient,
            found.home,
        )


class ForgottenState(Finding, frozen=True):
    code = "SG140"
    severity = Severity.WARNING

    name: str
    attributes: tuple[str, ...]
    in_base: tuple[str, ...]  # those that a property of an engine's class keeps
    transient: tuple[str, ...]  # what the class declares already
    home: Span  # of the class

    @property
    def places(self) -> tuple[Span, ...]:
        return self.span, self.home

    @property
    def data(self) -> str:
        return msgspec.json.encode(self).decode()

    @property
    def message(self) -> str:
        if len(self.attributes) == 1:
            attribute = f"{self.name}.{self.attributes[0]}"
            return f"`{attribute}` is not saved, so a load does not restore it"
        names = [f"`{name}`" for name in self.attributes]
        last = names.pop()
        if len(names) >= _NAMED:
            last = f"{len(names) - _NAMED + 2} more attributes"
            names = names[: _NAMED - 1]
        listed = f"{', '.join(names)} and {last}"
        return f"`{self.name}` does not save {listed}, so a load does not restore them"

    @property
    def help(self) -> str:
        names = ", ".join(f'"{name}"' for name in (*self.transient, *self.attributes))
        comma = "," * (len(self.transient) + len(self.attributes) == 1)
        declared = f"`@saveable(transient=({names}{comma}))`"
        setter = "Annotated[…, Save(setter=True)]"
        if len(self.attributes) == 1:
            mark = f"in the class, `{self.attributes[0]}: {setter}`"
            mark = mark if self.in_base else "`Saved[…]`"
            return f"mark it {mark}; if it need not be saved:\n{declared}"
        behind = ", ".join(f"`{name}`" for name in self.in_base)
        setters = f" ({behind}: `{setter}` in the class)" if behind else ""
        return (
            f"mark what is state `Saved[…]`{setters}; list what need not be saved:\n"
            f"{declared}"
        )


def restored(finding: Finding) -> Finding:
    """Return a finding of an earlier run as it was, if this rule made it."""
    if finding.code != ForgottenState.code or not finding.data:
        return finding
    return msgspec.json.decode(finding.data, type=ForgottenState)


def join(report: Report) -> None:
    """Make one finding of those of a class: it has one tuple to add them all to."""
    classes: dict[tuple[Span, str], list[ForgottenState]] = {}
    for found in report:
        if isinstance(found, ForgottenState):
            classes.setdefault((found.home, found.name), []).append(found)
    several = [group for group in classes.values() if len(group) > 1]
    if not several:
        return
    report.drop(found for group in several for found in group)
    report.extend(_joined(group) for group in several)


def _joined(group: list[ForgottenState]) -> ForgottenState:
    first = group[0]
    return ForgottenState(
        first.home,
        first.name,
        tuple(name for found in group for name in found.attributes),
        tuple(name for found in group for name in found.in_base),
        first.transient,
        first.home,
    )

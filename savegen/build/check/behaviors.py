"""Rules for the behaviours of a class: its serializers and deserializers."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import BehaviorMark, SavedClass, SavedModule
from savegen.findings import Finding


def duplicate_behavior(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report two methods that save or that load the same behaviour, because only one would run."""
    first: dict[tuple[str, str], BehaviorMark] = {}
    for mark in cls.behavior_marks:
        other = first.setdefault((mark.behavior, mark.role), mark)
        if mark.behavior and mark.method != other.method:
            methods = (other.method, mark.method)
            yield DuplicateBehavior(mark.span, mark.behavior, mark.role, methods)


class DuplicateBehavior(Finding, frozen=True):
    code = "SG128"
    HELP = "merge the two methods, or give each its own behaviour"

    behavior: str
    role: str
    methods: tuple[str, str]

    @property
    def message(self) -> str:
        verb = "save" if self.role == "serializer" else "load"
        first, second = self.methods
        return f"`{first}` and `{second}` both {verb} `{self.behavior}`"


def missing_recorder(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report serializers and deserializers in a class that is not a `Recorder`."""
    # Inherited marks of a saveable base are reported there.
    marks = (m for m in cls.behavior_marks if m.own or not cls.saveable_bases)
    if not cls.is_recorder and (mark := next(marks, None)):
        yield MissingRecorder(mark.span, mark.method, mark.role, cls.qualname)


class MissingRecorder(Finding, frozen=True):
    code = "SG129"
    MESSAGE = "`{method}` is a {role}, but `{name}` is not a `Recorder`"
    HELP = "add `Recorder` to the bases of `{name}`, after the generated base class"

    method: str
    role: str
    name: str


def unpaired_behavior(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a behaviour that is saved but not loaded, loaded but not saved, or neither."""
    first: dict[tuple[str, str], BehaviorMark] = {}
    for mark in cls.behavior_marks:
        first.setdefault((mark.behavior, mark.role), mark)
    for (behavior, role), mark in first.items():
        missing = "deserializer" if role == "serializer" else "serializer"
        if behavior and (behavior, missing) not in first:
            yield UnpairedBehavior(mark.span, behavior, mark.method, missing)
    with_methods = {behavior for behavior, _ in first}
    for behavior, span in cls.named_behaviors:
        if behavior not in with_methods:
            yield UnpairedBehavior(span, behavior)


class UnpairedBehavior(Finding, frozen=True):
    code = "SG127"

    behavior: str
    method: str = ""  # "" if the behaviour has no method at all
    missing: str = ""  # "serializer" or "deserializer"

    @property
    def message(self) -> str:
        if not self.method:
            return f"no method saves or loads `{self.behavior}`"
        verbs = ("saves", "loads")
        verb, missing = verbs if self.missing == "deserializer" else reversed(verbs)
        return f"`{self.method}` {verb} `{self.behavior}`, but no method {missing} it"

    @property
    def help(self) -> str:
        if not self.method:
            return "write a serializer and a deserializer for it, or remove the member"
        member = ".".join(self.behavior.split(".")[-2:])  # as in the body of the class
        return f"write the method and mark it `@{self.missing}({member})`"


def unreadable_behavior(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a serializer or deserializer whose mark does not name an enum member."""
    for mark in cls.behavior_marks:
        if not mark.behavior:
            yield UnreadableBehavior(mark.span, mark.method, mark.role)


class UnreadableBehavior(Finding, frozen=True):
    code = "SG130"
    MESSAGE = "the `{role}` mark of `{method}` does not name a member of an enum"

    method: str
    role: str

    @property
    def help(self) -> str:
        example = f"`@{self.role}(Behaviors.GIVE_TOY)`"
        return f"name a member of an enum of your project, for example {example}"

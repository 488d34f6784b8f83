"""Rules for fields: their declarations, names and defaults."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.check.classes import unsuitable_form
from savegen.build.model import (
    Field,
    Model,
    SavedClass,
    SavedModule,
    UnsetAttribute,
    comparison_key,
)
from savegen.findings import Finding, Severity


def exposed_name_clash(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report two fields of a class that have the same name in levels."""
    by_name: dict[str, Field] = {}
    for field in cls.fields:
        if field.exposed is None:
            continue
        first = by_name.setdefault(field.exposed, field)
        # `field_name_clash` reports fields whose names differ only in case.
        if first.enum_member.casefold() != field.enum_member.casefold():
            yield ExposedNameClash(field.span, field.name, first.name, field.exposed)


class ExposedNameClash(Finding, frozen=True):
    code = "SG121"
    MESSAGE = "`{name}` and `{other}` are both called `{exposed}` in levels"
    HELP = (
        'give one of them another name with `Save("…")`, or hide it with '
        "`Save(editor=False)`"
    )

    name: str
    other: str
    exposed: str


def unknown_transient(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report names in `transient` that are not attributes of the class or that are also saved."""
    for name in cls.unknown_transient:
        yield UnknownTransient(cls.span, cls.qualname, name)
    for field in cls.fields:
        if field.own and field.name in cls.transient:
            yield SavedTransient(field.span, cls.qualname, field.name)


class UnknownTransient(Finding, frozen=True):
    code = "SG141"
    severity = Severity.WARNING
    MESSAGE = "`{name}` lists `{attribute}` in `transient`, but has no such attribute"
    HELP = "correct the name, or remove `{attribute}` from `transient`"

    name: str
    attribute: str


class SavedTransient(Finding, frozen=True):
    code = "SG142"
    MESSAGE = "`{name}.{attribute}` is both marked and listed in `transient`"
    HELP = "remove `{attribute}` from `transient` to save it, or remove the mark"

    name: str
    attribute: str


def missing_after_load(model: Model) -> Iterator[Finding]:
    """Report a transient attribute that is missing after a load, which does not run `__init__`."""
    # A load does call the constructors of the parts of a prefab.
    constructed = {part.cls for prefab in model.prefabs for part in prefab.parts}
    reported: set[UnsetAttribute] = set()
    for cls in model.classes:
        if cls.name in constructed or unsuitable_form(cls):
            continue
        for unset in cls.unset:
            if unset not in reported:
                reported.add(unset)
                yield MissingAfterLoad(
                    unset.span, unset.owner, unset.attribute, unset.is_picture
                )


class MissingAfterLoad(Finding, frozen=True):
    code = "SG147"
    severity = Severity.WARNING
    MESSAGE = "`{name}.{attribute}` is missing from objects that a load creates"

    name: str
    attribute: str
    is_picture: bool = False

    @property
    def help(self) -> str:
        if self.is_picture:
            return "rebuild it in a method marked `@on_activate`"
        return (
            "assign it in a method marked `@on_activate`, or give it a default in the "
            "body of the class"
        )


def unrestored_factory(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a `defaultdict` whose factory is not there any more after a load."""
    for field in cls.fields:
        if field.lacks_factory and field.own and not field.override:
            yield UnrestoredFactory(field.span, field.name)


class UnrestoredFactory(Finding, frozen=True):
    code = "SG155"
    severity = Severity.WARNING
    MESSAGE = "after a load, `{field}` makes no missing values: its factory cannot be made again"
    HELP = (
        "use a class, a function of a module, or a lambda that uses neither `self` nor local"
        " names"
    )

    field: str


def mutable_default(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a mutable default in a class body, because all objects would share it."""
    for field in cls.fields:
        if field.own and field.mutable_default is not None:
            yield MutableDefault(field.span, field.name, field.mutable_default)


class MutableDefault(Finding, frozen=True):
    code = "SG115"
    MESSAGE = "all objects share the default `{default}` of `{name}`"
    HELP = "assign it in `__init__`, or use a dataclass with `field(default_factory=…)`"

    name: str
    default: str


def shared_container(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a statement that assigns one list to several attributes; a load separates them."""
    for names, span in cls.shared_containers:
        yield SharedContainer(span, names)


class SharedContainer(Finding, frozen=True):
    code = "SG131"
    severity = Severity.WARNING
    HELP = (
        "give each its own value; or save one of them, and make the others properties that"
        " return it"
    )

    names: tuple[str, ...]

    @property
    def message(self) -> str:
        quoted = [f"`{name}`" for name in self.names]
        names = f"{', '.join(quoted[:-1])} and {quoted[-1]}"
        return f"{names} hold the same object here, but different ones after a load"


def field_name_clash(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report fields whose names differ only in case or underscores.

    They would get the same member in the generated enum.
    """
    by_key: dict[str, Field] = {}
    for field in cls.fields:
        member = field.enum_member
        first = by_key.setdefault(comparison_key(member), field)
        if first is not field:
            library_class = "".join(cls.of[:1])
            yield FieldNameClash(
                field.span, field.name, first.name, member, library_class
            )


class FieldNameClash(Finding, frozen=True):
    code = "SG116"

    name: str
    other: str
    member: str  # of the generated enum
    library_class: str = ""  # for which the class is a stand-in

    @property
    def message(self) -> str:
        both = f"`{self.name}` and `{self.other}`"
        return f"the fields {both} both become `{self.member}` in the generated code"

    @property
    def help(self) -> str:
        mark_one = "if a library has both names for one value, mark only one of them"
        if self.library_class:
            return (
                f"{mark_one}; otherwise save\n`{self.library_class}` with a codec under"
                " `[tool.savegen.codecs]` instead of a stand-in"
            )
        return f"rename one of the two fields; {mark_one}"


def property_field(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report marked properties without a setter, or without a mark that lets a load call it."""
    properties = {marked.field: marked for marked in cls.marked_properties}
    for field in cls.fields:
        if field.override:
            continue
        span = field.span if field.own else cls.span
        if field.setter and field.attribute in cls.read_only:
            yield ReadOnlyProperty(span, cls.qualname, field.name)
        elif field.attribute in cls.properties and field.name in properties:
            marked = properties[field.name]
            owner = "" if marked.owner == cls.name else marked.owner
            annotation = marked.annotation
            yield PropertyField(span, cls.qualname, field.name, owner, annotation)


class PropertyField(Finding, frozen=True):
    code = "SG126"

    name: str
    field: str
    owner: str  # full name of the base that has the property; "" if the class has it
    annotation: str

    @property
    def message(self) -> str:
        subject = f"`{self.name}.{self.field}` is a property"
        if self.owner:
            base = self.owner.rpartition(":")[2]
            subject = f"`{self.field}` is a property of `{base}`"
        return f"{subject}, and a load does not call its setter"

    @property
    def help(self) -> str:
        setter = f"`{self.field}: {self.annotation}`"
        if self.owner and ":" not in self.owner:  # a class of a library
            return f"let the load call the setter: {setter}"
        return (
            "mark the attribute that the property reads, or let the load call the setter:"
            f" {setter}"
        )


class ReadOnlyProperty(Finding, frozen=True):
    code = "SG144"
    MESSAGE = "`{name}.{field}` is a property without a setter, so a load cannot set it"
    HELP = "mark the attribute that the property reads, or add a setter"

    name: str
    field: str


def saved_in_method(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report `Saved[T]` in a method: pyright rejects it there, but accepts `Annotated`."""
    for field in cls.fields:
        if field.own and field.saved_in_method:
            yield SavedInMethod(field.span, field.name)


class SavedInMethod(Finding, frozen=True):
    code = "SG114"
    severity = Severity.INFO
    MESSAGE = "savegen accepts `self.{name}: Saved[…]`, but pyright rejects it"
    HELP = "write `Annotated[…, Save()]`, or declare the field in the class body"

    name: str


def unreadable_default(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a default in `Save` that savegen cannot copy into the generated code."""
    for field in cls.fields:
        if field.own and field.default_fault:
            yield UnreadableDefault(field.span, field.default_fault)


class UnreadableDefault(Finding, frozen=True):
    code = "SG327"
    MESSAGE = "{reason}"

    reason: str

    @property
    def help(self) -> str:
        if self.reason.endswith("not both"):
            return "remove one of the two"
        return "write a function that returns the default: `Save(default_factory=that_function)`"


def misplaced_decorator(module: SavedModule) -> Iterator[Finding]:
    """Report a mark of classes above a function, one of methods above a class, and the like."""
    for fault in module.misplaced_decorators:
        yield UnreadableMark(fault.span, fault.reason)


def unreadable_mark(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report marks with invalid arguments, and marks inside a type, which mark no field."""
    for fault in cls.faults:
        yield UnreadableMark(fault.span, fault.reason)


_EXAMPLES = {"transient": "path_cache", "of": "enginelib.grid.Cell"}


class UnreadableMark(Finding, frozen=True):
    code = "SG119"
    severity = Severity.ERROR
    MESSAGE = "{reason}"

    reason: str

    @property
    def help(self) -> str | None:
        if self.reason.endswith("takes only keyword arguments"):
            return (
                'write `@saveable(name=value)`, for example `@saveable(was="OldName")`'
            )
        if self.reason.endswith("tuple of string literals"):
            name = self.reason.split("`")[1]
            value = _EXAMPLES.get(name, "old_name")
            return f'write for example `{name}=("{value}",)`'
        if self.reason.endswith("written as a string literal"):
            return 'write for example `Save("health")`'
        if self.reason.endswith("takes only one positional argument"):
            return (
                'write the others with their names, for example `Save("health", ge=0)`'
            )
        return None


def unsaved_mark(module: SavedModule) -> Iterator[Finding]:
    """Report marks without effect: in a class that is not saveable, or on a parameter."""
    for mark in module.marks_without_effect:
        yield UnsavedMark(mark.span, mark.qualname, mark.field, mark.reason, mark.help)


class UnsavedMark(Finding, frozen=True):
    code = "SG120"
    severity = Severity.WARNING

    name: str  # of the class; "" if the mark is in an annotation of something else
    field: str  # or that annotation
    reason: str = ""  # the annotation marks no field
    correct: str = ""

    @property
    def message(self) -> str:
        if self.reason:
            return f"`{self.field}` marks no field, because {self.reason}"
        return (
            f"`{self.field}` is marked, but neither `{self.name}` nor a subclass of it is"
            " `@saveable`"
        )

    @property
    def help(self) -> str | None:
        if self.reason:
            return self.correct or None
        return "mark the class with `@saveable`, or remove the mark from the field"

"""Rules for the types of fields that cannot be saved, or only with a restriction."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from savegen.build.kinds import CONTAINERS, GROUPS, Kind
from savegen.build.model import (
    Model,
    SavedClass,
    SavedModule,
    annotation_of,
    kinds_in,
    reached_kinds,
)
from savegen.findings import Finding, Severity, Span, similar, with_severity


def refused_type(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a type that cannot be saved, in a field or in a plain class that a field holds."""
    for path, kind, span, is_inside in _refused_kinds(cls, module):
        if kind.name in REFUSED:
            type, has_stand_in = kind.values[0], bool(kind.parts)
            united = _united(type, kind.parts)
            yield REFUSED[kind.name](span, path, type, is_inside, has_stand_in, united)


def _united(name: str, members: Sequence[Kind]) -> str:
    """Return `list[int | str]` for the members `list[int]` and `list[str]` of a union.

    Return "" if no such container is as narrow as the members, which may have different keys.
    """
    alike = [m for m in members if m.name.removeprefix("fixed_") == name]
    if len({(m.name, len(m.parts)) for m in alike}) != 1 or len(alike) < 2:
        return ""
    places = [dict.fromkeys(place) for place in zip(*(m.parts for m in alike))]
    if not all(len(place) == 1 for place in places[:-1]):
        return ""
    inner = [p for m in places[-1] for p in (m.parts if m.kind == "union" else (m,))]
    kinds = tuple(dict.fromkeys(inner))
    containers = [kind.name for kind in kinds if kind.kind == "container"]
    if len({*containers}) < len(containers):
        return ""  # these could not be distinguished either
    last = Kind("union", "", kinds)
    return annotation_of(replace(alike[0], parts=(*alike[0].parts[:-1], last)))


def _refused_kinds(
    cls: SavedClass, module: SavedModule
) -> Iterator[tuple[str, Kind, Span, bool]]:
    """Yield each refused kind in the fields of a class, with its path and place.

    The path is the field `stats`, or `Stats.callback` in the class that it holds. The last item
    is whether it is the type of an element, not of the whole field. Inherited fields are
    included, because the base may not be saveable, or a type variable may have another value
    there. They are reported at their own place.
    """
    for field in cls.fields if module.has_refused_type else ():
        if field.override:
            continue
        outermost: dict[str, Kind] = {}
        for path, kind, span in kinds_in(field, module):
            outer = outermost.setdefault(path, kind)
            if kind.kind == "refused":
                members = outer.parts if outer.kind == "union" else ()
                yield path, kind, span, kind is not outer and kind not in members


class RefusedType(Finding, frozen=True):
    """The base of the findings in `REFUSED`."""

    field: str
    type: str
    is_inside: bool = False  # it is the type of an element, not of the whole field
    has_stand_in: bool = False
    united: str = ""  # for a union of containers: one container with the union inside


class AbstractContainer(RefusedType, frozen=True):
    code = "SG212"
    MESSAGE = "`{type}` in `{field}` is abstract, but a load must know what to create"

    @property
    def help(self) -> str:
        return f"write the concrete type, for example `{_CONCRETE[self.type]}`"


_CONCRETE = {
    **dict.fromkeys(
        ("Collection", "Iterable", "MutableSequence", "Reversible", "Sequence"),
        "list[int]",
    ),
    **dict.fromkeys(("Mapping", "MutableMapping"), "dict[str, int]"),
    **dict.fromkeys(("MutableSet", "Set"), "set[int]"),
}


class IndistinguishableMembers(RefusedType, frozen=True):
    code = "SG208"

    @property
    def message(self) -> str:
        if self.type == "weakref.ref":
            return f"`{self.field}` mixes weak and ordinary references, which a save cannot distinguish"
        return f"`{self.field}` is a union of `{self.type}` types, which a save cannot distinguish"

    @property
    def help(self) -> str:
        if self.type == "weakref.ref":
            return "use only `weakref.ref[…]`, or only the class itself"
        fields = "use a field for each type"
        return f"write `{self.united}`, or {fields}" if self.united else fields


class AnyType(RefusedType, frozen=True):
    code = "SG204"

    @property
    def message(self) -> str:
        if self.type == "any":
            return f"`{self.field}` holds `any`, which is a builtin function and not a type"
        if self._is_variable:
            verb = "holds values of" if self.is_inside else "has"
            return (
                f"`{self.field}` {verb} the type `{self.type}`, which can be anything:"
                " too general to save"
            )
        return f"`{self.field}` holds `{self.type}`, which is too general to save"

    @property
    def help(self) -> str:
        if self.type == "any":
            return (
                "`Any` from typing cannot be saved either: write the types that it can hold,\n"
                "for example `int | str`"
            )
        if self._is_variable:
            return (
                f"replace `{self.type}` with the types that it can hold,"
                f" for example `int | str`,\nor give `{self.type}` a bound;"
                " or mark only subclasses that name the type"
            )
        return "write the types that it can hold, for example `int | str`"

    @property
    def _is_variable(self) -> bool:
        """Whether the type is a type variable."""
        return self.type not in ("Any", "object", "any")


_MAPPINGS = [each.name for each in CONTAINERS.values() if each.parameters == 2]


class BareContainer(RefusedType, frozen=True):
    code = "SG206"

    @property
    def message(self) -> str:
        if self.type == "type":
            return f"the `type` in `{self.field}` does not name a class"
        if self.type in GROUPS:
            return f"the `{self.type}` in `{self.field}` does not name a saveable class of sprites"
        missing = self._missing.replace(" and ", " or ")
        return f"the `{self.type}` in `{self.field}` lacks {missing}"

    @property
    def help(self) -> str:
        missing = "class" if self.type == "type" else self._missing
        if self.type in GROUPS:
            return (
                f"write the class, for example `{self._example}`;\n"
                "or remove the mark, and name the group:"
                ' `manager.groups["goblins"] = goblins`'
            )
        return f"write the {missing}, for example `{self._example}`"

    @property
    def _missing(self) -> str:
        return "key and value types" if self.type in _MAPPINGS else "element types"

    @property
    def _example(self) -> str:
        if self.type == "type" or self.type in GROUPS:
            return f"{self.type}[Goblin]"
        keys = "str, " if self.type in _MAPPINGS else ""
        end = ", ..." if self.type == "tuple" else ""
        return f"{self.type}[{keys}int{end}]"


class CallableField(RefusedType, frozen=True):
    code = "SG203"

    @property
    def message(self) -> str:
        if self.is_inside:
            return f"`{self.field}` holds callables, which cannot be saved"
        return f"`{self.field}` is a callable, which cannot be saved"

    @property
    def help(self) -> str:
        method = "for methods of saveable objects, write `Method[…]` instead of `Callable[…]`; otherwise\n"
        if "." in self.field:  # in a plain class, which has no hooks
            return f"{method}save a member of an enumeration, by which the game chooses the function"
        return (
            f"{method}remove the mark, and set the attribute again in a method marked"
            " `@on_activate`"
        )


_LIBRARIES = ("pygame", "arcade", "pyglet", "panda3d", "direct", "PIL", "tcod")
_MEDIA = {
    "a picture": "Surface SurfaceType Texture Image AbstractImage ImageData Tileset",
    "a mask of a picture": "Mask MaskType",
    "a sound": "Sound SoundType AudioSound Channel ChannelType Source StaticSource",
    "a font": "Font FontType SysFont",
    "a sprite group of any class": "AbstractGroup",
}
_MEDIA_OF_TYPE = {
    name: medium for medium, names in _MEDIA.items() for name in names.split()
}


class ForeignType(RefusedType, frozen=True):
    code = "SG202"

    @property
    def message(self) -> str:
        if medium := self._medium:
            return (
                f"`{self.field}` holds {medium} (`{self.type}`), which cannot be saved"
            )
        return f"`{self.field}` holds `{self.type}`, which savegen does not know how to save"

    @property
    def help(self) -> str:
        """Advice that does not change the class, which the library owns."""
        if self._is_iterator:
            return (
                "for a counter, write `itertools.count`; otherwise save what it runs over, and how"
                "\nfar it came, and make it again in a method marked `@on_activate`"
            )
        unmark, asset = "remove the mark", "mark it `Saved[Annotated[…, Asset()]]`"
        if "." in self.field:  # in a plain class, which has neither marks nor hooks
            unmark = "keep it in an unmarked attribute of a saveable class"
            asset = "write `Annotated[…, Asset()]`"
        lines = [
            f"a handle, such as a window: {unmark}, and create it\n"
            "  in a method marked `@on_activate`",
            "a resource, such as a loaded picture: register it in the `assets` of your\n"
            f"  `SaveLoadManager`, and {asset}",
        ]
        if self._medium is None:
            lines = [
                f'an object of the world: write a stand-in, marked `@saveable(of="{self.type}")`',
                "a value, such as a colour: name a codec under `[tool.savegen.codecs]`",
                *lines,
            ]
        return "\n".join(["choose by what it is:", *lines])

    @property
    def _is_iterator(self) -> bool:
        """Whether its state is in no attribute, so that neither a stand-in nor a codec can help."""
        module, _, name = self.type.rpartition(".")
        return module == "itertools" or name in ("Iterator", "Generator")

    @property
    def _medium(self) -> str | None:
        """The medium that the type holds, such as "a sound", if a game library defines it."""
        if self.type.partition(".")[0] not in _LIBRARIES:
            return None
        return _MEDIA_OF_TYPE.get(self.type.rpartition(".")[2])


def set_of_references(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a set of saveable objects, because a load may change its order."""
    for field in (field for field in cls.fields if field.own):
        for path, kind, _ in kinds_in(field, module) if field.kind.references else ():
            if kind.name in ("set", "frozenset") and kind.references:
                yield SetOfReferences(field.span, path)


class SetOfReferences(Finding, frozen=True):
    code = "SG209"
    severity = Severity.WARNING
    MESSAGE = "a load does not keep the order of the objects in the set `{field}`"
    HELP = (
        "use a list or `dict[…, None]` if the order matters; otherwise add `# "
        "savegen: ignore[SG209]`"
    )

    field: str


class UnhashableKey(RefusedType, frozen=True):
    code = "SG207"
    HELP = "use a hashable type there: a tuple, a frozen dataclass or a saveable class"

    @property
    def message(self) -> str:
        role = "elements" if self.type in ("set", "frozenset") else "keys"
        return f"the {role} of the `{self.type}` in `{self.field}` are not hashable"


def unknown_type(model: Model) -> Iterator[Finding]:
    """Report a type that savegen cannot resolve."""
    for module in model.modules.values():
        definitions = _definitions(model, module) if module.has_refused_type else {}
        for cls in module.classes:
            for path, kind, span, _ in _refused_kinds(cls, module):
                if kind.name == "unknown":
                    text, similar_type = kind.values[0], "".join(kind.values[1:])
                    elsewhere = _elsewhere(text.strip("`"), similar_type, definitions)
                    yield UnknownType(span, path, text, similar_type, *elsewhere)


def _definitions(model: Model, module: SavedModule) -> Mapping[str, list[str]]:
    """Return the other modules that define a class or enum that can be saved, by its name."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    for other in model.modules.values():
        names = [cls.name for cls in (*other.classes, *other.records)]
        names += [name for name, _ in other.enums]
        for definer, _, name in {full_name.partition(":") for full_name in names}:
            if definer != module.name and "." not in name:
                modules[name].add(definer)
    return {name: sorted(definers) for name, definers in modules.items()}


def _elsewhere(
    name: str, similar_type: str, definitions: Mapping[str, list[str]]
) -> tuple[str, tuple[str, ...]]:
    """Return the class that a name probably means, and the other modules that define it."""
    if name not in definitions and not similar_type:
        name = similar(name, definitions, 0.7)
    return (name, tuple(definitions[name])) if name in definitions else ("", ())


class UnknownType(Finding, frozen=True):
    code = "SG201"

    field: str
    type: str
    similar_type: str  # a type with a similar name, or ""
    elsewhere: str = ""  # a class of another module with this name, or a similar one
    modules: tuple[str, ...] = ()  # the modules that define that class

    @property
    def message(self) -> str:
        if not self.type:
            return f"`{self.field}` is marked, but has no type"
        return f"cannot resolve the type of `{self.field}`: {self.type}"

    @property
    def help(self) -> str:
        if not self.type:
            return "write the type in brackets, for example `Saved[int]`"
        if self.type == "the alias refers to itself":
            return (
                "write a class for one level, such as a dataclass `Node` with the field"
                " `children: list[Node]`,\nand use it in place of the alias"
            )
        if self.elsewhere:
            modules = " or ".join(f"`{module}`" for module in self.modules)
            if self.elsewhere == self.type.strip("`"):
                return f"import `{self.elsewhere}` from {modules}"
            return f"did you mean `{self.elsewhere}`? import it from {modules}"
        if self.similar_type:
            return f"did you mean `{self.similar_type}`?"
        if all(part.isidentifier() for part in self.type.strip("`").split(".")):
            return f"check that {self.type} is imported and that it is a type"
        return "write a type that can be read without running the code, such as `list[int]`"


class UnnumberedClass(RefusedType, frozen=True):
    code = "SG210"
    MESSAGE = "`{field}` holds a class, but `{type}` is not saveable"

    @property
    def help(self) -> str:
        alternative = "save an enum member instead of the class"
        if self.has_stand_in:
            return f"a stand-in saves objects, not the class itself; {alternative}"
        if hasattr(builtins, self.type):
            return alternative
        return f"mark `{self.type}` with `@saveable`, or {alternative}"


def unmarked_subclass(model: Model) -> Iterator[Finding]:
    """Report an unmarked subclass of a class to which fields refer, as no save can contain it."""
    modules = model.modules.values()
    subclasses = [each for module in modules for each in module.unmarked_subclasses]
    fields = _referring_fields(model) if subclasses else {}
    for each in subclasses:
        if field := next((fields[b] for b in each.ancestors if b in fields), ""):
            yield UnmarkedSubclass(each.span, each.qualname, field, each.base)


def _referring_fields(model: Model) -> dict[str, str]:
    """Return, for each class to which fields refer, the first of these fields."""
    fields: dict[str, str] = {}
    for module in model.modules.values():
        for cls in module.classes:
            for field in cls.fields:
                for _, kind, _ in kinds_in(field, module):
                    if kind.kind in ("reference", "class_"):
                        for name in kind.name.split(" | "):
                            owner = field.owner.rpartition(":")[2]
                            fields.setdefault(name, f"{owner}.{field.name}")
    return fields


def left_out(model: Model) -> Iterator[Finding]:
    """Report a subclass of a plain class in a field that has a field that cannot be saved."""
    for module in model.modules.values():
        for each in module.left_out:
            yield LeftOutSubclass(
                each.span, each.qualname, each.base, each.field, each.type
            )


class LeftOutSubclass(Finding, frozen=True):
    code = "SG214"
    severity = Severity.WARNING
    MESSAGE = (
        "no save can contain `{name}`, because `{field}` cannot be saved (`{type}`)"
    )
    HELP = (
        "a field of type `{base}` can hold it: change the type of `{field}`, or make it a"
        "\n`ClassVar` or a property; otherwise a save keeps only what `{base}` has"
    )

    name: str
    base: str
    field: str
    type: str


def recursive_class(model: Model) -> Iterator[Finding]:
    """Report a plain class that can contain itself, because a save limits the depth.

    A chain, in which each object holds the next, is a warning: it grows long more often than a
    tree grows deep.
    """
    records = {r.name: r for m in model.modules.values() for r in m.records}
    seen: set[Span] = set()  # a subclass inherits the field
    for record in sorted(records.values(), key=lambda record: len(record.bases)):
        for (field, kind, _), (span, _) in zip(record.fields, record.field_marks):
            reached = reached_kinds(kind, records)
            if any(inner.name == record.name for inner in reached):
                if span not in seen:
                    seen.add(span)
                    found = RecursiveClass(span, record.simple_name, field)
                    parts = kind.parts if kind.kind == "union" else ()
                    is_chain = any(part.kind in ("value", "record") for part in parts)
                    yield found if is_chain else with_severity(found, Severity.INFO)
                break


class RecursiveClass(Finding, frozen=True):
    code = "SG215"
    severity = Severity.WARNING
    MESSAGE = "`{name}` can contain itself in `{field}`: a save holds at most 64 inside each other"
    HELP = (
        "if there may be more, such as in a long chain, mark `{name}` with `@saveable`"
    )

    name: str
    field: str


class UnmarkedSubclass(Finding, frozen=True):
    code = "SG213"
    severity = Severity.WARNING

    name: str
    field: str
    base: str

    @property
    def message(self) -> str:
        return f"`{self._simple}` is not saveable, but `{self.field}` can refer to one"

    @property
    def help(self) -> str:
        if "<locals>" in self.name:
            return "move it out of the function, since a load cannot find it there"
        return (
            f"mark `{self.name}` with `@saveable`, or, for all subclasses of `{self.base}`, mark"
            f"\n`{self.base}` with `@saveable(subclasses=True)`"
        )

    @property
    def _simple(self) -> str:
        return self.name.rpartition(".<locals>.")[2]


class UnmarkedClass(RefusedType, frozen=True):
    code = "SG205"
    MESSAGE = "`{field}` holds `{_name}`, which is neither saveable nor plain data"
    HELP = (
        "if several objects share one `{_name}`, mark the class with `@saveable`;\n"
        "if each `{_name}` belongs to one field only, make the class a dataclass, or name a\n"
        "codec for it under `[tool.savegen.codecs]`"
    )

    @property
    def _name(self) -> str:
        return self.type.rpartition(":")[2]


REFUSED: dict[str, type[RefusedType]] = {
    "abstract": AbstractContainer,
    "anything": AnyType,
    "bare": BareContainer,
    "callable": CallableField,
    "foreign": ForeignType,
    "indistinguishable": IndistinguishableMembers,
    "project": UnmarkedClass,
    "unhashable": UnhashableKey,
    "unnumbered": UnnumberedClass,
}
"""By the reason for which a kind is refused: its finding. `unknown_type` reports the others."""

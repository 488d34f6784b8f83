"""Rules for the types of fields that cannot be saved, or only with a restriction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from savegen.build.check._refused import refused_types
from savegen.build.model import Model, SavedClass, SavedModule, kinds_in
from savegen.findings import Finding, Severity, similar


def abstract_container(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report an abstract container, because a load must know which type to create."""
    for each in refused_types(cls, module, "abstract"):
        yield AbstractContainer(each.span, each.path, each.text)


class AbstractContainer(Finding, frozen=True):
    code = "SG212"
    MESSAGE = "`{type}` in `{field}` is abstract, but a load must know what to create"

    field: str
    type: str

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


def indistinguishable_members(
    cls: SavedClass, module: SavedModule
) -> Iterator[Finding]:
    """Report a union whose types look the same in a save."""
    for each in refused_types(cls, module, "indistinguishable"):
        yield IndistinguishableMembers(each.span, each.path, each.text)


class IndistinguishableMembers(Finding, frozen=True):
    code = "SG208"

    field: str
    type: str

    @property
    def message(self) -> str:
        if self.type == "weakref.ref":
            return f"`{self.field}` mixes weak and ordinary references, which a save cannot distinguish"
        return f"`{self.field}` is a union of `{self.type}` types, which a save cannot distinguish"

    @property
    def help(self) -> str:
        if self.type == "weakref.ref":
            return "use only `weakref.ref[…]`, or only the class itself"
        return (
            f"use one `{self.type}` type with a union inside, such as `{self._example}`"
        )

    @property
    def _example(self) -> str:
        keys = self.type in ("dict", "defaultdict", "OrderedDict")
        before = "int | str, " if keys else ""
        rest = ", ..." if self.type == "tuple" else ""
        return f"{self.type}[{before}int | str{rest}]"


def any_type(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a type that allows every value, such as `Any` or `object`."""
    for each in refused_types(cls, module, "anything"):
        yield AnyType(each.span, each.path, each.text, each.is_inside)


class AnyType(Finding, frozen=True):
    code = "SG204"

    field: str
    type: str
    is_inside: bool  # the type of an element, and not of the whole field

    @property
    def message(self) -> str:
        if self.type == "any":
            return f"`{self.field}` holds `any`, which is a builtin function and not a type"
        if self._is_variable:
            has = "holds values of" if self.is_inside else "has"
            return (
                f"`{self.field}` {has} the type `{self.type}`, which can be anything:"
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
                f" for example `int | str`,\nor give `{self.type}` a bound"
            )
        return "write the types that it can hold, for example `int | str`"

    @property
    def _is_variable(self) -> bool:
        """Whether the type is a type variable."""
        return self.type not in ("Any", "object", "any")


def bare_container(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a container without the types of its elements."""
    for each in refused_types(cls, module, "bare"):
        yield BareContainer(each.span, each.path, each.text)


_MAPPINGS = ("dict", "defaultdict", "OrderedDict")


class BareContainer(Finding, frozen=True):
    code = "SG206"

    field: str
    type: str

    @property
    def message(self) -> str:
        if self.type == "type":
            return f"the `type` in `{self.field}` does not name a class"
        missing = self._needed.replace(" and ", " or ")
        return f"the `{self.type}` in `{self.field}` lacks {missing}"

    @property
    def help(self) -> str:
        needed = "class" if self.type == "type" else self._needed
        return f"write the {needed}, for example `{self._example}`"

    @property
    def _needed(self) -> str:
        return "key and value types" if self.type in _MAPPINGS else "element types"

    @property
    def _example(self) -> str:
        keys = "str, " if self.type in _MAPPINGS else ""
        if self.type == "type":
            return "type[Goblin]"
        rest = ", ..." if self.type == "tuple" else ""
        return f"{self.type}[{keys}int{rest}]"


def callable_field(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a field that holds a function or another callable, which cannot be saved."""
    for each in refused_types(cls, module, "callable"):
        yield CallableField(each.span, each.path, each.text, each.is_inside)


class CallableField(Finding, frozen=True):
    code = "SG203"
    HELP = (
        "remove the mark, and set the attribute again in a method marked "
        "`@on_activate`"
    )

    field: str
    type: str
    is_inside: bool = False  # the type of an element, and not of the whole field

    @property
    def message(self) -> str:
        if self.is_inside:
            return f"`{self.field}` holds callables, which cannot be saved"
        return f"`{self.field}` is a callable, which cannot be saved"


def foreign_type(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a type from outside the project that savegen does not know."""
    for each in refused_types(cls, module, "foreign"):
        yield ForeignType(each.span, each.path, each.text)


_LIBRARIES = ("pygame", "arcade", "pyglet", "panda3d", "direct", "PIL", "tcod")


_MEDIA = {
    "a picture": "Surface SurfaceType Texture Image AbstractImage ImageData Tileset",
    "a mask of a picture": "Mask MaskType",
    "a sound": "Sound SoundType AudioSound Channel ChannelType Source StaticSource",
    "a font": "Font FontType SysFont",
    "a sprite group": "AbstractGroup Group GroupSingle RenderUpdates SpriteList"
    " LayeredUpdates LayeredDirty OrderedUpdates",
}


_MEDIA_OF_TYPE = {
    name: medium for medium, names in _MEDIA.items() for name in names.split()
}


class ForeignType(Finding, frozen=True):
    code = "SG202"

    field: str
    type: str

    @property
    def message(self) -> str:
        if medium := self._medium:
            return (
                f"`{self.field}` holds {medium} (`{self.type}`), which cannot be saved"
            )
        return f"`{self.field}` holds `{self.type}`, which savegen does not know how to save"

    @property
    def help(self) -> str:
        if self._medium:
            return (
                "choose one: remove the mark, and create the object again in a method marked\n"
                "`@on_activate`; or, if it never changes (such as a loaded picture), register it in the\n"
                "`assets` of your `SaveLoadManager` and mark it `Saved[Annotated[…, Asset()]]`"
            )
        return (
            "choose one: remove the mark, and create the object again in a method marked\n"
            "`@on_activate`; or, if it never changes (such as a loaded picture), register it in the\n"
            "`assets` of your `SaveLoadManager` and mark it `Saved[Annotated[…, Asset()]]`; or name a\n"
            "codec under `[tool.savegen.codecs]`"
        )

    @property
    def _medium(self) -> str | None:
        """What the type represents, such as "a sound", if it belongs to a game library."""
        if self.type.partition(".")[0] not in _LIBRARIES:
            return None
        return _MEDIA_OF_TYPE.get(self.type.rpartition(".")[2])


def set_of_references(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a set of saveable objects, because a load may change its order."""
    for field in (field for field in cls.fields if field.own):
        for path, kind in kinds_in(field, module) if field.kind.references else ():
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


def unhashable_key(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report elements of a set, or keys of a dict, that Python cannot hash."""
    for each in refused_types(cls, module, "unhashable"):
        yield UnhashableKey(each.span, each.path, each.text)


class UnhashableKey(Finding, frozen=True):
    code = "SG207"
    HELP = "use a hashable type there: a tuple, a frozen dataclass or a saveable class"

    field: str
    type: str

    @property
    def message(self) -> str:
        role = "elements" if self.type in ("set", "frozenset") else "keys"
        return f"the {role} of the `{self.type}` in `{self.field}` are not hashable"


def unknown_type(model: Model) -> Iterator[Finding]:
    """Report a type that savegen cannot resolve."""
    for module in model.modules.values():
        homes = _homes(model, module) if module.has_refused_type else {}
        for cls in module.classes:
            for each in refused_types(cls, module, "unknown"):
                text, close = each.text, "".join(each.kind.values[1:])
                elsewhere = _elsewhere(text.strip("`"), close, homes)
                yield UnknownType(each.span, each.path, text, close, *elsewhere)


def _homes(model: Model, module: SavedModule) -> Mapping[str, list[str]]:
    """Return the other modules that define a class or enum that can be saved, by its name."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for other in model.modules.values():
        names = [each.name for each in (*other.classes, *other.records)]
        names += [name for name, _ in other.enums]
        for home, _, name in {each.partition(":") for each in names}:
            if home != module.name and "." not in name and home not in modules[name]:
                modules[name].append(home)
    return {name: sorted(homes) for name, homes in modules.items() if homes}


def _elsewhere(
    name: str, close: str, homes: Mapping[str, list[str]]
) -> tuple[str, tuple[str, ...]]:
    """Return the class that a name probably means, and the other modules that define it."""
    if name not in homes and not close:
        name = similar(name, homes, 0.7)
    return (name, tuple(homes[name])) if name in homes else ("", ())


class UnknownType(Finding, frozen=True):
    code = "SG201"

    field: str
    type: str
    close: str  # a type with a similar name, or ""
    elsewhere: str = ""  # a class of another module with this name, or a similar one
    homes: tuple[str, ...] = ()  # the modules that define it

    @property
    def message(self) -> str:
        if not self.type:
            return f"`{self.field}` is marked, but has no type"
        return f"cannot resolve the type of `{self.field}`: {self.type}"

    @property
    def help(self) -> str:
        if not self.type:
            return "write the type in brackets, for example `Saved[int]`"
        if self.elsewhere:
            modules = " or ".join(f"`{home}`" for home in self.homes)
            if self.elsewhere == self.type.strip("`"):
                return f"import `{self.elsewhere}` from {modules}"
            return f"did you mean `{self.elsewhere}`? import it from {modules}"
        if self.close:
            return f"did you mean `{self.close}`?"
        if all(part.isidentifier() for part in self.type.strip("`").split(".")):
            return f"check that {self.type} is imported and that it is a type"
        return "write a type that can be read without running the code, such as `list[int]`"


def unmarked_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    """Report a field that holds a class of the project that is neither saveable nor plain data."""
    for each in refused_types(cls, module, "project"):
        yield UnmarkedClass(each.span, each.path, each.text)


class UnmarkedClass(Finding, frozen=True):
    code = "SG205"
    MESSAGE = "`{field}` holds `{_name}`, which is neither saveable nor plain data"
    HELP = (
        "if several objects share one `{_name}`, mark the class with `@saveable`;\n"
        "if each `{_name}` belongs to one field only, make the class a dataclass"
    )

    field: str
    type: str

    @property
    def _name(self) -> str:
        return self.type.rpartition(":")[2]

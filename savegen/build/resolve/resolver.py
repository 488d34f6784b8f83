"""Resolve the declarations of one module to its part of the model: classes and prefabs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from savegen.build.kinds import Kind, Type
from savegen.build.model import (
    Converter,
    Field,
    LeftOut,
    MarkedProperty,
    MarkFault,
    MarkWithoutEffect,
    Migration,
    RECORDS,
    PlainRecord,
    SavedClass,
    SavedModule,
    UnimportableFunction,
    SubclassWithoutMark,
    walk,
)
from savegen.build.resolve.arguments import Arguments, names
from savegen.build.resolve.classes import VALUE_BASES, ProjectClasses
from savegen.build.resolve.counters import unsaved_counters
from savegen.build.resolve.dependencies import Cache, Dependencies
from savegen.build.resolve.fields import (
    contradictions,
    duplicate_marks,
    fields_of,
    shared_containers,
    has_slots,
    is_former_name,
    marked_attributes,
)
from savegen.build.resolve.forgotten import ForgottenAttributes
from savegen.build.resolve.forgotten_in_plain import with_forgotten
from savegen.build.resolve.hierarchy import SAVEABLE, ClassHierarchy, is_member
from savegen.build.resolve.inherited import (
    prepared_by,
    properties_of,
    property_owner,
    unknown_bases,
)
from savegen.build.resolve.initial_values import InitialValues
from savegen.build.resolve.methods import (
    behavior_marks_of,
    behaviors_of,
    hooks_of,
    methods_of,
    is_recorder,
    named_behaviors,
    wrong_hooks_of,
)
from savegen.build.resolve.migrations import changes_in
from savegen.build.resolve.misplaced_marks import (
    misplaced_decorators,
    misplaced_marks,
    stray_marks,
    with_setter,
)
from savegen.build.resolve.names import ClassSymbol, NameResolver
from savegen.build.resolve.overrides import unhandled_fields
from savegen.build.resolve.pictures import unset_picture
from savegen.build.resolve.prefabs import PrefabReader
from savegen.build.resolve.settings import Settings
from savegen.build.resolve.standard_stand_ins import unsuitable_stand_in
from savegen.build.resolve.types import TypeResolver
from savegen.build.scan.declarations import Attribute, Class, Module
from savegen.findings import Span


class Resolver:
    """Resolves the modules of one project. It caches results that several modules need."""

    def __init__(
        self,
        read: Callable[[str], Module | None],
        settings: Settings = Settings(),
        with_subclasses_of: Callable[[str], Iterable[str]] = lambda simple_name: (),
    ) -> None:
        """`read` returns the declarations of a module, or `None` if it is not in the project.

        `with_subclasses_of` returns the modules that may define subclasses of a class.
        """
        self._dependencies = Dependencies()
        self._with_subclasses_of = with_subclasses_of
        self._settings = settings
        lookup = NameResolver(read, self._dependencies)
        types = TypeResolver(lookup, settings.types_module)
        self._hierarchy = ClassHierarchy(lookup, types, self._dependencies)
        self._prefabs = PrefabReader(self._hierarchy, settings)
        self._ancestors: frozenset[str] = frozenset()
        self._complete_records: Cache[PlainRecord, PlainRecord] = {}
        self._classes = self._classes_with(self._ancestors)

    def ancestors(self, module: Module) -> frozenset[str]:
        """Return the project classes that saveable classes of `module` inherit from.

        For a stand-in it also contains the name of the library's class, a space, and that of
        the stand-in.
        """
        ancestors: set[str] = set()
        for symbol in self._saveable_classes(module):
            bases = (s.name for s in self._hierarchy.declarations(symbol.name))
            # A stand-in is marked; whether it is a base depends on the whole project.
            ancestors.update(b for b in bases if not self._hierarchy.stands_for(b))
            ancestors.discard(symbol.name)
            names = self._hierarchy.stands_for(symbol.name)
            ancestors.update(f"{name} {symbol.name}" for name in names)
        self._dependencies.take()
        return frozenset(ancestors)

    def saveable_names(self, module: Module) -> tuple[str, ...]:
        """Return the simple names of the saveable classes of `module`."""
        names = [s.declaration.name for s in self._saveable_classes(module)]
        self._dependencies.take()
        return tuple(names)

    def value_bases(self) -> frozenset[str]:
        """Return the simple names of the types whose subclasses are kinds of their own."""
        names = (*VALUE_BASES, *self._settings.types_with_codecs())
        return frozenset(name.rpartition(".")[2] for name in names)

    def resolve(self, module: Module, ancestors: frozenset[str]) -> SavedModule:
        """Return the part of the model that a module declares.

        `ancestors` are the bases of all saveable classes of the project.
        """
        if ancestors != self._ancestors:
            self._ancestors = ancestors
            self._classes = self._classes_with(ancestors)
        saved = tuple(map(self._saved_class, self._saveable_classes(module)))
        kinds = {k for cls in saved for field in cls.fields for k in walk(field.kind)}
        kinds.update(self._value_subclasses(module))
        records = self._records(kinds)
        left_out = tuple(each for r in records for each in self._left_out(r))
        enums = self._enums(kinds)
        undeclared = self._undeclared(module, kinds) if saved else set()
        undeclared_kinds = tuple(sorted(undeclared, key=lambda kind: kind.name))
        undeclared_records = self._records(undeclared, with_findings=False)
        changes = list(changes_in(module, self._hierarchy))
        return SavedModule(
            module.name,
            module.path,
            saved,
            records,
            enums,
            tuple(place for name, _ in enums for place in self._enum_places(name)),
            any(kind.kind == "refused" for kind in kinds),
            (
                *self._marks_without_effect(module),
                *stray_marks(module, self._hierarchy),
            ),
            tuple(self._unmarked_subclasses(module)),
            left_out,
            undeclared_kinds,
            undeclared_records,
            self._enums(undeclared),
            prefabs=tuple(self._prefabs.declared_in(module)),
            unmarked_prefabs=tuple(self._prefabs.unmarked_in(module)),
            migrations=tuple(c for c in changes if isinstance(c, Migration)),
            converters=tuple(c for c in changes if isinstance(c, Converter)),
            unimportable=tuple(
                c for c in changes if isinstance(c, UnimportableFunction)
            ),
            function_faults=tuple(c for c in changes if isinstance(c, MarkFault)),
            misplaced_decorators=tuple(misplaced_decorators(module, self._hierarchy)),
            aliases=tuple(sorted(module.aliases)),
            # The last one, because all others add dependencies.
            dependencies=tuple(sorted(self._dependencies.take() - {module.name})),
        )

    def _classes_with(self, ancestors: frozenset[str]) -> ProjectClasses:
        return ProjectClasses(
            self._hierarchy,
            self._dependencies,
            ancestors,
            self._settings,
            self._with_subclasses_of,
        )

    def _saveable_classes(self, module: Module) -> Iterator[ClassSymbol]:
        for symbol in self._hierarchy.classes_in(module):
            names = [name for _, name in self._hierarchy.decorators(symbol)]
            if SAVEABLE in names or self._hierarchy.mixin_base(symbol.name):
                yield symbol

    def _rewinds(self, symbol: ClassSymbol, saveable_bases: list[str]) -> bool:
        """Return whether a rewind restores the objects of a class; an unmarked one is as its base."""
        names = [name for _, name in self._hierarchy.decorators(symbol)]
        marked = [symbol.name] if SAVEABLE in names else saveable_bases
        return not any(
            self._hierarchy.saveable_arguments(name).values.get("rewind") is False
            for name in marked
        )

    def _saved_class(self, symbol: ClassSymbol) -> SavedClass:
        hierarchy, declaration = self._hierarchy, symbol.declaration
        mixin = mixin_name(declaration.qualname)
        fields, faults, conflicts = fields_of(symbol.name, hierarchy, self._classes)
        arguments = hierarchy.saveable_arguments(symbol.name)
        mark_span = _span_of_mark(symbol, hierarchy)
        bases = hierarchy.bases(symbol.name)
        ancestors = [s.name for s in hierarchy.declarations(symbol.name)][1:]
        properties, read_only = properties_of(symbol.name, hierarchy, self._settings)
        marks = behavior_marks_of(symbol.name, hierarchy)
        forgotten = ForgottenAttributes(
            symbol.name, hierarchy, self._classes, self._settings, fields, properties
        )
        values = InitialValues(symbol.name, hierarchy, self._classes, forgotten)
        initial_values = tuple(values.shared_values())
        hooks = tuple(hooks_of(symbol.name, hierarchy))
        recorder = is_recorder(symbol.name, hierarchy)
        saveable = [a for a in ancestors if hierarchy.is_saveable(a)]
        override = bool(arguments.values.get("override"))
        misplaced = tuple(misplaced_marks(hierarchy, symbol))
        misplaced_at = {fault.span for fault in misplaced}  # errors already
        return SavedClass(
            name=symbol.name,
            span=declaration.span,
            mixin=mixin,
            fields=tuple(fields),
            bases=bases,
            mixin_position=self._mixin_index(symbol.module, mixin, bases),
            ancestors=tuple(ancestors),
            saveable_bases=tuple(saveable),
            subclasses=hierarchy.takes_subclasses(symbol.name),
            mixin_from_base=bool(hierarchy.mixin_base(symbol.name)),
            override=override,
            inherits_override=any(
                hierarchy.saveable_arguments(base).values.get("override")
                for base in saveable
            ),
            rewinds=self._rewinds(symbol, saveable),
            members=tuple(_members(declaration)),
            properties=tuple(properties),
            read_only=tuple(read_only),
            marked_properties=tuple(
                self._marked_properties(symbol, fields, properties)
            ),
            duplicate_marks=tuple(duplicate_marks(hierarchy, symbol)),
            contradictions=tuple(contradictions(hierarchy, symbol, self._classes)),
            prepared_by=tuple(prepared_by(symbol.name, hierarchy, self._settings)),
            unknown_bases=tuple(unknown_bases(symbol.name, hierarchy, self._settings)),
            of=hierarchy.stands_for(symbol.name),
            obstacle=hierarchy.obstacle(symbol.name),
            forgotten=tuple(
                each
                for each in forgotten.attributes({name for name, _ in initial_values})
                if each.span not in misplaced_at
            ),
            shared=tuple(forgotten.shared()),
            counters=tuple(unsaved_counters(symbol, hierarchy, fields)),
            transient=forgotten.transient,
            transient_attributes=tuple(forgotten.transient_names()),
            unknown_transient=tuple(forgotten.unknown_transient()),
            initial_values=initial_values,
            unset=(
                *values.unset(),
                *unset_picture(
                    symbol.name, hierarchy, self._settings, forgotten, values
                ),
            ),
            conflicting_fields=tuple(conflicts),
            shared_containers=tuple(shared_containers(symbol, fields)),
            slotted_bases=tuple(self._slotted_bases(symbol.name)),
            hooks=hooks,
            wrong_hooks=tuple(wrong_hooks_of(symbol.name, hooks, hierarchy, override)),
            behaviors=tuple(behaviors_of(marks)),
            methods=tuple(methods_of(symbol.name, hierarchy)),
            is_recorder=recorder,
            behavior_marks=tuple(marks),
            named_behaviors=tuple(
                named_behaviors(symbol, marks, hierarchy) if recorder else ()
            ),
            unhandled=tuple(unhandled_fields(symbol.name, hierarchy, fields, override)),
            guards_assignment=self._guards_assignment(symbol.name),
            local="<locals>" in declaration.qualname,
            doc=declaration.docstring,
            former_names=names(arguments.values.get("was", ())),
            faults=(
                *(MarkFault(mark_span, reason) for reason in arguments.faults),
                *_position_without_prefab(arguments, mark_span),
                *faults,
                *self._faults_of_stand_in(symbol, mark_span),
                *unsuitable_stand_in(
                    hierarchy.stands_for(symbol.name), fields, hooks, mark_span
                ),
                *misplaced,
            ),
        )

    def _mixin_index(
        self, module: Module, mixin: str, bases: tuple[str, ...]
    ) -> int | None:
        """Return the position of the mixin of a class among its bases, or `None`."""
        home = self._settings.mixins_module(module.path)
        former = self._settings.former_packages
        names = [base.removeprefix("?.").replace(":", ".") for base in bases]
        for index, name in enumerate(names):
            if "." not in name:  # perhaps from a star import
                homes = [star for star in module.star_imports if _is_of_mixins(star)]
                name = f"{homes[-1]}.{name}" if homes else name
            is_former = any(name.startswith(f"{package}.") for package in former)
            if not is_former and _is_mixin(name, f"{home}.{mixin}"):
                return index
        return None

    def _faults_of_stand_in(
        self, symbol: ClassSymbol, span: Span
    ) -> Iterator[MarkFault]:
        """Yield the faults in the mark of a stand-in."""
        values = self._hierarchy.saveable_arguments(symbol.name).values
        for name in names(values.get("of", ())):
            if cls := self._hierarchy.project_class(name):
                text = f"`{name}` is a class of the project"
                yield MarkFault(span, f"{text}: mark `{cls}` itself `@saveable`")
        for word in ("override", "prefab") if "of" in values else ():
            if values.get(word):
                yield MarkFault(span, f"a stand-in cannot be marked `{word}=True`")

    def _marked_properties(
        self, symbol: ClassSymbol, fields: list[Field], properties: list[str]
    ) -> Iterator[MarkedProperty]:
        """Yield the fields that are properties, but whose mark does not ask for the setter."""
        hierarchy = self._hierarchy
        for field in fields:
            if field.attribute in properties and not field.setter:
                owner = property_owner(
                    field.attribute, symbol.name, hierarchy, self._settings
                )
                annotation = with_setter(field.name, symbol.name, hierarchy)
                yield MarkedProperty(field.name, owner, annotation)

    def _guards_assignment(self, name: str) -> bool:
        """Return whether assigning an attribute may fail or run code.

        It may in frozen classes, attrs classes, structs, and classes with `__setattr__`.
        """
        for symbol in self._hierarchy.declarations(name):
            style, frozen = self._classes.style(symbol)
            if self._hierarchy.stands_for(symbol.name):
                return True  # the class of the library may do so
            if frozen or style in ("attrs", "struct"):
                return True
            if any(m.name == "__setattr__" for m in symbol.declaration.methods):
                return True
        return False

    def _slotted_bases(self, name: str) -> Iterator[str]:
        """Yield the unrelated bases with slots. Python allows only one."""
        slotted = [
            symbol.name
            for symbol in self._hierarchy.declarations(name)
            if symbol.name != name and has_slots(symbol.declaration)
        ]
        inherited = {b for base in slotted for b in self._hierarchy.mro(base)[1:]}
        yield from (base for base in slotted if base not in inherited)

    def _marks_without_effect(self, module: Module) -> Iterator[MarkWithoutEffect]:
        """Yield the marked fields of classes that are neither saveable nor bases of these."""
        for symbol in self._hierarchy.classes_in(module):
            name = symbol.name
            if self._hierarchy.is_saveable(name) or name in self._ancestors:
                continue
            is_plain = bool(self._classes.style(symbol)[0])
            for marked in marked_attributes(self._hierarchy, symbol):
                if is_plain and is_former_name(marked):
                    continue  # `Save(was=…)` has an effect in every plain class
                yield MarkWithoutEffect(
                    symbol.declaration.qualname,
                    marked.attribute.name,
                    marked.attribute.span,
                )

    def _unmarked_subclasses(self, module: Module) -> Iterator[SubclassWithoutMark]:
        """Yield the classes that inherit from a saveable one, and can have objects."""
        hierarchy = self._hierarchy
        for symbol in hierarchy.classes_in(module):
            name, declaration = symbol.name, symbol.declaration
            bases = [*hierarchy.declarations(name)][1:]
            saveable = [s for s in bases if hierarchy.is_saveable(s.name)]
            if not saveable or hierarchy.is_saveable(name):
                continue
            # The objects of a subclass of a library's class are saved as those of their base.
            base = saveable[0].name
            if hierarchy.stands_for(base) and hierarchy.takes_subclasses(base):
                continue
            if not hierarchy.is_abstract(name):
                yield SubclassWithoutMark(
                    declaration.qualname,
                    declaration.span,
                    tuple(base.name for base in bases),
                    saveable[0].declaration.qualname,
                )

    def _records(
        self, kinds: set[Kind], with_findings: bool = True
    ) -> tuple[PlainRecord, ...]:
        """Return the plain classes among the kinds and in their fields, sorted by name.

        Their subclasses are among them. Add the kinds of these fields to `kinds`.
        """
        records: dict[str, PlainRecord] = {}
        waiting = [*kinds]
        while waiting:
            kind = waiting.pop()
            kinds.add(kind)
            if kind.kind in RECORDS and kind.name not in records:
                record = self._classes.record(kind)
                record = self._with_forgotten(record) if with_findings else record
                records[kind.name] = record
                waiting += [k for _, part, _ in record.fields for k in walk(part)]
                waiting += self._classes.kinds_of_subclasses(record.name)
        return tuple(records[name] for name in sorted(records))

    def _undeclared(self, module: Module, declared: set[Kind]) -> set[Kind]:
        """Return the kinds of the enumerations and plain classes that no field names."""
        known = {kind.name for kind in declared}
        found: set[Kind] = set()
        for symbol in self._hierarchy.classes_in(module):
            name = symbol.name
            if name in known or "<locals>" in name or self._classes.is_saveable(name):
                continue
            if self._classes.is_enum(name):
                found.update(walk(self._classes.kind_of(Type(name))))
            elif plain := self._classes.plain_class(name):
                if not self._classes.unsavable_field(plain):
                    found.add(self._classes.kind_of_plain(plain))
        return {kind for kind in found if kind.kind in (*RECORDS, "enum")}

    def _value_subclasses(self, module: Module) -> Iterator[Kind]:
        """Yield the kinds of the subclasses of builtin and library classes in a module."""
        for symbol in self._hierarchy.classes_in(module):
            if self._classes.value_base(Type(symbol.name)):
                kind = self._classes.kind_of(Type(symbol.name))
                if kind.kind == "subclass":
                    yield kind

    def _with_forgotten(self, record: PlainRecord) -> PlainRecord:
        """Return a plain class with the attributes of its objects that are no fields."""
        if record.style == "typeddict":
            return record
        return self._dependencies.remember(
            self._complete_records,
            record,
            record,
            lambda: with_forgotten(
                record, self._hierarchy, self._classes, self._settings
            ),
        )

    def _left_out(self, record: PlainRecord) -> Iterator[LeftOut]:
        """Yield the subclasses of a plain class that have a field that cannot be saved."""
        for name in self._classes.subclasses(record.name):
            plain, symbol = self._classes.plain_class(
                name
            ), self._hierarchy.class_named(name)
            unsavable = self._classes.unsavable_field(plain) if plain else None
            if unsavable is not None and symbol is not None:
                declared, (field, kind) = symbol.declaration, unsavable
                type = "".join(kind.values[:1]).rpartition(":")[2]
                yield LeftOut(
                    declared.qualname, declared.span, record.qualname, field, type
                )

    def _enums(self, kinds: set[Kind]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the enumerations among the kinds, sorted by name, with their members."""
        names = {
            kind.name for kind in kinds if kind.kind == "enum" and ":" in kind.name
        }
        return tuple((name, self._enum_members(name)) for name in sorted(names))

    def _enum_members(self, name: str) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self._members_of_enum(name))

    def _enum_places(self, name: str) -> Iterator[tuple[str, Span]]:
        for symbol in [*self._hierarchy.declarations(name)][:1]:
            yield name, symbol.declaration.span
        for member in self._members_of_enum(name):
            yield f"{name}.{member.name}", member.span

    def _members_of_enum(self, name: str) -> Iterator[Attribute]:
        for symbol in self._hierarchy.declarations(name):
            yield from filter(is_member, symbol.declaration.attributes)


def mixin_name(qualname: str) -> str:
    """Return the name of the mixin of a class.

    >>> mixin_name("Goblin"), mixin_name("Cave.Goblin")
    ('GoblinSaveLoad', 'CaveGoblinSaveLoad')
    """
    return qualname.replace(".<locals>", "").replace(".", "") + "SaveLoad"


def _position_without_prefab(arguments: Arguments, span: Span) -> Iterator[MarkFault]:
    if "position" in arguments.values and not arguments.values.get("prefab"):
        yield MarkFault(
            span, "`position` needs `prefab=True`; for a `@prefab`, write it there"
        )


def _span_of_mark(symbol: ClassSymbol, hierarchy: ClassHierarchy) -> Span:
    """Return the span of `@saveable`, or of the class if it has no such decorator."""
    spans = symbol.declaration.decorator_spans
    for span, (_, name) in zip(spans, hierarchy.decorators(symbol), strict=True):
        if name == SAVEABLE:
            return span
    return symbol.declaration.span


def _members(declaration: Class) -> Iterator[tuple[str, Span]]:
    for method in declaration.methods:
        yield method.name, method.span
    for attribute in declaration.attributes:
        if attribute.method is None:
            yield attribute.name, attribute.span


def _is_of_mixins(module: str) -> bool:
    return "components" in module.split(".")


def _is_mixin(name: str, expected: str) -> bool:
    """Return whether a base is the expected mixin, and not one from another generated module.

    The game may import it under the name of another package around it, or from a module of its
    own that imports it from a file outside the sources.
    """
    module, _, simple = name.rpartition(".")
    if simple != expected.rpartition(".")[2] or not _is_of_mixins(module):
        return simple == expected.rpartition(".")[2]
    inside = expected.partition(".components.")[2]
    return name == expected or name.partition(".components.")[2] == inside

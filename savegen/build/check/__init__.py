"""The checks: each rule yields findings, and never stops the others.

A rule is a function; its finding, with the words, stands below it. The name of a rule is the name of its
case in the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from savegen.build.check import behaviors, classes, fields, migrations, prefabs, types
from savegen.build.check.forgotten_state import forgotten_state
from savegen.build.model import Model, Prefab, SavedClass, SavedModule
from savegen.findings import Finding

IN_MODULE: tuple[Callable[[SavedModule], Iterator[Finding]], ...] = (
    classes.unimportable_module,
    migrations.unreachable_function,
    migrations.unread_function,
    fields.unsaved_mark,
)

IN_CLASS: tuple[Callable[[SavedClass, SavedModule], Iterator[Finding]], ...] = (
    types.abstract_container,
    types.alike_members,
    types.any_type,
    classes.asset_in_override,
    types.bare_container,
    classes.bases_differ,
    behaviors.behavior_twice,
    types.callable_field,
    fields.exposed_twice,
    types.foreign_type,
    forgotten_state,
    fields.idle_transient,
    classes.local_class,
    classes.marked_twice,
    classes.missing_mixin,
    behaviors.missing_recorder,
    classes.mixin_not_first,
    fields.mutable_default,
    fields.named_twice,
    classes.override_field,
    classes.override_without_methods,
    fields.property_field,
    classes.reserved_name,
    fields.saved_in_method,
    types.set_of_references,
    classes.slots_conflict,
    types.unhashable_key,
    classes.unknown_base,
    types.unmarked_class,
    classes.unnumbered_class,
    behaviors.unpaired_behavior,
    behaviors.unread_behavior,
    fields.unread_default,
    fields.unread_mark,
    classes.unsuitable_class,
    classes.was_still_there,
)

IN_PROJECT: tuple[Callable[[Model], Iterator[Finding]], ...] = (
    classes.classes_alike,
    migrations.converter_without_field,
    migrations.converters_alike,
    migrations.migration_beyond,
    migrations.migration_gap,
    migrations.migrations_alike,
    fields.missing_after_load,
    types.unknown_type,
)

IN_PREFAB: tuple[Callable[[Prefab, Model], Iterator[Finding]], ...] = (
    prefabs.bare_component,
    prefabs.local_prefab,
    prefabs.parameter_twice,
    prefabs.unknown_setting,
    prefabs.unread_prefab,
)

IN_PREFABS: tuple[Callable[[Model], Iterator[Finding]], ...] = (
    prefabs.prefabs_alike,
    prefabs.unmarked_prefab,
    prefabs.unwritable_parameter,
)

RULES = (*IN_MODULE, *IN_CLASS, *IN_PROJECT, *IN_PREFAB, *IN_PREFABS)


def check_module(module: SavedModule) -> Iterator[Finding]:
    """Yield the findings of one module on its own."""
    # In full names a colon stands between module and class, so a module cannot have one.
    if ":" in module.name:
        yield from classes.unimportable_module(module)
        return
    for rule in IN_MODULE:
        yield from rule(module)
    for check in IN_CLASS:
        for cls in module.classes:
            yield from check(cls, module)


def check_prefabs(model: Model) -> Iterator[Finding]:
    """Yield the findings about prefabs, which belong to pass 2."""
    for rule in IN_PREFAB:
        for prefab in model.prefabs:
            yield from rule(prefab, model)
    for check in IN_PREFABS:
        yield from check(model)


def check_project(model: Model) -> Iterator[Finding]:
    """Yield the findings that concern several modules."""
    for rule in IN_PROJECT:
        yield from rule(model)

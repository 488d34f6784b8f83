"""The checks, one module per rule: each yields findings and never stops the others."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from savegen.check import (
    abstract_container,
    alike_members,
    any_type,
    asset_in_override,
    bare_component,
    bare_container,
    bases_differ,
    behavior_twice,
    callable_field,
    classes_alike,
    converter_without_field,
    converters_alike,
    exposed_twice,
    foreign_type,
    forgotten_state,
    idle_transient,
    local_class,
    local_prefab,
    marked_twice,
    migration_beyond,
    migration_gap,
    migrations_alike,
    missing_after_load,
    missing_mixin,
    missing_recorder,
    mixin_not_first,
    mutable_default,
    named_twice,
    override_field,
    override_without_methods,
    parameter_twice,
    prefabs_alike,
    property_field,
    reserved_name,
    saved_in_method,
    set_of_references,
    slots_conflict,
    unhashable_key,
    unimportable_module,
    unknown_base,
    unknown_setting,
    unknown_type,
    unmarked_class,
    unmarked_prefab,
    unnumbered_class,
    unpaired_behavior,
    unreachable_function,
    unread_behavior,
    unread_default,
    unread_function,
    unread_mark,
    unread_prefab,
    unsaved_mark,
    unsuitable_class,
    unwritable_parameter,
    was_still_there,
)
from savegen.model import Model, SavedModule
from savegen.report import Finding

RULES: tuple[ModuleType, ...] = (
    abstract_container,
    alike_members,
    any_type,
    asset_in_override,
    bare_component,
    bare_container,
    bases_differ,
    behavior_twice,
    callable_field,
    classes_alike,
    converter_without_field,
    converters_alike,
    exposed_twice,
    foreign_type,
    forgotten_state,
    idle_transient,
    local_class,
    local_prefab,
    marked_twice,
    migration_beyond,
    migration_gap,
    migrations_alike,
    missing_after_load,
    missing_mixin,
    missing_recorder,
    mixin_not_first,
    mutable_default,
    named_twice,
    override_field,
    override_without_methods,
    parameter_twice,
    prefabs_alike,
    property_field,
    reserved_name,
    saved_in_method,
    set_of_references,
    slots_conflict,
    unhashable_key,
    unimportable_module,
    unknown_base,
    unknown_setting,
    unknown_type,
    unmarked_class,
    unmarked_prefab,
    unnumbered_class,
    unpaired_behavior,
    unreachable_function,
    unread_behavior,
    unread_default,
    unread_function,
    unread_mark,
    unread_prefab,
    unsaved_mark,
    unsuitable_class,
    unwritable_parameter,
    was_still_there,
)


def check_module(module: SavedModule) -> Iterator[Finding]:
    """Yield the findings of one module on its own."""
    # In full names a colon stands between module and class, so a module cannot have one.
    if ":" in module.name:
        yield from unimportable_module.in_module(module)
        return
    for rule in RULES:
        if hasattr(rule, "in_module"):
            yield from rule.in_module(module)
        if hasattr(rule, "in_class"):
            for cls in module.classes:
                yield from rule.in_class(cls, module)


def check_prefabs(model: Model) -> Iterator[Finding]:
    """Yield the findings about prefabs, which belong to pass 2."""
    for rule in RULES:
        if hasattr(rule, "in_prefab"):
            for prefab in model.prefabs:
                yield from rule.in_prefab(prefab, model)
        if hasattr(rule, "in_prefabs"):
            yield from rule.in_prefabs(model)


def check_project(model: Model) -> Iterator[Finding]:
    """Yield the findings that concern several modules."""
    for rule in RULES:
        if hasattr(rule, "in_project"):
            yield from rule.in_project(model)

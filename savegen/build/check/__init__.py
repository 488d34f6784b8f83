"""The rules that check a game's declarations. Each rule is a function that yields findings.

The finding class, with its texts, follows the rule. The test case in `tests/corpus` has the name
of the rule. `types.refused_type` reports one finding for each reason to refuse a type: the table
`REFUSED` has them, and their test cases have the names of the findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from savegen.build.check import (
    behaviors,
    classes,
    fields,
    migrations,
    prefabs,
    rewinding,
    types,
)
from savegen.build.check.forgotten_state import (
    forgotten_in_plain,
    forgotten_in_subclass,
    forgotten_state,
)
from savegen.build.check.hooks import wrong_hook
from savegen.build.model import Model, PrefabClass, SavedClass, SavedModule
from savegen.findings import Finding

IN_MODULE: tuple[Callable[[SavedModule], Iterator[Finding]], ...] = (
    classes.unimportable_module,
    migrations.unreachable_function,
    migrations.unreadable_function,
    forgotten_in_plain,
    fields.misplaced_decorator,
    fields.unsaved_mark,
)

IN_CLASS: tuple[Callable[[SavedClass, SavedModule], Iterator[Finding]], ...] = (
    classes.asset_in_override,
    classes.conflicting_bases,
    classes.contradicting_annotation,
    behaviors.duplicate_behavior,
    classes.duplicate_field,
    fields.exposed_name_clash,
    fields.field_name_clash,
    forgotten_state,
    classes.former_name_in_use,
    classes.local_class,
    classes.missing_mixin,
    behaviors.missing_recorder,
    classes.mixin_not_first,
    fields.mutable_default,
    classes.override_field,
    classes.override_without_methods,
    fields.property_field,
    classes.reserved_name,
    fields.saved_in_method,
    fields.shared_container,
    types.refused_type,
    types.set_of_references,
    classes.slots_conflict,
    classes.unhandled_field,
    classes.unknown_base,
    fields.unknown_transient,
    behaviors.unpaired_behavior,
    behaviors.unreadable_behavior,
    fields.unreadable_default,
    fields.unreadable_mark,
    fields.unrestored_factory,
    classes.unsuitable_class,
    wrong_hook,
)

IN_PROJECT: tuple[Callable[[Model], Iterator[Finding]], ...] = (
    classes.class_name_clash,
    classes.class_without_objects,
    migrations.converter_without_field,
    migrations.duplicate_converter,
    migrations.duplicate_migration,
    classes.duplicate_stand_in,
    migrations.migration_beyond_version,
    migrations.migration_gap,
    forgotten_in_subclass,
    types.left_out,
    fields.missing_after_load,
    rewinding.mixed_rewinding,
    types.recursive_class,
    rewinding.required_rewound,
    types.unknown_type,
    types.unmarked_subclass,
)

IN_PREFAB: tuple[Callable[[PrefabClass, Model], Iterator[Finding]], ...] = (
    prefabs.bare_component,
    prefabs.local_prefab,
    prefabs.parameter_name_clash,
    prefabs.static_reference,
    prefabs.unknown_position,
    prefabs.unknown_setting,
    prefabs.unreadable_prefab,
    prefabs.unsuitable_position,
    rewinding.unrewound_part,
)

IN_PREFABS: tuple[Callable[[Model], Iterator[Finding]], ...] = (
    prefabs.prefab_name_clash,
    prefabs.unmarked_prefab,
    prefabs.unwritable_parameter,
)

RULES = (*IN_MODULE, *IN_CLASS, *IN_PROJECT, *IN_PREFAB, *IN_PREFABS)


def check_module(module: SavedModule) -> Iterator[Finding]:
    """Yield the findings that need no other module."""
    # Full names separate module and class by a colon, so the module must not contain one.
    if ":" in module.name:
        yield from classes.unimportable_module(module)
        return
    for rule in IN_MODULE:
        yield from rule(module)
    for class_rule in IN_CLASS:
        for cls in module.classes:
            yield from class_rule(cls, module)


def check_prefabs(model: Model) -> Iterator[Finding]:
    """Yield the findings about prefabs, for pass 2."""
    for rule in IN_PREFAB:
        for prefab in model.prefabs:
            yield from rule(prefab, model)
    for project_rule in IN_PREFABS:
        yield from project_rule(model)


def check_project(model: Model) -> Iterator[Finding]:
    """Yield the findings that need the whole project."""
    for rule in IN_PROJECT:
        yield from rule(model)

"""Bringing an old save to today's version, by the game's own migrations."""

from __future__ import annotations

from savegen.runtime.errors import SaveApplyError, SaveError, SaveVersionError, told
from savegen.runtime.named import imported
from savegen.runtime.registry import Registry
from savegen.runtime.saves.document import Document
from savegen.runtime.saves.older.raw import RawSave


def migrate(
    document: Document, registry: Registry, *, read_only: bool = False
) -> Document:
    """Return a save as today's game has it; the one given is never changed.

    A save of a newer version is returned as it is if it is to be `read_only`. Raises
    `SaveVersionError` for one otherwise, and where a migration is missing on the way; and
    `SaveApplyError` that names a migration that fails.

    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> migrate(Document([], save_version=9), Registry(FORMAT, (), save_version=7))
    Traceback (most recent call last):
    savegen.runtime.errors.SaveVersionError: the save is of version 9, the game reads up to 7: update the game, or open the save read-only
    """
    then, now = document.save_version, registry.save_version
    if then == now or then > now and read_only:
        return document
    if then > now:
        raise SaveVersionError(
            f"the save is of version {then}, the game reads up to {now}: update the game, or"
            " open the save read-only"
        )
    functions = dict(registry.migrations)
    save = RawSave(document, registry)
    for version in range(then + 1, now + 1):
        if version not in functions:
            raise SaveVersionError(
                f"the save is of version {then}, the game of version {now}, and there is no"
                f" `@migration(to={version})` on the way"
            )
        _run(functions[version], save)
        save.version = version
    return save.document()


def _run(name: str, save: RawSave) -> None:
    try:
        imported(name)(save)
    except SaveError as error:
        error.add_note(f"in the migration `{name}`")
        raise
    except Exception as error:
        text = f"the migration `{name}` raised {told(error)}"
        raise SaveApplyError(text) from error

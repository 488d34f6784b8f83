"""The errors that saving and loading raise."""

from collections.abc import Iterable
from typing import Any


class SaveError(Exception):
    """A save or a load failed. The message says what happened, where, and what to do.

    >>> from savegen.runtime import NO_REFERENCES
    >>> try:
    ...     NO_REFERENCES.key_of(12)
    ... except SaveError as error:
    ...     print(str(error).partition(";")[0])
    a reference to an int cannot be saved without a manager
    """


class SaveCorruptError(SaveError):
    """The save is damaged, or savegen did not write it.

    `offset` is the position in the file, in bytes, or `None` if no single position is at fault.

    >>> from savegen.runtime.world.slots import SlotIndices, SlotMap
    >>> try:
    ...     SlotMap().restore(SlotIndices((1,), (0,), ()), [])
    ... except SaveCorruptError as error:
    ...     print(error)
    inconsistent slots: there are 0 values for 1 places
    """

    def __init__(self, what: str, offset: int | None = None) -> None:
        super().__init__(what if offset is None else f"{what} (at byte {offset})")
        self.what = what
        self.offset = offset


class SaveLimitError(SaveError):
    """A save exceeds a limit for loading, such as its size. Nothing of it was loaded.

    >>> str(SaveLimitError("the number of tables", 10_000, 70_000))
    'the number of tables is 70,000; at most 10,000 are allowed'
    """

    def __init__(self, limit: str, most: int, got: int) -> None:
        super().__init__(f"{limit} is {got:,}; at most {most:,} are allowed")
        self.limit = limit
        self.most = most
        self.got = got


class SaveVersionError(SaveError):
    """A save of another version cannot be read. The message says what to do.

    >>> str(SaveVersionError("the save is of version 9, the game reads up to 7: update it"))
    'the save is of version 9, the game reads up to 7: update it'
    """


class SaveWriteError(SaveError):
    """A step of writing a save failed. Unless `committed`, earlier saves are unchanged.

    `stage` is the step that failed, and `errno` the error number of the system. If `committed` is
    true, the new save was written, and a later step failed, such as the removal of old saves.

    >>> full = SaveWriteError(28, "writing slot-1/4.sav", False, "No space left on device")
    >>> str(full)
    'writing slot-1/4.sav failed: No space left on device'
    """

    def __init__(self, errno: int, stage: str, committed: bool, reason: str) -> None:
        saved = "; the new save was written" if committed else ""
        super().__init__(f"{stage} failed: {reason}{saved}")
        self.errno = errno
        self.stage = stage
        self.committed = committed
        self.reason = reason


class SlotBusyError(SaveError):
    """Another process, or another thread, is writing this slot.

    >>> str(SlotBusyError("slot-1 is being written by another process"))
    'slot-1 is being written by another process'
    """


class NoSuchSave(SaveError):
    """No save has that name.

    >>> str(NoSuchSave("saves contains no save called slot-9"))
    'saves contains no save called slot-9'
    """


class SaveApplyError(SaveError):
    """A snapshot could not be applied. The world is unchanged.

    >>> from savegen.runtime import SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> manager, other = (SaveLoadManager(Registry(FORMAT, ())) for _ in range(2))
    >>> try:
    ...     manager.apply_snapshot(other.create_snapshot())
    ... except SaveApplyError as error:
    ...     print(error)
    the snapshot was taken by another manager: use `merge` to add copies of its objects
    """


class ExhaustedError(SaveError):
    """Code of the game ran out of memory or of nested calls while it was packing a value.

    It says nothing about the value, so the value does not count as lost: the save fails.

    >>> str(exhausted("`Hero.hp`", RecursionError("maximum recursion depth exceeded")))
    '`Hero.hp` raised RecursionError: maximum recursion depth exceeded; nothing was saved'
    """


EXHAUSTED = (MemoryError, RecursionError)
"""The errors after which the same step may succeed, with more memory or fewer nested calls."""


def exhausted(where: str, error: BaseException) -> ExhaustedError:
    """Return the error to raise in place of one of `EXHAUSTED`."""
    return ExhaustedError(f"{where} raised {describe_error(error)}; nothing was saved")


def too_many_calls() -> SaveError:
    """Return the error to raise in place of a `RecursionError` of savegen's own code."""
    return SaveError(
        "the save needs more nested calls than Python's recursion limit allows; save outside"
        " of deep recursion"
    )


class LevelError(SaveError):
    """A level could not be loaded. Nothing of it is in the world.

    `findings` lists all errors in the level. Each has a `code`, a `message`, a `span` with the path
    of the file and the line, and perhaps a `help`.

    >>> error = LevelError("levels/cavern: 1 error", ())
    >>> str(error), error.findings
    ('levels/cavern: 1 error', ())
    """

    def __init__(self, message: str, findings: Iterable[Any]) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class StaleKeyError(SaveError, KeyError):
    """The value of a key was removed.

    >>> from savegen.runtime import SlotKey, SlotMap
    >>> SlotMap()[SlotKey(0, 1)]
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.StaleKeyError: SlotKey(index=0, generation=1) is stale: its value was removed
    """

    __str__ = Exception.__str__  # a KeyError would show the text as a repr


def with_article(name: str) -> str:
    """Return a noun with its indefinite article.

    >>> with_article("Goblin"), with_article("Orc")
    ('a Goblin', 'an Orc')
    """
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def wrong_argument(name: str, wanted: str, value: object) -> SaveError:
    """Return the error for an argument of a wrong type.

    >>> str(wrong_argument("snapshot", "a `Snapshot`", b""))
    '`snapshot` must be a `Snapshot`, not a bytes'
    >>> str(wrong_argument("cls", "a class", int))
    '`cls` must be a class, not the class `int`'
    """
    actual = with_article(type(value).__qualname__)
    if isinstance(value, type):
        actual = f"the class `{value.__qualname__}`"
    elif value is None:
        actual = "None"
    elif isinstance(value, str):
        actual = f"the text {value!r:.60}"
    return SaveError(f"`{name}` must be {wanted}, not {actual}")


def check_object(name: str, value: object) -> None:
    """Raise `SaveError` if an argument is `None`, or a class instead of an object of it."""
    if value is None:
        raise wrong_argument(name, "an object", value)
    if isinstance(value, type):
        raise wrong_argument(name, f"an object, such as `{value.__name__}()`", value)


def check_argument(name: str, value: object, types: Any, wanted: str) -> None:
    """Raise `SaveError` for an argument of another type than `types`; a bool is no number."""
    if not isinstance(value, types) or isinstance(value, bool):
        raise wrong_argument(name, wanted, value)


def check_text(what: str, text: str) -> None:
    """Raise `SaveError` for a text that no save can hold, which would fail long after.

    >>> check_text("the name of a state", "score \\ud800")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveError: the name of a state must be Unicode text, not 'score \\ud800'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SaveError(f"{what} must be Unicode text, not {text!a}") from None


def describe_error(error: BaseException) -> str:
    """Return the type and the message of an exception that code of the game raised.

    >>> describe_error(ValueError("not this one")), describe_error(MemoryError())
    ('ValueError: not this one', 'MemoryError')
    """
    message = str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def reason(error: BaseException) -> str:
    """Return why a step failed: the message of a `SaveError`, or `describe_error`.

    >>> reason(SaveError("the slot is empty")), reason(KeyError("hp"))
    ('the slot is empty', "KeyError: 'hp'")
    """
    return str(error) if isinstance(error, SaveError) else describe_error(error)


_MAX_NAMES = 12  # in a message


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the text for an unknown name: the most similar name, or all valid names.

    The comparison ignores case.

    >>> nearest("misile", ["missile", "hp"]), nearest("x", ["missile", "HP"])
    ("'misile'; did you mean 'missile'?", "'x'; available: 'missile', 'HP'")
    >>> nearest("hp", ["missile", "HP"])
    "'hp'; did you mean 'HP'?"
    """
    # Imported here because most games never need it.
    from difflib import get_close_matches

    valid = [*names]
    if not valid:
        return f"{name!r}; none are defined"
    by_casefold = {each.casefold(): each for each in reversed(valid)}
    for match in get_close_matches(name.casefold(), by_casefold, 1):
        return f"{name!r}; did you mean {by_casefold[match]!r}?"
    listed = ", ".join(map(repr, valid[:_MAX_NAMES]))
    more = f" and {len(valid) - _MAX_NAMES} more" if len(valid) > _MAX_NAMES else ""
    return f"{name!r}; available: {listed}{more}"

"""What can go wrong while a game saves or loads."""

from collections.abc import Iterable
from typing import Any


class SaveError(Exception):
    """A save or a load that cannot be done: what, where, and what was kept.

    >>> from savegen.runtime import NO_REFERENCES
    >>> try:
    ...     NO_REFERENCES.key_of(12)
    ... except SaveError as error:
    ...     print(str(error).partition(";")[0])
    a reference to an int needs something that knows its key
    """


class SaveCorruptError(SaveError):
    """What was saved contradicts itself: it was damaged, or never written by savegen.

    `offset` is the place in the file, in bytes, where that shows; `None` if it has none.

    >>> from savegen.runtime.slots import SlotIndices, SlotMap
    >>> try:
    ...     SlotMap().restore(SlotIndices((1,), (0,), ()), [])
    ... except SaveCorruptError as error:
    ...     print(error)
    the slots contradict themselves: there are 0 values for 1 places
    """

    def __init__(self, what: str, offset: int | None = None) -> None:
        super().__init__(what if offset is None else f"{what} (at byte {offset})")
        self.what = what
        self.offset = offset


class SaveLimitError(SaveError):
    """A save is larger, longer or deeper than a load allows; nothing was made of it.

    >>> str(SaveLimitError("the number of tables", 10_000, 70_000))
    'the number of tables is 70,000; at most 10,000 are allowed'
    """

    def __init__(self, limit: str, most: int, got: int) -> None:
        super().__init__(f"{limit} is {got:,}; at most {most:,} are allowed")
        self.limit = limit
        self.most = most
        self.got = got


class SaveVersionError(SaveError):
    """A save of another version that cannot be read as it is; its words name the way out.

    >>> raise SaveVersionError("the save is of version 9, the game reads up to 7: update it")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveVersionError: the save is of version 9, the game reads up to 7: update it
    """


class SaveWriteError(SaveError):
    """The disk would not do it. What was saved before is as it was.

    `stage` is what was tried, `errno` what the system answered. `committed` tells whether the
    new save is there all the same: only something after it, old saves to be removed say, failed.

    >>> full = SaveWriteError(28, "writing slot-1/4.sav", False, "No space left on device")
    >>> str(full)
    'writing slot-1/4.sav failed: No space left on device'
    """

    def __init__(self, errno: int, stage: str, committed: bool, reason: str) -> None:
        saved = "; the save itself is there" if committed else ""
        super().__init__(f"{stage} failed: {reason}{saved}")
        self.errno = errno
        self.stage = stage
        self.committed = committed
        self.reason = reason


class SlotBusyError(SaveError):
    """Another process, or another thread, is writing this slot.

    >>> raise SlotBusyError("slot-1 is being written by somebody else")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SlotBusyError: slot-1 is being written by somebody else
    """


class NoSuchSave(SaveError):
    """There is no save of that name.

    >>> raise NoSuchSave("no save called 'slot-9' in saves")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.NoSuchSave: no save called 'slot-9' in saves
    """


class SaveApplyError(SaveError):
    """A snapshot that could not be applied; the world is as it was before.

    >>> from savegen.runtime import SaveLoadManager
    >>> from savegen.runtime.registry import FORMAT, Registry
    >>> manager, other = (SaveLoadManager(Registry(FORMAT, ())) for _ in range(2))
    >>> try:
    ...     manager.apply_snapshot(other.create_snapshot())
    ... except SaveApplyError as error:
    ...     print(error)
    the snapshot is of another manager: use `merge`
    """


class LevelError(SaveError):
    """A level that cannot be loaded; nothing of it is in the world.

    `findings` are all its faults: each has a `code`, a `message`, and a `span` with the file's
    path and the line, and maybe a `help`.

    >>> error = LevelError("levels/cavern: 1 error", ())
    >>> str(error), error.findings
    ('levels/cavern: 1 error', ())
    """

    def __init__(self, what: str, findings: Iterable[Any]) -> None:
        super().__init__(what)
        self.findings = tuple(findings)


class StaleKeyError(SaveError, KeyError):
    """A key whose value is gone.

    >>> from savegen.runtime import SlotKey, SlotMap
    >>> SlotMap()[SlotKey(0, 1)]
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.StaleKeyError: SlotKey(index=0, generation=1) is stale: its value was removed
    """

    __str__ = Exception.__str__  # a KeyError would show the text as a repr


def a(name: str) -> str:
    """Return the name of a thing behind its article.

    >>> a("Goblin"), a("Orc")
    ('a Goblin', 'an Orc')
    """
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"


def told(error: BaseException) -> str:
    """Return what an error of the game's says, behind its kind.

    >>> told(ValueError("not this one"))
    'ValueError: not this one'
    """
    return f"{type(error).__name__}: {error}"


def reason(error: BaseException) -> str:
    """Return why a step failed: what savegen's own errors say, and `told` of others.

    >>> reason(SaveError("there is no such slot")), reason(KeyError("hp"))
    ('there is no such slot', "KeyError: 'hp'")
    """
    return str(error) if isinstance(error, SaveError) else told(error)


_MOST = 12  # names that a message lists


def nearest(name: str, names: Iterable[str]) -> str:
    """Return an unknown name with the nearest known one, or with all known names.

    The comparison ignores case.

    >>> nearest("misile", ["missile", "hp"]), nearest("x", ["missile", "HP"])
    ("'misile'; did you mean 'missile'?", "'x'; available: 'missile', 'HP'")
    >>> nearest("hp", ["missile", "HP"])
    "'hp'; did you mean 'HP'?"
    """
    from difflib import get_close_matches  # only now: most games never need it

    known = [*names]
    folded = {each.casefold(): each for each in reversed(known)}
    for close in get_close_matches(name.casefold(), folded, 1):
        return f"{name!r}; did you mean {folded[close]!r}?"
    found = ", ".join(map(repr, known[:_MOST]))
    more = f" and {len(known) - _MOST} more" if len(known) > _MOST else ""
    return (
        f"{name!r}; available: {found}{more}"
        if found
        else f"{name!r}; none are defined"
    )

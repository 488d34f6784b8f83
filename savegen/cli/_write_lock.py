"""The lock that lets only one command write at a time."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from savegen import disk

if TYPE_CHECKING:
    from savegen.cli._session import Session


@contextmanager
def write_lock(
    verb: str, session: Session, again: Callable[[], Session]
) -> Iterator[Session]:
    """Hold the project's write lock for the command `verb`, and yield a current session.

    After waiting for another run, yield a new session from `again`. If the folder is
    read-only, `session.refused` has the error. Raises `Busy` if the other run does not end.
    """
    lock = disk.BuildLock(session.config.root, f"savegen {verb}")
    with ExitStack() as held:
        refused = _hold(held, lock)
        session = again() if lock.waited else session
        session.refused = refused
        yield session


def _hold(held: ExitStack, lock: disk.BuildLock) -> OSError | None:
    try:
        held.enter_context(lock)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        return error
    return None

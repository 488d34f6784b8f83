"""One writer at a time: a session that nobody else has outdated."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from savegen import disk

if TYPE_CHECKING:
    from savegen.cli._session import Session


@contextmanager
def alone(
    verb: str, session: Session, again: Callable[[], Session]
) -> Iterator[Session]:
    """Hold the lock of a project while `verb` writes; what a session saw is made true.

    If another run had to be waited for, the session is one that was begun `again`. It may be
    `refused` to write. Raises `Busy` if the other run does not end.
    """
    lock = disk.Lock(session.config.root, f"savegen {verb}")
    with ExitStack() as held:
        refused = _hold(held, lock)
        session = again() if lock.waited else session
        session.refused = refused
        yield session


def _hold(held: ExitStack, lock: disk.Lock) -> OSError | None:
    try:
        held.enter_context(lock)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        return error
    return None

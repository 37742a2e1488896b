"""One turn at a time on a thread: in this process in the order of asking, across processes by a lock file."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from ninefold.adapters.sqlite_files import private_folder
from ninefold.state import StorageError, ThreadBusy

FIRST_WAIT = 0.002
LONGEST_WAIT = 0.05
"""Seconds between two tries: waiting is polling, because a parked worker thread could be the one the holder needs."""


class Lock(Protocol):
    """A lock outside this process, for one key."""

    def try_acquire(self) -> bool:
        """Take it now, or give False."""
        ...

    def release(self) -> None:
        """Let it go; any thread of the process may do so."""


LockFactory = Callable[[str], Lock]
"""Gives the outer lock of a key: a file, or an advisory lock of a database."""


class FileLocks:
    """Lock files in a folder, named by hash, so that no thread id can name a path.

    Args:
        folder: made with mode 0700 where it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, key: str) -> Lock:
        """Give the lock of a key."""
        private_folder(self._folder)
        return _Flock(self._folder / lock_name(key))


def lock_name(key: str) -> str:
    """Give the name of a key's lock file; it tells nothing of the thread."""
    return f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.lock"


class _Flock:
    def __init__(self, path: Path) -> None:
        self._lock = FileLock(path, timeout=0, mode=0o600, thread_local=False)

    def try_acquire(self) -> bool:
        try:
            self._lock.acquire()
        except Timeout:
            return False
        except OSError as error:
            raise StorageError(
                f"The lock file {self._lock.lock_file} cannot be written: {error.strerror}.",
                "Look at the data folder's permissions, or choose another with NINEFOLD_HOME.",
            ) from error
        return True

    def release(self) -> None:
        self._lock.release()


class _Nothing:
    def try_acquire(self) -> bool:
        return True

    def release(self) -> None:
        return None


def no_outer_lock(_key: str) -> Lock:
    """Give a lock that is always free: for a saver that lives in this process alone."""
    return _Nothing()


_queues: dict[str, deque[object]] = defaultdict(deque)
_guard = threading.Lock()


class _Place:
    """A place in a key's queue; it holds the key when it is first and the outer lock is taken."""

    def __init__(self, key: str, outer: Lock) -> None:
        self._key = key
        self._outer = outer
        self._taken = False
        with _guard:
            _queues[key].append(self)

    def try_acquire(self) -> bool:
        with _guard:
            first = _queues[self._key][0] is self
        if first and not self._taken:
            self._taken = self._outer.try_acquire()
        return self._taken

    def leave(self) -> None:
        try:
            if self._taken:
                self._outer.release()
        finally:
            with _guard:
                _queues[self._key].remove(self)
                if not _queues[self._key]:
                    del _queues[self._key]


@contextmanager
def hold(place: str, key: str, outer: LockFactory, timeout: float) -> Iterator[None]:
    """Hold a thread while the block runs; `place` tells one database's threads from another's.

    Raises:
        ThreadBusy: it did not become free within `timeout` seconds.
    """
    own = _Place(f"{place}\0{key}", outer(key))
    try:
        for wait in _waits(timeout, key):
            if own.try_acquire():
                break
            time.sleep(wait)
        yield
    finally:
        own.leave()


@asynccontextmanager
async def ahold(place: str, key: str, outer: LockFactory, timeout: float) -> AsyncIterator[None]:
    """Hold a thread while the block runs, waiting without blocking the event loop.

    Raises:
        ThreadBusy: it did not become free within `timeout` seconds.
    """
    own = _Place(f"{place}\0{key}", outer(key))
    try:
        for wait in _waits(timeout, key):
            if own.try_acquire():
                break
            await asyncio.sleep(wait)
        yield
    finally:
        own.leave()


def _waits(timeout: float, key: str) -> Iterator[float]:
    """Give the pauses between two tries until the time is over."""
    end = time.monotonic() + timeout
    wait = FIRST_WAIT
    while True:
        yield wait
        if time.monotonic() >= end:
            raise busy(key, f"for {timeout:g} s")
        wait = min(wait * 2, LONGEST_WAIT)


def busy(key: str, how_long: str) -> ThreadBusy:
    """Give the error of a thread that another turn holds."""
    thread = key.split("\0")[0]
    return ThreadBusy(
        f"Another turn has held the thread {thread!r} {how_long}.",
        "Wait for it, cancel it, close its stream, or use another thread.",
    )

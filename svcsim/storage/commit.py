"""Carrying out commits: in a thread of their own, or, for runs on virtual time, right here.

A transaction is begun and filled on the event loop's thread and only committed in the other one. Measured under a busy loop that beats a
thread which does both: each ``put`` there gives up the interpreter's lock and queues for it again behind the loop.
"""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Protocol

import lmdb

from svcsim.rest import Work
from svcsim.storage.engine import Transaction
from svcsim.storage.stall import Stall

Failure = lmdb.Error | OSError | MemoryError
Probe = Callable[[str], None]
"""Called with the name of each point a commit passes. A test's may end the process there, or raise `OSError` as a disk would."""
Landed = Callable[[Failure | None], None]

BEFORE_COMMIT = "before commit"
AFTER_COMMIT = "after commit"
COMPACTING = "compacting"


def no_probe(point: str) -> None:
    """Nobody is looking."""


class Committer(Protocol):
    """Commits one transaction at a time."""

    def commit(self, txn: Transaction, landed: Landed) -> None:
        """Commit; then call ``landed`` on the event loop's thread, with what went wrong if anything did."""
        ...

    def stop(self) -> None:
        """No further commits will come."""
        ...


class InlineCommitter:
    """Commits there and then: the loop stands still meanwhile, and every run goes the same way."""

    def __init__(self, probe: Probe, committed: Callable[[], None]) -> None:
        """``committed`` is called after each commit that succeeds."""
        self._probe = probe
        self._committed = committed

    def commit(self, txn: Transaction, landed: Landed) -> None:
        """Commit, and say so at once."""
        landed(_commit(txn, self._probe, self._committed))

    def stop(self) -> None:
        """Nothing to end."""


class ThreadCommitter:
    """Commits in a thread, so that the loop goes on while the disk works."""

    def __init__(self, probe: Probe, committed: Callable[[], None], work: Work, stall: Stall) -> None:
        """``committed`` is called in the thread, after each commit that succeeds; ``stall`` sees how long each takes."""
        self._probe = probe
        self._committed = committed
        self._work = work
        self._stall = stall
        self._orders: SimpleQueue[tuple[Transaction, Landed, asyncio.AbstractEventLoop] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def commit(self, txn: Transaction, landed: Landed) -> None:
        """Hand it over. The thread starts with the first one."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="store-commit", daemon=True)
            self._thread.start()
        self._work.begin()
        self._stall.commit_begins()
        self._orders.put((txn, landed, asyncio.get_running_loop()))

    def stop(self) -> None:
        """End the thread, once what it has is done."""
        if self._thread is not None:
            self._orders.put(None)
            self._thread.join()

    def _run(self) -> None:
        while (order := self._orders.get()) is not None:
            txn, landed, loop = order
            failure = _commit(txn, self._probe, self._committed)
            loop.call_soon_threadsafe(self._ended, landed, failure)

    def _ended(self, landed: Landed, failure: Failure | None) -> None:
        self._work.end()
        self._stall.commit_ends()
        landed(failure)


def _commit(txn: Transaction, probe: Probe, committed: Callable[[], None]) -> Failure | None:
    try:
        probe(BEFORE_COMMIT)
        txn.commit()
        probe(AFTER_COMMIT)
    except (lmdb.Error, OSError, MemoryError) as failure:
        txn.abort()
        return failure
    committed()
    return None

"""The process that a cluster runs in: how its interpreter is set, and how much memory it holds."""

import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import resource
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from svcsim import limits
from svcsim.wall import stopwatch

logger = logging.getLogger(__name__)

_YOUNGEST = 0
"""The generation of objects that no search has looked at."""


def tune_process(thresholds: tuple[int, int, int] = limits.GARBAGE_THRESHOLDS) -> None:
    """Settings of the interpreter for a process whose work is a cluster; for its owner to make, before the cluster is opened.

    Nearly all that a request allocates is freed by reference counts, so that looking for cycles every few hundred objects, through all that
    lives, costs a quarter of the processor and finds nothing; and of what a start makes nothing is garbage, so that it isn't looked for at
    all before `settle_process`. But everything stands still while it is looked, so no search is put off until there is very much to look
    at, unless by ``thresholds`` where nobody waits for an answer. And the thread that commits has to get its turn within a commit's time.
    """
    gc.disable()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(limits.THREAD_TURN_S)


def raise_descriptors() -> None:
    """Have as many open files allowed as the system lets a process have, within reason: connections take one each."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.DESCRIPTORS if hard == resource.RLIM_INFINITY else min(limits.DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # some systems allow fewer than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def outbound_connections() -> int:
    """How many connections to others the process may have, so that there are always descriptors for those who want something of it."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = limits.DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    return min(limits.OUTBOUND_CONNECTIONS, allowed // limits.OUTBOUND_DESCRIPTORS_SHARE)


class _Aside(ThreadPoolExecutor):
    """Threads that nobody waits for when their loop ends: what is done aside may take long, and by then nobody wants it any more."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        del wait, cancel_futures
        super().shutdown(wait=False, cancel_futures=True)


def bound_threads() -> None:
    """So many threads for long work, and no more: each takes as many turns at the interpreter as the event loop, whose loop this is."""
    asyncio.get_running_loop().set_default_executor(_Aside(limits.ASIDE_THREADS, thread_name_prefix="aside"))


def end_without_threads() -> None:
    """End the process if threads are still at work after a moment: the interpreter would wait for them, which may be for ever.

    For the very end, when all that is to be kept has been written.
    """
    deadline_s = stopwatch() + limits.THREADS_END_S
    waited_for = [thread for thread in threading.enumerate() if thread is not threading.current_thread() and not thread.daemon]
    for thread in waited_for:
        thread.join(max(0.0, deadline_s - stopwatch()))
    busy = [thread.name for thread in waited_for if thread.is_alive()]
    if busy:
        logger.warning("the process ends, although there is work under way that nobody waits for any more (%s)", ", ".join(busy))
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0)


def settle_process() -> None:
    """Once the cluster is up: what is there by now (modules, schemas, tables) stays, and no search for garbage need look at it.

    Nor need any look at what comes to stay later, where that is much: with hundreds of megabytes a search stops everything for seconds.
    It is freed like all else when nobody refers to it any more; only what refers to itself isn't. So what is much must not: the kinds of a
    definition, which are replaced when it changes, don't, and connections are taken apart when they end.
    """
    gc.freeze()
    if not any(isinstance(callback, _LettingBe) for callback in gc.callbacks):
        gc.callbacks.append(_LettingBe())
    gc.enable()


def unsettle_process() -> None:
    """The cluster has ended, and the process goes on: what is left of it is looked at again, since it may be garbage."""
    gc.unfreeze()
    gc.callbacks[:] = [callback for callback in gc.callbacks if not isinstance(callback, _LettingBe)]


class _LettingBe:
    """After a search: has the next one look no more at what is there, where much has come to stay, so that it is looked at about twice.

    A search among the youngest alone doesn't tell what has come to stay: what is under way just then is soon garbage. One among those that
    have outlived such searches, too, does: where much comes to stay, they are nearly all that is looked at at all.

    How much it is, is told by the blocks of memory that have come to be in use. The objects themselves could be counted, but that holds
    them all for a moment, and what another thread is making just then has to be its own: a tuple that somebody else has, too, can't be
    finished, and fails in the middle of anything.
    """

    def __init__(self) -> None:
        self._let_be = sys.getallocatedblocks()

    def __call__(self, phase: str, info: dict[str, int]) -> None:
        if phase != "stop" or info["generation"] == _YOUNGEST:
            return
        now = sys.getallocatedblocks()
        self._let_be = min(self._let_be, now)
        if now - self._let_be > limits.SEARCHED_BLOCKS:
            self._let_be = now
            gc.freeze()


async def give_back_memory() -> None:
    """Let the operating system have what the C library keeps of memory that was freed: it keeps the most there ever was.

    That takes milliseconds where there is much, so it is done aside.
    """
    await asyncio.get_running_loop().run_in_executor(None, trim_memory)


def trim_memory() -> None:
    """The same at once. Where the C library has no such thing nothing is done."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def resident_bytes() -> int:
    """Memory this process holds, as the operating system counts it; 0 where it doesn't say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

"""What answers reviews, whatever it is: a user's Python file, or a command."""

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from svcsim.cli.verbs.webhook.answers import Answer
from svcsim.meta.types import Json, Object


class ProgramError(Exception):
    """No answer could be had; the message says why, in one line."""


class Program(Protocol):
    """Answers reviews."""

    functions: tuple[str, ...]
    """``mutate``, ``validate`` or both: what it can be registered for."""
    settings: Mapping[str, Json]
    """What it says of its registration itself."""
    notes: tuple[str, ...]
    """What in it may not mean what its author thinks."""
    mistake: str
    """Why it can't answer as it is now, which is the answer to every review; empty if it can."""
    changed: asyncio.Event
    """Set whenever it has become another, and is no mistake."""

    async def start(self) -> None:
        """Raises `ProgramError` where it can't be."""
        ...

    async def answer(self, function: str, review: Object) -> Answer:
        """What is answered to a review. Raises `ProgramError`."""
        ...

    async def follow(self) -> None:
        """See to it, for ever, that it is as its files are now."""
        ...

    async def close(self) -> None: ...


async def end_group(process: asyncio.subprocess.Process) -> None:
    """End a process that leads a group, with all that it started there and left running."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()

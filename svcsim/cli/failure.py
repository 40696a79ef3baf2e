"""How failures are printed: kubectl's words for each kind of them, on stderr, and exit status 1."""

import errno
from collections.abc import Sequence
from typing import TYPE_CHECKING

from svcsim.meta.errors import StatusError
from svcsim.printing.harmless import harmless

if TYPE_CHECKING:
    from svcsim.meta.types import Object


GONE = (errno.EPIPE, errno.EIO)
"""How writing fails where nobody is there to read: a pipe without a reader, a terminal that was closed."""


class CommandError(Exception):
    """A command can't go on; ``error: `` and the message are printed, and the exit status is 1."""


class StartError(Exception):
    """A cluster can't be started; the message says why in one line."""


class TakenError(StartError):
    """Another process serves the cluster, or is just starting it."""


class SeveralErrors(Exception):  # noqa: N818 - it says what it is
    """Several things went wrong, one line each. Each is a `StatusError`, a `CommandError` or a `ConnectionError`."""

    def __init__(self, errors: Sequence[Exception]) -> None:
        super().__init__(f"{len(errors)} failures")
        self.errors = list(errors)


class ExitRequest(Exception):  # noqa: N818 - no error
    """Nothing more to say; leave with this status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def raise_all(errors: Sequence[Exception]) -> None:
    """Raise what was collected: a single error as itself, several together, none not at all."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise SeveralErrors(errors)


def listed(errors: Sequence[Exception]) -> str:
    """Several errors on one line."""
    told = ", ".join(dict.fromkeys(map(str, errors)))
    return f"[{told}]" if len(errors) > 1 else told


def error_text(error: Exception) -> str:
    """The line or lines to print for an error that ends a command."""
    return harmless(_lines(error))


def _lines(error: Exception) -> str:
    if isinstance(error, SeveralErrors):
        return "\n".join(message(one) for one in error.errors)
    if isinstance(error, StatusError) and error.reason == "Invalid":
        return _invalid(error)
    if isinstance(error, StatusError | ConnectionError):
        return message(error)
    text = str(error)
    return text if text.startswith("error: ") else f"error: {text}"


def message(error: Exception) -> str:
    if isinstance(error, StatusError):
        if error.reason == "Unauthorized":
            return f"error: You must be logged in to the server ({error.message})"
        return f"Error from server ({error.reason}): {error.message}" if error.reason else f"Error from server: {error.message}"
    return str(error)


def _invalid(error: StatusError) -> str:
    details: Object = error.details or {}
    if not error.details:
        return f"The request is invalid: {error.message}" if error.message else "The request is invalid"
    kind, name, causes = details.get("kind", ""), details.get("name", ""), details.get("causes") or []
    text = "The request is invalid"
    if kind or name:
        text = f'The {kind} "{name}" is invalid'
    elif error.message and not causes:
        text += f": {error.message}"
    messages = list(dict.fromkeys(f"{cause.get('field', '')}: {cause.get('message', '')}" for cause in causes))
    if not messages:
        return text
    if len(messages) == 1:
        return f"{text}: {messages[0]}"
    return f"{text}: \n" + "\n".join(f"* {line}" for line in messages)


def with_source(error: StatusError | CommandError, verb: str, source: str) -> StatusError | CommandError:
    """The error with the name of the file that it came from."""
    if not source:
        return error
    if isinstance(error, CommandError):
        return CommandError(f'error when {verb} "{source}": {error}')
    return StatusError(error.code, error.reason, f'error when {verb} "{source}": {error.message}', error.details, error.headers)

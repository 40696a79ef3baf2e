"""``run --rm``: what was made is deleted, however the command ends."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from svcsim.cli.failure import ExitRequest
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.deletion import delete_item, deletion_told
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.remote_command import terminal_there
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.harmless import harmless

_OF_A_SIGNAL = 128
"""What a shell adds to a signal's number for the exit status of a program that it has ended."""
_ENDING = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)


@contextmanager
def removed_afterwards(call: Call, made: list[Object]) -> Iterator[None]:
    """At the end delete what was created meanwhile: also after Ctrl-C, and when the terminal is closed or this process is ended."""
    with _ended_by_signals():
        try:
            yield
        finally:
            call.session.reconnect()  # whatever was interrupted may have left an answer half read
            told = [_remove(call, obj) for obj in made]
            with terminal_there():  # now that all is done it may well not be
                call.session.out.write("".join(told))


@contextmanager
def answered_first() -> Iterator[None]:
    """While it lasts, Ctrl-C and the like count once it is over, and a second one at once.

    For the request that makes something: a client that leaves in the middle of it doesn't know what there is to remove.
    """
    handlers = {int(number): handler for number in _ENDING if callable(handler := signal.getsignal(number))}
    waiting: list[int] = []

    def wait(number: int, frame: FrameType | None) -> None:
        if waiting:
            handlers[number](number, frame)
        waiting.append(number)

    for number in handlers:
        signal.signal(number, wait)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if waiting:
        handlers[waiting[0]](waiting[0], None)


def _remove(call: Call, obj: Object) -> str:
    """Delete one object; gives what is to be said of it.

    How the command ends doesn't depend on that, so that what hinders it is just told.
    """
    session = call.session
    resource = session.discovery.of_kind(obj["apiVersion"], obj["kind"])
    assert resource is not None, "it could be made"
    item = Item(resource, namespace_of(obj), name_of(obj), obj)
    try:
        delete_item(call, item, -1, "Background", "none")
    except (StatusError, ConnectionError) as error:
        if isinstance(error, StatusError) and error.code == 404:
            return "No resources found\n"
        why = harmless(f"{resource.print_kind}/{item.name} couldn't be deleted: {error}")
        session.err.write(f"warning: {why}\n")
        return ""
    return "" if call.options.on("quiet") else deletion_told(item)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """While it lasts, what would end the process at once ends the command, which then puts things in order. What is ignored stays so."""

    def end(number: int, _: FrameType | None) -> None:
        raise ExitRequest(_OF_A_SIGNAL + number)

    ending = [number for number in (signal.SIGHUP, signal.SIGTERM) if signal.getsignal(number) is signal.SIG_DFL]
    for number in ending:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ending:
            signal.signal(number, signal.SIG_DFL)

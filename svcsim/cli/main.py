"""The ``svcsim`` command: finds the command that is meant, runs it, and tells how it ended.

kubectl-like commands are run straight away, without typer, which takes as long to import as such a command takes to run. Everything else
(svcsim's own commands, help, mistakes) goes through the typer application of `svcsim.cli.own.app`.
"""

import os
import sys
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import NoReturn

from svcsim.cli.commands import KUBECTL_LIKE, OWN
from svcsim.cli.failure import GONE, CommandError, ExitRequest, SeveralErrors, error_text
from svcsim.cli.flags import GLOBAL_FLAGS, HELP_FLAG, UsageError, find_command, parse
from svcsim.cli.shared.command import Call, Command
from svcsim.meta.errors import StatusError
from svcsim.printing.harmless import harmless

INTERRUPTED = 130
MISUSE = 1
COMPLETE = "__complete"
"""What the shells' completion scripts call; nobody else has a use for it, and no help mentions it."""


def main(argv: list[str] | None = None) -> NoReturn:
    """Run a command line and leave with its exit status."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(encoding="utf-8")  # objects hold any text, whatever the terminal is said to show
    try:
        status = run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:  # before or after the command itself
        status = INTERRUPTED
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        if error.errno not in GONE:
            status = status or _unwritten(error)
    # All is said and closed. Taking the interpreter apart in good order would take a tenth of the time a quick command has.
    os._exit(status)


def _open_what_is_closed() -> None:
    """Who closes a stream (``>&-``) wants nothing of what it would show, and the command all the same."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:  # else a file that is opened later would be written to as if it were the stream
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for as long as the process lives


def run(argv: list[str]) -> int:
    """Run a command line; its exit status."""
    from svcsim.client.kubeconfig import KubeconfigError

    try:
        _check_encoding(argv)
        if argv[:1] == [COMPLETE] and len(argv) > 2:
            from svcsim.cli.own.completion.values import complete

            return complete(argv[1:])
        index = find_command(argv)
        if index is not None and argv[index] == "help":
            return _help(argv[index + 1 :])
        if index is not None and argv[index] in KUBECTL_LIKE:
            entry = KUBECTL_LIKE[argv[index]]
            command: Command = getattr(import_module(entry.module), entry.attribute)
            return run_command(command, argv[:index] + argv[index + 1 :], misuse=entry.misuse)
        from svcsim.cli.own.app import run_app

        return run_app(argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return 1
    except ExitRequest as exit_:
        return exit_.status
    except (CommandError, SeveralErrors, StatusError, KubeconfigError, ConnectionError, UsageError) as error:
        with suppress(OSError):  # what that comes to is told at the end
            sys.stdout.flush()
        sys.stderr.write((harmless(str(error)) if isinstance(error, UsageError) else error_text(error)).rstrip("\n") + "\n")
        sys.stderr.writelines(getattr(error, "__notes__", ()))
        return error.status if isinstance(error, UsageError) else 1
    except OSError as error:
        return _unwritten(error)


def _unwritten(error: OSError) -> int:
    """Tell of a file, or of what is printed to, that can't be read or written; gives the exit status."""
    what = f"{error.filename}: " if error.filename else ""
    with suppress(OSError):
        sys.stderr.write(harmless(f"error: {what}{(error.strerror or str(error)).lower()}") + "\n")
    return 1


def _help(words: list[str]) -> int:
    index = find_command(words)
    if index is None or words[index] in KUBECTL_LIKE or words[index] in OWN:
        return run([*words, "--help"] if words else [])
    from svcsim.cli.own.app import overview

    topics = " ".join(f"`{word}`" for word in words)
    sys.stderr.write(harmless(f"Unknown help topic [{topics}]\n\n\n{overview()}"))
    return 0  # as kubectl: help was asked for, and given


def _check_encoding(argv: list[str]) -> None:
    """Refuse words that are no text: nothing the API has could be meant by them."""
    for number, word in enumerate(argv, 1):
        if not word.isascii() and any("\udc80" <= char <= "\udcff" for char in word):
            shown = word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            raise UsageError(f'error: word {number} of the command line, "{shown}", is not valid UTF-8')


def run_command(command: Command, argv: list[str], path: str = "", misuse: int = MISUSE) -> int:
    """Run a kubectl-like command with the words that follow its name; ``misuse`` is the status where they can't be read."""
    path = f"{path} {command.name}".strip()
    if command.subcommands and (command.run is None or _subcommand(command, argv) is not None):
        return _run_family(command, argv, path)
    _refuse_elsewhere(command, argv, path)
    flags = command.flags + tuple(flag for flag in GLOBAL_FLAGS if flag.name not in {own.name for own in command.flags})
    try:
        if _asks_for_help(argv):
            from svcsim.cli.help import print_help

            print_help(command, path, sys.stdout)
            return 0
        args, options = parse((*flags, HELP_FLAG), argv)
    except UsageError as error:
        if misuse != MISUSE:  # what tells its results by its exit status
            raise UsageError(f"error: {error}\nSee 'svcsim {path} -h' for help and examples", misuse) from None
        raise UsageError(f"Error: {error}\nSee 'svcsim {path} --help' for usage.", misuse) from None
    from svcsim.cli.shared.session import Session

    kinds = {flag.name: flag.kind for flag in command.flags}
    session = Session(options.without([flag for flag in GLOBAL_FLAGS if kinds.get(flag.name, flag.kind) != flag.kind]))
    assert command.run is not None, "a command without sub-commands does something"
    with session.told_of():
        status = command.run(Call(args, options, session)) or 0
    if session.warnings and options.on("warnings-as-errors"):
        count = session.warnings
        raise CommandError(f"{count} warning{'s' if count > 1 else ''} received")
    return status


def _refuse_elsewhere(command: Command, argv: list[str], path: str) -> None:
    index = find_command(argv, command.flags)
    if index is not None and argv[index] in command.elsewhere:
        raise UsageError(
            f'error: "svcsim {path} {argv[index]}" is not there: write the object to a file and use "svcsim {path} -f FILE", '
            f'or let kubectl write it: "kubectl {path} {argv[index]} … --dry-run=client -o yaml"'
        )


def _run_family(command: Command, argv: list[str], path: str) -> int:
    index = find_command(argv, command.flags)
    sub = _subcommand(command, argv)
    if index is not None and sub is not None:
        return run_command(sub, argv[:index] + argv[index + 1 :], path)
    asked = _asks_for_help(argv)
    if index is None or asked:
        from svcsim.cli.help import print_help

        print_help(command, path, sys.stdout if asked else sys.stderr)
        return 0 if asked else 1  # nothing was done
    args, _ = parse((*command.flags, *GLOBAL_FLAGS), argv[index:])
    raise UsageError(f"error: unknown command \"{' '.join(args)}\"\nSee 'svcsim {path} -h' for help and examples")


def _subcommand(command: Command, argv: list[str]) -> Command | None:
    index = find_command(argv, command.flags)
    if index is None:
        return None
    return next((sub for sub in command.subcommands if argv[index] in (sub.name, *sub.aliases)), None)


def _asks_for_help(argv: list[str]) -> bool:
    words = argv[: argv.index("--")] if "--" in argv else argv
    return "-h" in words or "--help" in words or "--help=true" in words


def _drop_output() -> None:
    """The reader of the output is gone: nothing more can be printed, and Python's own flush at exit must not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""``webhook serve``: run a handler behind a local HTTPS endpoint, and have the cluster ask it for as long as the command runs.

The handler is a Python file or a command; `programs` runs it, `endpoint` answers for it, and `registration` makes it known to the cluster.
"""

import asyncio
import json
import os
import re
import shlex
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, UsageError, switch, words
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.own_server import check_own
from svcsim.cli.verbs.webhook.command_line import CommandLine
from svcsim.cli.verbs.webhook.endpoint import Endpoint, line_of
from svcsim.cli.verbs.webhook.programs import Program, ProgramError
from svcsim.cli.verbs.webhook.python_file import PythonFile
from svcsim.cli.verbs.webhook.registration import WEBHOOK_DOMAIN, AskedAbout, Registration
from svcsim.cli.verbs.webhook.rules import namespace_notes, rules
from svcsim.cli.verbs.webhook.schemas import Schemas
from svcsim.cli.verbs.webhook.standing import Plan, Standing
from svcsim.cli.verbs.webhook.terminal import Terminal
from svcsim.clock import loop_sleep
from svcsim.meta.errors import StatusError
from svcsim.meta.names import dns_subdomain
from svcsim.meta.types import Json

_POLICIES = ("Fail", "Ignore")
_HERE = ("127.0.0.1", "localhost", "::1")
_LONGEST_S = 30
_MOST_NAME_CHARS = 40
_PORTS = 65_536


def run(call: Call) -> None:
    """Serve until it is ended."""
    options, session = call.options, call.session
    terminal = Terminal(session.out, session.err)
    program, stem = _program(call, terminal)
    timeout_s = int(options.seconds("timeout"))
    if options.text("output") not in ("", "json"):
        raise CommandError(f'-o is json, not "{options.text("output")}"')
    if options.text("failure-policy") not in ("", *_POLICIES):
        raise CommandError(f'--failure-policy is Fail or Ignore, not "{options.text("failure-policy")}"')
    if not 0 <= options.number("port") < _PORTS:
        raise CommandError(f"--port: there is no port {options.number('port')}")
    host = urlsplit(session.access.server).hostname or ""
    if session.which.cluster() is None and host not in _HERE:
        raise CommandError(f"the cluster at {session.access.server} can't call a webhook on this machine: serve for a cluster of svcsim")
    check_own(session, "a webhook is served for clusters of svcsim alone")
    name = options.text("name") or f"svcsim-{stem}"
    if wrong := dns_subdomain(f"{name}.{WEBHOOK_DOMAIN}"):
        raise CommandError(f'--name: "{name}" can\'t be the name of a webhook: {wrong[0]}')

    def plan(settings: Mapping[str, Json]) -> AskedAbout:
        listed = options.items("resources") or _listed(settings, "RESOURCES")
        operations = options.items("operations") or _listed(settings, "OPERATIONS")
        said_by = "--operations" if options.items("operations") else "OPERATIONS in the file"
        policy = options.text("failure-policy") or settings.get("FAILURE_POLICY", "Fail")
        if policy not in _POLICIES:
            raise CommandError(f"FAILURE_POLICY in the file is Fail or Ignore, not {policy!r}")
        namespace = session.namespace if session.which.namespace_given else ""
        return AskedAbout(
            rules(call.session, listed, operations, said_by),
            namespace,
            policy,
            timeout_s,
            (*program.notes, *namespace_notes(call.session, listed, namespace)),
        )

    asyncio.run(_served(call, terminal, program, name, plan))


def _program(call: Call, terminal: Terminal) -> tuple[Program, str]:
    """What answers, and what its webhook is called if nobody says so."""
    options, args = call.options, call.args
    timeout_s = options.seconds("timeout")
    if not 1 <= timeout_s <= _LONGEST_S or timeout_s != int(timeout_s):
        raise CommandError(f"--timeout is between 1s and {_LONGEST_S}s, in whole seconds")
    if options.dash is not None:
        if options.dash or not args:
            raise UsageError("error: give a file, or -- and a command: svcsim webhook serve FILE.py, or svcsim webhook serve -- COMMAND")
        return CommandLine(args, timeout_s, mutating=options.on("mutating")), _plain(Path(args[0]).stem)
    if len(args) != 1:
        raise UsageError("error: give one file, or -- and a command: svcsim webhook serve FILE.py, or svcsim webhook serve -- COMMAND")
    path = Path(args[0])
    if path.is_dir():
        raise CommandError(f'"{path}" is a directory: give the file in it that defines mutate(request) or validate(request)')
    if not path.is_file():
        how = shlex.join(["svcsim", "webhook", "serve", *options.written, "--", args[0]])
        raise CommandError(f'there is no file "{path}"; a command stands behind --, after all flags: {how}')
    if options.on("mutating"):
        raise CommandError("--mutating is for commands: a file says by its functions, mutate and validate, what it is")
    return PythonFile(path, timeout_s, terminal.say), _plain(path.stem)


def _plain(text: str) -> str:
    """As much of a text as a name can have."""
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:_MOST_NAME_CHARS] or "webhook"


def _listed(settings: Mapping[str, Json], name: str) -> list[str]:
    value = settings.get(name) or []
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise CommandError(f"{name} in the file is neither a text nor a list of texts")
    return [item.strip() for item in items if item.strip()]


async def _served(call: Call, terminal: Terminal, program: Program, name: str, plan: Plan) -> None:
    """Until a signal comes, or the terminal is gone. Then what was registered is taken back, and who has asked answered."""
    session, options = call.session, call.options
    ended, due = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    terminal.when_gone(partial(loop.call_soon_threadsafe, ended.set))
    schemas = Schemas(session)
    as_json = options.text("output") == "json"
    endpoint = Endpoint(program, schemas, lambda told: terminal.print(json.dumps(told._asdict()) if as_json else line_of(told)))

    def end(number: signal.Signals) -> None:
        """At the second time without waiting for answers; that a terminal is closed may be said more than once."""
        if ended.is_set() and number is not signal.SIGHUP:
            endpoint.cut()
        ended.set()

    for one in _ending_signals():
        loop.add_signal_handler(one, end, one)
    try:
        await program.start()
        wanted = plan(program.settings)
        port = await _listening(endpoint, options.number("port"))
        registration = Registration(session, name, port, endpoint.ca_pem)
        await asyncio.to_thread(registration.check)
        async with _taken_back(registration):
            standing = Standing(session, terminal, registration, schemas, program, name, plan)
            await asyncio.to_thread(standing.begin, wanted)
            following = [asyncio.create_task(program.follow()), asyncio.create_task(_ticking(due))]
            try:
                while (event := await _first(ended, program.changed, due)) is not ended:
                    event.clear()
                    if event is due:
                        await asyncio.to_thread(standing.see_to_cluster)
                    else:
                        await _see_to_file(standing, program)
            finally:
                for task in following:
                    task.cancel()
    except ProgramError as error:
        raise CommandError(str(error)) from error
    finally:
        if endpoint.under_way:
            terminal.say(
                f"Reviews under way are answered before it ends, for up to {limits.WEBHOOK_END_S:g} seconds; Ctrl-C ends it at once."
            )
        await endpoint.finish()
        await endpoint.close()
        await program.close()


async def _see_to_file(standing: Standing, program: Program) -> None:
    """Register what the file says now; if that isn't possible, every review is answered with the error, and the old registration stays."""
    settings = program.settings
    mistake = await asyncio.to_thread(standing.settle_anew)
    if mistake and program.settings is settings:  # of what the file has become meanwhile nothing is known yet
        program.mistake = mistake


def _ending_signals() -> Iterator[signal.Signals]:
    """The signals that would end it without any clean-up. If SIGHUP is ignored (nohup), it should go on without its terminal."""
    yield from (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        yield signal.SIGHUP


async def _listening(endpoint: Endpoint, port: int) -> int:
    try:
        return await endpoint.start(port)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise CommandError(f"--port: nobody can listen on {port}: {why.lower()}") from error


async def _ticking(due: asyncio.Event) -> None:
    """Set it whenever the cluster is to be looked after."""
    while True:
        await loop_sleep(limits.WEBHOOK_CLUSTER_POLL_S)
        due.set()


async def _first(*events: asyncio.Event) -> asyncio.Event:
    """The first of them, in their order, that is set."""
    waiting = [asyncio.create_task(event.wait()) for event in events]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    return next(event for event in events if event.is_set())


@asynccontextmanager
async def _taken_back(registration: Registration) -> AsyncIterator[None]:
    """What is registered meanwhile is registered no longer when it is over. Raises `CommandError` where that can't be done."""
    try:
        yield
    finally:
        try:
            await asyncio.to_thread(registration.end)
        except (StatusError, CommandError, ConnectionError) as error:
            left = " and ".join(registration.registered)
            raise CommandError(
                f"the cluster could not be told that it is over ({error}). Where it comes back, it goes on asking this webhook: "
                f"start this command once more and end it, or delete {left}"
            ) from error


WEBHOOK_SERVE = Command(
    "serve",
    "serve (FILE.py | -- COMMAND) [flags]",
    "Have a handler of yours asked by the cluster, as an admission webhook, for as long as this runs.\n\n"
    "A file defines mutate(request), validate(request) or both, and is loaded again when it changes. "
    "It may say RESOURCES, OPERATIONS and FAILURE_POLICY, which the flags of these names go before. A command is run for each review, "
    "which it reads on stdin; on stdout it writes the answer.",
    (
        words("resources", "What it is asked about, such as pods, deployments.apps, pods/exec or *."),
        words(
            "operations",
            "CREATE, UPDATE, DELETE, CONNECT or *; by default CREATE and UPDATE, or CONNECT of pods/exec and such.",
        ),
        switch("mutating", "A command that may change objects, rather than only refuse them."),
        Flag("failure-policy", doc="What follows if it fails: Fail, unless the file says otherwise, or Ignore.", choices=_POLICIES),
        Flag("timeout", "duration", 10.0, "How long an answer may take."),
        Flag("name", doc="The name of the configuration; after the file, or the command, if not given."),
        Flag("port", "int32", 0, "The port to listen on; a free one if not given."),
        Flag("output", doc="Print what is asked and answered as json, a line for each.", short="o", choices=("json",)),
    ),
    run,
)

"""``logs``: what containers say, of one pod, of a workload's pod, or of all pods with certain labels."""

import math
import threading
from contextlib import nullcontext
from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, UsageError, switch
from svcsim.cli.shared.arguments import parse_targets
from svcsim.cli.shared.command import Call, Command
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.listing import list_objects
from svcsim.cli.shared.paused_clock import told_if_paused
from svcsim.cli.shared.pods_meant import default_container, pods_of_workload
from svcsim.cli.shared.select import SELECTOR_FLAG
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.pods import CONTAINERS
from svcsim.meta.times import parse_given_time
from svcsim.meta.types import Object

USAGE = """error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.
POD or TYPE/NAME is a required argument for the logs command
See 'svcsim logs -h' for help and examples"""
SELECTED_TAIL_LINES = 10
"""How many lines of each pod are printed where a selector picks the pods."""


class Source(NamedTuple):
    """One container of one pod."""

    namespace: str
    pod: str
    container: str

    @property
    def prefix(self) -> str:
        """What is printed before each line with ``--prefix``."""
        return f"[pod/{self.pod}/{self.container}] "


def run(call: Call) -> None:
    """Print the logs of what is named."""
    options = call.options
    if not call.args and not options.text("selector"):
        raise UsageError(USAGE)
    if len(call.args) > 2 or (call.args and options.text("selector")):
        if call.args and options.text("selector"):
            raise UsageError("error: only a selector (-l) or a POD name is allowed\nSee 'svcsim logs -h' for help and examples")
        raise UsageError(USAGE)
    if len(call.args) == 2:
        if options.text("container"):
            raise CommandError("only one of -c or an inline [CONTAINER] arg is allowed")
        options.set("container", call.args[1])
    if options.on("all-containers") and options.text("container"):
        raise CommandError("--all-containers=true should not be specified with container name " + options.text("container"))
    if options.text("since-time") and "since" in options.given:
        raise CommandError("at most one of `sinceTime` or `sinceSeconds` may be specified")
    _check_amounts(call)
    sources = [source for pod in _pods(call) for source in _sources(call, pod)]
    with told_if_paused(call.session) if options.on("follow") else nullcontext():
        if options.on("follow") and len(sources) > 1:
            _follow_all(call, sources)
            return
        for source in sources:
            _print(call, source)


def _check_amounts(call: Call) -> None:
    """Refuse what can't be meant before anybody is asked for a pod."""
    options = call.options
    if options.number("tail") < -1:
        raise CommandError("--tail must be greater than or equal to -1")
    if options.number("limit-bytes") < 0:
        raise CommandError("--limit-bytes must be greater than 0")
    if options.seconds("since") < 0:
        raise CommandError("--since must be greater than 0")
    if options.seconds("pod-running-timeout") <= 0:
        raise CommandError("--pod-running-timeout must be higher than zero")
    moment = options.text("since-time")
    try:
        if moment:
            parse_given_time(moment)
    except ValueError as error:
        raise CommandError(f'{error} as "2006"') from error


def _pods(call: Call) -> list[Object]:
    session, options = call.session, call.options
    pods = session.discovery.find("pods")
    if options.text("selector"):
        found = list_objects(session, pods, session.namespace, selector=options.text("selector"))
        if not found:
            session.err.write(f"No resources found in {session.namespace} namespace.\n{session.which.doubt()}")
        return found
    word = call.args[0]
    target = parse_targets(session.discovery, [word] if "/" in word else ["pods", word]).items[0]
    item = Item(target.resource, session.namespace, target.name, {})
    try:
        obj = session.get(item.path)
    except StatusError as error:
        if error.code == 404:
            raise CommandError(f'error from server (NotFound): {error.message} in namespace "{session.namespace}"') from error
        raise
    if target.resource.kind == "Pod":
        return [obj]
    timeout_s = options.seconds("pod-running-timeout")
    return pods_of_workload(session, obj, "get the logs from", timeout_s, everyone=options.on("all-pods"))


def _sources(call: Call, pod: Object) -> list[Source]:
    spec = pod.get("spec") or {}
    by_sort = {sort: [container["name"] for container in spec.get(sort) or []] for sort in CONTAINERS}
    names = [*by_sort["initContainers"], *by_sort["containers"], *by_sort["ephemeralContainers"]]
    wanted = call.options.text("container")
    if call.options.on("all-containers"):
        chosen = names
    elif wanted:
        if wanted not in names:
            raise CommandError(f"container {wanted} is not valid for pod {name_of(pod)}")
        chosen = [wanted]
    else:
        chosen = [default_container(call.session, pod)]
    return [Source(namespace_of(pod), name_of(pod), name) for name in chosen]


def _query(call: Call, source: Source) -> dict[str, str | int | bool]:
    options = call.options
    tail = options.number("tail")
    if tail < 0 and options.text("selector"):
        tail = SELECTED_TAIL_LINES if "tail" not in options.given else -1
    query: dict[str, str | int | bool] = {
        "container": source.container,
        "follow": options.on("follow"),
        "previous": options.on("previous"),
        "timestamps": options.on("timestamps"),
        "insecureSkipTLSVerifyBackend": options.on("insecure-skip-tls-verify-backend"),
        "sinceTime": options.text("since-time"),
        "limitBytes": options.number("limit-bytes"),
    }
    if options.seconds("since"):
        query["sinceSeconds"] = math.ceil(options.seconds("since"))
    if tail >= 0:
        query["tailLines"] = str(tail)
    return query


def _print(call: Call, source: Source) -> None:
    session = call.session
    path = session.discovery.find("pods").path(source.namespace, source.pod, "log")
    prefix = source.prefix if call.options.on("prefix") or call.options.on("all-pods") else ""
    if not call.options.on("follow"):
        body = session.send("GET", path, _query(call, source), accept="*/*").body.decode("utf-8", "replace")
        session.out.write("".join(prefix + line for line in body.splitlines(keepends=True)) if prefix else body)
        return
    with session.stream(path, _query(call, source), accept="*/*") as stream:
        for line in stream:
            session.out.write(f"{prefix}{line.decode('utf-8', 'replace')}\n")
            session.out.flush()


def _follow_all(call: Call, sources: list[Source]) -> None:
    """Follow several containers at once, a connection and a thread each."""
    limit = call.options.number("max-log-requests")
    if len(sources) > limit:
        raise CommandError(
            f"you are attempting to follow {len(sources)} log streams, but maximum allowed concurrency is {limit}, "
            "use --max-log-requests to increase the limit"
        )
    failures: list[Exception] = []

    def follow(source: Source) -> None:
        try:
            _print(call, source)
        except (StatusError, ConnectionError) as error:
            failures.append(error)

    threads = [threading.Thread(target=follow, args=(source,), daemon=True) for source in sources]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures and not call.options.on("ignore-errors"):
        raise failures[0]


LOGS = Command(
    "logs",
    "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER] [flags]",
    "Print the logs of the containers of a pod.",
    (
        SELECTOR_FLAG,
        switch("follow", "Keep printing new lines.", "f"),
        switch("previous", "Print the log of the container's previous run, before its restart.", "p"),
        switch("timestamps", "Print a timestamp before each line."),
        switch("insecure-skip-tls-verify-backend", "Don't check the certificate of the node that the log comes from."),
        switch("prefix", "Print the pod and container before each line."),
        switch("all-containers", "Print the logs of all containers."),
        switch("all-pods", "Print the logs of all pods of a workload."),
        switch("ignore-errors", "Continue if one of several followed logs fails."),
        Flag("container", doc="Print the logs of this container.", short="c", metavar="container"),
        Flag("tail", "int64", -1, "Print only this many of the last lines; all by default, or 10 with a selector."),
        Flag("since", "duration", 0.0, "Print only lines newer than this, such as 5s, 2m or 3h."),
        Flag("since-time", doc="Print only lines after this time (RFC 3339)."),
        Flag("limit-bytes", "int64", 0, "Print at most this many bytes."),
        Flag("max-log-requests", "int64", 5, "How many logs may be followed at the same time."),
        Flag("pod-running-timeout", "duration", 20.0, "How long to wait until there is a pod."),
    ),
    run,
    completes="pod",
)

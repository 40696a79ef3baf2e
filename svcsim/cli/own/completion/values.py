"""What only the cluster knows of a line's completions: names of objects, namespaces, containers, fields.

The scripts know commands, flags and fixed values by themselves. For the rest they call ``svcsim __complete KIND WORDS``, with the words
of the line up to the one being typed: they are read as the command would read them, so that the cluster, context and namespace on the
line are the ones that are asked. One place for all shells, and none of it imports what a quick command may not.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from svcsim.cli.commands import KUBECTL_LIKE, OWN
from svcsim.cli.failure import CommandError
from svcsim.cli.flags import GLOBAL_FLAGS, Flag, Options, UsageError, find_command, parse, switch
from svcsim.cli.shared import state
from svcsim.cli.shared.command import Command
from svcsim.cli.shared.listing import list_pages
from svcsim.cli.shared.openapi_schema import OpenApi
from svcsim.cli.shared.session import Session
from svcsim.client import kubeconfig
from svcsim.client.kubeconfig import KubeconfigError
from svcsim.meta.errors import StatusError
from svcsim.schema.types import Field, List, Map, Ref, Struct, Type

if TYPE_CHECKING:
    from svcsim.cli.shared.discovery import Resource

PATIENCE = "2s"
"""How long a shell waits for one answer."""
_OWN_FLAGS = (
    *GLOBAL_FLAGS,
    switch("all-namespaces", "", "A"),
    switch("all", ""),
    Flag("for"),
    Flag("selector", short="l"),
    Flag("timeout"),
)
"""Flags of svcsim's own commands that can stand before a value that is asked for here."""

_FAMILIES = ("clock", "user")
"""svcsim's own commands whose first argument is a command."""


class Line(NamedTuple):
    """A command line that isn't finished."""

    current: str
    """The word that is being typed."""
    args: list[str]
    """The arguments before it."""
    options: Options
    session: Session


def complete(argv: list[str]) -> int:
    """Print what the last of the words can become, one a line; nothing, and a failure, where that can't be found out."""
    kind, _, types = argv[0].partition(":")
    if kind == "cluster":  # no cluster has to be asked for that
        sys.stdout.writelines(f"{cluster.name}\n" for cluster in state.all_clusters())
        return 0
    if kind not in _KINDS:
        return 1  # not one of our scripts: other programs' completion has the same word for something else
    try:
        line = _read(kind, argv[1:])
        try:
            # What can't be shown can't be typed either: others define types and their fields.
            line.session.out.writelines(f"{found}\n" for found in _KINDS[kind](line, types) if found.isprintable())
        finally:
            line.session.close()
    except (CommandError, StatusError, ConnectionError, KubeconfigError, UsageError):
        return 1  # a shell has no place for words
    return 0


def _read(kind: str, words: list[str]) -> Line:
    index = find_command(words)
    name = words[index] if index is not None else ""
    flags: tuple[Flag, ...] = _OWN_FLAGS
    rest = words if index is None else words[:index] + words[index + 1 :]
    if name in KUBECTL_LIKE:
        entry = KUBECTL_LIKE[name]
        command: Command = getattr(import_module(entry.module), entry.attribute)
        command, rest = _descend(command, rest)
        flags = (*command.flags, *(flag for flag in GLOBAL_FLAGS if flag.name not in {own.name for own in command.flags}))
    args, options = parse(flags, rest)
    current = words[-1].partition("=")[2] if words[-1].startswith("--") else words[-1]
    if kind in options.given:
        options.set(kind, "")  # it is what is being typed
    elif args:
        args.pop()
    if name in _FAMILIES:
        del args[:1]
    elif name in OWN and args:
        options.set("cluster", args[0])
    if "request-timeout" not in options.given:
        options.set("request-timeout", PATIENCE)
    return Line(current, args, options, Session(options))


def _descend(command: Command, words: list[str]) -> tuple[Command, list[str]]:
    """The member of a family that the words call, and the words without its name."""
    index = find_command(words, command.flags)
    if index is not None:
        for sub in command.subcommands:
            if words[index] in (sub.name, *sub.aliases):
                return _descend(sub, words[:index] + words[index + 1 :])
    return command, words


# --- the kinds of values ---


def _contexts(line: Line, _: str) -> Iterator[str]:
    config = kubeconfig.load(kubeconfig.default_paths(line.options.text("kubeconfig")))
    yield from (entry.get("name", "") for entry in config["contexts"])


def _users(line: Line, _: str) -> Iterator[str]:
    config = kubeconfig.load(line.session.which.config_paths())
    yield from (entry.get("name", "") for entry in config["users"])


def _namespaces(line: Line, _: str) -> Iterator[str]:
    yield from _names(line, line.session.discovery.find("namespaces"))


def _pods(line: Line, _: str) -> Iterator[str]:
    if "/" in line.current:
        yield from _slashed(line)
    elif not line.args:
        yield from _names(line, line.session.discovery.find("pods"))


def _containers(line: Line, wanted: str) -> Iterator[str]:
    """The containers of the named pod, or of the pods of the named workload; or of the pod that is copied from or to."""
    session = line.session
    if wanted == "copied":
        for spec in (arg.partition(":")[0] for arg in line.args if ":" in arg):
            namespace, _, name = spec.rpartition("/")
            yield from _containers_of(line, "pods", namespace or session.namespace, name)
    elif line.args:
        kind, _, name = line.args[0].rpartition("/")
        yield from _containers_of(line, kind or "pods", session.namespace, name)


def _containers_of(line: Line, kind: str, namespace: str, name: str) -> Iterator[str]:
    session = line.session
    obj = session.get(session.discovery.find(kind).path(namespace, name))
    spec = obj.get("spec") or {}
    pod = (spec.get("template") or {}).get("spec") or spec
    for section in ("containers", "initContainers"):
        yield from (container["name"] for container in pod.get(section) or [])


def _copied(line: Line, _: str) -> Iterator[str]:
    """One of the two arguments of ``cp``: NAMESPACE/, POD:, NAMESPACE/POD: or a file, as kubectl offers them."""
    current = line.current
    if len(line.args) > 1 or any(":" in arg for arg in line.args) or ":" in current or current.startswith(("/", ".", "~")):
        return  # a path, which is for the shell to complete, or a third argument
    session = line.session
    namespace, slash, _name = current.partition("/")
    pods = session.discovery.find("pods")
    if slash:
        yield from (f"{namespace}/{name}:" for name in _names(line, pods, namespace))
        return
    yield from (f"{name}/" for name in _names(line, session.discovery.find("namespaces")))
    yield from (f"{name}:" for name in _names(line, pods))
    if current:
        with os.scandir() as found:
            yield from sorted(f"{one.name}/" if one.is_dir() else one.name for one in found if one.name.startswith(current))
    elif not line.args:
        yield from ("./", "/")


def _resources(line: Line, types: str) -> Iterator[str]:
    """A type, a list of types with commas, TYPE/NAME, or the name of an object of the type before."""
    if "/" in line.current:
        yield from _slashed(line)
    elif line.args and "/" not in line.args[0]:
        if "," not in line.args[0]:
            yield from (name for name in _names(line, line.session.discovery.find(line.args[0])) if name not in line.args[1:])
    else:
        yield from _listed(line, _types(line, types))


def _objects(line: Line, plural: str) -> Iterator[str]:
    """The names of a type that goes without saying."""
    yield from (name for name in _names(line, line.session.discovery.find(plural)) if name not in line.args)


def _scalable(line: Line, _: str) -> Iterator[str]:
    """What has a number of replicas, of whatever type it is."""
    if line.args or "/" in line.current:
        yield from _resources(line, "")
    else:
        yield from _listed(
            line, (one.full_name for one in line.session.discovery.resources if one.preferred and "scale" in one.subresources)
        )


def _services(line: Line, _: str) -> Iterator[str]:
    """One service; what follows it is for the user to say."""
    if not line.args or (len(line.args) == 1 and "/" not in line.args[0]):
        yield from _resources(line, "services")


def _groups(line: Line, _: str) -> Iterator[str]:
    yield from sorted({resource.group for resource in line.session.discovery.resources if resource.group})


def _categories(line: Line, _: str) -> Iterator[str]:
    yield from _listed(line, sorted({name for resource in line.session.discovery.resources for name in resource.categories}))


def _fields(line: Line, _: str) -> Iterator[str]:
    """``pods.spec.…``: the fields below what is typed so far."""
    path, dot, _ = line.current.rpartition(".")
    if not dot:
        yield from _types(line, "")
        return
    word, *names = path.split(".")
    fields = OpenApi(line.session).fields(line.session.discovery.find(word))
    for name in names:
        fields = _inner(fields, name)
    yield from (f"{path}.{field.name}" for field in fields)


_KINDS: dict[str, Callable[[Line, str], Iterator[str]]] = {
    "context": _contexts,
    "user": _users,
    "namespace": _namespaces,
    "pod": _pods,
    "container": _containers,
    "copied": _copied,
    "resource": _resources,
    "name": _objects,
    "scalable": _scalable,
    "service": _services,
    "group": _groups,
    "category": _categories,
    "field": _fields,
}
KINDS = ("cluster", *_KINDS)
"""Every kind of value that can be asked for."""


def _types(line: Line, wanted: str) -> Iterator[str]:
    plurals = wanted.split(",") if wanted else []
    for resource in line.session.discovery.resources:
        if resource.preferred and "list" in resource.verbs and (not plurals or resource.plural in plurals):
            yield resource.full_name


def _listed(line: Line, found: Iterable[str]) -> Iterator[str]:
    """Words that may stand in a list with commas, behind those that stand there already."""
    before = line.current[: line.current.rfind(",") + 1]
    yield from (f"{before}{word}" for word in found)


def _slashed(line: Line) -> Iterator[str]:
    word = line.current.partition("/")[0]
    yield from (f"{word}/{name}" for name in _names(line, line.session.discovery.find(word)))


def _names(line: Line, resource: "Resource", namespace: str = "") -> Iterator[str]:
    session = line.session
    accept = f"application/json;as=PartialObjectMetadataList;g={session.dialect.group('meta')};v=v1,application/json"
    for page in list_pages(session, resource, namespace or session.namespace, accept=accept):
        yield from (item["metadata"]["name"] for item in page.get("items") or [])


def _inner(fields: tuple[Field, ...], name: str) -> tuple[Field, ...]:
    found: Type | None = next((field.type for field in fields if field.name == name), None)
    while not isinstance(found, Struct | None):
        if isinstance(found, List):
            found = found.item
        elif isinstance(found, Map):
            found = found.value
        elif isinstance(found, Ref):
            found = found.target()
        else:
            return ()
    return found.fields if found else ()

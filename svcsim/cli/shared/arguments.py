"""What TYPE, NAME and TYPE/NAME arguments mean: the objects a command is about.

`parse_targets` turns words into `Target`s (a type with a name, or a whole collection) without asking the server for more than its types.
"""

from collections.abc import Sequence
from typing import NamedTuple

from svcsim.cli.failure import CommandError, raise_all
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.discovery import Discovery, Resource
from svcsim.cli.shared.item import check_name

MISSING_RESOURCE = """You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'"""
UNNAMED = """You must provide one or more resources by argument.
Example resource specifications include:
   '<resource>/<name>'
   '<resource> <name>'
   '<resource>'"""
"""For commands that take no files."""


def require(call: Call, *names: str) -> None:
    """Flags that must be there."""
    missing = [f'"{name}"' for name in names if name not in call.options.given]
    if missing:
        raise CommandError(f"required flag(s) {', '.join(missing)} not set")


class Target(NamedTuple):
    """One object, or the whole collection where ``name`` is empty."""

    resource: Resource
    name: str = ""


class Targets(NamedTuple):
    """What the arguments come to."""

    items: list[Target]
    single: bool
    """Whether exactly one object was named, so that it is printed as itself and not as a list of one."""
    errors: tuple[Exception, ...] = ()
    """What went wrong with others in the files that were named."""


def split_types(argument: str) -> list[str]:
    """A comma list of types, each once."""
    return list(dict.fromkeys(argument.split(",")))


def normalize(args: Sequence[str]) -> list[str]:
    """``a,b c d`` means ``a/c a/d b/c b/d``."""
    if len(args) >= 2 and len(types := split_types(args[0])) > 1:
        return [f"{kind}/{name}" for kind in types for name in args[1:]]
    return list(args)


def parse_targets(discovery: Discovery, args: Sequence[str], *, selecting: bool = False, whole: bool = False) -> Targets:
    """The targets that ``args`` name.

    ``selecting``: a selector or ``--all`` picks from collections, so names are a mistake. ``whole``: a type alone means its collection.
    """
    words = normalize(args)
    slashes = sum("/" in word for word in words)
    if slashes:
        if slashes != len(words):
            raise CommandError(
                "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form "
                "(e.g. 'svcsim get resource/<resource_name>' instead of 'svcsim get resource resource/<resource_name>'"
            )
        pairs = [_pair(word) for word in words]
        if selecting:
            raise CommandError("selectors and the all flag cannot be used when passing resource/name arguments")
        return _one_by_one(discovery, pairs)
    if not words:
        if selecting:
            raise CommandError("at least one resource must be specified to use a selector")
        raise CommandError(MISSING_RESOURCE)
    named = [resource for kind in split_types(words[0]) for resource in _types(discovery, kind)]
    types = list({(one.group, one.version, one.kind): one for one in named}.values())  # a type with two names is asked for once
    names = words[1:]
    if selecting and names:
        raise CommandError("name cannot be provided when a selector is specified")
    if not selecting and not names and not whole:
        raise CommandError("resource(s) were provided, but no name was specified")
    if not names:
        return Targets([Target(resource) for resource in types], single=False)
    for name in names:
        check_name(name)
    if len(types) > 1:
        raise CommandError("you must specify only one resource")
    return Targets([Target(types[0], name) for name in names], single=len(names) == 1)


def _one_by_one(discovery: Discovery, pairs: list[tuple[str, str]]) -> Targets:
    items, errors = [], []
    for kind, name in pairs:
        try:
            check_name(name)
            items.append(Target(discovery.find(kind), name))
        except CommandError as error:
            errors.append(error)
    raise_all(errors)
    return Targets(items, single=len(items) == 1)


def refuse_collections(targets: Targets) -> None:
    """For what can only be done to objects named one by one."""
    if not all(target.name for target in targets.items):
        raise CommandError("subresource cannot be used when bulk resources are specified")


def _types(discovery: Discovery, word: str) -> list[Resource]:
    return discovery.in_category(word) or [discovery.find(word)]


def _pair(word: str) -> tuple[str, str]:
    parts = word.split("/")
    if len(parts) != 2:
        raise CommandError("arguments in resource/name form may not have more than one slash")
    kind, name = parts
    if not kind or not name or len(split_types(kind)) != 1:
        raise CommandError("arguments in resource/name form must have a single resource and name")
    return kind, name

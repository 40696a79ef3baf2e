"""``-f``: manifests from files, directories, addresses on the web and stdin, one object after the other."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import UsageError, switch, words
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.item import Item
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import is_list, name_of, namespace_of
from svcsim.meta.types import Json, Object

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session

EXTENSIONS = (".json", ".yaml", ".yml")
"""What is read from a directory."""

FILE_FLAGS = (
    words("filename", "A file, directory or URL with the objects, or - for stdin; can be repeated.", "f", metavar="file"),
    switch("recursive", "Read directories given with -f recursively.", "R"),
)


class Manifest(NamedTuple):
    """One object from a file."""

    obj: Object
    source: str
    """The file's name, as errors tell it."""


def require_files(call: Call, verb: str) -> None:
    """Refuse arguments, and a command line without ``-f``: for commands that are about files alone."""
    if call.args:
        raise UsageError(f"error: Unexpected args: [{' '.join(call.args)}]\nSee 'svcsim {verb} -h' for help and examples")
    if not call.options.items("filename"):
        raise CommandError("must specify one of -f and -k")


def read_manifests(filenames: list[str], *, recursive: bool = False) -> Iterator[Manifest]:
    """All objects, those of lists one by one. Raises `CommandError` at the first thing that can't be read."""
    yield from map(_read, _found(filenames, recursive=recursive, validated=False))


def load_items(
    session: "Session", filenames: list[str], *, recursive: bool = False, validated: bool = False
) -> tuple[list[Item], list[Exception]]:
    """The objects in files with their types and namespaces, and what went wrong with the others.

    ``validated``: in the words of those who are asked to look through a file before they send it.
    """
    items: list[Item] = []
    errors: list[Exception] = []
    try:
        for found in _found(filenames, recursive=recursive, validated=validated):
            try:
                items.append(_item(session, _read(found)))
            except (CommandError, ConnectionError) as error:
                errors.append(error)
    except CommandError as error:
        errors.append(error)
    return items, errors


def _read(found: Manifest | Exception) -> Manifest:
    if isinstance(found, Exception):
        raise found
    return found


def _found(filenames: list[str], *, recursive: bool, validated: bool) -> Iterator[Manifest | Exception]:
    """All objects, and what is wrong with those that aren't any: the files after a bad one are read all the same.

    Raises `CommandError` where a file isn't there, before anything is read.
    """
    places = [place for filename in filenames for place in _places(filename, recursive=recursive)]
    for place in places:
        try:
            yield from _documents(_body(place), "STDIN" if place == "-" else place, validated=validated)
        except (CommandError, ConnectionError) as error:
            yield error


def _places(filename: str, *, recursive: bool) -> list[str]:
    if filename == "-" or _is_address(filename):
        return [filename]
    return [str(path) for path in _paths(filename.removeprefix("file://"), recursive=recursive)]


def _is_address(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _body(place: str) -> bytes:
    if place == "-":
        return sys.stdin.buffer.read()
    if _is_address(place):
        from svcsim.cli.shared.fetching import fetch

        return fetch(place)
    try:
        return Path(place).read_bytes()
    except OSError as error:
        raise CommandError(f"open {place}: {(error.strerror or str(error)).lower()}") from error


def _item(session: "Session", manifest: Manifest) -> Item:
    obj, source = manifest
    api_version, kind, name = obj.get("apiVersion") or "", obj.get("kind") or "", name_of(obj)
    resource = session.discovery.of_kind(api_version, kind)
    if resource is None:
        raise CommandError(
            f'resource mapping not found for name: "{name}" namespace: "{namespace_of(obj)}" from "{source}": '
            f'no matches for kind "{kind}" in version "{api_version}"\nensure CRDs are installed first'
        )
    if not resource.namespaced:
        return Item(resource, "", name, obj, source)
    own = namespace_of(obj)
    if own and session.which.namespace_given and own != session.namespace:
        raise other_namespace(own, session.namespace)
    if not own:
        obj = {**obj, "metadata": {**(obj.get("metadata") or {}), "namespace": session.namespace}}
    return Item(resource, own or session.namespace, name, obj, source)


def other_namespace(own: str, wanted: str) -> CommandError:
    """An object is of another namespace than the one that is meant."""
    return CommandError(
        f'the namespace from the provided object "{own}" does not match the namespace "{wanted}". '
        f"You must pass '--namespace={own}' to perform this operation."
    )


def _paths(filename: str, *, recursive: bool) -> list[Path]:
    path = Path(filename)
    if any(mark in filename for mark in "*?[") and not path.exists():
        return sorted(path.parent.glob(path.name)) or _missing(filename)
    if not path.exists():
        return _missing(filename)
    if not path.is_dir():
        return [path]
    found = []
    for directory, below, names in os.walk(path):
        below.sort()
        if not recursive:
            below.clear()
        found += [Path(directory) / name for name in sorted(names) if name.endswith(EXTENSIONS)]
    if not found:
        raise CommandError(f"error reading [{filename}]: recognized file extensions are [{' '.join(EXTENSIONS)}]")
    return found


def _missing(filename: str) -> list[Path]:
    raise CommandError(f'the path "{filename}" does not exist')


def _documents(body: bytes, source: str, *, validated: bool) -> Iterator[Manifest | CommandError]:
    """What isn't an object is told and passed over; text that is no YAML, and what validation refuses, ends a file."""
    from svcsim.meta.documents import decode_documents

    try:
        for value in decode_documents(body):
            if validated:
                _validate(value, source)
            yield from _objects(value, source, validated=validated)
    except StatusError as error:
        raise CommandError(f"error parsing {source}: {error.message}") from error


def _objects(value: Json, source: str, *, validated: bool) -> Iterator[Manifest | CommandError]:
    if isinstance(value, dict) and value.get("kind") and is_list(value):
        for item in value["items"]:
            if validated:
                _validate(item, source)
            yield from _objects(item, source, validated=validated)
        return
    yield _object(value, source)


def _object(value: Json, source: str) -> Manifest | CommandError:
    if not isinstance(value, dict):
        return CommandError(
            f'unable to decode "{source}": json: cannot unmarshal {_type_name(value)} into Go value of type unstructured.detector'
        )
    if not value.get("kind"):
        from svcsim.printing.values import compact_json

        return CommandError(f"unable to decode \"{source}\": Object 'Kind' is missing in '{compact_json(value)}'")
    metadata = value.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        return CommandError(_wrong_type(source, metadata, "metadata", "map[string]interface {}"))
    for field in ("name", "namespace"):
        found = (metadata or {}).get(field)
        if found is not None and not isinstance(found, str):
            return CommandError(_wrong_type(source, found, f"metadata.{field}", "string"))
    return Manifest(value, source)


def _validate(value: Json, source: str) -> None:
    """Refuse what is of no type."""
    if isinstance(value, dict):
        wrong = [words for field in ("apiVersion", "kind") if (words := _wrong_word(value, field))]
    else:
        wrong = ["invalid object to validate"]
    if wrong:
        words = wrong[0] if len(wrong) == 1 else f"[{', '.join(wrong)}]"
        raise CommandError(
            f'error validating "{source}": error validating data: {words}; '
            "if you choose to ignore these errors, turn validation off with --validate=false"
        )


def _wrong_word(obj: Object, field: str) -> str:
    value = obj.get(field)
    if value is None:
        return f"{field} not set"
    return "" if isinstance(value, str) else f"{field} isn't string type"


def _wrong_type(source: str, value: Json, field: str, wanted: str) -> str:
    return (
        f'unable to decode "{source}": json: cannot unmarshal {_type_name(value)} into Go struct field ObjectMeta.{field} of type {wanted}'
    )


def _type_name(value: Json) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, dict):
        return "object"
    return "string" if isinstance(value, str) else "number"

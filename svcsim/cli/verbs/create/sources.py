"""Where the entries of config maps and secrets come from: literals, files, directories and files of environment variables."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Flag, words
from svcsim.cli.shared.command import Call
from svcsim.meta.names import config_map_key
from svcsim.printing.values import quote

SOURCE_FLAGS = (
    Flag("from-literal", "array", [], "A key and its value, as KEY=VALUE."),
    words("from-file", "A file with a value, or a directory of such files; KEY=FILE sets the key.", metavar="file"),
    words("from-env-file", "A file of KEY=VALUE lines.", metavar="file"),
)
VARIABLE = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
"""Names of environment variables, as the command line takes them; servers take more."""
_VARIABLE_RULE = (
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit "
    f"(e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '{VARIABLE.pattern}')"
)


class DataEntry(NamedTuple):
    """One key and its value."""

    key: str
    value: bytes


def entries(call: Call, invalid_key: Callable[[str, str], str]) -> Iterator[DataEntry]:
    """All entries the flags name. ``invalid_key`` words what is wrong with a key."""
    options = call.options
    if options.items("from-env-file") and (options.items("from-file") or options.items("from-literal")):
        raise CommandError("from-env-file cannot be combined with from-file or from-literal")
    for entry in _all(call):
        wrong = config_map_key(entry.key)
        if wrong:
            raise CommandError(invalid_key(quote(entry.key), ",".join(wrong)))
        yield entry


def _all(call: Call) -> Iterator[DataEntry]:
    for source in call.options.items("from-file"):
        yield from from_file(source)
    for literal in call.options.items("from-literal"):
        key, equals, value = literal.partition("=")
        if not equals or not key:
            raise CommandError(f"invalid literal source {literal}, expected key=value")
        yield DataEntry(key, value.encode())
    for path in call.options.items("from-env-file"):
        yield from from_env_file(path)


def split_source(source: str) -> tuple[str, Path]:
    """Key and path of ``[KEY=]PATH``."""
    key, equals, path = source.partition("=")
    if not equals:
        return Path(source).name, Path(source)
    if "=" in path:
        raise CommandError("key names or file paths cannot contain '='")
    if not key:
        raise CommandError(f"key name for file path {path} missing")
    if not path:
        raise CommandError(f"file path for key name {key} missing")
    return key, Path(path)


def from_file(source: str) -> Iterator[DataEntry]:
    """The entry a file makes, or those that the files of a directory make."""
    key, path = split_source(source)
    if not path.is_dir():
        yield DataEntry(key, read(path))
        return
    if "=" in source:
        raise CommandError("cannot give a key name for a directory path")
    for file in sorted(path.iterdir()):
        if file.is_file() and not file.is_symlink() and not config_map_key(file.name):
            yield DataEntry(file.name, read(file))


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"error reading {path}: {(error.strerror or str(error)).lower()}") from error


def from_env_file(path: str) -> Iterator[DataEntry]:
    """The entries of a file of ``KEY=VALUE`` lines; a line without a value takes it from the environment."""
    for number, line in enumerate(read(Path(path)).removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        try:
            text = line.decode().lstrip()
        except UnicodeDecodeError as error:
            raise CommandError(f"env file {path} contains invalid utf8 bytes at line {number}: {line!r}") from error
        if not text or text.startswith("#"):
            continue
        key, equals, value = text.partition("=")
        if not VARIABLE.fullmatch(key):
            raise CommandError(f"{quote(key)} is not a valid key name: {_VARIABLE_RULE}")
        yield DataEntry(key, (value if equals else os.environ.get(key, "")).encode())

"""A file of tokens and whose they are, as ``--token-auth-file`` has it: a line ``token,user,uid,"group,group"`` each.

It is read once. What is kept of a token is its digest (`svcsim.auth.bearer_token.StaticTokens`).
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from svcsim.auth.known_user import known_user
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.configured_file import configured_file
from svcsim.meta.private_files import check_private
from svcsim.meta.types import User

OPTION = "--token-auth-file"
_COLUMNS = 'token,user,uid and, where there are any, "group,group"'


def read_token_file(path: Path | None) -> dict[str, User]:
    """The users by their tokens; nobody where there is no file. Raises `ConfigurationError`, which never shows a token."""
    users: dict[str, User] = {}
    if path is None:
        return users
    for number, record in _records(path):
        if len(record) < 3:
            raise _wrong(path, number, f"has {len(record)} columns; it takes {_COLUMNS}")
        token, name, uid = record[:3]
        if not token or not name:
            raise _wrong(path, number, f"has no {'user' if token else 'token'}; it takes {_COLUMNS}")
        if not token.isprintable() or token != token.strip():
            raise _wrong(path, number, "has a token that no header could carry")
        if token in users:
            raise _wrong(path, number, "has a token that another line has before it")
        groups = record[3].split(",") if len(record) > 3 else []
        users[token] = known_user(name, [group for group in groups if group], uid)
    return users


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines that say something, with their numbers."""
    try:
        content = configured_file(OPTION, path)
        check_private(OPTION, path)
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{OPTION}: {path} is not UTF-8") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for record in reader:
            if record:
                yield reader.line_num, record
    except csv.Error as error:
        raise _wrong(path, reader.line_num, f"can't be read: {error}") from error


def _wrong(path: Path, number: int, what: str) -> ConfigurationError:
    return ConfigurationError(f"{OPTION}: line {number} of {path} {what}")

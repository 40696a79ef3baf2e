"""Credentials, and the ``exec`` block of a client configuration, which names a program that gives them (a credential plugin)."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Json, Object

MODES = ("Never", "IfAvailable", "Always")


class CredentialsError(ConnectionError):
    """There are no credentials to ask with; the message says why."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Unable to connect to the server: getting credentials: {why}")
        self.why = why


class Credentials(NamedTuple):
    """Credentials that servers accept, and until when in the machine's time."""

    token: str = ""
    certificate_pem: bytes | None = None
    key_pem: bytes | None = None
    expires: float | None = None

    def __repr__(self) -> str:
        """Without what is secret."""
        return f"Credentials(expires={self.expires})"


class Plugin(NamedTuple):
    """An ``exec`` block: a program that says who is asking."""

    command: str
    api_version: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    install_hint: str = ""
    mode: str = "IfAvailable"
    cluster: str = ""
    """JSON of what the program gets of the cluster; empty if it gets nothing."""

    def __repr__(self) -> str:
        """Without arguments and variables, in which people write secrets."""
        return f"Plugin({self.command!r})"


def groups() -> tuple[tuple[str, str], ...]:
    """The API groups that plugins speak, each with the variable that tells them what is wanted."""
    return tuple((dialect.group("client.authentication"), dialect.exec_info_variable) for dialect in DIALECTS.values())


def variable_of(api_version: str) -> str:
    """The environment variable for plugins of that version; empty where there is no such version."""
    group, _, version = api_version.partition("/")
    return dict(groups()).get(group, "") if version in ("v1", "v1beta1") else ""


def checked_token(token: str, whose: str) -> str:
    """A token, if a header can have it. Raises `CredentialsError`, which doesn't show it."""
    if not token.isascii() or not token.isprintable():
        raise CredentialsError(f"{whose} a token with characters that no header can have")
    return token


def plugin_of(block: Json, user: str, cluster: Callable[[], str]) -> Plugin:
    """The plugin that a user's ``exec`` block names. Raises `ValueError` in kubectl's words.

    ``cluster`` gives what `Plugin.cluster` holds, for those who want it.
    """
    if not isinstance(block, dict):
        raise ValueError(f"exec of {user} is no map")  # noqa: TRY004 - a mistake in a file
    texts = {name: _text(block, name, user) for name in ("command", "apiVersion", "installHint", "interactiveMode")}
    for name in ("command", "apiVersion"):
        if not texts[name]:
            raise ValueError(f"{name} must be specified for {user} to use exec authentication plugin")
    if not variable_of(texts["apiVersion"]):
        raise ValueError(f'exec plugin: invalid apiVersion "{texts["apiVersion"]}"')
    mode = texts["interactiveMode"] or ("IfAvailable" if texts["apiVersion"].endswith("/v1beta1") else "")
    if not mode:
        raise ValueError(f"interactiveMode must be specified for {user} to use exec authentication plugin")
    if mode not in MODES:
        raise ValueError(f'invalid interactiveMode for {user}: "{mode}"')
    args = block.get("args") or []
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise ValueError(f"args of the exec authentication plugin for {user} are no list of texts")
    told = cluster() if block.get("provideClusterInfo") is True else ""
    return Plugin(texts["command"], texts["apiVersion"], tuple(args), _env(block.get("env"), user), texts["installHint"], mode, told)


def _text(block: Mapping[str, Json], name: str, user: str) -> str:
    value = block.get(name) or ""
    if not isinstance(value, str):
        raise ValueError(f"{name} of the exec authentication plugin for {user} is no text")  # noqa: TRY004 - a mistake in a file
    return value


def _env(entries: Json, user: str) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for entry in entries if isinstance(entries, list) else []:
        pair: Object = entry if isinstance(entry, dict) else {}
        name, value = pair.get("name"), pair.get("value") or ""
        if not isinstance(name, str) or not name:
            raise ValueError(f"env variable name must be specified for {user} to use exec authentication plugin")
        if not isinstance(value, str):
            raise ValueError(f'the value of env variable "{name}" is no text for {user}: put it in quotes')  # noqa: TRY004
        found.append((name, value))
    return tuple(found)

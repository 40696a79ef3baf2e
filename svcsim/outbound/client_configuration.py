"""The server that a client configuration names: how the webhooks that decide about requests are configured.

Such a file is written once, by the administrator of the cluster, and a mistake in it must not stay unnoticed until the first request. So
all of it is read and checked at start, the certificates too, and an error is one line that names the option.
"""

import base64
import ssl
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from svcsim.meta.client_configuration import KubeconfigError, find_entry, read_content, read_file, read_token, resolve_paths
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.private_files import check_private
from svcsim.meta.tls import client_context
from svcsim.meta.types import Object
from svcsim.outbound.remote import OutboundError, Remote, Trust, address_of_url

_CLUSTER_TEXTS = ("server", "certificate-authority", "certificate-authority-data", "tls-server-name")
_USER_TEXTS = (
    "client-certificate",
    "client-certificate-data",
    "client-key",
    "client-key-data",
    "token",
    "tokenFile",
    "username",
    "password",
)
_CONTEXT_TEXTS = ("cluster", "user")
_SECRETS = ("client-key-data", "token", "password")
"""What makes the whole file its owner's alone."""
_UNSUPPORTED = ("exec", "auth-provider")


def remote_in_file(option: str, path: Path, name: str) -> Remote:
    """The server that the file's current context leads to. ``name`` is on whose behalf it is called.

    Raises `ConfigurationError`, for a file that can't be used, and for keys that others can read.
    """
    try:
        cluster, user = _chosen(_read(path))
        remote = _remote(name, cluster, user)
    except KubeconfigError as error:
        raise ConfigurationError(f"{option}: {path}: {error}") from error
    _check_modes(option, path, user)
    return remote


class CheckedUser(NamedTuple):
    """The credentials to show."""

    certificate_pem: bytes | None
    key_pem: bytes | None
    headers: tuple[tuple[str, str], ...]


def users_in_file(option: str, path: Path) -> dict[str, CheckedUser]:
    """All users of a file, by name. Raises `KubeconfigError`, and `ConfigurationError` for keys that others can read."""
    found: dict[str, CheckedUser] = {}
    for entry in _read(path).get("users") or []:
        user = entry.get("user") or {}
        _check_user(user)
        trust = _trust({}, user)
        _check_certificates(trust)
        found[entry.get("name") or ""] = CheckedUser(trust.certificate_pem, trust.key_pem, _headers(user))
        _check_modes(option, path, user)
    return found


def _check_modes(option: str, path: Path, user: Object) -> None:
    """What is secret is its owner's alone. Raises `ConfigurationError`."""
    if any(user.get(field) for field in _SECRETS):
        check_private(option, path)
    for field, instead in (("client-key", "client-key-data"), ("tokenFile", "token")):
        if user.get(field) and not user.get(instead):
            check_private(option, Path(user[field]))


def _check_user(user: Object) -> None:
    _check_texts(user, _USER_TEXTS, "user")
    for field in _UNSUPPORTED:
        if field in user:
            raise KubeconfigError(f"the user's {field} is a plugin, which a server does not run: use a certificate, a token or a password")


def _read(path: Path) -> Object:
    config = read_file(path)
    if config is None:
        raise KubeconfigError("there is no such file")
    resolve_paths(config, path.parent)
    return config


def _remote(name: str, cluster: Object, user: Object) -> Remote:
    _check_address(cluster)
    trust = _trust(cluster, user)
    _check_certificates(trust)
    return Remote(name, cluster["server"], trust=trust, headers=_headers(user), server_name=cluster.get("tls-server-name") or "")


def _chosen(config: Object) -> tuple[Object, Object]:
    """Cluster and user of the current context. Raises `KubeconfigError`."""
    current = config.get("current-context")
    if not current:
        raise KubeconfigError("it has no current-context, which says which cluster and user are meant")
    context = find_entry(config, "contexts", current)
    if context is None:
        raise KubeconfigError(f'its current-context "{current}" is not among its contexts')
    _check_texts(context, _CONTEXT_TEXTS, "context")
    cluster = find_entry(config, "clusters", context.get("cluster") or "")
    if cluster is None:
        raise KubeconfigError(f'the cluster "{context.get("cluster") or ""}" of its context "{current}" is not among its clusters')
    user = find_entry(config, "users", context["user"]) if context.get("user") else {}
    if user is None:
        raise KubeconfigError(f'the user "{context["user"]}" of its context "{current}" is not among its users')
    _check_texts(cluster, _CLUSTER_TEXTS, "cluster")
    _check_user(user)
    return cluster, user


def _check_texts(entry: Object, fields: tuple[str, ...], what: str) -> None:
    for field in fields:
        value = entry.get(field)
        if value is not None and not isinstance(value, str):
            raise KubeconfigError(f"the {what}'s {field} is not a string")


def _check_address(cluster: Object) -> None:
    server = cluster.get("server") or ""
    try:
        address_of_url(server)
    except OutboundError as error:
        raise KubeconfigError(f"the cluster's server: {error}") from error
    parts = urlsplit(server)
    if parts.username or parts.query or parts.fragment:
        raise KubeconfigError("the cluster's server: a URL without user, query and fragment is needed")


def _trust(cluster: Object, user: Object) -> Trust:
    insecure = cluster.get("insecure-skip-tls-verify") or False
    if not isinstance(insecure, bool):
        raise KubeconfigError("the cluster's insecure-skip-tls-verify is neither true nor false")
    ca_pem = read_content(cluster, "certificate-authority")
    if insecure and ca_pem is not None:
        raise KubeconfigError("insecure-skip-tls-verify and a certificate-authority contradict each other: leave one of them out")
    certificate, key = read_content(user, "client-certificate"), read_content(user, "client-key")
    if (certificate is None) != (key is None):
        raise KubeconfigError("client-certificate and client-key belong together: one of them is missing")
    return Trust(ca_pem, certificate, key, verify=not insecure)


def _check_certificates(trust: Trust) -> None:
    """Make the TLS context once, for what may be wrong with its parts."""
    try:
        if trust.ca_pem is not None:
            client_context(ca_pem=trust.ca_pem)
    except (ssl.SSLError, ValueError) as error:
        raise KubeconfigError("certificate-authority: there is no usable certificate in it (PEM is needed)") from error
    try:
        client_context(certificate_pem=trust.certificate_pem, key_pem=trust.key_pem, verify=False)
    except (ssl.SSLError, ValueError) as error:
        raise KubeconfigError("client-certificate and client-key: they are no pair of a certificate and its key (PEM is needed)") from error


def _headers(user: Object) -> tuple[tuple[str, str], ...]:
    """The credentials that are sent with every request. Raises `KubeconfigError`."""
    token: str = user.get("token") or read_token(user)
    if token and user.get("username"):
        raise KubeconfigError("the user has a token and a username: only one of them can be sent")
    if token:
        value = f"Bearer {token}"
    elif user.get("username"):
        pair = f"{user['username']}:{user.get('password') or ''}"
        value = f"Basic {base64.b64encode(pair.encode()).decode()}"
    else:
        return ()
    if not value.isascii() or not value.isprintable():
        raise KubeconfigError("the user's token has characters that no header can carry")
    return (("authorization", value),)

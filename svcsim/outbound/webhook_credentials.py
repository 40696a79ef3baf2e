"""How the server makes itself known to admission webhooks: the users of a client configuration, each named after whom it is for.

A user's name is the webhook's host and port, with ``*.`` in the place of what comes first, or a lone ``*`` for all the others; without the
port it counts for port 443.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from svcsim.meta.client_configuration import KubeconfigError
from svcsim.meta.configuration_error import ConfigurationError
from svcsim.meta.networks import host_port
from svcsim.outbound.client_configuration import CheckedUser, users_in_file
from svcsim.outbound.remote import DEFAULT_PORT, Remote, address_of_url

_ANYBODY = "*"


class WebhookCredentials(NamedTuple):
    """The users, by their names."""

    users: Mapping[str, CheckedUser]

    @classmethod
    def read(cls, option: str, path: Path) -> "WebhookCredentials":
        """Raises `ConfigurationError`."""
        try:
            return cls(users_in_file(option, path))
        except KubeconfigError as error:
            raise ConfigurationError(f"{option}: {path}: {error}") from error

    def known_to(self, remote: Remote) -> Remote:
        """The server with the credentials of the user that is configured for it, if there is one."""
        if remote.service is not None:
            host, port = remote.service.host, remote.service.port
        else:
            address = address_of_url(remote.url)
            host, port = address.host, address.port
        user = next((self.users[name] for name in _names(host, port) if name in self.users), None)
        if user is None:
            return remote
        trust = replace(remote.trust, certificate_pem=user.certificate_pem, key_pem=user.key_pem)
        return replace(remote, trust=trust, headers=(*remote.headers, *user.headers))


def _names(host: str, port: int) -> Iterator[str]:
    """What the user for a server may be called, the name that counts most first."""
    target = host_port(host, port)
    for name in (target, host) if port == DEFAULT_PORT else (target,):
        yield name
        steps = name.split(".")
        yield from ("*." + ".".join(steps[index:]) for index in range(1, len(steps)))
    yield _ANYBODY

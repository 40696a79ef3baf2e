"""The configurations that are registered while a webhook is served, and removed when it ends. Those of others are never touched."""

import base64
import os
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Object

if TYPE_CHECKING:
    from svcsim.cli.shared.session import Session

SERVED_BY = "svcsim.dev/served-by"
"""Names the process that serves a webhook: the mark of a configuration that is ours."""
KINDS = {"mutate": "MutatingWebhookConfiguration", "validate": "ValidatingWebhookConfiguration"}
WEBHOOK_DOMAIN = "webhook.svcsim.dev"
"""The domain of webhooks' names, which have to look like host names."""
_PATHS = {"mutate": "mutatingwebhookconfigurations", "validate": "validatingwebhookconfigurations"}


@dataclass(frozen=True, slots=True)
class AskedAbout:
    """How the webhook is to be asked."""

    rules: tuple[Object, ...]
    namespace: str
    failure_policy: str
    timeout_s: int
    notes: tuple[str, ...] = ()
    """What of it may not be as it was meant."""


class Registration:
    """The configurations of one webhook, in one cluster."""

    def __init__(self, session: "Session", name: str, port: int, ca_pem: bytes) -> None:
        self._session = session
        self._name = name
        self._url = f"https://127.0.0.1:{port}"
        self._bundle = base64.b64encode(ca_pem).decode()
        self._made: dict[str, str] = {}
        """What is registered, and in which version: that of one which may not have come to be is empty."""

    @property
    def registered(self) -> list[str]:
        """What stands, as commands name it."""
        return [f"{KINDS[function].lower()}/{self._name}" for function in self._made]

    def check(self) -> None:
        """Raise `CommandError` if a configuration of that name belongs to others."""
        for function in KINDS:
            self._check_mine(function, self._present(function))

    def settle(self, functions: tuple[str, ...], wanted: AskedAbout) -> None:
        """Register these, and no others. Raises `StatusError` and `CommandError`."""
        for function in KINDS:
            if function in functions:
                self._register(function, wanted)
            elif function in self._made:
                self._remove(function)

    def lost(self) -> list[str]:
        """What no longer stands as it was registered, with what became of it. Raises what `end` does."""
        return [f'{KINDS[function]} "{self._name}" was {fate}' for function in self._made if (fate := self._fate(function))]

    def _fate(self, function: str) -> str:
        present = self._present(function)
        if present is None:
            return "deleted"
        return "" if _version_of(present) == self._made[function] else "changed"

    def end(self) -> None:
        """Take everything back. Raises `StatusError`, `CommandError` and `ConnectionError`."""
        for function in tuple(self._made):
            self._remove(function)

    def _register(self, function: str, wanted: AskedAbout) -> None:
        present = self._present(function)
        self._check_mine(function, present)
        self._made[function] = ""
        body = self._configuration(function, wanted)
        if present is None:
            made = self._session.write("POST", self._path(function), body)
        else:
            body["metadata"]["resourceVersion"] = _version_of(present)
            made = self._session.write("PUT", f"{self._path(function)}/{self._name}", body)
        self._made[function] = _version_of(made)

    def _remove(self, function: str) -> None:
        """Delete it, unless others have put another one in its place."""
        try:
            if _server_of(self._present(function)) == str(os.getpid()):
                self._session.send("DELETE", f"{self._path(function)}/{self._name}")
        except StatusError as error:
            if error.reason != "NotFound":
                raise
        del self._made[function]

    def _present(self, function: str) -> Object | None:
        try:
            return self._session.get(f"{self._path(function)}/{self._name}")
        except StatusError as error:
            if error.reason == "NotFound":
                return None
            raise

    def _check_mine(self, function: str, present: Object | None) -> None:
        """It is, where it was left behind by a process that is gone."""
        server = _server_of(present)
        if present is None or (function in self._made and server == str(os.getpid())):
            return
        what = f'the {KINDS[function]} "{self._name}"'
        if not server:
            raise CommandError(f"{what} is there, and not made by this command: choose another name with --name")
        if _is_served(present):
            raise CommandError(f"{what} is served by process {server}: end that, or choose another name with --name")

    def _path(self, function: str) -> str:
        return f"/apis/{self._session.dialect.group('admissionregistration')}/v1/{_PATHS[function]}"

    def _configuration(self, function: str, wanted: AskedAbout) -> Object:
        dialect = self._session.dialect
        webhook: Object = {
            "name": f"{self._name}.{WEBHOOK_DOMAIN}",
            "clientConfig": {"url": f"{self._url}/{function}", "caBundle": self._bundle},
            "rules": list(wanted.rules),
            "failurePolicy": wanted.failure_policy,
            "timeoutSeconds": wanted.timeout_s,
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        if wanted.namespace:
            webhook["namespaceSelector"] = {"matchLabels": {dialect.key("metadata.name"): wanted.namespace}}
        return {
            "apiVersion": f"{dialect.group('admissionregistration')}/v1",
            "kind": KINDS[function],
            "metadata": {"name": self._name, "annotations": {SERVED_BY: str(os.getpid())}},
            "webhooks": [webhook],
        }


def _version_of(configuration: Object) -> str:
    metadata = configuration.get("metadata")
    version = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
    if not version or not isinstance(version, str):
        raise CommandError("the server answered with no object: there is no metadata.resourceVersion in it")
    return version


def _server_of(configuration: Object | None) -> str:
    """The process that has made it; empty if there is none, or if others have made it."""
    return annotations_of(configuration).get(SERVED_BY, "") if configuration is not None else ""


def _is_served(configuration: Object) -> bool:
    """Whether the process that made it still answers: its number may have been reused by another process."""
    for webhook in configuration.get("webhooks") or ():
        client = webhook.get("clientConfig") or {}
        try:
            address = urlsplit(client.get("url") or "")
            context = ssl.create_default_context(cadata=base64.b64decode(client.get("caBundle") or "").decode())
            where = address.hostname or "", address.port or 0
            with socket.create_connection(where, limits.WEBHOOK_OTHER_S) as plain, context.wrap_socket(plain, server_hostname=where[0]):
                return True
        except (OSError, ValueError):
            continue
    return False

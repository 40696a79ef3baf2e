"""Webhooks that a cluster asks about requests: real ones over TLS, in the test's process, each at a path of its own."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from svcsim.meta.types import Json, Object
from tests.process import served
from tests.wire.raw import MERGE, Wire
from tests.wire.reviewing import Reviewing, reviewing, send

Respond = Callable[[Object], Object]
"""What a webhook makes of ``request``: ``response``, which needs no uid."""
ALLOWED: Object = {"allowed": True}
Kind = str
"""``validating`` or ``mutating``."""


def patched(*operations: Object) -> Object:
    """A yes with a patch."""
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": patch}


def labelled(name: str, value: str = "yes") -> Object:
    """A yes that labels an object which has labels."""
    return patched({"op": "add", "path": f"/metadata/labels/{name}", "value": value})


class Hooks:
    """The webhooks of a cluster, and what they have been asked."""

    def __init__(self, wire: Wire, remote: Reviewing) -> None:
        self.wire = wire
        self.remote = remote
        self.asked: dict[str, list[Object]] = {}
        """By path: the requests, in the order they came."""
        self.reviews: list[Object] = []
        self._respond: dict[str, Respond] = {}
        remote.answer = self._answer

    def _answer(self, handler: BaseHTTPRequestHandler, review: Object) -> None:
        self.reviews.append(review)
        path = handler.path.partition("?")[0]
        self.asked.setdefault(path, []).append(review["request"])
        response = {"uid": review["request"]["uid"], **self._respond[path](review["request"])}
        send(handler, 200, json.dumps({**review, "request": None, "response": response}).encode())

    def configure(self, kind: Kind, name: str, *webhooks: Object) -> Object:
        """A configuration, made or replaced."""
        path, made = self._path(kind), f"{kind.capitalize()}WebhookConfiguration"
        version = f"{self.wire.dialect.group('admissionregistration')}/v1"
        body = {"apiVersion": version, "kind": made, "metadata": {"name": name}, "webhooks": list(webhooks)}
        answer = self.wire.ask("POST", path, body)
        if answer.status == 409:
            answer = self.wire.ask("PATCH", f"{path}/{name}", {"webhooks": body["webhooks"]}, content_type=MERGE)
        assert answer.status in (200, 201), answer.json
        return answer.json

    def forget(self) -> None:
        """Take all configurations back, and what has been asked."""
        for kind in ("validating", "mutating"):
            assert self.wire.ask("DELETE", self._path(kind)).status == 200
        self.asked.clear()
        self.reviews.clear()

    @contextmanager
    def once(self) -> Iterator["Hooks"]:
        """What is configured and answered while this lasts is taken back."""
        answer = self.remote.answer
        yield self
        self.remote.answer = answer
        self.forget()

    def _path(self, kind: Kind) -> str:
        return f"/apis/{self.wire.dialect.group('admissionregistration')}/v1/{kind}webhookconfigurations"

    def webhook(
        self, respond: Respond | Object, path: str = "/hook", *, resources: tuple[str, ...] = ("configmaps",), **more: Json
    ) -> Object:
        """A webhook that answers so, asked about creations and updates of config maps in ``default`` unless ``more`` says otherwise."""
        self._respond[path] = respond if callable(respond) else lambda _: dict(respond)
        operations, groups = more.pop("operations", ["CREATE", "UPDATE"]), more.pop("groups", ["*"])
        rule = {"operations": operations, "apiGroups": groups, "apiVersions": more.pop("versions", ["*"]), "resources": list(resources)}
        if "scope" in more:
            rule["scope"] = more.pop("scope")
        return {
            "name": f"{path.strip('/')}.hooks.example.com",
            "clientConfig": self.client(path),
            "rules": [rule],
            "namespaceSelector": {"matchLabels": {self.wire.dialect.key("metadata.name"): "default"}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **more,
        }

    def client(self, path: str) -> Object:
        return {"url": f"https://127.0.0.1:{self.remote.port}{path}", "caBundle": base64.b64encode(self.remote.authority.pem).decode()}


@contextmanager
def admitting(directory: Path, dialect: str, *options: str) -> Iterator[Hooks]:
    """A cluster, and a server for the webhooks it asks."""
    with (
        reviewing(directory / "webhook", "127.0.0.1", "hooks.default.svc") as remote,
        served(directory / "home", dialect, "--nodes", "0", "--durability", "process", *options) as server,
    ):
        wire = Wire(server)
        with wire.watch("/api/v1/namespaces/default/configmaps") as events:  # what comes by itself is there before anybody is asked
            events.until(lambda event: event["object"]["metadata"]["name"] == wire.dialect.root_ca_config_map)
        yield Hooks(wire, remote)
        wire.close()
        assert wire.complaints() == []

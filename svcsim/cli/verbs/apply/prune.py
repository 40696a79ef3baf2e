"""``--prune``: delete objects that were applied once and are no longer in any file.

An object is pruned if it is of a type on the list, has the annotation of client-side apply, fits the selector, lives in a namespace that
something was applied to (or in none), and was not applied just now.
"""

from typing import TYPE_CHECKING

from svcsim.cli.failure import CommandError
from svcsim.cli.shared.command import Call
from svcsim.cli.shared.deletion import delete_item
from svcsim.cli.shared.item import Item
from svcsim.cli.shared.last_applied import last_applied_key
from svcsim.cli.shared.listing import list_objects
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of, name_of, namespace_of, uid_of
from svcsim.meta.types import GroupVersion, Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from svcsim.cli.shared.discovery import Resource
    from svcsim.cli.shared.reporting import Reporter
    from svcsim.cli.shared.session import Session


def usual_types(dialect: Dialect, *, namespaced_only: bool) -> list[tuple[GroupVersion, str]]:
    """The types that are pruned unless others are named, in the order they are."""
    core = ("ConfigMap", "Endpoints", "PersistentVolumeClaim", "Pod", "ReplicationController", "Secret", "Service")
    types = [(GroupVersion("", "v1"), kind) for kind in core]
    types += [(GroupVersion("batch", "v1"), kind) for kind in ("Job", "CronJob")]
    types += [(GroupVersion(dialect.group("networking"), "v1"), "Ingress")]
    types += [(GroupVersion("apps", "v1"), kind) for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")]
    if not namespaced_only:
        types += [(GroupVersion("", "v1"), kind) for kind in ("Namespace", "PersistentVolume")]
    return types


class Pruner:
    """Remembers what was applied, then deletes the rest."""

    def __init__(self, session: "Session", allowlist: list[str], policy: str, grace: int, dry: str) -> None:
        self._session = session
        self._types = _named(session, allowlist) if allowlist else _usual(session)
        self._policy = policy
        self._grace = grace
        self._dry = dry
        self._uids: dict[str, None] = {}
        self._namespaces: dict[str, None] = {}

    def seen(self, item: Item, obj: Object) -> None:
        """An object is in the files, and stays."""
        self._uids[uid_of(obj)] = None
        if item.resource.namespaced:
            self._namespaces[item.namespace] = None

    def candidates(self, selector: str) -> "Iterator[Item]":
        for namespace in self._namespaces:
            for resource in self._types:
                if resource.namespaced:
                    yield from self._of_type(resource, namespace, selector)
        for resource in self._types:
            if not resource.namespaced:
                yield from self._of_type(resource, "", selector)

    def _of_type(self, resource: "Resource", namespace: str, selector: str) -> "Iterator[Item]":
        key = last_applied_key(self._session)
        for obj in list_objects(self._session, resource, namespace, selector=selector):
            if key in annotations_of(obj) and uid_of(obj) not in self._uids:
                yield Item(resource, namespace_of(obj), name_of(obj), obj)

    def prune(self, call: Call, report: "Reporter") -> None:
        for item in self.candidates(call.options.text("selector")):
            try:
                delete_item(call, item, self._grace, self._policy, self._dry)
            except StatusError as error:
                if error.code != 404:
                    raise CommandError(f"error pruning {item.resource.print_kind}/{item.name}: {error.message}") from error
            report.done(item.obj, "pruned")
        report.finish()


def _usual(session: "Session") -> list["Resource"]:
    found = [session.discovery.of_kind(str(version), kind) for version, kind in usual_types(session.dialect, namespaced_only=False)]
    return [resource for resource in found if resource is not None]


def _named(session: "Session", allowlist: list[str]) -> list["Resource"]:
    found = []
    for text in allowlist:
        parts = text.split("/")
        if len(parts) != 3:
            raise CommandError(f"invalid GroupVersionKind format: {text}, please follow <group/version/kind>")
        group, version, kind = parts
        api_version = GroupVersion("" if group == "core" else group, version)
        resource = session.discovery.of_kind(str(api_version), kind)
        if resource is None:
            raise CommandError(f'no matches for kind "{kind}" in version "{api_version}"')
        found.append(resource)
    return found

"""The namespace controller: a namespace that is being deleted is emptied, and then let go.

Pods are deleted first, because they may still use other objects in the namespace; the rest follows once they have ended. Objects that can't
be deleted, or have other finalizers, are named in the namespace's conditions. When nothing is left the namespace's own finalizer is
removed, and then the server removes the namespace.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.client.answers import read_answer, read_list_metadata
from svcsim.client.api import Collection
from svcsim.client.backoff import Backoff
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.client.discovery import ApiResource, Discovery
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import copy_json, finalizers_of, is_terminating, name_of, namespace_of, set_condition, uid_of
from svcsim.meta.types import Object

_NEEDED_VERBS = ("list", "delete", "deletecollection")
_FINALIZER_WAIT_S = 15.0
"""How long an object with finalizers is taken to need."""
_FINALIZERS = b'"finalizers"'
"""Within a text the quotes would be escaped: where this isn't, no object has any."""
_GRACE = re.compile(rb'"deletionGracePeriodSeconds":\s*(\d+)')


class Remains(NamedTuple):
    """What is left in a namespace after the deletion of everything in it was asked for."""

    counts: dict[str, int]
    """Objects by ``plural.group``."""
    finalizers: dict[str, int]
    """Objects by finalizer."""
    failures: list[str]
    """Why objects could not be deleted."""
    wait_s: float
    """How long the last of them may need."""


class NamespaceController(Controller):
    """Empties namespaces that are being deleted."""

    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client
        self._dialect = context.dialect
        self._served_types = context.served_types
        self._api = context.client.resource("v1", "namespaces")
        self._namespaces = context.informers.cache("v1", "namespaces")
        self._stuck: dict[ObjectKey, Backoff] = {}
        """Namespaces that can't be emptied yet, because something failed: those are tried again, less and less often."""
        self._holding: dict[ObjectKey, Iterable[str]] = {}
        """The types, as ``plural.group``, of which something was left in a namespace when it was looked through last."""
        self._pods: dict[str, int] = {}
        """How many there are in each namespace that has any."""
        pods = context.informers.cache("v1", "pods")
        super().__init__("namespace controller", context.clock, (Source(self._namespaces, _begins_to_go), Source(pods, self._pod_changed)))
        self._served_types.subscribe(self._try_again)

    def _try_again(self, _found: Discovery) -> None:
        stuck, self._stuck = self._stuck, {}
        for key in stuck:
            self.queue.add(key)

    def _pod_changed(self, change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """With the last of its pods gone, a namespace that is to go can be emptied of the rest."""
        name = namespace_of(pod)
        if change == "ADDED":
            self._pods[name] = self._pods.get(name, 0) + 1
        elif change == "DELETED":
            left = self._pods[name] = self._pods.get(name, 0) - 1
            if left <= 0:
                del self._pods[name]
                namespace = self._namespaces.get(name)
                return (object_key(namespace),) if namespace is not None and is_terminating(namespace) else ()
        return ()

    async def reconcile(self, key: ObjectKey) -> None:
        namespace = self._namespaces.get(key.name)
        if namespace is None or not is_terminating(namespace) or not (namespace.get("spec") or {}).get("finalizers"):
            self._stuck.pop(key, None)
            self._holding.pop(key, None)
            return
        found = await self._served_types.current()
        remains = await self._look_through(key, to_empty(found.resources, self._dialect))
        failed = bool(remains.failures or found.failures)
        if failed or remains.counts or self._others_hold(namespace):  # else it is gone in a moment, and nobody reads what it says
            await self._report(namespace, make_conditions(found.failures, remains))
        if failed:
            backoff = self._stuck.setdefault(key, Backoff(limits.NAMESPACE_RETRY_FIRST_S, limits.NAMESPACE_RETRY_LONGEST_S))
            self.queue.add_after(key, backoff.next())
            return
        self._stuck.pop(key, None)
        if remains.counts:
            self.queue.add_after(key, min(remains.wait_s / 2 + 1, limits.NAMESPACE_RECHECK_LONGEST_S))
        elif self._dialect.namespace_finalizer in namespace["spec"]["finalizers"]:
            await self._finalize(key.name)

    def _others_hold(self, namespace: Object) -> bool:
        """Whether it stays when it has been emptied."""
        return bool(finalizers_of(namespace)) or any(name != self._dialect.namespace_finalizer for name in namespace["spec"]["finalizers"])

    async def _report(self, namespace: Object, wanted: list[Object]) -> None:
        conditions = copy_json((namespace.get("status") or {}).get("conditions") or [])
        timestamp = self.clock.timestamp()
        changed = [set_condition(conditions, one, timestamp) for one in wanted]
        if any(changed):
            body = {"metadata": {"uid": uid_of(namespace)}, "status": {"conditions": conditions}}
            await self._api.patch(name_of(namespace), body, subresource="status")

    async def _look_through(self, key: ObjectKey, resources: list[ApiResource]) -> Remains:
        """Empty a namespace. As long as something is left of a type of which something was left before, only those are looked at again.

        Nothing new can come there, and sixty types that have nothing are looked through every few seconds otherwise, for days if it must.
        """
        before = self._holding.get(key, ())
        holding = [resource for resource in resources if _type_of(resource) in before]
        remains = await self._empty(key.name, holding or resources)
        if holding and not (remains.counts or remains.failures):
            remains = await self._empty(key.name, resources)
        if remains.counts and not remains.failures:
            self._holding[key] = remains.counts.keys()
        else:
            self._holding.pop(key, None)
        return remains

    async def _empty(self, namespace: str, resources: list[ApiResource]) -> Remains:
        pods = [resource for resource in resources if (resource.group, resource.plural) == ("", "pods")]
        remains = Remains({}, {}, [], 0.0)
        for group in (pods, [resource for resource in resources if resource not in pods]):
            for resource in group:
                remains = await self._delete_all(namespace, resource, remains)
            if remains.counts or remains.failures:
                break
        return remains

    async def _delete_all(self, namespace: str, resource: ApiResource, remains: Remains) -> Remains:
        collection = self._client.resource(resource.api_version, resource.plural, namespace)
        name = _type_of(resource)
        try:
            if not (await collection.list(limit=1)).items:
                return remains
            try:
                await collection.delete_all(propagation="Background")
            finally:  # what can't be deleted is counted, too
                async for part in _left(collection):
                    remains = _with(remains, name, part)
        except StatusError as error:
            remains = remains._replace(failures=[*remains.failures, f"{resource.plural}: {error.message}"])
        return remains

    async def _finalize(self, name: str) -> None:
        latest = await self._api.get(name)
        finalizers = [item for item in latest["spec"].get("finalizers") or [] if item != self._dialect.namespace_finalizer]
        await self._api.update({**latest, "spec": {**latest["spec"], "finalizers": finalizers}}, "finalize")


def _type_of(resource: ApiResource) -> str:
    return f"{resource.plural}.{resource.group}"


class _Left(NamedTuple):
    """What is left of one type, or a page of that."""

    objects: int
    finalizers: Sequence[str]
    """Of all of them, one after the other."""
    grace_s: float
    """The most that one of them is given to end."""


async def _left(collection: Collection) -> AsyncIterator[_Left]:
    """What is left in a collection, page by page: ten thousand pods are looked through, and not read, where none has finalizers."""
    before: int | None = None
    async for body in collection.encoded_pages():
        told = read_list_metadata(body)
        after = told.get("remainingItemCount") if told.get("continue") else 0
        if before is None or after is None or _FINALIZERS in body:
            answer: Object = read_answer(body)
            items = answer.get("items") or []
            grace_s = max((float(item["metadata"].get("deletionGracePeriodSeconds") or 0) for item in items), default=0.0)
            yield _Left(len(items), [finalizer for item in items for finalizer in finalizers_of(item)], grace_s)
        else:
            yield _Left(before - after, (), max(map(float, _GRACE.findall(body)), default=0.0))
        before = after


def _with(remains: Remains, name: str, left: _Left) -> Remains:
    """What remains, with some more of one type."""
    if not left.objects:
        return remains
    finalizers = Counter(remains.finalizers)
    finalizers.update(left.finalizers)
    counts = {**remains.counts, name: remains.counts.get(name, 0) + left.objects}
    wait_s = max(remains.wait_s, left.grace_s, _FINALIZER_WAIT_S if left.finalizers else 0.0)
    return remains._replace(counts=counts, finalizers=finalizers, wait_s=wait_s)


def _begins_to_go(change: str, namespace: Object, before: Object | None) -> Iterable[ObjectKey]:
    """One that is to go from now on, or is held by others than before: what this controller says of it in its status is no news."""
    if change == "DELETED" or not is_terminating(namespace):
        return ()
    is_known = before is not None and is_terminating(before) and before.get("spec") == namespace.get("spec")
    return () if is_known else (object_key(namespace),)


def to_empty(resources: list[ApiResource], dialect: Dialect) -> list[ApiResource]:
    """The resource types to empty a namespace of. Events, which two groups serve, are counted once."""
    types = [(resource.group, resource.plural) for resource in resources]
    twins = ((dialect.group("events"), "events"),) if ("", "events") in types else ()
    return [
        resource
        for resource in resources
        if resource.namespaced and all(verb in resource.verbs for verb in _NEEDED_VERBS) and (resource.group, resource.plural) not in twins
    ]


def make_conditions(discovery_failures: Mapping[str, str], remains: Remains) -> list[Object]:
    """The conditions of a namespace on its way out."""
    discovered = f"Discovery failed for some groups, {len(discovery_failures)} failing: {_listed(discovery_failures)}"
    undeleted = f"Failed to delete all resource types, {len(remains.failures)} remaining: {', '.join(sorted(remains.failures))}"
    left = ", ".join(f"{name} has {count} resource instances" for name, count in sorted(remains.counts.items()))
    holding = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(remains.finalizers.items()))
    return [
        _condition(
            "NamespaceDeletionDiscoveryFailure",
            ("DiscoveryFailed", discovered) if discovery_failures else None,
            ("ResourcesDiscovered", "All resources successfully discovered"),
        ),
        _condition(
            "NamespaceDeletionGroupVersionParsingFailure",
            None,
            ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
        ),
        _condition(
            "NamespaceDeletionContentFailure",
            ("ContentDeletionFailed", undeleted) if remains.failures else None,
            ("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
        ),
        _condition(
            "NamespaceContentRemaining",
            ("SomeResourcesRemain", f"Some resources are remaining: {left}") if remains.counts else None,
            ("ContentRemoved", "All content successfully removed"),
        ),
        _condition(
            "NamespaceFinalizersRemaining",
            ("SomeFinalizersRemain", f"Some content in the namespace has finalizers remaining: {holding}") if remains.finalizers else None,
            ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
        ),
    ]


def _condition(kind: str, trouble: tuple[str, str] | None, fine: tuple[str, str]) -> Object:
    reason, message = trouble or fine
    return {"type": kind, "status": "True" if trouble else "False", "reason": reason, "message": message}


def _listed(failures: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {message}" for name, message in sorted(failures.items()))

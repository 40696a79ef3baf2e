"""Pods that share a load: those of a namespace with the same labels, but for what controllers add to them.

The load began when the workload was made that they belong to, so that it goes on whichever of its pods come and go.
"""

from collections.abc import Iterable
from typing import NamedTuple

from svcsim.client.api import Client
from svcsim.client.discovery import ServedTypes, group_of
from svcsim.dialect import Dialect
from svcsim.meta.objects import controller_of, is_terminating, labels_of, namespace_of, pairs_text
from svcsim.meta.pods import TEMPLATE_HASH_LABEL, is_ready
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.metrics.sharing import Sharing
from svcsim.metrics.usage import shares_load

_OWNERS = 2
"""How far up owners are looked for: a pod's ReplicaSet, and that one's Deployment."""


class _Crowd(NamedTuple):
    """What tells one from another; the labels are spelled as a selector."""

    namespace: str
    labels: str


class Crowds:
    """Finds with how many others pods share their load. Who has none in common with others is never asked for."""

    def __init__(self, client: Client, served_types: ServedTypes, dialect: Dialect) -> None:
        self._client = client
        self._served_types = served_types
        self._pods = client.resource("v1", "pods")
        self._added = frozenset(
            (
                TEMPLATE_HASH_LABEL,
                "controller-revision-hash",
                "pod-template-generation",
                dialect.key("pod-name", "statefulset"),
                dialect.key("pod-index", "apps"),
            )
        )

    def shares(self) -> "Shares":
        """For one answer: what is asked once holds to its end."""
        return Shares(self)

    async def sharing(self, crowd: _Crowd, pod: Object) -> Sharing:
        """What all of a crowd share, of which a pod is one."""
        return Sharing(await self._count(crowd), await self._began(pod))

    def crowd(self, pod: Object) -> _Crowd:
        """Which one a pod is of."""
        return _Crowd(namespace_of(pod), pairs_text({key: value for key, value in labels_of(pod).items() if key not in self._added}))

    async def _count(self, crowd: _Crowd) -> int:
        ready = 0
        async for page in self._pods.within(crowd.namespace).pages(label_selector=crowd.labels):
            ready += sum(is_ready(pod) and not is_terminating(pod) and self.crowd(pod) == crowd for pod in page.items)
        return ready

    async def _began(self, pod: Object) -> float:
        """When the workload was made."""
        owner = pod
        for _ in range(_OWNERS):
            reference = controller_of(owner)
            above = None if reference is None else await self._owner(reference, namespace_of(pod))
            if above is None:
                break
            owner = above
        return parse_time(owner["metadata"]["creationTimestamp"])

    async def _owner(self, reference: Object, namespace: str) -> Object | None:
        """What is referred to, if it is there."""
        kind = (reference["kind"], group_of(reference["apiVersion"]))
        served = (await self._served_types.current()).resources
        resource = next((one for one in served if (one.kind, one.group) == kind and one.namespaced), None)
        if resource is None:
            return None
        return await self._client.resource(resource.api_version, resource.plural, namespace).find(reference["name"])


class Shares:
    """What has been learnt of crowds so far."""

    def __init__(self, crowds: Crowds) -> None:
        self._crowds = crowds
        self._known: dict[_Crowd, Sharing] = {}

    async def learn(self, pods: Iterable[Object]) -> None:
        """Ask of the crowds that these pods are of, and haven't been asked of."""
        for pod in pods:
            if shares_load(pod):
                crowd = self._crowds.crowd(pod)
                if crowd not in self._known:
                    self._known[crowd] = await self._crowds.sharing(crowd, pod)

    def of(self, pod: Object) -> Sharing | None:
        """With how many others a pod shares its load; None where it shares none."""
        return self._known.get(self._crowds.crowd(pod)) if self._known else None

"""Pods that share a load: those of a namespace with the same labels, but for what controllers add to them."""

from collections.abc import Iterable

from svcsim.client.api import Collection
from svcsim.dialect import Dialect
from svcsim.meta.objects import is_terminating, labels_of, namespace_of, pairs_text
from svcsim.meta.pods import is_ready
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.metrics.sharing import Sharing
from svcsim.metrics.usage import shares_load


class Crowds:
    """Finds with how many others each pod shares its load. Who has none in common with others is never asked for."""

    def __init__(self, pods: Collection, dialect: Dialect) -> None:
        self._pods = pods
        self._added = frozenset(
            (
                "pod-template-hash",
                "controller-revision-hash",
                "pod-template-generation",
                dialect.key("pod-name", "statefulset"),
                dialect.key("pod-index", "apps"),
            )
        )

    async def of(self, pods: Iterable[Object]) -> "Shares":
        """What each of these pods shares with whom."""
        found: dict[tuple[str, str], Sharing] = {}
        for pod in pods:
            if shares_load(pod):
                key = self._key(pod)
                if key not in found:
                    found[key] = await self._count(key)
        return Shares(self, found)

    async def _count(self, key: tuple[str, str]) -> Sharing:
        namespace, own_labels = key
        pods = await self._pods.within(namespace).list_all(label_selector=own_labels)
        ready = [pod for pod in pods if is_ready(pod) and not is_terminating(pod) and self._key(pod) == key]
        since = [parse_time(started) for pod in ready if (started := pod["status"].get("startTime"))]
        return Sharing(len(ready), min(since, default=0.0))

    def _key(self, pod: Object) -> tuple[str, str]:
        own = {key: value for key, value in labels_of(pod).items() if key not in self._added}
        return namespace_of(pod), pairs_text(own)

    def key(self, pod: Object) -> tuple[str, str]:
        """What tells one crowd from another."""
        return self._key(pod)


class Shares:
    """What was found of some pods."""

    def __init__(self, crowds: Crowds, found: dict[tuple[str, str], Sharing]) -> None:
        self._crowds = crowds
        self._found = found

    def of(self, pod: Object) -> Sharing | None:
        """With how many others a pod shares its load; None where it shares none."""
        return self._found.get(self._crowds.key(pod)) if self._found else None

"""PodNodeSelector: the pods of a namespace run on the nodes that its annotation selects."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.names import label_value, qualified_name
from svcsim.meta.objects import annotations_of
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_CONFLICT = "pod node label selector conflicts with its namespace node label selector"
_NOT_ALLOWED = "pod node label selector labels conflict with its namespace whitelist"


class UnreadableSelectorError(Exception):
    """A text is no selector."""


class NodeSelectors(NamedTuple):
    """What the cluster's configuration says."""

    default: Mapping[str, str] = MappingProxyType({})
    """The selector of namespaces without the annotation."""
    allowed: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """By namespace: what a pod's whole selector may consist of."""


class PodNodeSelector:
    """Adds the namespace's node selector to pods, and refuses those that select other nodes."""

    name = "PodNodeSelector"
    rules = (Rule(("CREATE",), ("pods",)),)

    def __init__(self, listers: Listers, dialect: Dialect, configured: NodeSelectors) -> None:
        self._configured = configured
        self._namespaces = listers.of("namespaces")
        self._annotation = dialect.key("node-selector", "scheduler.alpha")

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        spec, wanted = request.obj["spec"], self._wanted(request)
        if _conflict(wanted, spec.get("nodeSelector") or {}):
            raise request.refusal(_CONFLICT)
        if wanted:
            spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **wanted}

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        own = request.obj["spec"].get("nodeSelector") or {}
        if any(own.get(key) != value for key, value in self._wanted(request).items()):
            raise request.refusal(_CONFLICT)
        allowed = self._configured.allowed.get(request.namespace)
        if allowed and any(allowed.get(key) != value for key, value in own.items()):
            raise request.refusal(_NOT_ALLOWED)

    def _wanted(self, request: AdmissionRequest) -> Mapping[str, str]:
        """What the namespace's annotation says, or else the configuration. Raises 403 where that can't be read."""
        namespace = self._namespaces.get("", request.namespace)
        text = None if namespace is None else annotations_of(namespace).get(self._annotation)
        if text is None:
            return self._configured.default
        try:
            return parse_node_selector(text)
        except UnreadableSelectorError as error:
            raise request.refusal(f"the annotation {self._annotation} of its namespace {error}") from error


def parse_node_selector(text: str) -> Mapping[str, str]:
    """What ``zone=a,disk=fast`` means. Raises `UnreadableSelectorError`."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        words = [word.strip() for word in part.split("=")]
        if len(words) != 2:
            raise UnreadableSelectorError(f"has {part}, which should read like zone=a")
        key, value = words
        if wrong := qualified_name(key) or label_value(value):
            raise UnreadableSelectorError(f"has {part}, which no label can be: {wrong[0]}")
        found[key] = value
    return found


def _conflict(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return any(other.get(key, value) != value for key, value in one.items())

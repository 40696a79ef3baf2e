"""What the scheduler needs of a pod, read from its object once.

Placing a pod asks the same questions of every node, and of every pod that is already there; the answers must not be looked up in nested
maps each time. A pod's spec hardly ever changes, so reading it once pays. Pods of one template are alike in most of this, and share it:
tens of thousands of them are kept.
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import NamedTuple, TypeVar

from svcsim import limits
from svcsim.meta.found_before import FoundBefore
from svcsim.meta.node_affinity import NodeTerm, node_affinity_of, preferred_terms, required_terms
from svcsim.meta.objects import controller_of, is_terminating, labels_of, name_of, namespace_of, uid_of
from svcsim.meta.pods import is_finished, sidecars
from svcsim.meta.selectors import LabelSelector, Requirement, from_object
from svcsim.meta.taints import Toleration, tolerations_of
from svcsim.meta.types import Object
from svcsim.scheduler.resources import Requests, pod_requests, scoring_requests

H = TypeVar("H", bound=Hashable)

ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - the API's word for all of a node's addresses, and its default
SOME_ADDRESS = ""
"""Stands for whatever address a port was taken at."""


class Group(NamedTuple):
    """What selectors see of a pod. Replicas are alike in this, so nodes count their pods by it."""

    namespace: str
    labels: tuple[tuple[str, str], ...]
    terminating: bool


class PodTerm(NamedTuple):
    """One term of a pod (anti-)affinity: pods of these namespaces and labels, on nodes alike in this label."""

    topology_key: str
    selector: LabelSelector
    namespaces: tuple[str, ...]
    namespace_selector: LabelSelector | None
    weight: int = 0


class Spread(NamedTuple):
    max_skew: int
    topology_key: str
    selector: LabelSelector
    min_domains: int
    honours_affinity: bool
    honours_taints: bool
    required: bool


class Port(NamedTuple):
    """A port a pod takes on its node."""

    protocol: str
    port: int
    ip: str

    def at(self, ip: str) -> "Port":
        """The same port at another address."""
        return Port(self.protocol, self.port, ip)


class Needs(NamedTuple):
    """What the spec alone says of where a pod can go, and of what it takes there."""

    priority: int
    may_preempt: bool
    gated: bool
    requests: Requests
    scoring: tuple[int, int]
    ports: tuple[Port, ...]
    tolerations: tuple[Toleration, ...]
    node_selector: tuple[tuple[str, str], ...]
    node_terms: tuple[NodeTerm, ...] | None
    """Required node affinity: one of these must fit. None asks nothing; an empty tuple fits nowhere."""
    preferred_node_terms: tuple[NodeTerm, ...]
    images: tuple[str, ...]


class PodInfo(NamedTuple):
    """A pod as the scheduler sees it."""

    key: str
    namespace: str
    name: str
    uid: str
    node_name: str
    finished: bool
    """Succeeded or failed: it takes nothing on its node any more."""
    owner_uid: str
    group: Group
    affinity: tuple[PodTerm, ...]
    anti_affinity: tuple[PodTerm, ...]
    preferred_affinity: tuple[PodTerm, ...]
    """Terms of anti-affinity are among them, with negative weights."""
    spreads: tuple[Spread, ...]
    needs: Needs

    @property
    def spec_signature(self) -> tuple[object, ...]:
        """What of it decides where it can go; while this stays the same, trying again is no use."""
        needs = self.needs
        return (self.group, needs.gated, needs.node_selector, needs.node_terms, needs.tolerations, needs.requests)


@lru_cache(maxsize=limits.SHARED_POD_PARTS)
def shared(value: H) -> H:
    """The one copy of a value that equal ones share."""
    return value


def pod_key(pod: Object) -> str:
    """``namespace/name``."""
    return f"{namespace_of(pod)}/{name_of(pod)}"


def read_pod(pod: Object) -> PodInfo:
    """What the scheduler needs of a pod."""
    spec = pod.get("spec") or {}
    namespace, name = namespace_of(pod), name_of(pod)
    labels = labels_of(pod)
    affinity = spec.get("affinity") or {}
    owner = controller_of(pod)
    return PodInfo(
        key=f"{namespace}/{name}",
        namespace=namespace,
        name=name,
        uid=uid_of(pod),
        node_name=spec.get("nodeName") or "",
        finished=is_finished(pod),
        owner_uid=owner["uid"] if owner else "",
        group=shared(Group(namespace, tuple(sorted(labels.items())), is_terminating(pod))),
        affinity=_pod_terms(affinity.get("podAffinity"), namespace, labels),
        anti_affinity=_pod_terms(affinity.get("podAntiAffinity"), namespace, labels),
        preferred_affinity=(
            *_preferred_pod_terms(affinity.get("podAffinity"), namespace, labels, 1),
            *_preferred_pod_terms(affinity.get("podAntiAffinity"), namespace, labels, -1),
        ),
        spreads=tuple(_spread(constraint, labels) for constraint in spec.get("topologySpreadConstraints") or ()),
        needs=_needs_of(spec),
    )


def _needs(spec: Object) -> Needs:
    requests = pod_requests(spec)
    nodes = node_affinity_of(spec)
    return Needs(
        priority=spec.get("priority") or 0,
        may_preempt=spec.get("preemptionPolicy") != "Never",
        gated=bool(spec.get("schedulingGates")),
        requests=shared(requests),
        scoring=shared(scoring_requests(spec, requests)),
        ports=shared(_ports(spec)),
        tolerations=shared(tolerations_of(spec)),
        node_selector=shared(tuple(sorted((spec.get("nodeSelector") or {}).items()))),
        node_terms=required_terms(nodes),
        preferred_node_terms=preferred_terms(nodes),
        images=shared(tuple(container.get("image", "") for container in spec.get("containers") or ())),
    )


_needs_of = FoundBefore(_needs)


def _ports(spec: Object) -> tuple[Port, ...]:
    return tuple(
        Port(port.get("protocol") or "TCP", port["hostPort"], port.get("hostIP") or ANY_ADDRESS)
        for container in (*(spec.get("containers") or ()), *sidecars(spec))
        for port in container.get("ports") or ()
        if port.get("hostPort")
    )


def _pod_terms(affinity: Object | None, namespace: str, labels: dict[str, str]) -> tuple[PodTerm, ...]:
    required = (affinity or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or ()
    return tuple(_pod_term(term, namespace, labels) for term in required)


def _preferred_pod_terms(affinity: Object | None, namespace: str, labels: dict[str, str], sign: int) -> tuple[PodTerm, ...]:
    preferred = (affinity or {}).get("preferredDuringSchedulingIgnoredDuringExecution") or ()
    return tuple(_pod_term(item["podAffinityTerm"], namespace, labels, sign * (item.get("weight") or 0)) for item in preferred)


def _pod_term(term: Object, namespace: str, labels: dict[str, str], weight: int = 0) -> PodTerm:
    named = tuple(term.get("namespaces") or ())
    selected = term.get("namespaceSelector")
    selector = from_object(term.get("labelSelector"))
    same = _same_labels(term.get("matchLabelKeys"), labels, "=")
    other = _same_labels(term.get("mismatchLabelKeys"), labels, "!=")
    if same or other:
        selector = LabelSelector((*selector.requirements, *same, *other), impossible=selector.impossible)
    return PodTerm(
        topology_key=term.get("topologyKey") or "",
        selector=selector,
        namespaces=named or (() if selected is not None else (namespace,)),
        namespace_selector=from_object(selected) if selected is not None else None,
        weight=weight,
    )


def _same_labels(keys: list[str] | None, labels: dict[str, str], operator: str) -> tuple[Requirement, ...]:
    return tuple(Requirement(key, operator, (labels[key],)) for key in keys if key in labels) if keys else ()


def _spread(constraint: Object, labels: dict[str, str]) -> Spread:
    selector = from_object(constraint.get("labelSelector"))
    same = _same_labels(constraint.get("matchLabelKeys"), labels, "=")
    if same:
        selector = LabelSelector((*selector.requirements, *same), impossible=selector.impossible)
    return Spread(
        max_skew=constraint.get("maxSkew") or 1,
        topology_key=constraint.get("topologyKey") or "",
        selector=selector,
        min_domains=constraint.get("minDomains") or 1,
        honours_affinity=constraint.get("nodeAffinityPolicy") != "Ignore",
        honours_taints=constraint.get("nodeTaintsPolicy") == "Honor",
        required=constraint.get("whenUnsatisfiable") != "ScheduleAnyway",
    )

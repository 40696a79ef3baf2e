"""What the scheduler needs of a pod, read from its object once.

Placing a pod asks the same questions of every node, and of every pod that is already there; the answers must not be looked up in nested
maps each time. A pod's spec hardly ever changes, so reading it once pays. Pods of one template are alike in most of this, and share it:
tens of thousands of them are kept.
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import NamedTuple, TypeAlias, TypedDict, TypeVar

from svcsim import limits
from svcsim.meta.claims import pod_claims
from svcsim.meta.device_claims import UsedDevices, used_devices
from svcsim.meta.found_before import FoundBefore
from svcsim.meta.host_ports import HostPort, host_ports
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.label_matching import Requirement
from svcsim.meta.label_selectors import LabelSelector, from_object
from svcsim.meta.node_affinity import NAME_FIELD, NodeTerm, node_affinity_of, preferred_terms, required_terms
from svcsim.meta.objects import condition, controller_of, namespace_of
from svcsim.meta.pod_amounts import spec_in_force
from svcsim.meta.pods import DEFAULT_SCHEDULER, generation_of, is_finished
from svcsim.meta.taints import Toleration, tolerations_of
from svcsim.meta.types import Object
from svcsim.scheduler.resources import Requests, pod_requests, scoring_requests

H = TypeVar("H", bound=Hashable)

PREEMPTED = "PreemptionByScheduler"
"""The reason in the condition of a pod that was taken away for another."""
DISRUPTION_TARGET = "DisruptionTarget"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class Group(NamedTuple):
    """What selectors see of a pod. Replicas are alike in this, so nodes count their pods by it."""

    namespace: str
    labels: tuple[tuple[str, str], ...]
    terminating: bool


class Owner(NamedTuple):
    """The controller that a pod belongs to."""

    api_version: str
    kind: str
    name: str


class PodTerm(NamedTuple):
    """One term of a pod (anti-)affinity: pods of these namespaces and labels, on nodes alike in this label."""

    topology_key: str
    selector: LabelSelector
    namespaces: tuple[str, ...]
    namespace_selector: LabelSelector | None
    weight: int = 0


class PodTerms(NamedTuple):
    """How a pod wants to stand to others."""

    affinity: tuple[PodTerm, ...] = ()
    anti_affinity: tuple[PodTerm, ...] = ()
    preferred: tuple[PodTerm, ...] = ()
    """Terms of anti-affinity are among them, with negative weights."""


class Spread(NamedTuple):
    """One topology spread constraint."""

    max_skew: int
    topology_key: str
    selector: LabelSelector
    min_domains: int
    honours_affinity: bool
    honours_taints: bool
    required: bool


class UsedClaim(NamedTuple):
    """A PersistentVolumeClaim that a pod uses."""

    key: ObjectKey
    ephemeral: bool
    """Whether it is made for the pod."""


class Needs(NamedTuple):
    """What the spec alone says of where a pod can go, and of what it takes there."""

    priority: int
    may_preempt: bool
    gated: bool
    requests: Requests
    scoring: tuple[int, int]
    ports: tuple[HostPort, ...]
    tolerations: tuple[Toleration, ...]
    node_selector: tuple[tuple[str, str], ...]
    node_terms: tuple[NodeTerm, ...] | None
    """Required node affinity: one of these must fit. None asks nothing; an empty tuple fits nowhere."""
    preferred_node_terms: tuple[NodeTerm, ...]
    images: tuple[str, ...]
    pinned_to: tuple[str, ...] | None
    """The only nodes that its node affinity leaves by their names, as a DaemonSet's pods are pinned. None leaves all."""


Shape: TypeAlias = tuple[Needs, Group, PodTerms, tuple[Spread, ...], tuple[UsedDevices, ...]]


class PodInfo(NamedTuple):
    """A pod as the scheduler sees it."""

    key: str
    namespace: str
    name: str
    uid: str
    generation: int
    """Which change of its spec this is; 0 where that isn't counted."""
    node_name: str
    nominated: str
    """The node that was cleared for it."""
    scheduler: str
    finished: bool
    """Succeeded or failed: it takes nothing on its node any more."""
    preempted: bool
    """It is on its way out because a pod of a higher priority is to have its place."""
    started: str
    """When its node took it up; empty before that."""
    owner: Owner | None
    group: Group
    terms: PodTerms
    spreads: tuple[Spread, ...]
    needs: Needs
    claims: tuple[UsedClaim, ...]
    devices: tuple[UsedDevices, ...]
    """Its claims on devices, which may be made only once it is there."""

    @property
    def shape(self) -> Shape:
        """What of it decides where it can go: while this stays the same, trying again is no use, and pods alike in it are treated alike."""
        return (self.needs, self.group, self.terms, self.spreads, self.devices)


NO_TERMS = PodTerms()
_AS_MADE = 1
"""The generation of a pod whose spec is as it was made, unless it is on its way out: that begins with one more."""


@lru_cache(maxsize=limits.SHARED_POD_PARTS)
def shared(value: H) -> H:
    """The one copy of a value that equal ones share."""
    return value


class _Standing(TypedDict):
    """What of a `PodInfo` changes while a pod stays what it was made to be."""

    generation: int
    node_name: str
    nominated: str
    finished: bool
    preempted: bool
    started: str
    owner: Owner | None
    group: Group


def _standing(pod: Object) -> _Standing:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    return {
        "generation": generation_of(pod),
        "node_name": spec.get("nodeName") or "",
        "nominated": status.get("nominatedNodeName") or "",
        "finished": is_finished(pod),
        "preempted": _is_preempted(pod),
        "started": status.get("startTime") or "",
        "owner": _owner(pod),
        "group": _group(pod),
    }


def read_pod(pod: Object) -> PodInfo:
    """What the scheduler needs of a pod."""
    return _read(pod, _standing(pod))


def _read(pod: Object, standing: _Standing) -> PodInfo:
    metadata = pod["metadata"]
    namespace, name, labels = metadata.get("namespace") or "", metadata["name"], metadata.get("labels") or {}
    spec = (pod.get("spec") or {}) if standing["generation"] - standing["group"].terminating <= _AS_MADE else spec_in_force(pod)
    if standing["node_name"]:  # the rest is spelled alike for all pods of a template, wherever they are
        spec = {field: value for field, value in spec.items() if field != "nodeName"}
    affinity, constraints = spec.get("affinity"), spec.get("topologySpreadConstraints")
    return PodInfo(
        key=f"{namespace}/{name}",
        namespace=namespace,
        name=name,
        uid=metadata["uid"],
        scheduler=spec.get("schedulerName") or DEFAULT_SCHEDULER,
        terms=shared(_terms(affinity, namespace, labels)) if affinity else NO_TERMS,
        spreads=shared(tuple(_spread(constraint, labels) for constraint in constraints)) if constraints else (),
        needs=_needs_of(spec),
        claims=_claims(pod) if spec.get("volumes") else (),
        devices=used_devices(pod) if spec.get("resourceClaims") else (),
        **standing,
    )


def read_again(pod: Object, before: PodInfo) -> PodInfo:
    """What the scheduler needs of a pod that it has read before: nearly always, only its node and its status have changed."""
    standing = _standing(pod)
    group = standing["group"]
    is_as_made = before.generation - before.group.terminating == standing["generation"] - group.terminating == _AS_MADE
    is_the_same = before.uid == pod["metadata"]["uid"] and before.group.labels == group.labels
    if is_as_made and is_the_same and not pod["spec"].get("resourceClaims"):
        return before._replace(**standing)
    return _read(pod, standing)


def _owner(pod: Object) -> Owner | None:
    owner = controller_of(pod)
    return shared(Owner(owner.get("apiVersion") or "", owner.get("kind") or "", owner.get("name") or "")) if owner else None


def _group(pod: Object) -> Group:
    metadata = pod["metadata"]
    labels = tuple(sorted((metadata.get("labels") or {}).items()))
    group: Group = shared(Group(metadata.get("namespace") or "", labels, "deletionTimestamp" in metadata))
    return group


def _is_preempted(pod: Object) -> bool:
    return "deletionTimestamp" in pod["metadata"] and (condition(pod, DISRUPTION_TARGET) or {}).get("reason") == PREEMPTED


def _claims(pod: Object) -> tuple[UsedClaim, ...]:
    return tuple(UsedClaim(ObjectKey(namespace_of(pod), used.name), used.ephemeral) for used in pod_claims(pod))


def _needs(spec: Object) -> Needs:
    nodes = node_affinity_of(spec)
    terms = required_terms(nodes)
    needs = Needs(
        priority=spec.get("priority") or 0,
        may_preempt=spec.get("preemptionPolicy") != "Never",
        gated=bool(spec.get("schedulingGates")),
        requests=shared(pod_requests(spec)),
        scoring=shared(scoring_requests(spec)),
        ports=shared(host_ports(spec)),
        tolerations=shared(tolerations_of(spec)),
        node_selector=shared(tuple(sorted((spec.get("nodeSelector") or {}).items()))),
        node_terms=terms,
        preferred_node_terms=preferred_terms(nodes),
        images=shared(tuple(map(_image, (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))))),
        pinned_to=_pinned_to(terms),
    )
    one: Needs = shared(needs)
    return one


_needs_of = FoundBefore(_needs)


def _image(container: Object) -> str:
    """As nodes name it: with a tag."""
    image: str = container.get("image") or ""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"


def _pinned_to(terms: tuple[NodeTerm, ...] | None) -> tuple[str, ...] | None:
    """The nodes that all terms together name; None where one of them names none."""
    if not terms:
        return None
    names: dict[str, None] = {}
    for term in terms:
        wanted = [rule.values for rule in term.names.requirements if rule.key == NAME_FIELD and rule.operator == "in"]
        if not wanted:
            return None
        names.update(dict.fromkeys(name for name in wanted[0] if all(name in values for values in wanted)))
    return tuple(names)


def _terms(affinity: Object, namespace: str, labels: dict[str, str]) -> PodTerms:
    near, apart = affinity.get("podAffinity") or {}, affinity.get("podAntiAffinity") or {}
    return PodTerms(
        affinity=tuple(_pod_term(term, namespace, labels) for term in near.get(_REQUIRED) or ()),
        anti_affinity=tuple(_pod_term(term, namespace, labels) for term in apart.get(_REQUIRED) or ()),
        preferred=(*_preferred(near, namespace, labels, 1), *_preferred(apart, namespace, labels, -1)),
    )


def _preferred(affinity: Object, namespace: str, labels: dict[str, str], sign: int) -> tuple[PodTerm, ...]:
    preferred = affinity.get(_PREFERRED) or ()
    return tuple(_pod_term(item["podAffinityTerm"], namespace, labels, sign * (item.get("weight") or 0)) for item in preferred)


def _pod_term(term: Object, namespace: str, labels: dict[str, str], weight: int = 0) -> PodTerm:
    named = tuple(term.get("namespaces") or ())
    selected = term.get("namespaceSelector")
    selector = from_object(term.get("labelSelector"))
    if term.get("matchLabelKeys") or term.get("mismatchLabelKeys"):
        selector = _narrowed(selector, term, labels)
    return PodTerm(
        topology_key=term.get("topologyKey") or "",
        selector=selector,
        namespaces=named or (() if selected is not None else (namespace,)),
        namespace_selector=from_object(selected) if selected is not None else None,
        weight=weight,
    )


def _narrowed(selector: LabelSelector, term: Object, labels: dict[str, str]) -> LabelSelector:
    """What the label keys of a term mean stands in its selector since its pod was made, but for pods of earlier releases."""
    there = {(requirement.key, requirement.operator) for requirement in selector.requirements}
    added = [
        Requirement(key, operator, (labels[key],))
        for name, operator in (("matchLabelKeys", "in"), ("mismatchLabelKeys", "notin"))
        for key in term.get(name) or ()
        if key in labels and (key, operator) not in there
    ]
    return LabelSelector((*selector.requirements, *added), impossible=selector.impossible) if added else selector


def _spread(constraint: Object, labels: dict[str, str]) -> Spread:
    selector = from_object(constraint.get("labelSelector"))
    if constraint.get("matchLabelKeys"):
        selector = _narrowed(selector, constraint, labels)
    return Spread(
        max_skew=constraint.get("maxSkew") or 1,
        topology_key=constraint.get("topologyKey") or "",
        selector=selector,
        min_domains=constraint.get("minDomains") or 1,
        honours_affinity=constraint.get("nodeAffinityPolicy") != "Ignore",
        honours_taints=constraint.get("nodeTaintsPolicy") == "Honor",
        required=constraint.get("whenUnsatisfiable") != "ScheduleAnyway",
    )

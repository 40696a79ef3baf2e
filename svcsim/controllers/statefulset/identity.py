"""What tells the pods of a StatefulSet apart: the ordinal at the end of a pod's name, and what follows from that."""

import re
from typing import NamedTuple

from svcsim.client.pod_control import new_pod
from svcsim.client.revisions import HASH_LABEL
from svcsim.controllers.statefulset.claims import with_claims
from svcsim.dialect import Dialect
from svcsim.meta.objects import labels_of, name_of
from svcsim.meta.types import Object

_ORDINAL = re.compile(r"0|[1-9][0-9]{0,9}")


class Member(NamedTuple):
    """What the name of a pod says: of which set it would be, and which one of it."""

    set_name: str
    ordinal: int


def member(pod_name: str) -> Member | None:
    """What a pod's name says; None for the name of a pod that can be no StatefulSet's."""
    set_name, dash, digits = pod_name.rpartition("-")
    if not dash or not set_name or not _ORDINAL.fullmatch(digits):
        return None
    return Member(set_name, int(digits))


def ordinal_of(pod: Object) -> int:
    """The ordinal of a pod that is a StatefulSet's."""
    found = member(name_of(pod))
    if found is None:
        raise ValueError(f"{name_of(pod)} has no ordinal")
    return found.ordinal


def first_ordinal(stateful_set: Object) -> int:
    start: int = (stateful_set["spec"].get("ordinals") or {}).get("start") or 0
    return start


def ordinals(stateful_set: Object) -> range:
    """The ordinals of the pods that a set should have."""
    first = first_ordinal(stateful_set)
    return range(first, first + stateful_set["spec"].get("replicas", 1))


def pod_name(stateful_set: Object, ordinal: int) -> str:
    return f"{name_of(stateful_set)}-{ordinal}"


def identity_matches(pod: Object, dialect: Dialect) -> bool:
    """Whether a pod carries its own name, by which services select single pods of a set."""
    return labels_of(pod).get(dialect.key("pod-name", "statefulset")) == name_of(pod)


def identity_labels(name: str, ordinal: int, dialect: Dialect) -> dict[str, str]:
    return {dialect.key("pod-name", "statefulset"): name, dialect.key("pod-index", "apps"): str(ordinal)}


def stateful_pod(stateful_set: Object, template: Object, revision: str, ordinal: int, dialect: Dialect) -> Object:
    """The pod of an ordinal, of a revision and its template."""
    name = pod_name(stateful_set, ordinal)
    pod = new_pod(stateful_set, template)
    pod["metadata"]["name"] = name
    pod["metadata"]["labels"] = {**labels_of(pod), HASH_LABEL: revision, **identity_labels(name, ordinal, dialect)}
    pod["spec"]["hostname"] = name
    if stateful_set["spec"].get("serviceName"):
        pod["spec"]["subdomain"] = stateful_set["spec"]["serviceName"]
    return with_claims(stateful_set, pod)

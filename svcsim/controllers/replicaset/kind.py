"""The kinds that keep a number of pods of one template: what tells them apart for the controller, which is the same for both."""

from collections.abc import Callable
from typing import NamedTuple

from svcsim.meta.label_selectors import LabelSelector, from_object
from svcsim.meta.types import Object


class KeeperKind(NamedTuple):
    """A kind of object that keeps pods. Both report the same counts and the same condition."""

    kind: str
    api_version: str
    plural: str
    controller: str
    """What its controller is called in the log."""
    selector: Callable[[Object], LabelSelector]
    """Returns the selector of an object's pods."""


def _by_rules(replica_set: Object) -> LabelSelector:
    return from_object(replica_set["spec"].get("selector"))


def _by_labels(controller: Object) -> LabelSelector:
    return from_object({"matchLabels": controller["spec"].get("selector") or {}})


REPLICA_SET = KeeperKind("ReplicaSet", "apps/v1", "replicasets", "replicaset controller", _by_rules)
REPLICATION_CONTROLLER = KeeperKind("ReplicationController", "v1", "replicationcontrollers", "replication controller", _by_labels)
"""What ReplicaSets were before they were: selects by labels alone, by those of its template where it doesn't say."""

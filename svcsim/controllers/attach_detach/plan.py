"""Where a volume is to be attached, and where it is to be detached. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from svcsim.meta.attachments import attached_node, is_named_by_content, may_be_on_several_nodes
from svcsim.meta.objects import is_terminating, name_of, namespace_of
from svcsim.meta.types import Object


class Plan(NamedTuple):
    attach: list[str]
    """Nodes."""
    refused: list[str]
    """Nodes that have to wait, since it is elsewhere and can only be in one place."""
    detach: list[Object]
    """Attachments that are no longer needed; those that a user made are the user's."""


def plan_attachments(volume: Object | None, pods: Mapping[str, Sequence[Object]], attachments: Sequence[Object]) -> Plan:
    """``pods`` are those that use the volume, by node; empty where it need not be attached."""
    there = [attached_node(attachment)[0] for attachment in attachments]
    detach = [one for one in attachments if attached_node(one)[0] not in pods and is_named_by_content(one) and not is_terminating(one)]
    missing = [node for node in pods if node not in there]
    if volume is None or may_be_on_several_nodes(volume):
        return Plan(missing, [], detach)
    if there:
        return Plan([], missing, detach)
    return Plan(missing[:1], missing[1:], detach)


def multi_attach_message(volume: str, pod: Object, others: Sequence[Object]) -> str:
    """``others`` are the pods that use it on other nodes."""
    near = [name_of(other) for other in others if namespace_of(other) == namespace_of(pod)]
    far = len(others) - len(near)
    if near:
        used = f"Volume is already used by pod(s) {', '.join(near)}" + (f" and {far} pod(s) in different namespaces" if far else "")
    elif far:
        used = f"Volume is already used by {far} pod(s) in different namespaces"
    else:
        used = "Volume is already exclusively attached to one node and can't be attached to another"
    return f'Multi-Attach error for volume "{volume}" {used}'

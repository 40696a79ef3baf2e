"""Why a pod has no node: the scheduler's verdict in plain words."""

import re
from collections.abc import Sequence

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.claims import StorageKeys
from svcsim.meta.objects import annotations_of, condition, condition_is, get_path, is_terminating, name_of
from svcsim.meta.types import Object
from svcsim.printing.why.device_claims import not_made, wanted_device_claims, without_devices
from svcsim.printing.why.places import taints_left
from svcsim.printing.why.pod_volumes import wanted_claims
from svcsim.printing.why.verdict import Coming, Facts, Verdict, Wanted, counted, do, sentence

_DEVICES = r"(?:still not schedulable|no new claims to deallocate|deallocation of ResourceClaim completed)"
_VERDICT = re.compile(rf"0/(\d+) nodes are available: (.*?)\.(?: {_DEVICES})?(?:,? preemption: (.*))?\Z", re.DOTALL)
_REASON = re.compile(r"(\d+) ((?:(?!, \d+ ).)+)")
_PREEMPTION = re.compile(r"(\d+) (No preemption victims found|Preemption is not helpful)")
_NO_VICTIMS = "No preemption victims found"
_TAKEN = "another pod that uses its claim, which is for one pod alone (ReadWriteOncePod)"
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"Insufficient (.+)", r"too little \1 left for what it requests"),
        (r"Too many pods", "as many pods as may be there"),
        (r"node\(s\) were unschedulable", "been cordoned"),
        (r"node\(s\) had untolerated taint(?:\(s\))? \{(.+): \}", r"a taint that it doesn't tolerate {\1}"),
        (r"node\(s\) had untolerated taint(?:\(s\)| (\{.*\}))", r"a taint that it doesn't tolerate \1"),
        (r"node\(s\) didn't match Pod's node affinity/selector", "other labels than its node selector or affinity asks for"),
        (r"node\(s\) didn't match the requested node name", "another name than it asks for"),
        (r"node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\]", "another name than it asks for"),
        (r"node\(s\) didn't have free ports for the requested pod ports", "a pod with the same host port"),
        (r"node\(s\) didn't match pod topology spread constraints \(missing required label\)", "no label that its spread constraint names"),
        (r"node\(s\) didn't match pod topology spread constraints", "too many pods of its like, by its spread constraint"),
        (r"node\(s\) didn't match pod affinity rules", "none of the pods near that it wants to be near to"),
        (r"node\(s\) didn't match pod anti-affinity rules", "a pod near that it wants to be away from"),
        (r"node\(s\) didn't satisfy existing pods anti-affinity rules", "a pod near that wants to be away from it"),
        (r"node\(s\) had volume node affinity conflict", "no way to a volume that it uses"),
        (r"node\(s\) didn't match PersistentVolume's node affinity", "no way to a volume that it uses"),
        (r"node\(s\) had no available volume zone", "another zone than a volume that it uses"),
        (r"node\(s\) unavailable due to one or more pvc\(s\) bound to non-existent pv\(s\)", "no volume for a claim whose volume is gone"),
        (
            r"node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
            _TAKEN,
        ),
        (r"node\(s\) didn't find available persistent volumes to bind", "no volume that fits its claims"),
        (r"node\(s\) did not have enough free storage", "too little room for a volume that is to be made for it"),
        (r"node\(s\) exceed max volume count", "as many volumes attached as may be"),
        (r"cannot allocate all claims", "no devices left that fulfil its claims"),
        (r"resourceclaim not available on the node", "no way to the devices that a claim of its has"),
        (r"timed out trying to allocate devices", "more choices of devices for its claims than can be tried out"),
    )
)
"""What a node has by which it refuses a pod, by the scheduler's words for that."""
OF_NOT_READY = ("/not-ready", "/unreachable", "/network-unavailable")
"""Taints of nodes that aren't ready."""
_NODES = "nodes"
_TRIED_AGAIN = Coming("the scheduler tries again as soon as something changes that could help")


def wanted_before_node(pod: Object, dialect: Dialect) -> list[Wanted]:
    """What tells why the pod has no node: its claims, and the nodes where the scheduler says that some aren't ready."""
    not_ready = any(name in _told_by_scheduler(pod) for name in OF_NOT_READY)
    return [
        *wanted_claims(pod),
        *wanted_device_claims(pod, dialect),
        *([Wanted(_NODES, "/api/v1/nodes", {"limit": limits.WHY_LISTED})] if not_ready else []),
    ]


def _told_by_scheduler(pod: Object) -> str:
    return str((condition(pod, "PodScheduled") or {}).get("message") or "")


def explain_unscheduled(pod: Object, facts: Facts) -> Verdict:
    """A pod that has no node."""
    spec = pod.get("spec") or {}
    gates = [str(gate.get("name", "")) for gate in spec.get("schedulingGates") or ()]
    if gates:
        because = f"Its scheduling gates hold it back: {', '.join(gates)}. Whoever set them has to take them off."
        return Verdict("isn't scheduled yet", because=(because,))
    if waits_for := not_made(pod, facts):
        return Verdict("isn't scheduled yet", because=waits_for)
    message = _told_by_scheduler(pod) or facts.event("FailedScheduling")
    claims = [claim for wanted in wanted_claims(pod) for claim in facts.all(wanted.name)]
    unbound = tuple(claim for claim in claims if get_path(claim, "status.phase") != "Bound" or is_terminating(claim))
    missing = [wanted.name for wanted in wanted_claims(pod) if facts.is_missing(wanted.name)]
    lost = tuple(f"There is no {name.replace('claim ', 'PersistentVolumeClaim ')}, which it uses." for name in missing)
    if not message:
        if node := _chosen_node(unbound, facts.dialect):
            volumes = " and ".join(f"PersistentVolumeClaim {name_of(claim)}" for claim in unbound)
            because = f"It is being placed on {node}, and waits there for {volumes} to be bound."
            return Verdict("isn't scheduled yet", because=(*lost, because), below=unbound)
        scheduler = spec.get("schedulerName") or "default-scheduler"
        return Verdict("isn't scheduled yet", because=(*lost, f"No scheduler has looked at it yet; it is {scheduler}'s to place."))
    not_ready = tuple(node for node in facts.all(_NODES) if not condition_is(node, "Ready") or taints_left(node, facts.dialect))
    nominated = get_path(pod, "status.nominatedNodeName")
    in_the_way = (
        unbound if "volume" in message.lower() else tuple(filter(_is_on_its_way_out, unbound))
    )  # others wait for the pod themselves
    then = Coming(f"it comes to {nominated} once pods of lower priority there have gone") if nominated else _TRIED_AGAIN
    return Verdict(
        "can't be scheduled",
        because=(*lost, *in_words(message)),
        then=(then,),
        below=(*in_the_way, *without_devices(pod, facts), *not_ready),
    )


def _is_on_its_way_out(claim: Object) -> bool:
    return is_terminating(claim) or get_path(claim, "status.phase") == "Lost"


def _chosen_node(claims: Sequence[Object], dialect: Dialect) -> str:
    """The node that the scheduler has chosen for a pod and told its claims; empty before that."""
    key = StorageKeys.of(dialect).selected_node
    return next((node for claim in claims if (node := annotations_of(claim).get(key))), "")


def in_words(message: str) -> tuple[str, ...]:
    """The scheduler's message in sentences; as it is where it isn't one of those known."""
    match = _VERDICT.match(message.strip())
    if match is None:
        return (sentence(f"The scheduler says: {message}"),)
    nodes, reasons, preemption = int(match[1]), match[2], match[3] or ""
    counts = [(int(number), text) for number, text in _REASON.findall(reasons)]
    said = [f"{_of(number, nodes)} {do(number, 'has', 'have')} {_reason(text)}" for number, text in counts]
    if not said:
        return (sentence(f"None of {counted(nodes, 'node')} takes it: {reasons}"),)
    return (f"No node takes it: {', '.join(said)}.", *_preemption(preemption))


def _of(number: int, nodes: int) -> str:
    if number == nodes:
        return "the only node" if nodes == 1 else f"all {nodes} nodes"
    return f"{number} of {nodes} nodes"


def _reason(text: str) -> str:
    for pattern, words in _WORDS:
        match = pattern.fullmatch(text.strip())
        if match is not None:
            return match.expand(words).strip()
    return f'"{text.strip()}" against it'


def _preemption(text: str) -> tuple[str, ...]:
    if "preemptionPolicy=Never" in text:
        return ("It may take no other pods away (preemptionPolicy Never).",)
    told = [what for _, what in _PREEMPTION.findall(text)]
    if not told:
        return ()
    if _NO_VICTIMS in told:
        return ("There are no pods of lower priority that could make room.",)
    return ("Taking other pods away wouldn't help.",)

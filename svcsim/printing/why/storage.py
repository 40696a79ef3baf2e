"""Claims and volumes: bound, or what they wait for."""

import re

from svcsim.dialect import Dialect
from svcsim.meta.objects import get_path, is_terminating
from svcsim.meta.quantity import parse
from svcsim.meta.types import Object
from svcsim.printing.why.attended import nobody
from svcsim.printing.why.conditions import in_words
from svcsim.printing.why.filled_claims import filled_from, unbound_source
from svcsim.printing.why.unbound_claims import consumers, waits_for, wanted_by
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, sentence

_FAILURES = {
    "ProvisioningFailed": "Making a volume for it failed",
    "FailedBinding": "Finding a volume for it failed",
    "VolumeFailedDelete": "Deleting it failed",
}
"""What is said before what events of these reasons tell."""
_TOLD = re.compile(r'no persistent volumes available for this claim and no storage class is set|storageclass\S* "\S*" not found')
"""The parts that are reported elsewhere, or are no longer true."""
_CHANGES = {
    "Resizing": "Its volume is being made larger",
    "FileSystemResizePending": "Its volume is larger by now; its file system follows once a pod uses it on a node",
    "ControllerResizeError": "Its volume can't be made larger",
    "NodeResizeError": "Its file system can't be made larger",
    "ModifyingVolume": "Its volume is being changed (volumeAttributesClassName)",
    "ModifyVolumeError": "Its volume can't be changed (volumeAttributesClassName)",
}
"""What conditions of a bound claim say."""


def _claim_wanted(claim: Object, dialect: Dialect) -> list[Wanted]:
    phase = get_path(claim, "status.phase", "Pending")
    return wanted_by(claim, dialect) if phase not in ("Bound", "Lost") and not is_terminating(claim) else []


def _explain_claim(claim: Object, facts: Facts) -> Verdict:
    spec, phase = claim.get("spec") or {}, get_path(claim, "status.phase", "Pending")
    if phase == "Bound":
        because = tuple(_change(one, facts) for one in get_path(claim, "status.conditions") or () if one.get("status") == "True")
        because = because or _not_grown(claim)
        return Verdict(f"is bound to the volume {spec.get('volumeName', '')}", fine=not because, because=because)
    if phase == "Lost":
        return Verdict("has lost its volume", because=(f"The volume {spec.get('volumeName', '')} isn't there any more.",))
    because = (*filled_from(claim, facts), *waits_for(claim, facts), *_failure(facts))
    return Verdict("isn't bound to a volume", because=because, below=(*unbound_source(facts), *consumers(claim, facts)))


def _not_grown(claim: Object) -> tuple[str, ...]:
    """That a bound claim asks for more than it has, and nobody has begun with that."""
    has, asks = get_path(claim, "status.capacity.storage"), get_path(claim, "spec.resources.requests.storage")
    if not has or not asks or not parse(has) < parse(asks):
        return ()
    return (f"It asks for {asks}, and has {has}.", nobody("begun to make its volume larger", "PersistentVolumeClaims"))


def _failure(facts: Facts) -> tuple[str, ...]:
    told = ((said, facts.event(reason)) for reason, said in _FAILURES.items())
    return tuple(sentence(f"{said}: {message}") for said, message in told if message and not _TOLD.match(message))


def _change(one: Object, facts: Facts) -> str:
    """What a condition says of a change of a volume that a claim has."""
    words = _CHANGES.get(str(one.get("type", "")))
    if words is None:
        return in_words(one)
    failed = facts.event("VolumeResizeFailed", until=("VolumeResizeSuccessful",)) if one["type"] == "Resizing" else ""
    told = one.get("message") or failed
    return sentence(f"{words}: {told}" if told else words)


def _volume_wanted(volume: Object, _dialect: Dialect) -> list[Wanted]:
    claim = get_path(volume, "spec.claimRef") or {}
    if not claim.get("name"):
        return []
    return [Wanted("claim", f"/api/v1/namespaces/{claim.get('namespace', '')}/persistentvolumeclaims/{claim['name']}")]


def _explain_volume(volume: Object, facts: Facts) -> Verdict:
    phase, policy = get_path(volume, "status.phase", "Pending"), get_path(volume, "spec.persistentVolumeReclaimPolicy", "Retain")
    claim = get_path(volume, "spec.claimRef") or {}
    whose = f"{claim.get('namespace', '')}/{claim.get('name', '')}"
    if phase == "Bound":
        return Verdict(f"is bound to the claim {whose}", fine=True)
    if phase == "Available" and claim.get("name"):
        there = "isn't there yet" if facts.is_missing("claim") else "isn't bound to it yet"
        kept = f"Its spec.claimRef keeps it for that claim, which {there}: no other can have it."
        return Verdict(f"is kept for the claim {whose}", fine=True, because=(kept,), below=tuple(facts.all("claim")))
    if phase == "Available":
        return Verdict("is free for a claim", fine=True)
    if phase == "Released":
        keeps = "It is kept as it is (Retain): whoever wants it used again deletes spec.claimRef, or the volume."
        then = (Coming("it is deleted"),) if policy == "Delete" else ()
        because = (keeps,) if policy == "Retain" else _failure(facts)
        return Verdict(f"has been released: its claim {whose} is gone", because=because, then=then)
    message = get_path(volume, "status.message") or get_path(volume, "status.reason") or ""
    if phase == "Failed":
        told = f"Its reclaim policy is {policy}, and that failed{f': {message}' if message else ''}"
        return Verdict(f"has failed: its claim {whose} is gone, and it couldn't be cleared away", because=(sentence(told),))
    if phase == "Pending" and not message:
        return Verdict("waits for its controller", because=(nobody("looked at it", "PersistentVolumes"),))
    return Verdict(f"is {str(phase).lower()}", because=(sentence(str(message)),) if message else ())


def _explain_attachment(attachment: Object, _facts: Facts) -> Verdict:
    spec, status = attachment.get("spec") or {}, attachment.get("status") or {}
    volume = get_path(spec, "source.persistentVolumeName") or "a volume of a pod's own"
    failed = [(what, get_path(status, f"{field}.message")) for what, field in (("Attaching", "attachError"), ("Detaching", "detachError"))]
    because = tuple(sentence(f"{what} it failed: {message}") for what, message in failed if message)
    where = f"{volume} to the node {spec.get('nodeName', '')}"
    if status.get("attached"):
        return Verdict(f"has attached {where}", fine=not because, because=because)
    return Verdict(f"hasn't attached {where}", because=because or (f"{spec.get('attacher', '')} has to attach it.",))


CLAIM = Explainer(_explain_claim, _claim_wanted)
VOLUME = Explainer(_explain_volume, _volume_wanted)
ATTACHMENT = Explainer(_explain_attachment)

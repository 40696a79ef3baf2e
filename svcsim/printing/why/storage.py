"""Claims and volumes: bound, or what they wait for."""

import re

from svcsim.dialect import Dialect
from svcsim.meta.claims import claim_key, claim_ref
from svcsim.meta.objects import annotations_of, get_path, name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.why.conditions import in_words
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, sentence

_FAILURES = {
    "ProvisioningFailed": "Making a volume for it failed",
    "FailedBinding": "Finding a volume for it failed",
    "VolumeFailedDelete": "Deleting it failed",
}
"""What is said before what events of these reasons tell."""
_TOLD = re.compile(r'no persistent volumes available for this claim and no storage class is set|storageclass\S* "\S*" not found')
"""What of that is told otherwise, or isn't so any more."""
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
    name = get_path(claim, "spec.storageClassName")
    wanted = [Wanted("class", f"/apis/{dialect.group('storage')}/v1/storageclasses/{name}")] if name else []
    if volume := get_path(claim, "spec.volumeName"):
        wanted.append(Wanted("volume", f"/api/v1/persistentvolumes/{volume}"))
    return wanted


def _explain_claim(claim: Object, facts: Facts) -> Verdict:
    spec, phase = claim.get("spec") or {}, get_path(claim, "status.phase", "Pending")
    if phase == "Bound":
        because = tuple(_change(one, facts) for one in get_path(claim, "status.conditions") or () if one.get("status") == "True")
        return Verdict(f"is bound to the volume {spec.get('volumeName', '')}", fine=not because, because=because)
    if phase == "Lost":
        return Verdict("has lost its volume", because=(f"The volume {spec.get('volumeName', '')} isn't there any more.",))
    return Verdict("isn't bound to a volume", because=(*_waits_for(claim, facts), *_failure(facts)))


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


def _waits_for(claim: Object, facts: Facts) -> tuple[str, ...]:
    spec = claim.get("spec") or {}
    if spec.get("volumeName"):
        return (f"It asks for the volume {spec['volumeName']}, which {_not_had(claim, facts)}.",)
    name = spec.get("storageClassName")
    if name is None:
        return ("It names no storage class, and there is no default one: it waits for a volume without a class that fits.",)
    if not name:
        return ('Its storage class is "": it waits for a volume without a class that fits.',)
    if facts.is_missing("class"):
        return (f"There is no StorageClass {name}.",)
    found = facts.one("class")
    if found is None:
        return (f"It waits for a volume of the storage class {name}.",)
    chosen = any(key.endswith("/selected-node") for key in annotations_of(claim))
    if found.get("volumeBindingMode") == "WaitForFirstConsumer" and not chosen:
        return (f"A volume of the storage class {name} is made for it once a pod that uses it is scheduled (WaitForFirstConsumer).",)
    provisioner = str(found.get("provisioner", ""))
    if provisioner.endswith("/no-provisioner"):
        return (f"It waits for a volume of the storage class {name} that fits; nobody makes any.",)
    return (f"It waits for {provisioner} to make a volume of the storage class {name}, or for one that fits.",)


def _volume_wanted(volume: Object, _dialect: Dialect) -> list[Wanted]:
    claim = get_path(volume, "spec.claimRef") or {}
    if not claim.get("name"):
        return []
    return [Wanted("claim", f"/api/v1/namespaces/{claim.get('namespace', '')}/persistentvolumeclaims/{claim['name']}")]


def _not_had(claim: Object, facts: Facts) -> str:
    """Why a claim hasn't got the volume that it asks for."""
    if facts.is_missing("volume"):
        return "isn't there"
    other = claim_ref(facts.one("volume") or {"spec": {}}) or {}
    if other.get("name") and claim_key(other) != (namespace_of(claim), name_of(claim)):
        return f"is kept for another claim, {other.get('namespace', '')}/{other['name']} (its spec.claimRef)"
    return "isn't bound to it yet"


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

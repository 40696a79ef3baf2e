"""Claims and volumes: bound, or what they wait for."""

from svcsim.dialect import Dialect
from svcsim.meta.objects import annotations_of, get_path, is_terminating, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Coming, Explainer, Facts, Verdict, Wanted, sentence

_FAILURES = ("ProvisioningFailed", "FailedBinding", "VolumeResizeFailed")


def _claim_wanted(claim: Object, dialect: Dialect) -> list[Wanted]:
    name = get_path(claim, "spec.storageClassName")
    wanted = [Wanted("class", f"/apis/{dialect.group('storage')}/v1/storageclasses/{name}")] if name else []
    if is_terminating(claim):
        wanted.append(Wanted("pods", f"/api/v1/namespaces/{namespace_of(claim)}/pods"))
    return wanted


def _explain_claim(claim: Object, facts: Facts) -> Verdict:
    spec, phase = claim.get("spec") or {}, get_path(claim, "status.phase", "Pending")
    if phase == "Bound":
        resizing = [one for one in get_path(claim, "status.conditions") or () if one.get("status") == "True"]
        because = tuple(sentence(f"{one.get('type', '')}: {one.get('message') or one.get('reason', '')}") for one in resizing)
        return Verdict(f"is bound to the volume {spec.get('volumeName', '')}", fine=not because, because=because)
    if phase == "Lost":
        return Verdict("has lost its volume", because=(f"The volume {spec.get('volumeName', '')} isn't there any more.",))
    return Verdict("isn't bound to a volume", because=(*_waits_for(claim, facts), *_failure(facts)))


def _failure(facts: Facts) -> tuple[str, ...]:
    message = facts.event(*_FAILURES)
    return (sentence(message),) if message else ()


def _waits_for(claim: Object, facts: Facts) -> tuple[str, ...]:
    spec = claim.get("spec") or {}
    if spec.get("volumeName"):
        return (f"It asks for the volume {spec['volumeName']}, which isn't bound to it yet.",)
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


def _explain_volume(volume: Object, _facts: Facts) -> Verdict:
    phase, policy = get_path(volume, "status.phase", "Pending"), get_path(volume, "spec.persistentVolumeReclaimPolicy", "Retain")
    claim = get_path(volume, "spec.claimRef") or {}
    whose = f"{claim.get('namespace', '')}/{claim.get('name', '')}"
    if phase == "Bound":
        return Verdict(f"is bound to the claim {whose}", fine=True)
    if phase == "Available":
        return Verdict("is free for a claim", fine=True)
    if phase == "Released":
        keeps = "It is kept as it is (Retain): whoever wants it used again deletes spec.claimRef, or the volume."
        then = (Coming("it is deleted"),) if policy == "Delete" else ()
        return Verdict(f"has been released: its claim {whose} is gone", because=(keeps,) if policy == "Retain" else (), then=then)
    message = get_path(volume, "status.message") or get_path(volume, "status.reason") or ""
    return Verdict(f"is {str(phase).lower()}", because=(sentence(str(message)),) if message else ())


CLAIM = Explainer(_explain_claim, _claim_wanted)
VOLUME = Explainer(_explain_volume)

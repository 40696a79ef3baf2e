"""Claims without a volume: what they wait for, and why the volumes that are there don't fit."""

from svcsim import limits
from svcsim.controllers.simulated_disks.originals import DataSource, is_for_populators
from svcsim.dialect import Dialect
from svcsim.meta.claims import (
    StorageKeys,
    access_modes,
    attributes_class,
    claim_key,
    claim_ref,
    claims_of,
    is_for,
    mode_of,
    size_of,
    volume_of,
    waits_for_consumer,
    wanted_size,
)
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import annotations_of, get_path, is_terminating, labels_of, name_of, namespace_of
from svcsim.meta.pods import is_active, node_of
from svcsim.meta.types import Object
from svcsim.meta.volume_matching import selects
from svcsim.printing.why.filled_claims import source_wanted
from svcsim.printing.why.verdict import Facts, Wanted, counted, do, listed

_CLASS = "class"
_VOLUME = "volume"
_VOLUMES = "volumes"
_PODS = "pods"
_TOLD = 3
"""The number of volumes that are named."""
_FIRST_CONSUMER = "once a pod that uses it is scheduled (WaitForFirstConsumer)"
_NO_POD = "No pod uses it yet."


def wanted_by(claim: Object, dialect: Dialect) -> list[Wanted]:
    """What tells why a claim has no volume."""
    claim = _with_spec(claim)
    name = _class_of(claim, StorageKeys.of(dialect))
    of_class = [Wanted(_CLASS, f"/apis/{dialect.group('storage')}/v1/storageclasses/{name}")] if name else []
    if volume := volume_of(claim):
        return [*of_class, Wanted(_VOLUME, f"/api/v1/persistentvolumes/{volume}")]
    of_class += source_wanted(claim)
    volumes = Wanted(_VOLUMES, "/api/v1/persistentvolumes", {"limit": limits.WHY_LISTED})
    return [*of_class, volumes, Wanted(_PODS, f"/api/v1/namespaces/{namespace_of(claim)}/pods", {"limit": limits.WHY_LISTED})]


def waits_for(claim: Object, facts: Facts) -> tuple[str, ...]:
    """What a claim waits for, in sentences."""
    claim, keys = _with_spec(claim), StorageKeys.of(facts.dialect)
    if volume := volume_of(claim):
        return (f"It asks for the volume {volume}, which {_not_had(claim, facts, keys)}.",)
    name, found = _class_of(claim, keys), facts.one(_CLASS)
    if name is None:
        head = "It names no storage class, and there is no default one: it waits for a volume without a class that fits."
    elif not name:
        head = 'Its storage class is "": it waits for a volume without a class that fits.'
    elif facts.is_missing(_CLASS):
        head = f"There is no StorageClass {name}, so that no volume is made for it: it waits for one of that class that fits."
    elif found is None:
        return (f"It waits for a volume of the storage class {name}.",)
    elif not selects(claim) and not _is_by_hand(found):
        return _waits_to_be_made(claim, found, facts, keys)
    else:
        by_hand = _is_by_hand(found)
        none_made = "nobody makes any" if by_hand else "none is made for a claim with a selector"
        head = f"It waits for a volume of the storage class {name} that fits; {none_made}."
        then = (f"It is bound {_FIRST_CONSUMER}.", *_unused(claim, facts)) if _waits_for_pod(claim, found, keys) else ()
        return (head, *then, *_misfits(claim, facts, keys, free=not by_hand))
    return (head, *_misfits(claim, facts, keys))


def consumers(claim: Object, facts: Facts) -> tuple[Object, ...]:
    """The pods that a claim waits for to be scheduled, where it waits for one."""
    found, keys = facts.one(_CLASS), StorageKeys.of(facts.dialect)
    if found is None or volume_of(_with_spec(claim)) or not _waits_for_pod(_with_spec(claim), found, keys):
        return ()
    return tuple(pod for pod in _users(claim, facts) if not node_of(pod))


def _users(claim: Object, facts: Facts) -> list[Object]:
    key = f"{namespace_of(claim)}/{name_of(claim)}"
    return [pod for pod in facts.all(_PODS) if is_active(pod) and key in claims_of(pod)]


def _unused(claim: Object, facts: Facts) -> tuple[str, ...]:
    """That no pod uses it."""
    return (_NO_POD,) if _PODS in facts.found and not _users(claim, facts) else ()


def _with_spec(claim: Object) -> Object:
    return {**claim, "metadata": claim.get("metadata") or {}, "spec": claim.get("spec") or {}}


def _class_of(claim: Object, keys: StorageKeys) -> str | None:
    """Its class; None where it says nothing of one."""
    return keys.class_of(claim) if keys.names_class(claim) else None


def _is_by_hand(storage_class: Object) -> bool:
    return str(storage_class.get("provisioner", "")).endswith("/no-provisioner")


def _waits_for_pod(claim: Object, storage_class: Object, keys: StorageKeys) -> bool:
    return waits_for_consumer(storage_class) and keys.selected_node not in annotations_of(claim)


def _waits_to_be_made(claim: Object, storage_class: Object, facts: Facts, keys: StorageKeys) -> tuple[str, ...]:
    name = keys.class_of(claim)
    if _waits_for_pod(claim, storage_class, keys):
        where = _topologies(storage_class)
        return (f"A volume of the storage class {name} is made for it {_FIRST_CONSUMER}{where}.", *_unused(claim, facts))
    provisioner, source = storage_class.get("provisioner", ""), DataSource.of(claim)
    if source is not None:
        return (
            ()
            if is_for_populators(source, facts.dialect)
            else (f"It waits for {provisioner} to make a volume of the storage class {name}.",)
        )
    free = _misfits(claim, facts, keys, free=True)
    return (f"It waits for {provisioner} to make a volume of the storage class {name}, or for one that fits.", *free)


def _topologies(storage_class: Object) -> str:
    """Where a class makes volumes, if not everywhere: no pod that uses one is scheduled elsewhere."""
    terms = [
        " and ".join(f"{one.get('key', '')} is {' or '.join(one.get('values') or ())}" for one in term.get("matchLabelExpressions") or ())
        for term in storage_class.get("allowedTopologies") or ()
    ]
    return f", on a node whose label {', or '.join(terms)} (allowedTopologies)" if terms else ""


def _misfits(claim: Object, facts: Facts, keys: StorageKeys, *, free: bool = False) -> tuple[str, ...]:
    """Why the volumes of its class don't fit, or those of them alone that no other claim has."""
    if _VOLUMES not in facts.found:
        return ()
    volumes = [volume for volume in facts.all(_VOLUMES) if keys.class_of(volume) == keys.class_of(claim)]
    if not volumes and not free:
        return ("There is no volume of that class.",)
    volumes = [volume for volume in volumes if not free or claim_ref(volume) is None]
    told = [f"The volume {name_of(volume)} doesn't fit: it {why}." for volume in volumes if (why := _misfit(volume, claim))]
    more = len(told) - _TOLD
    rest = (f"And {counted(more, 'other')} of that class {do(more, 'does', 'do')} not fit either.",) if more > 0 else ()
    return (*told[:_TOLD], *rest)


def _not_had(claim: Object, facts: Facts, keys: StorageKeys) -> str:
    """Why a claim hasn't got the volume that it asks for."""
    if facts.is_missing(_VOLUME):
        return "isn't there"
    volume = facts.one(_VOLUME)
    if volume is None or not volume.get("spec"):
        return "isn't bound to it yet"
    other = claim_ref(volume) or {}
    if other.get("name") and not is_for(volume, claim):
        return f"is kept for another claim, {'/'.join(claim_key(other))} (its spec.claimRef)"
    of_class, asked = keys.class_of(volume), keys.class_of(claim)
    why = f'is of the storage class "{of_class}", and not "{asked}"' if of_class != asked else _misfit(volume, claim, by_name=True)
    return f"can't be bound to it: it {why}" if why else "isn't bound to it yet"


def _misfit(volume: Object, claim: Object, *, by_name: bool = False) -> str:
    """Why a claim can't have a volume of its class, as what follows "it"; empty if it can, be it a volume that it asks for by its name."""
    other, size, selector = claim_ref(volume), size_of(volume), claim["spec"].get("selector")
    lacking = [mode for mode in access_modes(claim) if mode not in access_modes(volume)]
    phase = get_path(volume, "status.phase", "Pending")
    if is_terminating(volume):
        return "is being deleted"
    if other is not None and not is_for(volume, claim):
        return f"is for another claim, {'/'.join(claim_key(other))}"
    if size < wanted_size(claim):
        return f"is too small ({size}, and {wanted_size(claim)} is asked for)"
    if mode_of(volume) != mode_of(claim):
        return f"is of the mode {mode_of(volume)}, and not {mode_of(claim)}"
    if lacking:
        return f"lacks the access {do(len(lacking), 'mode', 'modes')} {listed(lacking)}"
    if attributes_class(volume) != attributes_class(claim):
        return f'is of the volume attributes class "{attributes_class(volume)}", and not "{attributes_class(claim)}"'
    if by_name:
        return ""
    if selector is not None and not from_object(selector).matches(labels_of(volume)):
        return "hasn't the labels that the claim's selector asks for"
    return "" if phase == "Available" or other is not None else f"isn't free yet ({phase})"

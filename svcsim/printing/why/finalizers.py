"""What finalizers hold an object for that is being deleted, and what it is that they wait for, where that can be found."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.claims import attributes_class, attributes_classes_of, claims_of
from svcsim.meta.device_claims import DeviceKeys, users_of
from svcsim.meta.ip_addresses import is_allotted
from svcsim.meta.names import DEFINITION_CLEANUP, FOREGROUND, ORPHAN
from svcsim.meta.networks import Network, parse_address, parse_networks
from svcsim.meta.objects import condition_is, controller_of, finalizers_of, get_path, metadata_of, name_of, namespace_of, uid_of
from svcsim.meta.pods import is_finished, node_of
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Facts, Wanted

LEFT = "left"
"""Under this name the facts have what an object waits for: what it owns, or what is in it."""
_HELD = "held by"
"""Under this name they have what may hold an object."""
_HELD_TOO = "held by these, too"
"""And under this, where that may be objects of two kinds."""


def _nothing(_obj: Object, _dialect: Dialect) -> tuple[()]:
    return ()


class _Hold(NamedTuple):
    """What a finalizer waits for."""

    until: str
    """What has to be, after a colon."""
    over: str = ""
    """That there is nothing left to wait for, after "though"."""
    wanted: Callable[[Object, Dialect], Iterable[Wanted]] = _nothing
    holders: Callable[[Object, Facts], list[Object] | None] = lambda _obj, _facts: None
    """What it waits for; None where that can't be known."""


def wanted_for(obj: Object, dialect: Dialect) -> list[Wanted]:
    """What tells who holds an object that is being deleted."""
    holds = _holds(dialect)
    return [one for finalizer in finalizers_of(obj) if finalizer in holds for one in holds[finalizer].wanted(obj, dialect)]


def held(finalizer: str, obj: Object, facts: Facts) -> str:
    """That a finalizer holds an object, and what for, in a sentence."""
    hold = _holds(facts.dialect).get(finalizer)
    if hold is None:
        manager = _who_set(finalizer, obj)
        by = f", set by {manager}," if manager else ""
        return f"The finalizer {finalizer}{by} holds it: whoever that is for has to do its work and take it off."
    if hold.over and hold.holders(obj, facts) == []:
        return f"The finalizer {finalizer} holds it, though {hold.over}: no controller that takes it off runs, or it hasn't come to it."
    return f"The finalizer {finalizer} holds it: {hold.until}."


def holders(obj: Object, facts: Facts) -> list[Object]:
    """The objects that its finalizers wait for."""
    holds = _holds(facts.dialect)
    return [one for finalizer in finalizers_of(obj) if finalizer in holds for one in holds[finalizer].holders(obj, facts) or ()]


def _who_set(finalizer: str, obj: Object) -> str:
    """The manager of the fields who put a finalizer there, as far as that is recorded."""
    for entry in metadata_of(obj).get("managedFields") or ():
        fields = get_path(entry, "fieldsV1")
        owned = ((fields or {}).get("f:metadata") or {}).get("f:finalizers") or {}
        if f'v:"{finalizer}"' in owned:
            return str(entry.get("manager", ""))
    return ""


# --- what each waits for ---


def _left(_obj: Object, facts: Facts) -> list[Object] | None:
    return facts.all(LEFT) or None  # some kinds may not be read: that nothing was found says nothing


def _pods_of_namespace(obj: Object, _dialect: Dialect) -> list[Wanted]:
    return [Wanted(_HELD, f"/api/v1/namespaces/{namespace_of(obj)}/pods")]


def _users(claim: Object, facts: Facts) -> list[Object] | None:
    """The pods that keep a claim: those that have it on a node."""
    key = f"{namespace_of(claim)}/{name_of(claim)}"
    pods = facts.found.get(_HELD)
    return None if pods is None else [pod for pod in pods if node_of(pod) and not is_finished(pod) and key in claims_of(pod)]


def _users_of_devices(claim: Object, facts: Facts) -> list[Object] | None:
    pods, users = facts.found.get(_HELD), [one.get("uid") for one in users_of(claim)]
    return None if pods is None else [pod for pod in pods if uid_of(pod) in users]


def _claim_of_volume(volume: Object, _dialect: Dialect) -> list[Wanted]:
    claim = get_path(volume, "spec.claimRef") or {}
    path = f"/api/v1/namespaces/{claim.get('namespace', '')}/persistentvolumeclaims/{claim.get('name', '')}"
    return [Wanted(_HELD, path)] if claim.get("name") else []


def _owner_of_volume(volume: Object, facts: Facts) -> list[Object] | None:
    """The claim that keeps a volume."""
    uid = get_path(volume, "spec.claimRef.uid")
    claims = facts.found.get(_HELD)
    return None if claims is None else [claim for claim in claims if not uid or uid_of(claim) == uid]


def _claims_and_volumes(_attributes: Object, _dialect: Dialect) -> list[Wanted]:
    return [Wanted(_HELD, "/api/v1/persistentvolumeclaims"), Wanted(_HELD_TOO, "/api/v1/persistentvolumes")]


def _having_attributes(attributes: Object, facts: Facts) -> list[Object] | None:
    """The claims and volumes that keep a VolumeAttributesClass."""
    claims, volumes, name = facts.found.get(_HELD), facts.found.get(_HELD_TOO), name_of(attributes)
    if claims is None or volumes is None:
        return None
    return [one for one in claims if name in attributes_classes_of(one)] + [one for one in volumes if attributes_class(one) == name]


def _job_of_pod(pod: Object, _dialect: Dialect) -> list[Wanted]:
    owner = controller_of(pod) or {}
    path = f"/apis/batch/v1/namespaces/{namespace_of(pod)}/jobs/{owner.get('name', '')}"
    return [Wanted(_HELD, path)] if owner.get("kind") == "Job" else []


def _counting_job(pod: Object, facts: Facts) -> list[Object] | None:
    jobs, uid = facts.found.get(_HELD), (controller_of(pod) or {}).get("uid")
    return None if jobs is None else [job for job in jobs if uid_of(job) == uid]


def _objects_of_definition(definition: Object, _dialect: Dialect) -> list[Wanted]:
    spec = definition.get("spec") or {}
    version = next((one.get("name", "") for one in spec.get("versions") or () if one.get("served")), "")
    plural = get_path(definition, "status.acceptedNames.plural") or get_path(spec, "names.plural", "")
    established = condition_is(definition, "Established")
    path = f"/apis/{spec.get('group', '')}/{version}/{plural}"
    return [Wanted(_HELD, path, {"limit": limits.WHY_LISTED})] if version and plural and established else []


def _instances(_definition: Object, facts: Facts) -> list[Object] | None:
    return facts.found.get(_HELD)


def _addresses(_cidr: Object, dialect: Dialect) -> list[Wanted]:
    return [Wanted(_HELD, f"/apis/{dialect.group('networking')}/v1/ipaddresses", {"limit": limits.WHY_LISTED})]


def _addresses_of_services(cidr: Object, facts: Facts) -> list[Object] | None:
    """The addresses of Services that are in its networks, while its own condition says that such keep it."""
    addresses = facts.found.get(_HELD)
    if addresses is None or not condition_is(cidr, "Ready", "False"):
        return None
    networks = parse_networks(get_path(cidr, "spec.cidrs") or ())
    return [one for one in addresses if is_allotted(one, facts.dialect) and _is_within(name_of(one), networks)] or None


def _is_within(text: str, networks: tuple[Network, ...]) -> bool:
    address = parse_address(text)
    return address is not None and any(address in network for network in networks)


def _holds(dialect: Dialect) -> dict[str, _Hold]:
    """By the finalizers, as a dialect calls them."""
    return {
        FOREGROUND: _Hold("it waits until what it owns, by references with blockOwnerDeletion, is gone", holders=_left),
        ORPHAN: _Hold("the garbage collector has to take it out of what it owns, which stays"),
        dialect.key("pvc-protection"): _Hold(
            "it waits until no pod uses it any more", "no pod uses it any more", _pods_of_namespace, _users
        ),
        DeviceKeys.of(dialect).protection: _Hold(
            "it waits until no pod uses its devices any more",
            "no pod uses its devices any more",
            _pods_of_namespace,
            _users_of_devices,
        ),
        dialect.key("pv-protection"): _Hold(
            "it waits until no claim is bound to it any more", "its claim is gone", _claim_of_volume, _owner_of_volume
        ),
        dialect.key("vac-protection"): _Hold(
            "it waits until no claim and no volume names it any more",
            "no claim and no volume names it any more",
            _claims_and_volumes,
            _having_attributes,
        ),
        dialect.key("finalizer", "external-provisioner.volume"): _Hold("who made it has to delete what it stands for first"),
        dialect.key("job-tracking", "batch"): _Hold("its Job has to count it first", "its Job is gone", _job_of_pod, _counting_job),
        dialect.key("load-balancer-cleanup", "service"): _Hold("its load balancer has to be taken down first"),
        dialect.group(DEFINITION_CLEANUP): _Hold(
            "all its custom resources have to go first", "no custom resource of it is left", _objects_of_definition, _instances
        ),
        f"{dialect.group('networking')}/service-cidr-finalizer": _Hold(
            "no Service may have an address of it any more that is in no other ServiceCIDR", "", _addresses, _addresses_of_services
        ),
    }

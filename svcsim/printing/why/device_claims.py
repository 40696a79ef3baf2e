"""Claims on devices: which devices they have, who uses them, or why they have none."""

from svcsim import limits
from svcsim.dialect import Dialect
from svcsim.meta.device_claims import DeviceKeys, allocation_of, devices_held, used_devices, users_of
from svcsim.meta.objects import get_path, is_terminating, name_of, namespace_of
from svcsim.meta.pods import is_active, node_of
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Explainer, Facts, Verdict, Wanted, counted, do, listed
from svcsim.scheduler.devices.wishes import class_names

_CLASS = "class "
_SLICES = "slices"
_CLAIMS = "claims"
_PODS = "pods"
_TOLD = 3
"""The number of devices or pods that are named."""


def wanted_device_claims(pod: Object, dialect: Dialect) -> list[Wanted]:
    """The claims on devices that a pod uses, each under a name of its own."""
    path = f"/apis/{DeviceKeys.of(dialect).api_version}/namespaces/{namespace_of(pod)}/resourceclaims"
    return [Wanted(f"device claim {used.claim}", f"{path}/{used.claim}") for used in used_devices(pod) if used.claim]


def not_made(pod: Object, facts: Facts) -> tuple[str, ...]:
    """The claims on devices that a pod waits for, in sentences."""
    told = [
        f"It waits for the ResourceClaim of its entry {used.entry} to be made from the ResourceClaimTemplate {used.template}."
        for used in used_devices(pod)
        if used.is_awaited
    ]
    told += [
        f"There is no ResourceClaim {used.claim}, which it uses."
        for used in used_devices(pod)
        if used.claim and facts.is_missing(f"device claim {used.claim}")
    ]
    if told and (why := facts.event("FailedResourceClaimCreation")):
        told.append(f"Making one failed: {why}.")
    return tuple(told)


def without_devices(pod: Object, facts: Facts) -> list[Object]:
    """The claims of a pod that have no devices, or are on their way out."""
    claims = [claim for wanted in wanted_device_claims(pod, facts.dialect) for claim in facts.all(wanted.name)]
    return [claim for claim in claims if allocation_of(claim) is None or is_terminating(claim)]


def _wanted(claim: Object, dialect: Dialect) -> list[Wanted]:
    if allocation_of(claim) is not None or is_terminating(claim):
        return []
    api = f"/apis/{DeviceKeys.of(dialect).api_version}"
    return [
        *(Wanted(f"{_CLASS}{name}", f"{api}/deviceclasses/{name}") for name in dict.fromkeys(class_names(claim))),
        Wanted(_SLICES, f"{api}/resourceslices", {"limit": limits.WHY_LISTED}),
        Wanted(_CLAIMS, f"{api}/resourceclaims", {"limit": limits.WHY_LISTED}),
        Wanted(_PODS, f"/api/v1/namespaces/{namespace_of(claim)}/pods", {"limit": limits.WHY_LISTED}),
    ]


def _explain(claim: Object, facts: Facts) -> Verdict:
    given = allocation_of(claim)
    if given is not None:
        return _allocated(claim, given)
    users = [pod for pod in facts.all(_PODS) if is_active(pod) and any(used.claim == name_of(claim) for used in used_devices(pod))]
    missing = [name for name in dict.fromkeys(class_names(claim)) if facts.is_missing(f"{_CLASS}{name}")]
    because = [f"There is no DeviceClass {name}, which it asks for." for name in missing]
    because += [] if missing else _offered(facts)
    if _PODS in facts.found and not users:
        because.append("No pod uses it yet: it is given devices when the first one that does is placed.")
    return Verdict("has no devices yet", because=tuple(because), below=tuple(pod for pod in users if not node_of(pod)))


def _allocated(claim: Object, given: Object) -> Verdict:
    results = get_path(given, "devices.results") or []
    names = [f"{one['device']} of the pool {one['pool']} ({one['driver']})" for one in results[:_TOLD]]
    names += [f"{len(results) - _TOLD} more"] if len(results) > _TOLD else []
    pods = [str(one.get("name", "")) for one in users_of(claim)]
    shown = pods[:_TOLD] + ([f"{len(pods) - _TOLD} more"] if len(pods) > _TOLD else [])
    used = f"{do(len(pods), 'The pod', 'The pods')} {listed(shown)} {do(len(pods), 'uses', 'use')} it." if pods else "No pod uses it now."
    return Verdict(f"has {listed(names) or 'no devices, as it asks for none'}", fine=True, because=(used,))


def _offered(facts: Facts) -> list[str]:
    """How many devices there are, and how many of them are given away."""
    if _SLICES not in facts.found:
        return []
    devices = sum(len(get_path(one, "spec.devices") or ()) for one in facts.all(_SLICES))
    if not devices:
        return ["No ResourceSlice offers any devices."]
    held = len(dict.fromkeys(device for claim in facts.all(_CLAIMS) for device in devices_held(claim)))
    return [f"{counted(devices, 'device')} {do(devices, 'is', 'are')} offered by ResourceSlices, of any class; claims have {held} of them."]


DEVICE_CLAIM = Explainer(_explain, _wanted)

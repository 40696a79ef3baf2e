"""What an object takes of a quota.

An object's `Charge` has all that quotas depend on: amounts, and the scopes it falls into. Thousands of objects share a few charges, so the
usage of a namespace is a count of charges instead of a list of objects. Quotas name amounts in two ways: ``cpu`` means ``requests.cpu``,
and ``secrets`` means ``count/secrets``.
"""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.extended_resources import is_extended, is_native
from svcsim.meta.objects import annotations_of
from svcsim.meta.pod_amounts import Quantities, amounts_of, pod_amounts, quantities, spec_in_force
from svcsim.meta.pods import is_finished
from svcsim.meta.quantity import Amount, parse
from svcsim.meta.types import Object

_COUNT = "count/"
_BY_PLAIN_NAME = ("configmaps", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas", "secrets", "services")
_OF_NODES = ("cpu", "memory", "ephemeral-storage")
_HUGE_PAGES = "hugepages-"
_MUST_BE_SAID = tuple(f"{prefix}{name}" for prefix in ("", "limits.", "requests.") for name in ("cpu", "memory"))
_CLASS_MARK = ".storageclass.storage."
_DEVICE_CLASS_MARK, _DEVICES = ".deviceclass.", "/devices"
_ALL_DEVICES = 32
"""How many a claim for all devices counts as: no claim gets more."""
_ONE = parse("1")
_NAMED = frozenset(
    (
        *("pods", "services.nodeports", "services.loadbalancers", "requests.storage", *_BY_PLAIN_NAME),
        *(f"{prefix}{name}" for prefix in ("", "limits.", "requests.") for name in _OF_NODES),
    )
)
"""What objects take under these names, and none that are made of others' names."""
_IGNORED = "events"
"""What tells why something is refused is not refused itself."""


class Charge(NamedTuple):
    """What an object counts as."""

    amounts: tuple[tuple[str, Amount], ...]
    """By resource name, as quotas name them."""
    scopes: frozenset[str] = frozenset()
    """The scopes without values: ``Terminating``, ``BestEffort``."""
    values: tuple[tuple[str, str], ...] = ()
    """The scopes that have a value: ``PriorityClass``, ``VolumeAttributesClass``."""


def charge_of(resource: str, obj: Object, dialect: Dialect) -> Charge:
    """What an object of a resource, as the store names it, counts as."""
    counted: Quantities = {f"{_COUNT}{resource}": _ONE}
    if resource in _BY_PLAIN_NAME:
        counted[resource] = _ONE
    if resource == "pods":
        return _pod(counted, obj, dialect)
    if resource == "services":
        counted.update(_service(obj.get("spec") or {}))
    elif resource == "persistentvolumeclaims":
        spec = obj.get("spec") or {}
        counted.update(_claim(obj, spec, dialect))
        attributes = spec.get("volumeAttributesClassName")
        return Charge(_frozen(counted), values=(("VolumeAttributesClass", attributes),) if attributes else ())
    elif resource.startswith("resourceclaims."):
        group = resource.partition(".")[2]
        devices = _devices(obj.get("spec") or {})
        counted.update((f"{name}{_DEVICE_CLASS_MARK}{group}{_DEVICES}", parse(str(count))) for name, count in devices.items())
    return Charge(_frozen(counted))


def _frozen(amounts: Quantities) -> tuple[tuple[str, Amount], ...]:
    return tuple(sorted(amounts.items()))


def _pod(counted: Quantities, pod: Object, dialect: Dialect) -> Charge:
    spec = spec_in_force(pod)
    if not is_finished(pod):
        counted["pods"] = _ONE
        counted.update(_spelled(pod_amounts(spec, "requests"), pod_amounts(spec, "limits"), dialect))
    scopes = [
        "NotTerminating" if spec.get("activeDeadlineSeconds") is None else "Terminating",
        "BestEffort" if (pod.get("status") or {}).get("qosClass") == "BestEffort" else "NotBestEffort",
    ]
    if _looks_elsewhere(spec.get("affinity") or {}):
        scopes.append("CrossNamespacePodAffinity")
    priority = spec.get("priorityClassName")
    return Charge(_frozen(counted), frozenset(scopes), (("PriorityClass", priority),) if priority else ())


def _spelled(requests: Quantities, limits: Quantities, dialect: Dialect) -> Quantities:
    """Requests and limits under the names that quotas have for them."""
    found: Quantities = {}
    for name, amount in requests.items():
        if name in _OF_NODES or name.startswith(_HUGE_PAGES):
            found[name] = found[f"requests.{name}"] = amount
        elif is_extended(name, dialect):
            found[f"requests.{name}"] = amount
    found.update((f"limits.{name}", amount) for name, amount in limits.items() if name in _OF_NODES)
    return found


def _looks_elsewhere(affinity: Object) -> bool:
    """Whether where a pod runs may depend on the pods of other namespaces."""
    for kind in ("podAffinity", "podAntiAffinity"):
        block = affinity.get(kind) or {}
        terms = list(block.get("requiredDuringSchedulingIgnoredDuringExecution") or ())
        weighted = block.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        terms += [one.get("podAffinityTerm") or {} for one in weighted]
        if any(term.get("namespaces") or term.get("namespaceSelector") is not None for term in terms):
            return True
    return False


def _service(spec: Object) -> Quantities:
    ports = spec.get("ports") or []
    node_ports = len(ports) if spec.get("type") == "NodePort" else 0
    if spec.get("type") == "LoadBalancer":
        all_of_them = spec.get("allocateLoadBalancerNodePorts") is not False
        node_ports = len(ports) if all_of_them else sum(1 for port in ports if port.get("nodePort"))
    return {"services.nodeports": parse(str(node_ports)), "services.loadbalancers": parse(str(int(spec.get("type") == "LoadBalancer")))}


def _claim(claim: Object, spec: Object, dialect: Dialect) -> Quantities:
    size = amounts_of(spec, "requests").get("storage")
    allotted = quantities((claim.get("status") or {}).get("allocatedResources")).get("storage")
    if size is not None:
        size = (size if allotted is None or allotted < size else allotted).rounded_up()
    found: Quantities = {} if size is None else {"requests.storage": size}
    name = annotations_of(claim).get(dialect.key("storage-class", "volume.beta")) or spec.get("storageClassName")
    if name:
        prefix = f"{name}{_CLASS_MARK}{dialect.group_suffix}/"
        found[f"{prefix}persistentvolumeclaims"] = _ONE
        if size is not None:
            found[f"{prefix}requests.storage"] = size
    return found


def _devices(spec: Object) -> dict[str, int]:
    """How many devices of each class a claim may take: of alternatives, what each takes at most."""
    found: dict[str, int] = {}
    for request in (spec.get("devices") or {}).get("requests") or ():
        most: dict[str, int] = {}
        for one in (request.get("exactly"), *(request.get("firstAvailable") or ())):
            if one:
                count = _ALL_DEVICES if one.get("allocationMode") == "All" else one.get("count") or 1
                most[one["deviceClassName"]] = max(most.get(one["deviceClassName"], 0), count)
        for name, count in most.items():
            found[name] = found.get(name, 0) + count
    return found


def resource_behind(name: str) -> str:
    """The resource, as the store names it, whose objects take of an amount that a quota names."""
    if name.startswith(_COUNT):
        return name.removeprefix(_COUNT)
    if name in _BY_PLAIN_NAME:
        return name
    if name.startswith("services."):
        return "services"
    if name == "requests.storage" or _CLASS_MARK in name:
        return "persistentvolumeclaims"
    if _DEVICE_CLASS_MARK in name and name.endswith(_DEVICES):
        return "resourceclaims." + name.rpartition(_DEVICE_CLASS_MARK)[2].removesuffix(_DEVICES)
    return "pods"


def is_ignored(resource: str) -> bool:
    """Whether nobody counts the objects of a resource, as the store names it."""
    return resource == _IGNORED


def counted_resource(name: str) -> str:
    """The resource whose objects an amount counts that a quota names; empty for one that isn't plainly a count."""
    return name.removeprefix(_COUNT) if name.startswith(_COUNT) else ""


def is_taken(name: str, dialect: Dialect) -> bool:
    """Whether some objects take of an amount that a quota names, and that isn't plainly a count."""
    if name in _NAMED or name.startswith((_HUGE_PAGES, f"requests.{_HUGE_PAGES}")):
        return True
    claims = tuple(f"{_CLASS_MARK}{dialect.group_suffix}/{amount}" for amount in ("persistentvolumeclaims", "requests.storage"))
    if name.endswith((*claims, f"{_DEVICE_CLASS_MARK}{dialect.group('resource')}{_DEVICES}")):
        return True
    return name.startswith("requests.") and not is_native(name, dialect)


def taken(charge: Charge, quota: Object) -> Quantities:
    """What an object with that charge takes of a quota: the amounts that this names, if the object is in its scopes."""
    hard = (quota.get("spec") or {}).get("hard") or {}
    found = {name: amount for name, amount in charge.amounts if name in hard}
    return found if found and _in_scopes(charge, quota) else {}


def with_usage(quota: Object, used: Quantities) -> Object:
    """The quota with a status that tells what is taken of it, if anything ever is: itself where it tells that already."""
    hard, status = (quota.get("spec") or {}).get("hard") or {}, quota.get("status") or {}
    if status.get("hard") == hard and quantities(status.get("used")) == used:
        return quota
    told = {"used": {name: str(amount) for name, amount in used.items()}} if used else {}
    return {**quota, "status": {"hard": hard, **told}}


def concerns(quota: Object, resource: str, charge: Charge) -> bool:
    """Whether a quota has a say about an object of a resource: it may, though the object takes nothing of it, want to be told how much."""
    hard = (quota.get("spec") or {}).get("hard") or {}
    return any(resource_behind(name) == resource for name in hard) and _in_scopes(charge, quota)


def _in_scopes(charge: Charge, quota: Object) -> bool:
    return all(in_scope(charge, one) for one in scopes_of(quota.get("spec") or {}))


def scopes_of(spec: Object) -> Iterator[Object]:
    """The scopes of a quota's ``spec``, all in the form of its selector."""
    yield from ({"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ())
    yield from (spec.get("scopeSelector") or {}).get("matchExpressions") or ()


def in_scope(charge: Charge, wanted: Object) -> bool:
    """Whether an object with that charge is in a scope, as a selector of scopes has it."""
    name, operator = wanted.get("scopeName"), wanted.get("operator")
    value = dict(charge.values).get(name or "")
    match operator:
        case "In":
            return value in (wanted.get("values") or ())
        case "NotIn":
            return value not in (wanted.get("values") or ())
        case "DoesNotExist":
            return value is None and name not in charge.scopes
        case _:
            return value is not None or name in charge.scopes


def unsaid(pod: Object, hard: Object, dialect: Dialect) -> dict[str, list[str]]:
    """The amounts of CPU and memory that a quota names, each with the containers that don't say how much of it they take.

    They need not where it is said of the pod as a whole.
    """
    spec = pod.get("spec") or {}
    if amounts_of(spec, "requests") or amounts_of(spec, "limits"):
        return {}
    required = sorted(name for name in hard if name in _MUST_BE_SAID)
    missing: dict[str, list[str]] = {}
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        said = _spelled(amounts_of(container, "requests"), amounts_of(container, "limits"), dialect)
        for name in required:
            if name not in said:
                missing.setdefault(name, []).append(container["name"])
    return dict(sorted(missing.items()))

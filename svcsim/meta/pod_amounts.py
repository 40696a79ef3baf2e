"""What a pod asks for altogether, as exact quantities: what limits and quotas are held against.

The scheduler reckons with whole numbers that can be added quickly (`svcsim.scheduler.resources`); here each amount is told as it was
written, so it stays a quantity.
"""

from collections.abc import Iterable
from operator import is_not
from typing import Literal, TypeAlias

from svcsim.meta.objects import condition
from svcsim.meta.pods import is_sidecar
from svcsim.meta.quantity import Amount, of
from svcsim.meta.types import Object

Part = Literal["requests", "limits"]
Quantities: TypeAlias = dict[str, Amount]
"""By resource name."""


def quantities(given: Object | None) -> Quantities:
    """The quantities in a map (``requests``, ``hard``)."""
    return {name: of(value) for name, value in (given or {}).items()}


def amounts_of(container: Object, part: Part) -> Quantities:
    """A container's requests or limits."""
    return quantities((container.get("resources") or {}).get(part))


def pod_amounts(spec: Object, part: Part) -> Quantities:
    """A pod's requests or limits.

    What is said of the pod as a whole counts instead of what its containers say, and its overhead comes on top of requests, and of the
    limits there are.
    """
    total = containers_amounts(spec, part)
    total.update(quantities((spec.get("resources") or {}).get(part)))
    overhead = quantities(spec.get("overhead"))
    return added((total, {name: value for name, value in overhead.items() if part == "requests" or name in total}))


def containers_amounts(spec: Object, part: Part) -> Quantities:
    """The requests or limits of a pod's containers together, at the time at which they are most.

    Containers and sidecars run beside each other and add up; any other init container runs alone, beside the sidecars before it, and
    counts where it takes more than all the rest.
    """
    total = added(amounts_of(container, part) for container in spec.get("containers") or ())
    beside: Quantities = {}
    before: Quantities = {}
    for container in spec.get("initContainers") or ():
        wanted = added((beside, amounts_of(container, part)))
        if is_sidecar(container):
            beside = wanted
        before = largest(before, wanted)
    return largest(added((total, beside)), before)


def spec_in_force(pod: Object) -> Object:
    """The spec of a pod, whose containers ask for no less than they have: one that is being made smaller still has what it had.

    What can't be granted at all doesn't count. Where that is what the spec says anyway, it is the spec itself.
    """
    pending = condition(pod, "PodResizePending") or {}
    return _spec(pod, infeasible=pending.get("status") == "True" and pending.get("reason") == "Infeasible")


def spec_granted(pod: Object) -> Object:
    """The spec of a pod, whose containers ask for what they have been given, whatever they ask for by now."""
    return _spec(pod, infeasible=True)


def _spec(pod: Object, *, infeasible: bool) -> Object:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    had = {
        one["name"]: one
        for field in ("containerStatuses", "initContainerStatuses")
        for one in status.get(field) or ()
        if one.get("resources") is not None
    }
    if not had:
        return spec
    changed: Object = {}
    for field in ("containers", "initContainers"):
        said = spec.get(field) or []
        running = [_in_force(one, had, infeasible) if field == "containers" or is_sidecar(one) else one for one in said]
        if any(map(is_not, running, said)):
            changed[field] = running
    return {**spec, **changed} if changed else spec


def _in_force(container: Object, had: dict[str, Object], infeasible: bool) -> Object:
    status = had.get(container["name"])
    if status is None or _has_what_it_asks_for(container.get("resources") or {}, status):
        return container
    requests = largest(amounts_of(status, "requests"), quantities(status.get("allocatedResources")))
    limits = amounts_of(status, "limits")
    if not infeasible:
        requests, limits = largest(amounts_of(container, "requests"), requests), largest(amounts_of(container, "limits"), limits)
    told = {"requests": requests, "limits": limits}
    return {**container, "resources": {part: {name: str(amount) for name, amount in amounts.items()} for part, amounts in told.items()}}


def _has_what_it_asks_for(asked: Object, status: Object) -> bool:
    """Whether a container has just what is asked for, spelled the same: that it hardly ever hasn't is found out without reckoning."""
    has, requests = status["resources"], asked.get("requests")
    is_same = has.get("requests") == requests and has.get("limits") == asked.get("limits")
    return is_same and status.get("allocatedResources") in (None, requests)


def added(parts: Iterable[Quantities]) -> Quantities:
    """The sums."""
    total: Quantities = {}
    for one in parts:
        for name, value in one.items():
            total[name] = total[name] + value if name in total else value
    return total


def largest(one: Quantities, other: Quantities) -> Quantities:
    """The larger of both quantities, for each resource."""
    return {**one, **{name: value for name, value in other.items() if name not in one or one[name] < value}}

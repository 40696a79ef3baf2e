"""How much the containers of a pod use, as a pure function of the pod and the time.

Annotations say it (`svcsim.meta.usage_words`). Of what they don't speak uses a share of what it requests, or a little where it requests
nothing. Nothing uses more than its limit. What a curve says of a load that pods share is divided among those that are ready.
"""

from collections.abc import Mapping
from typing import NamedTuple

from svcsim.meta import quantity
from svcsim.meta.curves import Curve, CurveError, noise, read_curves
from svcsim.meta.objects import annotations_of, uid_of
from svcsim.meta.own_annotations import said_of_container
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.meta.usage_words import USAGE, said_of_usage
from svcsim.metrics.sharing import Moment, Sharing, part_of

_DEFAULTS = {"cpu": ("30% ~20%", "3m ~30%"), "memory": ("50% ~5%", "20Mi ~5%")}
"""By resource: of one that requests some of it, and of one that doesn't."""
_STATUSES = (("containers", "containerStatuses"), ("initContainers", "initContainerStatuses"))


class ContainerUsage(NamedTuple):
    """What one container uses, by resource."""

    name: str
    usage: Mapping[str, float]
    started_at: float


def shares_load(pod: Object) -> bool:
    """Whether any of its curves speaks of a load that it shares."""
    said = said_of_usage(pod["metadata"].get("annotations"))
    return any(curve.shared for _, text in said for curve in _read(text).values())


def pod_usage(pod: Object, moment: Moment, sharing: Sharing | None) -> list[ContainerUsage] | None:
    """What its running containers use; None where one of them has no value, as long as that is so. Without a load, ``sharing`` is None."""
    found: list[ContainerUsage] = []
    for spec, started_at in _running(pod):
        usage: dict[str, float] = {}
        for resource in USAGE:
            amount = _amount(pod, spec, resource, started_at, moment, sharing)
            if amount is None:
                return None
            usage[resource] = amount
        found.append(ContainerUsage(spec["name"], usage, started_at))
    return found or None


def _running(pod: Object) -> list[tuple[Object, float]]:
    """The containers that run now, and since when; a sidecar is one of them."""
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    found: list[tuple[Object, float]] = []
    for containers, statuses in _STATUSES:
        by_name = {container["name"]: container for container in spec.get(containers) or ()}
        for one in status.get(statuses) or ():
            running = (one.get("state") or {}).get("running")
            if running is not None and one["name"] in by_name:
                started = running.get("startedAt")
                found.append((by_name[one["name"]], parse_time(started) if started else 0.0))
    return found


def _amount(pod: Object, container: Object, resource: str, started_at: float, moment: Moment, sharing: Sharing | None) -> float | None:
    resources = container.get("resources") or {}
    requested = _quantity(resources.get("requests"), resource)
    curve = _said(pod, container["name"], resource)
    if curve is None or (curve.relative and requested is None):
        curve = read_curves(_DEFAULTS[resource][requested is None])[""]
    if curve.shape is None:
        return None
    chance = noise(moment.now, moment.seed, uid_of(pod), resource, container["name"])
    value = part_of(curve, pod, moment.now - started_at, moment, chance, sharing, requested or 0.0)
    limit = _quantity(resources.get("limits"), resource)
    return value if limit is None else min(value, limit)


def _said(pod: Object, container: str, resource: str) -> Curve | None:
    """The curve of a container; None where none is said, or it can't be read (which the pod's node tells in an event)."""
    text = said_of_container(annotations_of(pod), container, resource)
    return _read(text).get("") if text else None


def _read(text: str) -> Mapping[str, Curve]:
    """The curves of a text; none of one that can't be read."""
    try:
        return read_curves(text)
    except CurveError:
        return {}


def _quantity(amounts: Object | None, resource: str) -> float | None:
    text = (amounts or {}).get(resource)
    return None if text is None else float(quantity.of(text))

"""What a pod asks for as a whole, where only some of it is said: the rest follows from its containers, or else from its limits."""

from svcsim.kinds.shared.pod_spec.resources import HUGE_PAGES
from svcsim.meta.pod_amounts import containers_amounts
from svcsim.meta.types import Object

_SHARED = ("cpu", "memory")
"""Resources of which a pod may have more than its containers request."""


def fill_pod_resources(spec: Object) -> None:
    """To be called when the containers' own requests are complete. A pod of which nothing is said as a whole stays so."""
    resources = spec.get("resources") or {}
    if resources.get("limits") or resources.get("requests"):
        _limit_huge_pages(spec, resources)
        if resources.get("limits"):
            _fill_requests(spec, resources)


def _limit_huge_pages(spec: Object, resources: Object) -> None:
    """Containers may have the huge pages that they are limited to, unless the pod asks for some itself."""
    requested, limited = resources.get("requests") or {}, resources.get("limits") or {}
    missing = {
        name: str(amount)
        for name, amount in containers_amounts(spec, "limits").items()
        if name.startswith(HUGE_PAGES) and name not in requested and name not in limited
    }
    if missing:
        resources["limits"] = {**limited, **missing}


def _fill_requests(spec: Object, resources: Object) -> None:
    """A pod asks for what its containers ask for together; of what none of them asks for, up to its own limit."""
    together = {name: str(amount) for name, amount in containers_amounts(spec, "requests").items() if name in _SHARED}
    allowed = {name: amount for name, amount in resources["limits"].items() if name in _SHARED or name.startswith(HUGE_PAGES)}
    requests = {**allowed, **together, **(resources.get("requests") or {})}
    if requests:
        resources["requests"] = requests

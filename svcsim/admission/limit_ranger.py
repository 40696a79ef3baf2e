"""LimitRanger: pods and claims keep to what the LimitRanges of their namespace allow, and are given what those say goes without saying."""

from collections.abc import Iterable, Iterator

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import is_terminating
from svcsim.meta.pod_amounts import Quantities, amounts_of, pod_amounts, quantities
from svcsim.meta.quantity import Amount
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_CONTAINERS = (("containers", "container"), ("initContainers", "init container"))
_EXACT_BELOW = 2**63 // 1_000_000
"""Ratios of amounts up to here are compared in thousandths."""


class LimitRanger:
    """Fills in default requests and limits of containers, and refuses what is less, more or further apart than may be."""

    name = "LimitRanger"
    rules = (
        Rule(("CREATE",), ("pods",)),
        Rule(("UPDATE",), ("pods/resize",)),
        Rule(("CREATE", "UPDATE"), ("persistentvolumeclaims",)),
    )

    def __init__(self, listers: Listers, dialect: Dialect) -> None:
        self._ranges = listers.of("limitranges")
        self._annotation = dialect.key("limit-ranger")

    async def admit(self, request: AdmissionRequest) -> None:
        if request.resource.plural == "pods":
            for limits in self._limits(request):
                self._complete(request, limits)

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        look = _wrong_with_pod if request.resource.plural == "pods" else _wrong_with_claim
        for limits in self._limits(request):
            if found := list(dict.fromkeys(finding for limit in limits for finding in look(limit, request.obj.get("spec") or {}))):
                raise request.refusal(found[0] if len(found) == 1 else f"[{', '.join(found)}]")

    def _limits(self, request: AdmissionRequest) -> Iterator[list[Object]]:
        """The limits of each LimitRange that is to be kept. What is on its way out is left in peace."""
        if request.old is None or not is_terminating(request.old):
            for one in self._ranges.list(request.namespace):
                yield (one.get("spec") or {}).get("limits") or []

    def _complete(self, request: AdmissionRequest, limits: list[Object]) -> None:
        """Give containers what they don't say, and note that in the pod."""
        assert request.obj is not None
        of_containers = [limit for limit in limits if limit.get("type") == "Container"]
        defaults = {
            part: {name: value for limit in of_containers for name, value in (limit.get(field) or {}).items()}
            for part, field in (("requests", "defaultRequest"), ("limits", "default"))
        }
        told: list[str] = []
        for field, called in _CONTAINERS:
            for container in request.obj["spec"].get(field) or ():
                for part, singular in (("requests", "request"), ("limits", "limit")):
                    if filled := _fill(container, part, defaults[part]):
                        told.append(f"{', '.join(filled)} {singular} for {called} {container['name']}")
        if told:
            annotations = request.obj["metadata"].get("annotations") or {}
            request.obj["metadata"]["annotations"] = {**annotations, self._annotation: f"LimitRanger plugin set: {'; '.join(told)}"}


def _fill(container: Object, part: str, defaults: Object) -> list[str]:
    """Give a container the defaults it lacks; the names of those."""
    resources = container.get("resources") or {}
    missing = sorted(name for name in defaults if name not in (resources.get(part) or {}))
    if missing:
        given = {**(resources.get(part) or {}), **{name: defaults[name] for name in missing}}
        container["resources"] = {**resources, part: given}
    return missing


def _wrong_with_pod(limit: Object, spec: Object) -> Iterator[str]:
    if limit.get("type") == "Container":
        for field, _ in _CONTAINERS:
            for container in spec.get(field) or ():
                yield from _wrong(limit, amounts_of(container, "requests"), amounts_of(container, "limits"))
    elif limit.get("type") == "Pod":
        bare = {name: value for name, value in spec.items() if name != "overhead"}
        yield from _wrong(limit, pod_amounts(bare, "requests"), pod_amounts(bare, "limits"))


def _wrong_with_claim(limit: Object, spec: Object) -> Iterator[str]:
    """A claim has requests alone: both ends of the range are theirs."""
    if limit.get("type") == "PersistentVolumeClaim":
        requests = amounts_of(spec, "requests")
        yield from _too_little(limit, requests, {})
        for name, most in quantities(limit.get("max")).items():
            what, request = f"maximum {name} usage per {limit['type']} is {most}", requests.get(name)
            if request is None:
                yield f"{what}.  No request is specified"
            elif most < request:
                yield f"{what}, but request is {request}"


def _wrong(limit: Object, requests: Quantities, limits: Quantities) -> Iterator[str]:
    yield from _too_little(limit, requests, limits)
    for name, most in quantities(limit.get("max")).items():
        what, limited = f"maximum {name} usage per {limit['type']} is {most}", limits.get(name)
        if limited is None:
            yield f"{what}.  No limit is specified"
        elif most < limited:
            yield f"{what}, but limit is {limited}"
        elif name in requests and most < requests[name]:
            yield f"{what}, but request is {requests[name]}"
    for name, ratio in quantities(limit.get("maxLimitRequestRatio")).items():
        what = f"{name} max limit to request ratio per {limit['type']} is {ratio}"
        yield from _too_far_apart(what, ratio, requests.get(name), limits.get(name))


def _too_little(limit: Object, requests: Quantities, limits: Quantities) -> Iterator[str]:
    for name, least in quantities(limit.get("min")).items():
        what, request = f"minimum {name} usage per {limit['type']} is {least}", requests.get(name)
        if request is None:
            yield f"{what}.  No request is specified"
        elif request < least:
            yield f"{what}, but request is {request}"
        elif name in limits and limits[name] < least:
            yield f"{what}, but limit is {limits[name]}"


def _too_far_apart(what: str, ratio: Amount, request: Amount | None, limit: Amount | None) -> Iterable[str]:
    if not request:
        yield f"{what}, but no request is specified or request is 0"
    elif not limit:
        yield f"{what}, but no limit is specified or limit is 0"
    else:
        exact = max(limit.value(), request.value()) <= _EXACT_BELOW
        observed = limit.millis() / request.millis() if exact else limit.value() / request.value()
        if observed > float(ratio):
            yield f"{what}, but provided ratio is {observed:f}"

"""What makes access reviews right: they ask about one request, and bring nothing else."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, required
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_RESOURCE, _PATH = "spec.resourceAttributes", "spec.nonResourceAttributes"


def selector_rules(selector: Json, path: str) -> Iterator[FieldError]:
    """Spelled or taken apart, one of both. Operators that are not known here may be known to others."""
    raw, requirements = selector.get("rawSelector"), selector.get("requirements") or ()
    if raw and requirements:
        yield invalid_value(f"{path}.rawSelector", raw, "may not specified at the same time as requirements")
    if not raw and not requirements:
        yield required(f"{path}.requirements", f"when {path} is specified, requirements or rawSelector is required")
    for index, requirement in enumerate(requirements):
        where, operator = f"{path}.requirements[{index}]", requirement["operator"]
        if not requirement["key"]:
            yield required(f"{where}.key", "must be specified")
        if operator in ("In", "NotIn") and not requirement.get("values"):
            yield required(f"{where}.values", "must be specified when `operator` is 'In' or 'NotIn'")
        if operator in ("Exists", "DoesNotExist") and requirement.get("values"):
            yield forbidden_field(f"{where}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")


def own_access_rules(review: Object, context: Context) -> Iterator[FieldError]:
    """The rules of a review of the caller's own access."""
    yield from _one_request(review["spec"])
    yield from _bare(review, "must be empty")


def access_rules(review: Object, context: Context) -> Iterator[FieldError]:
    """The rules of a review of a user's access."""
    yield from _one_request(review["spec"])
    yield from _somebody(review["spec"])
    yield from _bare(review, "must be empty")


def local_access_rules(review: Object, context: Context) -> Iterator[FieldError]:
    """The rules of a review of a user's access in the review's namespace."""
    spec, namespace = review["spec"], review["metadata"].get("namespace") or ""
    yield from _one_request(spec)
    yield from _somebody(spec)
    yield from _bare(review, "must be empty except for namespace", "namespace")
    resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and (resource.get("namespace") or "") != namespace:
        yield invalid_value(f"{_RESOURCE}.namespace", resource.get("namespace") or "", "must match metadata.namespace")
    if path is not None:
        yield invalid_value(_PATH, path, "disallowed on this kind of request")


def _one_request(spec: Object) -> Iterator[FieldError]:
    resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and path is not None:
        yield invalid_value(_PATH, path, "cannot be specified in combination with resourceAttributes")
    if resource is None and path is None:
        yield invalid_value(_RESOURCE, None, "exactly one of nonResourceAttributes or resourceAttributes must be specified")


def _somebody(spec: Object) -> Iterator[FieldError]:
    if not spec.get("user") and not spec.get("groups"):
        yield invalid_value("spec.user", "", "at least one of user or group must be specified")


def _bare(review: Object, detail: str, *allowed: str) -> Iterator[FieldError]:
    metadata = review["metadata"]
    if any(name not in (*allowed, "managedFields") for name, value in metadata.items() if value):
        yield invalid_value("metadata", metadata, detail)

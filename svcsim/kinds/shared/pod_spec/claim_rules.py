"""What makes device claims right: those of a pod, and the entries by which its containers use them."""

from collections.abc import Collection, Iterator

from svcsim.kinds.shared.checks import named
from svcsim.meta.errors import FieldError, duplicate, field_not_found, forbidden_field, invalid_value, required
from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.meta.types import Json, Object

_LABEL, _NAME = named(dns_label), named(dns_subdomain)
_TARGETS = ("resourceClaimName", "resourceClaimTemplateName")


def claim_rules(claim: Json, path: str) -> Iterator[FieldError]:
    """A pod's claim is one that is there, or one that is made from a template."""
    yield from _LABEL(claim.get("name"), f"{path}.name")
    given = [name for name in _TARGETS if claim.get(name) is not None]
    if len(given) > 1:
        yield invalid_value(path, claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
    if not given:
        yield invalid_value(path, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
    for name in given:
        yield from (invalid_value(f"{path}.{name}", claim[name], finding) for finding in dns_subdomain(claim[name]))


def used_claims_rules(container: Object, claims: Collection[str], path: str) -> Iterator[FieldError]:
    """What a container uses of the pod's claims: each once, all of it or single requests."""
    seen: set[str] = set()
    partly: set[str] = set()
    """Claims of which single requests are used."""
    for index, used in enumerate((container.get("resources") or {}).get("claims") or ()):
        name, request, where = used.get("name") or "", used.get("request") or "", f"{path}.resources.claims[{index}]"
        if not name:
            yield required(where)
            continue
        yield from _LABEL(request, f"{where}.request")
        key = f"{name}/{request}" if request else name
        if name in seen or key in seen or (not request and name in partly):
            yield duplicate(where, name if name in seen else key)
        seen.add(key)
        if request:
            partly.add(name)
        if name not in claims:
            listed = f": {', '.join(sorted(claims))}" if claims else " which is empty"
            missing = field_not_found(where, name)
            yield missing._replace(message=f"{missing.message}: must be one of the names in pod.spec.resourceClaims{listed}")


def no_claims(resources: Object, path: str) -> Iterator[FieldError]:
    """A pod's own resources have none: containers use them."""
    if resources.get("claims"):
        yield forbidden_field(f"{path}.claims", "claims cannot be set for Resources at pod-level")

"""Which IP families a service has, of those that the cluster has, and how it comes to two of them, or back to one.

Nothing changes on its own: a service gets a second family when it asks for one, and gives it up when it says so.
"""

from typing import Final

from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.networks import family, parse_address
from svcsim.meta.types import Object

SINGLE, PREFER, REQUIRE = "SingleStack", "PreferDualStack", "RequireDualStack"
_OTHER: Final = {"IPv4": "IPv6", "IPv6": "IPv4"}
_POLICY, _BOTH = "spec.ipFamilyPolicy", 2
_NEEDS_BOTH = f"must be '{REQUIRE}' or '{PREFER}' when multiple {{}} are specified"


def is_well_formed(spec: Object) -> bool:
    """Whether addresses and families can be made sense of. Where they can't, validation says why."""
    addresses, families = spec.get("clusterIPs") or [], spec.get("ipFamilies") or []
    if spec.get("ipFamilyPolicy") not in (None, "", SINGLE, PREFER, REQUIRE) or any(one not in _OTHER for one in families):
        return False
    if (addresses or [""])[0] != (spec.get("clusterIP") or ""):
        return False
    found = [] if addresses == ["None"] else [parse_address(address) for address in addresses]
    known = [family(one) for one in found if one is not None]
    both = (known, families)
    return len(known) == len(found) and all(len(dict.fromkeys(some)) == len(some) for some in both) and _agree(known, families)


def _agree(first: list[str], second: list[str]) -> bool:
    return all(one == other for one, other in zip(first, second, strict=False))


def settle(spec: Object, before: Object, served: tuple[str, ...]) -> list[FieldError]:
    """Fill in the families and the policy of a well-formed spec. ``before`` is the one there was, empty if it had none of it."""
    if _prefers_as_before(spec, before):
        return []
    headless = spec.get("clusterIP") == "None"
    free = headless and not spec.get("selector")  # whoever writes its endpoints may have them of both, whatever the cluster has
    if not spec.get("ipFamilyPolicy"):
        of_itself = REQUIRE if free and len(spec.get("ipFamilies") or ()) != 1 else SINGLE
        spec["ipFamilyPolicy"] = before.get("ipFamilyPolicy") or of_itself
    findings = [*_reduced(spec, before), *_too_many(spec), *_infer(spec, served)]
    if findings:
        return findings
    if not free and (findings := _unserved(spec, served)):
        return findings
    families = spec.get("ipFamilies") or [served[0]]
    alone = len(families) < _BOTH and spec["ipFamilyPolicy"] != SINGLE
    spec["ipFamilies"] = [*families, _OTHER[families[0]]] if alone and (free or len(served) == _BOTH) else families
    return []


def _prefers_as_before(spec: Object, before: Object) -> bool:
    """Whether it goes on to prefer two, and has what it had: then it goes on to have that, whatever the cluster has by now."""
    same = all(spec.get(name) == before.get(name) for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"))
    return same and spec.get("ipFamilyPolicy") == PREFER


def _reduced(spec: Object, before: Object) -> list[FieldError]:
    """Take away the second of what the policy leaves room for one of; nobody gives up one without saying so."""
    findings: list[FieldError] = []
    for name, what in (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")):
        held, wanted = before.get(name) or [], spec.get(name) or []
        if spec["ipFamilyPolicy"] == SINGLE:
            if held == wanted and len(wanted) == _BOTH:
                spec[name] = wanted[:1]
        elif len(held) == _BOTH and wanted == held[:1]:
            findings.append(invalid_value(_POLICY, spec["ipFamilyPolicy"], f"must be '{SINGLE}' to release the secondary {what}"))
    return findings


def _too_many(spec: Object) -> list[FieldError]:
    if spec["ipFamilyPolicy"] != SINGLE:
        return []
    return [
        invalid_value(_POLICY, SINGLE, _NEEDS_BOTH.format(what))
        for name, what in (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families"))
        if len(spec.get(name) or ()) == _BOTH
    ]


def _infer(spec: Object, served: tuple[str, ...]) -> list[FieldError]:
    """The families of the addresses that are named."""
    addresses, families = spec.get("clusterIPs") or [], list(spec.get("ipFamilies") or ())
    for index, text in enumerate(addresses[len(families) :], len(families)):
        address = parse_address(text)
        if address is None:  # a headless service's None
            continue
        if family(address) not in served:
            return [invalid_value(f"spec.clusterIPs[{index}]", addresses, f"{family(address)} is not configured on this cluster")]
        families.append(family(address))
    if families:
        spec["ipFamilies"] = families
    return []


def _unserved(spec: Object, served: tuple[str, ...]) -> list[FieldError]:
    """What a service asks of a cluster that has one IP family and doesn't have the other."""
    findings = []
    if spec["ipFamilyPolicy"] == REQUIRE and len(served) < _BOTH:
        findings.append(invalid_value(_POLICY, REQUIRE, "this cluster is not configured for dual-stack services"))
    return findings + [
        invalid_value(f"spec.ipFamilies[{index}]", wanted, "not configured on this cluster")
        for index, wanted in enumerate(spec.get("ipFamilies") or ())
        if wanted not in served
    ]

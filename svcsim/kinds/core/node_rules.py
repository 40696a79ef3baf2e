"""What makes a Node right: taints, and networks for its pods."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field, invalid_value
from svcsim.meta.names import label_value
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context


def taint_value(value: Json, path: str) -> Iterator[FieldError]:
    """The same form as a label's value."""
    if findings := label_value(value):
        yield invalid_value(path, value, ";".join(findings))


def each_taint_once(taints: Json, path: str) -> Iterator[FieldError]:
    """No two taints have the same key and effect."""
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        identity = (taint.get("key") or "", taint.get("effect") or "")
        if identity in seen:
            detail = f'Duplicate value: {{"key":"{identity[0]}","effect":"{identity[1]}"}}: taints must be unique by key and effect pair'
            yield FieldError("FieldValueDuplicate", f"{path}[{index}]", detail)
        seen.add(identity)


def node_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """The single network and the list of networks agree."""
    spec = obj.get("spec") or {}
    networks = spec.get("podCIDRs") or []
    if spec.get("podCIDR") and networks and networks[0] != spec["podCIDR"]:
        yield invalid_value("spec.podCIDR", spec["podCIDR"], "must be the first of podCIDRs")
    if len(networks) > 2:
        yield invalid_value("spec.podCIDRs", networks, "may specify no more than one CIDR for each IP family")


def node_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What names the machine and its networks is set once."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if before.get("providerID") and spec.get("providerID") != before["providerID"]:
        yield forbidden_field("spec.providerID", 'node updates may not change providerID except from "" to valid')
    if before.get("podCIDRs") and spec.get("podCIDRs") != before["podCIDRs"]:
        yield forbidden_field("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')
    if spec.get("externalID") and spec.get("externalID") != before.get("externalID"):
        yield forbidden_field(
            "[]",
            "node updates may only change labels, taints, or capacity "
            "(or configSource, if the DynamicKubeletConfig feature gate is enabled)",
        )

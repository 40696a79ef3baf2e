"""What makes a Node right: taints, amounts, addresses, networks for its pods, and what it says of itself in annotations."""

import ipaddress
from collections.abc import Iterator

from svcsim.kinds.core.node_config_rules import config_rules
from svcsim.kinds.shared.checks import NOT_NEGATIVE, network
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import FieldError, StatusError, duplicate, forbidden_field, invalid_value, required
from svcsim.meta.names import label_value
from svcsim.meta.objects import annotations_of, get_path
from svcsim.meta.quantity import parse
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_WHOLE = ("pods", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps", "persistentvolumeclaims")
"""Resources that, like devices, can't be divided."""


def taint_value(value: Json, path: str) -> Iterator[FieldError]:
    """A taint's value has the form of a label's value."""
    if findings := label_value(value):
        yield invalid_value(path, value, ";".join(findings))


def each_taint_once(taints: Json, path: str) -> Iterator[FieldError]:
    """No two taints have the same key and effect."""
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        identity = (taint.get("key") or "", taint.get("effect") or "")
        if identity in seen:
            finding = duplicate(f"{path}[{index}]", {name: taint[name] for name in ("key", "value", "effect") if name in taint})
            yield finding._replace(message=f"{finding.message}: taints must be unique by key and effect pair")
        seen.add(identity)


def node_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """Networks and amounts can be."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    if spec.get("podCIDRs"):
        yield from _network_rules(spec)
    for part in ("capacity", "allocatable"):
        for name, amount in (status.get(part) or {}).items():
            if amount[:1] == "-" and parse(amount).number < 0:
                yield invalid_value(f"status.{part}.{name}", amount, NOT_NEGATIVE)
            if (name in _WHOLE or "/" in name) and not amount.isdigit() and parse(amount).number.denominator != 1:
                yield invalid_value(f"status.{part}.{name}", amount, "must be an integer")
    yield from _avoided_pods(obj, context.dialect.key("preferAvoidPods", "scheduler.alpha"))


def _network_rules(spec: Object) -> Iterator[FieldError]:
    networks, path = spec["podCIDRs"], "spec.podCIDRs"
    wrong = [finding for index, text in enumerate(networks) for finding in network(text, f"{path}[{index}]")]
    yield from wrong
    if not wrong and len(networks) > 1 and sorted(ipaddress.ip_network(text, strict=False).version for text in networks) != [4, 6]:
        yield invalid_value(path, networks, "may specify no more than one CIDR for each IP family")


def _avoided_pods(obj: Object, key: str) -> Iterator[FieldError]:
    """Controllers whose pods had better be elsewhere, as nodes said that before there were taints."""
    text = annotations_of(obj).get(key)
    if not text:
        return
    try:
        entries = decode_json(text.encode()).get("preferAvoidPods") or []
    except (StatusError, AttributeError):
        yield invalid_value("metadata.annotations.AvoidPods", key, "must be a JSON object")
        return
    for index, entry in enumerate(entries):
        path, controller = f"metadata.annotations.{key}[{index}].PodSignature", get_path(entry, "podSignature.podController")
        if controller is None:
            yield required(path)
        elif not controller.get("controller"):
            yield invalid_value(f"{path}.PodController.Controller", False, "must point to a controller")


def node_changes(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    """What names the machine and its networks is set once."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    seen: list[Object] = []
    for index, address in enumerate(get_path(new, "status.addresses") or ()):
        if address in seen:
            yield duplicate(f"status.addresses[{index}]", address)
        seen.append(address)
    if before.get("podCIDRs") and spec.get("podCIDRs") != before["podCIDRs"]:
        yield forbidden_field("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')
    if before.get("providerID") and spec.get("providerID") != before["providerID"]:
        yield forbidden_field("spec.providerID", 'node updates may not change providerID except from "" to valid')
    yield from config_rules(new)
    if (spec.get("externalID") or "") != (before.get("externalID") or ""):
        yield forbidden_field("spec.externalID", "may not be updated")


def node_warnings(node: Object) -> Iterator[str]:
    spec = node.get("spec") or {}
    if spec.get("configSource") is not None:
        yield "spec.configSource: the feature is removed"
    if spec.get("externalID"):
        yield "spec.externalID: this field is deprecated, and is unused"

"""What makes an APIService right, and what a new one says of itself."""

import base64
from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value, required, unsupported
from svcsim.meta.names import dns_1035_label, dns_subdomain, port_number
from svcsim.meta.objects import metadata_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_GROUP_PRIORITIES = range(1, 20_001)
_VERSION_PRIORITIES = range(1, 1_001)
_STATES = ("True", "False", "Unknown")


def name_rules(obj: Object, context: Context) -> Iterator[FieldError]:
    """The name says what the object is about."""
    spec, name = obj.get("spec") or {}, metadata_of(obj).get("name") or ""
    needed = f"{spec.get('version', '')}.{spec.get('group', '')}"
    if name and name != needed:
        yield invalid_value("metadata.name", name, f'must be `spec.version+"."+spec.group`: {quoted(needed)}')


def spec_rules(spec: Json, path: str) -> Iterator[FieldError]:
    group, version = spec.get("group") or "", spec.get("version") or ""
    if not group and version != "v1":
        yield required(f"{path}.group", "only v1 may have an empty group and it better be legacy kube")
    if group:
        yield from (invalid_value(f"{path}.group", group, finding) for finding in dns_subdomain(group))
    yield from (invalid_value(f"{path}.version", version, finding) for finding in dns_1035_label(version))
    if spec["groupPriorityMinimum"] not in _GROUP_PRIORITIES:
        yield invalid_value(f"{path}.groupPriorityMinimum", spec["groupPriorityMinimum"], "must be positive and less than 20000")
    if spec["versionPriority"] not in _VERSION_PRIORITIES:
        yield invalid_value(f"{path}.versionPriority", spec["versionPriority"], "must be positive and less than 1000")
    yield from _local(spec, path) if spec.get("service") is None else _behind_a_service(spec, path)


def _local(spec: Json, path: str) -> Iterator[FieldError]:
    """Nobody has to be made sure of where this server answers itself."""
    bundle = base64.b64decode(spec.get("caBundle") or "")
    if bundle:
        yield invalid_value(f"{path}.caBundle", f"{len(bundle)} bytes", "local APIServices may not have a caBundle")
    if spec.get("insecureSkipTLSVerify"):
        yield invalid_value(f"{path}.insecureSkipTLSVerify", True, "local APIServices may not have insecureSkipTLSVerify")


def _behind_a_service(spec: Json, path: str) -> Iterator[FieldError]:
    service = spec["service"]
    for name in ("namespace", "name"):
        if not service.get(name):
            yield required(f"{path}.service.{name}")
    findings = port_number(service["port"])
    if findings:
        yield invalid_value(f"{path}.service.port", service["port"], f"port is not valid: {', '.join(findings)}")
    if spec.get("insecureSkipTLSVerify") and spec.get("caBundle"):
        yield invalid_value(f"{path}.insecureSkipTLSVerify", True, "may not be true if caBundle is present")


def condition_rules(status: Json, path: str) -> Iterator[FieldError]:
    for index, condition in enumerate(status.get("conditions") or ()):
        if condition.get("status") not in _STATES:
            yield unsupported(f"{path}.conditions[{index}].status", condition.get("status"), _STATES)


def initial_status(obj: Object, context: Context) -> Object:
    """What this server answers itself is there from the beginning; of others nothing is known yet."""
    if (obj.get("spec") or {}).get("service") is not None:
        return {}
    condition = {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": context.timestamp,
        "reason": "Local",
        "message": "Local APIServices are always available",
    }
    return {"conditions": [condition]}

"""What makes references to data right: where variables and files get their content from."""

import re
from collections.abc import Iterable, Iterator

from svcsim.kinds.shared.checks import named
from svcsim.meta.errors import FieldError, invalid_value, required, unsupported
from svcsim.meta.names import config_map_key, dns_subdomain, env_var_name, qualified_name
from svcsim.meta.types import Json, Object

_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
"""What variables may show of a pod."""
_FILE_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
"""What files may show of a pod."""
_KNOWN_FIELDS = (
    *_FIELDS,
    "metadata.annotations",
    "metadata.labels",
    "spec.hostNetwork",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.nominatedNodeName",
    "status.phase",
)
_AMOUNTS = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
_SUBSCRIPT = re.compile(r"(.+?)\['(.*)'\]", re.DOTALL)
_VALUE_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_SET_SOURCES = ("configMapRef", "secretRef")
_KEY, _VARIABLE = named(config_map_key), named(env_var_name)
_ONE_AT_A_TIME = "may not have more than one field specified at a time"


def env_rules(value: Json, path: str) -> list[FieldError]:
    """All that is wrong with an environment variable."""
    findings: list[FieldError] = []
    if not _VARIABLE.holds(name := value.get("name")):
        findings += _VARIABLE.told(name, f"{path}.name")
    if "valueFrom" in value:
        findings += _value_source_rules(value["valueFrom"], f"{path}.valueFrom", has_value=bool(value.get("value")))
    return findings


def _value_source_rules(source: Object, path: str, *, has_value: bool) -> list[FieldError]:
    given = [name for name in source if name in _VALUE_SOURCES]
    findings: list[FieldError] = []
    if not given:
        detail = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        findings.append(invalid_value(path, "", detail))
    elif has_value:
        findings.append(invalid_value(path, "", "may not be specified when `value` is not empty"))
    elif len(given) > 1:
        findings.append(invalid_value(path, "", _ONE_AT_A_TIME))
    if "fieldRef" in source:
        findings += _field_rules(source["fieldRef"], f"{path}.fieldRef", _FIELDS)
    if "resourceFieldRef" in source:
        findings += _amount_rules(source["resourceFieldRef"], f"{path}.resourceFieldRef")
    return findings


def _field_rules(reference: Json, path: str, allowed: tuple[str, ...]) -> Iterable[FieldError]:
    field = reference.get("fieldPath")
    if not field or field in allowed:
        return ()
    if subscript := _SUBSCRIPT.fullmatch(field):
        return _subscript_rules(field, subscript.group(1), subscript.group(2), path)
    if field not in _KNOWN_FIELDS:
        return [invalid_value(f"{path}.fieldPath", field, f"error converting fieldPath: field label not supported: {field}")]
    return [unsupported(f"{path}.fieldPath", field, allowed)]


def _subscript_rules(field: str, of: str, key: str, path: str) -> Iterator[FieldError]:
    """The rules of ``['KEY']``, which only labels and annotations can have. Errors of the key are reported for the whole reference."""
    if of not in ("metadata.annotations", "metadata.labels"):
        why = f"error converting fieldPath: field label does not support subscript: {field}"
        yield invalid_value(f"{path}.fieldPath", field, why)
        return
    meant = key.lower() if of == "metadata.annotations" else key
    yield from (invalid_value(path, meant, finding) for finding in qualified_name(meant))


def _amount_rules(reference: Json, path: str) -> Iterator[FieldError]:
    amount = reference.get("resource") or ""
    if amount and amount not in _AMOUNTS and not amount.startswith(_HUGE_PAGES):
        yield unsupported(f"{path}.resource", amount, _AMOUNTS)


def env_from_rules(value: Json, path: str) -> Iterator[FieldError]:
    """All that is wrong with a set of environment variables."""
    if prefix := value.get("prefix"):
        yield from (invalid_value(f"{path}.prefix", prefix, finding) for finding in env_var_name(prefix))
    given = [name for name in _SET_SOURCES if value.get(name) is not None]
    for name in given:
        if not value[name].get("name"):
            yield required(f"{path}.{name}.name")
        else:
            yield from object_named(value[name], f"{path}.{name}")
    sets = path.rpartition("[")[0]  # how many sources a set has is told of all sets together
    if not given:
        yield invalid_value(sets, "", "must specify one of: `configMapRef` or `secretRef`")
    elif len(given) > 1:
        yield invalid_value(sets, "", _ONE_AT_A_TIME)


def object_named(value: Json, path: str) -> Iterable[FieldError]:
    """A reference names an object."""
    name = value.get("name") or ""
    findings = dns_subdomain(name)
    return [invalid_value(f"{path}.name", name, finding) for finding in findings] if findings else ()


def key_selector_rules(value: Json, path: str) -> Iterable[FieldError]:
    """A key of a named ConfigMap or Secret."""
    findings: list[FieldError] = []
    findings += object_named(value, path)
    if not _KEY.holds(key := value.get("key")):
        findings += _KEY.told(key, f"{path}.key")
    return findings


def file_key_rules(value: Json, path: str) -> Iterator[FieldError]:
    """The name of a variable, in a file of a volume."""
    if key := value.get("key"):
        yield from (invalid_value(f"{path}.key", key, finding) for finding in env_var_name(key))


def downward_file_rules(value: Json, path: str) -> Iterator[FieldError]:
    """A file shows either a field or an amount."""
    field, amount = value.get("fieldRef"), value.get("resourceFieldRef")
    if field is not None:
        yield from _field_rules(field, f"{path}.fieldRef", _FILE_FIELDS)
        if amount is not None:
            yield invalid_value(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
    elif amount is not None:
        if not amount.get("containerName"):
            yield required(f"{path}.resourceFieldRef.containerName")
        yield from _amount_rules(amount, f"{path}.resourceFieldRef")
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")

"""What makes volumes of storage systems right: names in the forms they know, and what excludes each other."""

import re
from collections.abc import Iterator

from svcsim.dialect import DIALECTS
from svcsim.kinds.shared.checks import in_range
from svcsim.meta.errors import FieldError, invalid_value, required, unsupported
from svcsim.meta.names import dns_label, dns_subdomain
from svcsim.meta.types import Json

_HOST_PORT = "must be a host:port pair or multiple pairs separated by commas"
_IS_HOST_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*):[^:\[\]]*").fullmatch
_INITIATORS = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+", re.ASCII).fullmatch,
    "eui": re.compile(r"eui\.[A-Za-z0-9]{16}").fullmatch,
    "naa": re.compile(r"naa\.[A-Za-z0-9]{32}").fullmatch,
}
"""The forms of iSCSI names, by what they begin with."""
_TENANT_CHARS = 64
_MANAGED_DISK = ("/subscriptions/", "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}")
_BLOB_DISK = ("https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd")

one_byte = in_range(0, 255)
"""Numbers of logical units and of partitions."""


def iscsi_name(value: Json, path: str) -> Iterator[FieldError]:
    """The name of a target or an initiator."""
    if not value.startswith(tuple(_INITIATORS)):
        yield invalid_value(path, value, "must be valid format starting with iqn, eui, or naa")
    elif not _INITIATORS[value[:3]](value):
        yield invalid_value(path, value, "must be valid format")


def iscsi_rules(value: Json, path: str) -> Iterator[FieldError]:
    if (value.get("chapAuthDiscovery") or value.get("chapAuthSession")) and value.get("secretRef") is None:
        yield required(f"{path}.secretRef")


def fibre_channel_rules(value: Json, path: str) -> Iterator[FieldError]:
    """Either targets with a unit, or IDs of the volume."""
    targets, ids, unit = value.get("targetWWNs"), value.get("wwids"), value.get("lun")
    if not targets and not ids:
        yield required(f"{path}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if targets and ids:
        yield invalid_value(f"{path}.targetWWNs", targets, "targetWWNs and wwids can not be specified simultaneously")
    if targets and unit is None:
        yield required(f"{path}.lun", "lun is required if targetWWNs is specified")
    elif targets:
        yield from one_byte(unit, f"{path}.lun")


def flocker_rules(value: Json, path: str) -> Iterator[FieldError]:
    name, uuid = value.get("datasetName") or "", value.get("datasetUUID")
    if not name and not uuid:
        yield required(path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        yield invalid_value(path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield invalid_value(f"{path}.datasetName", name, "must not contain '/'")


def quobyte_rules(value: Json, path: str) -> Iterator[FieldError]:
    registry, tenant = value.get("registry") or "", value.get("tenant") or ""
    if not registry:
        return  # the schema tells of that
    if len(tenant) > _TENANT_CHARS:
        yield required(f"{path}.tenant", f"must be a UUID and may not exceed a length of {_TENANT_CHARS} characters")
    elif not all(map(_IS_HOST_PORT, registry.split(","))):
        yield invalid_value(f"{path}.registry", registry, _HOST_PORT)


def azure_disk_rules(value: Json, path: str) -> Iterator[FieldError]:
    """A managed disk is an Azure resource, any other one a blob."""
    uri, kind = value.get("diskURI") or "", value.get("kind")
    begins, form = _MANAGED_DISK if kind == "Managed" else _BLOB_DISK
    if kind is not None and not uri.startswith(begins):
        yield unsupported(f"{path}.diskURI", uri, (form,))


def flex_options(value: Json, path: str) -> Iterator[FieldError]:
    """Keys with the cluster's own domains are kept for what it tells the driver itself."""
    for key in value:
        domain = "." + key.partition("/")[0].lower() if "/" in key else f".{key.lower()}"
        for dialect in DIALECTS.values():
            reserved = tuple(dict.fromkeys((dialect.domain, dialect.group_suffix)))
            if domain.endswith(tuple(f".{one}" for one in reserved)):
                words = f"{' and '.join(reserved)} namespaces are reserved" if len(reserved) > 1 else f"{reserved[0]} namespace is reserved"
                yield invalid_value(f"{path}[{key}]", key, words)


def label(value: Json, path: str) -> Iterator[FieldError]:
    if value:
        yield from (invalid_value(path, value, finding) for finding in dns_label(value))


def namespace_if_named(value: Json, path: str) -> Iterator[FieldError]:
    """A namespace that may be left out, and not be empty."""
    if value == "":
        yield invalid_value(path, value, "if the endpointnamespace is set, it must be a valid namespace name")
    else:
        yield from label(value, path)


def not_empty(value: Json, path: str) -> Iterator[FieldError]:
    """Something that may be left out, and not be empty."""
    if value == "":
        yield required(path)


def local_secret(value: Json, path: str) -> Iterator[FieldError]:
    """A reference to a Secret in the same namespace."""
    if not value.get("name"):
        yield required(f"{path}.name")
    else:
        yield from (invalid_value(f"{path}.name", value["name"], finding) for finding in dns_subdomain(value["name"]))

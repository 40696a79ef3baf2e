"""IPAddress objects as the cluster itself makes them: of which Service an address is, and by which labels they are known."""

from svcsim.dialect import Dialect
from svcsim.meta.networks import canonical_address, family, parse_address
from svcsim.meta.objects import get_path, labels_of, name_of, namespace_of
from svcsim.meta.types import Object


def cluster_ips(service: Object) -> list[str]:
    """The addresses that a Service has: an indexer."""
    return [canonical_address(address) for address in get_path(service, "spec.clusterIPs") or () if address != "None"]


def is_allotted(ip_address: Object, dialect: Dialect) -> bool:
    """Whether the cluster made it for a Service. Any other one reserves its address, so that no Service gets it."""
    return labels_of(ip_address).get(_managed_by(dialect)) == dialect.group("ipallocator")


def parent_of(service: Object) -> Object:
    """How its IPAddress refers to a Service."""
    return {"resource": "services", "namespace": namespace_of(service), "name": name_of(service)}


def allotted(address: str, service: Object, dialect: Dialect) -> Object:
    """The IPAddress of a Service."""
    parsed = parse_address(address)
    assert parsed is not None
    labels = {dialect.key("ip-family", "ipaddress"): family(parsed), _managed_by(dialect): dialect.group("ipallocator")}
    return {
        "apiVersion": f"{dialect.group('networking')}/v1",
        "kind": "IPAddress",
        "metadata": {"name": address, "labels": labels},
        "spec": {"parentRef": parent_of(service)},
    }


def _managed_by(dialect: Dialect) -> str:
    return dialect.key("managed-by", "ipaddress")

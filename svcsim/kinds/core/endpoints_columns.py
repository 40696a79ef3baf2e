"""What a table shows of Endpoints: the first few addresses."""

from collections.abc import Iterator

from svcsim.kinds.shared.columns import NONE, first_few
from svcsim.meta.networks import host_port
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_SHOWN = 3
"""Addresses that a table shows before it says how many more there are."""


def _addresses(obj: Object) -> Iterator[str]:
    for subset in obj.get("subsets") or ():
        addresses = [item["ip"] for item in subset.get("addresses") or ()]
        ports = subset.get("ports") or ()
        if not ports:
            yield from addresses
        for one in ports:
            yield from (host_port(host, one["port"]) for host in addresses)


def endpoints(obj: Object, context: Context) -> Json:
    return first_few(list(_addresses(obj)), _SHOWN) if obj.get("subsets") else NONE

"""What a table shows of an EndpointSlice: the first few ports and addresses."""

from collections.abc import Iterator

from svcsim.kinds.shared.columns import UNSET, first_few
from svcsim.meta.types import Json, Object
from svcsim.registry.kind import Context

_SHOWN = 3
"""Addresses and ports that a table shows before it says how many more there are."""


def ports(obj: Object, context: Context) -> Json:
    ports = [str(one["port"]) if one.get("port") is not None else "*" for one in obj.get("ports") or ()]
    return first_few(ports, _SHOWN) or UNSET


def endpoints(obj: Object, context: Context) -> Json:
    return first_few(list(_addresses(obj)), _SHOWN) or UNSET


def _addresses(obj: Object) -> Iterator[str]:
    for endpoint in obj.get("endpoints") or ():
        yield from endpoint.get("addresses") or ()

"""Which endpoints of a service a pod's requests go to: those of its node, its zone, the one it has been with, or any of them in turn."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from zlib import crc32

from svcsim.meta.endpoint_slices import endpoints_in, takes_requests
from svcsim.meta.types import Object
from svcsim.outbound.services import Endpoint


def is_hinted(slices: Iterable[Object]) -> bool:
    """Whether some endpoints are meant for some nodes, or zones."""
    return any(endpoint.get("hints") for endpoint in endpoints_in(slices))


def led_to(service: Object, slices: Sequence[Object], node: str, zone: str) -> list[Object]:
    """The slices with those endpoints alone that requests from a node go to.

    Where a service's traffic stays on its node, that may be none. Hints count where they lead to somebody, those for zones only where all
    endpoints have some.
    """
    if (service.get("spec") or {}).get("internalTrafficPolicy") == "Local":
        return _with_those(slices, lambda endpoint: endpoint.get("nodeName") == node)
    everyone = list(endpoints_in(slices))
    for field, name in (("forNodes", node), ("forZones", zone)):
        are_meant = partial(_is_meant, field, name)
        counts = field == "forNodes" or all(_hints(endpoint, field) for endpoint in everyone)
        if counts and any(takes_requests(endpoint) for endpoint in filter(are_meant, everyone)):
            return _with_those(slices, are_meant)
    return list(slices)


def chosen(service: Object, found: Sequence[Endpoint], address: str, turn: int) -> Endpoint:
    """Who is asked by a pod that has this address; ``turn`` counts requests."""
    stays = (service.get("spec") or {}).get("sessionAffinity") == "ClientIP"
    return found[(crc32(address.encode()) if stays else turn) % len(found)]


def _is_meant(field: str, name: str, endpoint: Object) -> bool:
    return name in _hints(endpoint, field)


def _hints(endpoint: Object, field: str) -> list[str]:
    return [one.get("name") or "" for one in (endpoint.get("hints") or {}).get(field) or ()]


def _with_those(slices: Sequence[Object], are_meant: Callable[[Object], bool]) -> list[Object]:
    return [{**one, "endpoints": list(filter(are_meant, endpoints_in((one,))))} for one in slices]

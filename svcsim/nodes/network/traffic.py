"""Which endpoints of a service a pod's requests go to: those of its node, its zone, the one it has been with, or any of them in turn."""

from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

from svcsim.meta.types import Object
from svcsim.outbound.services import Endpoint


def is_hinted(slices: Iterable[Object]) -> bool:
    """Whether some endpoints are meant for some nodes, or zones."""
    return any(endpoint.get("hints") for endpoint in _endpoints(slices))


def led_to(service: Object, slices: Sequence[Object], node: str, zone: str) -> list[Object]:
    """The slices with those endpoints alone that requests from a node go to.

    Where a service's traffic stays on its node, that may be none. Hints count where they lead to somebody, those for zones only where all
    endpoints have some.
    """
    if (service.get("spec") or {}).get("internalTrafficPolicy") == "Local":
        return [_with(one, [endpoint for endpoint in one.get("endpoints") or () if endpoint.get("nodeName") == node]) for one in slices]
    for field, name, needed in (("forNodes", node, False), ("forZones", zone, True)):
        everyone = list(_endpoints(slices))
        meant = [endpoint for endpoint in everyone if name in _hints(endpoint, field)]
        if any(_is_ready(endpoint) for endpoint in meant) and not (needed and any(not _hints(one, field) for one in everyone)):
            return [_with(one, [endpoint for endpoint in one.get("endpoints") or () if name in _hints(endpoint, field)]) for one in slices]
    return list(slices)


def chosen(service: Object, found: Sequence[Endpoint], address: str, turn: int) -> Endpoint:
    """Who is asked by a pod that has this address; ``turn`` counts requests."""
    stays = (service.get("spec") or {}).get("sessionAffinity") == "ClientIP"
    return found[(crc32(address.encode()) if stays else turn) % len(found)]


def _endpoints(slices: Iterable[Object]) -> Iterator[Object]:
    for one in slices:
        yield from one.get("endpoints") or ()


def _is_ready(endpoint: Object) -> bool:
    return (endpoint.get("conditions") or {}).get("ready") is not False


def _hints(endpoint: Object, field: str) -> list[str]:
    return [one.get("name") or "" for one in (endpoint.get("hints") or {}).get(field) or ()]


def _with(one: Object, endpoints: list[Object]) -> Object:
    return {**one, "endpoints": endpoints}

"""What EndpointSlices tell of those behind a service."""

from collections.abc import Iterable, Iterator

from svcsim.meta.types import Object


def endpoints_in(slices: Iterable[Object]) -> Iterator[Object]:
    """All of them, slice by slice."""
    for one in slices:
        yield from one.get("endpoints") or ()


def takes_requests(endpoint: Object) -> bool:
    """Whether one is ready, as it is too where nobody says so."""
    return (endpoint.get("conditions") or {}).get("ready") is not False

"""Hints: which clients should use an endpoint, where a service says that its traffic is to stay near."""

from typing import Final

from svcsim.controllers.endpoints.words import EndpointWords
from svcsim.meta.objects import annotations_of
from svcsim.meta.types import Object

_OF_DISTRIBUTION: Final[dict[str, tuple[str, ...]]] = {
    "PreferClose": ("forZones",),
    "PreferSameZone": ("forZones",),
    "PreferSameNode": ("forZones", "forNodes"),
}
_NEAR: Final = {"forZones": "zone", "forNodes": "nodeName"}
"""The field of an endpoint that says who is near it."""


def hints_wanted(service: Object, words: EndpointWords) -> tuple[str, ...]:
    """The hints that the endpoints of a service are to have; none of these where zones are to have shares of them."""
    if wants_shares(service, words):
        return ()
    return _OF_DISTRIBUTION.get(service["spec"].get("trafficDistribution") or "", ())


def wants_shares(service: Object, words: EndpointWords) -> bool:
    """Whether zones are to have shares of the endpoints of a service."""
    annotations = annotations_of(service)
    mode = next((annotations[key] for key in words.topology_modes if key in annotations), "")
    return mode in ("Auto", "auto")


def hints_for(endpoint: Object, wanted: tuple[str, ...]) -> Object:
    """The hints of an endpoint that is ready."""
    return {hint: [{"name": near}] for hint in wanted if (near := endpoint.get(_NEAR[hint]))}

"""Endpoints that were written by hand, for a service that selects no pods."""

from svcsim.controllers.endpoints.words import EndpointWords
from svcsim.meta.objects import annotations_of, is_terminating, labels_of
from svcsim.meta.types import Object


def is_mirrored(endpoints: Object, service: Object, words: EndpointWords) -> bool:
    """Whether these Endpoints are written by hand, and by nobody who writes slices as well."""
    if service["spec"].get("selector") or is_terminating(endpoints):
        return False
    return labels_of(endpoints).get(words.skip_mirror) != "true" and words.leader not in annotations_of(endpoints)

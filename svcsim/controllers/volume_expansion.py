"""The expand controller: tells those who ask for a larger volume who sees to it. Every volume that can grow has a driver."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.claims import size_of, volume_of, wanted_size
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import uid_of
from svcsim.meta.pods import phase_of
from svcsim.meta.types import Object

_MESSAGE = "waiting for an external controller to expand this PVC"


class VolumeExpansion(Controller):
    """Says it once for each wish."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._claims = context.informers.cache("v1", "persistentvolumeclaims")
        self._volumes = context.informers.cache("v1", "persistentvolumes")
        super().__init__("volume expansion", context.clock, (Source(self._claims, _wishes), Source(self._volumes)), workers=1)

    async def reconcile(self, key: ObjectKey) -> None:
        claim = self._claims.get(key.name, key.namespace)
        volume = self._volumes.get(volume_of(claim)) if claim is not None else None
        if claim is None or volume is None or (volume["spec"].get("claimRef") or {}).get("uid") != uid_of(claim):
            return
        if size_of(volume) < wanted_size(claim):
            self._events.normal(claim, "ExternalExpanding", _MESSAGE)


def _wishes(change: str, claim: Object, before: Object | None) -> Iterable[ObjectKey]:
    """Bound claims that ask for more than they did."""
    grows = before is not None and wanted_size(before) < wanted_size(claim)
    return (object_key(claim),) if change == "MODIFIED" and grows and phase_of(claim) == "Bound" else ()

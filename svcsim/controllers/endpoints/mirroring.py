"""EndpointSlice mirroring: Endpoints that were written by hand, for a service without a selector, get slices with the same content.

Clients that follow a service read only its slices, so they wouldn't see what is only in Endpoints.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.controllers.endpoints.by_hand import is_mirrored
from svcsim.controllers.endpoints.slices import make_plan, make_slice, port_of, slice_metadata
from svcsim.controllers.endpoints.words import EndpointWords, endpoint_words
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.networks import family_of
from svcsim.meta.objects import annotations_of, labels_of, name_of, namespace_of
from svcsim.meta.types import Object


class EndpointSliceMirroring(Controller):
    """Keeps the slices of Endpoints that no controller writes."""

    def __init__(self, context: ControllerContext) -> None:
        slices = f"{context.dialect.group('discovery')}/v1"
        self._words = endpoint_words(context.dialect)
        self._events = context.events
        self._api = context.client.resource(slices, "endpointslices")
        self._services = context.informers.cache("v1", "services")
        self._endpoints = context.informers.cache("v1", "endpoints")
        self._slices = context.informers.cache(slices, "endpointslices", self._of_slice)
        sources = (Source(self._endpoints, itself), Source(self._services, itself), Source(self._slices, self._keys_of_slice))
        super().__init__("endpointslice mirroring", context.clock, sources)

    def _of_slice(self, item: Object) -> list[str]:
        """An indexer: the Endpoints that a slice of ours mirrors."""
        labels = labels_of(item)
        mine = labels.get(self._words.slices_managed_by) == self._words.mirror_manager
        return [f"{namespace_of(item)}/{labels.get(self._words.service_name, '')}"] if mine else []

    def _keys_of_slice(self, _change: str, item: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return [ObjectKey(*mirrored.split("/")) for mirrored in self._of_slice(item)]

    async def reconcile(self, key: ObjectKey) -> None:
        endpoints, service = self._endpoints.get(key.name, key.namespace), self._services.get(key.name, key.namespace)
        present = self._slices.find(self._of_slice, f"{key.namespace}/{key.name}")
        wanted: list[Object] = []
        if endpoints is not None and service is not None and is_mirrored(endpoints, service, self._words):
            wanted = mirrored_slices(endpoints, self._words)
            self._tell_left_out(endpoints)
        plan = make_plan(wanted, present, trigger_key=self._words.trigger_time, mirrors=True)
        await plan.carry_out(self._api.within(key.namespace), f"Endpoints {key.namespace}/{key.name}")

    def _tell_left_out(self, endpoints: Object) -> None:
        most = limits.ENDPOINTS_ADDRESSES
        skipped = sum(max(len(list(_addresses(subset))) - most, 0) for subset in endpoints.get("subsets") or ())
        if skipped:
            told = f"A max of {most} addresses can be mirrored to EndpointSlices per Endpoints subset. {skipped} addresses were skipped"
            self._events.warning(endpoints, "TooManyAddressesToMirror", told)


def mirrored_slices(endpoints: Object, words: EndpointWords) -> list[Object]:
    """The slices that say what Endpoints say: one for each subset and type of address.

    The number of mirrored addresses of a subset is limited; ready ones come first.
    """
    labels = {**labels_of(endpoints), words.slices_managed_by: words.mirror_manager, words.service_name: name_of(endpoints)}
    dropped = (words.trigger_time, words.last_applied)
    annotations = {key: value for key, value in annotations_of(endpoints).items() if key not in dropped}
    metadata = slice_metadata(endpoints, "v1", "Endpoints", labels, annotations)
    found: list[Object] = []
    for subset in endpoints.get("subsets") or ():
        ports = tuple(port_of(port) for port in subset.get("ports") or ())
        by_type: dict[str, list[Object]] = {}
        for address, ready in islice(_addresses(subset), limits.ENDPOINTS_ADDRESSES):
            by_type.setdefault(family_of(address["ip"]), []).append(_endpoint(address, ready=ready))
        for address_type, items in by_type.items():
            found.append(make_slice(metadata, address_type, items, ports))
    return found


def _addresses(subset: Object) -> Iterator[tuple[Object, bool]]:
    """The addresses of a subset, and whether each is ready; ready ones come first."""
    for field, ready in (("addresses", True), ("notReadyAddresses", False)):
        for address in subset.get(field) or ():
            yield address, ready


def _endpoint(address: Object, *, ready: bool) -> Object:
    endpoint: Object = {"addresses": [address["ip"]], "conditions": {"ready": ready}}
    endpoint |= {field: address[field] for field in ("hostname", "targetRef", "nodeName") if address.get(field)}
    return endpoint

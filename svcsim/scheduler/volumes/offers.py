"""The volumes that a claim could have, the best first, found by node: a class may have as many local volumes as there are nodes."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from svcsim.meta.claims import StorageKeys
from svcsim.meta.node_affinity import NodeTerm, volume_terms
from svcsim.meta.objects import get_path, name_of
from svcsim.meta.types import Json, Object
from svcsim.meta.volume_matching import in_order
from svcsim.scheduler.node import NodeInfo


class _Offer(NamedTuple):
    rank: int
    volume: Object
    terms: tuple[NodeTerm, ...] | None
    """Where it is to be had; None for everywhere."""

    def is_on(self, node: NodeInfo) -> bool:
        return self.terms is None or any(term.fits(node.labels, node.name) for term in self.terms)


class Offers:
    """Volumes that say by one label where they are are looked up by it; only the others are asked one by one."""

    def __init__(self, claim: Object, volumes: Iterable[Object], keys: StorageKeys) -> None:
        self._by_label: dict[str, dict[str, list[_Offer]]] = {}
        self._others: list[_Offer] = []
        for rank, volume in enumerate(in_order(claim, volumes, keys)):
            given = get_path(volume, "spec.nodeAffinity.required.nodeSelectorTerms") or ()
            offer = _Offer(rank, volume, volume_terms(volume))
            label = _one_label(given)
            if label is None:
                self._others.append(offer)
            else:
                for value in label["values"]:
                    self._by_label.setdefault(label["key"], {}).setdefault(value, []).append(offer)

    def on(self, node: NodeInfo, taken: Collection[str]) -> Object | None:
        """The best that is to be had on a node, but for those that are taken."""
        found = [_first(offers.get(node.labels.get(key, ""), ()), node, taken) for key, offers in self._by_label.items()]
        best = min((one for one in (*found, _first(self._others, node, taken)) if one is not None), default=None, key=_rank)
        return None if best is None else best.volume


def _first(offers: Iterable[_Offer], node: NodeInfo, taken: Collection[str]) -> _Offer | None:
    return next((offer for offer in offers if name_of(offer.volume) not in taken and offer.is_on(node)), None)


def _rank(offer: _Offer) -> int:
    return offer.rank


def _one_label(terms: Json) -> Object | None:
    """The requirement that a label has one of some values, if the only term has such a one; what else it asks is asked of the node."""
    if len(terms) != 1:
        return None
    expressions: list[Object] = terms[0].get("matchExpressions") or []
    return next((one for one in expressions if one["operator"] == "In" and one.get("values")), None)

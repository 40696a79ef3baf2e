"""Which volume meets a claim: asked by the binder of all volumes, and by the scheduler of those that are to be had on a node."""

from collections.abc import Iterable
from fractions import Fraction

from svcsim.meta.claims import (
    StorageKeys,
    access_modes,
    attributes_class,
    claim_ref,
    data_source,
    is_for,
    mode_of,
    size_of,
    wanted_size,
)
from svcsim.meta.label_selectors import from_object
from svcsim.meta.node_affinity import node_term
from svcsim.meta.objects import get_path, is_terminating, labels_of, name_of
from svcsim.meta.types import Object


def unfit(volume: Object, claim: Object, keys: StorageKeys) -> str:
    """Why a volume that a claim asks for by name can't be had; empty if it can."""
    if is_terminating(volume):
        return f'the volume is marked for deletion "{name_of(volume)}"'
    if size_of(volume) < wanted_size(claim):
        return "requested PV is too small"
    if keys.class_of(volume) != keys.class_of(claim):
        return "storageClassName does not match"
    if attributes_class(volume) != attributes_class(claim):
        return "VolumeAttributesClassName does not match"
    if mode_of(volume) != mode_of(claim):
        return "incompatible volumeMode"
    return "" if _has_modes(volume, claim) else "incompatible accessMode"


def volume_meant_for(claim: Object, volumes: Iterable[Object]) -> Object | None:
    """The volume that says it is for a claim and could be its, of those that name the claim."""
    for volume in volumes:
        fits = mode_of(volume) == mode_of(claim) and attributes_class(volume) == attributes_class(claim)
        if is_for(volume, claim) and fits and not is_terminating(volume) and not size_of(volume) < wanted_size(claim):
            return volume
    return None


def best_volume(claim: Object, volumes: Iterable[Object], keys: StorageKeys) -> Object | None:
    """The volume a claim is bound to, of the unbound ones that fit: one with the fewest access modes, and of those the smallest."""
    return min((volume for volume in volumes if _meets(volume, claim, keys)), key=_rank, default=None)


def in_order(claim: Object, volumes: Iterable[Object], keys: StorageKeys) -> list[Object]:
    """All volumes that a claim could have: those that are meant for it, and then the others, the best first."""
    given = list(volumes)
    meant = [volume for volume in given if volume_meant_for(claim, (volume,)) is not None]
    return [*meant, *sorted((volume for volume in given if _meets(volume, claim, keys)), key=_rank)]


def selects(claim: Object) -> bool:
    """Whether a claim asks for a volume with certain labels, which nobody makes for it."""
    selector = claim["spec"].get("selector") or {}
    return bool(selector.get("matchLabels") or selector.get("matchExpressions"))


def _rank(volume: Object) -> tuple[int, Fraction, str]:
    return len(access_modes(volume)), size_of(volume).number, name_of(volume)


def _meets(volume: Object, claim: Object, keys: StorageKeys) -> bool:
    """What is in a volume that nobody has made for the claim isn't what the claim is to be filled from."""
    selector = claim["spec"].get("selector")
    return (
        claim_ref(volume) is None
        and data_source(claim) is None
        and get_path(volume, "status.phase") == "Available"
        and not is_terminating(volume)
        and keys.class_of(volume) == keys.class_of(claim)
        and attributes_class(volume) == attributes_class(claim)
        and mode_of(volume) == mode_of(claim)
        and _has_modes(volume, claim)
        and not size_of(volume) < wanted_size(claim)
        and (selector is None or from_object(selector).matches(labels_of(volume)))
    )


def _has_modes(volume: Object, claim: Object) -> bool:
    has = access_modes(volume)
    return all(mode in has for mode in access_modes(claim))


def reachable_from(volume: Object, labels: dict[str, str], node: str) -> bool:
    """Whether a volume is to be had on a node."""
    required = get_path(volume, "spec.nodeAffinity.required")
    if required is None:
        return True
    terms = (node_term(term) for term in required.get("nodeSelectorTerms") or ())
    return any(term.fits(labels, node) for term in terms if term is not None)

"""Claims whose volume isn't to be empty: what it is filled from, and what that takes."""

from svcsim.meta.claims import data_source
from svcsim.meta.objects import get_path, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Facts, Wanted

_SOURCE = "source"


def source_wanted(claim: Object) -> list[Wanted]:
    """The claim of which it is to be a clone."""
    source = data_source(claim)
    if source is None or not _is_own_claim(source):
        return []
    return [Wanted(_SOURCE, f"/api/v1/namespaces/{namespace_of(claim)}/persistentvolumeclaims/{source['name']}")]


def unbound_source(facts: Facts) -> tuple[Object, ...]:
    """The claim of which it is to be a clone, where that has no volume itself."""
    source = facts.one(_SOURCE)
    return () if source is None or get_path(source, "status.phase") == "Bound" else (source,)


def filled_from(claim: Object, facts: Facts) -> tuple[str, ...]:
    """What its volume is to begin with, and what that takes."""
    source = data_source(claim)
    if source is None:
        return ()
    group, kind, name = source.get("apiGroup") or "", source.get("kind", ""), source.get("name", "")
    if _is_own_claim(source):
        missing = ", which isn't there" if facts.is_missing(_SOURCE) else ""
        unbound = ", which isn't bound to a volume yet" if unbound_source(facts) else ""
        return (f"Its volume is to be a clone of that of the claim {name}{missing or unbound}.",)
    what = f"Its volume is to be filled from the {kind} {name}{f' ({group})' if group else ''}"
    if source.get("namespace"):
        return (f"{what} of the namespace {source['namespace']}.",)
    if not takes_populator(source):
        return (f"{what}.",)
    none = ", and none is registered for its kind" if facts.event("UnrecognizedDataSourceKind") else ""
    return (f"{what}, which takes a volume populator{none}.",)


def takes_populator(source: Object) -> bool:
    """Whether whoever makes volumes of a class leaves it to others to fill them from this."""
    is_snapshot = source.get("kind") == "VolumeSnapshot" and str(source.get("apiGroup")).startswith("snapshot.storage.")
    return not (is_snapshot or source.get("namespace") or _is_own_claim(source))


def _is_own_claim(source: Object) -> bool:
    """Whether the source of a claim's data is a claim of the same namespace."""
    return source.get("kind") == "PersistentVolumeClaim" and not source.get("apiGroup") and not source.get("namespace")

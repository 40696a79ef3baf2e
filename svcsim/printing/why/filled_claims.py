"""Claims whose volume isn't to be empty: what it is filled from, and what that takes."""

from svcsim.controllers.simulated_disks.originals import DataSource, is_for_populators
from svcsim.meta.objects import get_path, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.why.verdict import Facts, Wanted

_SOURCE = "source"


def source_wanted(claim: Object) -> list[Wanted]:
    """The claim of which it is to be a clone."""
    source = DataSource.of(claim)
    if source is None or not source.is_own_claim:
        return []
    return [Wanted(_SOURCE, f"/api/v1/namespaces/{namespace_of(claim)}/persistentvolumeclaims/{source.name}")]


def unbound_source(facts: Facts) -> tuple[Object, ...]:
    """The claim of which it is to be a clone, where that has no volume itself."""
    source = facts.one(_SOURCE)
    return () if source is None or get_path(source, "status.phase") == "Bound" else (source,)


def filled_from(claim: Object, facts: Facts) -> tuple[str, ...]:
    """What its volume is to begin with, and what that takes."""
    source = DataSource.of(claim)
    if source is None:
        return ()
    if source.is_own_claim:
        missing = ", which isn't there" if facts.is_missing(_SOURCE) else ""
        unbound = ", which isn't bound to a volume yet" if unbound_source(facts) else ""
        return (f"Its volume is to be a clone of that of the claim {source.name}{missing or unbound}.",)
    what = f"Its volume is to be filled from the {source.kind} {source.name}{f' ({source.group})' if source.group else ''}"
    if source.namespace:
        return (f"{what} of the namespace {source.namespace}.",)
    if not is_for_populators(source, facts.dialect):
        return (f"{what}.",)
    none = ", and none is registered for its kind" if facts.event("UnrecognizedDataSourceKind") else ""
    return (f"{what}, which takes a volume populator{none}.",)

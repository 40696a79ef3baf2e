"""The coordination group: leases, by which one of many is chosen and heartbeats are told."""

from collections.abc import Iterator

from svcsim.kinds.groups import COORDINATION_V1
from svcsim.kinds.shared.checks import not_negative, positive
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.meta.errors import FieldError, forbidden_field
from svcsim.meta.types import Json
from svcsim.registry.kind import Column, Kind
from svcsim.schema.types import Field, Int, Str, Struct, Time


def _strategy_with_holder(spec: Json, path: str) -> Iterator[FieldError]:
    if spec.get("preferredHolder") and not spec.get("strategy"):
        yield forbidden_field(f"{path}.preferredHolder", "may only be specified if `strategy` is defined")


_SPEC = Struct(
    "LeaseSpec",
    Field(1, "holderIdentity", Str(), "Who holds it"),
    Field(2, "leaseDurationSeconds", Int(), "How long others wait after the last renewal before they take it", rules=(positive,)),
    Field(3, "acquireTime", Time(micro=True), "When the holder took it"),
    Field(4, "renewTime", Time(micro=True), "When the holder last renewed it"),
    Field(5, "leaseTransitions", Int(), "How often the holder changed", rules=(not_negative,)),
    Field(6, "strategy", Str(), "How the holder is chosen, where candidates are coordinated"),
    Field(7, "preferredHolder", Str(), "To whom the holder is to leave it"),
    doc="Who holds a lease, and until when",
    rules=(_strategy_with_holder,),
)
LEASE = Kind(
    "Lease",
    COORDINATION_V1,
    "leases",
    Struct("Lease", Field(2, "spec", _SPEC, "Who holds it, and until when", default={}), doc="A right that one holder has for a while"),
    singular="lease",
    columns=(Column("Holder", text_at("spec.holderIdentity"), doc="Who holds it"), AGE),
    update_creates=True,
    unconditional_update=False,
    doc="A right that one holder has for a while",
)

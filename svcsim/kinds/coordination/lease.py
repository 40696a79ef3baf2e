"""Lease: which of several candidates is in charge, and until when; nodes renew one as their heartbeat."""

from svcsim.kinds.coordination.lease_rules import known_strategy, strategy_with_preferred_holder
from svcsim.kinds.groups import COORDINATION_V1
from svcsim.kinds.shared.checks import not_negative, positive
from svcsim.kinds.shared.columns import AGE, text_at
from svcsim.registry.kind import Column, Kind
from svcsim.schema.types import Field, Int, Str, Struct, Time

_SPEC = Struct(
    "LeaseSpec",
    Field(1, "holderIdentity", Str(), "Identity of the current holder", presence=True),
    Field(
        2,
        "leaseDurationSeconds",
        Int(),
        "Seconds after the last renewal during which other candidates must not take the lease",
        rules=(positive,),
    ),
    Field(3, "acquireTime", Time(micro=True), "When the current holder acquired the lease"),
    Field(4, "renewTime", Time(micro=True), "When the current holder last renewed the lease"),
    Field(5, "leaseTransitions", Int(), "How often the lease has changed its holder", rules=(not_negative,)),
    Field(6, "strategy", Str(), "How the holder is chosen when an election is coordinated", presence=True, rules=(known_strategy,)),
    Field(7, "preferredHolder", Str(), "Identity of the candidate to which the holder should hand over the lease", presence=True),
    doc="Holder of a lease, and how long it is valid",
    rules=(strategy_with_preferred_holder,),
)
LEASE = Kind(
    COORDINATION_V1,
    "leases",
    Struct(
        "Lease",
        Field(2, "spec", _SPEC, "Holder of the lease, and how long it is valid", default={}),
        doc="A right that one holder at a time has and must renew, as used for leader election and heartbeats",
    ),
    columns=(Column("Holder", text_at("spec.holderIdentity"), doc="Identity of the current holder"), AGE),
    update_creates=True,
    unconditional_update=False,
)

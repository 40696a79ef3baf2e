"""ReplicaSets and ReplicationControllers, down to the pods that aren't ready."""

from svcsim.meta.types import Object
from svcsim.printing.why.attended import unseen
from svcsim.printing.why.replicas import (
    becoming_available,
    number_of,
    pods_wanted,
    so_many,
    too_many,
    waited_for,
    wanted_replicas,
    why_none_made,
)
from svcsim.printing.why.verdict import Explainer, Facts, Verdict


def _explain(one: Object, facts: Facts) -> Verdict:
    wanted, present, ready = wanted_replicas(one), number_of(one, "replicas"), number_of(one, "readyReplicas")
    how = f"has {so_many(ready, wanted, 'pod', 'ready')}"
    if behind := unseen(one):
        return Verdict(f"waits for its controller, and {how}", because=behind)
    below = tuple(waited_for(one, facts))  # those on their way out don't count, and are told of while they are there
    if ready >= wanted == present:
        becoming = becoming_available(one, facts, wanted, number_of(one, "availableReplicas"))
        return becoming or Verdict(how if wanted else "is scaled to zero", fine=True, below=below)
    return Verdict(how, because=(*why_none_made(one, facts), *too_many(present, wanted)), below=below)


REPLICA_SET = Explainer(_explain, pods_wanted)

"""How a StatefulSet replaces its pods unless it says, and what the templates of its claims are."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def fill_strategy(strategy: Object) -> None:
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("partition", 0)
        rolling.setdefault("maxUnavailable", 1)


def fill_claim_templates(stateful_set: Object, context: Context) -> None:
    """A template for a claim is a whole object, which says what it is; protobuf has no place for that."""
    for template in (stateful_set.get("spec") or {}).get("volumeClaimTemplates") or ():
        template["apiVersion"], template["kind"] = "v1", "PersistentVolumeClaim"

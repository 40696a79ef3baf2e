"""When that changed last which a service's endpoints follow from, for those who measure how long endpoints lag behind."""

from svcsim.meta.objects import condition
from svcsim.meta.types import Object


def last_change(service: Object, pods: list[Object]) -> str:
    """The moment the service was made, or one of its pods became ready or ceased to be, whichever was last."""
    moments: list[str] = [service["metadata"]["creationTimestamp"]]
    moments += [(condition(pod, "Ready") or {}).get("lastTransitionTime") or "" for pod in pods]
    return max(moments)

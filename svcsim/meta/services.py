"""What can be read off a Service's spec."""

from svcsim.meta.types import Object


def is_asked_after(spec: Object) -> bool:
    """Whether nodes are asked if they have endpoints of the service."""
    return bool(spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local")

"""Requests that the API server hands on to what an object stands for: a pod, a service, a node."""

from svcsim.registry.kind import Option, Subresource


def proxy(options_kind: str) -> Subresource:
    """The subresource below which the object's own paths are."""
    return Subresource(
        "proxy",
        verbs=("create", "delete", "get", "patch", "update"),
        kind=options_kind,
        handler="connect",
        options=(Option("path", doc="Path to request of it"),),
        below="path",
    )

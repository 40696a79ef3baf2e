"""ComponentStatuses: what the cluster knows of its own parts, as it is when somebody asks."""

from collections.abc import Mapping

from svcsim.meta.types import Object


def component_statuses(trouble: Mapping[str, str]) -> list[Object]:
    """One for each component, by name, of its trouble in words; empty where it is well."""
    return [_component_status(name, why) for name, why in sorted(trouble.items())]


def _component_status(name: str, why: str) -> Object:
    health: Object = {"type": "Healthy", "status": "False", "error": why} if why else {"type": "Healthy", "status": "True", "message": "ok"}
    return {"metadata": {"name": name}, "conditions": [health]}

"""What a simulated node is made after, where that is said: a Node manifest, of which labels, annotations, taints and amounts count.

What it says stands over what simulated nodes have anyway. A resource whose capacity alone is given can be used up to all of it.
"""

from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.errors import bad_request
from svcsim.meta.types import Json, Object


class Template(NamedTuple):
    """How a node differs from the usual one."""

    labels: dict[str, str]
    annotations: dict[str, str]
    taints: tuple[Object, ...]
    capacity: dict[str, str]
    allocatable: dict[str, str]

    def to_json(self) -> Object:
        """The manifest it can be read from."""
        return {
            "metadata": {"labels": self.labels, "annotations": self.annotations},
            "spec": {"taints": list(self.taints)},
            "status": {"capacity": self.capacity, "allocatable": self.allocatable},
        }


USUAL = Template({}, {}, (), {}, {})


def read_template(manifest: Json) -> Template:
    """The template in a manifest. Raises a 400 for what is no Node; what is wrong within, the API finds."""
    if not isinstance(manifest, dict) or manifest.get("kind", "Node") != "Node":
        kind = manifest.get("kind") if isinstance(manifest, dict) else "no object"
        raise bad_request(f"a template is a Node manifest, not {kind}")
    metadata, spec, status = (_map(manifest, field) for field in ("metadata", "spec", "status"))
    taints = spec.get("taints") or []
    if not isinstance(taints, list):
        raise bad_request("template: spec.taints must be a list")
    capacity = _amounts(status, "capacity")
    allocatable = {**capacity, **_amounts(status, "allocatable")}
    return Template(_map(metadata, "labels"), _map(metadata, "annotations"), tuple(taints), capacity, allocatable)


def own_labels(template: Template, usual: dict[str, str]) -> dict[str, str]:
    """The labels that the node's agent itself looks after."""
    return {key: template.labels.get(key, value) for key, value in usual.items()}


def permitted_labels(template: Template, dialect: Dialect) -> dict[str, str]:
    """Those of a template that a node's agent may give its node: none in the system's own domains."""
    domains = (dialect.domain, dialect.group_suffix)
    return {key: value for key, value in template.labels.items() if not key.rpartition("/")[0].endswith(domains)}


def _map(of: Object, field: str) -> Object:
    value = of.get(field) or {}
    if not isinstance(value, dict):
        raise bad_request(f"template: {field} must be an object")
    return value


def _amounts(status: Object, field: str) -> dict[str, str]:
    return {name: str(amount) for name, amount in _map(status, field).items()}

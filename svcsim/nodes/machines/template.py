"""What a simulated node is made after, where that is said: a Node manifest, which may be one of a node that is there.

What it says stands over what simulated nodes have anyway. A resource whose capacity alone is given can be used up to all of it. What every
node has of its own is not taken from it, and can be told (`not_taken`); so can be the simulation's part, such as conditions.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.types import Json, Object
from svcsim.nodes.images.images import full_name

_INFO_OF_ITS_OWN = ("bootID", "machineID", "systemUUID")
_TAKEN: dict[str, tuple[str, ...]] = {
    "metadata": ("labels", "annotations", "finalizers"),
    "spec": ("taints", "unschedulable"),
    "status": ("allocatable", "capacity", "daemonEndpoints", "declaredFeatures", "features", "images", "nodeInfo", "runtimeHandlers"),
}
_AS_THEY_ARE = ("daemonEndpoints", "declaredFeatures", "features", "runtimeHandlers")
"""What of a status is the node's as the template says it."""
_OF_EVERY_OBJECT = ("name", "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")
"""What nobody means who takes an object for a template."""


class Template(NamedTuple):
    """How a node differs from the usual one."""

    labels: dict[str, str]
    annotations: dict[str, str]
    finalizers: tuple[str, ...]
    taints: tuple[Object, ...]
    unschedulable: bool
    capacity: dict[str, str]
    allocatable: dict[str, str]
    info: Object
    """Versions of its software, and its architecture."""
    images: tuple[Object, ...]
    """What is on it from the start: full names, and how large, where that is said."""
    status: Object
    """More of what it says of itself."""

    def to_json(self) -> Object:
        """The manifest it can be read from."""
        return {
            "metadata": {"labels": self.labels, "annotations": self.annotations, "finalizers": list(self.finalizers)},
            "spec": {"taints": list(self.taints), "unschedulable": self.unschedulable},
            "status": {
                **self.status,
                "capacity": self.capacity,
                "allocatable": self.allocatable,
                "nodeInfo": self.info,
                "images": list(self.images),
            },
        }


USUAL = Template({}, {}, (), (), False, {}, {}, {}, (), {})


def read_template(manifest: Object, dialect: Dialect) -> Template:
    """The template in a manifest that is known to be one of a Node."""
    metadata, spec, status = (manifest.get(part) or {} for part in _TAKEN)
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key not in _own_labels(dialect)}
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key not in _own_annotations(dialect)}
    said: Object = status.get("nodeInfo") or {}
    labelled = {"architecture": labels.get(dialect.key("arch")), "operatingSystem": labels.get(dialect.key("os"))}
    info = {field: value for field, value in (*labelled.items(), *said.items()) if value and field not in _INFO_OF_ITS_OWN}
    capacity = _amounts(status, "capacity")
    return Template(
        labels=labels,
        annotations=annotations,
        finalizers=tuple(metadata.get("finalizers") or ()),
        taints=tuple(spec.get("taints") or ()),
        unschedulable=bool(spec.get("unschedulable")),
        capacity=capacity,
        allocatable={**capacity, **_amounts(status, "allocatable")},
        info=info,
        images=tuple(_images(status.get("images") or ())),
        status={field: status[field] for field in _AS_THEY_ARE if status.get(field) is not None},
    )


def not_taken(manifest: Object, dialect: Dialect) -> list[str]:
    """Fields that a manifest has and nodes don't get from it, by their paths. Without those that every printed object has."""
    told: list[str] = []
    for part, taken in _TAKEN.items():
        said: Object = manifest.get(part) or {}
        quiet = (*taken, *(_OF_EVERY_OBJECT if part == "metadata" else ()))
        told += [f"{part}.{field}" for field, value in said.items() if field not in quiet and value not in (None, "", [], {})]
    metadata: Object = manifest.get("metadata") or {}
    told += [f"metadata.labels[{key}]" for key in _own_labels(dialect) if key in (metadata.get("labels") or {})]
    told += [f"metadata.annotations[{key}]" for key in _own_annotations(dialect) if key in (metadata.get("annotations") or {})]
    info: Object = (manifest.get("status") or {}).get("nodeInfo") or {}
    told += [f"status.nodeInfo.{field}" for field in _INFO_OF_ITS_OWN if info.get(field)]
    return sorted(told)


def agent_labels(template: Template, usual: dict[str, str]) -> dict[str, str]:
    """The labels that the node's agent itself looks after."""
    return {key: template.labels.get(key, value) for key, value in usual.items()}


def permitted_labels(template: Template, dialect: Dialect) -> dict[str, str]:
    """Those of a template that a node's agent may give its node: none in the system's own domains."""
    domains = (dialect.domain, dialect.group_suffix)
    return {key: value for key, value in template.labels.items() if not key.rpartition("/")[0].endswith(domains)}


def _own_labels(dialect: Dialect) -> tuple[str, ...]:
    return (dialect.key("hostname"),)


def _own_annotations(dialect: Dialect) -> tuple[str, ...]:
    """What storage drivers call the node, and the address it was given."""
    return (dialect.key("nodeid", "csi.volume"), dialect.key("provided-node-ip", "alpha"))


def _images(said: Sequence[Object | None]) -> Iterator[Object]:
    """Those that have names, under full ones; what is null isn't said."""
    for one in said:
        names = [full_name(name) for name in (one or {}).get("names") or () if name]
        if one and names:
            yield {**{field: value for field, value in one.items() if value is not None}, "names": names}


def _amounts(status: Object, field: str) -> dict[str, str]:
    amounts: dict[str, Json] = status.get(field) or {}
    return {name: str(amount) for name, amount in amounts.items()}

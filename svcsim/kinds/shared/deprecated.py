"""What is on its way out and still taken, with what to use instead: sources of volumes, labels of nodes, annotations."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from svcsim.dialect import DIALECTS
from svcsim.meta.types import Object

VOLUME_SOURCES: Final = MappingProxyType(
    {
        "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
        "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
        "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
        "flocker": "deprecated in v1.22, non-functional in v1.25+",
        "storageos": "deprecated in v1.22, non-functional in v1.25+",
        "quobyte": "deprecated in v1.22, non-functional in v1.25+",
        "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
        "cephfs": "deprecated in v1.28, non-functional in v1.31+",
        "rbd": "deprecated in v1.28, non-functional in v1.31+",
    }
)
"""Since when each is."""


def _labels() -> Iterator[tuple[str, str]]:
    for dialect in DIALECTS.values():
        for old, prefix, since, new, of in (
            ("arch", "beta", "1.14", "arch", ""),
            ("os", "beta", "1.14", "os", ""),
            ("region", "failure-domain.beta", "1.17", "region", "topology"),
            ("zone", "failure-domain.beta", "1.17", "zone", "topology"),
            ("instance-type", "beta", "1.17", "instance-type", "node"),
        ):
            yield dialect.key(old, prefix), f'deprecated since v{since}; use "{dialect.key(new, of)}" instead'
        yield dialect.key("created-by", "app"), "deprecated since v1.9"
        yield dialect.key("preferAvoidPods", "scheduler.alpha"), "deprecated since v1.22; use Taints and Tolerations instead"
        yield dialect.key("master", "node-role"), f'use "{dialect.key("control-plane", "node-role")}" instead'


LABELS_OF_NODES: Final = MappingProxyType(dict(_labels()))
"""Since when each is, and what to use instead."""


def selector_warnings(selector: Object, path: str) -> Iterator[str]:
    """Warns of each such label by which a selector chooses nodes."""
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        if instead := LABELS_OF_NODES.get(key := expression.get("key") or ""):
            yield f"{path}.matchExpressions[{index}].key: {key} is {instead}"
    for key in selector.get("matchLabels") or ():
        if instead := LABELS_OF_NODES.get(key):
            yield f"{path}.matchLabels.{key}: {instead}"


def class_annotations() -> Iterator[str]:
    """The annotation that named the StorageClass once, in each dialect."""
    return (dialect.key("storage-class", "volume.beta") for dialect in DIALECTS.values())


def mount_option_annotations() -> Iterator[str]:
    """The annotation that held mount options once, in each dialect."""
    return (dialect.key("mount-options", "volume.beta") for dialect in DIALECTS.values())

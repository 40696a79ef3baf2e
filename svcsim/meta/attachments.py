"""VolumeAttachments: what they are called, and which volumes need one before a node can mount them."""

import hashlib
import re

from svcsim.dialect import Dialect
from svcsim.meta.claims import access_modes
from svcsim.meta.objects import get_path
from svcsim.meta.types import Object

_MADE_NAME = re.compile(r"csi-[0-9a-f]{64}")
_ON_SEVERAL_NODES = ("ReadWriteMany", "ReadOnlyMany")


def attachment_name(volume: Object, node: str) -> str:
    """The name of a volume's attachment to a node, which follows from both, so that it can be found."""
    source = volume["spec"]["csi"]
    digest = hashlib.sha256(f"{source['volumeHandle']}{source['driver']}{node}".encode()).hexdigest()
    return f"csi-{digest}"


def attacher_finalizer(driver: str) -> str:
    """What the attacher of a CSI driver holds attachments with until they are detached."""
    return f"external-attacher/{driver.replace('.', '-')}"


def is_named_by_content(attachment: Object) -> bool:
    """Whether an attachment has a name as `attachment_name` gives; those made by hand have other names."""
    return _MADE_NAME.fullmatch(attachment["metadata"]["name"]) is not None


def driver_of(volume: Object) -> str:
    """The CSI driver of a volume; empty for one that has none."""
    driver: str = (volume["spec"].get("csi") or {}).get("driver") or ""
    return driver


def needs_attaching(volume: Object, driver: Object | None) -> bool:
    """Whether it has to be attached before it is mounted; ``driver`` is what its driver says of itself, if it does."""
    return bool(driver_of(volume)) and (driver is None or get_path(driver, "spec.attachRequired") is not False)


def attached_volume(attachment: Object) -> list[str]:
    """An indexer: the volume that is attached."""
    name = get_path(attachment, "spec.source.persistentVolumeName")
    return [name] if name else []


def attached_node(attachment: Object) -> list[str]:
    """An indexer: the node it is attached to."""
    return [attachment["spec"]["nodeName"]]


def is_attached(attachment: Object) -> bool:
    return bool((attachment.get("status") or {}).get("attached"))


def may_be_on_several_nodes(volume: Object) -> bool:
    """Whether a volume, or one that a claim asks for, may be attached to several nodes at a time."""
    return any(mode in _ON_SEVERAL_NODES for mode in access_modes(volume))


def unique_name(volume: Object, dialect: Dialect) -> str:
    """What a node's status calls a volume."""
    source = volume["spec"]["csi"]
    return dialect.key(f"csi/{source['driver']}^{source['volumeHandle']}")

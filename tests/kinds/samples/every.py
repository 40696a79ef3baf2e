"""The whole objects of all families, by ``group/version Kind`` as kinds spell them: without the dialect's suffix."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Kind
from tests.kinds.samples import access, admission, api_service, core, custom, networking, policy, storage, workloads

FULL: dict[str, Object] = {
    **access.FULL,
    **admission.FULL,
    **api_service.FULL,
    **core.FULL,
    **custom.FULL,
    **networking.FULL,
    **policy.FULL,
    **storage.FULL,
    **workloads.FULL,
}

NOT_DESCRIBED_BY_KUBECTL = ("storage/v1 VolumeAttributesClass",)
"""Kinds that kubectl asks for in an older version when it describes them, which a server has where it is asked for."""


def key_of(kind: Kind) -> str:
    """Under which the object of a kind stands there."""
    group = f"{kind.group.base}/" if kind.group.base else ""
    return f"{group}{kind.group.version} {kind.name}"

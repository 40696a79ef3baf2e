"""The whole objects of all families, by ``group/version Kind`` as kinds spell them: without the dialect's suffix."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Kind
from tests.kinds.samples import core, storage, workloads

FULL: dict[str, Object] = {
    **core.FULL,
    **storage.FULL,
    **workloads.FULL,
}


def key_of(kind: Kind) -> str:
    """Under which the object of a kind stands there."""
    group = f"{kind.group.base}/" if kind.group.base else ""
    return f"{group}{kind.group.version} {kind.name}"

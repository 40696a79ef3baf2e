"""Objects and collections as their metadata alone: ``as=PartialObjectMetadata`` and ``…List``."""

from svcsim.dialect import Dialect
from svcsim.meta.types import Object


def partial_object(dialect: Dialect, version: str, obj: Object) -> Object:
    """An object's metadata, as an object of the meta group."""
    return {"kind": "PartialObjectMetadata", "apiVersion": f"{dialect.group('meta')}/{version}", "metadata": obj.get("metadata") or {}}


def partial_list(dialect: Dialect, version: str, metadata: Object, items: list[Object]) -> Object:
    """A collection's metadata; each of ``items`` is a `partial_object`."""
    return {
        "kind": "PartialObjectMetadataList",
        "apiVersion": f"{dialect.group('meta')}/{version}",
        "metadata": metadata,
        "items": items,
    }

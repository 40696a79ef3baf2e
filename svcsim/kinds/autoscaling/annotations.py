"""The annotations in which version 1 of an autoscaler keeps what it has no fields for."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context

METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS = "metrics", "behavior", "current-metrics", "conditions"
KEPT = (METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR)
"""What is kept, by the name of its annotation."""
_PREFIX = "autoscaling.alpha"


def annotation(name: str, context: Context) -> str:
    """The key of the annotation that keeps this."""
    return context.dialect.key(name, _PREFIX)


def without_kept(metadata: Object, context: Context) -> Object:
    """Metadata without these annotations; the same where there are none."""
    annotations = metadata.get("annotations") or {}
    keys = [annotation(name, context) for name in KEPT]
    if not any(key in annotations for key in keys):
        return metadata
    return with_annotations(metadata, {key: value for key, value in annotations.items() if key not in keys})


def with_annotations(metadata: Object, annotations: Object) -> Object:
    """Metadata with these annotations and no others."""
    rest = {name: value for name, value in metadata.items() if name != "annotations"}
    return {**rest, "annotations": annotations} if annotations else rest

"""The annotations in which version 1 of an autoscaler carries what it has no fields for, so that no conversion loses anything."""

from svcsim.meta.types import Object
from svcsim.registry.kind import Context

METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS = "metrics", "behavior", "current-metrics", "conditions"
CARRIED = (METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR)
"""What is carried, by the name of its annotation."""
_PREFIX = "autoscaling.alpha"


def annotation(name: str, context: Context) -> str:
    """The key of the annotation that carries this."""
    return context.dialect.key(name, _PREFIX)


def without_carried(metadata: Object, context: Context) -> Object:
    """Metadata without these annotations; the same where there are none."""
    annotations = metadata.get("annotations") or {}
    keys = [annotation(name, context) for name in CARRIED]
    if not any(key in annotations for key in keys):
        return metadata
    return with_annotations(metadata, {key: value for key, value in annotations.items() if key not in keys})


def with_annotations(metadata: Object, annotations: Object) -> Object:
    """Metadata with these annotations and no others."""
    rest = {name: value for name, value in metadata.items() if name != "annotations"}
    return {**rest, "annotations": annotations} if annotations else rest

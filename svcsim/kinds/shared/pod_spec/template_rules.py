"""What makes a template for pods right beyond the spec of the pods: their labels and annotations, and what only a pod itself may have."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field
from svcsim.meta.names import validate_annotations, validate_labels
from svcsim.meta.types import Json


def template_metadata_rules(template: Json, path: str) -> Iterator[FieldError]:
    """Labels and annotations, which are told of as if they stood in the template itself."""
    metadata = template.get("metadata") or {}
    yield from validate_labels(metadata.get("labels") or {}, f"{path}.labels")
    yield from validate_annotations(metadata.get("annotations") or {}, f"{path}.annotations")


def template_pod_rules(template: Json, path: str) -> Iterator[FieldError]:
    if (template.get("spec") or {}).get("ephemeralContainers"):
        yield forbidden_field(f"{path}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template")

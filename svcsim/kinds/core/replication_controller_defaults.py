"""What a ReplicationController selects and how it is labelled unless it says: as its template."""

from svcsim.meta.types import Object


def fill(controller: Object) -> None:
    spec = controller.get("spec") or {}
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    if not labels:
        return
    if not spec.get("selector"):
        spec["selector"] = dict(labels)
    metadata = controller.setdefault("metadata", {})
    if not metadata.get("labels"):
        metadata["labels"] = dict(labels)

"""What makes a ReplicationController right: its labels select the pods of its template, which run without end."""

from collections.abc import Iterator

from svcsim.kinds.shared.workload import lasting, selected
from svcsim.meta.errors import FieldError, required
from svcsim.meta.types import Json


def replication_controller_rules(spec: Json, path: str) -> Iterator[FieldError]:
    labels, template = spec.get("selector"), spec.get("template")
    if not labels:
        yield required(f"{path}.selector")
    if template is None:
        yield required(f"{path}.template")
        return
    if labels:
        yield from selected({"matchLabels": labels}, template, f"{path}.template")
    yield from lasting(template, f"{path}.template", "ReplicationController")

"""What the server counts of a DaemonSet: the templates it has had. The count stands in an annotation, as it has since it was a field."""

from svcsim.meta.codec import same_json
from svcsim.meta.objects import annotations_of, get_path, metadata_of
from svcsim.meta.types import Object
from svcsim.registry.kind import Context

TEMPLATE_COUNT = "deprecated.daemonset.template.generation"
_DIGITS = 18


def template_count(daemon_set: Object) -> int:
    text = annotations_of(daemon_set).get(TEMPLATE_COUNT, "")
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else 1


def _set_count(daemon_set: Object, count: int) -> None:
    metadata = metadata_of(daemon_set)
    metadata["annotations"] = {**(metadata.get("annotations") or {}), TEMPLATE_COUNT: str(count)}


def start_template_count(daemon_set: Object, context: Context) -> None:
    _set_count(daemon_set, template_count(daemon_set))


def count_template(new: Object, old: Object, context: Context) -> None:
    changed = not same_json(get_path(new, "spec.template"), get_path(old, "spec.template"))
    _set_count(new, template_count(old) + changed)


def keep_template_count(new: Object, old: Object, context: Context) -> None:
    _set_count(new, template_count(old))

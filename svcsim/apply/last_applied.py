"""Moving from client-side to server-side apply: what an object's annotation tells of the configuration that was applied last.

A client that applies by itself keeps its configuration in an annotation, and owns its fields as one who updates. When the same person
goes over to server-side apply, these fields would conflict with their own past. So `KUBECTL`, and nobody else, may change what the
annotation proves to come from there; and as long as the annotation is there it is kept up to date, for the way back.
"""

from svcsim.apply.fieldset import FieldSet, difference
from svcsim.apply.topology import Node
from svcsim.apply.typed import compare, fields_of
from svcsim.apply.typed_write import tracked
from svcsim.meta.codec import encode_sorted
from svcsim.meta.names import validate_annotations
from svcsim.meta.types import Object

KUBECTL = "kubectl"
"""The manager in whose name people apply."""


def unchanged_since(node: Node, last: Object, live: Object) -> FieldSet:
    """The fields of the configuration that was applied last which are in the object as they were applied."""
    config = tracked(last)
    fields = fields_of(node, config)
    for changed in compare(node, config, tracked(live)):
        fields = difference(fields, changed)
    return fields


def with_last_applied(obj: Object, config: Object, key: str) -> Object:
    """An object that has the annotation, with a new configuration in it; without it, where that would be too much to keep."""
    annotations = obj["metadata"]["annotations"]
    metadata = config["metadata"]
    others = {name: value for name, value in (metadata.get("annotations") or {}).items() if name != key}
    plain = {**config, "metadata": {**metadata, "annotations": others}} if "annotations" in metadata else config
    kept = {**annotations, key: encode_sorted(plain).decode() + "\n"}
    if validate_annotations(kept, ""):
        del kept[key]
    return {**obj, "metadata": {**obj["metadata"], "annotations": kept}}

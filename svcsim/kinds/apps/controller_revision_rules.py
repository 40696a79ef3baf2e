"""What makes a ControllerRevision right: it has data, which stay as they are."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import IMMUTABLE
from svcsim.meta.codec import same_json
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.types import Object
from svcsim.registry.kind import Context


def data_is_an_object(revision: Object, context: Context) -> Iterator[FieldError]:
    data = revision.get("data")
    if data is None:
        yield required("data", "data is mandatory")
    elif not isinstance(data, dict):
        yield required("data", "data must be a valid JSON object")


def data_unchanged(new: Object, old: Object, context: Context) -> Iterator[FieldError]:
    if not same_json(new.get("data"), old.get("data")):
        yield invalid_value("data", new.get("data"), IMMUTABLE)

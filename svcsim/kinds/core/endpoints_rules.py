"""What makes a group of Endpoints right."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, required
from svcsim.meta.types import Json


def subset_rules(subset: Json, path: str) -> Iterator[FieldError]:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")
    ports = subset.get("ports") or ()
    if len(ports) > 1:
        yield from (required(f"{path}.ports[{index}].name") for index, one in enumerate(ports) if not one.get("name"))

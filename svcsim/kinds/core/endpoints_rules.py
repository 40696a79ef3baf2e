"""What makes a group of Endpoints right."""

from collections.abc import Iterator

from svcsim.kinds.shared.networks import address_warnings
from svcsim.meta.errors import FieldError, required
from svcsim.meta.types import Json, Object


def subset_rules(subset: Json, path: str) -> Iterator[FieldError]:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")
    ports = subset.get("ports") or ()
    if len(ports) > 1:
        yield from (required(f"{path}.ports[{index}].name") for index, one in enumerate(ports) if not one.get("name"))


def subsets(endpoints: Object) -> Json:
    return endpoints.get("subsets") or []


def endpoints_warnings(endpoints: Object) -> Iterator[str]:
    for number, subset in enumerate(subsets(endpoints)):
        for part in ("addresses", "notReadyAddresses"):
            for index, one in enumerate(subset.get(part) or ()):
                yield from address_warnings(one.get("ip") or "", f"subsets[{number}].{part}[{index}].ip")

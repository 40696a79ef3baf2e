"""What makes the unit right in which a container is told an amount."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, invalid_value
from svcsim.meta.types import Json

_BYTES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_LISTED = f"only divisor's values {', '.join(_BYTES)} are supported with the"
_UNITS = (
    ("cpu", ("1m", "1"), "only divisor's values 1m and 1 are supported with the cpu resource"),
    ("memory", _BYTES, f"{_LISTED} memory resource"),
    ("ephemeral-storage", _BYTES, f"{_LISTED} local ephemeral storage resource"),
    ("hugepages-", _BYTES, f"{_LISTED} hugepages resource"),
)


def divisor_rules(selector: Json, path: str) -> Iterator[FieldError]:
    """Processors by whole ones or thousandths, bytes by their multiples."""
    resource, divisor = selector.get("resource") or "", selector.get("divisor") or "0"
    if divisor == "0":
        return
    for name, units, detail in _UNITS:
        if resource.partition(".")[2].startswith(name) and divisor not in units:
            yield invalid_value(f"{path}.divisor", resource, detail)

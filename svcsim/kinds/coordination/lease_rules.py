"""What makes a Lease right: who names a holder says how it is chosen."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field
from svcsim.meta.types import Json


def strategy_with_preferred_holder(spec: Json, path: str) -> Iterator[FieldError]:
    if spec.get("preferredHolder") and not spec.get("strategy"):
        yield forbidden_field(f"{path}.preferredHolder", "may only be specified if `strategy` is defined")

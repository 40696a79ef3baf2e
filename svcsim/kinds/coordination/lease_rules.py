"""What makes a Lease right: how a holder is chosen is known, or somebody's own; who names a holder says how it is chosen."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, forbidden_field, invalid_value, unsupported
from svcsim.meta.names import qualified_name
from svcsim.meta.types import Json

_STRATEGIES = ("OldestEmulationVersion",)


def known_strategy(strategy: Json, path: str) -> Iterator[FieldError]:
    """One of the cluster's own, or one with a domain."""
    if "/" in strategy:
        yield from (invalid_value(path, strategy, finding) for finding in qualified_name(strategy))
    elif strategy not in _STRATEGIES:
        yield unsupported(path, strategy, _STRATEGIES)


def strategy_with_preferred_holder(spec: Json, path: str) -> Iterator[FieldError]:
    if spec.get("preferredHolder") and not spec.get("strategy"):
        yield forbidden_field(f"{path}.preferredHolder", "may only be specified if `strategy` is defined")

"""What makes a ClusterRole valid besides its rules: an aggregated role has selectors."""

from collections.abc import Iterator

from svcsim.meta.errors import FieldError, required
from svcsim.meta.types import Json


def some_selector(rule: Json, path: str) -> Iterator[FieldError]:
    """An aggregation without selectors would gather nothing."""
    if not rule.get("clusterRoleSelectors"):
        yield required(f"{path}.clusterRoleSelectors", "at least one clusterRoleSelector required if aggregationRule is non-nil")

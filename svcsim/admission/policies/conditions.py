"""Conditions in CEL on requests (``matchConditions``): all must hold."""

from collections.abc import Iterable

from svcsim.meta.types import Object
from svcsim.schema.cel.requests import RequestExpressionError, RequestScope


async def all_hold(conditions: Iterable[Object], scope: RequestScope) -> bool:
    """Whether they all do. Raises `RequestExpressionError` where one can't be told, and none of the others says no."""
    failed: RequestExpressionError | None = None
    for condition in conditions:
        try:
            if await scope.of(condition["expression"].strip()) is not True:
                return False
        except RequestExpressionError as error:
            failed = failed or error
    if failed is not None:
        raise failed
    return True

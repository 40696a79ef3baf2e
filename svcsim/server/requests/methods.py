"""Which methods a path that is no resource's can be asked by."""

from collections.abc import Sequence

from svcsim.meta.errors import method_not_allowed
from svcsim.meta.http import Request


def check_method(request: Request, methods: Sequence[str]) -> None:
    """Raises 405 for any other."""
    if request.method not in methods:
        raise method_not_allowed(methods)

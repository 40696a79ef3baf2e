"""NamespaceAutoProvision: the first object in a namespace makes the namespace."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager

from svcsim.admission.plugin import ANY, Rule
from svcsim.meta.errors import StatusError
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

MakeNamespace = Callable[[str], Awaitable[None]]
"""Makes a namespace of that name. Raises `StatusError`."""


class NamespaceAutoProvision:
    """Comes before whatever refuses what is in a namespace that isn't there."""

    name = "NamespaceAutoProvision"
    rules = (Rule(("CREATE",), ("*/*",), ANY),)

    def __init__(self, listers: Listers, make: MakeNamespace, behind: Callable[[], AbstractContextManager[None]]) -> None:
        self._namespaces = listers.of("namespaces")
        self._make = make
        self._behind = behind

    async def check(self, request: AdmissionRequest) -> None:
        namespace = request.target.namespace
        if request.asks_about_access or not namespace or request.dry_run or self._namespaces.get("", namespace) is not None:
            return
        try:
            with self._behind():
                await self._make(namespace)
        except StatusError as error:
            if error.reason == "Forbidden":
                raise
            if error.reason != "AlreadyExists":
                raise request.refusal(error.message) from error

"""Conditions in CEL on requests (``matchConditions``): all must hold."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from svcsim.admission.expressions.asker import Asker
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.resource import Resource
from svcsim.schema.cel.requests import RequestExpressionError, RequestScope

_LOG = logging.getLogger("svcsim.admission")


async def unmet_condition(conditions: Iterable[Object], scope: RequestScope) -> str:
    """The name of the first that doesn't hold; empty where all do.

    Raises `RequestExpressionError` where one can't be told, and none of the others says no.
    """
    failed: RequestExpressionError | None = None
    for condition in conditions:
        try:
            if await scope.of(condition["expression"].strip()) is not True:
                return str(condition["name"])
        except RequestExpressionError as error:
            failed = failed or error
    if failed is not None:
        raise failed
    return ""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The match conditions of webhooks."""

    asker: Asker

    async def unmet(
        self,
        conditions: Iterable[Object],
        request: AdmissionRequest,
        matched: Resource,
        shown: tuple[Object | None, Object | None],
        *,
        failure_ignored: bool,
    ) -> str:
        """Why the webhook isn't asked about a request whose objects are ``shown`` in the version ``matched``; empty where all hold.

        Where that can't be told it isn't asked, if its failure is to be ignored; else this raises 403.
        """
        try:
            name = await unmet_condition(conditions, self.asker.view(request, matched, shown).scope_of_conditions())
        except RequestExpressionError as error:
            if not failure_ignored:
                raise request.refusal(str(error)) from error
            _LOG.warning("the conditions of a webhook can't be told, and its failure is ignored: %s", error)
            return f"its conditions can't be told: {error}"
        return f'its condition "{name}" doesn\'t hold' if name else ""

"""Conversion by a webhook: the `Converter` that a custom resource's versions share (svcsim.registry.kind.ForeignConversion).

A call takes a batch of objects of one version as a ConversionReview and gives them back in another. What goes wrong is worded as clusters
word it; whose conversion it was, and whether what came back may stand, is for `svcsim.registry.conversion` to say.
"""

from dataclasses import dataclass, field

from svcsim import limits
from svcsim.chance import Chance
from svcsim.dialect import Dialect
from svcsim.meta.api_versions import kind_in_go
from svcsim.meta.types import GroupVersion, Json, Object
from svcsim.outbound.client_config import remote_of
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.remote import OutboundError, Remote
from svcsim.registry.kind import ConversionError

REVIEW_VERSIONS = ("v1", "v1beta1")
"""The supported versions of ConversionReview."""
_KIND = "ConversionReview"


@dataclass(frozen=True, slots=True)
class WebhookConverter:
    """Two that ask the same server in the same way are equal: between their versions objects are converted directly."""

    remote: Remote
    review_version: str
    """The first version of ConversionReview that both sides speak."""
    dialect: Dialect = field(compare=False)
    outbound: Outbound = field(compare=False, repr=False)
    chance: Chance = field(compare=False, repr=False)

    async def __call__(self, objects: list[Object], to: GroupVersion) -> list[Object]:
        """The objects in that version. Raises `ConversionError`."""
        uid = self.chance.uid()
        api_version = f"{self.dialect.group('apiextensions')}/{self.review_version}"
        request = {"uid": uid, "desiredAPIVersion": str(to), "objects": objects}
        review = {"kind": _KIND, "apiVersion": api_version, "request": request}
        try:
            answer = await self.outbound.ask(self.remote, review, deadline_s=limits.CONVERSION_S)
        except OutboundError as error:
            raise ConversionError(str(error)) from error
        response = self._response(answer, api_version, uid)
        converted: Json = response.get("convertedObjects") or []
        if not isinstance(converted, list) or not all(isinstance(one, dict) for one in converted):
            raise ConversionError("response.convertedObjects is not a list of objects")
        return converted

    def _response(self, answer: Object, api_version: str, uid: str) -> Object:
        """What was answered, if it is an answer to what was asked, and tells of success. The older version is less strict."""
        strict = self.review_version == "v1"
        if strict and (answer.get("kind"), answer.get("apiVersion")) != (_KIND, api_version):
            said = kind_in_go(str(answer.get("apiVersion") or ""), str(answer.get("kind") or ""))
            raise ConversionError(f"expected webhook response of {kind_in_go(api_version, _KIND)}, got {said}")
        response = answer.get("response")
        if not isinstance(response, dict):
            raise ConversionError("no response provided")
        if strict and response.get("uid") != uid:
            raise ConversionError(f'expected response.uid="{uid}", got "{response.get("uid") or ""}"')
        result = response.get("result")
        status = result.get("status") if isinstance(result, dict) else None
        if status != "Success":
            message = result.get("message") if isinstance(result, dict) else None
            raise ConversionError(str(message) if message else f"response.result.status was '{status or ''}', not 'Success'")
        return response


def converter_of(definition: Object, dialect: Dialect, outbound: Outbound, chance: Chance) -> WebhookConverter:
    """The converter that a definition of custom resources names; valid ones offer a version of ConversionReview that is spoken here."""
    webhook = definition["spec"]["conversion"]["webhook"]
    remote = remote_of(f"conversion/{definition['metadata']['name']}", webhook.get("clientConfig") or {})
    version = spoken(webhook.get("conversionReviewVersions") or []) or REVIEW_VERSIONS[0]
    return WebhookConverter(remote, version, dialect, outbound, chance)


def spoken(offered: list[str]) -> str | None:
    """The first version of ConversionReview among those a webhook offers that is spoken here; None if there is none."""
    return next((version for version in offered if version in REVIEW_VERSIONS), None)

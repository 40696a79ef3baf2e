"""The approver: client certificates of node agents are approved if the requester may have them: for itself, or for any node."""

from svcsim import limits
from svcsim.auth.signing import asks_for_node_client, common_name
from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.controllers.certificates.requests import request_of
from svcsim.meta.aside import aside
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import condition, copy_json, get_path
from svcsim.meta.types import Object

_MESSAGES = {
    "selfnodeclient": "Auto approving self kubelet client certificate after SubjectAccessReview.",
    "nodeclient": "Auto approving kubelet client certificate after SubjectAccessReview.",
}


class CertificateApproving(Controller):
    def __init__(self, context: ControllerContext) -> None:
        self._dialect = context.dialect
        self._group = context.dialect.group("certificates")
        self._api = context.client.resource(f"{self._group}/v1", "certificatesigningrequests")
        self._reviews = context.client.resource(f"{context.dialect.group('authorization')}/v1", "subjectaccessreviews")
        self._requests = context.informers.cache(f"{self._group}/v1", "certificatesigningrequests")
        super().__init__("certificate approval", context.clock, (Source(self._requests, itself),), workers=1)

    async def reconcile(self, key: ObjectKey) -> None:
        csr = self._requests.get(key.name)
        if csr is None or get_path(csr, "status.certificate") or condition(csr, "Approved") or condition(csr, "Denied"):
            return
        signer, request = csr["spec"]["signerName"], request_of(csr)
        if signer != self._dialect.signer_node_client:
            return
        long = limits.ASIDE_BYTES + 1
        if not await aside(long, asks_for_node_client, signer, request, self._dialect):
            return
        own = common_name(request) == csr["spec"].get("username")
        for right in ("selfnodeclient", "nodeclient") if own else ("nodeclient",):
            if await self._may(csr["spec"], right):
                await self._approve(csr, _MESSAGES[right])
                return
        self.queue.add_after(key, limits.APPROVAL_RETRY_S)

    async def _may(self, spec: Object, right: str) -> bool:
        about = {"group": self._group, "resource": "certificatesigningrequests", "subresource": right, "verb": "create", "version": "*"}
        who: Object = {"user": spec.get("username", ""), **{name: spec[name] for name in ("uid", "groups", "extra") if name in spec}}
        review = {
            "apiVersion": self._reviews.api_version,
            "kind": "SubjectAccessReview",
            "spec": {**who, "resourceAttributes": about},
        }
        return bool(get_path(await self._reviews.create(review), "status.allowed"))

    async def _approve(self, csr: Object, message: str) -> None:
        changed = copy_json(csr)
        approved = {"type": "Approved", "status": "True", "reason": "AutoApproved", "message": message}
        status = changed.setdefault("status", {})
        status["conditions"] = [*(status.get("conditions") or ()), approved]
        await self._api.update(changed, "approval")

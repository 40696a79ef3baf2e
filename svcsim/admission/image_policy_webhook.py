"""ImagePolicyWebhook: a server outside of this process decides which images pods may run."""

import hashlib
from functools import partial
from typing import NamedTuple

from svcsim import limits
from svcsim.admission.plugin import Rule
from svcsim.auth.webhook.decisions import Decisions, Kept
from svcsim.auth.webhook.reviewer import Reviewer, WebhookError, flag, part, text
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.codec import encode, encode_sorted
from svcsim.meta.errors import request_took_too_long
from svcsim.meta.objects import annotations_of
from svcsim.meta.pods import containers_of
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.virtual_loop import RealTimeout

_AT_ONCE = ("containers", "initContainers")
_LATE = ("ephemeralContainers",)


class ImagePolicy(NamedTuple):
    """How it is asked, and what follows where it can't be."""

    reviewer: Reviewer
    allow_ttl_s: float
    deny_ttl_s: float
    default_allow: bool


class _Ruling(NamedTuple):
    allowed: bool
    reason: str
    annotations: dict[str, str]


class ImagePolicyWebhook:
    """Decisions are remembered, for so long in the cluster's time. Without a policy there is nobody to ask."""

    name = "ImagePolicyWebhook"

    def __init__(self, policy: ImagePolicy | None, clock: Clock, dialect: Dialect) -> None:
        self._policy = policy
        self._decisions: Decisions[_Ruling] = Decisions(clock)
        self._mark = f".image-policy.{dialect.group_suffix}/"
        self._note = f"imagepolicywebhook.image-policy.{dialect.group_suffix}"
        self.rules = () if policy is None else (Rule(("CREATE", "UPDATE"), ("pods",)), Rule(("UPDATE",), ("pods/ephemeralcontainers",)))

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        assert self._policy is not None
        spec = self._question(request, request.obj)
        question = hashlib.sha256(encode_sorted(spec)).digest()
        try:
            async with RealTimeout(min(request.caller.left_s, limits.REQUEST_S)):
                ruling = await self._decisions.decided(question, partial(self._ask, self._policy, spec))
        except TimeoutError:  # nobody waits for the request any longer
            raise request_took_too_long() from None
        except WebhookError as error:
            if not self._policy.default_allow:
                raise request.refusal(str(error)) from error
            request.annotate(f"{self._note}/failed-open", "true")
            return
        for key, value in ruling.annotations.items():
            request.annotate(f"{self._note}/{key}", value)
        if not ruling.allowed:
            told = f"image policy webhook backend denied one or more images: {ruling.reason}"
            raise request.refusal(told if ruling.reason else "one or more images rejected by webhook backend")

    def _question(self, request: AdmissionRequest, pod: Object) -> Object:
        spec = pod.get("spec") or {}
        images = [{"image": one.get("image") or ""} for one in containers_of(spec, _LATE if request.subresource else _AT_ONCE)]
        annotations = {key: value for key, value in annotations_of(pod).items() if self._mark in key}
        asked: Object = {"containers": images, "namespace": request.target.namespace}
        return {**asked, "annotations": annotations} if annotations else asked

    async def _ask(self, policy: ImagePolicy, spec: Object) -> Kept[_Ruling]:
        status = await policy.reviewer.status(spec)
        allowed = flag(status, "allowed")
        noted = part(status, "auditAnnotations")
        ruling = _Ruling(allowed, text(status, "reason"), {key: text(noted, key, "status.auditAnnotations") for key in noted})
        return Kept(ruling, policy.allow_ttl_s if allowed else policy.deny_ttl_s, len(encode(status)))

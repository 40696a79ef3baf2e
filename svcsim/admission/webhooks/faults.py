"""Webhooks that fail on purpose, and answers in their place, whether or not there is a server behind them.

Like the faults of nodes, these exist only here, so that removing one leaves nothing behind. Their answers are processed like any others, so
that a failure policy sees what it would see with a real server. Delays are in the cluster's time.
"""

import base64
from collections.abc import Callable
from contextlib import AbstractContextManager
from fnmatch import fnmatchcase
from functools import partial

from svcsim.admission.webhooks.configured import Webhook
from svcsim.chance import Chance
from svcsim.clock import Clock
from svcsim.meta.codec import encode
from svcsim.meta.errors import bad_request
from svcsim.meta.fault_percent import percent_of
from svcsim.meta.http import Response
from svcsim.meta.times import parse_duration
from svcsim.meta.types import Json, Object
from svcsim.meta.webhook_faults import ANSWERS, FAILURES, SLOW, WEBHOOK_ANSWER, WEBHOOK_FAIL
from svcsim.outbound.outbound import StandIn
from svcsim.outbound.remote import OutboundError, Remote, address_of_url

_ERROR = 500
_JSON = "application/json"


class _Fault:
    """One of them. Each webhook has a row of chances of its own, so that the order in which several are asked decides nothing."""

    def __init__(self, fault_id: str, fault: Object, chance: Chance) -> None:
        """Raises `StatusError` for what is no fault of webhooks."""
        target = fault.get("target")
        if not isinstance(target, dict):
            raise bad_request("target must be an object")
        self.type = fault["type"]
        self.mode: str = fault.get("mode", "")
        self.name, self.configuration = _text(target, "name"), _text(target, "configuration")
        self.percent = percent_of(fault)
        self.details = {**fault, "id": fault_id}
        self.struck = 0
        self._chance = chance
        self._rows: dict[tuple[str, str], Chance] = {}
        self._check()

    def _check(self) -> None:
        if self.type == WEBHOOK_ANSWER:
            if sum(name in self.details for name in ANSWERS) != 1:
                raise bad_request(f"{WEBHOOK_ANSWER} takes one of {', '.join(ANSWERS)}")
            return
        if self.mode not in FAILURES:
            raise bad_request(f'{WEBHOOK_FAIL} takes a mode, one of {", ".join(FAILURES)}, not "{self.mode}"')
        if self.mode == SLOW:
            _ = self.delay_s
        code = self.details.get("code", _ERROR)
        if isinstance(code, bool) or not isinstance(code, int) or not 400 <= code < 600:
            raise bad_request(f"code must be the status of an error, 400 to 599, not {code}")

    @property
    def delay_s(self) -> float:
        """How long a slow webhook takes."""
        try:
            return parse_duration(self.details["delay"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise bad_request(f"{WEBHOOK_FAIL} in the mode {SLOW} takes a delay such as 5s") from error

    def hits(self, webhook: Webhook) -> bool:
        """Whether a webhook is a target."""
        return (not self.name or fnmatchcase(webhook.name, self.name)) and (
            not self.configuration or fnmatchcase(webhook.configuration, self.configuration)
        )

    def strikes(self, webhook: Webhook) -> bool:
        """Whether chance has it hit this time."""
        key = (webhook.configuration, webhook.name)
        if self.percent < 100 and key not in self._rows:
            self._rows[key] = self._chance.fork("/".join(key))
        struck: bool = self.percent >= 100 or self._rows[key].uniform(0, 100) < self.percent
        self.struck += struck
        return struck


class WebhookFaults:
    """The faults in force, in the order they came."""

    def __init__(self, clock: Clock, chance: Chance, idle: Callable[[], AbstractContextManager[None]]) -> None:
        """``idle`` is held while a request waits for the cluster's time to pass."""
        self._clock = clock
        self._chance = chance
        self._idle = idle
        self._faults: dict[str, _Fault] = {}
        self._made = 0

    def add(self, fault: Object) -> str:
        """Gives the id to take it back by. Raises `StatusError` for what is no fault of webhooks."""
        fault_id = f"webhook-fault-{self._made + 1}"
        self._faults[fault_id] = _Fault(fault_id, fault, self._chance.fork(fault_id))
        self._made += 1
        return fault_id

    def remove(self, fault_id: str) -> int | None:
        """Take it back; how many times it has struck, None if it isn't in force."""
        fault = self._faults.pop(fault_id, None)
        return None if fault is None else fault.struck

    def all(self) -> list[Object]:
        """The faults in force, as they were given, with their ids."""
        return [fault.details for fault in self._faults.values()]

    def in_place_of(self, webhook: Webhook, review: Object) -> StandIn | None:
        """Who answers instead of a webhook, or first makes it slow; None for the webhook alone."""
        struck = [fault for fault in self._faults.values() if fault.hits(webhook)]
        return partial(self._stand_in, webhook, review, struck) if struck else None

    async def _stand_in(self, webhook: Webhook, review: Object, hitting: list[_Fault]) -> Response | None:
        slow = [fault for fault in hitting if fault.mode == SLOW and fault.strikes(webhook)]
        others = [fault for fault in hitting if fault.type == WEBHOOK_FAIL and fault.mode != SLOW]
        deciding = next((fault for fault in others if fault.strikes(webhook)), None)
        delay_s = sum(fault.delay_s for fault in slow)
        if (deciding is not None and deciding.mode == "timeout") or delay_s >= webhook.timeout_s:
            await self._pass(webhook.timeout_s)
            raise TimeoutError
        await self._pass(delay_s)
        if deciding is not None:
            return _failed(deciding, webhook.remote, review)
        answers = [fault for fault in hitting if fault.type == WEBHOOK_ANSWER]
        answering = next((fault for fault in answers if fault.strikes(webhook)), None)
        return None if answering is None else _answered(review, answering.details)

    async def _pass(self, seconds: float) -> None:
        if seconds > 0:
            with self._idle():
                await self._clock.sleep(seconds)


def _failed(fault: _Fault, remote: Remote, review: Object) -> Response:
    """What a webhook that fails answers, if anything. Raises `OutboundError` where it can't even be reached."""
    details = fault.details
    match fault.mode:
        case "refused":
            raise OutboundError(f"dial tcp {_address(remote)}: connect: connection refused")
        case "error":
            return Response(details.get("code", _ERROR), str(details.get("message") or "it fails on purpose").encode(), "text/plain")
        case "deny":
            return _answered(review, {"deny": details.get("message") or "", "code": details.get("code")})
        case "wrong-uid":
            return _reviewed(review, {"uid": "another", "allowed": True})
        case "bad-patch":
            return _reviewed(review, {"allowed": True, "patchType": "JSONPatch", "patch": _base64(b"no patch at all")})
        case _:
            return Response(200, b"no JSON at all", _JSON)


def _answered(review: Object, answer: Object) -> Response:
    """A yes, a no or a change."""
    response: Object = {"allowed": "deny" not in answer}
    if "deny" in answer:
        said = {"message": answer["deny"] or None, "code": answer.get("code")}
        response["status"] = {name: value for name, value in said.items() if value}
    if "patch" in answer:
        response |= {"patchType": "JSONPatch", "patch": _base64(encode(answer["patch"]))}
    if "warnings" in answer:
        response["warnings"] = answer["warnings"]
    return _reviewed(review, response)


def _reviewed(review: Object, response: Object) -> Response:
    head = {name: review[name] for name in ("apiVersion", "kind")}
    return Response(200, encode({**head, "response": {"uid": review["request"]["uid"], **response}}), _JSON)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _address(remote: Remote) -> str:
    if remote.service is not None:
        return f"{remote.service.host}:{remote.service.port}"
    return str(address_of_url(remote.url))


def _text(target: Object, field: str) -> str:
    value: Json = target.get(field) or ""
    if not isinstance(value, str):
        raise bad_request(f"target.{field} must be a string")
    return value

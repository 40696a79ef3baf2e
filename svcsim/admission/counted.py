"""How admission went, as the server's page of metrics shows it, under Kubernetes' names.

What each plugin takes is not told: a request passes a dozen of them, and looking at the clock around each would cost more than they do.
"""

from collections.abc import Iterable
from typing import Literal

from svcsim import limits
from svcsim.meta.metric_families import CounterFamily, HistogramFamily
from svcsim.registry.admission import Operation

WebhookType = Literal["mutating", "validating"]
Action = Literal["allow", "deny", "warn", "audit"]
_STEP_S = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5)
_WEBHOOK_S = (*_STEP_S, 10.0, 25.0)
_POLICY_S = (5e-7, 0.001, 0.01, 0.1, 1.0)
_TYPES: dict[WebhookType, str] = {"mutating": "admit", "validating": "validating"}
_WELL, _HIGHEST_CODE = 200, 600
_TOLD = {False: "false", True: "true"}
_BY_WEBHOOK = ("name", "type", "operation")
_BY_POLICY = ("policy", "policy_binding", "error_type", "enforcement_action")


class AdmissionCounted:
    """Counts what passes, what webhooks answer and what policies find."""

    def __init__(self) -> None:
        limit = limits.ADMISSION_SERIES
        under = "apiserver_admission"
        self._steps = HistogramFamily(
            f"{under}_step_admission_duration_seconds",
            "Seconds a pass of admission took, by operation and whether it refused the request.",
            ("type", "operation", "rejected"),
            _STEP_S,
            limit=limit,
        )
        self._asked = HistogramFamily(
            f"{under}_webhook_admission_duration_seconds",
            "Seconds it took to ask a webhook.",
            (*_BY_WEBHOOK, "rejected"),
            _WEBHOOK_S,
            limit=limit,
        )
        self._requests = CounterFamily(
            f"{under}_webhook_request_total", "Requests to webhooks, by HTTP code.", (*_BY_WEBHOOK, "code", "rejected"), limit=limit
        )
        self._rejections = CounterFamily(
            f"{under}_webhook_rejection_count",
            "Requests that webhooks refused, or that were refused since one could not be asked.",
            (*_BY_WEBHOOK, "error_type", "rejection_code"),
            limit=limit,
        )
        self._failed_open = CounterFamily(
            f"{under}_webhook_fail_open_count", "Requests let through although a webhook could not be asked.", ("name", "type"), limit=limit
        )
        under = "apiserver_validating_admission_policy"
        about = "by policy, binding and what followed"
        self._checks = CounterFamily(f"{under}_check_total", f"What policies have found, {about}.", _BY_POLICY, limit=limit)
        self._check_times = HistogramFamily(
            f"{under}_check_duration_seconds", f"Seconds it took to find something, {about}.", _BY_POLICY, _POLICY_S, limit=limit
        )

    def passed(self, step: str, operation: Operation, seconds: float, *, rejected: bool) -> None:
        """A request has been through a pass, ``admit`` or ``validate``, or was refused in it."""
        self._steps.add(seconds, step, operation, _TOLD[rejected])

    def allowed(self, webhook: str, type_: WebhookType, operation: Operation, seconds: float) -> None:
        """A webhook let a request through."""
        self._asked_one(webhook, type_, operation, seconds, _WELL, rejected=False)

    def denied(self, webhook: str, type_: WebhookType, operation: Operation, seconds: float, code: int) -> None:
        """A webhook refused a request."""
        self._rejections.add(webhook, _TYPES[type_], operation, "no_error", _coded(code))
        self._asked_one(webhook, type_, operation, seconds, code, rejected=True)

    def failed(self, webhook: str, type_: WebhookType, operation: Operation, seconds: float, code: int, *, ignored: bool) -> None:
        """A webhook could not be asked, or made no sense. That refuses the request, unless it is ignored."""
        if not ignored:
            self._rejections.add(webhook, _TYPES[type_], operation, "calling_webhook_error", _coded(code))
        self._asked_one(webhook, type_, operation, seconds, code, rejected=not ignored)

    def untold(self, webhook: str, type_: WebhookType, operation: Operation, seconds: float) -> None:
        """A request was refused before a webhook could be told about it."""
        self._rejections.add(webhook, _TYPES[type_], operation, "apiserver_internal_error", _coded(0))
        self._asked_one(webhook, type_, operation, seconds, 0, rejected=True)

    def failed_open(self, webhook: str, type_: WebhookType) -> None:
        """A request went on although a webhook could not be asked."""
        self._failed_open.add(webhook, _TYPES[type_])

    def found(self, policy: str, binding: str, action: Action, seconds: float, *, failed: bool) -> None:
        """A policy has found something, or could not be evaluated, and this followed."""
        labels = policy, binding, "invalid_error" if failed else "no_error", action
        self._checks.add(*labels)
        self._check_times.add(seconds, *labels)

    def keep_webhooks(self, type_: WebhookType, names: Iterable[str]) -> None:
        """These are the webhooks of a type that there are: the others' series go."""
        there, other = set(names), _TYPES[type_]
        for family in (self._asked, self._requests, self._rejections, self._failed_open):
            family.keep(lambda values: values[1] != other or values[0] in there)

    def keep_policies(self, names: Iterable[str]) -> None:
        """These are the validating policies that are in force: the others' series go."""
        there = set(names)
        for family in (self._checks, self._check_times):
            family.keep(lambda values: values[0] in there)

    def _asked_one(self, webhook: str, type_: WebhookType, operation: Operation, seconds: float, code: int, *, rejected: bool) -> None:
        self._requests.add(webhook, _TYPES[type_], operation, _coded(code), _TOLD[rejected])
        self._asked.add(seconds, webhook, _TYPES[type_], operation, _TOLD[rejected])

    def lines(self) -> list[str]:
        """In Prometheus' text format."""
        families = (
            self._steps,
            self._asked,
            self._requests,
            self._rejections,
            self._failed_open,
            self._checks,
            self._check_times,
        )
        return [line for family in families for line in family.lines()]


def _coded(code: int) -> str:
    return str(min(code, _HIGHEST_CODE))

"""The horizontal pod autoscaler: looks at each autoscaler every 15 seconds, measures, and sets the size of what it scales.

A cluster without autoscalers isn't looked at. What is measured comes from the metrics APIs, whoever serves them.
"""

from collections.abc import Iterable
from typing import NoReturn

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.horizontal_pod_autoscaler import settings
from svcsim.controllers.horizontal_pod_autoscaler.calculation import Pods, tolerance_of
from svcsim.controllers.horizontal_pod_autoscaler.limiting import Bounds, limit
from svcsim.controllers.horizontal_pod_autoscaler.memory import Memory
from svcsim.controllers.horizontal_pod_autoscaler.metrics_apis import MetricsApis
from svcsim.controllers.horizontal_pod_autoscaler.proposals import Proposal, Refusal, Target, largest, propose
from svcsim.controllers.horizontal_pod_autoscaler.report import ABLE, ACTIVE, LIMITED, StatusReport
from svcsim.controllers.horizontal_pod_autoscaler.scales import FoundScale, NoScaleError, find_scale
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import parse_labels
from svcsim.meta.objects import labels_of, namespace_of, uid_of
from svcsim.meta.selector_index import SelectorIndex
from svcsim.meta.types import Object


class _UndecidedError(Exception):
    """No size can be worked out; the message says why."""


class HorizontalPodAutoscalers(Controller):
    """Sets sizes, and keeps the status of every autoscaler."""

    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client
        self._served_types = context.served_types
        self._events = context.events
        self._apis = MetricsApis(context.client, context.served_types, context.dialect)
        self._pods = context.client.resource("v1", "pods")
        self._api = context.client.resource("autoscaling/v2", "horizontalpodautoscalers")
        self._autoscalers = context.informers.cache("autoscaling/v2", "horizontalpodautoscalers")
        self._memories: dict[ObjectKey, Memory] = {}
        self._selectors = SelectorIndex()
        """What each autoscaler was last seen to select."""
        super().__init__(
            "horizontal pod autoscaler",
            context.clock,
            (Source(self._autoscalers, self._changed, after_s=settings.SYNC_PERIOD_S),),
            retry_first_s=settings.SYNC_PERIOD_S,
            retry_longest_s=settings.SYNC_PERIOD_S,
        )

    def _changed(self, change: str, autoscaler: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(autoscaler)
        if change != "DELETED":
            return (key,)
        self._forget(key)
        return ()

    def _forget(self, key: ObjectKey) -> None:
        """Drop all state of a deleted autoscaler: others may select the same pods from now on."""
        self._memories.pop(key, None)
        self._selectors.remove(key)

    async def reconcile(self, key: ObjectKey) -> None:
        autoscaler = self._autoscalers.get(key.name, key.namespace)
        if autoscaler is None:
            return
        report = StatusReport(autoscaler, self.clock.timestamp())
        try:
            await self._autoscale(key, {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", **autoscaler}, report)
            status = report.status()
            if status != (autoscaler.get("status") or {}):
                await self._api.within(key.namespace).update({**autoscaler, "status": status}, "status")
        finally:
            current = self._autoscalers.get(key.name, key.namespace)
            if current is None or uid_of(current) != uid_of(autoscaler):  # it went while it was looked at
                self._forget(key)
            if current is not None:
                self.queue.add_after(key, settings.SYNC_PERIOD_S)

    async def _autoscale(self, key: ObjectKey, autoscaler: Object, report: StatusReport) -> None:
        """Measure, decide and act; what came of it goes into the report."""
        reference = autoscaler["spec"]["scaleTargetRef"]
        try:
            found = await find_scale(self._client, self._served_types, reference, key.namespace)
        except NoScaleError as error:
            self._events.warning(autoscaler, "FailedGetScale", str(error))
            report.condition(ABLE, False, "FailedGetScale", f"the HPA controller was unable to get the target's current scale: {error}")
            return
        report.condition(ABLE, True, "SucceededGetScale", "the HPA controller was able to get the target's current scale")
        report.current = found.wanted
        if key not in self._memories:
            self._memories[key] = Memory(found.wanted, self.clock.now())
        try:
            desired, why = await self._decide(key, autoscaler, found, report)
        except _UndecidedError as error:
            self._events.warning(autoscaler, "FailedComputeMetricsReplicas", str(error))
            return
        if desired == found.wanted:
            report.desired = desired
        else:
            await self._rescale(key, autoscaler, found, desired, why, report)

    async def _decide(self, key: ObjectKey, autoscaler: Object, found: FoundScale, report: StatusReport) -> tuple[int, str]:
        """The size there is to be, and why. Raises `_UndecidedError`."""
        spec, current = autoscaler["spec"], found.wanted
        least, most = spec.get("minReplicas"), spec["maxReplicas"]
        least = 1 if least is None else least
        if not current and least:
            report.condition(ACTIVE, False, "ScalingDisabled", "scaling is disabled since the replica count of the target is zero")
            return 0, ""
        if current > most:
            return most, "Current number of replicas above Spec.MaxReplicas"
        if current < least:
            return least, "Current number of replicas below Spec.MinReplicas"
        wanted = await self._measure(autoscaler, found, report)
        bounds = Bounds(least, most, spec.get("behavior"))
        limited = limit(wanted.replicas, current, bounds, self._memories[key], self.clock.now())
        report.condition(ABLE, True, *limited.able)
        report.condition(LIMITED, limited.is_limited, *limited.limited)
        if wanted.replicas > current:
            return limited.replicas, f"{wanted.metric} above target"
        # Where they call for what there is, an earlier wish may still make it more: that is no reason that could be named.
        return limited.replicas, "All metrics below target" if wanted.replicas < current else ""

    async def _measure(self, autoscaler: Object, found: FoundScale, report: StatusReport) -> Proposal:
        """What the metrics call for, the one that calls for most deciding. Raises `_UndecidedError`."""
        namespace, metrics = namespace_of(autoscaler), autoscaler["spec"].get("metrics") or []
        pods = await self._selected(autoscaler, found.selector, report)
        report.metrics = [{"type": ""} for _ in metrics]
        seen = Pods(pods, found.wanted, tolerance_of(autoscaler["spec"].get("behavior")), self.clock.now())
        target = Target(namespace, found.selector, seen, found.counted)
        proposals: list[Proposal] = []
        refusals: list[Refusal] = []
        for index, metric in enumerate(metrics):
            said = await propose(self._apis, metric, target)
            if isinstance(said, Refusal):
                self._events.warning(autoscaler, said.reason, said.message)
                refusals.append(said)
            else:
                report.metrics[index] = said.status
                proposals.append(said)
        chosen = largest(proposals)
        if chosen is None or (refusals and chosen.replicas < found.wanted):
            first = refusals[0]
            report.condition(ACTIVE, False, first.reason, f"the HPA was unable to compute the replica count: {first.message}")
            said_first = f"invalid metrics ({len(refusals)} invalid out of {len(metrics)}), first error is: {first.among_others}"
            raise _UndecidedError(said_first)
        well = f"the HPA was able to successfully calculate a replica count from {chosen.metric}"
        report.condition(ACTIVE, True, "ValidMetricFound", well)
        return chosen

    async def _selected(self, autoscaler: Object, selector: str, report: StatusReport) -> list[Object]:
        """The pods that are scaled. Raises `_UndecidedError` where they can't be told, or others scale them too."""
        if not selector:
            self._events.warning(autoscaler, "SelectorRequired", "selector is required")
            report.condition(ACTIVE, False, "InvalidSelector", "the HPA target's scale is missing a selector")
            raise _UndecidedError("selector is required")
        try:
            parsed = parse_labels(selector)
        except StatusError as error:
            why = f"couldn't convert selector into a corresponding internal selector object: {error.message}"
            self._refuse_selector(autoscaler, "InvalidSelector", why, report)
        namespace = namespace_of(autoscaler)
        self._selectors.put(object_key(autoscaler), parsed)
        pods = await self._pods.within(namespace).list_all(label_selector=selector)
        alike = {tuple(labels.items()): labels for labels in map(labels_of, pods)}
        selecting = sorted(key.name for key in self._selectors.selecting(namespace, *alike.values()))
        if len(selecting) > 1:
            which = " ".join(f"{namespace}/{name}" for name in selecting)
            why = f"pods by selector {selector} are controlled by multiple HPAs: [{which}]"
            self._refuse_selector(autoscaler, "AmbiguousSelector", why, report)
        return pods

    def _refuse_selector(self, autoscaler: Object, reason: str, why: str, report: StatusReport) -> NoReturn:
        self._events.warning(autoscaler, reason, why)
        report.condition(ACTIVE, False, reason, why)
        raise _UndecidedError(why)

    async def _rescale(self, key: ObjectKey, autoscaler: Object, found: FoundScale, desired: int, why: str, report: StatusReport) -> None:
        try:
            await found.resize(desired)
        except (StatusError, ConnectionError) as error:
            told = error.message if isinstance(error, StatusError) else str(error) or "the connection broke off"
            self._events.warning(autoscaler, "FailedRescale", f"New size: {desired}; reason: {why}; error: {told}")
            report.condition(ABLE, False, "FailedUpdateScale", f"the HPA controller was unable to update the target scale: {told}")
            return
        report.condition(ABLE, True, "SucceededRescale", f"the HPA controller was able to update the target scale to {desired}")
        self._events.normal(autoscaler, "SuccessfulRescale", f"New size: {desired}; reason: {why}")
        self._memories[key].rescaled(found.wanted, desired, self.clock.now())
        report.desired, report.rescaled = desired, True

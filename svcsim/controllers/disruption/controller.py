"""The disruption controller: looks at a budget and its pods, and writes the status that `svcsim.controllers.disruption.plan` says.

Without it nothing that has a budget could be evicted: who evicts goes by the status, and by nothing else. So where the pods can't be
counted, the status says that none may go. A cluster without budgets isn't looked at: a pod that changes there is one question.
"""

from collections.abc import Iterable

from svcsim import limits
from svcsim.client.cache import by_label
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.disruption.plan import BudgetSnapshot, failed, make_plan, wants_scales
from svcsim.controllers.disruption.scales import Scales, UnknownScaleError
from svcsim.meta.disruption_budgets import status_of
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import labels_of, name_of, namespace_of
from svcsim.meta.pods import with_kind
from svcsim.meta.selector_index import SelectorIndex
from svcsim.meta.types import Object


class DisruptionController(Controller):
    """Keeps the status of every disruption budget."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._api = context.client.resource("policy/v1", "poddisruptionbudgets")
        self._budgets = context.informers.cache("policy/v1", "poddisruptionbudgets")
        self._pods = context.informers.cache("v1", "pods", by_label)
        sets, deployments = context.informers.cache("apps/v1", "replicasets"), context.informers.cache("apps/v1", "deployments")
        self._scales = Scales(context.client, context.served_types, sets, deployments)
        self._selectors = SelectorIndex()
        sources = (
            Source(self._budgets, self._budget_changed),
            # Pods come in crowds, and each makes all pods of its budget be counted.
            Source(self._pods, self._budgets_of, after_s=limits.DISRUPTION_BATCH_S),
            Source(sets),
            Source(deployments),
        )
        super().__init__("disruption controller", context.clock, sources)

    def _budget_changed(self, change: str, budget: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(budget)
        if change != "DELETED":
            self._selectors.put(key, from_object(budget["spec"].get("selector")))
            return (key,)
        self._selectors.remove(key)
        return ()

    def _budgets_of(self, _change: str, pod: Object, before: Object | None) -> Iterable[ObjectKey]:
        """The budgets that select a pod, or did."""
        namespace = namespace_of(pod)
        found = self._selectors.selecting(namespace, *(labels_of(state) for state in (before, pod) if state is not None))
        if len(found) > 1:
            which = f'Pod "{namespace}"/"{name_of(pod)}" matches multiple PodDisruptionBudgets.  Chose "{found[0].name}" arbitrarily.'
            self._events.warning(with_kind(pod), "MultiplePodDisruptionBudgets", which)
        return found

    async def reconcile(self, key: ObjectKey) -> None:
        budget = self._budgets.get(key.name, key.namespace)
        selector = self._selectors.get(key)
        if budget is None or selector is None:
            return
        pods = self._pods.selected(selector, key.namespace)
        try:
            scales = await self._scales.of(pods) if wants_scales(budget) else {}
        except UnknownScaleError as error:
            why = f"Failed to calculate the number of expected pods: {error}"
            self._events.warning(budget, "CalculateExpectedPodCountFailed", why)
            await self._write(budget, failed(budget, str(error), self.clock.timestamp()))
            return
        plan = make_plan(BudgetSnapshot(budget, pods, scales, self.clock.now(), self.clock.timestamp()))
        for report in plan.reports:
            (self._events.normal if report.type == "Normal" else self._events.warning)(report.about, report.reason, report.message)
        if plan.status is not None:
            await self._write(budget, plan.status)
        if plan.recheck_in_s is not None:
            self.queue.add_after(key, plan.recheck_in_s)

    async def _write(self, budget: Object, status: Object) -> None:
        """Report a status, based on the budget as it was seen: who is granted an eviction meanwhile isn't overlooked."""
        if status != status_of(budget):
            await self._api.within(namespace_of(budget)).update({**budget, "status": status}, "status")

"""The disruption controller: looks at a budget and its pods, and writes the status that `svcsim.controllers.disruption.plan` says.

Without it nothing that has a budget could be evicted: who evicts goes by the status, and by nothing else. So where the pods can't be
counted, the status says that none may go. A cluster without budgets isn't looked at: a pod that changes there is one question.
"""

from collections.abc import Iterable

from svcsim import limits
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.controllers.disruption.plan import BudgetSnapshot, failed, make_plan, wants_scales
from svcsim.controllers.disruption.scales import Scales, UnknownScaleError
from svcsim.meta.disruption_budgets import status_of
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import labels_of, name_of, namespace_of
from svcsim.meta.selectors import LabelSelector, from_object
from svcsim.meta.types import Object


class DisruptionController(Controller):
    """Keeps the status of every disruption budget."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._api = context.client.resource("policy/v1", "poddisruptionbudgets")
        self._budgets = context.informers.cache("policy/v1", "poddisruptionbudgets")
        self._pods = context.informers.cache("v1", "pods")
        sets, deployments = context.informers.cache("apps/v1", "replicasets"), context.informers.cache("apps/v1", "deployments")
        self._scales = Scales(context.client, context.served_types, sets, deployments)
        self._selectors: dict[str, dict[str, LabelSelector]] = {}
        """Of the budgets, by namespace and name."""
        sources = (
            Source(self._budgets, self._budget_changed),
            # Pods come in crowds, and each makes all pods of its budget be counted.
            Source(self._pods, self._budgets_of, after_s=limits.DISRUPTION_BATCH_S),
            Source(sets),
            Source(deployments),
        )
        super().__init__("disruption controller", context.clock, sources)

    def _budget_changed(self, change: str, budget: Object, _before: Object | None) -> Iterable[ObjectKey]:
        namespace, name = namespace_of(budget), name_of(budget)
        if change != "DELETED":
            self._selectors.setdefault(namespace, {})[name] = from_object(budget["spec"].get("selector"))
            return (object_key(budget),)
        self._selectors[namespace].pop(name)
        if not self._selectors[namespace]:
            del self._selectors[namespace]
        return ()

    def _budgets_of(self, _change: str, pod: Object, before: Object | None) -> Iterable[ObjectKey]:
        """The budgets that select a pod, or did."""
        namespace = namespace_of(pod)
        selectors = self._selectors.get(namespace)
        if selectors is None:
            return
        states = [labels_of(state) for state in (before, pod) if state is not None]
        found = [name for name, selector in selectors.items() if any(selector.matches(labels) for labels in states)]
        if len(found) > 1:
            which = f'Pod "{namespace}"/"{name_of(pod)}" matches multiple PodDisruptionBudgets.  Chose "{found[0]}" arbitrarily.'
            self._events.warning(pod, "MultiplePodDisruptionBudgets", which)
        yield from (ObjectKey(namespace, name) for name in found)

    async def reconcile(self, key: ObjectKey) -> None:
        budget = self._budgets.get(key.name, key.namespace)
        selector = self._selectors.get(key.namespace, {}).get(key.name)
        if budget is None or selector is None:
            return
        pods = [pod for pod in self._pods.all(key.namespace) if selector.matches(labels_of(pod))]
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

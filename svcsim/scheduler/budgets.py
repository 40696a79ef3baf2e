"""Disruption budgets, as a search for room asks about them: the same few of thousands of pods.

A search looks at the same budgets on every node, and replicas are alike in what selectors see of them. So it makes each selector once, and
asks once for pods that are alike.
"""

from collections.abc import Callable, Iterable

from svcsim.meta.disruption_budgets import number_in, status_of
from svcsim.meta.label_selectors import LabelSelector, from_object
from svcsim.meta.objects import name_of
from svcsim.meta.types import Object
from svcsim.scheduler.pod import Group, PodInfo


class Budgets:
    """What one search knows of the budgets."""

    def __init__(self, in_namespace: Callable[[str], list[Object]]) -> None:
        self._in_namespace = in_namespace
        self._selectors: dict[str, list[tuple[LabelSelector, Object]]] = {}
        self._of_group: dict[Group, list[Object]] = {}

    def split(self, pods: Iterable[PodInfo]) -> tuple[list[PodInfo], list[PodInfo]]:
        """The pods whose eviction would violate a budget, given that those before them are evicted too; and the rest."""
        left: dict[tuple[str, str], int] = {}
        broken: list[PodInfo] = []
        others: list[PodInfo] = []
        for pod in pods:
            violates = False
            for budget in self._of(pod.group):
                status = status_of(budget)
                if pod.name in (status.get("disruptedPods") or {}):
                    continue
                key = (pod.namespace, name_of(budget))
                left[key] = left.get(key, number_in(status, "disruptionsAllowed")) - 1
                violates = violates or left[key] < 0
            (broken if violates else others).append(pod)
        return broken, others

    def _of(self, group: Group) -> list[Object]:
        """The budgets that count such pods."""
        found = self._of_group.get(group)
        if found is None:
            labels = dict(group.labels)
            selectors = self._selectors_in(group.namespace) if labels else ()
            found = self._of_group[group] = [budget for selector, budget in selectors if selector.matches(labels)]
        return found

    def _selectors_in(self, namespace: str) -> list[tuple[LabelSelector, Object]]:
        found = self._selectors.get(namespace)
        if found is None:
            made = [(from_object((budget.get("spec") or {}).get("selector")), budget) for budget in self._in_namespace(namespace)]
            found = self._selectors[namespace] = [(selector, budget) for selector, budget in made if not selector.empty]
        return found

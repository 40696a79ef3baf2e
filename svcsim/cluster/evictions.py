"""Evictions: whether disruption budgets let a pod go.

Who deletes a pod takes it away; who evicts it asks whether it may go. A pod that serves nobody, because it is pending, has ended or is
going already, always may. Any other has to be let go by the budget that selects it: one disruption of those it allows is used up, and the
pod is named in its status until it is seen to go, so that those who ask at the same time can't all be told yes. Counting is done by one
write of the budget's status, which is decided on top of every write before it.
"""

from collections.abc import Iterable

from svcsim import limits
from svcsim.clock import Clock
from svcsim.meta import errors
from svcsim.meta.disruption_budgets import DISRUPTION_ALLOWED, SYNC_FAILED, lets_unhealthy_go, number_in, status_of, with_condition
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import condition, copy_json, is_terminating, labels_of, name_of, namespace_of, uid_of
from svcsim.meta.pods import is_finished, is_ready, phase_of, set_pod_condition
from svcsim.meta.selector_index import SelectorIndex
from svcsim.meta.types import GroupResource, Object
from svcsim.registry.lister import Lister
from svcsim.registry.status_patch import PatchStatus

BUDGETS = ("policy/v1", "poddisruptionbudgets")
PODS = ("v1", "pods")
_STILL_BEING_PROCESSED_S = 10
_TOO_MANY_BUDGETS = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


class Evictions:
    """Asks the budgets, and marks the pods that they let go."""

    def __init__(self, budgets: Lister, patch_status: PatchStatus, clock: Clock) -> None:
        self._budgets = budgets
        self._selectors = SelectorIndex()
        """Of the budgets."""
        budgets.on_change(self._note)
        self._patch_status = patch_status
        self._clock = clock

    async def permit(self, pod: Object, resource_version: str, *, dry_run: bool) -> str:
        """Whether a pod may be evicted: gives the revision its deletion is held to. Raises 429 where it may not, 403, 409 and 500."""
        held = await self._ask(pod, dry_run=dry_run) or bool(resource_version)
        if dry_run:
            return pod["metadata"]["resourceVersion"] if held else ""
        marked = await self._mark(pod, held=held)
        return marked["metadata"]["resourceVersion"] if held else ""

    async def _ask(self, pod: Object, *, dry_run: bool) -> bool:
        """Whether the pod may go only as it is now: it may because of that."""
        if is_finished(pod) or is_terminating(pod):
            return False
        if phase_of(pod) == "Pending":
            return True
        selecting = self._selectors.selecting(namespace_of(pod), labels_of(pod))
        budgets = [budget for key in selecting if (budget := self._budgets.get(*key)) is not None]
        if len(budgets) > 1:
            raise errors.StatusError(500, "", _TOO_MANY_BUDGETS)
        if not budgets:
            return False
        if not is_ready(pod) and lets_unhealthy_go(budgets[0]):
            return True
        now = self._clock.timestamp()
        name = name_of(budgets[0])
        await self._patch_status(*BUDGETS, namespace_of(pod), name, lambda budget: counted_down(budget, pod, now), dry_run=dry_run)
        return False

    def _note(self, changed: Iterable[ObjectKey]) -> None:
        """Keep the selectors of budgets as they are now."""
        for key in changed:
            budget = self._budgets.get(*key)
            if budget is None:
                self._selectors.remove(key)
            else:
                self._selectors.put(key, from_object(budget["spec"].get("selector")))

    async def _mark(self, pod: Object, *, held: bool) -> Object:
        """Say on the pod why it goes."""
        wanted = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"}

        def change(current: Object) -> Object:
            known, found = pod["metadata"], current["metadata"]
            if uid_of(current) != uid_of(pod) or (held and known["resourceVersion"] != found["resourceVersion"]):
                raise errors.conflict(GroupResource("", "pods"), name_of(pod), errors.MODIFIED)
            status = current.get("status") or {}
            conditions: list[Object] = copy_json(status.get("conditions") or [])
            set_pod_condition(current, conditions, wanted, self._clock.timestamp())
            return {**current, "status": {**status, "conditions": conditions}}

        return await self._patch_status(*PODS, namespace_of(pod), name_of(pod), change)


def counted_down(budget: Object, pod: Object, now: str) -> Object:
    """The budget with one disruption less, used up by a pod. Raises 429 where there is none, and 403 where something is wrong with it."""
    name, status = name_of(budget), status_of(budget)
    if number_in(status, "observedGeneration") < (budget["metadata"].get("generation") or 0):
        raise _refused(f"The disruption budget {name} is still being processed by the server.", _STILL_BEING_PROCESSED_S)
    allowed = number_in(status, "disruptionsAllowed")
    if allowed < 0:
        raise _forbidden(name, "pdb disruptions allowed is negative")
    disrupted = status.get("disruptedPods") or {}
    if len(disrupted) > limits.DISRUPTED_PODS:
        raise _forbidden(name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
    if not allowed:
        raise _refused(_why_none(budget), 0)
    left = {**status, "disruptionsAllowed": allowed - 1, "disruptedPods": {**disrupted, name_of(pod): now}}
    return {**budget, "status": left if allowed > 1 else with_condition(left, now)}


def _why_none(budget: Object) -> str:
    name, status = name_of(budget), status_of(budget)
    told = condition(budget, DISRUPTION_ALLOWED) or {}
    if told.get("status") == "False" and told.get("reason") == SYNC_FAILED:
        return f"The disruption budget {name} does not allow evicting pods currently because it failed sync: {told.get('message') or ''}"
    healthy, wanted = number_in(status, "currentHealthy"), number_in(status, "desiredHealthy")
    if healthy <= wanted:
        return f"The disruption budget {name} needs {wanted} healthy pods and has {healthy} currently"
    return f"The disruption budget {name} does not allow evicting pods currently"


def _refused(why: str, retry_after_s: int) -> errors.StatusError:
    """429, with the budget's own reason as its cause."""
    error = errors.too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.", retry_after_s)
    error.details = {**(error.details or {}), "causes": [{"reason": "DisruptionBudget", "message": why}]}
    return error


def _forbidden(name: str, why: str) -> errors.StatusError:
    return errors.forbidden(GroupResource("policy", "poddisruptionbudget"), name, why)

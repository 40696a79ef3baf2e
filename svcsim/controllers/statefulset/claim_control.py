"""Making the claims of a StatefulSet's pods, and handing them from one owner to another."""

from svcsim.client.api import Collection
from svcsim.client.cache import Cache
from svcsim.client.events import EventRecorder
from svcsim.controllers.statefulset.claims import claim_name, claim_templates, new_claim
from svcsim.controllers.statefulset.retention import first_owners, has_other_controller, new_owners
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.objects import is_terminating, name_of, namespace_of
from svcsim.meta.types import Object

_CONFLICT = (
    "has a conflicting OwnerReference that acts as a manging controller, "  # codespell:ignore
    "the retention policy is ignored for this claim"
)
"""Kubernetes' words, to the letter."""


class ClaimControl:
    """The claims of all sets."""

    def __init__(self, claims: Cache, claims_api: Collection, events: EventRecorder) -> None:
        self._claims = claims
        self._api = claims_api
        self._events = events

    async def make_missing(self, stateful_set: Object, pod_name: str) -> None:
        """Make the claims of a pod that aren't there. Raises `StatusError` for what can't be made, or is on its way out."""
        wrong: list[StatusError] = []
        for template in claim_templates(stateful_set):
            name = claim_name(template, pod_name)
            if self._claims.get(name, namespace_of(stateful_set)) is None:
                error = await self._make(stateful_set, template, pod_name)
                if error is not None:
                    wrong.append(error)
        if wrong:
            raise all_of(wrong)

    async def hand_over(self, stateful_set: Object, pod: Object, *, wanted: bool) -> None:
        """Give a pod's claims the owners that the set's policy wants. ``wanted``: the set should have this pod."""
        for template in claim_templates(stateful_set):
            claim = self._claims.get(claim_name(template, name_of(pod)), namespace_of(stateful_set))
            owners = None if claim is None else new_owners(claim, stateful_set, pod, wanted=wanted)
            if claim is None or owners is None:
                continue
            if has_other_controller(claim, stateful_set, pod):
                self._events.warning(stateful_set, "ConflictingController", f"PersistentVolumeClaim {name_of(claim)} {_CONFLICT}")
            changed = {**claim, "apiVersion": "v1", "kind": "PersistentVolumeClaim"}
            changed["metadata"] = {**claim["metadata"], "ownerReferences": owners}
            try:
                await self._api.within(namespace_of(stateful_set)).update(changed)
            except StatusError as error:
                message = f"could not update claim {name_of(claim)} for delete policy ownerRefs: {error.message}"
                raise StatusError(error.code, error.reason, message, error.details) from error

    async def _make(self, stateful_set: Object, template: Object, pod_name: str) -> StatusError | None:
        """Make one claim; gives what went wrong. One that is there already will do, unless it is on its way out."""
        wish = new_claim(stateful_set, template, pod_name, first_owners(stateful_set))
        name, here, set_name = name_of(wish), self._api.within(namespace_of(stateful_set)), name_of(stateful_set)
        try:
            await here.create(wish)
        except StatusError as error:
            if error.reason == "AlreadyExists":
                return being_deleted([name]) if is_terminating(await here.get(name)) else None
            if not namespace_is_going(error):
                told = f"create Claim {name} for Pod {pod_name} in StatefulSet {set_name} failed error: {error.message}"
                self._events.warning(stateful_set, "FailedCreate", told)
            return StatusError(error.code, error.reason, f"failed to create PVC {name}: {error.message}", error.details)
        self._events.normal(stateful_set, "SuccessfulCreate", f"create Claim {name} Pod {pod_name} in StatefulSet {set_name} success")
        return None


def being_deleted(names: list[str]) -> StatusError:
    """Why a pod can't be made: these claims of its are on their way out."""
    return all_of([StatusError(409, "Conflict", f"pvc {name} is being deleted") for name in names])


def all_of(errors: list[StatusError]) -> StatusError:
    """Several errors as one, as Kubernetes writes them."""
    first = errors[0]
    if len(errors) == 1:
        return first
    return StatusError(first.code, first.reason, f"[{', '.join(error.message for error in errors)}]", first.details)

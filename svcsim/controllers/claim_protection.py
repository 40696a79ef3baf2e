"""The PVC protection controller: a deleted claim is removed once no pod on a node uses it."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source, itself
from svcsim.meta.claims import claims_of
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.pods import is_finished, node_of
from svcsim.meta.protection import protected
from svcsim.meta.types import Object


class ClaimProtection(Controller):
    """Puts a finalizer on claims, and takes it off those that are deleted and not in use."""

    def __init__(self, context: ControllerContext) -> None:
        self._finalizer = context.dialect.key("pvc-protection")
        self._claims_api = context.client.resource("v1", "persistentvolumeclaims")
        self._claims = context.informers.cache("v1", "persistentvolumeclaims")
        self._pods = context.informers.cache("v1", "pods", claims_of)
        sources = (Source(self._claims, itself), Source(self._pods, _claims_let_go))
        super().__init__("PVC protection", context.clock, sources)

    async def reconcile(self, key: ObjectKey) -> None:
        claim = self._claims.get(key.name, key.namespace)
        if claim is None:
            return
        changed = protected(claim, self._finalizer, is_used=self._is_used(key))
        if changed is not None:
            await self._claims_api.within(key.namespace).update(changed)

    def _is_used(self, key: ObjectKey) -> bool:
        """Whether a pod has it on a node: one that isn't on a node yet will find that the claim is going."""
        return any(node_of(pod) and not is_finished(pod) for pod in self._pods.find(claims_of, "/".join(key)))


def _claims_let_go(change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
    return [ObjectKey(*claim.split("/")) for claim in claims_of(pod)] if change == "DELETED" or is_finished(pod) else ()

"""The ephemeral volume controller: makes the claims of pods' ephemeral volumes, which go with the pods that own them."""

from collections.abc import Iterable

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.client.ownership import controller_reference
from svcsim.meta.claims import claims_of, ephemeral_claim_name, not_made_for
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import is_terminating, name_of, namespace_of
from svcsim.meta.pods import is_active, with_kind
from svcsim.meta.types import Object


class EphemeralVolumes(Controller):
    """One that is in the way, since it isn't the pod's, is told of and left alone."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        self._claims_api = context.client.resource("v1", "persistentvolumeclaims")
        self._claims = context.informers.cache("v1", "persistentvolumeclaims")
        self._pods = context.informers.cache("v1", "pods", claims_of)
        sources = (Source(self._pods, _pod_came), Source(self._claims, self._claim_went))
        super().__init__("ephemeral volumes", context.clock, sources)

    def _claim_went(self, change: str, claim: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """Its pod has to have another one."""
        if change != "DELETED":
            return ()
        pods = self._pods.find(claims_of, f"{namespace_of(claim)}/{name_of(claim)}")
        return [object_key(pod) for pod in pods if _templates(pod)]

    async def reconcile(self, key: ObjectKey) -> None:
        pod = self._pods.get(key.name, key.namespace)
        if pod is None or not is_active(pod):
            return
        for volume, template in _templates(pod):
            try:
                await self._see_to(pod, volume, template)
            except StatusError as error:
                if namespace_is_going(error):
                    return
                self._tell(pod, volume, f"create PVC {ephemeral_claim_name(name_of(pod), volume)}: {error.message}")
                raise

    async def _see_to(self, pod: Object, volume: str, template: Object) -> None:
        name, namespace = ephemeral_claim_name(name_of(pod), volume), namespace_of(pod)
        claim = self._claims.get(name, namespace)
        if claim is not None and not is_terminating(claim):
            if why := not_made_for(pod, claim):
                self._tell(pod, volume, why)
            return
        if claim is None:
            await self._claims_api.within(namespace).create(_new_claim(pod, name, template))

    def _tell(self, pod: Object, volume: str, why: str) -> None:
        self._events.warning(with_kind(pod), "FailedBinding", f"ephemeral volume {volume}: {why}")


def _new_claim(pod: Object, name: str, template: Object) -> Object:
    given = template.get("metadata") or {}
    metadata: Object = {field: given[field] for field in ("labels", "annotations") if given.get(field)}
    metadata |= {"name": name, "ownerReferences": [controller_reference(with_kind(pod))]}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": template["spec"]}


def _templates(pod: Object) -> list[tuple[str, Object]]:
    """The ephemeral volumes of a pod by their names, and what their claims are to be."""
    volumes = pod["spec"].get("volumes") or ()
    return [(volume["name"], volume["ephemeral"]["volumeClaimTemplate"]) for volume in volumes if volume.get("ephemeral") is not None]


def _pod_came(change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
    return (object_key(pod),) if change == "ADDED" and pod["spec"].get("volumes") and _templates(pod) else ()

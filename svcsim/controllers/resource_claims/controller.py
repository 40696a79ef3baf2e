"""The resource claim controller. A pod's claims are made from their templates; a claim whose users are done is free again, or goes."""

from collections.abc import Iterable

from svcsim.client.cache import by_controller
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.client.latest import Latest
from svcsim.controllers.resource_claims.claim_plan import DeviceClaimPlan, is_done, plan_claim
from svcsim.controllers.resource_claims.forms import new_claim
from svcsim.meta.device_claims import (
    DeviceKeys,
    UsedDevices,
    allocation_of,
    is_reserved_for,
    not_made_for_pod,
    owning_pod,
    pod_user,
    used_devices,
    users_of,
)
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import annotations_of, finalizers_of, is_terminating, name_of, namespace_of, uid_of
from svcsim.meta.pods import node_of, with_kind
from svcsim.meta.types import Object

_POD = "pod/"
"""What the names in keys of pods begin with; the others are those of claims."""


class ResourceClaims(Controller):
    """What it has made counts from the moment it has: its cache may not have it yet when the pod comes up again."""

    def __init__(self, context: ControllerContext) -> None:
        self._keys = DeviceKeys.of(context.dialect)
        self._template_resource = f"resourceclaimtemplate.{context.dialect.group('resource')}"
        self._events = context.events
        self._claims_api = context.client.resource(self._keys.api_version, "resourceclaims")
        self._pods_api = context.client.resource("v1", "pods")
        self._templates = context.informers.cache(self._keys.api_version, "resourceclaimtemplates")
        self._claims = context.informers.cache(self._keys.api_version, "resourceclaims", by_controller)
        self._newest = Latest(self._claims)
        self._pods = context.informers.cache("v1", "pods")
        self._made: dict[ObjectKey, Object] = {}
        """Claims that were made and aren't in the cache yet."""
        self._waiting: dict[ObjectKey, dict[ObjectKey, None]] = {}
        """By template or claim, the pods that wait until it is there, or has devices."""
        sources = (
            Source(self._pods, self._pod_changed),
            Source(self._claims, self._claim_changed),
            Source(self._templates, self._template_changed),
        )
        super().__init__("resource claims", context.clock, sources)

    # --- what is to be looked at ---

    def _pod_changed(self, change: str, pod: Object, _before: Object | None) -> Iterable[ObjectKey]:
        if "resourceClaims" not in pod["spec"]:
            return ()
        if change == "DELETED" or is_done(pod):
            self._wait_no_longer(pod)
            return [ObjectKey(namespace_of(pod), used.claim) for used in used_devices(pod) if used.claim]
        return (_pod_key(namespace_of(pod), name_of(pod)),)

    def _claim_changed(self, change: str, claim: Object, _before: Object | None) -> Iterable[ObjectKey]:
        key = object_key(claim)
        self._made.pop(key, None)
        yield key
        yield from self._waiting.pop(key, ())
        owner = owning_pod(claim)
        if owner is not None and change == "DELETED":
            yield _pod_key(key.namespace, owner["name"])

    def _template_changed(self, _change: str, template: Object, _before: Object | None) -> Iterable[ObjectKey]:
        namespace, name = object_key(template)
        return tuple(self._waiting.pop(_template_key(namespace, name), ()))

    async def reconcile(self, key: ObjectKey) -> None:
        if key.name.startswith(_POD):
            pod = self._pods.get(key.name.removeprefix(_POD), key.namespace)
            if pod is not None and not is_terminating(pod) and not is_done(pod):
                await self._see_to_pod(pod)
        else:
            claim = self._newest.get(key.name, key.namespace)
            if claim is not None:
                await self._see_to_claim(claim)

    # --- pods ---

    async def _see_to_pod(self, pod: Object) -> None:
        made: dict[str, str] = {}
        for used in used_devices(pod):
            if used.template and not used.needs_none:
                try:
                    made[used.entry] = await self._claim_for(pod, used)
                except StatusError as error:
                    if not namespace_is_going(error):
                        why = f"PodResourceClaim {used.entry}: {error.message}"
                        self._events.warning(with_kind(pod), "FailedResourceClaimCreation", why)
                    await self._tell(pod, made)
                    raise
        await self._tell(pod, made)
        if node_of(pod):
            await self._reserve(pod, made)

    async def _claim_for(self, pod: Object, used: UsedDevices) -> str:
        """The name of the claim for one entry, which is made if it isn't there."""
        namespace, name, uid = namespace_of(pod), name_of(pod), uid_of(pod)
        told = self._claim(ObjectKey(namespace, used.claim)) if used.claim else None
        if told is not None and not not_made_for_pod(told, namespace, name, uid):
            return used.claim
        found = [*self._claims.find(by_controller, uid), *(one for one in self._made.values() if (owning_pod(one) or {}).get("uid") == uid)]
        orphan = next((one for one in found if annotations_of(one).get(self._keys.pod_claim_name) == used.entry), None)
        if orphan is not None:
            return name_of(orphan)  # it was made before, and the pod couldn't be told
        template = self._templates.get(used.template, namespace)
        if template is None:
            self._wait(_template_key(namespace, used.template), pod)
            missing = f'resource claim template "{used.template}": {self._template_resource} "{used.template}" not found'
            raise StatusError(404, "NotFound", missing)
        wanted = new_claim(pod, used.entry, template, self._keys.api_version, self._keys.pod_claim_name)
        try:
            claim = await self._claims_api.within(namespace).create(wanted)
        except StatusError as error:
            why = f"create ResourceClaim {wanted['metadata']['generateName']}: {error.message}"
            raise StatusError(error.code, error.reason, why, error.details) from error
        if self._claims.get(name_of(claim), namespace) is None:
            self._made[object_key(claim)] = claim
        return name_of(claim)

    def _claim(self, key: ObjectKey) -> Object | None:
        return self._newest.get(key.name, key.namespace) or self._made.get(key)

    def _wait(self, key: ObjectKey, pod: Object) -> None:
        self._waiting.setdefault(key, {})[_pod_key(namespace_of(pod), name_of(pod))] = None

    def _wait_no_longer(self, pod: Object) -> None:
        namespace, key = namespace_of(pod), _pod_key(namespace_of(pod), name_of(pod))
        for used in used_devices(pod):
            for awaited in (_template_key(namespace, used.template), ObjectKey(namespace, used.claim)):
                there = self._waiting.get(awaited, {})
                there.pop(key, None)
                if not there:
                    self._waiting.pop(awaited, None)

    async def _tell(self, pod: Object, made: dict[str, str]) -> None:
        """Write the names of its claims into the pod's status, if they don't stand there."""
        told = {used.entry: used.claim for used in used_devices(pod)}
        if any(told[entry] != claim for entry, claim in made.items()):
            statuses = [_status(used, made) for used in used_devices(pod) if used.entry in made or (used.template and not used.is_awaited)]
            patch = {"metadata": {"uid": uid_of(pod)}, "status": {"resourceClaimStatuses": statuses}}
            await self._pods_api.within(namespace_of(pod)).patch(name_of(pod), patch, subresource="status")

    async def _reserve(self, pod: Object, made: dict[str, str]) -> None:
        """Have a pod use its claims that was given its node by somebody else than the scheduler."""
        for used in used_devices(pod):
            key = ObjectKey(namespace_of(pod), made.get(used.entry, used.claim))
            claim = self._claim(key) if key.name else None
            if key.name and (claim is None or allocation_of(claim) is None):
                self._wait(key, pod)
            elif claim is not None and not is_reserved_for(claim, uid_of(pod)) and not is_terminating(claim):
                await self._write_status(claim, {"reservedFor": [*users_of(claim), pod_user(name_of(pod), uid_of(pod))]})

    # --- claims ---

    async def _see_to_claim(self, claim: Object) -> None:
        over = [user for user in users_of(claim) if await self._is_over(namespace_of(claim), user)]
        owner = owning_pod(claim)
        pod = None if owner is None else self._pods.get(owner["name"], namespace_of(claim))
        owner_is_over = owner is not None and pod is not None and (uid_of(pod) != owner["uid"] or is_done(pod))
        plan = plan_claim(claim, lambda user: user in over, owner_is_over=owner_is_over, protection=self._keys.protection)
        await self._carry_out(claim, plan)

    async def _is_over(self, namespace: str, user: Object) -> bool:
        """Whether a pod uses nothing any more. One that isn't in the cache may only not be there yet."""
        if user.get("resource") != "pods" or user.get("apiGroup"):
            return False
        pod = self._pods.get(user["name"], namespace)
        if pod is None:
            pod = await self._pods_api.within(namespace).find(user["name"])
        return pod is None or uid_of(pod) != user["uid"] or is_done(pod)

    async def _carry_out(self, claim: Object, plan: DeviceClaimPlan) -> None:
        if plan.drops_users or plan.deallocates:
            status: Object = {"reservedFor": plan.users or None}
            if plan.deallocates:
                status |= {"allocation": None, "devices": None}
            claim = await self._write_status(claim, status)
        if plan.unprotects:
            left = [name for name in finalizers_of(claim) if name != self._keys.protection]
            await self._patch(claim, {"finalizers": left or None})
        if plan.deletes:
            await self._claims_api.within(namespace_of(claim)).remove(name_of(claim), uid=uid_of(claim))

    async def _write_status(self, claim: Object, status: Object) -> Object:
        claims, version = self._claims_api.within(namespace_of(claim)), claim["metadata"]["resourceVersion"]
        patch = {"metadata": {"resourceVersion": version}, "status": status}
        return self._newest.wrote(await claims.patch(name_of(claim), patch, subresource="status"))

    async def _patch(self, claim: Object, metadata: Object) -> None:
        version = {"resourceVersion": claim["metadata"]["resourceVersion"]}
        self._newest.wrote(await self._claims_api.within(namespace_of(claim)).patch(name_of(claim), {"metadata": version | metadata}))


def _pod_key(namespace: str, name: str) -> ObjectKey:
    return ObjectKey(namespace, f"{_POD}{name}")


def _template_key(namespace: str, name: str) -> ObjectKey:
    return ObjectKey(namespace, f"template/{name}")


def _status(used: UsedDevices, made: dict[str, str]) -> Object:
    claim = made.get(used.entry, used.claim)
    return {"name": used.entry, **({"resourceClaimName": claim} if claim else {})}

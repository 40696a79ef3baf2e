"""The controller of definitions that are being deleted: all their objects are deleted first, and they go when none is left.

It is not the controller that establishes definitions, and looks at several at a time: thousands of objects keep no other definition
waiting.
"""

from collections.abc import Callable, Iterable

from svcsim import limits
from svcsim.client.api import Collection
from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.names import DEFINITION_CLEANUP
from svcsim.meta.objects import condition_is, copy_json, finalizers_of, is_terminating, name_of, namespace_of, set_condition, uid_of
from svcsim.meta.side_by_side import side_by_side
from svcsim.meta.types import Object

_DELETION_CHECK_S = 5.0
"""How long objects with finalizers are given before it is looked again."""


class CustomResourceCleanup(Controller):
    """Empties definitions that are being deleted, and lets them go."""

    def __init__(self, context: ControllerContext, *, built_in: Callable[[str], list[dict[str, str]]]) -> None:
        """``built_in`` gives the names of a group's kinds that need no definition."""
        group = context.dialect.group("apiextensions")
        self._client = context.client
        self._built_in = built_in
        self._finalizer = context.dialect.group(DEFINITION_CLEANUP)
        self._api = context.client.resource(f"{group}/v1", "customresourcedefinitions")
        self._definitions = context.informers.cache(f"{group}/v1", "customresourcedefinitions")
        super().__init__("custom resource cleanup", context.clock, (Source(self._definitions, self._concerned),))

    def _concerned(self, change: str, definition: Object, _before: Object | None) -> Iterable[ObjectKey]:
        return (object_key(definition),) if change != "DELETED" and self._is_to_be_emptied(definition) else ()

    def _is_to_be_emptied(self, definition: Object) -> bool:
        return is_terminating(definition) and self._finalizer in finalizers_of(definition)

    async def reconcile(self, key: ObjectKey) -> None:
        if self._definitions.get(key.name) is None:
            return
        definition = await self._api.get(key.name)
        if not self._is_to_be_emptied(definition):
            return
        left = await self._delete_all(definition)
        await self._report(definition, left)
        if left:
            self.queue.add_after(key, _DELETION_CHECK_S)
            return
        finalizers = [name for name in finalizers_of(definition) if name != self._finalizer]
        await self._api.patch(name_of(definition), {"metadata": {"uid": uid_of(definition), "finalizers": finalizers}})

    async def _report(self, definition: Object, left: int) -> None:
        status = copy_json(definition.get("status") or {})
        done = {"type": "Terminating", "status": "False", "reason": "InstanceDeletionCompleted", "message": "removed all instances"}
        waiting = {
            "type": "Terminating",
            "status": "True",
            "reason": "InstanceDeletionInProgress",
            "message": f"{left} custom resource instances are still there, waiting for their finalizers",
        }
        set_condition(status.setdefault("conditions", []), waiting if left else done, self.clock.timestamp())
        if status != definition.get("status"):
            await self._api.update({**definition, "status": status}, "status")

    async def _delete_all(self, definition: Object) -> int:
        """Delete the objects of a definition, in the version that needs no conversion; how many are left, because something holds them."""
        spec = definition["spec"]
        if not condition_is(definition, "Established"):
            return 0
        version = next(version["name"] for version in spec["versions"] if version.get("storage"))
        plural: str = (definition["status"].get("acceptedNames") or {}).get("plural") or spec["names"]["plural"]
        if any(plural == names["plural"] for names in self._built_in(spec["group"])):
            return 0  # they are no objects of its, however it came to be established
        collection = self._client.resource(f"{spec['group']}/{version}", plural)
        try:
            await _empty(collection)
            first = await collection.list(limit=1)
            return len(first.items) + (first.remaining or 0)
        except StatusError as error:
            if error.code == 404:
                return 0
            raise


async def _empty(collection: Collection) -> None:
    """Delete the objects of all namespaces, those of a few at a time."""
    namespaces: dict[str, None] = {}
    async for page in collection.pages():
        namespaces.update((namespace_of(obj), None) for obj in page.items)
    await side_by_side(tuple(namespaces), lambda namespace: collection.within(namespace).delete_all(), limits.DELETIONS_AT_ONCE)

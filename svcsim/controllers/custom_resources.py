"""The controller of definitions of custom resources: whether their names are free, and what comes of them when they go.

A definition whose names nobody else in its group has is established: from then on its kind is served. Names are taken one by one, so that
of a definition that changes to a name that is taken the other names still become those it is served by. A definition that is being deleted
has all its objects deleted first, and goes when none is left.
"""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.names import DEFINITION_CLEANUP
from svcsim.meta.objects import condition_is, copy_json, finalizers_of, is_terminating, name_of, namespace_of, set_condition, uid_of
from svcsim.meta.types import Object

_DELETION_CHECK_S = 5.0
"""How long objects with finalizers are given before it is looked again."""


class CustomResourceController(Controller):
    """Accepts names, establishes definitions, and empties those that are being deleted."""

    def __init__(self, context: ControllerContext) -> None:
        group = context.dialect.group("apiextensions")
        self._client = context.client
        self._dialect = context.dialect
        self._api = context.client.resource(f"{group}/v1", "customresourcedefinitions")
        self._definitions = context.informers.cache(f"{group}/v1", "customresourcedefinitions")
        self._accepted: dict[str, Object] = {}
        """By UID the names that have been accepted, which the cache may not have seen yet."""
        super().__init__("custom resource controller", context.clock, (Source(self._definitions, self._concerned),), workers=1)

    def _concerned(self, change: str, definition: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """The definition itself; where one goes, or gives up names, those that may have waited for them."""
        if change == "DELETED":
            self._accepted.pop(uid_of(definition), None)
        group = definition["spec"]["group"]
        waiting = [
            object_key(other)
            for other in self._definitions.all()
            if other["spec"]["group"] == group and name_of(other) != name_of(definition) and not condition_is(other, "NamesAccepted")
        ]
        return (*(() if change == "DELETED" else (object_key(definition),)), *waiting)

    async def reconcile(self, key: ObjectKey) -> None:
        if self._definitions.get(key.name) is None:
            return
        # Names are taken by what is there, not by what the cache remembers.
        definition = await self._api.get(key.name)
        status = copy_json(definition.get("status") or {})
        if is_terminating(definition):
            await self._empty(definition, status)
            return
        names = accept_names(definition, [self._as_accepted(other) for other in self._definitions.all() if name_of(other) != key.name])
        status["acceptedNames"] = names.accepted
        conditions = status.setdefault("conditions", [])
        timestamp = self.clock.timestamp()
        for wanted in (*make_conditions(definition, names), *approval_condition(definition, self._dialect)):
            set_condition(conditions, wanted, timestamp)
        await self._write_status(definition, status)
        self._accepted[uid_of(definition)] = names.accepted

    def _as_accepted(self, definition: Object) -> Object:
        """A definition with the names that it has been told last."""
        accepted = self._accepted.get(uid_of(definition))
        return definition if accepted is None else {**definition, "status": {**definition.get("status", {}), "acceptedNames": accepted}}

    async def _write_status(self, definition: Object, status: Object) -> None:
        if status != definition.get("status"):
            await self._api.update({**definition, "status": status}, "status")

    async def _empty(self, definition: Object, status: Object) -> None:
        finalizer = self._dialect.group(DEFINITION_CLEANUP)
        if finalizer not in finalizers_of(definition):
            return
        left = await self._delete_all(definition)
        done = {"type": "Terminating", "status": "False", "reason": "InstanceDeletionCompleted", "message": "removed all instances"}
        waiting = {
            "type": "Terminating",
            "status": "True",
            "reason": "InstanceDeletionInProgress",
            "message": f"{left} custom resource instances are still there, waiting for their finalizers",
        }
        set_condition(status.setdefault("conditions", []), waiting if left else done, self.clock.timestamp())
        await self._write_status(definition, status)
        if left:
            self.queue.add_after(object_key(definition), _DELETION_CHECK_S)
            return
        finalizers = [name for name in finalizers_of(definition) if name != finalizer]
        await self._api.patch(name_of(definition), {"metadata": {"uid": uid_of(definition), "finalizers": finalizers}})

    async def _delete_all(self, definition: Object) -> int:
        """Delete the objects of a definition, in the version that needs no conversion; how many are left, because something holds them."""
        spec = definition["spec"]
        if not condition_is(definition, "Established"):
            return 0
        version = next(version["name"] for version in spec["versions"] if version.get("storage"))
        plural = definition["status"]["acceptedNames"]["plural"]
        collection = self._client.resource(f"{spec['group']}/{version}", plural)
        try:
            for namespace in dict.fromkeys(namespace_of(obj) for obj in await collection.list_all()):
                await collection.within(namespace).delete_collection()
            return len(await collection.list_all())
        except StatusError as error:
            if error.code == 404:
                return 0
            raise


class Names(NamedTuple):
    """The names a definition is served by, and why not by all it wishes for."""

    accepted: Object
    reason: str = ""
    message: str = ""


_NAMES_IN_ORDER = ("plural", "singular", "shortNames", "kind", "listKind", "categories")
_SINGLE_NAMES = (("plural", "PluralConflict"), ("singular", "SingularConflict"), ("kind", "KindConflict"), ("listKind", "ListKindConflict"))


def accept_names(definition: Object, others: Iterable[Object]) -> Names:
    """Of the names a definition wishes for those that no other definition of its group has. A taken one stays what it was before."""
    wished, before = definition["spec"]["names"], (definition.get("status") or {}).get("acceptedNames") or {}
    taken_resources, taken_kinds = _taken(definition["spec"]["group"], others)
    accepted: Object = {}
    conflicts: list[tuple[str, str]] = []
    for field, reason in _SINGLE_NAMES:
        name = wished.get(field) or ""
        taken = taken_kinds if field in {"kind", "listKind"} else taken_resources
        if name in taken:
            conflicts.append((reason, f'"{name}" is already in use'))
            name = before.get(field) or ""
        accepted[field] = name
    conflicting = [name for name in wished.get("shortNames") or () if name in taken_resources]
    if conflicting:
        told = ", ".join(f'"{name}" is already in use' for name in conflicting)
        conflicts.append(("ShortNamesConflict", told if len(conflicting) == 1 else f"[{told}]"))
        shorts = before.get("shortNames")
    else:
        shorts = wished.get("shortNames")
    accepted |= {name: value for name, value in (("shortNames", shorts), ("categories", wished.get("categories"))) if value}
    ordered: Object = {name: accepted[name] for name in _NAMES_IN_ORDER if name in accepted}
    return Names(ordered, *conflicts[-1]) if conflicts else Names(ordered)


def _taken(group: str, others: Iterable[Object]) -> tuple[set[str], set[str]]:
    """The names of resources and of kinds that other definitions of a group are served by."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        names = (other.get("status") or {}).get("acceptedNames")
        if other["spec"]["group"] == group and names:
            resources.update((names.get("plural") or "", names.get("singular") or "", *(names.get("shortNames") or ())))
            kinds.update((names.get("kind") or "", names.get("listKind") or ""))
    return resources - {""}, kinds - {""}


def make_conditions(definition: Object, names: Names) -> tuple[Object, ...]:
    """Whether the names are accepted, and whether the kind is served: it is once all have been, and goes on to be."""
    accepted = {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"}
    if names.reason:
        accepted |= {"status": "False", "reason": names.reason, "message": names.message}
    if condition_is(definition, "Established"):
        return (accepted,)
    established = {
        "type": "Established",
        "status": "True",
        "reason": "InitialNamesAccepted",
        "message": "the initial names have been accepted",
    }
    if names.reason:
        established |= {"status": "False", "reason": "NotAccepted", "message": "not all names are accepted"}
    return accepted, established


def approval_condition(definition: Object, dialect: Dialect) -> tuple[Object, ...]:
    """For groups of the API's own domains: whether somebody has approved of what is added to them."""
    group: str = definition["spec"]["group"]
    if not any(group == own or group.endswith(f".{own}") for own in (dialect.group_suffix, dialect.domain)):
        return ()
    annotation = f"api-approved.{dialect.domain}"
    said = (definition["metadata"].get("annotations") or {}).get(annotation, "")
    condition: Object = {"type": "KubernetesAPIApprovalPolicyConformant"}
    if not said:
        why = f'protected groups must have approval annotation "{annotation}", see https://github.com/kubernetes/enhancements/pull/1111'
        return ({**condition, "status": "False", "reason": "MissingAnnotation", "message": why},)
    if said.startswith("unapproved"):
        return ({**condition, "status": "False", "reason": "UnapprovedAnnotation", "message": f'not approved: "{said}"'},)
    parts = urlsplit(said)
    if parts.scheme and parts.netloc:
        return ({**condition, "status": "True", "reason": "ApprovedAnnotation", "message": f"approved in {said}"},)
    why = f'protected groups must have approval annotation "{annotation}" with either a URL or a reason starting with "unapproved"'
    return ({**condition, "status": "False", "reason": "InvalidAnnotation", "message": why},)

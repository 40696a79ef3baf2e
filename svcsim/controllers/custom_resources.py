"""The controller of definitions of custom resources: whether their names are free.

A definition whose names nobody else in its group has, neither another definition nor a kind that is built in, is established: from then on
its kind is served. Names are taken one by one, so that of a definition that changes to a name that is taken the other names still become
those it is served by. Definitions are decided on one after the other, and each decision counts for the next at once: the cache may learn of
it only later.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.dialect import Dialect
from svcsim.meta.api_approval import approval
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import condition_is, copy_json, is_terminating, name_of, revision_of, set_condition
from svcsim.meta.types import Object


def _by_group(definition: Object) -> Iterable[str]:
    return (definition["spec"]["group"],)


def _waiting_by_group(definition: Object) -> Iterable[str]:
    """The group of a definition that may have to wait for names."""
    return () if condition_is(definition, "NamesAccepted") else _by_group(definition)


BuiltInNames: TypeAlias = Callable[[str], list[dict[str, str]]]


class CustomResourceController(Controller):
    """Accepts names, and establishes definitions."""

    def __init__(self, context: ControllerContext, *, built_in: BuiltInNames) -> None:
        """``built_in`` gives the names of a group's kinds that need no definition."""
        self._built_in = built_in
        group = context.dialect.group("apiextensions")
        self._dialect = context.dialect
        self._api = context.client.resource(f"{group}/v1", "customresourcedefinitions")
        self._definitions = context.informers.cache(f"{group}/v1", "customresourcedefinitions", _by_group, _waiting_by_group)
        self._ahead: dict[str, Object] = {}
        """Definitions as this controller has written them, until the cache has them so."""
        super().__init__("custom resource controller", context.clock, (Source(self._definitions, self._concerned),), workers=1)

    def _concerned(self, change: str, definition: Object, _before: Object | None) -> Iterable[ObjectKey]:
        """The definition itself; where one goes, or gives up names, those that may have waited for them."""
        ahead = self._ahead.get(name_of(definition))
        if ahead is not None and (change == "DELETED" or revision_of(definition) >= revision_of(ahead)):
            del self._ahead[name_of(definition)]
        key, group = object_key(definition), definition["spec"]["group"]
        waiting = [object_key(other) for other in self._definitions.find(_waiting_by_group, group)]
        return (*(() if change == "DELETED" else (key,)), *(other for other in waiting if other != key))

    async def reconcile(self, key: ObjectKey) -> None:
        if self._definitions.get(key.name) is None:
            return
        await self.clock.turn()  # there may be hundreds, and within one process nothing else makes them wait
        # Names are taken by what is there, not by what the cache remembers.
        definition = await self._api.get(key.name)
        if is_terminating(definition):
            return
        status = copy_json(definition.get("status") or {})
        others = [self._ahead.get(name_of(other), other) for other in self._others(definition)]
        built_in = [{"status": {"acceptedNames": names}} for names in self._built_in(definition["spec"]["group"])]
        names = accept_names(definition, (*others, *built_in))
        status["acceptedNames"] = names.accepted
        conditions = status.setdefault("conditions", [])
        timestamp = self.clock.timestamp()
        for wanted in (*make_conditions(definition, names), *approval_condition(definition, self._dialect)):
            set_condition(conditions, wanted, timestamp)
        if status != definition.get("status"):
            self._wrote(await self._api.update({**definition, "status": status}, "status"))

    def _others(self, definition: Object) -> list[Object]:
        """The other definitions of its group: there may be hundreds of other groups."""
        return [other for other in self._definitions.find(_by_group, definition["spec"]["group"]) if name_of(other) != name_of(definition)]

    def _wrote(self, definition: Object) -> None:
        cached = self._definitions.get(name_of(definition))
        if cached is not None and revision_of(cached) < revision_of(definition):
            self._ahead[name_of(definition)] = definition


class Names(NamedTuple):
    """The names a definition is served by, and why not by all it wishes for."""

    accepted: Object
    reason: str = ""
    message: str = ""


_NAMES_IN_ORDER = ("plural", "singular", "shortNames", "kind", "listKind", "categories")
_SINGLE_NAMES = (("plural", "PluralConflict"), ("singular", "SingularConflict"), ("kind", "KindConflict"), ("listKind", "ListKindConflict"))


def accept_names(definition: Object, others: Iterable[Object]) -> Names:
    """The requested names that don't conflict with another definition of the group; a conflicting one keeps its previous value."""
    wished, before = definition["spec"]["names"], (definition.get("status") or {}).get("acceptedNames") or {}
    taken_resources, taken_kinds = _taken(others)
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


def _taken(others: Iterable[Object]) -> tuple[set[str], set[str]]:
    """The names of resources and of kinds that definitions are served by."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        names = (other.get("status") or {}).get("acceptedNames")
        if names:
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
    """For groups in the API's own domains: whether the addition was approved."""
    found = approval(definition, dialect)
    if found is None:
        return ()
    status = "True" if found.is_given else "False"
    return ({"type": "KubernetesAPIApprovalPolicyConformant", "status": status, "reason": found.reason, "message": found.message},)

"""Objects in a running cluster that a scenario would delete as its own.

A scenario may change and delete the objects that it names; that is its purpose. But objects that it creates and deletes again must not
exist before, nor any objects where it deletes all: the author of the file had an empty cluster in mind.
"""

from typing import NamedTuple

from svcsim.client.api import Collection
from svcsim.client.discovery import ApiResource
from svcsim.meta.errors import StatusError
from svcsim.meta.label_selectors import parse_labels
from svcsim.meta.types import Json, Object
from svcsim.scenario import interpolation
from svcsim.scenario.actions import DEFAULT_NAMESPACE
from svcsim.scenario.answers import TargetClusterError
from svcsim.scenario.expressions import Expressions, Unknown
from svcsim.scenario.load import Mistake
from svcsim.scenario.manifests import numbered_base, read_objects
from svcsim.scenario.model import Action, Scenario, Values
from svcsim.scenario.target_cluster import TargetCluster


class _Deletion(NamedTuple):
    """One that the scenario names, of something it can be known before it begins."""

    action: Action
    found: ApiResource
    namespace: str
    name: str
    """Empty where it is more than one."""
    selector: str

    def takes(self, found: ApiResource, obj: Object) -> bool:
        """Whether an object would be gone."""
        metadata = obj["metadata"]
        if (found.group, found.plural, metadata.get("namespace", "")) != (self.found.group, self.found.plural, self.namespace):
            return False
        if self.name:
            return bool(metadata["name"] == self.name)
        return parse_labels(self.selector).matches(metadata.get("labels") or {})


class _Place(NamedTuple):
    """A kind and a namespace that an action names."""

    found: ApiResource
    namespace: str


class _NotKnownYetError(Exception):
    """Something that is said by what is saved while the scenario runs."""


class ThereBefore:
    """One look at a cluster before a scenario begins. Only an administrator's client sees all there is."""

    def __init__(self, scenario: Scenario, target: TargetCluster) -> None:
        self._scenario = scenario
        self._target = target
        self._expressions = Expressions(target.clock.now)
        self._values = Values(scenario.variables)
        self._actions = [*(action for step in scenario.steps for action in step.actions), *scenario.closing]

    async def endangered(self, *, going: bool = False) -> list[Mistake]:
        """What would be lost, and by which action; or, of what is being deleted already, what the scenario would have to wait for."""
        deletions = [deletion for action in self._actions if (deletion := await self._deletion(action)) is not None]
        mistakes: dict[str, Mistake] = {}
        for action in self._actions:
            for place, obj in await self._made(action) if deletions else ():
                by = next((deletion for deletion in deletions if deletion.takes(place.found, obj)), None)
                if by is not None and ("deletionTimestamp" in obj["metadata"]) == going:
                    mistakes.setdefault(_told(place, obj), self._mistake(action, place, obj, by.action))
        for deletion in deletions if not going else ():
            if not deletion.name and not deletion.selector:
                place = _Place(deletion.found, deletion.namespace)
                for obj in (await self._collection(place).list(limit=1)).items:
                    mistakes.setdefault(_told(place, obj), self._mistake(deletion.action, place, obj, deletion.action))
        return list(mistakes.values())

    def _mistake(self, action: Action, place: _Place, obj: Object, by: Action) -> Mistake:
        end = "by this" if by is action else f"in line {by.position.line}"
        if by is action:
            advice = "say which are meant by name or selector, or use another namespace"
        elif "deletionTimestamp" in obj["metadata"]:
            advice = "it is being deleted; wait until it is gone"
        else:
            advice = "give one of them another name, or delete it before, if it isn't needed"
        message = f"the cluster that is up has {_told(place, obj)} already, which would be deleted {end}; {advice}"
        return Mistake(self._scenario.file, action.position, message)

    async def _deletion(self, action: Action) -> _Deletion | None:
        if action.verb != "delete":
            return None
        try:
            arguments = self._known({name: action.arguments[name] for name in _NAMING if name in action.arguments})
            place = await self._place(arguments["kind"], arguments.get("apiVersion", ""), arguments.get("namespace", DEFAULT_NAMESPACE))
        except (_NotKnownYetError, TargetClusterError):
            return None
        return _Deletion(action, *place, arguments.get("name", ""), arguments.get("selector", ""))

    async def _made(self, action: Action) -> list[tuple[_Place, Object]]:
        """The objects that an action is to make and that are there."""
        if action.verb not in _MAKING or _is_to_be_refused(action):
            return []
        found: list[tuple[_Place, Object]] = []
        try:
            namespace = self._known(action.arguments.get("namespace", DEFAULT_NAMESPACE))
            for obj in self._objects(action):
                found += await self._there(action, obj, namespace)
        except _NotKnownYetError:
            pass
        return found

    def _objects(self, action: Action) -> list[Object]:
        arguments = action.arguments
        for name in ("file", "template"):
            if name in arguments:
                return read_objects(self._scenario.directory / str(self._known(arguments[name])))
        given: Json = [arguments["object"]] if "object" in arguments else arguments["objects"]
        return [self._known(one) if isinstance(one, str) else one for one in (self._known(given) if isinstance(given, str) else given)]

    async def _there(self, action: Action, obj: Object, namespace: str) -> list[tuple[_Place, Object]]:
        inline = "object" in action.arguments or "objects" in action.arguments
        metadata = obj.get("metadata") or {}
        named: Object = {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "name": metadata.get("name", "")}
        named["namespace"] = metadata.get("namespace", namespace)
        try:
            named = self._known(named) if inline else named
            place = await self._place(named["kind"], named["apiVersion"], named["namespace"])
            if action.verb == "load":
                names = self._numbered(obj, int(self._known(action.arguments["count"])))
                return [(place, one) for one in await self._collection(place).list_all() if one["metadata"]["name"] in names]
            return [(place, await self._collection(place).get(named["name"]))] if named["name"] else []
        except (_NotKnownYetError, TargetClusterError):
            return []
        except StatusError as error:
            if error.code != 404:
                raise
            return []

    @staticmethod
    def _numbered(template: Object, count: int) -> set[str]:
        base = numbered_base(template)
        return {f"{base}-{number}" for number in range(1, count + 1)}

    async def _place(self, kind: str, api_version: str, namespace: str) -> _Place:
        found = await self._target.find_served(kind, api_version)
        return _Place(found, namespace if found.namespaced else "")

    def _collection(self, place: _Place) -> Collection:
        return self._target.client.resource(place.found.api_version, place.found.plural, place.namespace)

    def _known(self, value: Json) -> Json:
        """A value with its ``${…}`` replaced. Raises `_NotKnownYetError`."""

        def evaluate(text: str) -> Json:
            found = self._expressions.evaluate(self._expressions.compile(text), self._values.scope())
            if isinstance(found, Unknown):
                raise _NotKnownYetError(text)
            return found

        return interpolation.expand(value, evaluate)


_MAKING = ("apply", "create", "load")
_NAMING = ("kind", "apiVersion", "namespace", "name", "selector")


def _is_to_be_refused(action: Action) -> bool:
    """Whether an action makes nothing, as the scenario has it."""
    return action.expect is not None and ("reason" in action.expect or action.expect.get("status", 200) not in range(200, 300))


def _told(place: _Place, obj: Object) -> str:
    group = f".{place.found.group}" if place.found.group else ""
    where = f" in the namespace {place.namespace}" if place.namespace else ""
    return f"{place.found.singular}{group}/{obj['metadata']['name']}{where}"

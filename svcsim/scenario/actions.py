"""What a scenario can do to a cluster, one small function a verb.

All of it goes through the client, as everything that acts on a cluster does. An action that the cluster refuses raises `StatusError`;
`Actor.perform` holds that against what the scenario expects.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from svcsim.chance import Chance
from svcsim.client.api import Client, Collection
from svcsim.meta.codec import encode
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import copy_json
from svcsim.meta.times import parse_duration
from svcsim.meta.types import Json, Object, User
from svcsim.meta.wait_condition import DELETE
from svcsim.scenario import interpolation
from svcsim.scenario.answers import Answer, Recorded, TargetClusterError, body_of
from svcsim.scenario.arrivals import arrivals, rate_gap_s
from svcsim.scenario.check import check_filled
from svcsim.scenario.expectations import AnyCondition, ExpectationWatch, Failure, WholeCondition
from svcsim.scenario.expressions import Expressions, Unknown
from svcsim.scenario.format import ACTION, EXPECTED_ANSWER
from svcsim.scenario.journal import Journal
from svcsim.scenario.manifests import numbered_base, read_objects
from svcsim.scenario.matching import contrast, fits, shorten
from svcsim.scenario.model import Action, Scenario, Values
from svcsim.scenario.onlooker import Onlooker
from svcsim.scenario.secret_values import masked
from svcsim.scenario.selection import Selection
from svcsim.scenario.shapes import Shape
from svcsim.scenario.target_cluster import TargetCluster
from svcsim.scenario.timeline import Timeline

DEFAULT_MANAGER = "svcsim-scenario"
DEFAULT_NAMESPACE = "default"


class FailedError(Exception):
    """Something that was to hold didn't."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Actor:
    """Does what a scenario says, and remembers what it saves."""

    def __init__(
        self, scenario: Scenario, target: TargetCluster, journal: Journal, timeline: Timeline, expressions: Expressions, values: Values
    ) -> None:
        self.scenario = scenario
        self.target = target
        self.journal = journal
        self.onlooker = Onlooker(target.client, target.clock)
        self.expressions = expressions
        self.values = values
        self.timeline = timeline
        self.chance = Chance(scenario.seed).fork("scenario")
        self._clients: dict[bytes, tuple[Client, Recorded]] = {}
        self.places: tuple[str, ...] = ()
        """Where the expressions of the action under way stand."""

    def fill(self, value: Json) -> Json:
        """A value with its ``${…}`` replaced."""
        return interpolation.expand(value, self._evaluate)

    def filled(self, what: str, value: Json, shape: Shape) -> Json:
        """A value with its ``${…}`` replaced, if what comes of it can be one. Raises `FailedError`."""
        found = self.fill(value)
        if found != value and (problems := check_filled(self.scenario.file, found, shape, self.expressions)):
            raise FailedError(Failure(f"{what}: {problems[0]}", problems[1:]))
        return found

    def client(self, arguments: Object) -> Client:
        """The client of the user an action names."""
        return self._acting(arguments.get("as"))[0]

    async def perform(self, action: Action) -> None:
        """Do it, hold the answer against what is expected, save what is to be saved. Raises `FailedError`."""
        arguments = self.filled(action.verb, action.arguments, ACTION.shape_of(action.verb))
        self.timeline.note(f"{action.verb} {shorten(masked(arguments))}")
        self.places = self.scenario.places(action.wheres)
        user = arguments.get("as") if isinstance(arguments, dict) else None
        refused: StatusError | None = None
        if self.target.others is not None:
            self.target.others.action_begins()
        try:
            recorded = self._acting(user)[1]
            recorded.answer = Answer()
            await VERBS[action.verb](self, arguments)
        except StatusError as error:
            refused = error
        except TargetClusterError as error:
            raise FailedError(Failure(f"{action.verb}: {error}")) from None
        self._answered(action, refused, recorded.answer)
        if self.target.others is not None:
            self.target.others.way_was_meant()
        await self.journal.reach(await self.target.revision())
        answer = body_of(recorded.answer)
        for name, text in action.save.items():
            self.values.saved[name] = self._evaluate(text, answer)

    async def collection(self, arguments: Object) -> Collection:
        """The collection of the kind an action names."""
        found = await self.target.find_served(arguments["kind"], arguments.get("apiVersion", ""))
        namespace = arguments.get("namespace", DEFAULT_NAMESPACE) if found.namespaced else ""
        return self.client(arguments).resource(found.api_version, found.plural, namespace)

    async def home(self, client: Client, obj: Object, namespace: str) -> Collection:
        """The collection an object belongs to; one without a namespace goes where the action says."""
        found = await self.target.find_served(obj["kind"], obj["apiVersion"])
        if not found.namespaced:
            return client.resource(found.api_version, found.plural)
        metadata = obj.setdefault("metadata", {})
        metadata.setdefault("namespace", namespace)
        return client.resource(found.api_version, found.plural, metadata["namespace"])

    def objects(self, arguments: Object) -> list[Object]:
        """The objects an action names: from a file, or inline."""
        if "file" in arguments:
            return read_objects(self.scenario.directory / arguments["file"])
        return [copy_json(arguments["object"])] if "object" in arguments else copy_json(arguments["objects"])

    def _acting(self, stated: Json) -> tuple[Client, Recorded]:
        """The client of the user that is stated, a name or more; an administrator's where none is."""
        key = encode(stated)
        if key not in self._clients:
            client = self.target.client if stated is None else self.target.client_for(_user(stated))
            recorded = Recorded(client.transport, self.timeline.note)
            self._clients[key] = (Client(recorded, client.dialect), recorded)
        return self._clients[key]

    def _evaluate(self, text: str, obj: Object | None = None) -> Json:
        value = self.expressions.evaluate(self.expressions.compile(text), self.values.scope(), obj)
        if isinstance(value, Unknown):
            raise FailedError(Failure(f"${{{text}}} has no value: {value.reason}"))
        return value

    def _answered(self, action: Action, refused: StatusError | None, answer: Answer) -> None:
        wanted = self.filled(f"expect of {action.verb}", action.expect, EXPECTED_ANSWER)
        if wanted is None:
            if refused is not None:
                raise FailedError(Failure(f"{action.verb} was refused: {refused.code} {refused.reason}: {refused.message}"))
            return
        body = body_of(answer)
        actual = {
            "status": refused.code if refused is not None else answer.status,
            "reason": refused.reason if refused is not None else body.get("reason", ""),
            "message": refused.message if refused is not None else body.get("message", ""),
        }
        wrong = [
            f"{name}: {contrast(value, actual[name])}"
            for name, value in wanted.items()
            if (actual[name] != value if name == "status" else not fits(str(value), str(actual[name])))
        ]
        if wrong:
            raise FailedError(Failure(f"{action.verb} got an unexpected answer", wrong))


Verb: TypeAlias = Callable[[Actor, Json], Awaitable[None]]


async def apply(actor: Actor, arguments: Object) -> None:
    """Server-side apply, object by object."""
    client = actor.client(arguments)
    manager, force = arguments.get("manager", DEFAULT_MANAGER), arguments.get("force", False)
    for obj in actor.objects(arguments):
        collection = await actor.home(client, obj, arguments.get("namespace", DEFAULT_NAMESPACE))
        await collection.patch(obj["metadata"]["name"], obj, "apply", field_manager=manager, force=force)


async def create(actor: Actor, arguments: Object) -> None:
    """Create objects, one after the other."""
    client = actor.client(arguments)
    for obj in actor.objects(arguments):
        collection = await actor.home(client, obj, arguments.get("namespace", DEFAULT_NAMESPACE))
        await collection.create(obj, strict=True)


async def patch(actor: Actor, arguments: Object) -> None:
    collection = await actor.collection(arguments)
    manager = DEFAULT_MANAGER if arguments.get("type") == "apply" else ""
    await collection.patch(
        arguments["name"],
        arguments["patch"],
        arguments.get("type", "merge"),
        subresource=arguments.get("subresource", ""),
        field_manager=manager,
        strict=True,
    )


async def scale(actor: Actor, arguments: Object) -> None:
    """Set the number of replicas through the scale subresource, as any client would."""
    collection = await actor.collection(arguments)
    await collection.patch(arguments["name"], {"spec": {"replicas": arguments["replicas"]}}, subresource="scale")


async def delete(actor: Actor, arguments: Object) -> None:
    """Delete one object, or those a selector matches, or all."""
    collection = await actor.collection(arguments)
    grace = int(parse_duration(arguments["grace"])) if "grace" in arguments else None
    propagation = arguments.get("propagation", "")
    if "name" not in arguments:
        selector = arguments.get("selector", "")
        deleted = await collection.delete_collection(label_selector=selector, grace_period_s=grace, propagation=propagation)
        _some(deleted["items"], arguments)
        return
    with _found(arguments):
        await collection.delete(arguments["name"], grace_period_s=grace, propagation=propagation)


async def label(actor: Actor, arguments: Object) -> None:
    """Set labels, or take them off."""
    collection = await actor.collection(arguments)
    if "name" in arguments:
        names = [arguments["name"]]
    else:
        found = await collection.list_all(label_selector=arguments.get("selector", ""))
        names = [obj["metadata"]["name"] for obj in _some(found, arguments)]
    for name in names:
        with _found(arguments):
            await collection.patch(name, {"metadata": {"labels": arguments["labels"]}})


def _some(found: list[Object], arguments: Object) -> list[Object]:
    """The objects that were selected. Raises `FailedError` where a selector found none, and nothing says that it may."""
    if not found and arguments.get("missing", "ignore" if "all" in arguments else "fail") == "fail":
        which = f"that {arguments['selector']} selects" if "selector" in arguments else "at all"
        where = arguments.get("namespace", DEFAULT_NAMESPACE)
        raise FailedError(Failure(f"there is no {arguments['kind']} in {where} {which}; if there may be none, say missing: ignore"))
    return found


@contextmanager
def _found(arguments: Object) -> Iterator[None]:
    """Let it pass that an object isn't there, where ``missing`` says so."""
    try:
        yield
    except StatusError as error:
        if error.code != 404 or arguments.get("missing") != "ignore":
            raise


async def request(actor: Actor, arguments: Object) -> None:
    path, _, query = arguments["path"].partition("?")
    content_type = arguments.get("contentType", "application/json")
    await actor.client(arguments).request(arguments.get("method", "GET"), path, query, arguments.get("body"), content_type)


async def advance(actor: Actor, span: str) -> None:
    """Let cluster time pass, moving a paused clock on."""
    await actor.target.advance(parse_duration(span))


async def sleep(actor: Actor, span: str) -> None:
    await actor.target.clock.sleep(parse_duration(span))


async def wait(actor: Actor, arguments: Object) -> None:
    """Wait until all selected objects match."""
    within_s = parse_duration(arguments["within"]) if "within" in arguments else actor.scenario.timeouts.step_s
    gone = str(arguments.get("for", "")).lower() == DELETE
    subject = {name: value for name, value in arguments.items() if name != "for" or not gone}
    selection = Selection.read(subject, actor.expressions, actor.values)
    await actor.onlooker.look_at(await actor.target.find_told(selection.kind, selection.api_version, selection.namespace))
    await await_condition(actor, WholeCondition(selection, gone=gone), within_s)


async def await_condition(actor: Actor, condition: AnyCondition, within_s: float) -> None:
    """Wait for a condition. Raises `FailedError` when it does not come to hold in time."""
    watch = ExpectationWatch("eventually", condition, actor.journal, actor.target.clock, actor.places)
    try:
        async with actor.target.clock.timeout(within_s):
            await watch.decided
        if watch.failure is not None:
            raise FailedError(watch.failure)
    except TimeoutError:
        raise FailedError(Failure(f"timed out after {within_s:g}s waiting for {condition}", condition.left(met=False))) from None
    finally:
        watch.close()


async def load(actor: Actor, arguments: Object) -> None:
    """Create many objects from one template, spread over time. Names get numbers: ``web-1`` and so on."""
    client = actor.client(arguments)
    template = read_objects(actor.scenario.directory / arguments["template"])[0]
    collection = await actor.home(client, template, arguments.get("namespace", DEFAULT_NAMESPACE))
    waits = arrivals(
        arguments["count"],
        rate_gap_s(arguments.get("rate")),
        arguments.get("burst", 1),
        poisson=arguments.get("arrival") == "poisson",
        chance=actor.chance.fork(f"load/{arguments['template']}"),
    )
    async for names in _bursts(actor, numbered_base(template), waits):
        made = [_named(template, name) for name in names]
        results = await asyncio.gather(*(collection.create(obj, strict=True) for obj in made), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result


async def _bursts(actor: Actor, base: str, waits: list[float]) -> AsyncIterator[list[str]]:
    """The names that come at the same time."""
    together: list[str] = []
    for number, wait_s in enumerate(waits, 1):
        if wait_s and together:
            yield together
            together = []
            await actor.target.clock.sleep(wait_s)
        together.append(f"{base}-{number}")
    yield together


def _named(template: Object, name: str) -> Object:
    obj: Object = copy_json(template)
    obj["metadata"].pop("generateName", None)
    obj["metadata"]["name"] = name
    return obj


def _user(stated: Json) -> User:
    """By name, or with all that is said."""
    if isinstance(stated, str):
        return User(stated)
    extra = {name: tuple(values) for name, values in (stated.get("extra") or {}).items()}
    return User(stated["user"], tuple(stated.get("groups") or ()), stated.get("uid") or "", extra)


VERBS: dict[str, Verb] = {
    "apply": apply,
    "create": create,
    "patch": patch,
    "delete": delete,
    "scale": scale,
    "label": label,
    "request": request,
    "load": load,
    "wait": wait,
    "advance": advance,
    "sleep": sleep,
}
"""The functions of the verbs that `svcsim.scenario.format` lists."""

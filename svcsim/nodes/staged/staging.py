"""The stages in force, and who plays them: those of files, given at the cluster's start, and those that are objects of the cluster.

Nothing is followed, and nothing is asked of a pod, while there are no stages. Objects of kwok's kind ``Stage`` are followed from the moment
their type is served. Whenever the stages change, all objects of their kinds are looked at again.
"""

import asyncio
import logging
from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client
from svcsim.client.controller import Controller
from svcsim.client.discovery import ApiResource, Discovery, ServedTypes, group_of
from svcsim.client.events import EventRecorder
from svcsim.client.informers import Informer, Informers
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.mistakes import INVALID_REASON, together
from svcsim.meta.nodes import internal_addresses
from svcsim.meta.objects import annotations_of, uid_of
from svcsim.meta.own_annotations import own_annotations
from svcsim.meta.pods import node_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.annotation_mistakes import staged_mistakes
from svcsim.nodes.machines.addresses import PodAddresses
from svcsim.nodes.machines.faults import NODE_DOWN, Fault, Faults
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.staged import kwok_format
from svcsim.nodes.staged.applying import Applying
from svcsim.nodes.staged.foreign import foreign_ips, foreign_pods
from svcsim.nodes.staged.leases import NodeLeases
from svcsim.nodes.staged.playing import Player, StagedKind, is_managed
from svcsim.nodes.staged.stage import NODE, POD, ObjectKind, Stage
from svcsim.nodes.staged.templates import StageError, Whereabouts

logger = logging.getLogger(__name__)

COMPONENT = "stage-controller"
ACCOUNT = "stage-controller"
_INVALID_REASON = "InvalidStage"
_ALL = ObjectKey("", "stages")
_SETTLE_S = 0.05
"""Stages that come together are put in force together."""


class Stages(NamedTuple):
    """The stages that are given at the start, in whose name stages are played, and how it is known what there can be stages of."""

    client: Client
    acting_as: Callable[[str], Client]
    """A client that may do what the user of a name may."""
    served_types: ServedTypes
    given: tuple[Stage, ...] = ()


class _Played(NamedTuple):
    """A kind whose objects stages are played on."""

    player: Player
    informer: Informer
    task: "asyncio.Task[None] | None"


class _StageObject(NamedTuple):
    """A stage that is an object of the cluster."""

    stage: Stage
    about: Object
    """For events on it."""
    is_told: bool
    """Whether an event tells that nothing of its kind is served."""


class _Unreadable(NamedTuple):
    """A stage that is an object of the cluster and can't be played."""

    of: ObjectKind
    labels: Mapping[str, str]
    """Those that objects have that it would be about, as far as it says."""
    why: str


class Staging(Controller):
    """Keeps the stages in force."""

    def __init__(
        self,
        stages: Stages,
        informers: Informers,
        clock: Clock,
        chance: Chance,
        dialect: Dialect,
        machines: Mapping[str, Machine],
        faults: Faults,
        ip_versions: Sequence[int] = (4,),
    ) -> None:
        client = self._client = stages.client
        self._acting_as = stages.acting_as
        self._applying = Applying(lambda user: stages.acting_as(user) if user else client, stages.served_types)
        self._informers = informers
        self._served_types = stages.served_types
        self._chance = chance
        self._of_templates = chance.fork("templates")
        self._dialect = dialect
        self._machines = machines
        self._faults = faults
        self._ip_versions = ip_versions
        faults.subscribe(self._on_fault)
        self._given = stages.given
        self._events = EventRecorder(client, clock, COMPONENT)
        self._started_at = clock.now()
        self._objects: dict[str, _StageObject] = {}
        """By the names of the objects they are."""
        self._unreadable: dict[str, _Unreadable] = {}
        """By the names of the objects they are."""
        self._homes: dict[ObjectKey, str] = {}
        """The nodes of pods that live by stages."""
        self._said: dict[ObjectKey, tuple[tuple[str, str], ...]] = {}
        """The annotations of ours that they have, of those that have any."""
        self._asked_for: Mapping[str, None] = {}
        """The annotations of ours that stages about pods ask for."""
        self._foreign: dict[tuple[str, ...], PodAddresses] = {}
        self._stage_objects: Informer | None = None
        self._stages_read = asyncio.Event()
        """Set once the stages are known that are objects."""
        self.settled = asyncio.Event()
        """Set once the stages are in force that there were from the start: no pod is anybody's business before."""
        self._played: dict[ObjectKind, _Played] = {}
        self._told: dict[ObjectKind, None] = {}
        """Kinds of which it was told that they aren't served."""
        self._tasks: asyncio.TaskGroup | None = None
        self._of_pods: Player | None = None
        self._leases = NodeLeases(client, clock, chance.fork("leases"), dialect, lambda key: self.has_node(key.name))
        super().__init__("stages", clock, workers=1)

    # --- what pods ask ---

    def takes(self, key: ObjectKey, pod: Object) -> bool:
        """Whether a pod as it is now lives by stages, and is nobody else's business."""
        player = self._of_pods
        if player is None or not node_of(pod) or not player.takes(key, pod):
            return False
        self._tell_mistakes(key, pod)
        return True

    def _tell_mistakes(self, key: ObjectKey, pod: Object) -> None:
        """Tell of annotations of ours that count for nothing, of each once; before a restart it was told what stages were at work on."""
        said, before = own_annotations(annotations_of(pod)), self._said.get(key)
        if not said:
            self._said.pop(key, None)
            return
        self._said[key] = said
        if said == before or (before is None and is_managed(pod)):
            return
        for message in together(staged_mistakes(pod, self._asked_for, before or ())):
            self._events.warning({"apiVersion": POD.api_version, "kind": POD.kind, "metadata": pod["metadata"]}, INVALID_REASON, message)

    def let_go(self, key: ObjectKey, uid: str) -> None:
        """A pod is no more."""
        if self._of_pods is not None:
            self._of_pods.gone(key, uid)
        self._said.pop(key, None)
        home = self._homes.pop(key, None)
        machine = None if home is None else self._machines.get(home)
        if machine is not None:
            machine.addresses.give_back(uid)
        elif home is not None:
            for addresses in self._foreign.values():
                addresses.give_back(uid)

    def _is_down(self, obj: Object) -> bool:
        """Whether an object is a node that is down, or a pod on one: nothing becomes of it meanwhile."""
        kind = obj.get("kind")
        return self._faults.node_down(obj["metadata"]["name"] if kind == NODE.kind else node_of(obj) if kind == POD.kind else "")

    def _on_fault(self, fault: Fault, comes: bool) -> None:
        if fault.type == NODE_DOWN and not comes:
            for played in self._played.values():
                played.player.wake()

    def has_node(self, name: str) -> bool:
        """Whether a node lives by stages."""
        played = self._played.get(NODE)
        return played is not None and ObjectKey("", name) in played.player

    async def outlook(self, of: ObjectKind, key: ObjectKey) -> Object | None:
        """What stages have in store for an object, see `svcsim.nodes.staged.outlook`. Raises `StatusError`, where it isn't there a 404.

        None where no stages are about its kind, and for a pod that no node has yet: they don't begin before. ``unreadable`` are stages that
        would be about its kind and can't be read; of a stage itself ``wrong`` is why it is played on nothing. ``unsettled`` says that the
        stages there were from the start aren't in force yet.
        """
        if of == ObjectKind(kwok_format.API_VERSION, "Stage"):
            wrong = self._wrong(key.name)
            return {"wrong": wrong} if wrong else None
        if self._tasks is not None and not self.settled.is_set():
            return {"unsettled": True}
        told, unreadable = await self._in_store(of, key), self._unreadable_for(of)
        return {**(told or {}), "unreadable": unreadable} if unreadable else told

    def _wrong(self, name: str) -> str:
        """Why a stage that is an object is played on nothing; empty where that isn't so."""
        if name in self._unreadable:
            return self._unreadable[name].why
        found = self._objects.get(name)
        return _unserved(found.stage.of) if found is not None and found.is_told else ""

    def _unreadable_for(self, of: ObjectKind) -> list[Object]:
        """In JSON."""
        kind = (group_of(of.api_version), of.kind)
        found = [(name, one) for name, one in sorted(self._unreadable.items()) if (group_of(one.of.api_version), one.of.kind) == kind]
        return [{"stage": name, "labels": dict(one.labels), "why": one.why} for name, one in found]

    async def _in_store(self, of: ObjectKind, key: ObjectKey) -> Object | None:
        """What the stages that are in force have in store for an object."""
        group = group_of(of.api_version)
        found = (one.player for known, one in self._played.items() if (group_of(known.api_version), known.kind) == (group, of.kind))
        player = next(found, None)
        if player is None:
            return None
        obj = await player.read(key)
        if of != POD:
            return player.outlook(key, obj)
        if not node_of(obj):
            return None
        told = {**player.outlook(key, obj), "machine": node_of(obj) in self._machines}
        passed_over = staged_mistakes(obj, self._asked_for) if told["lives"] else []
        return {**told, "passedOver": [*told.get("passedOver", ()), *passed_over]} if passed_over else told

    def _keep_address(self, key: ObjectKey, pod: Object) -> None:
        self._homes[key] = node_of(pod)
        address, machine = (pod.get("status") or {}).get("podIP"), self._machines.get(node_of(pod))
        if address and machine is not None and address not in machine.place.ips:
            machine.addresses.keep(address, pod["metadata"]["uid"])

    def _keep_lease(self, key: ObjectKey, _node: Object) -> None:
        if key.name not in self._machines:
            self._leases.keep(key)

    # --- stages that are objects ---

    def seen(self, key: ObjectKey, obj: Object) -> None:
        """A stage came or changed."""
        before = self._objects.pop(key.name, None)
        stage, wrong = None, ""
        try:
            stage = kwok_format.read_kwok_stage(obj)
            wrong = "spec.selector: there is none, so that it is played on nothing" if stage is None else ""
        except StageError as error:
            wrong = str(error)
        if stage is not None and len(self._objects) >= limits.STAGES:
            stage, wrong = None, f"there are {limits.STAGES} stages already"
        about = {"apiVersion": kwok_format.API_VERSION, "kind": "Stage", "metadata": {"name": key.name, "uid": uid_of(obj)}}
        self._unreadable.pop(key.name, None)
        if wrong:
            of, labels = kwok_format.meant_for(obj)
            self._unreadable[key.name] = _Unreadable(of, labels, wrong[: limits.STAGE_MESSAGE_CHARS])
            self._events.warning(about, _INVALID_REASON, wrong[: limits.STAGE_MESSAGE_CHARS])
        if stage is not None:
            self._objects[key.name] = _StageObject(stage, about, before is not None and before.is_told and before.stage.of == stage.of)
        if stage is not None or before is not None:
            self.queue.add_after(_ALL, _SETTLE_S)

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """A stage went."""
        self._unreadable.pop(key.name, None)
        if self._objects.pop(key.name, None) is not None:
            self.queue.add_after(_ALL, _SETTLE_S)

    def _on_types(self, found: Discovery) -> None:
        served = any(resource.api_version == kwok_format.API_VERSION and resource.kind == "Stage" for resource in found.resources)
        if served and self._stage_objects is None:
            self._stage_objects = self._informers.of(kwok_format.API_VERSION, "stages")
            self._stages_read = self._stage_objects.follow(self)
        elif not served and self._stage_objects is not None:
            self._informers.leave(self._stage_objects, self)
            self._stage_objects = None
            self._objects.clear()
            self._unreadable.clear()
        self.queue.add_after(_ALL, _SETTLE_S)

    # --- putting them in force ---

    async def run(self) -> None:
        """Play stages until cancelled."""
        if not self._given and not await self._may_be_objects():
            self.settled.set()
        self._served_types.subscribe(self._on_types)
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            tasks.create_task(self._events.run(), name="stages report")
            tasks.create_task(self._leases.run(), name="staged nodes beat")
            tasks.create_task(super().run(), name="stages come in force")

    async def _may_be_objects(self) -> bool:
        """Whether the cluster knows objects that are stages, or won't say."""
        definitions = self._client.resource(f"{self._dialect.group('apiextensions')}/v1", "customresourcedefinitions")
        try:
            await definitions.get(f"stages.{kwok_format.GROUP}")
        except StatusError as error:
            return error.code != 404
        except ConnectionError:
            return True
        return True

    async def reconcile(self, _key: ObjectKey) -> None:
        """Have players for the kinds that there are stages for, each with its own, and look at all their objects again."""
        if self._stage_objects is not None:
            try:
                async with self.clock.timeout(limits.STAGES_READ_S):
                    await self._stages_read.wait()
            except TimeoutError:
                logger.warning("the stages that are objects can't be read; whatever lives goes on without them until they can")
        await self._put_in_force()
        self.settled.set()

    async def _put_in_force(self) -> None:
        stages = [*self._given, *(self._objects[name].stage for name in sorted(self._objects))]
        kinds = dict.fromkeys(stage.of for stage in stages)
        if not kinds and not self._played:
            return
        types = {(one.group, one.kind): one for one in (await self._served_types.current()).resources}
        served = {of: types[key] for of in kinds if (key := (group_of(of.api_version), of.kind)) in types}
        for of in [of for of in self._played if of not in served]:
            self._stop(of)
        for of, resource in served.items():
            self._play(resource, of, [stage for stage in stages if stage.of == of])
        self._tell_unserved(served)

    def _tell_unserved(self, served: Container[ObjectKind]) -> None:
        """Tell of stages that are played on nothing, because nothing of their kind is served, at least not yet: each once."""
        for of in dict.fromkeys(stage.of for stage in self._given):
            if of not in served and of not in self._told:
                self._told[of] = None
                logger.warning("stages about %s are not played: there is no such type", of.words)
        for name, (stage, about, is_told) in self._objects.items():
            if not is_told and stage.of not in served:
                self._objects[name] = _StageObject(stage, about, is_told=True)
                self._events.warning(about, _INVALID_REASON, _unserved(stage.of))

    def _play(self, resource: ApiResource, of: ObjectKind, stages: list[Stage]) -> None:
        played = self._played.get(of)
        if played is not None and played.player.stages == stages:
            return
        informer = self._informers.of(resource.api_version, resource.plural)
        if played is None:
            collection = self._client.resource(resource.api_version, resource.plural)
            kind = StagedKind(of, collection, self._acting_as, self._applying)
            taken = {POD: self._keep_address, NODE: self._keep_lease}.get(of, lambda _key, _obj: None)
            player = Player(kind, self.clock, self._chance.fork(f"{of}"), self._events, self._place, taken, self._is_down)
            assert self._tasks is not None, "stages are put in force while it runs"
            played = _Played(player, informer, self._tasks.create_task(player.run(), name=player.name))
            self._played[of] = played
        if of == POD:
            self._asked_for = dict.fromkeys(key for stage in stages for key in stage.asks_for)
        played.player.replace(stages)
        if of == POD:
            self._of_pods = played.player
            informer.reflector.read_again()
        else:
            informer.follow(played.player)

    def _stop(self, of: ObjectKind) -> None:
        """No stage is played on objects of a kind any more."""
        played = self._played.pop(of)
        if played.task is not None:
            played.task.cancel()
        if of == POD:
            self._of_pods = None
            played.informer.reflector.read_again()
        else:
            self._informers.leave(played.informer, played.player)

    # --- what templates know ---

    async def _place(self, obj: Object, now: float) -> Whereabouts:
        kind = obj.get("kind")
        if kind == NODE.kind:
            name: str = obj["metadata"]["name"]
            machine = self._machines.get(name)
            return Whereabouts(
                now,
                self._started_at,
                name,
                machine.place.ips if machine is not None else self._ips_of(name, obj),
                chance=self._of_templates,
            )
        if kind != POD.kind:
            return Whereabouts(now, self._started_at, chance=self._of_templates)
        name, uid = node_of(obj), obj["metadata"]["uid"]
        machine = self._machines.get(name)
        if machine is not None:
            node_ips, addresses = machine.place.ips, machine.addresses
        else:
            node_ips, addresses = await self._foreign_node(name)
        given: str = (obj.get("status") or {}).get("podIP") or ""

        def pod_ips(in_host: bool) -> Sequence[str]:
            if in_host and given in ("", *node_ips):
                return node_ips
            return addresses.all_of(given or addresses.take(uid))

        return Whereabouts(now, self._started_at, name, node_ips, pod_ips, self._of_templates)

    async def _foreign_node(self, name: str) -> tuple[tuple[str, ...], PodAddresses]:
        """The addresses of a node that is none of ours, and where its pods get theirs."""
        node = await self._client.resource("v1", "nodes").find(name) or {}
        ranges = tuple((node.get("spec") or {}).get("podCIDRs") or foreign_pods(self._ip_versions))
        if ranges not in self._foreign:
            self._foreign[ranges] = PodAddresses(ranges)
        return self._ips_of(name, node), self._foreign[ranges]

    def _ips_of(self, name: str, node: Object) -> tuple[str, ...]:
        """The addresses of a node that is none of ours: those it says, or else such as any has that says none."""
        return internal_addresses(node) or foreign_ips(name, self._ip_versions)


def _unserved(of: ObjectKind) -> str:
    """Why a stage isn't played that is about what there is none of."""
    return f"it is about {of.words}, and no such kind is served: it is played on nothing"

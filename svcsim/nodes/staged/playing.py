"""Playing the stages of one kind on its objects: each as soon as its time has come, on the object as it was when it was chosen.

What is chosen for an object stays chosen, and its delay goes on, for as long as what decided on it is the same: which stages match, their
weights, and what queries find that say how long it waits. Other changes of the object don't have its delay begin anew. Whatever a stage
can't do is told as an event on the object. It is tried again at once when the object, or the stages, have changed, and every now and then
meanwhile: what else it depends on may have changed as well.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from svcsim import limits
from svcsim.chance import Chance
from svcsim.client.api import Client, Collection
from svcsim.client.backoff import backoff_s
from svcsim.client.controller import Controller
from svcsim.client.events import EventRecorder
from svcsim.clock import Clock
from svcsim.meta.errors import MODIFIED, StatusError
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import is_terminating, uid_of
from svcsim.meta.types import Json, Object
from svcsim.nodes.staged.applying import Applying
from svcsim.nodes.staged.outlook import Coming, outlook
from svcsim.nodes.staged.stage import NODE, POD, Candidates, ObjectKind, Patch, Stage, StageEvent, StageMistake, Step, candidates, drawn
from svcsim.nodes.staged.templates import StageError, Whereabouts, as_text, as_value
from svcsim.nodes.staged.texts import check_texts

FAILED_REASON = "StageFailed"
REPEATED_REASON = "StageRepeated"
MANAGER = "svcsim-stages"
"""Whom the objects' fields belong to that stages set: by that a pod is known that lives by stages, whoever has been restarted meanwhile."""
_STATUS = "status"
_MERGED_BY_KEYS = (POD, NODE)
"""Kinds whose lists are merged by keys where a stage doesn't say how its patch is meant, as in kwok."""
_BUSY = (429, 503, 504)
"""Answers of a server that isn't up to it just now: what was asked for may be right."""

WhereaboutsOf = Callable[[Object, float], Awaitable[Whereabouts]]
"""What templates know of where an object is."""


@dataclass(slots=True)
class _Known:
    """An object that lives by stages."""

    uid: str
    obj: Object | None
    """None while no stage comes next: thousands may be settled."""
    stage: Stage | None = None
    due: float = 0.0
    among: Candidates = ()
    """Those that it was chosen from."""
    times: tuple[Json, Json] = (None, None)
    """What queries found that say how long it waits."""
    following: tuple[str, ...] = ()
    """The stages of which one comes next, as the last one said."""
    failed_at: str = ""
    """The version of the object of which it was told that its stage can't be played."""
    failure: str = ""
    """What was told then."""
    failures: int = 0
    """How many times one couldn't be played since one could be."""
    in_a_row: int = 0
    """Stages that were played, each as soon as the one before had been."""
    burst: int = 0
    burst_began: float = 0.0
    told: Mapping[str, tuple[StageMistake, ...]] | None = None
    """What was told last of each stage, by its name, that counts for nothing; None where nothing was."""

    def settle(self) -> None:
        """No stage is chosen for it."""
        self.stage, self.among, self.times = None, (), (None, None)

    @property
    def has_failed(self) -> bool:
        """Whether its stage can't be played on it as it is."""
        return self.obj is not None and self.failed_at == self.obj["metadata"].get("resourceVersion")


class StagedKind(NamedTuple):
    """The objects that stages are played on."""

    of: ObjectKind
    collection: Collection
    acting_as: Callable[[str], Client]
    """A client for stages that are played in a user's name."""
    applying: Applying
    """For what they bring about beside."""


class Player(Controller):
    """Plays stages on objects of one kind. `seen`, or `takes`, and `gone` are told of them."""

    def __init__(
        self,
        target: StagedKind,
        clock: Clock,
        chance: Chance,
        events: EventRecorder,
        place_of: WhereaboutsOf,
        taken: Callable[[ObjectKey, Object], None],
        held: Callable[[Object], bool],
    ) -> None:
        """``taken`` is told of each object when it is first known to live by stages.

        ``held`` says whether time stands still for an object; when that is over, `wake` is called.
        """
        self.stages: Sequence[Stage] = ()
        """Those in force."""
        self._target = target
        self._chance = chance
        self._events = events
        self._place_of = place_of
        self._taken = taken
        self._held = held
        self._known: dict[ObjectKey, _Known] = {}
        super().__init__(f"stages of {target.of.kind}", clock, workers=limits.STAGE_WORKERS)

    def __contains__(self, key: ObjectKey) -> bool:
        return key in self._known

    def replace(self, stages: Sequence[Stage]) -> None:
        """Other stages are in force; whoever says so has all objects seen again."""
        self.stages = [stage.timed(self.clock.now) for stage in stages]
        for known in self._known.values():
            if known.failed_at:
                known.failed_at, known.due, known.failures = "", 0.0, 0
            known.in_a_row = 0

    def seen(self, key: ObjectKey, obj: Object) -> None:
        """An object came or changed."""
        self.takes(key, obj)

    def takes(self, key: ObjectKey, obj: Object) -> bool:
        """Whether an object as it is lives by stages, of which one may be played now; what doesn't (any more) is left to others."""
        known = self._known.get(key)
        if known is not None and known.uid != uid_of(obj):
            self.gone(key, known.uid)
            known = None
        now = self.clock.now()
        among = self._candidates(known, obj)
        stage = drawn(among, self._chance) if known is None or among != known.among else known.stage
        if stage is None and (is_terminating(obj) or not (self.stages and (known is not None or is_managed(obj)))):
            self._known.pop(key, None)
            return False
        if known is None:
            known = self._known[key] = _Known(uid_of(obj), obj)
            self._taken(key, obj)
        known.obj = None if stage is None else obj
        if stage is None:
            known.settle()
            known.in_a_row = 0
            return True
        self._tell_mistakes(known, stage, obj)
        if among != known.among or stage.times_found(obj) != known.times:
            known.stage, known.failed_at = stage, ""
            known.among, known.times = among, stage.times_found(obj)
            known.due = now + self._delay_s(known, stage, obj, now)
        elif known.failed_at and not known.has_failed:
            known.failed_at, known.due = "", now + _rest_s(known.failures)
        self.queue.add_after(key, known.due - now)
        return True

    def _delay_s(self, known: _Known, stage: Stage, obj: Object, now: float) -> float:
        """After how long a stage is played that comes next: one that brings itself about for ever waits longer each time."""
        delay_s = stage.delay_s(obj, now, self._chance)
        if delay_s > 0:
            known.in_a_row = 0
        beyond = known.in_a_row - limits.STAGES_AT_ONCE
        if beyond < 0:
            return delay_s
        if beyond == 0:
            why = f"Stage {stage.name} comes again at once, {known.in_a_row} times in a row: it waits longer each time from now on"
            self._events.warning(self._about(obj), REPEATED_REASON, why[: limits.STAGE_MESSAGE_CHARS])
        return backoff_s(beyond + 1, limits.STAGE_REST_FIRST_S, limits.STAGE_REST_LONGEST_S)

    def _tell_mistakes(self, known: _Known, stage: Stage, obj: Object) -> None:
        """Tell what counts for nothing of that which says how long an object waits, once for as long as it stands there."""
        told = known.told or {}
        found, before = tuple(stage.delay_mistakes(obj)), told.get(stage.name, ())
        if found == before:
            return
        known.told = {**told, stage.name: found}
        for one in found:
            if one not in before:
                self._events.warning(self._about(obj), one.reason, one.message[: limits.STAGE_MESSAGE_CHARS])

    async def read(self, key: ObjectKey) -> Object:
        """An object of the kind as it is now. Raises `StatusError`, where it isn't there a 404."""
        return await self._target.collection.within(key.namespace).get(key.name)

    def outlook(self, key: ObjectKey, obj: Object) -> Object:
        """What stages have in store for an object as it is now. See `svcsim.nodes.staged.outlook`."""
        known = self._known.get(key)
        if known is None or known.uid != uid_of(obj):
            return outlook(obj, self.stages, None, lives=False)
        if known.stage is None:
            return outlook(obj, self.stages, None, lives=True)
        failure = known.failure if known.has_failed else ""
        return outlook(obj, self.stages, Coming(known.stage, known.due, failure, self._held(obj)), lives=True)

    def wake(self) -> None:
        """Time may go on for objects for which it stood still."""
        for key, known in self._known.items():
            if known.stage is not None:
                self.queue.add(key)

    def gone(self, key: ObjectKey, _uid: str) -> None:
        """An object is no more."""
        self._known.pop(key, None)

    def _candidates(self, known: _Known | None, obj: Object) -> Candidates:
        """The stages of which one comes next for an object: those that were to follow, where one of them can be played; else any."""
        if known is not None and known.following:
            following = candidates([stage for stage in self.stages if stage.name in known.following], obj)
            if following:
                return following
        return candidates(self.stages, obj)

    async def reconcile(self, key: ObjectKey) -> None:
        known = self._known.get(key)
        if known is None or known.stage is None or known.obj is None or self._held(known.obj):
            return
        now = self.clock.now()
        if known.due > now:
            self.queue.add_after(key, known.due - now)
            return
        if now - known.burst_began >= 1.0:
            known.burst, known.burst_began = 0, now
        known.burst += 1
        if known.burst > limits.STAGES_AT_ONCE:
            self.queue.add_after(key, known.burst_began + 1.0 - now)
            return
        stage, obj = known.stage, known.obj
        try:
            result = await self._play(key, stage, obj)
        except StageError as error:
            self._failed(key, known, stage, obj, str(error))
            return
        except StatusError as error:
            if error.code in _BUSY or error.message.endswith(MODIFIED):
                raise
            # What isn't there, or is in the way, need not be the object itself.
            if error.code not in (404, 409) or await self._is_there(key, known.uid):
                self._failed(key, known, stage, obj, _of_nobody(error.message))
            return
        known.following = stage.following
        known.in_a_row += 1
        known.failures = 0
        came = known.obj  # while it was played, or before
        known.obj = None
        known.settle()
        fresh = came if came is not obj else result if stage.immediate or stage.following else None
        if fresh is not None and self._known.get(key) is known:
            self.takes(key, fresh)

    async def _is_there(self, key: ObjectKey, uid: str) -> bool:
        try:
            return uid_of(await self.read(key)) == uid
        except StatusError as error:
            if error.code == 404:
                return False
            raise

    def _failed(self, key: ObjectKey, known: _Known, stage: Stage, obj: Object, why: str) -> None:
        """Tell, once for an object as it is, that a stage can't be played on it, and try again later."""
        told = known.failure if known.failed_at else ""
        known.failed_at = obj["metadata"].get("resourceVersion") or ""
        known.failure = f"Stage {stage.name} can't be played: {why}"[: limits.STAGE_MESSAGE_CHARS]
        known.failures += 1
        if known.failure != told:
            self._events.warning(self._about(obj), FAILED_REASON, known.failure)
        if known.stage is stage and known.has_failed:
            wait_s = backoff_s(known.failures, limits.STAGE_RETRY_FIRST_S, limits.STAGE_RETRY_LONGEST_S)
            known.due = self.clock.now() + wait_s
            self.queue.add_after(key, wait_s)

    def _about(self, obj: Object) -> Object:
        """An object, for events on it."""
        return {"apiVersion": self._target.of.api_version, "kind": self._target.of.kind, "metadata": obj["metadata"]}

    async def _play(self, key: ObjectKey, stage: Stage, obj: Object) -> Object | None:
        """Do all that a stage does; gives the object as it was written last. Its events are told once that is done."""
        place = await self._place_of(obj, self.clock.now())
        collection = self._target.collection.within(key.namespace)
        current, deleted = obj, False
        told = [(step.event, as_text(step.event.message, obj, place)) for step in stage.steps if step.event is not None]
        for step in stage.steps:
            if deleted:
                continue
            if step.delete:
                deleted = True
                await collection.delete(key.name, grace_period_s=0, uid=uid_of(obj))
            else:
                current = await self._change(collection, step, obj, current, place) or current
        for event, message in told:
            self._report(event, obj, message)
        return None if deleted or current is obj else current

    def _report(self, event: StageEvent, obj: Object, message: str) -> None:
        say = self._events.normal if event.type == "Normal" else self._events.warning
        say(self._about(obj), event.reason, message[: limits.STAGE_MESSAGE_CHARS])

    async def _change(self, collection: Collection, step: Step, obj: Object, current: Object, place: Whereabouts) -> Object | None:
        """What a step writes; None if nothing. ``obj`` is what templates see, ``current`` what stands there by now."""
        if step.finalizers is not None:
            held = current["metadata"].get("finalizers") or []
            wanted = step.finalizers.changed(held)
            if wanted != held:
                return await collection.patch(obj["metadata"]["name"], _of_version({"metadata": {"finalizers": wanted}}, current))
        if step.apply is not None:
            made = as_value(step.apply.template, obj, place)
            await self._target.applying.apply(made, collection.namespace, step.apply.as_user)
        if step.patch is None:
            return None
        made = as_value(step.patch.template, obj, place)
        if step.patch.as_user:
            collection = replace(collection, client=self._target.acting_as(step.patch.as_user))
        for patch, subresource, form in self._patches(step.patch, made):
            sent = patch if form == "json" else _of_version(patch, current)
            current = await collection.patch(obj["metadata"]["name"], sent, form, subresource=subresource)
        return current

    def _patches(self, patch: Patch, made: Json) -> list[tuple[Json, str, str]]:
        """The patches to send that a template has made: each with its subresource and form."""
        form = patch.form or ("strategic" if self._target.of in _MERGED_BY_KEYS else "merge")
        if form == "json":
            if not isinstance(made, list) or not all(isinstance(one, dict) and isinstance(one.get("path"), str) for one in made):
                raise StageError("the template doesn't make a list of operations with paths")
            return [([{**one, "path": f"/{patch.root}{one['path']}"} if patch.root else one for one in made], patch.subresource, form)]
        if not isinstance(made, dict):
            raise StageError("the template doesn't make a map")
        check_texts(made, patch.root)
        if not patch.splits:
            return [({patch.root: made} if patch.root else made, patch.subresource, form)]
        rest = {name: value for name, value in made.items() if name != _STATUS}
        return [
            *([(rest, "", form)] if rest else []),
            *([({_STATUS: made[_STATUS]}, _STATUS, form)] if _STATUS in made else []),
        ]


def _of_version(patch: Json, current: Object) -> Json:
    """A patch that holds only for the version it was made for: what has changed meanwhile is looked at anew. Raises `StageError`."""
    metadata = patch.get("metadata") or {}
    version = current["metadata"].get("resourceVersion")
    if metadata.get("resourceVersion", version) != version:
        raise StageError("metadata.resourceVersion: a stage is played on an object as it is, and can't be for another version of it")
    metadata = {**metadata, "resourceVersion": version}
    return {**patch, "metadata": metadata}


def _rest_s(failures: int) -> float:
    """How long a stage waits that couldn't be played so many times when the object has changed: that may be its own doing."""
    beyond = failures - limits.STAGES_AT_ONCE
    return 0.0 if beyond <= 0 else backoff_s(beyond, limits.STAGE_REST_FIRST_S, limits.STAGE_REST_LONGEST_S)


def is_managed(obj: Object) -> bool:
    """Whether stages have written something of an object."""
    return any(entry.get("manager") == MANAGER for entry in obj["metadata"].get("managedFields") or ())


def _of_nobody(message: str) -> str:
    """A refusal without the name of what was refused, where there is none: a patch that makes no object has neither kind nor name."""
    return message.removeprefix(' "" is invalid: ')

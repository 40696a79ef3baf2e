"""One run of one scenario on one cluster: steps in order, invariants all the while, clean-up whatever happened."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from svcsim.client.discovery import ApiResource
from svcsim.meta.codec import encode_yaml
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import name_of, unmanaged
from svcsim.meta.times import format_duration, parse_duration
from svcsim.meta.types import Object
from svcsim.printing.harmless import one_line
from svcsim.scenario.actions import Actor, FailedError, await_condition
from svcsim.scenario.answers import TargetClusterError
from svcsim.scenario.expectations import CountCondition, ExpectationWatch, Failure, read_condition
from svcsim.scenario.expressions import ExpressionError, Expressions, NeitherError
from svcsim.scenario.fault_rules import wrong_fault
from svcsim.scenario.faults import Injections
from svcsim.scenario.format import CATCH, EXPECTATION, FAULT
from svcsim.scenario.journal import Journal
from svcsim.scenario.load import Position
from svcsim.scenario.model import CLEAN_UP, FAULTS, INVARIANTS, NODES, Action, Expectation, PlannedFault, Scenario, Step, Values
from svcsim.scenario.onlooker import SAID_BY_NODES
from svcsim.scenario.results import FAILED, HELD, SKIPPED, Case, Result
from svcsim.scenario.secret_values import masked
from svcsim.scenario.selection import Selection
from svcsim.scenario.shapes import Span
from svcsim.scenario.target_cluster import EVENT, TargetCluster, UnknownKindError
from svcsim.scenario.tidying import Tidying
from svcsim.scenario.timeline import Timeline
from svcsim.wall import stopwatch

if TYPE_CHECKING:
    from svcsim.timers import Timer

_READY_WITHIN_S = 60.0
"""Cluster time a cluster that was booted for the run may take until its nodes are ready."""


class Run:
    """Plays a scenario. ``result`` grows while it does, so that there is something to tell should it be cut short."""

    def __init__(self, scenario: Scenario, target: TargetCluster, *, fresh: bool) -> None:
        self._scenario = scenario
        self._target = target
        self._fresh = fresh
        """The cluster was booted for this run: its journal is this run's alone."""
        self._clock = target.clock
        self._timeline = Timeline(target.clock.now)
        self._journal = Journal(target.client, target.clock.now)
        self._values = Values(scenario.variables)
        self._expressions = Expressions(target.clock.now)
        self._actor = Actor(scenario, target, self._journal, self._timeline, self._expressions, self._values)
        self._faults = Injections(target, self._timeline)
        self._invariants: list[ExpectationWatch] = []
        self._expired: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._current: Case | None = None
        """The step that is under way."""
        self._began_s = stopwatch()
        self.result = Result(scenario, self._timeline, target.clock.now())

    async def play(self) -> Result:
        """From the first step to the last clean-up."""
        follower = asyncio.create_task(self._journal.follow(await self._since()), name="journal")
        deadline: Timer | None = None
        self._journal.subscribe(self._timeline.write)
        self._journal.subscribe(Tidying().see)
        try:
            await self._journal.reach(await self._target.revision())
            if self._fresh:
                await self._nodes_ready()
            self.result.start_s = self._clock.now()
            deadline = self._clock.call_later(self._scenario.timeouts.scenario_s, self._expire)
            await self._steps()
        finally:
            if deadline is not None:
                deadline.cancel()
            try:
                await self._close()
            finally:
                await self._actor.onlooker.look_away()
                follower.cancel()
                self._measure()
        return self.result

    def cut_short(self, message: str) -> Result:
        """The run as far as it came, failed for a reason outside of its steps."""
        if self._current is None:
            self._current = Case(self._timeline.step, Position(1, 1))
            self.result.cases.append(self._current)
        self._current.outcome, self._current.failure = FAILED, Failure(message)
        reached = {case.id for case in self.result.cases}
        self.result.cases += [Case(step.id, step.position, SKIPPED) for step in self._scenario.steps if step.id not in reached]
        self.result.journal_hash = ""  # where the cut fell is the machine's doing
        return self.result

    async def _since(self) -> int:
        """Where to follow the journal from. What an older cluster holds already is listed."""
        if self._fresh:
            return 0
        revision = await self._target.revision()
        for found in await self._target.types():
            twice = found.kind == EVENT and found.group  # the same events as in the core group
            if "list" in found.verbs and "watch" in found.verbs and not twice:
                for obj in await self._target.client.resource(found.api_version, found.plural).list_all():
                    self._journal.seed(f"{found.plural}.{found.group}" if found.group else found.plural, obj)
        return revision

    async def _nodes_ready(self) -> None:
        """Wait for the nodes, however fast the clock goes; where they don't come, that is what failed."""
        selection = Selection.read({"kind": "Node", "where": "condition('Ready')"}, self._expressions, self._values)
        condition = CountCondition(selection, {"gte": self._scenario.cluster.nodes})
        try:
            await await_condition(self._actor, condition, _READY_WITHIN_S * max(self._clock.speed, 1.0))
        except FailedError as error:
            self.result.cases.append(Case(NODES, Position(1, 1), FAILED, error.failure))

    async def _steps(self) -> None:
        failed = bool(self.result.cases)
        try:
            for webhook in self._scenario.webhooks:
                await self._inject(webhook.details, webhook.position)
            self._invariants = [await self._watch(invariant) for invariant in self._scenario.invariants]
        except FailedError as error:
            self.result.cases.append(Case(INVARIANTS, Position(1, 1), FAILED, error.failure))
            failed = True
        for step in self._scenario.steps:
            self._timeline.step = step.id
            case = Case(step.id, step.position)
            self.result.cases.append(case)
            if failed:
                case.outcome = SKIPPED
                continue
            await self._perhaps(step, case)
            failed = case.outcome == FAILED
        unjudged = [failure for watch in self._invariants if (failure := watch.verdict()) is not None]
        if unjudged and not failed:
            self.result.cases.append(Case(INVARIANTS, Position(1, 1), FAILED, unjudged[0]))

    async def _perhaps(self, step: Step, case: Case) -> None:
        try:
            wanted = self._wanted(step)
        except (FailedError, ExpressionError) as error:
            case.outcome, case.failure = FAILED, Failure(f"if: {error}")
            return
        except NeitherError as error:
            (place,) = self._scenario.places([step.condition_position])
            case.outcome, case.failure = FAILED, Failure(f"{place}: {error}")
            return
        if wanted:
            await self._step(step, case)
        else:
            case.outcome = SKIPPED

    def _wanted(self, step: Step) -> bool:
        """Whether a step is to be run; not while what it asks for was not saved.

        Raises `FailedError`, `ExpressionError`, `NeitherError`.
        """
        if isinstance(step.condition, bool):
            return step.condition
        text = str(self._actor.fill(step.condition))
        return self._expressions.holds(self._expressions.compile(text), self._values.scope()) is True

    async def _step(self, step: Step, case: Case) -> None:
        cluster_s, wall_s = self._clock.now(), stopwatch()
        self._timeline.note(f"step {step.id}")
        self._current = case
        standing: dict[int, ExpectationWatch] = {}
        try:
            for number, expectation in enumerate(step.expectations):
                if expectation.mode == "order" or (expectation.mode in {"always", "never"} and expectation.lasting is None):
                    standing[number] = await self._watch(expectation)
            await self._guarded(self._body(step, standing), [*self._invariants, *standing.values()])
            self._current = None
        except FailedError as error:
            await self._failed(step, case, error.failure)
            self._current = None
        finally:
            for watch in standing.values():
                watch.close()
            case.cluster_s, case.wall_s = self._clock.now() - cluster_s, stopwatch() - wall_s

    async def _failed(self, step: Step, case: Case, failure: Failure) -> None:
        case.outcome, case.failure = FAILED, failure
        self._timeline.note(f"FAILED {failure.message}")
        for look in step.catch:
            try:
                case.looked_at += await self._look_at(self._actor.filled("catch", look, CATCH))
            except (FailedError, TargetClusterError, StatusError) as error:
                case.looked_at.append(str(error))

    async def _guarded(self, body: Coroutine[Any, Any, None], watches: list[ExpectationWatch]) -> None:
        """Run a step until it ends, something that must hold all the while is violated, the scenario's time is up, or the cluster is lost.

        Raises `FailedError`, and `ConnectionError` for the last.
        """
        task = asyncio.ensure_future(body)
        try:
            ends = [task, self._expired, self._journal.ended, *(watch.failed for watch in watches)]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        failed = None if task.cancelled() else task.exception()
        violated = next((watch.failure for watch in watches if watch.failure is not None), None)
        if violated is not None:
            raise FailedError(violated)
        if failed is not None:
            raise failed
        if not task.cancelled():
            return
        if self._journal.ended.done():
            await self._journal.reach(self._journal.revision + 1)  # which tells what became of it
        limit = format_duration(self._scenario.timeouts.scenario_s)
        raise FailedError(Failure(f"the scenario did not finish within {limit} of cluster time (timeouts.scenario)"))

    async def _body(self, step: Step, standing: dict[int, ExpectationWatch]) -> None:
        for fault in step.faults:
            await self._break(fault)
        for action in step.actions:
            await self._actor.perform(action)
        for number, expectation in enumerate(step.expectations):
            watch = standing.get(number)
            if watch is None:
                watch = await self._watch(expectation)
                try:
                    await self._hold(expectation, watch)
                finally:
                    watch.close()
            elif watch.mode == "order":
                await self._hold(expectation, watch)
        await self._journal.reach(await self._target.revision())
        for watch in standing.values():
            _check(watch)

    async def _break(self, fault: PlannedFault) -> None:
        details = self._actor.filled("fault", fault.details, FAULT)
        for _, message in wrong_fault(details):
            raise FailedError(Failure(f"fault: {message}"))
        await self._inject(details, fault.position)

    async def _inject(self, details: Object, position: Position) -> None:
        try:
            await self._faults.plan(details, position)
        except StatusError as error:
            raise FailedError(Failure(f"the fault was refused: {error.message}")) from None

    async def _watch(self, expectation: Expectation) -> ExpectationWatch:
        """Begin to watch. Raises `FailedError` for a kind the cluster doesn't have."""
        subject = self._actor.filled(expectation.mode, expectation.subject, EXPECTATION.shape_of(expectation.mode))
        selected = subject.get("count", subject) if isinstance(subject, dict) else None
        try:
            for one in [selected] if selected is not None else [moment for moment in subject if moment.get("kind") in SAID_BY_NODES]:
                told = await self._target.find_told(one["kind"], one.get("apiVersion", ""), one.get("namespace", ""))
                await self._actor.onlooker.look_at(told)
        except TargetClusterError as error:
            if not (isinstance(error, UnknownKindError) and self._scenario.defines_kinds):  # it may yet come, or be gone again
                raise FailedError(Failure(f"{expectation.mode}: {error}")) from None
        condition = read_condition(subject, self._expressions, self._values)
        return ExpectationWatch(expectation.mode, condition, self._journal, self._clock, self._scenario.places(expectation.wheres))

    async def _hold(self, expectation: Expectation, watch: ExpectationWatch) -> None:
        """Wait for what an expectation asks for: until it holds, or for as long as it must."""
        waits_for_it = expectation.mode in {"eventually", "order"}
        span = self._actor.filled(expectation.mode, expectation.within if waits_for_it else expectation.lasting, Span())
        limit_s = parse_duration(span) if span is not None else self._scenario.timeouts.step_s
        self._timeline.note(f"expect {expectation.mode} {watch.condition}")
        try:
            async with self._clock.timeout(limit_s):
                await asyncio.shield(watch.decided)
        except TimeoutError:
            if waits_for_it:
                message = f"{watch.condition}: did not become true within {format_duration(limit_s)}"
                raise FailedError(Failure(message, watch.condition.left(met=False))) from None
        _check(watch)

    async def _close(self) -> None:
        """`finally`, and everything that was broken on purpose mended. What fails here fails the run."""
        self._timeline.step = CLEAN_UP
        for watch in self._invariants:
            watch.close()
        case = Case(CLEAN_UP, self._scenario.closing[0].position if self._scenario.closing else Position(1, 1))
        cluster_s, wall_s = self._clock.now(), stopwatch()
        problems: list[Failure] = []
        try:
            async with self._clock.timeout(self._scenario.timeouts.cleanup_s):
                for action in self._scenario.closing:
                    problems += await self._close_one(action)
        except TimeoutError:
            limit = format_duration(self._scenario.timeouts.cleanup_s)
            problems.append(Failure(f"finally did not finish within {limit} of cluster time (timeouts.cleanup)"))
        try:
            await self._faults.take_back()
        except (StatusError, ConnectionError) as error:
            problems.append(Failure(f"a fault could not be injected or removed: {error}"))
        if problems:
            case.outcome = FAILED
            case.failure = Failure(problems[0].message, [*problems[0].details, *(problem.message for problem in problems[1:])])
        if problems or self._scenario.closing:
            case.cluster_s, case.wall_s = self._clock.now() - cluster_s, stopwatch() - wall_s
            self.result.cases.append(case)
        vain = self._faults.in_vain()
        if vain is not None and self.result.outcome == HELD:  # of a run that failed anyway, it says nothing
            self.result.cases.append(Case(FAULTS, vain[0], FAILED, vain[1]))
        if not _is_being_cancelled():  # a run that is cut short has no hash, and the journal may have been cut off with it
            await self._note_hash()

    async def _close_one(self, action: Action) -> list[Failure]:
        try:
            await self._actor.perform(action)
        except FailedError as error:
            return [error.failure]
        except ConnectionError as error:
            return [Failure(f"{action.verb}: {error}")]
        return []

    async def _note_hash(self) -> None:
        self.result.revision = await self._target.revision()
        await self._journal.reach(self.result.revision)
        if self._fresh and self._scenario.clock.virtual:
            self.result.journal_hash = self._journal.digest

    async def _look_at(self, look: Object) -> list[str]:
        """What `catch` asks to see."""
        if "events" in look:
            namespace = look["events"].get("namespace", "")
            events = [body for key, body in self._journal.objects("Event") if not namespace or key.namespace == namespace]
            return [_event_line(event.decode()) for event in events]
        wanted = Selection.read(look["describe"], self._expressions, self._values)
        told = await self._target.find_told(wanted.kind, wanted.api_version, wanted.namespace)
        if told.kind in SAID_BY_NODES:
            found = [obj for obj in await self._said(told, wanted.namespace) if wanted.name in ("", name_of(obj))]
        else:
            found = [body.decode() for key, body in self._journal.objects(told.kind) if wanted.selects(key, body)]
        return [line for obj in found for line in ["---", *encode_yaml(masked(unmanaged(obj))).decode().splitlines()]]

    async def _said(self, told: ApiResource, namespace: str) -> list[Object]:
        """The current heartbeats of nodes, which are in the journal only while a client watches."""
        found = await self._target.client.resource(told.api_version, told.plural, namespace).list_all()
        return [{"apiVersion": told.api_version, "kind": told.kind, **obj} for obj in found]

    def _expire(self) -> None:
        if not self._expired.done():
            self._expired.set_result(None)

    def _measure(self) -> None:
        self.result.cluster_s = self._clock.now() - self.result.start_s
        self.result.wall_s = stopwatch() - self._began_s


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _check(watch: ExpectationWatch) -> None:
    failure = watch.verdict()
    if failure is not None:
        raise FailedError(failure)


def _event_line(event: Object) -> str:
    about = event.get("involvedObject") or {}
    line = f"{event.get('type', '')} {event.get('reason', '')} {about.get('kind', '')}/{about.get('name', '')}: {event.get('message', '')}"
    return one_line(line)

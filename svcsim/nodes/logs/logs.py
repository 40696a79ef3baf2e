"""``GET …/pods/NAME/log``: the log of a container, as far back and as long as asked.

Which container's, from when and how much of it is what kubectl's users know; the lines themselves come from `log_lines.py`.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import ExitStack, aclosing
from typing import NamedTuple, Protocol

from svcsim import limits
from svcsim.client.api import Client
from svcsim.clock import Clock, format_micro_time, loop_sleep
from svcsim.meta.errors import FieldError, bad_request, forbidden_field, invalid, invalid_value
from svcsim.meta.http import Response
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.pods import container_statuses, node_of
from svcsim.meta.times import parse_given_time, parse_time
from svcsim.meta.types import GroupKind, Object
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.lives import Life, Lives
from svcsim.nodes.containers.log_templates import template_of
from svcsim.nodes.containers.reading import read_containers
from svcsim.nodes.containers.said import Line, Spoken
from svcsim.nodes.logs.log_following import Followed, followed
from svcsim.nodes.logs.log_lines import SECOND_S, Voice

DEFAULT_CONTAINER_ANNOTATION = "default-container"
_RUSHING = 10.0
"""Time that goes so much faster than the machine's isn't held for each line: these are told together..."""
_LOOKS_S = 0.05
"""...every so many seconds of the machine's."""
_TROUBLES = {"ErrImagePull": "image can't be pulled", "ImagePullBackOff": "trying and failing to pull image"}


class LogOptions(NamedTuple):
    """What was asked for. Times are seconds since the epoch."""

    container: str = ""
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    tail: int | None = None
    since: float = 0.0
    limit_bytes: int | None = None


class Runner(Protocol):
    """Runs the processes of pods."""

    async def catch_up(self, pod: Object) -> None:
        """Have those of a pod be run up to now. Raises `StatusError`."""
        ...

    async def catch_up_anew(self, pod: Object) -> None:
        """The same for a pod of which there may be a newer state. Raises `StatusError`."""
        ...

    def heard_of(self, pod_uid: str, container: str, started_at: float) -> Spoken | None:
        """A run of a container that has said something of itself; None where it isn't one that is run."""
        ...

    def listener(self, pod_uid: str, container: str, started_at: float) -> Spoken:
        """A run of a container that says what clients have it say who are attached to it, whether there have been any or not."""
        ...


class Logs:
    def __init__(
        self, client: Client, clock: Clock, lives: Lives, check_answers: Callable[[Object], Awaitable[None]], runner: Runner
    ) -> None:
        """``check_answers`` raises `StatusError` where a pod's node doesn't answer."""
        self._client = client
        self._clock = clock
        self._lives = lives
        self._check_answers = check_answers
        self._runner = runner

    async def serve_log(self, namespace: str, name: str, asked: Object) -> Response:
        """The answer to a log request, by its PodLogOptions. Raises `StatusError` for what can't be answered."""
        options = read_options(asked, self._clock.now(), name)
        pods = self._client.resource("v1", "pods", namespace)
        pod = await pods.get(name)
        default_key = self._client.dialect.key(DEFAULT_CONTAINER_ANNOTATION, "kubectl")
        spec = choose_container(pod, options.container, default_key)
        if node_of(pod):
            await self._check_answers(pod)
        voice = await self._heard(pod, spec, voice_of(pod, spec, previous=options.previous), follows=options.follow)
        if not options.follow or voice.ends_at is not None:
            return Response(200, b"".join(self._past(voice, options, self._clock.now())), "text/plain")
        return Response(200, content_type="text/plain", stream=self._follow(voice, options, pod))

    async def _heard(self, pod: Object, spec: ContainerSpec, voice: Voice, *, follows: bool) -> Voice:
        """With the process itself, where that is run; to be followed, also with one that has said nothing yet."""
        if voice.template is not None or not (spec.runs or spec.program.listens):
            return voice
        if spec.runs:
            await self._runner.catch_up(pod)
        find = self._runner.listener if follows and spec.program.listens else self._runner.heard_of
        return voice._replace(process=find(voice.pod_uid, voice.container, voice.started_at))

    def _past(self, voice: Voice, options: LogOptions, until: float) -> Iterable[bytes]:
        if options.tail is not None:
            lines: Iterable[Line] = voice.last_lines(min(options.tail, limits.LOG_TAIL_LINES), until)
            lines = (line for line in lines if line.at >= options.since)
        elif options.since:
            lines = voice.lines(options.since, until)
        else:
            lines = voice.last_lines(limits.LOG_TAIL_LINES, until)
        return _limited(lines, options)

    async def _follow(self, voice: Voice, options: LogOptions, pod: Object) -> AsyncIterator[bytes]:
        """What there is, then what comes, until the container's process ends."""
        now = math.nextafter(self._clock.now(), math.inf)
        what_comes, what_is = followed(voice, now), list(self._past(voice, options, now))
        left = options.limit_bytes
        for piece in what_is:
            left = None if left is None else left - len(piece)
            yield piece
        if left is not None and left <= 0:
            return
        with self._lives.follow(pod["metadata"]["namespace"], pod["metadata"]["name"]) as life:
            current = await self._current(pod)  # it may have ended before anybody told us
            if current is None or not _same_run(voice, current):
                life.tell(current)
            async with aclosing(self._lines(voice, life, what_comes, pod)) as lines:
                async for line in lines:
                    for piece in _limited((line,), options._replace(limit_bytes=left)):
                        left = None if left is None else left - len(piece)
                        yield piece
                    if left is not None and left <= 0:
                        return

    async def from_now(self, pod: Object, spec: ContainerSpec, life: Life) -> AsyncIterator[bytes]:
        """What a running container says from now on, until it ends; all that it has said, if it was started only just now."""
        voice = await self._heard(pod, spec, voice_of(pod, spec, previous=False), follows=True)
        now = self._clock.now()
        since = voice.started_at if now - voice.started_at <= limits.JUST_STARTED_S else now
        async for line in self._lines(voice, life, followed(voice, since), pod):
            yield line.printed.encode()

    async def _lines(self, voice: Voice, life: Life, what_comes: Followed, pod: Object) -> AsyncGenerator[Line, None]:
        """Lines as they are written, each at its moment, until the run ends; the clock may stand still meanwhile."""
        loop, said = asyncio.get_running_loop(), None if voice.process is None else voice.process.said
        over = loop.create_task(life.until(lambda pod: pod is None or not _same_run(voice, pod)))
        with ExitStack() as while_followed:
            while_followed.callback(over.cancel)
            news = asyncio.Event() if said is None else while_followed.enter_context(said.followed())
            looked_at, looked_s, rushes, has_ended = self._clock.now(), loop.time(), False, False
            while not has_ended:
                await self._until_due(over, what_comes.next_at(self._clock.now()), news, rushes=rushes)
                now = self._clock.now()
                rushes = now - looked_at > _RUSHING * max(loop.time() - looked_s, _LOOKS_S)
                looked_at, looked_s, has_ended = now, loop.time(), over.done()
                if voice.process is not None:
                    await self._runner.catch_up_anew(pod)
                ends_at = _end_of(voice, over.result(), now) if has_ended else None
                for line in what_comes.take(now, ends_at):
                    yield line

    async def _until_due(self, over: "asyncio.Task[Object | None]", at: float | None, news: asyncio.Event, *, rushes: bool) -> None:
        """Until it is over, or time for the next look."""
        wait_s = math.inf if at is None else at - self._clock.now()
        if rushes:
            await self._one_of(over, loop_sleep(_LOOKS_S))
        elif wait_s > 0:
            await self._one_of(over, news.wait(), *(() if at is None else (self._clock.sleep(wait_s),)))
        else:
            await self._clock.turn()
        news.clear()

    async def _one_of(self, over: "asyncio.Task[Object | None]", *others: Coroutine[None, None, object]) -> None:
        """Until it is over, or one of the others is done."""
        loop = asyncio.get_running_loop()
        waiting = [loop.create_task(one) for one in others]
        try:
            await asyncio.wait((over, *waiting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()

    async def _current(self, pod: Object) -> Object | None:
        meta = pod["metadata"]
        return await self._client.resource("v1", "pods", meta["namespace"]).find(meta["name"])


def _same_run(voice: Voice, pod: Object) -> bool:
    """Whether it is still under way."""
    state = (_status_of(pod, voice.container) or {}).get("state") or {}
    return uid_of(pod) == voice.pod_uid and _started(state.get("running")) == voice.started_at


def _end_of(voice: Voice, pod: Object | None, now: float) -> float:
    """When a run has ended, as far as its pod tells."""
    status = (_status_of(pod, voice.container) or {}) if pod is not None else {}
    for state in (status.get("state") or {}, status.get("lastState") or {}):
        ended = state.get("terminated") or {}
        if _started(ended) == voice.started_at and ended.get("finishedAt"):
            return parse_time(ended["finishedAt"]) + SECOND_S
    return now


def read_options(asked: Object, now: float, pod_name: str) -> LogOptions:
    """What PodLogOptions ask for. Raises `StatusError`: 400 for what can't be read, 422 for what makes no sense."""
    seconds: int | None = asked.get("sinceSeconds")
    since = 0.0 if seconds is None else now - seconds
    if asked.get("sinceTime"):
        try:
            since = parse_given_time(asked["sinceTime"])
        except ValueError as error:
            raise bad_request(str(error)) from None
    findings = _findings(asked)
    if findings:
        raise invalid(GroupKind("", "PodLogOptions"), pod_name, findings)
    return LogOptions(
        container=asked.get("container", ""),
        follow=asked.get("follow", False),
        previous=asked.get("previous", False),
        timestamps=asked.get("timestamps", False),
        tail=asked.get("tailLines"),
        since=since,
        limit_bytes=asked.get("limitBytes"),
    )


def choose_container(pod: Object, wanted: str, default_annotation: str) -> ContainerSpec:
    """The container that is meant. Raises `StatusError` 400 where that isn't clear, or there is none of that name."""
    containers = {spec.name: spec for spec in read_containers(pod)}
    if wanted:
        if wanted not in containers:
            raise bad_request(f"container {wanted} is not valid for pod {name_of(pod)}")
        return containers[wanted]
    mains = [spec for spec in containers.values() if not spec.init and not spec.ephemeral]
    if len(mains) == 1:
        return mains[0]
    annotated = (pod["metadata"].get("annotations") or {}).get(default_annotation, "")
    if annotated in containers:
        return containers[annotated]
    names = " ".join(spec.name for spec in mains)
    message = f"a container name must be specified for pod {name_of(pod)}, choose one of: [{names}]"
    inits = " ".join(spec.name for spec in containers.values() if spec.init)
    raise bad_request(f"{message} or one of the init containers: [{inits}]" if inits else message)


def voice_of(pod: Object, spec: ContainerSpec, *, previous: bool) -> Voice:
    """The run of the container whose log is asked for. Raises `StatusError` 400 if there hasn't been one."""
    name = name_of(pod)
    status = _status_of(pod, spec.name) or {}
    last, state = status.get("lastState") or {}, status.get("state") or {}
    if previous:
        ended = last.get("terminated")
        if ended is None:
            raise bad_request(f'previous terminated container "{spec.name}" in pod "{name}" not found')
        return _voice(pod, spec, ended)
    ended = state.get("terminated")
    if ended is not None and not ended.get("containerID"):
        ended = last.get("terminated") or ended  # nobody knows of that end: it wasn't there any more when its pod ended
    run_state = state.get("running") or ended or last.get("terminated")
    if run_state is None:
        reason = (state.get("waiting") or {}).get("reason") or "ContainerCreating"
        if not node_of(pod):
            raise bad_request(f"pod {name} does not have a host assigned")
        trouble = _TROUBLES.get(reason, reason)
        raise bad_request(f'container "{spec.name}" in pod "{name}" is waiting to start: {trouble}')
    return _voice(pod, spec, run_state)


def _voice(pod: Object, spec: ContainerSpec, run_state: Object) -> Voice:
    finished = run_state.get("finishedAt")
    return Voice(
        pod_uid=uid_of(pod),
        pod_name=name_of(pod),
        container=spec.name,
        image=spec.image,
        program=spec.program,
        started_at=_started(run_state),
        ends_at=parse_time(finished) + SECOND_S if finished else None,
        namespace=namespace_of(pod),
        node=node_of(pod),
        template=template_of(pod, spec.name, alone=spec.stands_alone),
    )


def _started(run_state: Object | None) -> float:
    return parse_time(run_state["startedAt"]) if run_state and run_state.get("startedAt") else 0.0


def _status_of(pod: Object, container: str) -> Object | None:
    return next((item for item in container_statuses(pod) if item.get("name") == container), None)


def _limited(lines: Iterable[Line], options: LogOptions) -> Iterable[bytes]:
    left, begins = options.limit_bytes, True
    for line in lines:
        piece = (f"{format_micro_time(line.at)[:-1]}000Z {line.printed}" if options.timestamps and begins else line.printed).encode()
        begins = line.ended
        if left is not None:
            piece = piece[:left]
            left -= len(piece)
        yield piece
        if left == 0:
            return


def _findings(asked: Object) -> list[FieldError]:
    both = asked.get("sinceSeconds") is not None and bool(asked.get("sinceTime"))
    bounds = [("tailLines", 0), ("limitBytes", 1)] if both else [("tailLines", 0), ("limitBytes", 1), ("sinceSeconds", 1)]
    found = [
        invalid_value(name, asked[name], "must be greater than 0" if least else "must be greater than or equal to 0")
        for name, least in bounds
        if asked.get(name) is not None and asked[name] < least
    ]
    return [*found, forbidden_field("", "at most one of `sinceTime` or `sinceSeconds` may be specified")] if both else found

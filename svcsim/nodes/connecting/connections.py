"""``exec``, ``attach`` and ``portforward`` of pods: who may be connected with what, and for how long.

What a client asks for is checked before the connection is switched, as the API server does it; what only the node can tell, whether the
container runs, is told over the connection. Whatever a client does in a container ends with that container.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from svcsim import limits
from svcsim.client.api import Client
from svcsim.clock import Clock
from svcsim.meta.errors import StatusError, bad_request
from svcsim.meta.http import Response
from svcsim.meta.objects import name_of, uid_of
from svcsim.meta.streaming import CommandClient, Forwarded, Run, Serve, Wanted
from svcsim.meta.types import Object
from svcsim.nodes.connecting.reach import Reach
from svcsim.nodes.containers.awaiting import awaiting_input
from svcsim.nodes.containers.container_spec import ContainerSpec
from svcsim.nodes.containers.environment import expanded_words
from svcsim.nodes.containers.lives import Life
from svcsim.nodes.containers.said import Said
from svcsim.nodes.containers.sources import container_of
from svcsim.nodes.logs.logs import DEFAULT_CONTAINER_ANNOTATION, Logs
from svcsim.nodes.streams.commands import run_command, status_of, unless_it_ends
from svcsim.nodes.streams.port_answers import PortAnswers
from svcsim.nodes.streams.responder import listening, refused, respond
from svcsim.nodes.streams.running import Running, assigned, chosen

_SUCCESS: Object = {"metadata": {}, "status": "Success"}


class Connections:
    """Connects clients with simulated containers."""

    def __init__(self, client: Client, clock: Clock, reach: Reach) -> None:
        self._client = client
        self._clock = clock
        self._reach = reach
        self.logs = Logs(client, clock, reach.lives, self._check_answers, reach.processes)
        self.ports = PortAnswers(lambda run: reach.inside(run, reach.machine_of(run.pod)))
        self._default_container = client.dialect.key(DEFAULT_CONTAINER_ANNOTATION, "kubectl")
        self._open = 0

    async def exec(self, namespace: str, name: str, asked: Object) -> tuple[Wanted, Run]:
        """To run a command, by PodExecOptions. Raises `StatusError`."""
        spec = await self._reached(namespace, name, asked)
        words = [str(word) for word in asked.get("command") or ()]
        if not words or not words[0]:
            raise bad_request("you must specify at least one command for the container")

        async def run(client: CommandClient) -> Object:
            async with self._alive(namespace, name) as (pod, life):
                return await self._exec(self._reach.running(pod, spec), life, words, client)

        return _wanted(asked), run

    async def attach(self, namespace: str, name: str, asked: Object) -> tuple[Wanted, Run]:
        """To be connected with the first process of a container, by PodAttachOptions. Raises `StatusError`."""
        spec = await self._reached(namespace, name, asked)

        async def run(client: CommandClient) -> Object:
            async with self._alive(namespace, name) as (pod, life):
                await self._attach(self._reach.running(pod, spec), life, client)
                return _SUCCESS

        return _wanted(asked), run

    async def port_forward(self, namespace: str, name: str) -> Serve:
        """To be connected with ports of a pod. Raises `StatusError`."""
        await self._check_answers(await self._pod(namespace, name))
        self._check_room()

        async def serve(port: int, connection: Forwarded) -> str:
            try:
                async with self._alive(namespace, name) as (pod, life):
                    return await self._forwarded(pod, life, port, connection)
            except StatusError as error:
                return f"error forwarding port {port} to pod {name}, uid : {error.message}"

        return serve

    async def _pod(self, namespace: str, name: str) -> Object:
        return await self._client.resource("v1", "pods", namespace).get(name)

    async def _reached(self, namespace: str, name: str, asked: Object) -> ContainerSpec:
        """The container that is meant, on a node that answers, if there may be one more connection. Raises `StatusError`."""
        pod = await self._pod(namespace, name)
        spec = chosen(pod, asked.get("container") or "", self._default_container)
        await self._check_answers(pod)
        self._check_room()
        return spec

    async def _check_answers(self, pod: Object) -> None:
        """Raises `StatusError` where there is no such node, or nobody on it answers."""
        node = assigned(pod)
        if not self._reach.simulates(node):
            await self._client.resource("v1", "nodes").get(node)
        self._reach.check_answers(node)

    def begin(self) -> Callable[[], None]:
        """One more connection is open; gives what is to be called when it ends."""
        self._open += 1
        return self._ended

    def _ended(self) -> None:
        self._open -= 1

    def _check_room(self) -> None:
        if self._open >= limits.POD_CONNECTIONS:
            why = f"there are {limits.POD_CONNECTIONS} connections to pods already, which is as many as there may be"
            raise StatusError(429, "TooManyRequests", why, {"retryAfterSeconds": 1}, {"Retry-After": "1"})

    @asynccontextmanager
    async def _alive(self, namespace: str, name: str) -> AsyncIterator[tuple[Object, Life]]:
        """A pod as it is now, on a node that answers, and what becomes of it from now on. Raises `StatusError`."""
        with self._reach.lives.follow(namespace, name) as life:
            pod = await self._pod(namespace, name)
            await self._check_answers(pod)
            yield pod, life

    async def _exec(self, one: Running, life: Life, words: list[str], client: CommandClient) -> Object:
        machine = self._reach.machine_of(one.pod)

        async def run() -> int:
            async with self._reach.inside(one, machine) as inside, self._reach.probed(one, inside):
                return await run_command(words, inside, client)

        code = await unless_it_ends(one, life, asyncio.get_running_loop().create_task(run()))
        return status_of(words, code)

    async def _attach(self, one: Running, life: Life, client: CommandClient) -> None:
        """What the first process says from now on; one that waits for what comes in is given that."""
        container = container_of(one.pod, one.spec.name)
        waiting = _awaiting(one, container) if client.wanted.stdin else ()
        machine = self._reach.machine_of(one.pod)

        async def run() -> int:
            if not waiting:
                async for line in self.logs.from_now(one.pod, one.spec, life):
                    await client.write(line)
                return 0
            async with self._reach.inside(one, machine) as inside:
                words = expanded_words(waiting, inside.environment)
                said = self._reach.processes.listener(uid_of(one.pod), one.spec.name, one.started_at).said
                code = await run_command(words, inside, _Attached(client, said, self._clock, once=bool(container.get("stdinOnce"))))
                said.pause()
            self._reach.end(one.pod, one.spec.name, code)
            return code

        await unless_it_ends(one, life, asyncio.get_running_loop().create_task(run()))

    async def _forwarded(self, pod: Object, life: Life, port: int, connection: Forwarded) -> str:
        container = listening(pod).get(port)
        if container is None:
            return f"error forwarding port {port} to pod {name_of(pod)}, uid : {refused(pod, port)}"

        def gone(now: Object | None) -> bool:
            return now is None or uid_of(now) != uid_of(pod) or port not in listening(now)

        async def answer(method: str, target: str) -> Response:
            return await self.ports.answer(pod, container, port, method, target)

        loop = asyncio.get_running_loop()
        doing, over = loop.create_task(respond(connection, answer)), loop.create_task(life.until(gone))
        try:
            await asyncio.wait((doing, over), return_when=asyncio.FIRST_COMPLETED)
            if doing.done() and not isinstance(doing.exception(), ConnectionResetError):  # a client that has gone is told nothing
                doing.result()
        finally:
            doing.cancel()
            over.cancel()
            await asyncio.gather(doing, over, return_exceptions=True)
        return ""


def _wanted(asked: Object) -> Wanted:
    return Wanted(*(bool(asked.get(name)) for name in Wanted._fields))


def _awaiting(one: Running, container: Object) -> tuple[str, ...]:
    """The command line of a container's first process that waits for what comes in; empty for others."""
    if not container.get("stdin"):
        return ()
    return awaiting_input(one.spec.image, tuple(container.get("command") or ()), tuple(container.get("args") or ())) or ()


class _Attached:
    """A client who speaks to a first process: what that says is its log, too, and unless this is the only one, others may come after it."""

    def __init__(self, client: CommandClient, said: Said, clock: Clock, *, once: bool) -> None:
        self.wanted, self.resized = client.wanted, client.resized
        self._client = client
        self._said = said
        self._clock = clock
        self._once = once

    async def read(self) -> bytes:
        piece = await self._client.read()
        return piece if piece or self._once else await asyncio.get_running_loop().create_future()

    async def write(self, data: bytes) -> None:
        self._said.put_in(data, self._clock.now())
        await self._client.write(data)

    async def write_error(self, data: bytes) -> None:
        self._said.put_in(data, self._clock.now())
        await self._client.write_error(data)

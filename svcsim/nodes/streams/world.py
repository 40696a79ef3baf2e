"""A container as the programs in it see it: who they are, where they are, what time it is."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias

from svcsim.client.api import Client
from svcsim.clock import Clock
from svcsim.meta.claims import volume_of
from svcsim.meta.objects import metadata_of, name_of, namespace_of, uid_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.nodes.containers.environment import environment
from svcsim.nodes.containers.sources import NOTHING_SETTLED, Keys, Settled, Sources, container_of
from svcsim.nodes.images.base_image import base_image, node_files
from svcsim.nodes.images.users import process_status, user_of
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.machines.node import resolvers
from svcsim.nodes.shell.lines import Terminal
from svcsim.nodes.shell.network import Network, NoNetwork
from svcsim.nodes.shell.process import ListedProcess, ProcessUser
from svcsim.nodes.shell.tree import Disk, Node, Tree
from svcsim.nodes.streams.given import Find, GivenToPods, reading
from svcsim.nodes.streams.lasting import on_volume
from svcsim.nodes.streams.namespaces import ContainerProcesses, Ended
from svcsim.nodes.streams.naming import cluster_dns, hostname_of, hosts_file, resolver_of
from svcsim.nodes.streams.pod_files import AllFiles, PodFiles, Token
from svcsim.nodes.streams.running import Running
from svcsim.nodes.streams.volumes import VolumeMakers, Volumes, VolumeSources

_RENEWED_AFTER = 0.8
"""Of its lifetime, a token is replaced by another."""


Refresh = Callable[[Object], Awaitable[None]]
"""Has what is mounted into a container be as it is now, of its pod in its newest state."""


class Ticking(Protocol):
    """The time that goes by in a container: the cluster's clock, or a process's own."""

    def now(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...
    async def turn(self) -> None: ...


@dataclass(slots=True)
class ContainerWorld:
    """See `svcsim.nodes.shell.process.World`."""

    tree: Tree
    hostname: str
    user: ProcessUser
    seen: ContainerProcesses
    clock: Ticking
    end: Callable[[Ended, float], None]
    """Has the first process of a container of the pod end, or heed a signal, at a moment."""
    network: Network = field(default_factory=NoNetwork)
    terminal: Terminal | None = None
    catch_up: Callable[[], Awaitable[None]] | None = None
    """Has what runs beside it be run up to now."""

    @property
    def processes(self) -> Sequence[ListedProcess]:
        return self.seen.listed

    def now(self) -> float:
        return self.clock.now()

    async def sleep(self, seconds: float) -> None:
        await self.clock.sleep(seconds)
        await self.look()

    async def look(self) -> None:
        if self.catch_up is not None:
            await self.catch_up()

    async def turn(self) -> None:
        await self.clock.turn()

    def kill(self, pid: int, signal: int) -> None:
        for ended in self.seen.ended_by(pid, signal):
            self.end(ended, self.now())


class Inside(NamedTuple):
    """All that a command in a container needs."""

    world: ContainerWorld
    environment: dict[str, str]
    directory: str
    memory: Disk
    """Of all commands together, for what is on its way through them."""
    refresh: Refresh | None = None


End: TypeAlias = Callable[[Object, Ended, float], None]
"""Of a pod, at a moment."""


class Networks(Protocol):
    """Gives each container the network of its pod."""

    def __call__(self, pod: Object, dns: tuple[str, ...], time: Ticking, *, waits: bool) -> Network:
        """``dns`` are the addresses of the cluster's; what ``waits`` sees others as they are by now, whom nobody waits for meanwhile."""
        ...


class Insides:
    """Makes them."""

    def __init__(
        self, clock: Clock, files: AllFiles, given: GivenToPods, networks: Networks, end: End, entered: Callable[[Object], None]
    ) -> None:
        """``end`` has a container's first process end or heed a signal, ``entered`` is told of pods in which somebody is at work."""
        self._clock = clock
        self._files = files
        self._given = given
        self._networks = networks
        self._end = end
        self._entered = entered

    @asynccontextmanager
    async def of(self, running: Running, machine: Machine, time: Ticking | None = None) -> AsyncIterator[Inside]:
        """The inside of a container that runs, as it is now; ``time`` is that of who looks, where it isn't the cluster's."""
        pod, name = running.pod, running.spec.name
        client = machine.agent.heartbeat
        namespace = namespace_of(pod)

        async def find(plural: str, wanted: str) -> Object | None:
            return await client.resource("v1", plural, namespace).find(wanted)

        async def shown(plural: str, wanted: str) -> Keys:
            return self._given.shows(uid_of(pod), namespace, (plural, wanted), await find(plural, wanted))

        allocatable = allocatable_of(machine)
        container = container_of(pod, name)
        settled = await self._settled(running, container, find, allocatable)
        sources = Sources(pod, reading(find), allocatable, settled)
        hostname = hostname_of(pod)
        api_service = await the_api_service(client)
        now_linked = await linked_services(client, pod, running.started_at, api_service)
        services = self._given.services.as_of(running.started_at, now_linked, linked_namespaces(pod))
        variables = await environment(container, sources, services, hostname)
        started_at = running.started_at
        with self._files.use(uid_of(pod), name, started_at, lambda: base_image(running.spec.image, started_at)) as (files, tree):
            self._entered(pod)
            user = user_of(pod["spec"], container)
            tree.owner = (user.uid, user.gid)
            tree.read_only = bool((container.get("securityContext") or {}).get("readOnlyRootFilesystem"))
            node_files(tree, hostname, hosts_file(pod), _resolver(pod, api_service, machine), started_at)
            for one in (pod["spec"].get("securityContext") or {}).get("sysctls") or ():
                path = f"/proc/sys/{one['name'].replace('.', '/')}"
                tree.mounted(path, Node(0o644, started_at, f"{one['value']}\n".encode(), mount=True, read_only=True))
            tree.mounted("/proc/self/status", Node(0o444, started_at, process_status(pod["spec"], container).encode(), mount=True))

            async def token(audience: str, lifetime_s: int) -> bytes:
                return await self._token(client, pod, files, audience, lifetime_s)

            async def persistent_volume(claim_name: str) -> Object | None:
                claim = await client.resource("v1", "persistentvolumeclaims", namespace).find(claim_name)
                found = None if claim is None else await client.resource("v1", "persistentvolumes").find(volume_of(claim))
                if found is not None:
                    await self._files.lasting.ready(on_volume(uid_of(found)))
                return found

            async def refresh(pod: Object) -> None:
                at_start, now = Sources(pod, shown, allocatable, settled), Sources(pod, shown, allocatable)
                followed = VolumeSources(at_start, now, Sources(pod, reading(find), allocatable))
                volumes = Volumes(pod, followed, VolumeMakers(token, files, persistent_volume), started_at)
                await volumes.mount_all(tree, container, variables)

            await refresh(pod)
            if running.spec.message_path and not tree.has(running.spec.message_path):
                tree.mounted(running.spec.message_path, Node(0o666, started_at, mount=True))
            directory = container.get("workingDir") or "/"
            if not tree.has(directory):
                tree.make_directory(directory, started_at, parents=True)
            seen, end = ContainerProcesses(running), partial(self._end, pod)
            network = self._networks(pod, tuple(map(cluster_dns, api_service)), time or self._clock, waits=time is None)
            world = ContainerWorld(tree, hostname, user, seen, time or self._clock, end, network)
            try:
                yield Inside(world, variables, directory, self._files.memory, refresh)
            finally:
                self._entered(pod)

    async def _settled(self, running: Running, container: Object, find: Find, allocatable: dict[str, str]) -> Settled:
        """What a run of a container was given when it was started; what is there now, where that isn't known any more."""
        uid, name = uid_of(running.pod), running.spec.name
        given = self._given.at_start(uid, name, running.started_at)
        if given is None and self._given.knows(uid):
            given = await self._given.now(running.pod, container, find, allocatable)
            if given is not None and self._given.knows(uid):
                self._given.started(uid, name, running.started_at, given)
        return NOTHING_SETTLED if given is None else given.settled

    async def _token(self, client: Client, pod: Object, files: PodFiles, audience: str, lifetime_s: int) -> bytes:
        """Of the pod's service account, bound to the pod; as a node does it, another when this one nears its end."""
        kept = files.tokens.get((audience, lifetime_s))
        if kept is not None and self._clock.now() < kept.renew_at:
            return kept.text
        account = pod["spec"].get("serviceAccountName") or "default"
        bound = {"apiVersion": "v1", "kind": "Pod", "name": name_of(pod), "uid": uid_of(pod)}
        body = {
            "apiVersion": f"{client.dialect.group('authentication')}/v1",
            "kind": "TokenRequest",
            "spec": {"audiences": [audience] if audience else [], "expirationSeconds": lifetime_s, "boundObjectRef": bound},
        }
        made = await client.resource("v1", "serviceaccounts", namespace_of(pod)).create_subresource(account, "token", body)
        status, now = made["status"], self._clock.now()
        ends_at = parse_time(status["expirationTimestamp"])
        fresh = Token(status["token"].encode(), now + (ends_at - now) * _RENEWED_AFTER)
        files.tokens[audience, lifetime_s] = fresh
        return fresh.text


async def linked_services(client: Client, pod: Object, started_at: float, api_service: Iterable[Object]) -> list[Object]:
    """Those that a container is told of: the API server's, and with service links those of its namespace that were there before it."""
    services = list(api_service)
    for namespace in linked_namespaces(pod):
        own = await client.resource("v1", "services", namespace).list_all()
        services += [one for one in own if parse_time(metadata_of(one)["creationTimestamp"]) <= started_at]
    return services


def linked_namespaces(pod: Object) -> tuple[str, ...]:
    """Those of whose services its containers are told."""
    return () if pod["spec"].get("enableServiceLinks") is False else (namespace_of(pod),)


async def the_api_service(client: Client) -> list[Object]:
    """The API server's own, if it is there."""
    found = await client.resource("v1", "services", "default").list(field_selector=f"metadata.name={client.dialect.default_service}")
    return found.items


def _resolver(pod: Object, api_service: Iterable[Object], machine: Machine) -> str:
    return resolver_of(pod, list(map(cluster_dns, api_service)), resolvers(machine.place)).text()


def allocatable_of(machine: Machine) -> dict[str, str]:
    """What pods may have of a node, as its containers are told it."""
    shape = machine.make.shape
    return {
        "cpu": shape.allocatable_cpu,
        "memory": shape.allocatable_memory,
        "ephemeral-storage": shape.allocatable_storage,
        **machine.make.template.allocatable,
    }

"""The composition root: builds one cluster out of everything below, and is the only place that does.

Read `open_cluster` and `Cluster.__init__` from top to bottom to see what a cluster is made of. Every order that matters (authenticators,
authorizers, admission plugins, components) stands here in an explicit tuple. A cluster runs in the event loop that opens it, be that time
real or virtual; `Cluster.serve` adds the socket, and only then is the HTTP library imported.
"""

import asyncio
import base64
import gc
import hashlib
import logging
import os
import shutil
import ssl
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from svcsim import limits
from svcsim.admission.chain import Chain as AdmissionChain
from svcsim.admission.chain import selected
from svcsim.admission.default_toleration_seconds import DefaultTolerationSeconds
from svcsim.admission.namespace_lifecycle import NamespaceLifecycle
from svcsim.admission.service_account import ServiceAccount
from svcsim.admission.service_addresses import FIRST_ADDRESS, ServiceAddresses
from svcsim.auth import authenticators, authorizers, certificates
from svcsim.client.api import Client, event_decoder
from svcsim.client.events import EventRecorder
from svcsim.client.in_process import InProcessTransport
from svcsim.client.precedence import Precedence
from svcsim.clock import Chance, Clock, VirtualLoop, stopwatch, wall_time
from svcsim.controllers.deployment.controller import DeploymentController
from svcsim.controllers.endpoints.controller import EndpointsController
from svcsim.controllers.event_ttl import EventTtlController
from svcsim.controllers.garbage.controller import GarbageCollector
from svcsim.controllers.namespace import NamespaceController
from svcsim.controllers.node_lifecycle import NodeLifecycle
from svcsim.controllers.pod_gc import PodGarbage
from svcsim.controllers.replicaset.controller import ReplicaSetController
from svcsim.controllers.root_ca import RootCaController
from svcsim.controllers.service_accounts import ServiceAccountController
from svcsim.controllers.taint_eviction import TaintEviction
from svcsim.dialect import DIALECTS, Dialect, DialectName
from svcsim.kinds.all import KINDS
from svcsim.meta.codec import decode_json, encode
from svcsim.meta.errors import StatusError
from svcsim.meta.http import Request, Response
from svcsim.meta.types import Object, User
from svcsim.nodes.logs import Logs as PodLogs
from svcsim.nodes.nodes import Nodes
from svcsim.registry.core import Core
from svcsim.registry.options import Target
from svcsim.registry.registry import Registry
from svcsim.registry.scheme import Scheme
from svcsim.scheduler.scheduler import Scheduler
from svcsim.server.admin import Admin
from svcsim.server.pipeline import Pipeline
from svcsim.server.query import Query
from svcsim.server.standard_paths import Standard
from svcsim.storage.commit import Probe, no_probe
from svcsim.storage.compaction import Compactor
from svcsim.storage.store import LmdbStore

if TYPE_CHECKING:
    from svcsim.server.http import HttpFront

logger = logging.getLogger(__name__)

Durability = Literal["full", "process", "none"]

_FACTS = "cluster"
"""Under this name the store keeps what is fixed when a cluster is made."""
_TIME = "time"
_TIME_NOTED_EVERY_S = 10.0
_CONTROL_PLANE_ADDRESS = "192.168.255.1"
"""Where the API server is, as seen from inside the simulated cluster; a loopback address may not stand in Endpoints."""
_CONTROL_PLANE_PORT = 6443
_RESTART_AFTER_S = 1.0
"""Cluster seconds before a component that failed is started again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """What a cluster is to be. ``data_dir`` None makes one that leaves nothing behind."""

    dialect: DialectName = "svcapi"
    nodes: int = 3
    data_dir: Path | None = None
    durability: Durability = "full"
    history_s: float | None = limits.HISTORY_S
    """How long past revisions stay readable; None for ever."""
    clock_speed: float = 1.0
    """Cluster seconds per second; 0 starts paused."""
    start_s: float | None = None
    """When cluster time begins, in seconds since the epoch; None for the machine's time."""
    seed: int | None = None
    """Makes chance repeatable; None draws a seed when the cluster is made."""
    runtime_config: tuple[str, ...] = ()
    """Groups, versions and resources switched on and off: ``batch/v1=false``. `RuntimeConfigError` when opened, for what isn't there."""
    enable_admission_plugins: tuple[str, ...] = ()
    """Plugins to switch on that are off by default. `UnknownPluginError` when opened, for what isn't there."""
    disable_admission_plugins: tuple[str, ...] = ()
    """Plugins to leave out."""
    served: bool = False
    """Whether it will listen on a socket, and so needs certificates and a token."""


def tune_process() -> None:
    """Settings of the interpreter for a process whose work is a cluster; for its owner to make, before the cluster is opened.

    Nearly all that a request allocates is freed by reference counts, so that looking for cycles every few hundred objects, through all that
    lives, costs a quarter of the processor and finds nothing. And the thread that commits has to get its turn within a commit's time.
    """
    gc.set_threshold(*limits.GARBAGE_THRESHOLDS)
    sys.setswitchinterval(limits.THREAD_TURN_S)


def settle_process() -> None:
    """Once the cluster is up: what is there by now (modules, schemas, tables) stays, and no search for garbage need look at it again."""
    gc.collect()
    gc.freeze()


class Component(Protocol):
    """A part of the cluster that runs until it is cancelled."""

    async def run(self) -> None:
        """Do its work."""
        ...


ControllerMaker = Callable[[Client, Clock, Chance, Dialect, EventRecorder], Component]

CONTROLLERS: tuple[tuple[str, ControllerMaker], ...] = (
    ("namespace-controller", NamespaceController),
    ("service-account-controller", ServiceAccountController),
    ("deployment-controller", DeploymentController),
    ("replicaset-controller", ReplicaSetController),
    ("endpoint-controller", EndpointsController),
    ("garbage-collector", GarbageCollector),
    ("node-controller", NodeLifecycle),
    ("taint-eviction-controller", TaintEviction),
    ("pod-garbage-collector", PodGarbage),
    ("event-ttl-controller", EventTtlController),
)
"""All controllers, in the order they are started. (The one that hands out the cluster's CA needs one, and joins them where there is.)"""


class Facts(NamedTuple):
    """What is fixed when a cluster is made, and kept in its store."""

    seed: int
    token_key: bytes


class Served(NamedTuple):
    """Where a cluster can be reached, and with what."""

    url: str
    port: int
    ca_certificate: Path
    token: str


@asynccontextmanager
async def open_cluster(spec: ClusterSpec, probe: Probe = no_probe) -> "AsyncIterator[Cluster]":
    """A running cluster, for as long as the context lasts. Raises `StoreError` kinds where its data can't be opened.

    ``probe`` is called at the named points of every commit; crash tests end the process there.
    """
    directory = spec.data_dir
    temporary = None
    if directory is None:
        temporary = Path(tempfile.mkdtemp(prefix="svcsim-"))
        directory = temporary / "cluster"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        store = LmdbStore.open(
            directory / "store",
            dialect=spec.dialect,
            durability=spec.durability if temporary is None else "none",
            # On virtual time a thread would be the one thing whose pace is the machine's.
            threads=not isinstance(asyncio.get_running_loop(), VirtualLoop),
            probe=probe,
        )
        try:
            cluster = Cluster(spec, store, await _facts(store, spec), _credentials(spec, directory))
        except BaseException:
            await store.close()
            raise
        try:
            await cluster.start()
            yield cluster
        finally:
            await cluster.stop()
    finally:
        if temporary is not None:
            shutil.rmtree(temporary)


class Cluster:
    """One cluster: its parts, put together, and their life."""

    def __init__(self, spec: ClusterSpec, store: LmdbStore, facts: Facts, credentials: certificates.Credentials | None) -> None:
        self.spec = spec
        self.store = store
        self.dialect: Dialect = DIALECTS[spec.dialect]
        self.clock = Clock(_start_time(store, spec), spec.clock_speed)
        self.seed = facts.seed
        # A cluster that is started again must not be dealt the same uids and names a second time.
        self.chance = Chance(facts.seed) if not store.revision else Chance(facts.seed).fork(f"from revision {store.revision}")
        self.failures: list[BaseException] = []
        """What made components fail; the newest last."""
        self._opened_at_s = stopwatch()
        self._decode_event = event_decoder()
        self._precedence = Precedence()
        self._url = ""
        self._tasks: list[asyncio.Task[None]] = []
        self._front: HttpFront | None = None

        scheme = Scheme(self.dialect, KINDS, spec.runtime_config)
        plugins = (
            NamespaceLifecycle(store, self.dialect),
            ServiceAccount(),
            DefaultTolerationSeconds(self.dialect),
            ServiceAddresses(store, self.chance.fork("service addresses")),
        )
        admission = AdmissionChain(selected(plugins, enable=spec.enable_admission_plugins, disable=spec.disable_admission_plugins))
        core = Core(scheme, store, self.clock, self.chance.fork("registry"), admission, facts.token_key)
        self.registry = Registry(core)

        self._credentials = credentials
        admin = User(certificates.ADMIN_NAME, (authenticators.MASTERS, authenticators.AUTHENTICATED))
        tokens = {} if credentials is None else {credentials.read_admin_token(): admin}
        self.pipeline = Pipeline(
            self.registry,
            self.clock,
            self.chance.fork("server"),
            authenticators.Chain(authenticators.Transport(), authenticators.BearerTokens(tokens)),
            authorizers.Union(authorizers.Masters(), authorizers.OpenPaths()),
            connect={("pods", "log"): self._serve_log},
            extra=Admin(self.clock, store, self.status, self._fault).routes(),
            standard=Standard(stats=self._stats),
        )
        self._logs = PodLogs(self.client("kubelet", gives_way=False), self.clock)
        self.nodes = Nodes(self.client("kubelet"), self.clock, self.chance, self.dialect, spec.nodes)
        self._components = (
            ("compactor", Compactor(store, self.clock, spec.history_s).run),
            ("timekeeper", self._keep_time),
            *((("memory keeper", self._keep_memory),) if spec.served else ()),
            *self._controllers(),
            ("scheduler", self._scheduler()),
            ("nodes", self.nodes.run),
        )

    def client(self, component: str, *, gives_way: bool = True) -> Client:
        """A client in this process that acts as one of the cluster's own components.

        It gives way to clients on the wire, unless it works for one of them.
        """
        user = User(f"system:{component}", (authenticators.MASTERS, authenticators.AUTHENTICATED))
        transport = InProcessTransport(self.pipeline.handle, user, component, self._precedence if gives_way else None)
        return Client(transport, self.dialect, self._decode_event)

    def user_client(self, name: str, groups: tuple[str, ...] = ()) -> Client:
        """A client in this process that acts as a user of the cluster, who may do what that user may."""
        return Client(InProcessTransport(self.pipeline.handle, User(name, (*groups, authenticators.AUTHENTICATED))), self.dialect)

    async def _serve_log(self, target: Target, request: Request, query: Query) -> Response:  # noqa: ARG002 - a connect handler's signature
        return await self._logs.serve_log(target.namespace, target.name, {name: values[0] for name, values in query.items()})

    def _controllers(self) -> tuple[tuple[str, Callable[[], Awaitable[None]]], ...]:
        client = self.client("kube-controller-manager")
        runs: list[tuple[str, Callable[[], Awaitable[None]]]] = []
        makers = CONTROLLERS
        if self._credentials is not None:
            makers = (*makers, ("root-ca-publisher", partial(RootCaController, ca_pem=self._credentials.ca_certificate.read_text())))
        for name, controller in makers:
            chance = self.chance.fork(name)
            events = EventRecorder(client, self.clock, chance.fork("events"), name)
            runs.append((f"{name} events", events.run))
            runs.append((name, controller(client, self.clock, chance, self.dialect, events).run))
        return tuple(runs)

    def _scheduler(self) -> Callable[[], Awaitable[None]]:
        client = self.client("kube-scheduler")
        chance = self.chance.fork("scheduler")
        events = EventRecorder(client, self.clock, chance.fork("events"), "default-scheduler")
        scheduler = Scheduler(client, self.clock, chance, self.dialect, events)

        async def run() -> None:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(events.run(), name="scheduler events")
                tasks.create_task(scheduler.run(), name="scheduler")

        return run

    async def start(self) -> None:
        """Bring the first objects into being and every component to life."""
        await self._make_first_objects()
        self._tasks = [asyncio.create_task(self._supervise(name, run), name=name) for name, run in self._components]

    async def _supervise(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Run a component; one that fails is told of, and started again."""
        while True:
            task = asyncio.ensure_future(run())
            try:
                await asyncio.wait((task,))
            finally:
                task.cancel()
            failure = None if task.cancelled() else task.exception()
            if failure is None:
                return
            self.failures.append(failure)
            del self.failures[: -limits.KEPT_FAILURES]
            logger.error("%s failed and is started again", name, exc_info=failure)
            await self.clock.sleep(_RESTART_AFTER_S)

    async def stop(self) -> None:
        """End everything in good order; what was answered is kept."""
        if self._front is not None:
            await self._front.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.store.put_meta(_TIME, repr(self.clock.now()).encode())
        await self.store.close()

    async def serve(self, host: str = "127.0.0.1", port: int = 0) -> Served:
        """Listen for HTTPS requests; port 0 takes a free one. Raises `OSError` where the address can't be had."""
        from svcsim.server.http import HttpFront  # noqa: PLC0415 - runs without a socket don't pay for it

        credentials = self._credentials
        if credentials is None:
            raise ValueError("a cluster that is to be served is made so: ClusterSpec(served=True)")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(credentials.server_certificate, credentials.server_key)
        context.load_verify_locations(credentials.ca_certificate)
        context.verify_mode = ssl.CERT_OPTIONAL
        self._front = HttpFront(self._precedence.first(self.pipeline.handle), peer_user=authenticators.user_of_certificate)
        bound = await self._front.start(host, port, context)
        self._url = f"https://{host}:{bound}"
        return Served(self._url, bound, credentials.ca_certificate, credentials.read_admin_token())

    def status(self) -> Object:
        """What ``svcsim status`` tells."""
        return {
            "pid": os.getpid(),
            "url": self._url,
            "dialect": self.dialect.name,
            "revision": self.store.revision,
            "objects": self.store.stats().objects,
            "rssBytes": _resident_bytes(),
            "uptimeSeconds": round(stopwatch() - self._opened_at_s, 3),
            "seed": self.seed,
            "clockSpeed": self.clock.speed,
        }

    def _stats(self) -> dict[str, float]:
        stats = self.store.stats()
        return {f"svcsim_store_{name}": value for name, value in stats._asdict().items()}

    async def _fault(self, wish: Object) -> Object:
        """Put a fault in place, or take one back."""
        taken_back = wish.get("remove")
        if taken_back is not None:
            return {"removed": self.nodes.faults.remove(str(taken_back))}
        return {"id": self.nodes.faults.add(wish)}

    async def _keep_time(self) -> None:
        """Note the cluster's time now and then, so that it doesn't go back when a cluster with a clock of its own is started again."""
        while True:
            await self.clock.sleep(_TIME_NOTED_EVERY_S * max(self.clock.speed, 1.0))
            await self.store.put_meta(_TIME, repr(self.clock.now()).encode())

    async def _keep_memory(self) -> None:
        """Look after the process's size, by the machine's time."""
        while True:
            self.store.limit_mapped()
            await self.clock.sleep(limits.MAPPED_CHECK_S * max(self.clock.speed, 1.0))

    async def _make_first_objects(self) -> None:
        client = self.client("apiserver")
        for name in self.dialect.system_namespaces:
            await _ensure(client, "v1", "namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        labels = {"component": "apiserver", "provider": self.dialect.default_service}
        service: Object = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": self.dialect.default_service, "namespace": "default", "labels": labels},
            "spec": {
                "type": "ClusterIP",
                "clusterIP": FIRST_ADDRESS,
                "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": _CONTROL_PLANE_PORT}],
            },
        }
        await _ensure(client, "v1", "services", service)
        endpoints: Object = {
            "apiVersion": "v1",
            "kind": "Endpoints",
            "metadata": {"name": self.dialect.default_service, "namespace": "default"},
            "subsets": [
                {
                    "addresses": [{"ip": _CONTROL_PLANE_ADDRESS}],
                    "ports": [{"name": "https", "port": _CONTROL_PLANE_PORT, "protocol": "TCP"}],
                }
            ],
        }
        await _ensure(client, "v1", "endpoints", endpoints)
        name, group_version = self.dialect.default_service, f"{self.dialect.group('discovery')}/v1"
        piece: Object = {
            "apiVersion": group_version,
            "kind": "EndpointSlice",
            "metadata": {"name": name, "namespace": "default", "labels": {self.dialect.key("service-name"): name}},
            "addressType": "IPv4",
            "endpoints": [{"addresses": [_CONTROL_PLANE_ADDRESS], "conditions": {"ready": True}}],
            "ports": [{"name": "https", "port": _CONTROL_PLANE_PORT, "protocol": "TCP"}],
        }
        await _ensure(client, group_version, "endpointslices", piece)


async def _ensure(client: Client, api_version: str, plural: str, obj: Object) -> None:
    """Create an object unless it is there."""
    try:
        await client.resource(api_version, plural, obj["metadata"].get("namespace", "")).create(obj)
    except StatusError as error:
        if error.reason != "AlreadyExists":
            raise


def _credentials(spec: ClusterSpec, directory: Path) -> certificates.Credentials | None:
    if not spec.served:
        return None
    service = DIALECTS[spec.dialect].default_service
    return certificates.ensure(
        directory / "pki", [f"{service}{rest}" for rest in ("", ".default", ".default.svc", ".default.svc.cluster.local")]
    )


async def _facts(store: LmdbStore, spec: ClusterSpec) -> Facts:
    """What was fixed when the cluster was made; made now if this is its first start."""
    kept = store.get_meta(_FACTS)
    if kept is not None:
        known = decode_json(kept)
        return Facts(known["seed"], base64.b64decode(known["tokenKey"]))
    seed = Chance(spec.seed).seed
    # Where a seed is given, everything follows from it; else the key is as unguessable as the seed that was drawn.
    key = hashlib.sha256(f"continue tokens/{seed}/{'' if spec.seed is not None else Chance().seed}".encode()).digest()
    facts = Facts(int(seed), key)
    await store.put_meta(_FACTS, encode({"seed": facts.seed, "tokenKey": base64.b64encode(key).decode()}))
    return facts


def _start_time(store: LmdbStore, spec: ClusterSpec) -> float:
    """When cluster time goes on: never before where it stood."""
    noted = store.get_meta(_TIME)
    wanted = wall_time() if spec.start_s is None else spec.start_s
    return wanted if noted is None else max(wanted, float(noted))


def _resident_bytes() -> int:
    """Memory this process holds, as the operating system counts it; 0 where it doesn't say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

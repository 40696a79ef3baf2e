"""One cluster, put together, and its life.

Read `Cluster.__init__` beside `assembling` and `running` to see how its parts hang together; which admission plugins and controllers there
are, and in what order, stands in `parts`. A cluster runs in the event loop that opens it, be that time real or virtual; `Cluster.serve`
adds the socket, and only then is the HTTP library imported.
"""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from svcsim.auth import certificates
from svcsim.client.api import Client
from svcsim.clock import Clock
from svcsim.cluster import assembling, data_directory
from svcsim.cluster.cluster_info import publish_cluster_info
from svcsim.cluster.controller_choice import NODES
from svcsim.cluster.encryption import Encryption, encrypt
from svcsim.cluster.facts import Facts, facts_of
from svcsim.cluster.first_objects import brought_up_to_date
from svcsim.cluster.first_steps import FirstSteps
from svcsim.cluster.heartbeats_seen import heard_of_by_writes
from svcsim.cluster.keepers import (
    TIME_LOOKED_AT_ALONE_EVERY_S,
    TIME_LOOKED_AT_EVERY_S,
    MemoryKeeper,
    Run,
    Supervisor,
    TimeKeeper,
    start_time,
)
from svcsim.cluster.named_files import check_files
from svcsim.cluster.restored_objects import RestoredObjects
from svcsim.cluster.running import Components, components, follow_types, inform
from svcsim.cluster.spec import ClusterSpec, settled
from svcsim.cluster.tls import server_context
from svcsim.dialect import DIALECTS
from svcsim.kinds.all import CATALOGUE
from svcsim.meta.files import make_directory
from svcsim.meta.networks import first_address
from svcsim.meta.types import Object, User
from svcsim.registry.expiry import EventExpiry
from svcsim.rest import Work
from svcsim.storage.commit import Probe, no_probe
from svcsim.storage.compaction import Compactor
from svcsim.storage.contract import Store
from svcsim.storage.store import LmdbStore
from svcsim.virtual_loop import VirtualLoop

if TYPE_CHECKING:
    from svcsim.server.http.front import HttpFront


class Served(NamedTuple):
    """Where a cluster can be reached, and with what."""

    url: str
    port: int
    ca_certificate: Path
    token: str


KIND_NAMES = tuple(dict.fromkeys(kind.name for kind in CATALOGUE))
"""The kinds every cluster has, for who wants to know before there is one."""


@asynccontextmanager
async def open_cluster(spec: ClusterSpec, probe: Probe = no_probe) -> AsyncIterator["Cluster"]:
    """A running cluster, for as long as the context lasts. Raises `StoreError` kinds where its data can't be opened.

    ``probe`` is called at the named points of every commit; crash tests end the process there.
    """
    check_files(spec)
    spec = settled(spec)
    directory = spec.data_dir
    temporary = None
    if directory is None:
        temporary = Path(tempfile.mkdtemp(prefix="svcsim-"))
        directory = temporary / "cluster"
    try:
        make_directory(directory)
        work = Work()
        store = LmdbStore.open(
            directory / data_directory.STORE,
            dialect=spec.dialect,
            durability=spec.durability if temporary is None else "none",
            # On virtual time a thread would be the one thing whose pace is the machine's.
            threads=not isinstance(asyncio.get_running_loop(), VirtualLoop),
            probe=probe,
            work=work,
        )
        try:
            clock = Clock(start_time(store, spec.start_s, spec.clock_speed), spec.clock_speed, work)
            encryption = await encrypt(store, spec.encryption, DIALECTS[spec.dialect])
            cluster = Cluster(spec, store, clock, await facts_of(store, spec.seed), _credentials(spec, directory), encryption)
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

    def __init__(
        self,
        spec: ClusterSpec,
        store: Store,
        clock: Clock,
        facts: Facts,
        credentials: certificates.Credentials | None,
        encryption: Encryption | None = None,
    ) -> None:
        self.spec = spec
        self.store = store
        self.clock = clock
        self.seed = facts.seed
        self.loaded = asyncio.Event()
        """Set once all that is loaded at some time has been."""
        self._credentials = credentials
        self._encryption = encryption
        self._front: HttpFront | None = None
        self._supervisor = Supervisor(clock)
        self.failures = self._supervisor.failures
        """What made components fail; the newest last."""
        self._time_keeper = TimeKeeper(store, clock, TIME_LOOKED_AT_EVERY_S if spec.served else TIME_LOOKED_AT_ALONE_EVERY_S)

        base = assembling.foundation(spec, store, clock, facts, credentials)
        deciding = assembling.deciding(base)
        server = assembling.api_server(base, deciding, self._supervisor, self._time_keeper.note)
        self._followers = assembling.followers(base, server)
        made = components(base, deciding, server, self._followers)
        later = self._later = base.later
        later.registry, later.clients, later.served_types = server.registry, self._followers.clients, self._followers.served_types
        later.manager, later.nodes, later.scheduler = made

        self._base, self._server = base, server
        self.dialect, self.chance = base.given.dialect, base.given.chance
        self.registry, self.pipeline, self.answers = server.registry, server.pipeline, server.answers
        self.informers, self.served_types = self._followers.informers, self._followers.served_types
        self.nodes = made.nodes
        self.webhook_faults = base.given.webhook_faults
        self._clients = self._followers.clients
        self._precedence = base.precedence
        self._first_steps = FirstSteps(base.given, self._clients, server.aggregation)
        self._runs = tuple(self._all_that_runs(made))

    def _all_that_runs(self, made: Components) -> Iterator[tuple[str, Run]]:
        """What runs until the cluster stops, in the order it is started."""
        core, store, clock, encryption = self.registry.core, self.store, self.clock, self._encryption
        lasting = self._first_steps.lasting_objects()
        yield "compactor", Compactor(store, clock, self.spec.history_s).run
        yield "event expiry", EventExpiry(core).run
        yield "objects of the cluster's own", RestoredObjects(self._clients.api_server(), clock, store, core.scheme, lasting).run
        yield "timekeeper", self._time_keeper.run
        if encryption is not None and self.spec.encryption.automatic_reload:
            yield "encryption", partial(encryption.follow, clock)
        if self.spec.served:
            yield "memory keeper", MemoryKeeper(store).run
        yield "informers", partial(inform, self._followers)
        yield "served types", partial(follow_types, self._followers, core.scheme, clock, self.loaded)
        yield from made.manager.runs()
        if made.scheduler is not None:
            yield "scheduler", made.scheduler.run
        if made.manager.choice.runs(NODES):
            yield "nodes", made.nodes.run

    def client(self, name: str) -> Client:
        """A client in this process for who runs the cluster: it may do everything, and gives way to clients on the wire."""
        return self._clients.administrator(name)

    def user_client(self, user: User) -> Client:
        """A client in this process that acts as a user of the cluster, who may do what that user may."""
        return self._clients.user(user)

    def status(self) -> Object:
        """What ``svcsim status`` tells."""
        return self.answers.status()

    async def start(self) -> None:
        """Bring the first objects into being and every component to life; where clients are served, that is once they can be answered."""
        given, recording = self._base.given, self._server.audit
        if recording is not None:
            recording.auditing.start()
        heard_of_by_writes(self.store, given.listers, self.dialect, self.nodes.heartbeat)
        await given.listers.start()
        await self._base.custom_types.start()
        await self._first_steps.take()
        if not self.spec.served:
            self._supervisor.start(self._runs)

    async def serve(self, host: str = "127.0.0.1") -> Served:
        """Listen for HTTPS requests. Raises `OSError` where the address can't be had."""
        from svcsim.server.http.front import HttpFront  # noqa: PLC0415 - runs without a socket don't pay for it

        credentials = self._credentials
        if credentials is None:
            raise ValueError("a cluster that is to be served is made so: ClusterSpec(served=True)")
        self._front = HttpFront(self._precedence.first(self.pipeline.handle))
        bound = await self._front.start(host, self.spec.port, server_context(self.spec, credentials))
        url = self._later.url = f"https://{host}:{bound}"
        if self.spec.certificates.bootstrap_tokens:
            ca_pem = credentials.ca_certificate.read_bytes()
            told = publish_cluster_info(self.client(self.dialect.api_server), self.dialect, url, ca_pem)
            await brought_up_to_date(told, again=True)
        self._supervisor.start(self._runs)
        return Served(url, bound, credentials.ca_certificate, credentials.read_admin_token())

    async def stop(self) -> None:
        """End everything in good order; what was answered is kept."""
        if self._front is not None:
            await self._front.close()
        await self._supervisor.stop()
        if self._server.audit is not None:
            await self._server.audit.auditing.stop()
        await self._base.given.outbound.close()
        await self._time_keeper.note()
        await self.store.close()

    def on_pace(self, keep: Callable[[float], Awaitable[None]]) -> None:
        """Have the pace kept that somebody gives the clock, for the next start."""
        self._time_keeper.on_pace = keep


def _credentials(spec: ClusterSpec, directory: Path) -> certificates.Credentials | None:
    if not spec.served:
        return None
    dialect = DIALECTS[spec.dialect]
    address = first_address(spec.service_cluster_ip_range[0])
    names = [f"{dialect.default_service}{rest}" for rest in ("", ".default", ".default.svc", ".default.svc.cluster.local")]
    return certificates.ensure(directory / data_directory.PKI, names, (address,), dialect.administrator, synced=spec.data_dir is not None)

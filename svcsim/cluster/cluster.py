"""One cluster, put together.

Read `open_cluster` and `Cluster.__init__` from top to bottom to see how its parts hang together; which parts there are, and in what
order, stands in `parts`. A cluster runs in the event loop that opens it, be that time real or virtual; `Cluster.serve` adds the socket,
and only then is the HTTP library imported.
"""

import asyncio
import math
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from svcsim.admission.counted import AdmissionCounted
from svcsim.admission.resource_quota.ledger import QuotaLedger
from svcsim.admission.webhooks.faults import WebhookFaults
from svcsim.auth import certificates
from svcsim.client.api import Client
from svcsim.client.controller import Controller, ControllerContext
from svcsim.client.discovery import ServedTypes
from svcsim.client.events import EventRecorder
from svcsim.client.informers import Informers
from svcsim.client.precedence import Precedence, unanswered
from svcsim.clock import Chance, Clock, VirtualLoop
from svcsim.cluster import data_directory, identities, parts
from svcsim.cluster.access import access
from svcsim.cluster.auditing import audit
from svcsim.cluster.certificates import signer
from svcsim.cluster.clients import Clients
from svcsim.cluster.cluster_info import publish_cluster_info
from svcsim.cluster.component_statuses import component_statuses
from svcsim.cluster.controller_choice import NODES, SCHEDULER, ControllerChoice
from svcsim.cluster.default_roles.objects import default_roles
from svcsim.cluster.default_roles.reconciliation import reconcile_roles
from svcsim.cluster.encryption import Encryption, encrypt
from svcsim.cluster.evictions import Evictions
from svcsim.cluster.extension_authentication import config_map, front_proxy, publish
from svcsim.cluster.facts import Facts, facts_of
from svcsim.cluster.first_objects import FirstObjects, brought_up_to_date, check_served, first_objects, make_first_objects
from svcsim.cluster.heartbeats_seen import heard_of_by_writes
from svcsim.cluster.keepers import TIME_LOOKED_AT_EVERY_S, TIME_NOTED_EVERY_S, MemoryKeeper, Run, Supervisor, TimeKeeper, start_time
from svcsim.cluster.named_files import check_files
from svcsim.cluster.node_ranges import node_ranges
from svcsim.cluster.process import outbound_connections, resident_bytes
from svcsim.cluster.restored_objects import RestoredObjects
from svcsim.cluster.service_accounts import account_tokens
from svcsim.cluster.settings import to_json
from svcsim.cluster.spec import ClusterSpec, settled
from svcsim.cluster.storage_objects import storage_objects
from svcsim.cluster.surroundings import Surroundings
from svcsim.cluster.tls import server_context
from svcsim.controllers.api_services.local import registered, registration
from svcsim.controllers.service_account_tokens import Sign
from svcsim.controllers.trims import trims
from svcsim.dialect import DIALECTS, Dialect
from svcsim.kinds.all import CATALOGUE, kinds_of, of_others
from svcsim.kinds.apiextensions.custom_types import CustomTypes
from svcsim.meta.cidr_set import CidrSet
from svcsim.meta.errors import conflict, insufficient_storage
from svcsim.meta.files import make_directory
from svcsim.meta.http import Request, Response
from svcsim.meta.incidents import Incidents
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.networks import first_address
from svcsim.meta.selectors import LabelSelector
from svcsim.meta.types import GroupResource, GroupVersion, Object, User
from svcsim.meta.webhook_faults import WEBHOOK_FAULTS
from svcsim.metrics.simulated_metrics import MetricSources, SimulatedMetrics
from svcsim.nodes.connecting.connections import Connections as PodConnections
from svcsim.nodes.machines.heartbeat import LEASES
from svcsim.nodes.machines.heartbeat import NODES as NODE_RESOURCE
from svcsim.nodes.machines.roster import read_roster
from svcsim.nodes.nodes import Nodes, NodesContext
from svcsim.nodes.proxied.agent import AgentAnswers, Measures
from svcsim.nodes.proxied.agent_logs import AgentLogs
from svcsim.nodes.proxied.proxies import Proxies
from svcsim.nodes.staged.files import read_stages
from svcsim.nodes.staged.playing import MANAGER
from svcsim.nodes.staged.stage import Stage
from svcsim.nodes.staged.staging import ACCOUNT as STAGES_ACCOUNT
from svcsim.nodes.staged.staging import Stages
from svcsim.outbound.conversion import converter_of
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.services import Services
from svcsim.registry.core import Core, decode_record
from svcsim.registry.expiry import EventExpiry
from svcsim.registry.kind import WorkOut
from svcsim.registry.lister import Listers
from svcsim.registry.options import Caller, Target, WriteOptions
from svcsim.registry.registry import Registry
from svcsim.registry.scheme import Scheme
from svcsim.registry.writes import Patcher
from svcsim.rest import Work
from svcsim.scheduler.scheduler import Scheduler
from svcsim.server.aggregation.aggregation import Aggregation
from svcsim.server.audit.recent import RecentRequests
from svcsim.server.audit.recent_path import PATH as RECENT_PATH
from svcsim.server.audit.recent_path import RecentPath
from svcsim.server.pipeline import Deciders, Observers, Pipeline
from svcsim.server.plain.admin import Admin
from svcsim.server.plain.schedule_path import PATH as SCHEDULE_PATH
from svcsim.server.plain.schedule_path import SchedulePath
from svcsim.server.plain.why_path import PATH as WHY_PATH
from svcsim.server.plain.why_path import WhyPath
from svcsim.server.proxying.handing_on import handed_on
from svcsim.server.requests.onlookers import Behind, Kept
from svcsim.server.standard_paths import Standard
from svcsim.server.streaming.port_forward import forward
from svcsim.server.streaming.remote_command import connect
from svcsim.storage.commit import Probe, no_probe
from svcsim.storage.compaction import Compactor
from svcsim.storage.contract import Key, Store, StoreError
from svcsim.storage.store import LmdbStore
from svcsim.wall import stopwatch

if TYPE_CHECKING:
    from svcsim.server.http.front import HttpFront


class Served(NamedTuple):
    """Where a cluster can be reached, and with what."""

    url: str
    port: int
    ca_certificate: Path
    token: str


_ROSTER = "nodes"
"""Under this name the store keeps which simulated nodes there are."""
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
        self.dialect: Dialect = DIALECTS[spec.dialect]
        self.clock = clock
        self.seed = facts.seed
        # A cluster that is started again must not be dealt the same uids and names a second time.
        self.chance = Chance(facts.seed) if not store.revision else Chance(facts.seed).fork(f"from revision {store.revision}")
        self.loaded = asyncio.Event()
        """Set once all that is loaded at some time has been."""
        self._supervisor = Supervisor(self.clock)
        self.failures = self._supervisor.failures
        """What made components fail; the newest last."""
        self._time_keeper = TimeKeeper(store, self.clock, TIME_LOOKED_AT_EVERY_S if spec.served else TIME_NOTED_EVERY_S)
        self._opened_at_s = stopwatch()
        self._precedence = Precedence(self.clock.work)
        self._url = ""
        self._front: HttpFront | None = None

        scheme = Scheme(self.dialect, kinds_of(self.dialect), spec.runtime_config, of_others(self.dialect))
        check_served(scheme)
        self._listers = Listers(store)
        self.outbound = Outbound(Services(self._listers.of("services"), self._slices_of), self.clock.work, outbound_connections())
        converters = partial(converter_of, dialect=self.dialect, outbound=self.outbound, chance=self.chance.fork("conversion"))
        self._custom_types = CustomTypes(scheme, store, converters)
        incidents = Incidents(self.chance.fork("server"))
        self._quotas = QuotaLedger(store, scheme)
        self._webhook_faults = WebhookFaults(self.clock, self.chance.fork("webhook faults"), unanswered)
        self._admission_counted = AdmissionCounted()
        given = Surroundings(
            spec,
            self.dialect,
            scheme,
            self._listers,
            store,
            self.clock,
            self.chance,
            incidents,
            self.outbound,
            self._precedence.behind,
            self._make_namespace,
            self._quotas,
            self._patch_status,
            self._webhook_faults,
            self._admission_counted,
            credentials,
        )
        tokens = account_tokens(given, facts.seed, store.get, self._label_secret, lambda: self._url)
        who = access(given, tokens)
        admission = parts.admission_chain(given._replace(authorizer=who.authorizer))
        core = Core(scheme, store, self.clock, self.chance.fork("registry"), admission, facts.token_key)

        self._credentials = credentials
        api_services = f"apiservices.{self.dialect.group('apiregistration')}"
        self._aggregation = Aggregation(self.outbound, self._listers.of(api_services), front_proxy(credentials, spec))
        evictions = Evictions(self._listers.of("poddisruptionbudgets.policy"), self._patch_status, self.clock)
        self._audit = audit(given, scheme)
        recent = RecentRequests(self.clock, RECENT_PATH) if spec.served else None
        self.registry = Registry(core, parts.answers(who, self._find, self._worked_out(), evictions, tokens))
        self.pipeline = Pipeline(
            self.registry,
            self.clock,
            incidents,
            Deciders(who.authenticator, who.authorizer, who.of_components),
            connect={
                ("pods", "log"): self._serve_log,
                ("pods", "exec"): self._serve_exec,
                ("pods", "attach"): self._serve_attach,
                ("pods", "portforward"): self._serve_port_forward,
                ("pods", "proxy"): self._serve_pod_proxy,
                ("services", "proxy"): self._serve_service_proxy,
                ("nodes", "proxy"): self._serve_node_proxy,
            },
            standard=Standard(
                ready=(("store", lambda: not store.trouble),),
                stats=self._stats,
                series=self._series,
                paths=tokens.paths,
                unlisted={
                    **Admin(clock, store, self.status, self._fault, self._wish_about_nodes, self._asker, self._time_keeper.note).routes(),
                    **({} if recent is None else RecentPath(recent).routes()),
                    **self._metrics.routes(),
                    SCHEDULE_PATH: SchedulePath(self._explain_schedule).answer,
                    WHY_PATH: WhyPath(self._known_of).answer,
                },
                aggregation=self._aggregation,
            ),
            observers=Observers(None if self._audit is None else self._audit.auditing, recent),
            kept=self._kept_by_nodes(),
        )
        self._clients = Clients(self.pipeline.handle, self._precedence, self.dialect)
        followers = self._clients.component(identities.MANAGER, "kube-controller-manager")
        self.informers = Informers(followers, self.clock, self.chance.fork("informers"), trims(self.dialect))
        self.served_types = ServedTypes(followers, self.clock)
        self._poke_on_changes(scheme)
        self._reconciling: dict[str, Controller] = {}  # controllers that run, by their names
        self._choice, self._controllers = self._chosen(tokens.signer.sign_legacy)
        self.nodes = Nodes(self._nodes_context(), read_roster(store.get_meta(_ROSTER), spec.nodes, self.dialect))
        self._connections = PodConnections(self._clients.api_server(gives_way=False), self.clock, self.nodes.reach)
        self._own_scheduler = self._scheduler() if self._choice.runs(SCHEDULER) else None
        self._components = parts.components(
            compactor=Compactor(store, self.clock, spec.history_s).run,
            event_expiry=EventExpiry(core).run,
            restored_objects=RestoredObjects(self._clients.api_server(), self.clock, store, scheme, self._lasting_objects()).run,
            time_keeper=self._time_keeper.run,
            encryption=partial(encryption.follow, clock) if encryption is not None and spec.encryption.automatic_reload else None,
            memory_keeper=MemoryKeeper(store).run if spec.served else None,
            informers=self._inform,
            served_types=self._follow_types,
            controllers=tuple(self._runs()),
            scheduler=self._own_scheduler.run if self._own_scheduler is not None else None,
            nodes=self.nodes.run if self._choice.runs(NODES) else None,
        )

    def _heard(self, node_name: str) -> float | None:
        """Nodes are made after those who watch over them."""
        return self.nodes.heartbeat.heard(node_name)

    def _kept_by_nodes(self) -> Kept:
        """What nodes write when somebody is about to see it."""

        def behind(plural: str) -> Behind:
            return Behind(
                lambda name: self.nodes.heartbeat.catch_up(plural, name),
                lambda is_watched: self.nodes.heartbeat.watched(plural, is_watched),
            )

        return {("", NODE_RESOURCE): behind(NODE_RESOURCE), (self.dialect.group("coordination"), LEASES): behind(LEASES)}

    def client(self, name: str) -> Client:
        """A client in this process for who runs the cluster: it may do everything, and gives way to clients on the wire."""
        return self._clients.administrator(name)

    def user_client(self, user: User) -> Client:
        """A client in this process that acts as a user of the cluster, who may do what that user may."""
        return self._clients.user(user)

    def _asker(self, request: Request) -> Client:
        return self._clients.asker(request)

    async def _find(self, plural: str, namespace: str, name: str) -> Object | None:
        """An object of the core group, as it is now."""
        current = self.registry.core.latest(Key(plural, namespace, name))
        return None if current is None else decode_record(current)

    async def _label_secret(self, namespace: str, name: str, key: str, value: str) -> None:
        """While a request waits for it."""
        client = self._clients.api_server(gives_way=False)
        secrets = client.resource("v1", "secrets", namespace)
        await secrets.patch(name, {"metadata": {"labels": {key: value}}})

    async def _make_namespace(self, name: str) -> None:
        """While a request waits for it."""
        namespaces = self._clients.api_server(gives_way=False).resource("v1", "namespaces")
        await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    async def _patch_status(
        self, api_version: str, plural: str, namespace: str, name: str, change: Patcher, *, dry_run: bool = False
    ) -> Object:
        """Write the status of an object on behalf of the API server itself."""
        resource = self.registry.core.scheme.find(GroupVersion.parse(api_version), plural)
        assert resource is not None, f"{plural} are asked for where there are some"
        caller = Caller(identities.API_SERVER, self.dialect.api_server, dry_run)
        target = Target(resource, namespace, name, resource.windows["status"])
        return decode_record(await self.registry.patch(target, change, caller, WriteOptions()))

    async def _component_statuses(self, _namespace: str, _name: str, _labels: LabelSelector | None) -> list[Object]:
        """What Kubernetes calls the parts of a control plane, and what troubles them; the store is in etcd's place."""
        trouble = self._supervisor.trouble
        return component_statuses(
            {
                "controller-manager": trouble(name for name, _ in self._controllers),
                "etcd-0": self.store.trouble,
                "scheduler": trouble(("scheduler",)),
            }
        )

    @cached_property
    def _metrics(self) -> SimulatedMetrics:
        sources = MetricSources(self._metrics_client, lambda: self.served_types, self.clock, str(self.seed), self.dialect)
        return SimulatedMetrics(sources)

    def _worked_out(self) -> dict[str, WorkOut]:
        """Who tells, by kind, what is worked out whenever somebody asks."""
        return {
            "ComponentStatus": self._component_statuses,
            "PodMetrics": self._metrics.of_pods,
            "NodeMetrics": self._metrics.of_nodes,
        }

    def _metrics_client(self) -> Client:
        return self._clients.api_server(gives_way=False)

    async def _serve_log(self, target: Target, _request: Request, options: Object) -> Response:
        return await self._connections.logs.serve_log(target.namespace, target.name, options)

    async def _serve_exec(self, target: Target, request: Request, options: Object) -> Response:
        return connect(request, *await self._connections.exec(target.namespace, target.name, options), self._connections.begin)

    async def _serve_attach(self, target: Target, request: Request, options: Object) -> Response:
        return connect(request, *await self._connections.attach(target.namespace, target.name, options), self._connections.begin)

    async def _serve_port_forward(self, target: Target, request: Request, options: Object) -> Response:
        serve = await self._connections.port_forward(target.namespace, target.name)
        return forward(request, options.get("ports") or (), serve, self._connections.begin)

    async def _serve_pod_proxy(self, target: Target, request: Request, options: Object) -> Response:
        return await handed_on(request, options.get("path") or "", await self._proxies.pod(target.namespace, target.name))

    async def _serve_service_proxy(self, target: Target, request: Request, options: Object) -> Response:
        return await handed_on(request, options.get("path") or "", await self._proxies.service(target.namespace, target.name))

    async def _serve_node_proxy(self, target: Target, request: Request, options: Object) -> Response:
        return await handed_on(request, options.get("path") or "", await self._proxies.node(target.name))

    @cached_property
    def _proxies(self) -> Proxies:
        """Made when somebody first asks below a ``proxy`` path, which nobody does in most clusters."""
        client = self._clients.api_server(gives_way=False)
        measures = Measures(self._metrics.summary, self._metrics.resource_series, self._metrics.cadvisor_series)
        agent = AgentAnswers(client, AgentLogs(client, self._connections.logs), measures)
        return Proxies(client, self.nodes.reach, self._slices_of, agent, self._connections.ports, self.chance.fork("service proxies"))

    def _chosen(self, sign: Sign) -> tuple[ControllerChoice, parts.ControllerMakers]:
        """Which controllers run, and which of those there may be."""
        ca_pem = "" if self._credentials is None else self._credentials.ca_certificate.read_text()
        scheme = self.registry.core.scheme

        def on_change(listener: Callable[[], None]) -> None:
            scheme.on_change(lambda _: listener())

        aggregation = parts.Aggregated(scheme.group_versions, on_change, self._aggregation.probe.check)
        signing = parts.Signing(sign, signer(self.spec.certificates, self._credentials, self.clock, self.dialect))
        own = parts.of_bootstrap_tokens(self.dialect) if self.spec.certificates.bootstrap_tokens else ()
        ranges = parts.of_nodes(self._node_ranges(), self._heard)
        own = (*ranges, *parts.of_quotas(self._quotas), *own)
        makers = (*parts.controllers(ca_pem, signing, aggregation if self._has_api_services() else None), *own)
        choice = ControllerChoice(self.spec.controllers, (name for name, _ in makers))
        return choice, tuple(maker for maker in makers if choice.runs(maker[0]))

    def _poke_on_changes(self, scheme: Scheme) -> None:
        """Whoever follows the types that are served looks again when some come or go."""
        scheme.on_change(lambda change: self.served_types.poke(change.group_versions))
        self._aggregation.remotes.on_change(self.served_types.poke)

    def _runs(self) -> Iterator[tuple[str, Run]]:
        """What those do that were chosen."""
        for name, make in self._controllers:
            context = self._context(self._clients.account(name), name, identities.reporter(name))
            made = make(context)
            if isinstance(made, Controller):
                self._reconciling[name] = made
            yield f"{name} events", context.events.run
            yield name, made.run

    def _context(self, client: Client, name: str, component: str) -> ControllerContext:
        """What a controller works with. ``component`` is what its events say they come from."""
        chance = self.chance.fork(name)
        events = EventRecorder(client, self.clock, component)
        return ControllerContext(client, self.informers, self.served_types, self.clock, chance, self.dialect, events)

    def _scheduler(self) -> Scheduler:
        client = self._clients.component(identities.SCHEDULER, "kube-scheduler")
        names = self.spec.scheduler_names
        context = self._context(client, "scheduler", names[0])
        others = {name: EventRecorder(client, self.clock, name) for name in names[1:]}
        return Scheduler(context, {names[0]: context.events, **others})

    async def _explain_schedule(self, namespace: str, name: str) -> Object:
        if self._own_scheduler is None:
            why = "no scheduler of svcsim's own runs in this cluster: it was left out with --controllers"
            raise conflict(GroupResource("", "pods"), name, why)
        return await self._own_scheduler.explainer.explain(namespace, name)

    async def _known_of(self, api_version: str, kind: str, namespace: str, name: str) -> Object:
        told = await self.nodes.tell(api_version, kind, namespace, name)
        key = ObjectKey(namespace, name)
        troubled = {of: why for of, one in self._reconciling.items() if (why := one.troubles.get(key)) is not None}
        return {
            **told,
            **({"controllersOff": self._choice.off} if self._choice.off else {}),
            **({"troubles": troubled} if troubled else {}),
        }

    async def start(self) -> None:
        """Bring the first objects into being and every component to life; where clients are served, that is once they can be answered."""
        if self._audit is not None:
            self._audit.auditing.start()
        heard_of_by_writes(self.store, self._listers, self.dialect, self.nodes.heartbeat)
        await self._listers.start()
        await self._custom_types.start()
        again = self.store.revision > 0
        first = (*self._first_objects(), *storage_objects(self.dialect, again=again))
        await make_first_objects(self._clients.api_server(), self.registry.core.scheme, first, again=again)
        steps = (self._publish(), self._register_versions(), self._reconcile_roles())
        await asyncio.gather(*(brought_up_to_date(step, again=again) for step in steps))
        if not self.spec.served:
            self._supervisor.start(self._components)

    def _first_objects(self) -> FirstObjects:
        return first_objects(self.dialect, self.spec.service_cluster_ip_range)

    def _lasting_objects(self) -> FirstObjects:
        return (*self._first_objects(), *(() if self._authentication is None else (("configmaps", self._authentication),)))

    @cached_property
    def _authentication(self) -> Object | None:
        """What is published of how it is known who asks; files are read for it."""
        return None if self._credentials is None else config_map(self.dialect, self._credentials, self.spec)

    async def _publish(self) -> None:
        if self._authentication is not None and self.registry.core.scheme.find(GroupVersion("", "v1"), "configmaps") is not None:
            await publish(self._clients.api_server(), self._authentication)

    async def _reconcile_roles(self) -> None:
        """Have the default roles and bindings: without them nobody but administrators could do anything."""
        if self.registry.core.scheme.find(GroupVersion(self.dialect.group("rbac.authorization"), "v1"), "clusterroles") is not None:
            await reconcile_roles(self._clients.api_server(), self._listers, self.dialect, default_roles(self.dialect))

    async def _register_versions(self) -> None:
        """Have an APIService for every version that is served, before anybody asks; later changes are a controller's."""
        if not self._has_api_services():
            return
        api_services = self._clients.api_server().resource(f"{self.dialect.group('apiregistration')}/v1", "apiservices")
        known = self._aggregation.remotes.priorities
        served = self.registry.core.scheme.group_versions()
        missing = [registration(one, self.dialect) for one in registered(served, self.dialect).values() if one not in known]
        await asyncio.gather(*(api_services.hand_over(one) for one in missing))

    def _has_api_services(self) -> bool:
        return self.registry.core.scheme.find(GroupVersion(self.dialect.group("apiregistration"), "v1"), "apiservices") is not None

    async def stop(self) -> None:
        """End everything in good order; what was answered is kept."""
        if self._front is not None:
            await self._front.close()
        await self._supervisor.stop()
        if self._audit is not None:
            await self._audit.auditing.stop()
        await self.outbound.close()
        await self._time_keeper.note()
        await self.store.close()

    def on_pace(self, keep: Callable[[float], Awaitable[None]]) -> None:
        """Have the pace kept that somebody gives the clock, for the next start."""
        self._time_keeper.on_pace = keep

    async def serve(self, host: str = "127.0.0.1") -> Served:
        """Listen for HTTPS requests. Raises `OSError` where the address can't be had."""
        from svcsim.server.http.front import HttpFront  # noqa: PLC0415 - runs without a socket don't pay for it

        credentials = self._credentials
        if credentials is None:
            raise ValueError("a cluster that is to be served is made so: ClusterSpec(served=True)")
        self._front = HttpFront(self._precedence.first(self.pipeline.handle))
        bound = await self._front.start(host, self.spec.port, server_context(self.spec, credentials))
        self._url = f"https://{host}:{bound}"
        if self.spec.certificates.bootstrap_tokens:
            ca_pem = credentials.ca_certificate.read_bytes()
            told = publish_cluster_info(self.client(self.dialect.api_server), self.dialect, self._url, ca_pem)
            await brought_up_to_date(told, again=True)
        self._supervisor.start(self._components)
        return Served(self._url, bound, credentials.ca_certificate, credentials.read_admin_token())

    async def _inform(self) -> None:
        """Begin once everybody knows what there is to follow: who comes later and wants more of an object has all read a second time."""
        await self.served_types.known.wait()
        await self.informers.run()

    async def _follow_types(self) -> None:
        """Load every kind, one at a time so that nobody waits for all of them, and then know what is served."""
        for resource in self.registry.core.scheme.resources:
            resource.load()
            await self.clock.turn()
        self.loaded.set()
        await self.served_types.run()

    def _node_ranges(self) -> tuple[CidrSet, ...]:
        return node_ranges(self.spec.node_ranges, self.spec.nodes, self.spec.service_cluster_ip_range)

    def status(self) -> Object:
        """What ``svcsim status`` tells."""
        return {
            "pid": os.getpid(),
            "url": self._url,
            "dialect": self.dialect.name,
            "settings": to_json(self.spec, lambda one: one.in_scenario),
            "revision": self.store.revision,
            "objects": self.store.stats().objects,
            "rssBytes": resident_bytes(),
            "uptimeSeconds": round(stopwatch() - self._opened_at_s, 3),
            "seed": self.seed,
            "clockSpeed": self.clock.speed,
            "clockAheadSeconds": round(self.clock.ahead_s, 3),
            "controllersOff": self._choice.off,
            "nodeRanges": [{"network": str(one.outer), "maskSize": one.prefix} for one in self._node_ranges()],
            "trouble": self.store.trouble,
        }

    async def _slices_of(self, namespace: str, service: str) -> list[Object]:
        """A service's EndpointSlices."""
        slices = self._clients.api_server().resource(f"{self.dialect.group('discovery')}/v1", "endpointslices", namespace)
        return await slices.list_all(label_selector=f"{self.dialect.key('service-name')}={service}")

    def _series(self) -> list[str]:
        admission = self._admission_counted.lines()
        return [*self.outbound.counted.lines(), *admission, *([] if self._audit is None else self._audit.counted.lines())]

    def _stats(self) -> dict[str, float]:
        stats = self.store.stats()
        return {f"svcsim_store_{name}": value for name, value in stats._asdict().items()}

    def _nodes_context(self) -> NodesContext:
        return NodesContext(
            self._clients.agent,
            self._clients.account("surplus nodes", "kubelet"),
            self._clients.administrator("svcsim"),
            self.informers,
            self.clock,
            self.chance,
            self.dialect,
            self._keep_roster,
            tuple(network.version for network in self.spec.node_ranges.cluster_cidr),
            any(name == parts.NODE_IPAM for name, _ in self._controllers),
            Stages(
                self._clients.account(STAGES_ACCOUNT, MANAGER),
                lambda name: self._clients.user(User(name), MANAGER),
                self.served_types,
                self._given_stages(),
            ),
            self._audit is not None,
            math.inf if self.spec.history_s is None else self.spec.history_s,
            self._slices_of,
            self.pipeline.handle,
        )

    def _given_stages(self) -> tuple[Stage, ...]:
        """The stages of files. Raises `ConfigurationError`."""
        kinds: dict[str, dict[str, None]] = {}
        for resource in self.registry.core.scheme.resources:
            kinds.setdefault(resource.group_version.group, {})[resource.name] = None
        return tuple(read_stages(self.spec.stages, kinds))

    async def _keep_roster(self, roster: bytes) -> None:
        try:
            await self.store.put_meta(_ROSTER, roster)
        except StoreError as error:
            raise insufficient_storage(str(error)) from error

    async def _wish_about_nodes(self, wish: Object | None) -> Object:
        """While a request waits for it."""
        with self._precedence.behind():
            return await self.nodes.handle(wish)

    def _fault(self, wish: Object) -> Object:
        """Put a fault in place, or take one back."""
        taken_back = wish.get("remove")
        if taken_back is not None:
            struck = self.nodes.faults.remove(str(taken_back))
            if struck is None:
                struck = self._webhook_faults.remove(str(taken_back))
            return {"removed": struck is not None, "struck": struck or 0}
        return {"id": (self._webhook_faults if wish.get("type") in WEBHOOK_FAULTS else self.nodes.faults).add(wish)}


def _credentials(spec: ClusterSpec, directory: Path) -> certificates.Credentials | None:
    if not spec.served:
        return None
    dialect = DIALECTS[spec.dialect]
    address = first_address(spec.service_cluster_ip_range[0])
    names = [f"{dialect.default_service}{rest}" for rest in ("", ".default", ".default.svc", ".default.svc.cluster.local")]
    return certificates.ensure(directory / data_directory.PKI, names, (address,), dialect.administrator, synced=spec.data_dir is not None)

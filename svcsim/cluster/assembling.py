"""A cluster's parts, put together: each function makes what the next ones build on, in the order in which they stand here."""

from functools import partial
from typing import NamedTuple

from svcsim.admission.chain import Chain as AdmissionChain
from svcsim.admission.counted import AdmissionCounted
from svcsim.admission.resource_quota.ledger import QuotaLedger
from svcsim.admission.webhooks.faults import WebhookFaults
from svcsim.auth.certificates import Credentials
from svcsim.chance import Chance
from svcsim.client.discovery import ServedTypes
from svcsim.client.informers import Informers
from svcsim.client.precedence import Precedence, unanswered
from svcsim.clock import Clock
from svcsim.cluster import identities, parts
from svcsim.cluster.access import Access, access
from svcsim.cluster.answering import OwnAnswers
from svcsim.cluster.auditing import Audit, audit
from svcsim.cluster.clients import Clients
from svcsim.cluster.connecting import ConnectHandlers
from svcsim.cluster.controller_manager import Followers
from svcsim.cluster.evictions import Evictions
from svcsim.cluster.extension_authentication import front_proxy
from svcsim.cluster.facts import Facts
from svcsim.cluster.first_objects import check_served
from svcsim.cluster.heartbeats_seen import kept_by_nodes
from svcsim.cluster.keepers import Supervisor
from svcsim.cluster.later import Later
from svcsim.cluster.loopback import Loopback
from svcsim.cluster.process import outbound_connections
from svcsim.cluster.service_accounts import AccountTokens, account_tokens
from svcsim.cluster.spec import ClusterSpec
from svcsim.cluster.surroundings import Surroundings
from svcsim.controllers.trims import trims
from svcsim.dialect import DIALECTS
from svcsim.kinds.all import kinds_of, of_others
from svcsim.kinds.apiextensions.custom_types import CustomTypes
from svcsim.meta.incidents import Incidents
from svcsim.outbound.conversion import converter_of
from svcsim.outbound.outbound import Outbound
from svcsim.outbound.services import Services
from svcsim.registry.core import Core
from svcsim.registry.lister import Listers
from svcsim.registry.registry import Registry
from svcsim.registry.scheme import Scheme
from svcsim.server.aggregation.aggregation import Aggregation
from svcsim.server.audit.recent import RecentRequests
from svcsim.server.audit.recent_path import PATH as RECENT_PATH
from svcsim.server.audit.recent_path import RecentPath
from svcsim.server.pipeline import Deciders, Observers, Pipeline
from svcsim.server.plain.admin import NoteTime
from svcsim.server.standard_paths import Standard
from svcsim.storage.contract import Store


class Foundation(NamedTuple):
    """What all else stands on."""

    given: Surroundings
    facts: Facts
    precedence: Precedence
    later: Later
    loopback: Loopback
    custom_types: CustomTypes


def foundation(spec: ClusterSpec, store: Store, clock: Clock, facts: Facts, credentials: Credentials | None) -> Foundation:
    """What there is before anybody decides about requests."""
    dialect, later = DIALECTS[spec.dialect], Later()
    # A cluster that is started again must not be dealt the same uids and names a second time.
    chance = Chance(facts.seed) if not store.revision else Chance(facts.seed).fork(f"from revision {store.revision}")
    precedence, loopback = Precedence(clock.work), Loopback(later, dialect)
    scheme = Scheme(dialect, kinds_of(dialect), spec.runtime_config, of_others(dialect))
    check_served(scheme)
    listers = Listers(store)
    outbound = Outbound(Services(listers.of("services"), loopback.slices_of), clock.work, outbound_connections())
    converters = partial(converter_of, dialect=dialect, outbound=outbound, chance=chance.fork("conversion"))
    custom_types = CustomTypes(scheme, store, converters)
    given = Surroundings(
        spec,
        dialect,
        scheme,
        listers,
        store,
        clock,
        chance,
        Incidents(chance.fork("server")),
        outbound,
        precedence.behind,
        loopback.make_namespace,
        QuotaLedger(store, scheme),
        loopback.patch_status,
        WebhookFaults(clock, chance.fork("webhook faults"), unanswered),
        AdmissionCounted(),
        credentials,
    )
    return Foundation(given, facts, precedence, later, loopback, custom_types)


class Deciding(NamedTuple):
    """Who decides about requests: who asks, whether they may, and what is admitted."""

    tokens: AccountTokens
    access: Access
    admission: AdmissionChain


def deciding(base: Foundation) -> Deciding:
    """As the settings want it. Raises `ConfigurationError`."""
    given = base.given
    tokens = account_tokens(given, base.facts.seed, given.store.get, base.loopback.label_secret, lambda: base.later.url)
    who = access(given, tokens)
    return Deciding(tokens, who, parts.admission_chain(given._replace(authorizer=who.authorizer)))


class ApiServer(NamedTuple):
    """What answers requests."""

    registry: Registry
    pipeline: Pipeline
    aggregation: Aggregation
    audit: Audit | None
    answers: OwnAnswers


def api_server(base: Foundation, deciding: Deciding, supervisor: Supervisor, note_time: NoteTime) -> ApiServer:
    """The registry, the pipeline before it, and what they ask. ``note_time`` writes down where the clock stands."""
    given, later, who, tokens = base.given, base.later, deciding.access, deciding.tokens
    core = Core(given.scheme, given.store, given.clock, given.chance.fork("registry"), deciding.admission, base.facts.token_key)
    api_services = given.listers.of(f"apiservices.{given.dialect.group('apiregistration')}")
    aggregation = Aggregation(given.outbound, api_services, front_proxy(given.credentials, given.spec))
    evictions = Evictions(given.listers.of("poddisruptionbudgets.policy"), given.patch_status, given.clock)
    recording = audit(given, given.scheme)
    answers = OwnAnswers(given, later, base.loopback, supervisor, base.facts.seed)
    registry = Registry(core, parts.answers(who, base.loopback.find, answers.worked_out(), evictions, tokens))
    recent = RecentRequests(given.clock, RECENT_PATH) if given.spec.served else None
    pipeline = Pipeline(
        registry,
        given.clock,
        given.incidents,
        Deciders(who.authenticator, who.authorizer, who.of_components),
        connect=ConnectHandlers(given, later, base.loopback, answers.measures).handlers(),
        standard=Standard(
            ready=(("store", lambda: not given.store.trouble),),
            stats=answers.stats,
            series=partial(_series, given, recording),
            paths=tokens.paths,
            unlisted={**answers.paths(note_time), **({} if recent is None else RecentPath(recent).routes())},
            aggregation=aggregation,
        ),
        observers=Observers(None if recording is None else recording.auditing, recent),
        kept=kept_by_nodes(lambda: later.nodes.heartbeat, given.dialect),
    )
    return ApiServer(registry, pipeline, aggregation, recording, answers)


def _series(given: Surroundings, recording: Audit | None) -> list[str]:
    """Whole lines for ``/metrics``."""
    audited = [] if recording is None else recording.counted.lines()
    return [*given.outbound.counted.lines(), *given.admission_counted.lines(), *audited]


def followers(base: Foundation, server: ApiServer) -> Followers:
    """The clients of the server in this process. Whoever follows the types that are served looks again when some come or go."""
    given = base.given
    clients = Clients(server.pipeline.handle, base.precedence, given.dialect)
    client = clients.component(identities.MANAGER, "kube-controller-manager")
    informers = Informers(client, given.clock, given.chance.fork("informers"), trims(given.dialect))
    served_types = ServedTypes(client, given.clock)
    given.scheme.on_change(lambda change: served_types.poke(change.group_versions))
    server.aggregation.remotes.on_change(served_types.poke)
    return Followers(clients, informers, served_types)

"""What a cluster is made of: every list whose order matters, as one tuple each.

To add an authenticator, an authorizer, an admission plugin or a controller, add it here and nowhere else.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol, TypeAlias

from svcsim.admission.chain import Chain as AdmissionChain
from svcsim.admission.chain import selected
from svcsim.admission.default_ingress_class import DefaultIngressClass
from svcsim.admission.default_toleration_seconds import DefaultTolerationSeconds
from svcsim.admission.namespace_lifecycle import NamespaceLifecycle
from svcsim.admission.plugin import Plugin
from svcsim.admission.service_account import ServiceAccount
from svcsim.admission.service_addresses import ServiceAddresses
from svcsim.auth.authentication import AuthenticatorUnion, InProcess
from svcsim.auth.authorization import AuthorizerUnion, Masters
from svcsim.auth.bearer_token import BearerToken, StaticTokens
from svcsim.auth.open_paths import OpenPaths
from svcsim.auth.reviews import Reviews
from svcsim.auth.token_requests import Find, TokenRequests, TokenSigner
from svcsim.auth.x509 import X509
from svcsim.client.controller import ControllerContext
from svcsim.clock import Chance
from svcsim.cluster.evictions import Evictions
from svcsim.cluster.keepers import Run
from svcsim.controllers.api_services.availability import ApiServiceAvailability, Check
from svcsim.controllers.api_services.local import LocalApiServices, Served
from svcsim.controllers.custom_resource_cleanup import CustomResourceCleanup
from svcsim.controllers.custom_resources import CustomResourceController
from svcsim.controllers.deployment.controller import DeploymentController
from svcsim.controllers.disruption.controller import DisruptionController
from svcsim.controllers.disruption.stale import StaleDisruptionController
from svcsim.controllers.endpoints.controller import EndpointsController
from svcsim.controllers.endpoints.mirroring import EndpointSliceMirroring
from svcsim.controllers.event_ttl import EventTtlController
from svcsim.controllers.garbage.controller import GarbageCollector
from svcsim.controllers.ip_addresses import IpAddressController
from svcsim.controllers.namespace import NamespaceController
from svcsim.controllers.node_lifecycle import NodeLifecycle
from svcsim.controllers.pod_gc import PodGarbage
from svcsim.controllers.replicaset.controller import ReplicaSetController
from svcsim.controllers.root_ca import RootCaController
from svcsim.controllers.service_accounts import ServiceAccountController
from svcsim.controllers.service_cidrs import ServiceCidrController
from svcsim.controllers.taint_eviction import TaintEviction
from svcsim.dialect import Dialect
from svcsim.meta.incidents import Incidents
from svcsim.meta.networks import Network
from svcsim.meta.types import User
from svcsim.registry.kind import Answers, WorkOut
from svcsim.registry.lister import Listers


class Component(Protocol):
    """A part of the cluster that runs until it is cancelled."""

    async def run(self) -> None: ...


ControllerMaker: TypeAlias = Callable[[ControllerContext], Component]
ControllerMakers: TypeAlias = tuple[tuple[str, ControllerMaker], ...]
Runs: TypeAlias = tuple[tuple[str, Run], ...]

CONTROLLERS: ControllerMakers = (
    ("namespace-controller", NamespaceController),
    ("service-account-controller", ServiceAccountController),
    ("custom-resource-controller", CustomResourceController),
    ("custom-resource-cleanup-controller", CustomResourceCleanup),
    ("deployment-controller", DeploymentController),
    ("replicaset-controller", ReplicaSetController),
    ("endpoint-controller", EndpointsController),
    ("endpointslice-mirroring-controller", EndpointSliceMirroring),
    ("garbage-collector", GarbageCollector),
    ("node-controller", NodeLifecycle),
    ("taint-eviction-controller", TaintEviction),
    ("pod-garbage-collector", PodGarbage),
    ("disruption-controller", DisruptionController),
    ("stale-disruption-controller", StaleDisruptionController),
    ("event-ttl-controller", EventTtlController),
    ("ip-address-controller", IpAddressController),
    ("service-cidr-controller", ServiceCidrController),
)
"""The controllers that need nothing but their context, in the order they are started."""


class Aggregated(NamedTuple):
    """What the controllers of APIServices are given: what the server serves itself, and how others are asked."""

    served: Served
    on_change: Callable[[Callable[[], None]], None]
    check: Check


def controllers(ca_pem: str, aggregation: Aggregated | None) -> ControllerMakers:
    """All controllers, in the order they are started. A cluster without a CA has none to hand out, one may be without APIServices."""
    publisher: ControllerMakers = (("root-ca-publisher", partial(RootCaController, ca_pem=ca_pem)),)
    return (*CONTROLLERS, *(publisher if ca_pem else ()), *(_of_api_services(aggregation) if aggregation is not None else ()))


def _of_api_services(given: Aggregated) -> ControllerMakers:
    return (
        ("apiservice-registration-controller", partial(LocalApiServices, served=given.served, on_change=given.on_change)),
        ("apiservice-availability-controller", partial(ApiServiceAvailability, check=given.check)),
    )


def components(
    *,
    compactor: Run,
    time_keeper: Run,
    memory_keeper: Run | None,
    informers: Run,
    served_types: Run,
    controllers: Runs,
    scheduler: Run,
    nodes: Run,
) -> Runs:
    """All that runs until the cluster stops, in the order it is started."""
    return (
        ("compactor", compactor),
        ("timekeeper", time_keeper),
        *((("memory keeper", memory_keeper),) if memory_keeper is not None else ()),
        ("informers", informers),
        ("served types", served_types),
        *controllers,
        ("scheduler", scheduler),
        ("nodes", nodes),
    )


class Surroundings(NamedTuple):
    """What those who decide about requests may build on: plugins, authenticators and authorizers.

    Whoever has to know other objects asks a lister for them (`Listers.of`), and reads nothing while a request waits.
    """

    dialect: Dialect
    listers: Listers
    chance: Chance
    incidents: Incidents
    service_networks: tuple[Network, ...]
    node_ports: range


def admission_plugins(given: Surroundings) -> tuple[Plugin, ...]:
    """All admission plugins, in the order they are asked."""
    return (
        NamespaceLifecycle(given.listers, given.dialect),
        ServiceAccount(),
        DefaultTolerationSeconds(given.dialect),
        DefaultIngressClass(given.listers, given.dialect),
        ServiceAddresses(given.listers, given.dialect, given.chance.fork("service addresses"), given.service_networks, given.node_ports),
    )


def admission_chain(given: Surroundings, *, enable: tuple[str, ...], disable: tuple[str, ...]) -> AdmissionChain:
    """The plugins that are asked: all but those that are off. Raises `UnknownPluginError`."""
    return AdmissionChain(selected(admission_plugins(given), enable=enable, disable=disable))


def authenticator_union(given: Surroundings, client_authorities: tuple[str, ...], tokens: dict[str, User]) -> AuthenticatorUnion:
    """All authenticators, in the order they are asked."""
    return AuthenticatorUnion(
        InProcess(),
        X509(given.dialect, client_authorities),
        BearerToken(StaticTokens(tokens), incidents=given.incidents),
        incidents=given.incidents,
    )


def answers(
    given: Surroundings,
    find: Find,
    authenticator: AuthenticatorUnion,
    authorizer: AuthorizerUnion,
    worked_out: Mapping[str, WorkOut],
    evictions: Evictions,
    signer: TokenSigner | None = None,
) -> Answers:
    """Who answers what kinds leave to the composition root: reviews, requests for tokens, objects that are worked out, evictions."""
    audiences = (f"https://{given.dialect.default_service}.default.svc.cluster.local",)
    return Answers(
        Reviews(authenticator, authorizer, audiences).answers(),
        {"serviceaccounts/token": TokenRequests(find, audiences, signer).answer},
        worked_out,
        {"pods/eviction": evictions.permit},
    )


def authorizer_union(given: Surroundings) -> AuthorizerUnion:
    """All authorizers, in the order they are asked."""
    return AuthorizerUnion(
        Masters(),
        OpenPaths(),
        incidents=given.incidents,
    )

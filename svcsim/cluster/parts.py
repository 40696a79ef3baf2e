"""What a cluster is made of: every list whose order matters, as one tuple each.

To add an authenticator, an authorizer, an admission plugin or a controller, add it here and nowhere else.
"""

from collections.abc import Callable
from typing import Protocol

from svcsim.admission.chain import Chain as AdmissionChain
from svcsim.admission.chain import selected
from svcsim.admission.default_toleration_seconds import DefaultTolerationSeconds
from svcsim.admission.namespace_lifecycle import NamespaceLifecycle
from svcsim.admission.service_account import ServiceAccount
from svcsim.admission.service_addresses import ServiceAddresses
from svcsim.auth.authentication import AuthenticatorUnion
from svcsim.auth.authorization import AuthorizerUnion
from svcsim.auth.bearer_token import BearerToken, StaticTokens
from svcsim.auth.in_process import InProcess
from svcsim.auth.masters import Masters
from svcsim.auth.open_paths import OpenPaths
from svcsim.auth.x509 import X509
from svcsim.client.controller import ControllerContext
from svcsim.clock import Chance
from svcsim.controllers.deployment.controller import DeploymentController
from svcsim.controllers.endpoints.controller import EndpointsController
from svcsim.controllers.event_ttl import EventTtlController
from svcsim.controllers.garbage.controller import GarbageCollector
from svcsim.controllers.namespace import NamespaceController
from svcsim.controllers.node_lifecycle import NodeLifecycle
from svcsim.controllers.pod_gc import PodGarbage
from svcsim.controllers.replicaset.controller import ReplicaSetController
from svcsim.controllers.service_accounts import ServiceAccountController
from svcsim.controllers.taint_eviction import TaintEviction
from svcsim.dialect import Dialect
from svcsim.meta.types import User
from svcsim.registry.lister import Listers


class Component(Protocol):
    """A part of the cluster that runs until it is cancelled."""

    async def run(self) -> None:
        """Do its work."""
        ...


ControllerMaker = Callable[[ControllerContext], Component]

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


def admission_chain(
    listers: Listers, dialect: Dialect, chance: Chance, *, enable: tuple[str, ...], disable: tuple[str, ...]
) -> AdmissionChain:
    """The admission plugins, in the order they are asked: all but those that are off. Raises `UnknownPluginError`."""
    plugins = (
        NamespaceLifecycle(listers, dialect),
        ServiceAccount(),
        DefaultTolerationSeconds(dialect),
        ServiceAddresses(listers, chance.fork("service addresses")),
    )
    return AdmissionChain(selected(plugins, enable=enable, disable=disable))


def authenticator_union(dialect: Dialect, tokens: dict[str, User]) -> AuthenticatorUnion:
    """All authenticators, in the order they are asked."""
    return AuthenticatorUnion(
        InProcess(),
        X509(dialect),
        BearerToken(StaticTokens(tokens)),
    )


def authorizer_union() -> AuthorizerUnion:
    """All authorizers, in the order they are asked."""
    return AuthorizerUnion(
        Masters(),
        OpenPaths(),
    )

"""What those who decide about requests may build on: admission plugins, authenticators and authorizers."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

from svcsim.admission.counted import AdmissionCounted
from svcsim.admission.namespace_auto_provision import MakeNamespace
from svcsim.admission.resource_quota.ledger import QuotaLedger
from svcsim.admission.webhooks.faults import WebhookFaults
from svcsim.auth.authorization import Authorizer
from svcsim.auth.certificates import Credentials
from svcsim.chance import Chance
from svcsim.clock import Clock
from svcsim.cluster.admission_config import AdmissionConfig
from svcsim.cluster.spec import ClusterSpec
from svcsim.dialect import Dialect
from svcsim.meta.incidents import Incidents
from svcsim.outbound.outbound import Outbound
from svcsim.registry.lister import Listers
from svcsim.registry.scheme import Scheme
from svcsim.registry.status_patch import PatchStatus
from svcsim.storage.contract import Store


class Surroundings(NamedTuple):
    """What there is when the cluster is put together.

    Whoever has to know other objects asks a lister for them (`Listers.of`), and reads nothing while a request waits. Whoever calls a server
    outside of this process does so by ``outbound``.
    """

    spec: ClusterSpec
    dialect: Dialect
    scheme: Scheme
    listers: Listers
    store: Store
    """For who keeps less of a resource than a lister would: follow its commits."""
    clock: Clock
    chance: Chance
    incidents: Incidents
    outbound: Outbound
    behind: Callable[[], AbstractContextManager[None]]
    """To be held while a request waits for what a component does."""
    make_namespace: MakeNamespace
    quotas: QuotaLedger
    """What the objects of each namespace take of its quotas."""
    patch_status: PatchStatus
    """For who counts what objects take of others, and tells it in their status."""
    webhook_faults: WebhookFaults
    """Which webhooks fail on purpose."""
    admission_counted: AdmissionCounted
    credentials: Credentials | None
    """None for a cluster that nobody reaches over a socket."""
    authorizer: Authorizer | None = None
    """Who decides about requests: there for admission plugins, which are put together after it."""
    admission_config: AdmissionConfig | None = None
    """What a file says of admission plugins: there for these alone."""

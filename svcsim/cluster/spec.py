"""What a cluster can be asked to be: each setting once, as data (`settings`).

Light to import: the command line and the scenarios read it without what a cluster is made of.
"""

from dataclasses import dataclass, replace
from ipaddress import IPv4Network
from pathlib import Path
from typing import Literal

from svcsim import limits
from svcsim.cluster.admission_spec import AdmissionSpec
from svcsim.cluster.audit_spec import AuditSpec
from svcsim.cluster.authorization_spec import AuthorizationSpec
from svcsim.cluster.certificates_spec import CertificatesSpec
from svcsim.cluster.credentials_spec import CredentialsSpec
from svcsim.cluster.encryption_spec import EncryptionSpec
from svcsim.cluster.node_ranges_spec import NodeRangesSpec
from svcsim.cluster.node_ranges_spec import settled as settled_ranges
from svcsim.cluster.oidc_spec import OidcSpec
from svcsim.cluster.request_header_spec import RequestHeaderSpec
from svcsim.cluster.service_account_spec import ServiceAccountSpec
from svcsim.cluster.settings import setting
from svcsim.cluster.values import (
    Choice,
    ClockSpeed,
    DurationOrForever,
    FilePath,
    FilesOrNames,
    Integer,
    Networks,
    Nullable,
    PortRange,
    SomeOfAll,
    StringList,
    Timestamp,
    UniqueNames,
)
from svcsim.cluster.webhook_spec import WebhookSpec
from svcsim.dialect import DialectName
from svcsim.meta.networks import Network
from svcsim.meta.pods import DEFAULT_SCHEDULER
from svcsim.nodes.staged.ready_sets import file_of

Durability = Literal["full", "process", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """What a cluster is to be."""

    dialect: DialectName = setting(
        "svcapi",
        Choice(("svcapi", "kubernetes")),
        help="The API dialect: svcapi or kubernetes (as Kubernetes' own clients expect).",
        flag="--dialect",
        variable="SVCSIM_DIALECT",
        metavar="NAME",
        fixed=True,
        in_scenario=True,
        running_as="in the {} dialect",
    )
    nodes: int = setting(
        3,
        Integer(0, limits.NODES),
        help="The number of simulated nodes.",
        flag="--nodes",
        metavar="N",
        in_scenario=True,
    )
    stages: tuple[str, ...] = setting(
        (),
        FilesOrNames(file_of),
        help="Stages that say what becomes of pods and nodes: a file of them (as svcsim or kwok has them), or a set that is ready, such as "
        "pod-fast. May be given often.",
        flag="--stages",
        metavar="FILE|NAME",
        in_scenario=True,
        running_as="with --stages {}",
        revocable=True,
    )
    """`ConfigurationError` when the cluster is opened, for what can't be read."""
    service_cluster_ip_range: tuple[Network, ...] = setting(
        (IPv4Network("10.96.0.0/16"),),
        Networks(),
        help="Where services get their cluster addresses: one network, or two of different IP families (dual-stack).",
        json="serviceClusterIPRange",
        flag="--service-cluster-ip-range",
        metavar="CIDR[,CIDR]",
        fixed=True,
        in_scenario=True,
        running_as="with --service-cluster-ip-range {}",
    )
    service_node_port_range: range = setting(
        range(30_000, 32_768),
        PortRange(),
        help="Where services get their ports on nodes: the first and the last one, such as 30000-32767.",
        flag="--service-node-port-range",
        metavar="FIRST-LAST",
        in_scenario=True,
    )
    """A service keeps the ports that it has, whatever the range is at a later start."""
    port: int = setting(
        0,
        Integer(0, 65535),
        help="The port to serve on.",
        flag="--port",
        metavar="P",
        shown_default="a free one",
        satisfied=lambda wanted, has: wanted in (0, has),
    )
    data_dir: Path | None = setting(
        None,
        FilePath(),
        help="Where to keep the data.",
        formerly="data_dir",
        flag="--data-dir",
        metavar="DIR",
    )
    """None makes a cluster that leaves nothing behind. (In what is kept of a cluster it stands for the cluster's own directory.)"""
    durability: Durability = setting(
        "full",
        Choice(("full", "process")),
        help="What writes survive: full (a power failure) or process (only the end of the process).",
        flag="--durability",
        metavar="HOW",
    )
    """Tests also know ``none``, which survives nothing."""
    history_s: float | None = setting(
        limits.HISTORY_S,
        DurationOrForever(limits.SHORTEST_HISTORY_S),
        help="How long past revisions can be read: a duration such as 5m or 1h, or forever.",
        json="history",
        formerly="history_s",
        flag="--history",
        metavar="TIME",
    )
    clock_speed: float = setting(
        1.0,
        ClockSpeed(),
        help="The speed of the clock: real, paused, or a factor such as x10.",
        json="clock",
        flag="--clock",
        metavar="PACE",
        changed_with="svcsim clock",
    )
    seed: int | None = setting(
        None,
        Nullable(Integer(0)),
        help="The seed for random decisions, to make runs repeatable.",
        flag="--seed",
        metavar="N",
        fixed=True,
    )
    """None draws a seed when the cluster is made."""
    runtime_config: tuple[str, ...] = setting(
        (),
        StringList(),
        help="API groups and versions to enable or disable, such as autoscaling/v1=false or api/beta=true.",
        flag="--runtime-config",
        metavar="KEY[=VALUE],…",
        shown_default="all stable versions",
        kept=False,
    )
    """`RuntimeConfigError` when the cluster is opened, for what isn't there."""
    start_s: float | None = setting(
        None,
        Nullable(Timestamp()),
        help="The time at which the cluster's clock starts: such as 2026-01-01T00:00:00Z, or now. It may be before where it stood.",
        json="start",
        flag="--start",
        metavar="TIME",
        shown_default="now, or where the clock stood where it was ahead, paused or wound",
        kept=False,
    )
    """None is the machine's time."""
    controllers: tuple[str, ...] = setting(
        ("*",),
        SomeOfAll(),
        help="Controllers that run: * for all, -* for none, NAME for one, -NAME for all but one; scheduler and nodes run unless left out.",
        flag="--controllers",
        metavar="*,-NAME,…",
        shown_default="*",
        in_scenario=True,
        running_as="with --controllers {}",
    )
    """`ConfigurationError` when the cluster is opened, for what isn't there."""
    scheduler_names: tuple[str, ...] = setting(
        (DEFAULT_SCHEDULER,),
        UniqueNames(),
        help="The schedulerName of the pods that the scheduler places; pods with another wait for somebody else's.",
        flag="--scheduler-names",
        metavar="NAME,…",
        shown_default=DEFAULT_SCHEDULER,
        in_scenario=True,
        running_as="with --scheduler-names {}",
    )
    """Each tells in its own name, in events, what it does."""
    admission: AdmissionSpec = AdmissionSpec()
    webhooks: WebhookSpec = WebhookSpec()
    encryption: EncryptionSpec = EncryptionSpec()
    authorization: AuthorizationSpec = AuthorizationSpec()
    audit: AuditSpec = AuditSpec()
    credentials: CredentialsSpec = CredentialsSpec()
    request_header: RequestHeaderSpec = RequestHeaderSpec()
    oidc: OidcSpec = OidcSpec()
    node_ranges: NodeRangesSpec = NodeRangesSpec()
    service_accounts: ServiceAccountSpec = ServiceAccountSpec()
    certificates: CertificatesSpec = CertificatesSpec()
    served: bool = False
    """Whether it will listen on a socket, and so needs certificates and a token."""


def settled(spec: ClusterSpec) -> ClusterSpec:
    """A specification with what follows from the rest of it where nothing is asked for."""
    return replace(spec, node_ranges=settled_ranges(spec.node_ranges, spec.service_cluster_ip_range))

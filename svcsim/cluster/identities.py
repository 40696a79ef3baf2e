"""Whom the cluster's own components act as: each as itself, with the rights of its role and no more.

A controller is a service account of the system's namespace, the scheduler and what follows the cluster for all controllers are users, and
a node is a node. The API server alone may do everything, and is asked for by nobody else. The roles that go with these names stand where
all default roles do.
"""

from collections.abc import Mapping
from typing import Final

from svcsim.auth.authentication import AUTHENTICATED, MASTERS
from svcsim.auth.known_user import known_user
from svcsim.auth.node_authorizer.authorizer import NODE_PREFIX, NODES
from svcsim.auth.service_account_names import groups_of_account, user_of_account
from svcsim.dialect import Dialect
from svcsim.meta.simulated_disks import DRIVER
from svcsim.meta.types import User

API_SERVER: Final = User("system:apiserver", (MASTERS, AUTHENTICATED))
MANAGER: Final = User("system:kube-controller-manager", (AUTHENTICATED,))
"""What all controllers share: it follows whatever one of them follows."""
SCHEDULER: Final = User("system:kube-scheduler", (AUTHENTICATED,))

_ACCOUNTS: Final[Mapping[str, str]] = {
    "daemonset-controller": "daemon-set-controller",
    "garbage-collector": "generic-garbage-collector",
    "endpointslice-mirroring-controller": "endpointslicemirroring-controller",
    "stale-disruption-controller": "disruption-controller",
    "taint-eviction-controller": "node-controller",
    "node-ipam-controller": "node-controller",
    "root-ca-publisher": "root-ca-cert-publisher",
    "service-cidr-controller": "service-cidrs-controller",
    "certificatesigningrequest-approving-controller": "certificate-controller",
    "certificatesigningrequest-signing-controller": "certificate-controller",
    "certificatesigningrequest-cleaner-controller": "certificate-controller",
    "legacy-serviceaccount-token-cleaner-controller": "legacy-service-account-token-cleaner",
    "bootstrapsigner": "bootstrap-signer",
    "tokencleaner": "token-cleaner",
    "pv-binder-controller": "persistent-volume-binder",
    "surplus nodes": "node-controller",
}
"""Accounts that Kubernetes calls otherwise than the parts that act as them are called here."""

_REPORTERS: Final[Mapping[str, str]] = {
    "pv-binder-controller": "persistentvolume-controller",
    "ephemeral-volume-controller": "ephemeral_volume",
    "disk-provisioner-controller": DRIVER,
    "disk-attacher-controller": DRIVER,
    "expand-controller": "volume_expand",
    "resource-claim-controller": "resource_claim",
    "disk-resizer-controller": f"external-resizer {DRIVER}",
    "disk-modifier-controller": f"external-resizer {DRIVER}",
}
"""What events say who reports, where that isn't the name of the part: what people know from Kubernetes."""


def reporter(name: str) -> str:
    """Whom events say they come from that a part of that name reports."""
    return _REPORTERS.get(name, name)


def controller(name: str, dialect: Dialect) -> User:
    """Who a part of that name acts as."""
    namespace = dialect.system_namespace
    return known_user(user_of_account(namespace, _ACCOUNTS.get(name, name)), groups_of_account(namespace))


def node(name: str) -> User:
    """Who the agent of a node acts as."""
    return User(f"{NODE_PREFIX}{name}", (NODES, AUTHENTICATED))

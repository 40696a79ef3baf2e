"""What the controllers of this cluster need beyond the roles that Kubernetes has for them.

Most act as accounts of Kubernetes' controllers, whose roles say what those may. Some of them do more here (they patch where Kubernetes'
update, or do the work of two), and some work on what is the API server's own business there. Each line is a role of its own, bound to that
account alone, so that the roles everybody knows stay as everybody knows them.
"""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.auth.authorization import ALL, ResourceRule
from svcsim.dialect import Dialect

_CHANGES = ("create", "update", "delete")


class ComponentRights(NamedTuple):
    """What an account of the system's namespace may do besides."""

    account: str
    rules: tuple[ResourceRule, ...]

    @property
    def role(self) -> str:
        """The name of the role, and of its binding."""
        return f"svcsim:controller:{self.account}"


def component_rights(dialect: Dialect) -> Iterator[ComponentRights]:
    """All of them."""
    definitions, services = dialect.group("apiextensions"), dialect.group("apiregistration")
    for account, *rules in (
        ("namespace-controller", _may("patch", "", "namespaces/status")),
        ("deployment-controller", _may("patch", "apps", "deployments", "deployments/status")),
        ("replicaset-controller", _may("patch", "apps", "replicasets/status")),
        ("endpoint-controller", ResourceRule(_CHANGES, (dialect.group("discovery"),), ("endpointslices",))),
        ("pod-garbage-collector", _may("get", "", "pods")),
        # Whatever owns a pod is looked up, to tell an owner that is gone from one that can't be scaled.
        ("disruption-controller", _may("get", ALL, ALL)),
        ("event-ttl-controller", _may("delete", "", "events")),
        ("ip-address-controller", ResourceRule(("create", "delete"), (dialect.group("networking"),), ("ipaddresses",))),
        (
            "custom-resource-controller",
            _may("get", definitions, "customresourcedefinitions"),
            _may("update", definitions, "customresourcedefinitions/status"),
        ),
        (
            "custom-resource-cleanup-controller",
            ResourceRule(("get", "patch"), (definitions,), ("customresourcedefinitions",)),
            _may("update", definitions, "customresourcedefinitions/status"),
            ResourceRule(("list", "deletecollection"), (ALL,), (ALL,)),
        ),
        ("apiservice-registration-controller", ResourceRule(_CHANGES, (services,), ("apiservices",))),
        ("apiservice-availability-controller", _may("update", services, "apiservices/status")),
    ):
        yield ComponentRights(account, tuple(rules))


def _may(verb: str, group: str, *resources: str) -> ResourceRule:
    return ResourceRule((verb,), (group,), resources)

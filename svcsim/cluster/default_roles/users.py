"""What users may do: the roles that administrators give to people, and what everybody has.

``admin``, ``edit`` and ``view`` hold no rules of their own: they gather those of every role that bears their label, so that whoever adds a
kind can say who may use it. Each gathers what the next gathers, too.
"""

from typing import NamedTuple

from svcsim.cluster.default_roles.lines import CHANGE, FOLLOW, READ, Line

AGGREGATED: tuple[tuple[str, str], ...] = (("admin", ""), ("edit", "admin"), ("view", "edit"))
"""Roles that gather the rules of others, each with the one that gathers it."""


class Part(NamedTuple):
    """A role whose rules some of the aggregated roles gather."""

    name: str
    of: tuple[str, ...]
    rules: tuple[Line, ...]


_ENTERED = "pods/attach pods/exec pods/portforward pods/proxy"
_WORKLOADS = "daemonsets deployments deployments/{0} replicasets replicasets/{0} statefulsets statefulsets/{0}"
_FORMER = "daemonsets deployments deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale"
"""What the group ``extensions`` had before there were others."""

PARTS: tuple[Part, ...] = (
    Part(
        "system:aggregate-to-admin",
        ("admin",),
        (
            ("create", "authorization.", "localsubjectaccessreviews"),
            (f"{CHANGE} {READ}", "rbac.authorization.", "roles rolebindings"),
        ),
    ),
    Part(
        "system:aggregate-to-edit",
        ("edit",),
        (
            (READ, "core", f"{_ENTERED} secrets services/proxy"),
            ("impersonate", "core", "serviceaccounts"),
            (CHANGE, "core", f"pods {_ENTERED}"),
            ("create", "core", "pods/eviction serviceaccounts/token"),
            (CHANGE, "core", "configmaps persistentvolumeclaims secrets serviceaccounts services services/proxy"),
            (CHANGE, "core", "replicationcontrollers replicationcontrollers/scale"),
            (CHANGE, "core events.", "events"),
            (CHANGE, "apps", f"{_WORKLOADS.format('scale')} deployments/rollback"),
            (CHANGE, "autoscaling", "horizontalpodautoscalers"),
            (CHANGE, "batch", "cronjobs jobs"),
            (CHANGE, "extensions", f"{_FORMER} deployments/rollback"),
            (CHANGE, "policy", "poddisruptionbudgets"),
            (CHANGE, "networking.", "ingresses networkpolicies"),
            (f"{CHANGE} {READ}", "coordination.", "leases"),
            (CHANGE, "resource.", "resourceclaims resourceclaimtemplates"),
        ),
    ),
    Part(
        "system:aggregate-to-view",
        ("view",),
        (
            (READ, "core", "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods serviceaccounts"),
            (READ, "core", "replicationcontrollers replicationcontrollers/scale services services/status"),
            (READ, "core", "bindings limitranges pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status"),
            (READ, "core", "namespaces namespaces/status"),
            (READ, "core events.", "events"),
            (READ, "discovery.", "endpointslices"),
            (READ, "apps", f"{_WORKLOADS.format('scale')} controllerrevisions"),
            (READ, "apps", "daemonsets/status deployments/status replicasets/status statefulsets/status"),
            (READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
            (READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
            (READ, "extensions", f"{_FORMER} daemonsets/status deployments/status ingresses/status replicasets/status"),
            (READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
            (READ, "networking.", "ingresses ingresses/status networkpolicies"),
            (READ, "resource.", "resourceclaims resourceclaims/status resourceclaimtemplates"),
        ),
    ),
    # What serves the metrics API brings this role along in other clusters.
    Part("system:aggregated-metrics-reader", ("view", "edit", "admin"), ((READ, "metrics.", "pods nodes"),)),
)

_OPEN = "/healthz /livez /readyz /version /version/"
_ISSUER = "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/"

ROLES: tuple[tuple[str, tuple[Line, ...]], ...] = (
    ("cluster-admin", (("*", "*", "*"), ("*", "*"))),
    (
        "system:basic-user",
        (
            ("create", "authorization.", "selfsubjectaccessreviews selfsubjectrulesreviews"),
            ("create", "authentication.", "selfsubjectreviews"),
        ),
    ),
    ("system:discovery", (("get", f"/api /api/* /apis /apis/* /openapi /openapi/* {_OPEN}"),)),
    ("system:public-info-viewer", (("get", _OPEN),)),
    ("system:openshift:public-info-viewer", (("get", "/.well-known /.well-known/*"),)),
    ("system:service-account-issuer-discovery", (("get", _ISSUER),)),
    (
        "system:monitoring",
        (
            ("get", "/healthz /healthz/* /livez /livez/* /readyz /readyz/* /metrics /metrics/slis /flagz /statusz"),
            ("get", "core", "nodes/metrics"),
        ),
    ),
    (
        "system:auth-delegator",
        (("create", "authentication.", "tokenreviews"), ("create", "authorization.", "subjectaccessreviews")),
    ),
    ("system:heapster", ((READ, "core", "events namespaces nodes pods"), (READ, "extensions", "deployments"))),
    ("system:kube-aggregator", ((READ, "core", "endpoints services"),)),
    ("system:kube-dns", ((FOLLOW, "core", "endpoints services"),)),
    ("svcsim:clock-viewer", (("get", "/svcsim/v1/clock"),)),
)
"""Cluster-wide roles by name."""

BOUND: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cluster-admin", ("Group:system:masters",)),
    ("system:basic-user", ("Group:system:authenticated",)),
    ("system:discovery", ("Group:system:authenticated",)),
    ("system:public-info-viewer", ("Group:system:authenticated", "Group:system:unauthenticated")),
    ("system:openshift:public-info-viewer", ("Group:system:authenticated", "Group:system:unauthenticated")),
    ("system:service-account-issuer-discovery", ("Group:system:serviceaccounts",)),
    ("system:monitoring", ("Group:system:monitoring",)),
    ("system:kube-dns", ("ServiceAccount:kube-dns",)),
    ("svcsim:clock-viewer", ("Group:system:authenticated",)),  # who can't tell the time takes ages and deadlines for others
)
"""Who has them everywhere. Accounts are those of the system's namespace."""

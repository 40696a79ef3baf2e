"""What each controller may do. A controller acts as the service account of its name in the system's namespace, which the role is bound to.

The first ones are Kubernetes', which other programs know by these names, also those of controllers that svcsim has no use for; after them
come those of svcsim's own.
"""

from svcsim.cluster.default_roles.lines import EVENTS, FOLLOW, READ, Line
from svcsim.dialect import Dialect

_MAKE_PODS: Line = ("create delete list patch watch", "core", "pods")
_KEEP = "create delete get list patch update watch"


def _keeper(resource: str, groups: str) -> tuple[Line, ...]:
    """Of a controller that keeps as many pods as are wished for."""
    return (
        (f"{READ} update", groups, resource),
        ("update", groups, f"{resource}/finalizers {resource}/status"),
        _MAKE_PODS,
        EVENTS,
    )


KUBERNETES: tuple[tuple[str, tuple[Line, ...]], ...] = (
    (
        "attachdetach-controller",
        (
            (FOLLOW, "core", "persistentvolumeclaims persistentvolumes pods"),
            (READ, "core", "nodes"),
            ("patch update", "core", "nodes/status"),
            (f"{READ} create delete", "storage.", "volumeattachments"),
            (READ, "storage.", "csidrivers csinodes"),
            EVENTS,
        ),
    ),
    ("clusterrole-aggregation-controller", ((f"{READ} escalate patch update", "rbac.authorization.", "clusterroles"),)),
    (
        "cronjob-controller",
        (
            (f"{READ} update", "batch", "cronjobs"),
            (_KEEP, "batch", "jobs"),
            ("update", "batch", "cronjobs/finalizers cronjobs/status"),
            (f"delete {FOLLOW}", "core", "pods"),
            EVENTS,
        ),
    ),
    (
        "daemon-set-controller",
        (
            (READ, "apps extensions", "daemonsets"),
            ("update", "apps extensions", "daemonsets/finalizers daemonsets/status"),
            (FOLLOW, "core", "nodes"),
            _MAKE_PODS,
            ("create", "core", "pods/binding"),
            (_KEEP, "apps", "controllerrevisions"),
            EVENTS,
        ),
    ),
    (
        "deployment-controller",
        (
            (f"{READ} update", "apps extensions", "deployments"),
            ("update", "apps extensions", "deployments/finalizers deployments/status"),
            (_KEEP, "apps extensions", "replicasets"),
            (f"{READ} update", "core", "pods"),
            EVENTS,
        ),
    ),
    (
        "device-taint-eviction-controller",
        (
            (f"delete {READ}", "core", "pods"),
            ("patch update", "core", "pods/status"),
            (READ, "resource.", "deviceclasses resourceclaims resourceslices"),
            EVENTS,
        ),
    ),
    (
        "disruption-controller",
        (
            (READ, "apps extensions", "deployments replicasets"),
            (READ, "apps", "statefulsets"),
            (READ, "core", "replicationcontrollers"),
            (READ, "policy", "poddisruptionbudgets"),
            ("update", "policy", "poddisruptionbudgets/status"),
            ("patch update", "core", "pods/status"),
            ("get", "*", "*/scale"),
            EVENTS,
        ),
    ),
    (
        "endpoint-controller",
        (
            (READ, "core", "pods services"),
            (f"{READ} create delete update", "core", "endpoints"),
            ("create", "core", "endpoints/restricted"),
            EVENTS,
        ),
    ),
    (
        "endpointslice-controller",
        (
            (READ, "core", "nodes pods services"),
            ("update", "core", "services/finalizers"),
            (f"{READ} create delete update", "discovery.", "endpointslices"),
            ("create", "discovery.", "endpointslices/restricted"),
            EVENTS,
        ),
    ),
    (
        "endpointslicemirroring-controller",
        (
            (READ, "core", "endpoints services"),
            ("update", "core", "endpoints/finalizers services/finalizers"),
            (f"{READ} create delete update", "discovery.", "endpointslices"),
            ("create", "discovery.", "endpointslices/restricted"),
            EVENTS,
        ),
    ),
    (
        "ephemeral-volume-controller",
        (
            (READ, "core", "pods"),
            ("update", "core", "pods/finalizers"),
            (f"{READ} create", "core", "persistentvolumeclaims"),
            EVENTS,
        ),
    ),
    (
        "expand-controller",
        (
            (f"{READ} patch update", "core", "persistentvolumes"),
            ("patch update", "core", "persistentvolumeclaims/status"),
            (READ, "core", "persistentvolumeclaims"),
            EVENTS,
        ),
    ),
    ("generic-garbage-collector", ((f"{READ} delete patch update", "*", "*"), EVENTS)),
    (
        "horizontal-pod-autoscaler",
        (
            (READ, "autoscaling", "horizontalpodautoscalers"),
            ("update", "autoscaling", "horizontalpodautoscalers/status"),
            ("get update", "*", "*/scale"),
            (FOLLOW, "core metrics.", "pods"),
            (READ, "custom.metrics. external.metrics.", "*"),
            EVENTS,
        ),
    ),
    (
        "job-controller",
        (
            (f"{READ} patch update", "batch", "jobs"),
            ("update", "batch", "jobs/finalizers jobs/status"),
            _MAKE_PODS,
            EVENTS,
        ),
    ),
    (
        "namespace-controller",
        (
            (f"{READ} delete", "core", "namespaces"),
            ("update", "core", "namespaces/finalize namespaces/status"),
            (f"{READ} delete deletecollection", "*", "*"),
        ),
    ),
    (
        "node-controller",
        (
            (f"{READ} delete patch update", "core", "nodes"),
            ("patch update", "core", "nodes/status pods/status"),
            (f"{READ} delete", "core", "pods"),
            EVENTS,
        ),
    ),
    (
        "persistent-volume-binder",
        (
            (f"{READ} create delete update", "core", "persistentvolumes"),
            ("update", "core", "persistentvolumeclaims/status persistentvolumes/status"),
            (f"{READ} update", "core", "persistentvolumeclaims"),
            (f"{READ} create delete", "core", "pods"),
            (READ, "storage.", "storageclasses"),
            (FOLLOW, "core", "nodes"),
            ("watch", "core", "events"),
            EVENTS,
        ),
    ),
    (
        "pod-garbage-collector",
        (
            (f"delete {FOLLOW}", "core", "pods"),
            (READ, "core", "nodes"),
            ("patch", "core", "pods/status"),
        ),
    ),
    ("pv-protection-controller", ((f"{READ} update", "core", "persistentvolumes"), EVENTS)),
    (
        "pvc-protection-controller",
        (
            (f"{READ} update", "core", "persistentvolumeclaims"),
            ("update", "core", "persistentvolumeclaims/status"),
            (READ, "core", "pods"),
            EVENTS,
        ),
    ),
    ("replicaset-controller", _keeper("replicasets", "apps extensions")),
    ("replication-controller", _keeper("replicationcontrollers", "core")),
    (
        "resource-claim-controller",
        (
            (READ, "core", "pods"),
            ("update", "core", "pods/finalizers"),
            ("patch update", "core", "pods/status"),
            (_KEEP, "resource.", "resourceclaims"),
            ("patch update", "resource.", "resourceclaims/binding resourceclaims/status"),
            EVENTS,
        ),
    ),
    ("resourcequota-controller", ((FOLLOW, "*", "*"), ("update", "core", "resourcequotas/status"), EVENTS)),
    ("root-ca-cert-publisher", (("create update", "core", "configmaps"), EVENTS)),
    ("route-controller", ((FOLLOW, "core", "nodes"), ("patch", "core", "nodes/status"), EVENTS)),
    (
        "selinux-warning-controller",
        ((READ, "core", "persistentvolumeclaims persistentvolumes pods"), (READ, "storage.", "csidrivers"), EVENTS),
    ),
    ("service-account-controller", (("create", "core", "serviceaccounts"), EVENTS)),
    ("service-ca-cert-publisher", (("create update", "core", "configmaps"), EVENTS)),
    (
        "service-cidrs-controller",
        (
            (f"{READ} patch update", "networking.", "servicecidrs"),
            ("patch update", "networking.", "servicecidrs/finalizers servicecidrs/status"),
            (READ, "networking.", "ipaddresses"),
            EVENTS,
        ),
    ),
    (
        "service-controller",
        (
            (READ, "core", "services"),
            ("patch update", "core", "services/status"),
            (FOLLOW, "core", "nodes"),
            EVENTS,
        ),
    ),
    (
        "statefulset-controller",
        (
            (_KEEP, "core", "pods"),
            (READ, "apps", "statefulsets"),
            ("update", "apps", "statefulsets/finalizers statefulsets/status"),
            (_KEEP, "apps", "controllerrevisions"),
            (f"{READ} create delete update", "core", "persistentvolumeclaims"),
            ("update", "core", "pods/finalizers"),
            EVENTS,
        ),
    ),
    ("ttl-after-finished-controller", ((f"{READ} delete", "batch", "jobs"), EVENTS)),
    ("ttl-controller", ((f"{FOLLOW} patch update", "core", "nodes"), EVENTS)),
    (
        "validatingadmissionpolicy-status-controller",
        (
            (READ, "admissionregistration.", "validatingadmissionpolicies"),
            ("get patch update", "admissionregistration.", "validatingadmissionpolicies/status"),
            EVENTS,
        ),
    ),
    (
        "volumeattributesclass-protection-controller",
        (
            (READ, "core", "persistentvolumeclaims persistentvolumes"),
            (f"{READ} update", "storage.", "volumeattributesclasses"),
            EVENTS,
        ),
    ),
)
"""Kubernetes' own, but for two whose rules bear names of the dialect (`dialect_controllers`)."""


def dialect_controllers(dialect: Dialect) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    """Those of Kubernetes' controllers whose rules bear names of the dialect."""
    requests, signers = "certificatesigningrequests", (dialect.signer_client, dialect.signer_node_client, dialect.signer_node_serving)
    return (
        (
            "certificate-controller",
            (
                (f"{READ} delete", "certificates.", requests),
                ("update", "certificates.", f"{requests}/approval {requests}/status"),
                ("approve", "certificates.", "signers", dialect.signer_node_client),
                ("sign", "certificates.", "signers", " ".join((*signers, dialect.signer_legacy))),
                ("create", "authorization.", "subjectaccessreviews"),
                EVENTS,
            ),
        ),
        (
            "legacy-service-account-token-cleaner",
            (
                ("get", "core", "configmaps", dialect.token_tracking_config_map),
                ("delete patch", "core", "secrets"),
            ),
        ),
    )

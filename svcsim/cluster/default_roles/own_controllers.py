"""What the controllers of this cluster need beyond the roles that Kubernetes has for them.

Most act as accounts of Kubernetes' controllers, whose roles say what those may. Some of them do more here (they patch where Kubernetes'
update, or do the work of two), and some do what is the API server's own business there. Each line is a role of its own, bound to that
account alone, so that the roles everybody knows stay as everybody knows them.
"""

from svcsim.cluster.default_roles.lines import EVENTS, Line

_DEFINITIONS = "customresourcedefinitions"
_CHANGES_DISKS: tuple[Line, ...] = (("update", "core", "persistentvolumes persistentvolumeclaims/status"), EVENTS)

BESIDES: tuple[tuple[str, tuple[Line, ...]], ...] = (
    ("namespace-controller", (("patch", "core", "namespaces/status"),)),
    ("deployment-controller", (("patch", "apps", "deployments deployments/status"),)),
    ("replicaset-controller", (("patch", "apps", "replicasets/status"),)),
    ("replication-controller", (("patch", "core", "replicationcontrollers/status"),)),
    ("daemon-set-controller", (("patch", "apps", "daemonsets/status"),)),
    ("statefulset-controller", (("patch", "apps", "statefulsets/status"),)),
    ("endpoint-controller", (("create update delete", "discovery.", "endpointslices"),)),
    ("pod-garbage-collector", (("get", "core", "pods"),)),
    (
        "service-account-token-controller",
        (("get list watch create patch update delete", "core", "secrets"), ("get list watch update", "core", "serviceaccounts")),
    ),
    # Whatever owns a pod is looked up, to tell an owner that is gone from one that can't be scaled.
    ("disruption-controller", (("get", "*", "*"),)),
    # What users say in stages may be about objects of any kind.
    (
        "stage-controller",
        (("get create patch delete", "*", "*"), ("update", "core", "events")),
    ),
    ("apiserver-lease-controller", (("get delete", "coordination.", "leases"),)),
    ("ip-address-controller", (("create delete", "networking.", "ipaddresses"),)),
    (
        "custom-resource-controller",
        (("get", "apiextensions.", _DEFINITIONS), ("update", "apiextensions.", f"{_DEFINITIONS}/status")),
    ),
    (
        "custom-resource-cleanup-controller",
        (
            ("get patch", "apiextensions.", _DEFINITIONS),
            ("update", "apiextensions.", f"{_DEFINITIONS}/status"),
            ("list deletecollection", "*", "*"),
        ),
    ),
    (
        "disk-provisioner-controller",
        (
            ("get create update delete", "core", "persistentvolumes"),
            ("update", "core", "persistentvolumeclaims"),
            ("list", "populator.storage.", "volumepopulators"),
            EVENTS,
        ),
    ),
    ("disk-attacher-controller", (("update", "storage.", "volumeattachments volumeattachments/status"), EVENTS)),
    *((name, _CHANGES_DISKS) for name in ("disk-resizer-controller", "disk-modifier-controller")),
    ("annotation-check-controller", (EVENTS,)),
    ("legacy-token-tracking-controller", (("create update", "core", "configmaps"),)),
    ("legacy-service-account-token-cleaner", (("get", "core", "serviceaccounts"), ("list", "core", "pods"))),
    ("apiservice-registration-controller", (("create update delete", "apiregistration.", "apiservices"),)),
    ("apiservice-availability-controller", (("update", "apiregistration.", "apiservices/status"),)),
)
"""By the account, and so by the name of the role."""

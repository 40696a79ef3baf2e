"""What the parts of a cluster may do: its scheduler, its controllers as a whole, its nodes, and whoever signs for them."""

from svcsim.cluster.default_roles.lines import CHANGE, EVENTS, FOLLOW, READ, Line

_ASKING: tuple[Line, ...] = (("create", "authentication.", "tokenreviews"), ("create", "authorization.", "subjectaccessreviews"))
"""What a server needs that has others decide who may ask it."""

ROLES: tuple[tuple[str, tuple[Line, ...]], ...] = (
    (
        "system:kube-controller-manager",
        (
            EVENTS,
            ("create", "coordination.", "leases"),
            ("get update", "coordination.", "leases", "kube-controller-manager"),
            ("create get update", "core", "secrets serviceaccounts"),
            ("delete", "core", "secrets"),
            ("get", "core", "configmaps namespaces"),
            *_ASKING,
            (FOLLOW, "*", "*"),
            ("create", "core", "serviceaccounts/token"),
        ),
    ),
    (
        "system:kube-scheduler",
        (
            EVENTS,
            ("create", "coordination.", "leases"),
            (f"{READ} update", "coordination.", "leases", "kube-scheduler"),
            (f"{CHANGE} {READ}", "coordination.", "leasecandidates"),
            (READ, "core", "namespaces nodes persistentvolumeclaims persistentvolumes replicationcontrollers services"),
            (f"delete {READ}", "core", "pods"),
            ("create", "core", "bindings pods/binding"),
            ("patch update", "core", "pods/status"),
            ("update", "core", "pods/finalizers"),
            (READ, "apps extensions", "replicasets"),
            (READ, "apps", "statefulsets"),
            (READ, "policy", "poddisruptionbudgets"),
            (READ, "storage.", "csidrivers csinodes csistoragecapacities volumeattachments"),
            (READ, "resource.", "deviceclasses resourceslices"),
            (f"{READ} create delete patch update", "resource.", "resourceclaims"),
            (f"{READ} patch update", "resource.", "resourceclaims/status"),
            ("patch update", "resource.", "resourceclaims/binding"),
            *_ASKING,
        ),
    ),
    (
        "system:volume-scheduler",
        (
            (f"{READ} patch update", "core", "persistentvolumeclaims persistentvolumes"),
            (READ, "storage.", "storageclasses"),
        ),
    ),
    (
        "system:node",
        (
            *_ASKING,
            ("create", "authorization.", "localsubjectaccessreviews"),
            (READ, "core", "configmaps pods secrets services"),
            (f"{READ} create patch update", "core", "nodes"),
            ("patch update", "core", "nodes/status pods/status"),
            EVENTS,
            ("create delete", "core", "pods"),
            ("create", "core", "pods/eviction serviceaccounts/token"),
            ("get", "core", "endpoints persistentvolumeclaims persistentvolumes serviceaccounts"),
            ("get patch update", "core", "persistentvolumeclaims/status"),
            (f"{READ} create", "certificates.", "certificatesigningrequests"),
            ("create delete get patch update", "coordination.", "leases"),
            ("get", "storage.", "volumeattachments"),
            (READ, "storage.", "csidrivers"),
            ("create delete get patch update", "storage.", "csinodes"),
            (READ, "node.", "runtimeclasses"),
            ("get", "resource.", "resourceclaims"),
            ("deletecollection", "resource.", "resourceslices"),
        ),
    ),
    ("system:node-bootstrapper", ((f"{READ} create", "certificates.", "certificatesigningrequests"),)),
    ("system:node-problem-detector", (("get", "core", "nodes"), ("patch", "core", "nodes/status"), EVENTS)),
    (
        "system:node-proxier",
        (
            (FOLLOW, "core", "endpoints services"),
            (READ, "core", "nodes"),
            EVENTS,
            (FOLLOW, "networking.", "servicecidrs"),
            (FOLLOW, "discovery.", "endpointslices"),
        ),
    ),
    (
        "system:kubelet-api-admin",
        (
            (f"{READ} proxy", "core", "nodes"),
            ("*", "core", "nodes/configz nodes/healthz nodes/log nodes/metrics nodes/pods nodes/proxy nodes/stats"),
        ),
    ),
    (
        "system:persistent-volume-provisioner",
        (
            (f"{READ} create delete", "core", "persistentvolumes"),
            (f"{READ} update", "core", "persistentvolumeclaims"),
            (READ, "storage.", "storageclasses"),
            ("watch", "core", "events"),
            EVENTS,
        ),
    ),
)
"""Cluster-wide roles by name."""

JOINING = ("nodeclient", "selfnodeclient")
"""Certificate requests of nodes: of those that join, and of those that are known. Each has a role that lets somebody make them."""

BOUND: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("system:kube-controller-manager", ("User:system:kube-controller-manager",)),
    ("system:kube-scheduler", ("User:system:kube-scheduler",)),
    ("system:volume-scheduler", ("User:system:kube-scheduler",)),
    ("system:node-proxier", ("User:system:kube-proxy",)),
    ("system:node", ()),
)
"""Who has them everywhere. Nodes get theirs from the Node authorizer, each for what is its own."""

_FOLLOWED: tuple[Line, ...] = (("create get list update watch", "coordination.", "leases leasecandidates"),)
_READER = "extension-apiserver-authentication-reader"

IN_SYSTEM: tuple[tuple[str, tuple[Line, ...], str, tuple[str, ...]], ...] = (
    (
        _READER,
        ((READ, "core", "configmaps", "extension-apiserver-authentication"),),
        f"system::{_READER}",
        ("User:system:kube-controller-manager", "User:system:kube-scheduler"),
    ),
    (
        "system::leader-locking-kube-controller-manager",
        _FOLLOWED,
        "",
        ("User:system:kube-controller-manager", "ServiceAccount:kube-controller-manager", "ServiceAccount:leader-election-controller"),
    ),
    (
        "system::leader-locking-kube-scheduler",
        _FOLLOWED,
        "",
        ("User:system:kube-scheduler", "ServiceAccount:kube-scheduler"),
    ),
    ("system:controller:bootstrap-signer", ((READ, "core", "secrets"),), "", ("ServiceAccount:bootstrap-signer",)),
    ("system:controller:cloud-provider", ((f"create {READ}", "core", "configmaps"),), "", ("ServiceAccount:cloud-provider",)),
    ("system:controller:token-cleaner", ((f"delete {READ}", "core", "secrets"), EVENTS), "", ("ServiceAccount:token-cleaner",)),
)
"""Roles of the system's namespace: the name, the rules, the binding's name where it is another one, and who has it there."""

IN_PUBLIC: tuple[tuple[str, tuple[Line, ...], str, tuple[str, ...]], ...] = (
    (
        "system:controller:bootstrap-signer",
        ((READ, "core", "configmaps"), ("update", "core", "configmaps", "cluster-info"), EVENTS),
        "",
        ("ServiceAccount:bootstrap-signer",),
    ),
)
"""Roles of the public namespace, likewise."""

"""Whole objects of the networking family: of each kind every field that can be set together, without its metadata."""

from svcsim.meta.types import Object

_SERVICE_BACKEND: Object = {"service": {"name": "web", "port": {"number": 80}}}
_NAMED_BACKEND: Object = {"service": {"name": "web", "port": {"name": "http"}}}
_OBJECT_BACKEND: Object = {"resource": {"apiGroup": "example.com", "kind": "Bucket", "name": "files"}}

_PODS: Object = {
    "matchLabels": {"app": "web"},
    "matchExpressions": [{"key": "tier", "operator": "In", "values": ["front"]}, {"key": "old", "operator": "DoesNotExist"}],
}
_PORTS: list[Object] = [
    {"protocol": "TCP", "port": 8000, "endPort": 8080},
    {"protocol": "UDP", "port": "dns"},
    {"protocol": "SCTP"},
]
_PEERS: list[Object] = [
    {"podSelector": _PODS},
    {"namespaceSelector": {}},
    {"podSelector": _PODS, "namespaceSelector": {"matchLabels": {"team": "a"}}},
    {"ipBlock": {"cidr": "192.0.2.0/24", "except": ["192.0.2.16/28", "192.0.2.64/26"]}},
]

FULL: dict[str, Object] = {
    "networking/v1 IngressClass": {
        "spec": {
            "controller": "example.com/ingress",
            "parameters": {"apiGroup": "example.com", "kind": "Settings", "name": "fast", "scope": "Namespace", "namespace": "default"},
        }
    },
    "networking/v1 Ingress": {
        "spec": {
            "ingressClassName": "fast",
            "defaultBackend": _OBJECT_BACKEND,
            "tls": [{"hosts": ["a.example.com", "*.b.example.com"], "secretName": "certificate"}],
            "rules": [
                {
                    "host": "a.example.com",
                    "http": {
                        "paths": [
                            {"path": "/", "pathType": "Prefix", "backend": _SERVICE_BACKEND},
                            {"path": "/exact", "pathType": "Exact", "backend": _NAMED_BACKEND},
                            {"pathType": "ImplementationSpecific", "backend": _OBJECT_BACKEND},
                        ]
                    },
                },
                {"host": "*.b.example.com", "http": {"paths": [{"path": "/b", "pathType": "Prefix", "backend": _SERVICE_BACKEND}]}},
            ],
        }
    },
    "networking/v1 NetworkPolicy": {
        "spec": {
            "podSelector": _PODS,
            "ingress": [{"ports": _PORTS, "from": _PEERS}, {}],
            "egress": [{"ports": _PORTS, "to": _PEERS}, {}],
            "policyTypes": ["Ingress", "Egress"],
        }
    },
}
NEWER: dict[str, Object] = {
    "networking/v1 IPAddress": {
        "name": "2001:db8::1",
        "spec": {"parentRef": {"group": "example.com", "resource": "gateways", "namespace": "default", "name": "front"}},
    },
    "networking/v1 ServiceCIDR": {"spec": {"cidrs": ["172.20.0.0/24", "2001:db8:1::/112"]}},
}
"""Kinds that kubectl on the PATH may be too old to describe; ``name`` stands where a name can't be any."""

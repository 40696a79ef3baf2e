"""Whole objects of the kinds of identity and access: every field that can be set together."""

import base64

from svcsim.meta.types import Object

SIGNING_REQUEST = b"""\
-----BEGIN CERTIFICATE REQUEST-----
MIIBuzCCAWACAQAwgZMxCzAJBgNVBAYTAk5MMRAwDgYDVQQIDAdVdHJlY2h0MQ4w
DAYDVQQHDAVaZWlzdDEMMAoGA1UECgwDZGV2MQwwCgYDVQQKDANvcHMxDDAKBgNV
BAsMA3dlYjEOMAwGA1UECQwFRGFtIDExDTALBgNVBBEMBDEwMTIxCjAIBgNVBAUT
ATcxDTALBgNVBAMMBGphbmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARvkJGR
GYfbgl/0QSNjApf2nYUF98HEod7c7gitHOlIhN5amiVzuvZhItY9YnKUYzXCrKiv
ZIuMXQqlStE7i/r2oGowaAYJKoZIhvcNAQkOMVswWTBXBgNVHREEUDBOgglhLmV4
YW1wbGWCCWIuZXhhbXBsZYEQamFuZUBleGFtcGxlLmNvbYYMc3BpZmZlOi8vYS9i
hwQKAAABhxAgAQ24AAAAAAAAAAAAAAABMAoGCCqGSM49BAMCA0kAMEYCIQChADs4
y1txO/sUvH8Q0KZZLvyxDvfrEcYXQiTdcMtGWAIhAPJz0jF9WoPMWP5kHpP9X4pP
PkVJN5EniYxQk0uo3Nhr
-----END CERTIFICATE REQUEST-----
"""
"""By jane, with every part of a subject and every kind of alternative name."""
CERTIFICATE = b"""\
-----BEGIN CERTIFICATE-----
MIHrMIGToAMCAQICAQEwCgYIKoZIzj0EAwIwADAeFw0yNjAxMDEwMDAwMDBaFw0z
NjAxMDEwMDAwMDBaMAAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARvkJGRGYfb
gl/0QSNjApf2nYUF98HEod7c7gitHOlIhN5amiVzuvZhItY9YnKUYzXCrKivZIuM
XQqlStE7i/r2MAoGCCqGSM49BAMCA0cAMEQCIDk1rmBpXUkbMwzcKCuz/g1w2UX7
qtnrJUfAxhcU2tHXAiBGmnbpwqVMiAWshA/DK+n9v/7JY0Hh5hvsB/gO9c2lCg==
-----END CERTIFICATE-----
"""

_RULES: list[Object] = [
    {"verbs": ["get", "list"], "apiGroups": ["", "apps"], "resources": ["pods", "deployments/scale"], "resourceNames": ["a", "b"]},
    {"verbs": ["watch", "get"], "apiGroups": ["*"], "resources": ["*"]},
]
_SUBJECTS: list[Object] = [
    {"kind": "User", "name": "jane"},
    {"kind": "Group", "name": "system:masters"},
    {"kind": "ServiceAccount", "name": "robot", "namespace": "default"},
    {"kind": "ServiceAccount", "name": "other", "namespace": "default"},
]

FULL: dict[str, Object] = {
    "certificates/v1 CertificateSigningRequest": {
        "spec": {
            "request": base64.b64encode(SIGNING_REQUEST).decode(),
            "signerName": "example.com/signer",
            "expirationSeconds": 86400,
            "usages": ["digital signature", "client auth"],
        }
    },
    "certificates/v1beta1 ClusterTrustBundle": {
        "metadata": {"name": "example.com:signer:full"},
        "spec": {"signerName": "example.com/signer", "trustBundle": CERTIFICATE.decode()},
    },
    "rbac.authorization/v1 ClusterRoleBinding": {"subjects": _SUBJECTS, "roleRef": {"kind": "ClusterRole", "name": "system:view"}},
    "rbac.authorization/v1 ClusterRole": {
        "aggregationRule": {
            "clusterRoleSelectors": [{"matchLabels": {"a": "b"}}, {"matchExpressions": [{"key": "c", "operator": "Exists"}]}]
        },
        "rules": [*_RULES, {"verbs": ["post", "get"], "nonResourceURLs": ["/metrics", "/logs/*"]}],
    },
    "rbac.authorization/v1 RoleBinding": {"subjects": _SUBJECTS, "roleRef": {"kind": "Role", "name": "view"}},
    "rbac.authorization/v1 Role": {"rules": _RULES},
}

"""What tests of volumes say over and over: the words of findings, and claims and volumes that are right."""

from svcsim.meta.types import Object

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
    "'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
MODES = 'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
ALONE = "may not use ReadWriteOncePod with other access modes"
ONE_TYPE = "Forbidden: may not specify more than 1 volume type"
IMMUTABLE = "field is immutable"
BETA_CLASS = "volume.beta.kubernetes.io/storage-class"

NFS: Object = {"server": "s", "path": "/x"}
IQN = "iqn.2015-02.example.com:test"


def volume(**spec: object) -> Object:
    """A PersistentVolume; None takes a field away."""
    usual = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "nfs": NFS}
    return {"metadata": {"name": "v"}, "spec": {name: value for name, value in {**usual, **spec}.items() if value is not None}}


def claim(**spec: object) -> Object:
    """A PersistentVolumeClaim; None takes a field away."""
    usual = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": "c", "namespace": "default"}
    return {"metadata": metadata, "spec": {name: value for name, value in {**usual, **spec}.items() if value is not None}}

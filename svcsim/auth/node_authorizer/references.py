"""What a pod makes its node need, and which Secrets a volume does: read off one object, as keys of the store.

A node fetches what the pods on it refer to, so this is what it may read. Only names count: whether a reference is optional, or leads
anywhere, makes no difference.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from svcsim.dialect import Dialect
from svcsim.meta.pods import containers_of
from svcsim.meta.types import Key, Object

CLAIMS: Final = "persistentvolumeclaims"
_VOLUME_SECRETS: Final = (
    ("azureFile", "secretName"),
    ("secret", "secretName"),
    ("cephfs", "secretRef"),
    ("cinder", "secretRef"),
    ("flexVolume", "secretRef"),
    ("iscsi", "secretRef"),
    ("rbd", "secretRef"),
    ("scaleIO", "secretRef"),
    ("storageos", "secretRef"),
    ("csi", "nodePublishSecretRef"),
)
"""A source of a pod's volume, and its field that names a Secret beside the pod."""
_PERSISTENT_SECRETS: Final = (
    ("cephfs", "secretRef"),
    ("cinder", "secretRef"),
    ("flexVolume", "secretRef"),
    ("iscsi", "secretRef"),
    ("rbd", "secretRef"),
    ("scaleIO", "secretRef"),
    ("storageos", "secretRef"),
    ("csi", "nodePublishSecretRef"),
    ("csi", "nodeStageSecretRef"),
    ("csi", "nodeExpandSecretRef"),
)
"""A source of a PersistentVolume, and its field that names a Secret, maybe with a namespace. Those that only controllers use are left
out."""


def needs_of(pod: Object, dialect: Dialect) -> tuple[Key, ...]:
    """What a pod refers to, each once. A mirror pod makes its node need nothing: nodes create those themselves."""
    meta, spec = pod["metadata"], pod["spec"]
    if dialect.key("config.mirror") in (meta.get("annotations") or {}):
        return ()
    found = (
        *(("serviceaccounts", name) for name in (spec.get("serviceAccountName"),)),
        *_pulled_with(spec),
        *_of_containers(spec),
        *_of_volumes(spec.get("volumes") or (), meta["name"]),
        *((f"resourceclaims.{dialect.group('resource')}", name) for name in _resource_claims(pod)),
    )
    return tuple({Key(resource, meta["namespace"], name): None for resource, name in found if name})


def names_secrets(spec: Object) -> bool:
    """Whether a pod refers to any Secret, by whatever field."""
    named = (*_pulled_with(spec), *_of_containers(spec), *_of_volumes(spec.get("volumes") or (), ""))
    return any(resource == "secrets" and name for resource, name in named)


def _pulled_with(spec: Object) -> Iterator[tuple[str, str | None]]:
    return (("secrets", (reference or {}).get("name")) for reference in spec.get("imagePullSecrets") or ())


def secrets_of(volume: Object, claim: Key) -> Iterator[Key]:
    """The Secrets a node needs to mount a PersistentVolume that is bound to a claim."""
    spec = volume["spec"]
    for source, field in _PERSISTENT_SECRETS:
        reference = (spec.get(source) or {}).get(field) or {}
        if reference.get("name"):
            yield Key("secrets", reference.get("namespace") or claim.namespace, reference["name"])
    share = spec.get("azureFile") or {}
    if share.get("secretName"):
        yield Key("secrets", share.get("secretNamespace") or claim.namespace, share["secretName"])


def _of_containers(spec: Object) -> Iterator[tuple[str, str | None]]:
    for container in containers_of(spec):
        for source in container.get("envFrom") or ():
            yield "configmaps", (source.get("configMapRef") or {}).get("name")
            yield "secrets", (source.get("secretRef") or {}).get("name")
        for variable in container.get("env") or ():
            value = variable.get("valueFrom") or {}
            yield "configmaps", (value.get("configMapKeyRef") or {}).get("name")
            yield "secrets", (value.get("secretKeyRef") or {}).get("name")


def _of_volumes(volumes: Iterable[Object], pod_name: str) -> Iterator[tuple[str, str | None]]:
    for volume in volumes:
        yield "configmaps", (volume.get("configMap") or {}).get("name")
        yield CLAIMS, (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if volume.get("ephemeral") is not None:
            yield CLAIMS, f"{pod_name}-{volume['name']}"
        for source in (volume.get("projected") or {}).get("sources") or ():
            yield "configmaps", (source.get("configMap") or {}).get("name")
            yield "secrets", (source.get("secret") or {}).get("name")
        for source, field in _VOLUME_SECRETS:
            reference = (volume.get(source) or {}).get(field)
            yield "secrets", reference.get("name") if isinstance(reference, dict) else reference


def _resource_claims(pod: Object) -> Iterator[str | None]:
    """Claims by name, and those that were made from a template, which the status tells."""
    status = pod.get("status") or {}
    for claim in pod["spec"].get("resourceClaims") or ():
        yield claim.get("resourceClaimName")
    for made in status.get("resourceClaimStatuses") or ():
        yield made.get("resourceClaimName")
    yield (status.get("extendedResourceClaimStatus") or {}).get("resourceClaimName")

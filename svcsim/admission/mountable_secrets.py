"""Which secrets a pod may use: those that its service account lists, where the account says that it is to be so."""

from collections.abc import Iterator

from svcsim.dialect import Dialect
from svcsim.meta.objects import annotations_of, name_of
from svcsim.meta.types import Object

_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_CONTAINERS = (("initContainers", "init container"), ("containers", "container"), ("ephemeralContainers", "ephemeral container"))
_EPHEMERAL = _CONTAINERS[2:]


def is_enforced(account: Object, dialect: Dialect) -> bool:
    return annotations_of(account).get(dialect.key("enforce-mountable-secrets")) in _TRUE


def trespasses(account: Object, spec: Object, *, ephemeral: bool = False) -> Iterator[str]:
    """What a pod refers to, and its account doesn't; of ephemeral containers alone, if it is only they that are new."""
    listed = [secret.get("name") for secret in account.get("secrets") or ()]
    because = f"is not allowed because service account {name_of(account)} does not reference that"
    for told, secret in (*_of_containers(spec, _EPHEMERAL),) if ephemeral else _of_pod(spec):
        if secret not in listed:
            yield f'{told} secret.secretName="{secret}" {because} secret'
    if ephemeral:
        return
    pullable = [secret.get("name") for secret in account.get("imagePullSecrets") or ()]
    for index, secret in enumerate(spec.get("imagePullSecrets") or ()):
        if secret.get("name") not in pullable:
            yield f'imagePullSecrets[{index}].name="{secret.get("name") or ""}" {because} imagePullSecret'


def _of_pod(spec: Object) -> Iterator[tuple[str, str]]:
    for volume in spec.get("volumes") or ():
        if "secret" in volume:
            yield "volume with", volume["secret"].get("secretName") or ""
    yield from _of_containers(spec, _CONTAINERS[:2])


def _of_containers(spec: Object, fields: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for field, called in fields:
        for container in spec.get(field) or ():
            for variable in container.get("env") or ():
                if reference := (variable.get("valueFrom") or {}).get("secretKeyRef"):
                    yield f"{called} {container['name']} with envVar {variable['name']} referencing", reference.get("name") or ""
            for source in container.get("envFrom") or ():
                if reference := source.get("secretRef"):
                    yield f"{called} {container['name']} with envFrom referencing", reference.get("name") or ""

"""The ConfigMaps and Secrets a pod can't start without, and the messages people see while one is missing.

A volume is mounted before anything starts, so a missing source holds up the whole pod; an environment variable is filled in when its
container is made, so only that one waits. What is marked optional is never asked for.
"""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.meta.types import Object


class Reference(NamedTuple):
    """One object, and for what it is needed. ``keys`` have to be in it."""

    plural: str
    name: str
    keys: tuple[str, ...] = ()
    volume: str = ""
    """The volume that shows it; empty where ``container`` takes it into its environment."""
    container: str = ""

    @property
    def kind(self) -> str:
        return self.plural.removesuffix("s")


def volume_references(spec: Object, always_there: str) -> list[Reference]:
    """What a pod's volumes need. ``always_there`` is a ConfigMap that is published for everybody."""
    found: list[Reference] = []
    for volume in spec.get("volumes") or ():
        sources = [volume, *((volume.get("projected") or {}).get("sources") or ())]
        wanted = [reference for source in sources for reference in _of_source(volume["name"], source)]
        found += [reference for reference in wanted if (reference.plural, reference.name) != ("configmaps", always_there)]
    return found


def environment_references(spec: Object) -> list[Reference]:
    """What the containers' environments need."""
    containers = (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))
    return [reference for container in containers for reference in _of_environment(container)]


def problem(reference: Reference, namespace: str, obj: Object | None) -> str:
    """What is wrong with a reference; empty if nothing is. ``obj`` is what it leads to."""
    if obj is None:
        return f'{reference.kind} "{reference.name}" not found'
    have = {**(obj.get("data") or {}), **(obj.get("binaryData") or {})}
    for key in reference.keys:
        if key not in have:
            if reference.volume:
                return f"references non-existent {reference.kind.replace('configmap', 'config')} key: {key}"
            what = "ConfigMap" if reference.plural == "configmaps" else "Secret"
            return f"couldn't find key {key} in {what} {namespace}/{reference.name}"
    return ""


def aggregate(wrong: list[str]) -> str:
    """All that is wrong with the sources of one volume, in one text."""
    told = list(dict.fromkeys(wrong))
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]"


def mount_message(volume: str, trouble: str) -> str:
    """The event for a volume that can't be mounted."""
    return f'MountVolume.SetUp failed for volume "{volume}" : {trouble}'


def mounter_message(volume: str, trouble: str) -> str:
    """The event for a volume that nobody there mounts."""
    return f'MountVolume.NewMounter initialization failed for volume "{volume}" : {trouble}'


def _of_source(volume: str, source: Object) -> Iterator[Reference]:
    for field, plural, name in (("configMap", "configmaps", "name"), ("secret", "secrets", "secretName")):
        wanted = source.get(field)
        if wanted and not wanted.get("optional"):
            keys = tuple(item["key"] for item in wanted.get("items") or ())
            yield Reference(plural, wanted.get(name) or wanted.get("name") or "", keys, volume=volume)


def _of_environment(container: Object) -> Iterator[Reference]:
    for source in container.get("envFrom") or ():
        for field, plural in (("configMapRef", "configmaps"), ("secretRef", "secrets")):
            wanted = source.get(field)
            if wanted and not wanted.get("optional"):
                yield Reference(plural, wanted.get("name") or "", container=container["name"])
    for variable in container.get("env") or ():
        for field, plural in (("configMapKeyRef", "configmaps"), ("secretKeyRef", "secrets")):
            wanted = (variable.get("valueFrom") or {}).get(field)
            if wanted and not wanted.get("optional"):
                yield Reference(plural, wanted.get("name") or "", (wanted["key"],), container=container["name"])

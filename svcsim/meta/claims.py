"""PersistentVolumeClaims and volumes, as everybody reads them: binder, scheduler, nodes, and who simulates storage."""

from collections.abc import Iterator
from typing import NamedTuple

from svcsim.dialect import Dialect
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.objects import annotations_of, controller_of, get_path, name_of, namespace_of, uid_of
from svcsim.meta.quantity import ZERO, Amount, parse
from svcsim.meta.types import Object

WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
ONCE_POD = "ReadWriteOncePod"
_SHORT_ACCESS_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", ONCE_POD: "RWOP"}


class StorageKeys(NamedTuple):
    """Annotations by which those who deal with volumes talk to each other."""

    bind_completed: str
    """On a claim: it has been bound once, so that it is lost if its volume no longer exists."""
    bound_by_controller: str
    """On either: that it names the other wasn't a user's wish, and may be taken back."""
    provisioned_by: str
    """On a volume: who made it for a claim."""
    selected_node: str
    """On a claim: the node on which its first pod is to be, so that a volume can be made that is to be had there."""
    provisioner: str
    provisioner_beta: str
    """On a claim: who is to make a volume for it, under its name of today and that of old."""
    class_of_old: str
    """On either: the class, from before there was a field."""
    class_resource: str
    """The resource of classes of storage."""
    in_tree: str
    """What the names of provisioners begin with that Kubernetes once had itself."""

    @classmethod
    def of(cls, dialect: Dialect) -> "StorageKeys":
        return cls(
            bind_completed=dialect.key("bind-completed", "pv"),
            bound_by_controller=dialect.key("bound-by-controller", "pv"),
            provisioned_by=dialect.key("provisioned-by", "pv"),
            selected_node=dialect.key("selected-node", "volume"),
            provisioner=dialect.key("storage-provisioner", "volume"),
            provisioner_beta=dialect.key("storage-provisioner", "volume.beta"),
            class_of_old=dialect.key("storage-class", "volume.beta"),
            class_resource=f"storageclass.{dialect.group('storage')}",
            in_tree=dialect.key(""),
        )

    def class_of(self, obj: Object) -> str:
        """The class of storage that a claim or a volume is of; empty for none."""
        of_old = annotations_of(obj).get(self.class_of_old)
        return of_old if of_old is not None else obj["spec"].get("storageClassName") or ""

    def provisioner_of(self, claim: Object) -> str:
        """Who is to make a volume for a claim; empty for nobody. Binders of old know the name of old alone."""
        marks = annotations_of(claim)
        return marks.get(self.provisioner) or marks.get(self.provisioner_beta) or ""

    def names_class(self, claim: Object) -> bool:
        """Whether a claim says anything of its class: the empty one is one, too."""
        return self.class_of_old in annotations_of(claim) or claim["spec"].get("storageClassName") is not None

    def is_bound(self, claim: Object) -> bool:
        """Whether a claim has been bound to the volume that it names."""
        return bool(volume_of(claim)) and self.bind_completed in annotations_of(claim)


class PodClaim(NamedTuple):
    """A claim that a pod uses, and by which of its volumes."""

    volume: str
    name: str
    ephemeral: bool = False
    """Whether it is made for the pod, and goes with it."""
    read_only: bool = False


def pod_claims(pod: Object) -> Iterator[PodClaim]:
    """The claims a pod uses, in the order of its volumes."""
    for volume in pod["spec"].get("volumes") or ():
        named = volume.get("persistentVolumeClaim")
        if named is not None:
            yield PodClaim(volume["name"], named["claimName"], read_only=bool(named.get("readOnly")))
        elif volume.get("ephemeral") is not None:
            yield PodClaim(volume["name"], ephemeral_claim_name(pod["metadata"]["name"], volume["name"]), ephemeral=True)


def ephemeral_claim_name(pod: str, volume: str) -> str:
    """What the claim is called that is made for a pod's ephemeral volume."""
    return f"{pod}-{volume}"


def claims_of(pod: Object) -> list[str]:
    """An indexer: the claims a pod uses, as ``namespace/name``."""
    return [f"{namespace_of(pod)}/{claim.name}" for claim in pod_claims(pod)] if pod["spec"].get("volumes") else []


def not_made_for(pod: Object, claim: Object) -> str:
    """Why a claim can't be that of an ephemeral volume of a pod; empty if it is."""
    owner = controller_of(claim)
    if owner is not None and owner["uid"] == uid_of(pod):
        return ""
    namespace = namespace_of(pod)
    return f"PVC {namespace}/{claim['metadata']['name']} was not created for pod {namespace}/{pod['metadata']['name']} (pod is not owner)"


def volume_of(claim: Object) -> str:
    """The name of the volume that a claim names; empty before that."""
    name: str = claim["spec"].get("volumeName") or ""
    return name


def claim_ref(volume: Object) -> Object | None:
    """What a volume says of the claim it is for."""
    reference: Object | None = volume["spec"].get("claimRef")
    return reference


def claim_key(reference: Object) -> ObjectKey:
    """The claim that a reference names."""
    return ObjectKey(reference.get("namespace") or "", reference.get("name") or "")


def is_for(volume: Object, claim: Object) -> bool:
    """Whether a volume says that it is for this claim: of that name, and not of another life of it."""
    reference = claim_ref(volume)
    if reference is None or claim_key(reference) != ObjectKey(namespace_of(claim), claim["metadata"]["name"]):
        return False
    return not reference.get("uid") or reference["uid"] == uid_of(claim)


def size_of(volume: Object) -> Amount:
    """How large a volume is."""
    return _amount(volume, "spec.capacity")


def wanted_size(claim: Object) -> Amount:
    """How large a volume a claim asks for."""
    return _amount(claim, "spec.resources.requests")


def _amount(obj: Object, path: str) -> Amount:
    text = (get_path(obj, path) or {}).get("storage")
    return parse(text) if text else ZERO


def data_source(claim: Object) -> Object | None:
    """What its volume is to be filled from; None where it is to be empty."""
    source: Object | None = get_path(claim, "spec.dataSourceRef") or get_path(claim, "spec.dataSource")
    return source


def mode_of(obj: Object) -> str:
    """Whether a claim, or a volume, is of files or of blocks."""
    mode: str = obj["spec"].get("volumeMode") or "Filesystem"
    return mode


def access_modes(obj: Object) -> list[str]:
    modes: list[str] = obj["spec"].get("accessModes") or []
    return modes


def short_access_modes(modes: list[str] | None) -> str:
    """Access modes in short, each once, in the order kubectl has: ``RWO,ROX``."""
    return ",".join(short for mode, short in _SHORT_ACCESS_MODES.items() if mode in (modes or ()))


def default_class_marks(dialect: Dialect) -> tuple[str, ...]:
    """The annotations by which a StorageClass is the one of claims that name none, each with the value ``true``."""
    return tuple(dialect.key("is-default-class", prefix) for prefix in ("storageclass", "storageclass.beta"))


def attributes_class(obj: Object) -> str:
    """The VolumeAttributesClass that a claim or a volume names; empty for none."""
    name: str = obj["spec"].get("volumeAttributesClassName") or ""
    return name


def attributes_classes_of(claim: Object) -> list[str]:
    """An indexer: the VolumeAttributesClasses of a claim, that it asks for, has and is being given."""
    status = claim.get("status") or {}
    given = (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    named = (attributes_class(claim), status.get("currentVolumeAttributesClassName"), given)
    return list(dict.fromkeys(name for name in named if name))


def waits_for_consumer(storage_class: Object | None) -> bool:
    """Whether claims of a class are bound only once it is known where a pod that uses them is to be."""
    return storage_class is not None and storage_class.get("volumeBindingMode") == WAIT_FOR_FIRST_CONSUMER


def bound_volume(volume: Object, claim: Object, keys: StorageKeys) -> Object | None:
    """A volume that says it is for the claim."""
    reference = claim_ref(volume)
    wanted = {"namespace": namespace_of(claim), "name": name_of(claim), "uid": uid_of(claim)}
    if reference is not None and all(reference.get(field) == value for field, value in wanted.items()):
        return None
    found = {**volume, "spec": {**volume["spec"], "claimRef": reference_to(claim)}}
    return annotated(found, **{keys.bound_by_controller: "yes"}) if reference is None else found


def reference_to(claim: Object) -> Object:
    """What a volume says of a claim."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": namespace_of(claim),
        "name": name_of(claim),
        "uid": uid_of(claim),
        "resourceVersion": claim["metadata"]["resourceVersion"],
    }


def annotated(obj: Object, **marks: str) -> Object:
    """An object with further annotations."""
    return {**obj, "metadata": {**obj["metadata"], "annotations": {**annotations_of(obj), **marks}}}

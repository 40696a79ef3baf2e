"""The storage that a cluster brings along, as it is offered: its driver, and a class of storage that claims get that name none."""

from svcsim.dialect import Dialect
from svcsim.meta.claims import WAIT_FOR_FIRST_CONSUMER
from svcsim.meta.simulated_disks import CLASS, DRIVER
from svcsim.meta.types import Object


def storage_objects(dialect: Dialect, *, again: bool) -> tuple[tuple[str, Object], ...]:
    """The plural and the content of each. The class is made at the first start alone: a user who deletes it has another one in mind."""
    api_version = f"{dialect.group('storage')}/v1"
    driver: Object = {"apiVersion": api_version, "kind": "CSIDriver", "metadata": {"name": DRIVER}, "spec": {"attachRequired": True}}
    storage_class: Object = {
        "apiVersion": api_version,
        "kind": "StorageClass",
        "metadata": {"name": CLASS, "annotations": {dialect.key("is-default-class", "storageclass"): "true"}},
        "provisioner": DRIVER,
        "volumeBindingMode": WAIT_FOR_FIRST_CONSUMER,
        "allowVolumeExpansion": True,
    }
    return (("csidrivers", driver), *(() if again else (("storageclasses", storage_class),)))

"""What a node says of the volumes that are mounted in a container: which, where, and whether mounts below them are read-only as well."""

from svcsim.meta.types import Object


def mount_statuses(container: Object) -> list[Object]:
    """``volumeMounts`` of a container's status; of volumes that may be written to there is nothing to say of mounts below."""
    return [_of(mount) for mount in container.get("volumeMounts") or ()]


def _of(mount: Object) -> Object:
    status: Object = {"name": mount["name"], "mountPath": mount["mountPath"]}
    if mount.get("readOnly"):
        # The runtime of simulated nodes can do it, so that being asked for if possible is being asked for.
        wanted = mount.get("recursiveReadOnly") or "Disabled"
        status |= {"readOnly": True, "recursiveReadOnly": "Disabled" if wanted == "Disabled" else "Enabled"}
    return status

"""Parts of volumes whose names are worked out from a container's environment (``subPathExpr``), and why they can't be.

A container isn't made as long as the name of a part refers to what nobody has set, or leads out of its volume.
"""

from svcsim.meta.types import Object
from svcsim.nodes.machine import Machine
from svcsim.nodes.streams.environment import ARGUMENTS_TOO_LONG, TooLongError, environment, expanded, missing_in
from svcsim.nodes.streams.given import Find
from svcsim.nodes.streams.naming import hostname_of
from svcsim.nodes.streams.sources import Keys, Sources, keys_of
from svcsim.nodes.streams.world import allocatable_of, linked_services

_PATH_CHARS = 4_096
"""The longest path that a kernel takes."""


async def sub_path_errors(machine: Machine, pod: Object, containers: list[Object], find: Find, now: float) -> dict[str, str]:
    """What is wrong, by the name of the container. Raises `StatusError` where what it depends on can't be read."""
    concerned = [one for one in containers if any(mount.get("subPathExpr") for mount in one.get("volumeMounts") or ())]
    if not concerned:
        return {}

    async def read(plural: str, name: str) -> Keys:
        return keys_of(plural, await find(plural, name))

    services = await linked_services(machine.agent.client, pod, now)
    errors: dict[str, str] = {}
    for container in concerned:
        try:
            variables = await environment(container, Sources(pod, read, allocatable_of(machine)), services, hostname_of(pod))
            wrong = [why for mount in container["volumeMounts"] if (why := _error(mount.get("subPathExpr") or "", variables))]
        except TooLongError:
            wrong = [ARGUMENTS_TOO_LONG]
        errors |= {container["name"]: wrong[0]} if wrong else {}
    return errors


def _error(wanted: str, variables: dict[str, str]) -> str:
    missing = missing_in(wanted, variables)
    path = expanded(wanted, variables)
    if missing:
        return f'missing value for "{missing}"'
    if len(path) > _PATH_CHARS:
        return "unable to provision SubPath: file name too long"
    if path.startswith("/"):
        return f"error SubPath `{path}` must not be an absolute path"
    return f"unable to provision SubPath `{path}`: must not contain '..'" if ".." in path.split("/") else ""

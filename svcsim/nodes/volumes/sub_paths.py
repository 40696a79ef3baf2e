"""Parts of volumes whose names are worked out from a container's environment (``subPathExpr``), and why they can't be.

A container isn't made as long as the name of a part refers to what nobody has set, or leads out of its volume.
"""

from svcsim.meta.types import Object
from svcsim.nodes.containers.environment import TooLongError, environment, expanded, missing_in
from svcsim.nodes.containers.sources import Sources
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.shell.expansion import ARGUMENTS_TOO_LONG
from svcsim.nodes.streams.given import Find, reading
from svcsim.nodes.streams.naming import hostname_of
from svcsim.nodes.streams.world import allocatable_of, linked_services, the_api_service

_PATH_CHARS = 4_096
"""The longest path that a kernel takes."""


async def sub_path_errors(machine: Machine, pod: Object, containers: list[Object], find: Find, now: float) -> dict[str, str]:
    """What is wrong, by the name of the container. Raises `StatusError` where what it depends on can't be read."""
    concerned = [one for one in containers if any(mount.get("subPathExpr") for mount in one.get("volumeMounts") or ())]
    if not concerned:
        return {}
    client = machine.agent.client
    services = await linked_services(client, pod, now, await the_api_service(client))
    sources = Sources(pod, reading(find), allocatable_of(machine))
    errors: dict[str, str] = {}
    for container in concerned:
        try:
            variables = await environment(container, sources, services, hostname_of(pod))
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

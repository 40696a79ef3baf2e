"""Looks up what pods refer to before they start, and holds back those for which something is missing."""

from svcsim.client.api import Client
from svcsim.client.backoff import backoff_s
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.types import Object
from svcsim.nodes.pod_run import PodRun
from svcsim.nodes.references import Reference, environment_references, mount_message, problem, volume_references

RETRY_FIRST_S = 0.5
RETRY_LONGEST_S = 122.0


class Mounts:
    """Asks the API for ConfigMaps and Secrets; once per try of a pod to start, and never for one that refers to none."""

    def __init__(self, dialect: Dialect) -> None:
        self._always_there = dialect.root_ca_config_map

    async def prepare(self, client: Client, run: PodRun, pod: Object, now: float) -> None:
        """Before a run advances: put off a pod whose volumes can't be mounted, note the containers that can't be made.

        ``client`` is that of the node the pod is on.
        """
        spec = pod["spec"]
        if run.sandbox_at is not None and run.sandbox_at <= now:
            trouble = await _first_trouble(client, run, volume_references(spec, self._always_there))
            if trouble is not None:
                run.postpone(now + backoff_s(run.mount_failures + 1, RETRY_FIRST_S, RETRY_LONGEST_S), mount_message(*trouble))
        if not run.stopping and any(not container.started_at for container in run.containers):
            run.config_errors = await _config_errors(client, run, environment_references(spec))


async def _first_trouble(client: Client, run: PodRun, references: list[Reference]) -> tuple[Reference, str] | None:
    for reference in references:
        trouble = problem(reference, run.namespace, await _get(client, run.namespace, reference))
        if trouble:
            return reference, trouble
    return None


async def _config_errors(client: Client, run: PodRun, references: list[Reference]) -> dict[str, str]:
    errors: dict[str, str] = {}
    for reference in references:
        if reference.container not in errors:
            trouble = problem(reference, run.namespace, await _get(client, run.namespace, reference))
            if trouble:
                errors[reference.container] = trouble
    return errors


async def _get(client: Client, namespace: str, reference: Reference) -> Object | None:
    try:
        return await client.resource("v1", reference.plural, namespace).get(reference.name)
    except StatusError as error:
        if error.code == 404:
            return None
        raise

"""Looks up what pods refer to before they start, and holds back those for which something is missing."""

from collections.abc import Sequence

from svcsim.client.api import Client
from svcsim.client.backoff import backoff_s
from svcsim.dialect import Dialect
from svcsim.meta.attachments import unique_name
from svcsim.meta.claims import claims_of
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.pods import containers_of
from svcsim.meta.types import Object
from svcsim.nodes.awaited import Awaited
from svcsim.nodes.claims import Obstacle, StorageCaches, attach_timeout, attached_volumes
from svcsim.nodes.machine import Machine
from svcsim.nodes.pod_run import PodRun
from svcsim.nodes.references import Reference, environment_references, mount_message, problem, volume_references
from svcsim.nodes.sub_paths import sub_path_errors
from svcsim.nodes.users import root_refused

RETRY_FIRST_S = 0.5
RETRY_LONGEST_S = 122.0
MOUNTING_S = 0.2
"""How long after it was attached a volume is mounted."""
ATTACHING_S = 123.0
"""How long a volume may take to be attached until that is told of."""


class Mounts:
    """Asks the API for ConfigMaps, Secrets and claims; once per try of a pod to start, and never for one that refers to none."""

    def __init__(self, dialect: Dialect, storage: StorageCaches) -> None:
        self._storage = storage
        self._dialect = dialect
        self._always_there = dialect.root_ca_config_map
        self.awaited = Awaited()

    async def prepare(self, machine: Machine, run: PodRun, pod: Object, now: float) -> None:
        """Before a run advances: put off a pod whose volumes can't be mounted, note the containers that can't be made."""
        spec, client = pod["spec"], machine.agent.client
        if run.sandbox_at is not None and run.sandbox_at <= now and spec.get("volumes"):
            await self._mount(machine, run, pod, now)
        elif run.sandbox_at is None and claims_of(pod) and not machine.volumes.are_known(run.uid) and not run.finished:
            found = await attached_volumes(client, pod, self._storage)  # it was taken up as it ran
            machine.volumes.take(run.uid, [] if isinstance(found, Obstacle) else self._names(found))
        if not run.stopping and any(not container.started_at for container in run.containers):
            containers = list(containers_of(spec))
            refused = {one["name"]: why for one in containers if (why := root_refused(pod, one))}
            missing = await _config_errors(client, run, environment_references(spec))
            run.config_errors = {**await sub_path_errors(machine, client, pod, containers, now), **missing, **refused}

    async def _mount(self, machine: Machine, run: PodRun, pod: Object, now: float) -> None:
        client = machine.agent.client
        why = await self._claim_trouble(machine, run, pod, now) if claims_of(pod) else ""
        if why is None:
            return
        if not why:
            trouble = await _first_trouble(client, run, volume_references(pod["spec"], self._always_there))
            why = mount_message(*trouble) if trouble is not None else ""
        if why:
            run.postpone(now + backoff_s(run.mount_failures + 1, RETRY_FIRST_S, RETRY_LONGEST_S), why)

    async def _claim_trouble(self, machine: Machine, run: PodRun, pod: Object, now: float) -> str | None:
        """What is wrong with a pod's claims; None where it waits for something to be attached, and will be looked at again."""
        key = object_key(pod)
        found = await attached_volumes(machine.agent.client, pod, self._storage)
        if not isinstance(found, Obstacle):
            self.awaited.leave(key)
            machine.volumes.take(run.uid, self._names(found))
            return ""
        if not found.attachment:
            self.awaited.leave(key)
            return found.why
        is_new = self.awaited.wait(key, found.attachment)
        run.postpone(now + ATTACHING_S, "" if is_new else attach_timeout(found.volume))
        return None

    def _names(self, volumes: Sequence[Object]) -> list[str]:
        return [unique_name(volume, self._dialect) for volume in volumes]

    def forget(self, pod: ObjectKey) -> None:
        """A pod is gone."""
        self.awaited.leave(pod)


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
    return await client.resource("v1", reference.plural, namespace).find(reference.name)

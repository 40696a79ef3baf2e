"""Looks up what pods refer to before they start, and holds back those for which something is missing."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from svcsim.client.api import Client
from svcsim.client.backoff import backoff_s
from svcsim.dialect import Dialect
from svcsim.meta.attachments import unique_name
from svcsim.meta.claims import claims_of
from svcsim.meta.device_claims import DeviceKeys
from svcsim.meta.found_before import FoundTruth
from svcsim.meta.indexed import ObjectKey, object_key
from svcsim.meta.objects import name_of
from svcsim.meta.pods import containers_of, node_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Json, Object
from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.unknown_containers import unknown_in_environments, unknown_in_volumes
from svcsim.nodes.images.users import root_refused
from svcsim.nodes.machines.machine import Machine
from svcsim.nodes.pods.awaited import Awaited
from svcsim.nodes.pods.devices import FAILED_DEVICES, devices_missing
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.pods.pull_secrets import tell_missing_pull_secrets
from svcsim.nodes.pods.security_profiles import names_profile, profile_error
from svcsim.nodes.streams.given import Find, GivenToPods, StartedWith, sources_shown
from svcsim.nodes.streams.node_disks import NodeDisks
from svcsim.nodes.streams.world import allocatable_of
from svcsim.nodes.volumes.claims import (
    Obstacle,
    Reached,
    StorageCaches,
    attach_timeout,
    mounted_volumes,
    out_of_reach,
    reached_volumes,
    used_by_another,
)
from svcsim.nodes.volumes.references import (
    Reference,
    aggregate,
    environment_references,
    mount_message,
    mounter_message,
    problem,
    volume_references,
)
from svcsim.nodes.volumes.sub_paths import sub_path_errors

RETRY_FIRST_S = 0.5
RETRY_LONGEST_S = 122.0
MOUNTING_S = 0.2
"""How long after it was attached a volume is mounted."""
_INLINE = "Ephemeral"
"""How a driver calls volumes that stand in a pod's spec, and go with it."""
_FROM_ELSEWHERE = ("csi", "ephemeral", "hostPath", "persistentVolumeClaim")
"""Volumes that others have to make, or that are on the disk of the node."""
ATTACHING_S = 123.0
"""How long a volume may take to be attached until that is told of."""


class Starting(NamedTuple):
    """A container that may be started at this moment, and what it is given then."""

    container: Container
    started_before_at: float
    given: StartedWith


class Mounts:
    """Asks the API for ConfigMaps, Secrets and claims; once per try of a pod to start, and never for one that refers to none."""

    def __init__(self, dialect: Dialect, storage: StorageCaches, given: GivenToPods, disks: NodeDisks) -> None:
        self._storage = storage
        self._given = given
        self._disks = disks
        self._dialect = dialect
        self._device_keys = DeviceKeys.of(dialect)
        self._always_there = dialect.root_ca_config_map
        self._are_plain = FoundTruth(self._need_nothing)
        self.awaited = Awaited()

    def _need_nothing(self, volumes: Json) -> bool:
        """Whether nothing can be wrong with volumes, nor is to be noted of them: most pods have that of their account's token alone."""
        if any(volume.get(kind) is not None for volume in volumes for kind in _FROM_ELSEWHERE):
            return False
        spec: Object = {"volumes": volumes}
        return not unknown_in_volumes(spec) and all(source == ("configmaps", self._always_there) for source in sources_shown(spec))

    async def prepare(self, machine: Machine, run: PodRun, pod: Object, now: float) -> list[Starting]:
        """Before a run advances: put off a pod whose volumes can't be mounted, note the containers that can't be made.

        Gives what containers are given that are started now.
        """
        spec, client = pod["spec"], machine.agent.client
        if run.sandbox.due_at is not None:
            if run.sandbox.due_at <= now and (spec.get("resourceClaims") or not self._are_plain(spec.get("volumes") or [])):
                await self._mount(machine, run, pod, now)
        elif claims_of(pod) and not machine.volumes.are_known(run.identity.uid) and not run.finished:
            self._take(machine, run, await mounted_volumes(client, pod, self._storage))  # it was taken up as it ran
        if spec.get("imagePullSecrets"):
            await tell_missing_pull_secrets(_finding(client, run.identity.namespace), run, spec, now)
        if run.termination.is_deleted or not _asks(spec):
            return []
        starting = [container for container in run.containers.all if _may_start(container, now)]
        if not starting:
            return []
        find = _finding(client, run.identity.namespace)
        containers = list(containers_of(spec))
        refused = {one["name"]: why for one in containers if (why := root_refused(pod, one))}
        missing = await _config_errors(find, run, environment_references(spec))
        unknown = unknown_in_environments(spec)
        run.around.config_errors = {**unknown, **await sub_path_errors(machine, pod, containers, find, now), **missing, **refused}
        run.around.create_errors = {one["name"]: why for one in containers if (why := self._profile_error(machine, spec, one))}
        said, allocatable = {one["name"]: one for one in containers}, allocatable_of(machine)
        given: list[Starting] = []
        for container in starting:
            own = said.get(container.spec.name)
            found = None if own is None else await self._given.now(pod, own, find, allocatable)
            given += [] if found is None else [Starting(container, container.started_at, found)]
        return given

    def _profile_error(self, machine: Machine, spec: Object, container: Object) -> str:
        return profile_error(spec, container, lambda path: self._disks.has(machine.name, path))

    async def _mount(self, machine: Machine, run: PodRun, pod: Object, now: float) -> None:
        """Mount what can be; it isn't called for volumes that, as far as is asked here, `_need_nothing`."""
        why = await self._claim_trouble(machine, run, pod, now) if claims_of(pod) else ""
        if why is None:
            return
        find = _finding(machine.agent.client, run.identity.namespace)
        troubles, reason = [why] if why else [], "FailedMount"
        troubles += await self._wrong_in_sources(find, run, pod["spec"])
        troubles += [mount_message(volume, wrong) for volume, wrong in self._wrong_on_host(pod, now)]
        troubles += [mounter_message(volume, wrong) for volume, wrong in self._not_mounted_inline(pod)]
        if not troubles and pod["spec"].get("resourceClaims"):
            missing = await devices_missing(machine.agent.client, pod, self._device_keys)
            troubles, reason = [missing] if missing else [], FAILED_DEVICES
        if troubles:
            wait_s = backoff_s(run.sandbox.mount_failures + 1, RETRY_FIRST_S, RETRY_LONGEST_S)
            run.sandbox.postpone(now + wait_s, *troubles, reason=reason)
            return
        for source in sources_shown(pod["spec"]):
            obj = await find(*source) if source[1] != self._always_there else None
            if obj is not None:
                self._given.mounted(pod, source, obj)

    async def _wrong_in_sources(self, find: Find, run: PodRun, spec: Object) -> list[str]:
        """What keeps volumes from being filled from objects and from the pod: of each, all that is wrong with its sources."""
        found: dict[str, list[str]] = {}
        for reference in volume_references(spec, self._always_there):
            wrong = problem(reference, run.identity.namespace, await find(reference.plural, reference.name))
            if wrong:
                found.setdefault(reference.volume, []).append(wrong)
        for volume, unknown in unknown_in_volumes(spec).items():
            found.setdefault(volume, []).extend(unknown)
        return [mount_message(volume, aggregate(wrong)) for volume, wrong in found.items()]

    def _wrong_on_host(self, pod: Object, now: float) -> list[tuple[str, str]]:
        """Volumes that are to be on the disk of the node, which hasn't got what they want there; what they may make there is made."""
        wanted = [(volume["name"], volume["hostPath"]) for volume in pod["spec"].get("volumes") or () if volume.get("hostPath")]
        found = ((name, self._disks.wrong(node_of(pod), path["path"], path.get("type") or "", now)) for name, path in wanted)
        return [(name, wrong) for name, wrong in found if wrong]

    def _not_mounted_inline(self, pod: Object) -> Iterator[tuple[str, str]]:
        """Volumes that are to be had of a driver for the pod alone, without a claim, which the driver doesn't say that it can do."""
        for volume in pod["spec"].get("volumes") or ():
            if volume.get("csi") is None:
                continue
            name = volume["csi"]["driver"]
            driver = self._storage.drivers.get(name)
            modes = None if driver is None else driver["spec"].get("volumeLifecycleModes") or ()
            if modes is None or _INLINE not in modes:
                told = "no CSIDriver object" if modes is None else f"only supports [{' '.join(map(quoted, modes))}]"
                yield volume["name"], f"volume mode {quoted(_INLINE)} not supported by driver {name} ({told})"

    async def _claim_trouble(self, machine: Machine, run: PodRun, pod: Object, now: float) -> str | None:
        """What is wrong with a pod's claims; None where it waits for something to be attached, and will be looked at again."""
        key = object_key(pod)
        found = await reached_volumes(machine.agent.client, pod, self._storage)
        if not isinstance(found, Obstacle):
            self.awaited.leave(key)
            wrong = out_of_reach(found, self._storage.nodes.get(machine.name)) or used_by_another(found, run.identity.uid, machine.volumes)
            if not wrong:
                self._take(machine, run, found)
            return wrong
        if not found.attachment:
            self.awaited.leave(key)
            return found.why
        is_new = self.awaited.wait(key, found.attachment)
        run.sandbox.postpone(now + ATTACHING_S, *(() if is_new else (attach_timeout(found.volume),)))
        return None

    def _take(self, machine: Machine, run: PodRun, volumes: Sequence[Reached]) -> None:
        attached = [unique_name(one.volume, self._dialect) for one in volumes if one.attached]
        machine.volumes.take(run.identity.uid, attached, [name_of(one.volume) for one in volumes if one.is_for_one_pod])

    def taken_up(self, pod: Object, now: float) -> None:
        """A pod ran already when its node was simulated anew: what of its node's disk it has mounted is made again there."""
        self._wrong_on_host(pod, now)  # whatever is wrong now, it was there when the pod began

    def forget(self, pod: ObjectKey) -> None:
        """A pod is gone."""
        self.awaited.leave(pod)


def _asks(spec: Object) -> bool:
    """Whether anything is to be looked at before containers start: most pods are what their spec says, and that is all."""
    if _restricts(spec):
        return True
    for container in containers_of(spec):
        if container.get("envFrom") or _restricts(container):
            return True
        for variable in container.get("env") or ():
            if "valueFrom" in variable:
                return True
        for mount in container.get("volumeMounts") or ():
            if "subPath" in mount or "subPathExpr" in mount:
                return True
    return False


def _restricts(said: Object) -> bool:
    """Whether a pod's spec, or a container, has a security context that may keep containers from being made."""
    context: Object = said.get("securityContext") or {}
    return bool(context) and (bool(context.get("runAsNonRoot")) or names_profile(context))


def _may_start(container: Container, now: float) -> bool:
    """Whether a container may be started, at the first or at a further time, when its run advances to this moment."""
    is_due = container.due is not None and container.due <= now
    return not container.started_at or (is_due and container.next_stage != "probing")


def _finding(client: Client, namespace: str) -> Find:
    """Asks for each object once."""
    found: dict[tuple[str, str], Object | None] = {}

    async def find(plural: str, name: str) -> Object | None:
        if (plural, name) not in found:
            found[plural, name] = await client.resource("v1", plural, namespace).find(name)
        return found[plural, name]

    return find


async def _config_errors(find: Find, run: PodRun, references: list[Reference]) -> dict[str, str]:
    errors: dict[str, str] = {}
    for reference in references:
        if reference.container not in errors:
            trouble = problem(reference, run.identity.namespace, await find(reference.plural, reference.name))
            if trouble:
                errors[reference.container] = trouble
    return errors

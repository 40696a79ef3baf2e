"""Whether the claims of a pod are there: before that, no place is looked for. Pure."""

from svcsim.meta.device_claims import UsedDevices, not_made_for_pod
from svcsim.meta.objects import is_terminating
from svcsim.scheduler.devices.known import KnownDevices
from svcsim.scheduler.pod import PodInfo


def unready(pod: PodInfo, known: KnownDevices) -> str:
    """Why it is too early to look for a place for a pod: its claims aren't all there, or not as they should be."""
    for used in pod.devices:
        why = _unready(pod, used, known)
        if why:
            return why
    return ""


def _unready(pod: PodInfo, used: UsedDevices, known: KnownDevices) -> str:
    if used.needs_none:
        return ""
    if used.is_awaited:
        return f'waiting for dynamic resource controller to create the resourceclaim "{used.entry}"'
    claim = known.claim(pod.namespace, used.claim)
    if claim is None:
        return f'resourceclaim "{used.claim}" does not exist'
    if is_terminating(claim):
        return f'resourceclaim "{used.claim}" is being deleted'
    return not_made_for_pod(claim, pod.namespace, pod.name, pod.uid) if used.template else ""

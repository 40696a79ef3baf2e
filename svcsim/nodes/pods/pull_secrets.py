"""The secrets with which a pod's images are to be pulled: the pod starts without those that aren't there, and its node says so."""

from svcsim.meta.types import Object
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.streams.given import Find

_REASON = "FailedToRetrieveImagePullSecret"


async def tell_missing_pull_secrets(find: Find, run: PodRun, spec: Object, now: float) -> None:
    """Each time the pod is about to get images, and some of its secrets are missing."""
    if run.termination.is_deleted or not _gets_images(run, now):
        return
    named = [secret.get("name") or "" for secret in spec.get("imagePullSecrets") or ()]
    missing = [name for name in named if name and await find("secrets", name) is None]
    if missing:
        told = f"Unable to retrieve some image pull secrets ({', '.join(missing)}); attempting to pull the image may not succeed."
        run.events.warn(_REASON, told)


def _gets_images(run: PodRun, now: float) -> bool:
    """Whether images of it are looked for when it advances to this moment."""
    if run.sandbox.due_at is not None:
        return run.sandbox.due_at <= now
    due = (container for container in run.containers.all if container.due is not None and container.due <= now)
    return any(container.next_stage in ("pulling", "restarting") for container in due)

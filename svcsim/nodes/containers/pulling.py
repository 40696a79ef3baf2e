"""The stages in which a container gets its images: its own, and those of volumes."""

from svcsim.client.backoff import backoff_s
from svcsim.meta.times import format_duration
from svcsim.nodes.containers.back_off import BACKOFF_FIRST_S, BACKOFF_LONGEST_S
from svcsim.nodes.containers.container import NOT_PULLED_FOR_S, Container
from svcsim.nodes.containers.next_stage import Next
from svcsim.nodes.containers.surroundings import Surroundings
from svcsim.nodes.images.images import size_bytes
from svcsim.nodes.images.pull_failures import name_error, runtime_message, takes_s


def pulling(container: Container, around: Surroundings, now: float) -> Next:
    """Get the image, if it isn't there or has to be looked for anew."""
    return pull(container, around, container.spec.image, container.spec.pull_policy, now)


def pull(container: Container, around: Surroundings, image: str, policy: str, now: float) -> Next:
    """Get an image, the container's own or that of a volume."""
    container.pulls = image
    wrong = name_error(image)
    if wrong:
        around.events.say(container, "Warning", "InspectFailed", wrong)
        around.events.say(container, "Warning", "Failed", "Error: InvalidImageName")
        container.waiting_reason, container.waiting_message = "InvalidImageName", wrong
        return Next("pulling", BACKOFF_FIRST_S)
    there = around.images.has(image, now)
    if there and policy != "Always":
        around.events.say(container, "Normal", "Pulled", f'Container image "{image}" already present on machine')
        return Next("creating")
    if policy == "Never":
        message = f'Container image "{image}" is not present with pull policy of Never'
        around.events.say(container, "Warning", "ErrImageNeverPull", message)
        around.events.say(container, "Warning", "Failed", "Error: ErrImageNeverPull")
        container.waiting_reason, container.waiting_message = "ErrImageNeverPull", message
        return Next("pulling", BACKOFF_FIRST_S)
    around.events.say(container, "Normal", "Pulling", f'Pulling image "{image}"')
    container.pull_error = around.pull_fails(container, image)
    if container.pull_error:
        return Next("pull failed", around.chance.uniform(*takes_s(container.pull_error)))
    pull = around.images.pull(image, now, around.chance.uniform(0.0, 1.0))
    container.pulled_for_s = (pull.takes_s, pull.waits_s)
    return Next("pulled", (pull.done_at - now) * around.slowed(container))


def pulled(container: Container, around: Surroundings, _now: float) -> Next:
    """The image has come."""
    image = _pulled(container)
    takes, waits = (format_duration(round(seconds, 3)) for seconds in container.pulled_for_s)
    message = f'Successfully pulled image "{image}" in {takes} ({waits} including waiting). Image size: {size_bytes(image)} bytes.'
    around.events.say(container, "Normal", "Pulled", message)
    container.pulled_for_s = NOT_PULLED_FOR_S
    if container.waiting_reason in {"ErrImagePull", "ImagePullBackOff"} and container.failed_pull in {"", image}:
        container.failures = 0
    return Next("creating")


def pull_failed(container: Container, around: Surroundings, _now: float) -> Next:
    """The image can't be had."""
    image = container.failed_pull = _pulled(container)
    message = runtime_message(image, container.pull_error)
    around.events.say(container, "Warning", "Failed", f'Failed to pull image "{image}": {message}')
    around.events.say(container, "Warning", "Failed", "Error: ErrImagePull")
    container.waiting_reason, container.waiting_message = "ErrImagePull", message
    return Next("pull back-off", around.chance.uniform(1.0, 3.0))


def pull_back_off(container: Container, around: Surroundings, _now: float) -> Next:
    """Wait before the next try, longer each time."""
    around.events.say(container, "Normal", "BackOff", f'Back-off pulling image "{_pulled(container)}"')
    around.events.say(container, "Warning", "Failed", "Error: ImagePullBackOff")
    container.waiting_message = f'Back-off pulling image "{_pulled(container)}": ErrImagePull: {container.waiting_message}'
    container.waiting_reason = "ImagePullBackOff"
    container.failures += 1
    return Next("pulling", backoff_s(container.failures, BACKOFF_FIRST_S, BACKOFF_LONGEST_S))


def _pulled(container: Container) -> str:
    return container.pulls or container.spec.image

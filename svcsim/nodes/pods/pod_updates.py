"""Taking in what pods are to be: when they come to their node, and when that changes while they live."""

from svcsim.chance import Chance
from svcsim.meta.annotation_places import FAILING_PROBES
from svcsim.meta.mistakes import INVALID_REASON, together
from svcsim.meta.own_annotations import own_annotation, own_annotations
from svcsim.meta.pods import generation_of
from svcsim.meta.types import Object
from svcsim.nodes.containers.annotation_mistakes import annotation_mistakes
from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.interventions import behave_otherwise, go_on, redefine
from svcsim.nodes.containers.probes import Found, failing_probes
from svcsim.nodes.containers.reading import images_of, read_containers
from svcsim.nodes.images.images import ImageStore
from svcsim.nodes.machines.faults import Faults
from svcsim.nodes.pods.pod_run import PodRun
from svcsim.nodes.pods.resizing import resources_of


def begin_run(pod: Object, now: float, images: ImageStore, chance: Chance, faults: Faults) -> PodRun:
    """The run of a pod that has come to its node."""
    run = PodRun(pod, now, images, chance, faults)
    run.around.annotations = own_annotations(pod["metadata"].get("annotations"))
    if run.around.annotations and not (pod.get("status") or {}).get("containerStatuses"):
        _tell_mistakes(run, pod, ())
    take_in(run, pod, now)
    return run


def is_behind(run: PodRun, pod: Object) -> bool:
    """Whether the pod says something that its run doesn't know of yet."""
    return generation_of(pod) != run.generation or own_annotations(pod["metadata"].get("annotations")) != run.around.annotations


def take_in(run: PodRun, pod: Object, now: float) -> None:
    """What may change of a pod while it lives.

    How long it may run, its containers' images and resources, containers that are put in for a look, and what annotations have them do
    and use.
    """
    generation, metadata = generation_of(pod), pod["metadata"]
    run.unseen = run.unseen or run.generation != generation
    run.generation = generation
    annotations, known = own_annotations(metadata.get("annotations")), run.around.annotations
    if (annotations != known or [one.wanted.image for one in run.containers.all] != images_of(pod)) and run.lives:
        _take_in_containers(run, pod, now)
    if annotations != known:
        _tell_mistakes(run, pod, known)
        run.around.annotations = annotations
    if run.lives:
        run.allocation.ask(resources_of(pod), now)
    seconds = pod["spec"].get("activeDeadlineSeconds")
    has_deadline = seconds is not None and not (run.termination.is_deleted or run.failure.reason or run.finished)
    run.failure.deadline_at = run.started_at + seconds if has_deadline else None
    failing = _failing_probes(metadata)
    if failing != run.around.failing:
        run.around.failing = failing
        for container in run.containers.all:
            if container.probings:
                _probe_anew(run, container, now)


def _take_in_containers(run: PodRun, pod: Object, now: float) -> None:
    around, containers, specs = run.around, run.containers, read_containers(pod)
    for container, spec in zip(containers.all, specs, strict=False):
        if spec.image != container.wanted.image:
            redefine(container, spec, around, now)
        elif spec != container.wanted:
            behave_otherwise(container, spec, around.failing_probes(spec), now)
    containers.replace([*containers.all, *map(Container, specs[len(containers.all) :])])


def _tell_mistakes(run: PodRun, pod: Object, told: tuple[tuple[str, str], ...]) -> None:
    """Annotations that count for nothing, but for those that were ``told`` of."""
    for message in together(annotation_mistakes(pod, told)):
        run.events.warn(INVALID_REASON, message)


def found_by_probes(run: PodRun, name: str, found: Found) -> None:
    """A client's command has made a difference to probes of a container, and this is what they find from now on."""
    for container in run.containers.all:
        if container.spec.name == name and container.probings:
            container.found = container.found.then(found)
            _probe_anew(run, container, found.at)


def _probe_anew(run: PodRun, container: Container, now: float) -> None:
    for probing in container.probings:
        probing.wake(now)
    if not (run.termination.is_under_way or container.ending):
        go_on(container, now)


def _failing_probes(metadata: Object) -> dict[str, tuple[str, ...]]:
    said = ((own_annotation(key), text) for key, text in own_annotations(metadata.get("annotations")))
    return {about.container: failing_probes(text) for about, text in said if about is not None and about.name == FAILING_PROBES}

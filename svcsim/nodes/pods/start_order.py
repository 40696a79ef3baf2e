"""The order in which containers of a pod are started: init containers one after the other, each to its end, then the others."""

import math

from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.interventions import begin, start_over
from svcsim.nodes.containers.stages import run_stages
from svcsim.nodes.pods.pod_surroundings import PodSurroundings


def begin_next(around: PodSurroundings, now: float) -> None:
    """Start the next container whose turn it is, if one is free to start."""
    containers = around.containers
    for container in containers.all:
        if not container.begun:
            break
    else:
        return
    for container in containers.ephemerals:
        if not container.begun:
            begin(container, "pulling", now)
            run_stages(container, around, now)
    for container in (*containers.inits, *containers.mains):
        if not container.begun:
            if not container.spec.init and not containers.initialized:
                return
            begin(container, "pulling", now)
            run_stages(container, around, now)
        if not _lets_next_start(container) and not (container.spec.init and containers.initialized):
            return


def _lets_next_start(container: Container) -> bool:
    """Whether the container after this one may be started: an init container has to be done, another one only to have been tried."""
    return container.initialized if container.spec.init else not container.settling or container.waiting_reason != ""


def start_all_over(around: PodSurroundings, now: float) -> None:
    """Start all containers again if one has ended that takes the others along.

    A node looks at what has ended when it has started all whose turn it is. A status tells runs apart by whole seconds.
    """
    containers = around.containers
    leaders = [container for container in containers.all if container.takes_all_along]
    if not leaders or any(container.being_started for container in containers.all):
        return
    at = max(math.floor(container.started_at) + 1.0 for container in containers.all)
    if now < at:
        for leader in leaders:
            begin(leader, "all over", at)
        return
    for container in (*containers.inits, *containers.mains):
        start_over(container, around, now)
    begin_next(around, now)

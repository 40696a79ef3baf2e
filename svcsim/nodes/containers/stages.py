"""The stages in a container's life, as data: what is done on entering one, and which comes next, when.

Pulled, created, started, ready, perhaps ended, perhaps started again after a while. Each stage is a small function that sees the container,
what is around it, and the moment it begins; it says which stage follows after how many seconds. `run_stages` walks a container through all
that has come due. The functions stand in `pulling.py`, `starting.py`, `probing.py` and `restarting.py`. Nothing here waits and nothing
writes: the same steps at the same moments give the same life.
"""

from collections.abc import Callable

from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.next_stage import Next
from svcsim.nodes.containers.probing import killing, probing
from svcsim.nodes.containers.pulling import pull_back_off, pull_failed, pulled, pulling
from svcsim.nodes.containers.restarting import all_over, crash_back_off, exited, replaced, replacing, restarting
from svcsim.nodes.containers.stage_names import PlayedStage
from svcsim.nodes.containers.starting import created, creating, post_start, post_start_failed, running, start_failed, start_refused
from svcsim.nodes.containers.surroundings import Surroundings

Stage = Callable[[Container, Surroundings, float], Next]

STAGES: dict[PlayedStage, Stage] = {
    "pulling": pulling,
    "pulled": pulled,
    "pull failed": pull_failed,
    "pull back-off": pull_back_off,
    "creating": creating,
    "created": created,
    "start refused": start_refused,
    "post-start": post_start,
    "post-start failed": post_start_failed,
    "start failed": start_failed,
    "running": running,
    "probing": probing,
    "killing": killing,
    "replacing": replacing,
    "replaced": replaced,
    "exited": exited,
    "all over": all_over,
    "crash back-off": crash_back_off,
    "restarting": restarting,
}


def run_stages(container: Container, around: Surroundings, now: float) -> None:
    """Walk a container through everything that has come due, each stage at its own moment."""
    while container.due is not None and container.due <= now and container.next_stage:
        moment, container.stage = container.due, container.next_stage
        follows = STAGES[container.stage](container, around, moment)
        container.next_stage = follows.stage
        container.due = moment + follows.after_s if follows.stage else None

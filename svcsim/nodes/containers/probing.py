"""The stages in which a container is probed, and ended because a probe failed."""

import math
from collections.abc import Sequence

from svcsim.nodes.containers.container import Container
from svcsim.nodes.containers.ending import ends_after_s, own_end
from svcsim.nodes.containers.next_stage import NOTHING, Next
from svcsim.nodes.containers.probes import READINESS, STARTUP, Probe, begin_probing
from svcsim.nodes.containers.surroundings import Surroundings


def probing(container: Container, around: Surroundings, now: float) -> Next:
    """Make the probes that are due."""
    _make_probes(container, around, now)
    if not container.started and all(one.holds for one in container.probings):
        begin_all_probing(container, around.failing_probes(container.spec), now, started=True)
    _note_readiness(container)
    failed = _failed_probe(container)
    if failed is not None:
        again = "" if container.spec.restart_policy == "Never" else ", will be restarted"
        kind = failed.kind.lower()
        around.events.say(container, "Normal", "Killing", f"Container {container.spec.name} failed {kind} probe{again}")
        return Next("killing")
    return next_while_running(container, now)


def killing(container: Container, around: Surroundings, now: float) -> Next:
    """It was asked to end because a probe failed."""
    failed = _failed_probe(container)
    grace_s = container.spec.grace_s if failed is None else failed.grace_s
    ask_only_for_readiness(container)
    container.killed = True
    return Next("exited", ends_after_s(container, around, grace_s, now))


def _failed_probe(container: Container) -> Probe | None:
    """The probe that has the container killed."""
    found = (one for one in container.probings if not one.holds and one.probe.kind != READINESS and one.last is False)
    return next((one.probe for one in found if one.in_a_row >= one.probe.failure_threshold), None)


def begin_all_probing(container: Container, failing: Sequence[str], now: float, *, started: bool = False) -> None:
    """Have a container's probes begin that don't wait: while it hasn't started, its startup probe alone."""
    probes = container.spec.probes
    container.started = started or all(probe.kind != STARTUP for probe in probes)
    container.probings = tuple(
        begin_probing(probe, container.started_at, now, failing) for probe in probes if (probe.kind == STARTUP) is not container.started
    )
    container.ready = container.started and all(probe.kind != READINESS for probe in probes)


def ask_only_for_readiness(container: Container) -> None:
    """It is being ended: nothing that its probes find would have it ended, and whether it may be sent requests is told until it is gone."""
    container.probings = tuple(one for one in container.probings if one.probe.kind == READINESS)


def probe_while_ending(container: Container, around: Surroundings, until: float) -> None:
    """Make the probes of a container that is being ended which are due up to a moment."""
    while (at := container.probed_at) <= until:
        _make_probes(container, around, at)
        _note_readiness(container)


def _make_probes(container: Container, around: Surroundings, now: float) -> None:
    for one in container.probings:
        if one.next_at is not None and one.next_at <= now:
            wrong = one.make(now, container.started_at, around.failing_probes(container.spec), container.found)
            if wrong is not None:
                around.events.say(container, "Warning", "Unhealthy", one.probe.told(wrong, around.pod_ip))


def _note_readiness(container: Container) -> None:
    container.ready = container.started and all(one.holds for one in container.probings if one.probe.kind == READINESS)


def next_while_running(container: Container, now: float) -> Next:
    """What comes next for a container that runs: a probe, its end, or neither."""
    ends_at, probed_at = own_end(container), container.probed_at
    at = min(ends_at, probed_at)
    return NOTHING if at == math.inf else Next("probing" if probed_at < ends_at else "exited", max(at - now, 0.0))

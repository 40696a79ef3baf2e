"""Evicting pods, and waiting until they are gone: each eviction is retried while a budget forbids it, or all pods are deleted.

All pods of a node are handled at the same time, in one loop: those that are due are evicted, then the node's pods are listed once, and
those that are no longer among them are gone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from svcsim import limits
from svcsim.cli.failure import CommandError
from svcsim.cli.output.printers import NamePrinter
from svcsim.cli.shared.paused_clock import tell_if_paused
from svcsim.cli.shared.session import Session
from svcsim.cli.shared.write_options import DRY_RUN_SUFFIX
from svcsim.cli.verbs.drain.pods import PodFilters
from svcsim.client import paths
from svcsim.meta.errors import StatusError, namespace_is_going
from svcsim.meta.objects import is_terminating, name_of, namespace_of, uid_of
from svcsim.meta.times import format_duration
from svcsim.meta.types import Object
from svcsim.printing.values import quote
from svcsim.wall import stopwatch, wall_sleep

_RETRY_S = 5.0
"""How long after it was refused an eviction is tried again."""


class Manner(NamedTuple):
    """How pods are made to go."""

    evict: bool
    grace_s: int
    """Below zero it is the pod's own."""
    timeout_s: float
    """0 is as long as it takes."""
    dry: str


@dataclass(slots=True)
class _Leaving:
    """One pod on its way."""

    pod: Object
    due: float = 0.0
    """When it is to be asked for next."""
    asked: bool = False
    """Whether its going has been granted."""
    gone: bool = False
    error: str = ""

    @property
    def over(self) -> bool:
        return self.gone or bool(self.error)

    @property
    def where(self) -> str:
        return f"pods/{quote(name_of(self.pod))} -n {quote(namespace_of(self.pod))}"


class Leave:
    """Has the pods of one node go. ``on_node`` lists those that are there now."""

    def __init__(self, session: Session, manner: Manner, filters: PodFilters, on_node: Callable[[], list[Object]]) -> None:
        self._session = session
        self._manner = manner
        self._filters = filters
        self._on_node = on_node
        self._deadline = stopwatch() + (manner.timeout_s or math.inf)

    def all(self, pods: list[Object]) -> list[CommandError]:
        """Returns when they are gone, or why some aren't."""
        leaving = [_Leaving(pod) for pod in pods]
        if not self._manner.evict:
            return self._delete(leaving)
        while True:
            late = self._late()
            for one in leaving:
                if not one.over and not one.asked and (late or one.due <= stopwatch()):
                    self._evict(one)
            if self._manner.dry == "server":
                for one in leaving:
                    one.gone = one.gone or one.asked
            self._look(leaving)
            if all(one.over for one in leaving):
                return [CommandError(one.error) for one in leaving if one.error]
            if late:
                for one in leaving:
                    one.error = one.error or ("" if one.gone else self._too_late(one))
                continue
            self._rest()

    def _delete(self, leaving: list[_Leaving]) -> list[CommandError]:
        for one in leaving:
            try:
                self._session.write("DELETE", _path(one.pod), {"kind": "DeleteOptions", "apiVersion": "v1", **self._options()})
            except StatusError as error:
                if error.code != 404:
                    raise
        if self._manner.dry == "server":
            return []
        while True:
            self._look(leaving)
            if all(one.over for one in leaving):
                return []
            if self._late():
                return [CommandError(self._timeout)]
            self._rest()

    def _rest(self) -> None:
        tell_if_paused(self._session)
        wall_sleep(max(0.0, min(limits.DRAIN_LOOK_S, self._deadline - stopwatch())))

    def _evict(self, one: _Leaving) -> None:
        pod, session = one.pod, self._session
        namespace, name = namespace_of(pod), name_of(pod)
        session.out.write(f"evicting pod {namespace}/{name}{DRY_RUN_SUFFIX[self._manner.dry]}\n")
        session.out.flush()
        if self._late():
            one.error = self._too_late(one)
            return
        eviction: Object = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
        try:
            session.write("POST", _path(pod, "eviction"), {**eviction, "deleteOptions": self._options()})
        except StatusError as error:
            self._refused(one, error)
        else:
            one.asked = True

    def _refused(self, one: _Leaving, error: StatusError) -> None:
        err = self._session.err
        if error.code == 404:
            one.gone = True
        elif error.code == 429:
            err.write(f"error when evicting {one.where} (will retry after 5s): {error.message}\n")
            one.due = stopwatch() + _RETRY_S
        elif error.code == 403 and namespace_is_going(error):
            if is_terminating(one.pod):
                one.asked = True
                return
            name, namespace = quote(name_of(one.pod)), quote(namespace_of(one.pod))
            err.write(f"error when evicting pod {name} from terminating namespace {namespace} (will retry after 5s): {error.message}\n")
            one.due = stopwatch() + _RETRY_S
        else:
            one.error = f"error when evicting {one.where}: {error.message}"

    def _look(self, leaving: list[_Leaving]) -> None:
        """See who is gone."""
        if not any(one.asked or not self._manner.evict for one in leaving if not one.over):
            return
        there = {uid_of(pod): pod for pod in self._on_node()}
        for one in leaving:
            if one.over:
                continue
            pod = there.get(uid_of(one.pod))
            if pod is None:
                one.gone = True
                NamePrinter("evicted" if self._manner.evict else "deleted").print(one.pod, self._session.out)
            elif self._filters.is_passed_over(pod):
                one.gone = True
                self._session.out.write(self._filters.passed_over_text(pod))
            else:
                one.pod = pod
        self._session.out.flush()

    def _options(self) -> Object:
        options: Object = {"gracePeriodSeconds": self._manner.grace_s} if self._manner.grace_s >= 0 else {}
        return {**options, "dryRun": ["All"]} if self._manner.dry == "server" else options

    def _late(self) -> bool:
        return stopwatch() >= self._deadline

    @property
    def _timeout(self) -> str:
        return f"global timeout reached: {format_duration(self._manner.timeout_s)}"

    def _too_late(self, one: _Leaving) -> str:
        if not one.asked:
            return f"error when evicting {one.where}: {self._timeout}"
        name, namespace = quote(name_of(one.pod)), quote(namespace_of(one.pod))
        return f"error when waiting for pod {name} in namespace {namespace} to terminate: {self._timeout}"


def _path(pod: Object, subresource: str = "") -> str:
    return paths.resource_path("v1", "pods", namespace_of(pod), name_of(pod), subresource)

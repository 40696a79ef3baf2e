"""Which pods of a node are to go: what a drain does with each, and why it must not begin.

A pod is looked at by one filter after the other, and the last that was asked says what becomes of it: the first that keeps it, or else the
one about pods that nothing would make anew.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from svcsim.cli.failure import CommandError
from svcsim.cli.flags import Options
from svcsim.client import paths
from svcsim.dialect import Dialect
from svcsim.meta.errors import StatusError
from svcsim.meta.objects import annotations_of, controller_of, name_of, namespace_of
from svcsim.meta.pods import is_finished
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.printing.values import quote

_OF_DAEMONS = ("DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", "ignoring DaemonSet-managed Pods")
_LOCAL = ("Pods with local storage (use --delete-emptydir-data to override)", "deleting Pods with local storage")
_UNMANAGED = ("Pods that declare no controller (use --force to override)", "deleting Pods that declare no controller")


class Verdict(NamedTuple):
    """Whether a pod goes, and what is to be said of that."""

    goes: bool
    warning: str = ""
    error: str = ""


_GOES = Verdict(goes=True)
_STAYS = Verdict(goes=False)


class Wishes(NamedTuple):
    """What the flags of a drain say about pods."""

    force: bool
    ignore_daemon_sets: bool
    delete_local_data: bool
    skip_deleted_s: int
    """Pods that have been going for longer than this are left alone; 0 is none."""

    @classmethod
    def of(cls, options: Options) -> "Wishes":
        skip = options.number("skip-wait-for-delete-timeout")
        return cls(options.on("force"), options.on("ignore-daemonsets"), options.on("delete-emptydir-data"), skip)


class PodsToGo(NamedTuple):
    """The pods of a node that are evicted, and the findings about all its pods."""

    pods: list[Object]
    warnings: str
    errors: list[CommandError]
    """Why nothing may be done at all."""


class PodFilters:
    """Decides about pods. ``get`` gives the object at a path."""

    def __init__(self, wishes: Wishes, get: Callable[[str], Object], now: Callable[[], float], dialect: Dialect) -> None:
        self._wishes = wishes
        self._get = get
        self._now = now
        self._mirror = dialect.key("config.mirror")

    def decide(self, pods: list[Object]) -> PodsToGo:
        going: list[Object] = []
        warnings: dict[str, list[str]] = {}
        errors: dict[str, list[str]] = {}
        for pod in pods:
            verdict = self._verdict(pod)
            for told, by_text in ((verdict.warning, warnings), (verdict.error, errors)):
                if told:
                    by_text.setdefault(told, []).append(f"{namespace_of(pod)}/{name_of(pod)}")
            if verdict.goes:
                going.append(pod)
        told = "; ".join(f"{text}: {', '.join(names)}" for text, names in warnings.items())
        return PodsToGo(going, told, [CommandError(f"cannot delete {text}: {', '.join(names)}") for text, names in errors.items()])

    def is_passed_over(self, pod: Object) -> bool:
        """Whether a pod has been going for so long that nobody is to wait for it."""
        deleted = pod["metadata"].get("deletionTimestamp")
        skip_s = self._wishes.skip_deleted_s
        return bool(deleted) and skip_s > 0 and int(self._now() - parse_time(deleted)) > skip_s

    def passed_over_text(self, pod: Object) -> str:
        """What to say of such a pod."""
        return f"pod {quote(name_of(pod))} has DeletionTimestamp older than {self._wishes.skip_deleted_s} seconds, skipping\n"

    def _verdict(self, pod: Object) -> Verdict:
        last = _GOES
        for last in self._verdicts(pod):
            if not last.goes:
                break
        return last

    def _verdicts(self, pod: Object) -> Iterator[Verdict]:
        yield _STAYS if self.is_passed_over(pod) else _GOES
        yield _GOES if is_finished(pod) else self._of_daemon_set(pod)
        yield _STAYS if self._mirror in annotations_of(pod) else _GOES
        if is_finished(pod):
            yield _GOES
            return
        volumes = (pod.get("spec") or {}).get("volumes") or ()
        if any(volume.get("emptyDir") is not None for volume in volumes):
            yield _if_wanted(self._wishes.delete_local_data, _LOCAL)
        yield _GOES if controller_of(pod) is not None else _if_wanted(self._wishes.force, _UNMANAGED)

    def _of_daemon_set(self, pod: Object) -> Verdict:
        owner = controller_of(pod)
        if owner is None or owner["kind"] != "DaemonSet":
            return _GOES
        try:
            self._get(paths.resource_path("apps/v1", "daemonsets", namespace_of(pod), owner["name"]))
        except StatusError as error:
            if error.code == 404 and self._wishes.force:
                return Verdict(goes=True, warning=error.message)
            return Verdict(goes=False, error=error.message)
        fatal, warning = _OF_DAEMONS
        return Verdict(goes=False, warning=warning) if self._wishes.ignore_daemon_sets else Verdict(goes=False, error=fatal)


def _if_wanted(wanted: bool, words: tuple[str, str]) -> Verdict:
    fatal, warning = words
    return Verdict(goes=True, warning=warning) if wanted else Verdict(goes=False, error=fatal)

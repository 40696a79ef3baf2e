"""The annotation-check controller: reports svcsim's annotations without effect on objects other than pods, as nodes do for pods.

Nodes report those of pods, since they read them. Annotations of other objects are read only on request, or never: an invalid metric would
merely be missing, and a misspelt name would go unnoticed.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from svcsim.client.controller import Controller, ControllerContext, Source
from svcsim.meta.annotation_places import BOUND_TO, OF_PODS, misplaced
from svcsim.meta.indexed import ObjectKey
from svcsim.meta.mistakes import INVALID_REASON, mistake, together, unknown, unreadable
from svcsim.meta.objects import annotations_of
from svcsim.meta.own_annotations import DOMAIN, own_annotations
from svcsim.meta.simulated_disks import FAIL_ANNOTATION, steps_elsewhere
from svcsim.meta.types import Object
from svcsim.meta.usage_words import METRIC_PREFIX, check_metric

_TEMPLATE = "spec.template.metadata.annotations"


class _Annotated(NamedTuple):
    """A kind whose annotations are looked at."""

    api_version: str
    plural: str
    known: tuple[str, ...] = ()
    """The annotations that it may have, beside metrics. Errors in their values are reported by the code that reads them."""
    template: str = ""
    """Where those stand that are meant for its pods."""


_KINDS = (
    _Annotated("v1", "namespaces"),
    _Annotated("v1", "nodes"),
    _Annotated("v1", "services", (BOUND_TO,)),
    _Annotated("v1", "persistentvolumeclaims", (FAIL_ANNOTATION,)),
    _Annotated("v1", "persistentvolumes", (FAIL_ANNOTATION,)),
    _Annotated("apps/v1", "deployments", template=_TEMPLATE),
    _Annotated("apps/v1", "statefulsets", template=_TEMPLATE),
    _Annotated("apps/v1", "daemonsets", template=_TEMPLATE),
)


class AnnotationChecks(Controller):
    """Tells of them as objects come and change. There is nothing to do about them, so nothing comes into the queue."""

    def __init__(self, context: ControllerContext) -> None:
        self._events = context.events
        cache = context.informers.cache
        sources = [Source(cache(kind.api_version, kind.plural), partial(self._look, kind)) for kind in _KINDS]
        super().__init__("annotation-check controller", context.clock, sources)

    def _look(self, kind: _Annotated, change: str, obj: Object, before: Object | None) -> Iterable[ObjectKey]:
        if change == "DELETED":
            self._events.let_go(obj)
            return ()
        told = own_annotations(annotations_of(before)) if before is not None else ()
        said = [one for one in own_annotations(annotations_of(obj)) if one not in told]
        for message in together(list(_mistakes(kind, said))) if said else ():
            self._events.warning(obj, INVALID_REASON, message)
        return ()


def _mistakes(kind: _Annotated, said: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What is wrong. Names with something before our domain are a metric's, or somebody's own: stages of users ask for such."""
    for key, text in said:
        if key.startswith(METRIC_PREFIX):
            try:
                check_metric(key, text)
            except ValueError as error:
                yield mistake(key, unreadable(error))
        elif key == FAIL_ANNOTATION and key in kind.known:
            yield from (mistake(key, _elsewhere(kind, step)) for step in steps_elsewhere(kind.plural, text))
        elif key.startswith(f"{DOMAIN}/") and key not in kind.known:
            yield mistake(key, _why_not(kind, key))


def _elsewhere(kind: _Annotated, step: str) -> str:
    other = "the claim" if kind.plural == "persistentvolumes" else "the volume"
    return f'"{step}" counts for nothing here; it is meant for {other}'


def _why_not(kind: _Annotated, key: str) -> str:
    """Why an annotation of ours counts for nothing on a kind."""
    name = key.removeprefix(f"{DOMAIN}/")
    if kind.template and name in OF_PODS:
        return f"it counts for nothing here; what is meant for pods stands in their template ({kind.template})"
    return misplaced(key) or unknown(key, name, OF_PODS if kind.template else [one.removeprefix(f"{DOMAIN}/") for one in kind.known])

"""The annotations by which pods say what they use, and other objects what is measured of them; and what is wrong with them."""

from collections.abc import Iterator

from svcsim.meta.curves import CurveError, read_curves
from svcsim.meta.own_annotations import DOMAIN, OwnAnnotation, own_annotation
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

USAGE = ("cpu", "memory")
"""The resources of which annotations say how much containers use: a curve each (``svcsim.dev/cpu``, ``worker.svcsim.dev/cpu``)."""
METRIC_PREFIX = f"metrics.{DOMAIN}/"
"""Before the name of any other metric: curves, each with the labels of a series before it, or without. On pods, on the objects that
metrics describe, and on namespaces for what is measured outside of the cluster."""


def said_of_usage(annotations: Object | None) -> tuple[tuple[str, str], ...]:
    """What a pod's annotations say of its metrics; nothing of nearly all pods."""
    if not annotations:
        return ()
    return tuple((key, text) for key, text in annotations.items() if key.startswith(METRIC_PREFIX) or _of_usage(key) is not None)


def _of_usage(key: str) -> OwnAnnotation | None:
    about = None if key.startswith(METRIC_PREFIX) else own_annotation(key)
    return about if about is not None and about.name in USAGE else None


def complaints(said: tuple[tuple[str, str], ...], containers: list[str]) -> Iterator[str]:
    """What of it can't be made use of, in words."""
    for key, text in said:
        try:
            names = list(read_curves(text))
        except CurveError as error:
            yield f"annotation {key} can't be read: {error}"
            continue
        about = _of_usage(key)
        if about is not None:
            if about.container not in ("", *containers):
                yield f"annotation {key}: the pod has no container {quoted(about.container)}"
            if names != [""]:
                yield f"annotation {key} can't be read: what is said of one container stands in NAME.{DOMAIN}/{about.name}"
        else:
            yield from (f'annotation {key}: "{name}" is no list of labels such as queue=a' for name in names if series_labels(name) is None)


def series_labels(text: str) -> dict[str, str] | None:
    """The labels that stand before a curve, ``queue=a,shop=b``; None where they can't be read."""
    pairs = [part.partition("=") for part in text.split(",")] if text else []
    if not all(key.strip() and equals for key, equals, _ in pairs):
        return None
    return {key.strip(): value.strip() for key, _, value in pairs}

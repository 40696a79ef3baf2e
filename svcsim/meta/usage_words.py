"""The annotations by which pods say what they use, and other objects what is measured of them; and what is wrong with them."""

from collections.abc import Iterator

from svcsim.meta.curves import CurveError, read_curves
from svcsim.meta.types import Object

USAGE_ANNOTATIONS = {"cpu": "svcsim.dev/cpu", "memory": "svcsim.dev/memory"}
"""What a pod's containers use, by resource: curves, each with the name of a container before it, or for all."""
METRIC_PREFIX = "metrics.svcsim.dev/"
"""Before the name of any other metric: curves, each with the labels of a series before it, or without. On pods, on the objects that
metrics describe, and on namespaces for what is measured outside of the cluster."""


def said_of_usage(annotations: Object | None) -> tuple[tuple[str, str], ...]:
    """What a pod's annotations say of its metrics; nothing of nearly all pods."""
    if not annotations:
        return ()
    return tuple((key, text) for key, text in annotations.items() if key in _USAGE or key.startswith(METRIC_PREFIX))


_USAGE = frozenset(USAGE_ANNOTATIONS.values())


def complaints(said: tuple[tuple[str, str], ...], containers: list[str]) -> Iterator[str]:
    """What of it can't be made use of, in words."""
    for key, text in said:
        try:
            names = list(read_curves(text))
        except CurveError as error:
            yield f"annotation {key} can't be read: {error}"
            continue
        if key in _USAGE:
            yield from (f'annotation {key} names a container "{name}" that is not there' for name in names if name not in ("", *containers))
        else:
            yield from (f'annotation {key}: "{name}" is no list of labels such as queue=a' for name in names if series_labels(name) is None)


def series_labels(text: str) -> dict[str, str] | None:
    """The labels that stand before a curve, ``queue=a,shop=b``; None where they can't be read."""
    pairs = [part.partition("=") for part in text.split(",")] if text else []
    if not all(key.strip() and equals for key, equals, _ in pairs):
        return None
    return {key.strip(): value.strip() for key, _, value in pairs}

"""The annotations by which pods say what they use, and other objects what is measured of them."""

from collections.abc import Mapping
from typing import NamedTuple

from svcsim.meta.curves import Curve, CurveError, read_curves
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


def check_usage(name: str, text: str) -> None:
    """Raises `CurveError` where an annotation about the use of a resource can't be read."""
    if list(read_curves(text)) != [""]:
        raise CurveError(f"what is said of one container stands in NAME.{DOMAIN}/{name}")


def check_metric(_name: str, text: str) -> None:
    """Raises `CurveError` where an annotation about another metric can't be read."""
    read_metric(text)


class SeriesCurve(NamedTuple):
    """What an annotation says of one series of a metric."""

    name: str
    labels: Mapping[str, str]
    curve: Curve


def read_metric(text: str) -> list[SeriesCurve]:
    """What an annotation says of another metric. Raises `CurveError`."""
    return [SeriesCurve(name, _series_labels(name), curve) for name, curve in read_curves(text, of_requests=False).items()]


def _series_labels(text: str) -> dict[str, str]:
    """The labels that stand before a curve, ``queue=a,shop=b``."""
    pairs = [part.partition("=") for part in text.split(",")] if text else []
    if not all(key.strip() and equals for key, equals, _ in pairs):
        raise CurveError(f"{quoted(text)} is no list of labels such as queue=a")
    return {key.strip(): value.strip() for key, _, value in pairs}

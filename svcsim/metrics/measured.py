"""What annotations say of any other metric than the use of cpu and memory: series of values, each with labels."""

from collections.abc import Mapping
from typing import NamedTuple

from svcsim.meta.curves import Curve, CurveError, noise
from svcsim.meta.label_selectors import LabelSelector
from svcsim.meta.objects import annotations_of, uid_of
from svcsim.meta.times import parse_time
from svcsim.meta.types import Object
from svcsim.meta.usage_words import METRIC_PREFIX, read_metric
from svcsim.metrics.sharing import Moment, Sharing, part_of


class Series(NamedTuple):
    """One value, and the labels by which metrics are narrowed down."""

    labels: Mapping[str, str]
    value: float


def measured(obj: Object, metric: str, selector: LabelSelector | None, moment: Moment, sharing: Sharing | None = None) -> list[Series]:
    """What is measured of an object now; nothing where it says nothing. Raises `CurveError` where what it says can't be read."""
    key = f"{METRIC_PREFIX}{metric}"
    text = annotations_of(obj).get(key)
    if text is None:
        return []
    try:
        said = read_metric(text)
    except CurveError as error:
        raise CurveError(f"annotation {key} can't be read: {error}") from error
    return [
        Series(labels, _value(obj, curve, (metric, name), moment, sharing))
        for name, labels, curve in said
        if curve.shape is not None and (selector is None or selector.matches(labels))
    ]


def _value(obj: Object, curve: Curve, what: tuple[str, str], moment: Moment, sharing: Sharing | None) -> float:
    since_s = moment.now - parse_time(obj["metadata"]["creationTimestamp"])
    return part_of(curve, obj, since_s, moment, noise(moment.now, moment.seed, uid_of(obj), *what), sharing)

"""The custom and the external metrics API, as far as autoscalers use them: simulated values, defined by annotations.

The metrics of pods and any other objects are annotations of the object itself; external metrics are annotations of the namespace in which
they are requested. An adapter that is registered as usual takes precedence over this one.
"""

from collections.abc import Mapping
from fractions import Fraction
from urllib.parse import parse_qs, unquote

from svcsim.client.api import Client, Collection
from svcsim.client.discovery import ServedTypes
from svcsim.clock import Clock
from svcsim.dialect import Dialect
from svcsim.meta.codec import encode
from svcsim.meta.curves import CurveError
from svcsim.meta.errors import StatusError, method_not_allowed, path_not_found
from svcsim.meta.http import READING_METHODS, Request, Response
from svcsim.meta.label_selectors import LabelSelector, parse_labels
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.quantity import Amount
from svcsim.meta.times import format_time
from svcsim.meta.types import Object
from svcsim.metrics.crowds import Crowds
from svcsim.metrics.measured import Series, measured
from svcsim.metrics.sharing import Moment

CUSTOM_VERSION, EXTERNAL_VERSION = "v1beta2", "v1beta1"
_ALL = "*"
_WINDOW_S = 15
_OF_NAMESPACES = "metrics"


def paths(dialect: Dialect) -> tuple[str, str]:
    """Below which paths each of them is."""
    return f"/apis/{dialect.group('custom.metrics')}/{CUSTOM_VERSION}/", f"/apis/{dialect.group('external.metrics')}/{EXTERNAL_VERSION}/"


class OtherMetrics:
    """Answers for both APIs."""

    def __init__(self, client: Client, served_types: ServedTypes, clock: Clock, seed: str, dialect: Dialect) -> None:
        self._client = client
        self._served_types = served_types
        self._clock = clock
        self._seed = seed
        self._custom = f"{dialect.group('custom.metrics')}/{CUSTOM_VERSION}"
        self._external = f"{dialect.group('external.metrics')}/{EXTERNAL_VERSION}"
        self._pods = client.resource("v1", "pods")
        self._crowds = Crowds(client, served_types, dialect)

    def _moment(self) -> Moment:
        return Moment(float(int(self._clock.now())), self._seed)

    async def of_objects(self, request: Request) -> Response:
        """``[namespaces/NAMESPACE/]RESOURCE/NAME/METRIC`` or ``namespaces/NAME/metrics/METRIC``."""
        _check(request)
        query = parse_qs(request.query)
        narrowed = _selector(query, "metricLabelSelector")
        match _steps(request.path):
            case ["namespaces", namespace, middle, metric] if middle == _OF_NAMESPACES:
                items = await self._of_one("namespaces", "", namespace, metric, narrowed)
            case ["namespaces", namespace, "pods", name, metric] if name == _ALL:
                items = await self._of_pods(namespace, metric, _selector(query, "labelSelector"), narrowed)
            case ["namespaces", namespace, resource, name, metric] if name != _ALL:
                items = await self._of_one(resource, namespace, name, metric, narrowed)
            case [resource, name, metric] if name != _ALL and resource != "namespaces":
                items = await self._of_one(resource, "", name, metric, narrowed)
            case _:
                raise path_not_found()
        return _answer("MetricValueList", self._custom, items)

    async def _of_pods(self, namespace: str, metric: str, selector: LabelSelector | None, narrowed: LabelSelector | None) -> list[Object]:
        pods = await self._pods.within(namespace).list_all(label_selector="" if selector is None else str(selector))
        shares, moment = self._crowds.shares(), self._moment()
        await shares.learn(pods)
        items: list[Object] = []
        for pod in pods:
            try:
                series = measured(pod, metric, narrowed, moment, shares.of(pod))
            except CurveError:
                continue  # the pod's node tells of it
            items += [_value(pod, metric, one, moment) for one in series[:1]]
        if not items:
            raise _no_such_metric(metric, "pods")
        return items

    async def _of_one(self, resource: str, namespace: str, name: str, metric: str, narrowed: LabelSelector | None) -> list[Object]:
        obj = await (await self._collection(resource, namespace)).get(name)
        moment = self._moment()
        shares = self._crowds.shares()
        await shares.learn([obj] if resource == "pods" else [])
        try:
            series = measured(obj, metric, narrowed, moment, shares.of(obj))
        except CurveError as error:
            raise _no_such_metric(metric, f"{resource} {name}", f": {error}") from error
        if not series:
            raise _no_such_metric(metric, f"{resource} {name}")
        return [_value(obj, metric, series[0], moment)]

    async def _collection(self, resource: str, namespace: str) -> Collection:
        plural, _, group = resource.partition(".")
        for one in (await self._served_types.current()).resources:
            if (one.plural, one.group) == (plural, group) and one.namespaced == bool(namespace):
                return self._client.resource(one.api_version, plural, namespace)
        raise path_not_found()

    async def of_outside(self, request: Request) -> Response:
        """``namespaces/NAMESPACE/METRIC``."""
        _check(request)
        match _steps(request.path):
            case ["namespaces", namespace, metric]:
                obj = await self._client.resource("v1", "namespaces").get(namespace)
            case _:
                raise path_not_found()
        moment = self._moment()
        try:
            series = measured(obj, metric, _selector(parse_qs(request.query), "labelSelector"), moment)
        except CurveError as error:
            raise _no_such_metric(metric, f"namespace {namespace}", f": {error}") from error
        timestamp = format_time(moment.now)
        items = [
            {"metricName": metric, "metricLabels": dict(one.labels), "timestamp": timestamp, "window": _WINDOW_S, "value": _text(one.value)}
            for one in series
        ]
        return _answer("ExternalMetricValueList", self._external, items)


def _value(obj: Object, metric: str, series: Series, moment: Moment) -> Object:
    described = {"kind": obj["kind"], "namespace": namespace_of(obj), "name": name_of(obj), "apiVersion": obj["apiVersion"]}
    return {
        "describedObject": {key: value for key, value in described.items() if value},
        "metric": {"name": metric, **({"selector": {"matchLabels": dict(series.labels)}} if series.labels else {})},
        "timestamp": format_time(moment.now),
        "windowSeconds": _WINDOW_S,
        "value": _text(series.value),
    }


def _text(value: float) -> str:
    return str(Amount(Fraction(round(value * 1000), 1000)))


def _steps(path: str) -> list[str]:
    """What follows the version; nothing of what hides further steps in one, which would be read as somebody else's path."""
    steps = [unquote(step) for step in path.strip("/").split("/")[3:]]
    return [] if any("/" in step for step in steps) else steps


def _selector(query: Mapping[str, list[str]], name: str) -> LabelSelector | None:
    """Raises 400."""
    text = query.get(name, [""])[0]
    return parse_labels(text) if text else None


def _check(request: Request) -> None:
    if request.method not in READING_METHODS:
        raise method_not_allowed(READING_METHODS)


def _answer(kind: str, api_version: str, items: list[Object]) -> Response:
    return Response(200, encode({"kind": kind, "apiVersion": api_version, "metadata": {}, "items": items}))


def _no_such_metric(metric: str, where: str, why: str = "") -> StatusError:
    return StatusError(404, "NotFound", f"the server could not find the metric {metric} for {where}{why}")

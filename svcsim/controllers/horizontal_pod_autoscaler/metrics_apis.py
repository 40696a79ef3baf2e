"""Asks the metrics APIs, as Kubernetes' controller does: what is served there, and by whom, is none of the controller's business."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import quote

from svcsim.client.api import Client
from svcsim.client.discovery import ServedTypes
from svcsim.client.paths import query_string
from svcsim.controllers.horizontal_pod_autoscaler import settings
from svcsim.controllers.horizontal_pod_autoscaler.samples import Sample, Samples, UnusableMetricError
from svcsim.dialect import Dialect
from svcsim.meta import quantity
from svcsim.meta.errors import StatusError
from svcsim.meta.label_selectors import from_object
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.times import parse_duration, parse_time
from svcsim.meta.types import Json, Object

_OF_NAMESPACES = "metrics"
"""In the place of a type's name in paths that are about a namespace itself."""


class MetricsApis:
    """What is measured, as whole thousandths. Everything raises `UnusableMetricError` where there is nothing to be had."""

    def __init__(self, client: Client, served_types: ServedTypes, dialect: Dialect) -> None:
        self._client = client
        self._served_types = served_types
        self._pod_metrics = client.resource(f"{dialect.group('metrics')}/v1beta1", "pods")
        self._custom = f"/apis/{dialect.group('custom.metrics')}/v1beta2/namespaces"
        self._external = f"/apis/{dialect.group('external.metrics')}/v1beta1/namespaces"

    async def of_resource(self, namespace: str, selector: str, resource: str, container: str = "") -> Samples:
        """How much pods use of a resource, or one container of each."""
        found: Samples = {}
        with _fetched("resource"):
            measured = await self._pod_metrics.within(namespace).list_all(label_selector=selector)
            for metrics in measured:
                value = _of_container(metrics, resource, container) if container else _of_all(metrics, resource)
                if value is not None:
                    found[name_of(metrics)] = Sample(value, parse_time(metrics["timestamp"]), parse_duration(metrics.get("window") or "0"))
        if not measured:
            raise UnusableMetricError("no metrics returned from resource metrics API")
        return found

    async def of_pods(self, namespace: str, selector: str, metric: Object) -> Samples:
        """What a metric of each pod says."""
        found: Samples = {}
        with _fetched("custom"):
            for item in await self._items(f"{self._custom}/{quote(namespace)}/pods/*/{_named(metric)}", metric, "custom", selector):
                window_s = item.get("windowSeconds")
                window_s = settings.CUSTOM_METRIC_WINDOW_S if window_s is None else float(window_s)
                found[item["describedObject"]["name"]] = Sample(_millis(item["value"]), parse_time(item["timestamp"]), window_s)
        return found

    async def of_object(self, namespace: str, described: Object, metric: Object) -> int:
        """What a metric of one object says."""
        name, kind = described["name"], described["kind"]
        group = (described.get("apiVersion") or "").rpartition("/")[0]
        if (kind, group) == ("Namespace", ""):
            path = f"{self._custom}/{quote(name)}/{_OF_NAMESPACES}/{_named(metric)}"
        else:
            path = f"{self._custom}/{quote(namespace)}/{await self._resource(kind, group)}/{quote(name, safe='')}/{_named(metric)}"
        with _fetched("custom"):
            return _millis((await self._items(path, metric, "custom"))[0]["value"])

    async def of_outside(self, namespace: str, metric: Object) -> int:
        """What is measured outside of the cluster: all series that are selected together."""
        selector = str(from_object(metric.get("selector") or {}))
        path = f"{self._external}/{quote(namespace)}/{_named(metric)}"
        with _fetched("external"):
            return sum(_millis(item["value"]) for item in await self._get(path, {"labelSelector": selector}, "external"))

    async def _resource(self, kind: str, group: str) -> str:
        served = (await self._served_types.current()).resources
        plural = next((one.plural for one in served if (one.kind, one.group) == (kind, group)), None)
        if plural is None:
            why = f'unable to map kind {kind} to resource: no matches for kind "{kind}" in group "{group}"'
            raise UnusableMetricError(f"unable to fetch metrics from custom metrics API: {why}")
        return f"{plural}.{group}" if group else plural

    async def _items(self, path: str, metric: Object, api: str, selector: str = "") -> list[Object]:
        narrowed = str(from_object(metric["selector"])) if metric.get("selector") else ""
        return await self._get(path, {"labelSelector": selector, "metricLabelSelector": narrowed}, api)

    async def _get(self, path: str, options: Mapping[str, str], api: str) -> list[Object]:
        items: list[Object] = (await self._client.get_json(path, query_string(options))).get("items") or []
        if not items:
            raise UnusableMetricError(f"no metrics returned from {api} metrics API")
        return items


@contextmanager
def _fetched(api: str) -> Iterator[None]:
    """Errors of the request or of the answer, which may come from any server, are reported on the autoscaler."""
    try:
        yield
    except (StatusError, ConnectionError) as error:
        raise UnusableMetricError(f"unable to fetch metrics from {api} metrics API: {_told(error)}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        why = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise UnusableMetricError(f"unable to fetch metrics from {api} metrics API: the answer can't be read: {why}") from error


def _of_all(metrics: Object, resource: str) -> int | None:
    """What all containers of a pod use together; None where one doesn't say."""
    used = [container["usage"].get(resource) for container in metrics.get("containers") or ()]
    return None if not used or None in used else sum(map(_millis, used))


def _of_container(metrics: Object, resource: str, container: str) -> int | None:
    for one in metrics.get("containers") or ():
        if one["name"] == container:
            used = one["usage"].get(resource)
            return None if used is None else _millis(used)
    where = f"{namespace_of(metrics)}/{name_of(metrics)}"
    raise UnusableMetricError(f"failed to get container metrics: container {container} not present in metrics for pod {where}")


def _millis(value: Json) -> int:
    return quantity.of(value).millis()


def _named(metric: Object) -> str:
    return quote(metric["name"], safe="")


def _told(error: StatusError | ConnectionError) -> str:
    return error.message if isinstance(error, StatusError) else str(error) or "the connection broke off"

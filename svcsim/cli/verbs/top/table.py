"""Tables of usage, as kubectl prints them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from svcsim.meta import quantity
from svcsim.meta.objects import name_of, namespace_of
from svcsim.meta.types import Object
from svcsim.printing.tabs import Sink, TabWriter, escape

RESOURCES = ("cpu", "memory")
_MEBIBYTE = 1024 * 1024
_NODE_COLUMNS = ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"]
_POD_COLUMNS = ["NAME", "CPU(cores)", "MEMORY(bytes)"]
_UNKNOWN = "<unknown>"
_LINE = "________"


class PodTable(NamedTuple):
    """What of pods is to be shown."""

    containers: bool
    namespaces: bool
    headers: bool
    sort_by: str
    total: bool


Amounts = Mapping[str, quantity.Amount]
_NOTHING: Amounts = {}


def amounts(given: Object | None) -> Amounts:
    """Usage, or what there is to be used, by resource."""
    return {name: quantity.of(value) for name, value in (given or {}).items() if name in RESOURCES}


def print_nodes(metrics: list[Object], available: dict[str, Amounts], *, headers: bool, sort_by: str, out: Sink) -> None:
    """Nodes and what they use; those of which nothing is known come last."""
    tabs = TabWriter(out)
    if headers:
        _line(tabs, _NODE_COLUMNS)
    left = dict(available)
    for node in sorted(metrics, key=lambda one: _rank(name_of(one), amounts(one.get("usage")), sort_by)):
        name = name_of(node)
        _line(tabs, [escape(name), *_used(amounts(node.get("usage")), left.pop(name, None))])
    for name in left:
        _line(tabs, [escape(name), *[_UNKNOWN] * (2 * len(RESOURCES))])
    tabs.flush()


def print_pods(metrics: list[Object], shown: PodTable, out: Sink) -> None:
    """Pods, or their containers, and what they use."""
    if not metrics:
        return
    tabs = TabWriter(out)
    before = [*(["NAMESPACE"] if shown.namespaces else []), *(["POD"] if shown.containers else [])]
    if shown.headers:
        _line(tabs, [*before, *_POD_COLUMNS])
    for pod in sorted(metrics, key=lambda one: _pod_rank(one, shown)):
        own = [escape(namespace_of(pod))] if shown.namespaces else []
        if shown.containers:
            for name, used in _containers(pod, shown.sort_by):
                _line(tabs, [*own, escape(name_of(pod)), escape(name), *_used(used)])
        else:
            _line(tabs, [*own, escape(name_of(pod)), *_used(_together([pod]))])
    if shown.total:
        spare = [""] * (len(before) if shown.headers else 0)
        _line(tabs, [*spare, "", _LINE, _LINE])
        _line(tabs, [*spare, "", *_used(_together(metrics))])
    tabs.flush()


def _line(tabs: TabWriter, cells: list[str]) -> None:
    tabs.line([*cells, ""])


def _used(used: Amounts, available: Amounts | None = None) -> list[str]:
    """An amount for each resource, and how large a share of what there is."""
    cells: list[str] = []
    for resource in RESOURCES:
        amount = used.get(resource, quantity.ZERO)
        cells.append(f"{amount.millis()}m" if resource == "cpu" else f"{amount.value() // _MEBIBYTE}Mi")
        whole = (available or _NOTHING).get(resource)
        if whole:
            cells.append(f"{amount.millis() * 100 // whole.millis()}%")
    return cells


def _pod_rank(pod: Object, shown: PodTable) -> tuple[int, str, str]:
    amount, name = _rank(name_of(pod), _together([pod]), shown.sort_by)
    return amount, namespace_of(pod) if shown.namespaces else "", name


def _rank(name: str, used: Amounts, sort_by: str) -> tuple[int, str]:
    """What uses most comes first, where it is sorted by that; else by name."""
    return (-used.get(sort_by, quantity.ZERO).millis() if sort_by else 0), name


def _containers(pod: Object, sort_by: str) -> list[tuple[str, Amounts]]:
    found = [(one["name"], amounts(one.get("usage"))) for one in pod.get("containers") or ()]
    return sorted(found, key=lambda one: _rank(one[0], one[1], sort_by))


def _together(pods: Iterable[Object]) -> Amounts:
    """What all containers use together."""
    total = dict.fromkeys(RESOURCES, quantity.ZERO)
    for pod in pods:
        for container in pod.get("containers") or ():
            for resource, amount in amounts(container.get("usage")).items():
                total[resource] += amount
    return total

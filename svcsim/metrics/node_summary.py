"""What a node and its containers use in the forms in which the agent of a node tells it: a summary, and series for Prometheus."""

from collections.abc import Iterator

from svcsim.meta import quantity
from svcsim.meta.metric_families import MeasuredFamily
from svcsim.meta.objects import name_of, namespace_of, uid_of
from svcsim.meta.times import format_time
from svcsim.meta.types import Object
from svcsim.metrics.node_usage import NodeUsed, PodUsed, Used

_NANO = 10**9
_CONTAINER = ("container", "namespace", "pod")
_POD = ("namespace", "pod")
_OF_CADVISOR = ("container", "id", "image", "name", "namespace", "pod")


def summary(found: NodeUsed, node: Object) -> Object:
    """The document of ``/stats/summary``."""
    memory = float(quantity.of(((node.get("status") or {}).get("capacity") or {}).get("memory") or "0"))
    told = _stats(found.node, found.at)
    told["memory"]["availableBytes"] = max(round(memory) - told["memory"]["workingSetBytes"], 0)
    return {
        "node": {"nodeName": found.node.name, "startTime": format_time(found.node.since), **told},
        "pods": [_pod_stats(one, found.at) for one in found.pods],
    }


def _pod_stats(one: PodUsed, at: float) -> Object:
    pod, containers = one
    began = (pod.get("status") or {}).get("startTime") or format_time(min(used.since for used in containers))
    return {
        "podRef": {"name": name_of(pod), "namespace": namespace_of(pod), "uid": uid_of(pod)},
        "startTime": began,
        "containers": [{"name": used.name, "startTime": format_time(used.since), **_stats(used, at)} for used in containers],
        **_stats(_sum(one), at),
    }


def _stats(used: Used, at: float) -> Object:
    moment, memory = format_time(at), round(used.memory_bytes)
    return {
        "cpu": {"time": moment, "usageNanoCores": round(used.cores * _NANO), "usageCoreNanoSeconds": round(used.cpu_s * _NANO)},
        "memory": {"time": moment, "usageBytes": memory, "workingSetBytes": memory, "rssBytes": memory},
    }


def _sum(one: PodUsed) -> Used:
    """What the containers of a pod use together."""
    used = one.containers
    return Used(
        name_of(one.pod),
        min(each.since for each in used),
        sum(each.cores for each in used),
        sum(each.cpu_s for each in used),
        sum(each.memory_bytes for each in used),
    )


def resource_series(found: NodeUsed) -> list[str]:
    """The lines of ``/metrics/resource``."""
    cpu, memory = "Cumulative cpu time consumed by the {} in core-seconds", "Current working set of the {} in bytes"
    of_containers = (
        MeasuredFamily("container_cpu_usage_seconds_total", "counter", cpu.format("container"), _CONTAINER),
        MeasuredFamily("container_memory_working_set_bytes", "gauge", memory.format("container"), _CONTAINER),
    )
    started = MeasuredFamily("container_start_time_seconds", "gauge", "Start time of the container since unix epoch in seconds", _CONTAINER)
    of_node = (
        MeasuredFamily("node_cpu_usage_seconds_total", "counter", cpu.format("node")),
        MeasuredFamily("node_memory_working_set_bytes", "gauge", memory.format("node")),
    )
    of_pods = (
        MeasuredFamily("pod_cpu_usage_seconds_total", "counter", cpu.format("pod"), _POD),
        MeasuredFamily("pod_memory_working_set_bytes", "gauge", memory.format("pod"), _POD),
    )
    errors = MeasuredFamily("resource_scrape_error", "gauge", "1 if there was an error while getting container metrics, 0 otherwise")
    errors.add(0)
    _add(of_node, found.node, (), found.at)
    for one in found.pods:
        where = (namespace_of(one.pod), name_of(one.pod))
        _add(of_pods, _sum(one), where, found.at)
        for used in one.containers:
            _add(of_containers, used, (used.name, *where), found.at)
            started.add(used.since, used.name, *where)
    return _lines(*of_containers, started, *of_node, *of_pods, errors)


def cadvisor_series(found: NodeUsed, node: Object) -> list[str]:
    """The lines of ``/metrics/cadvisor``."""
    cpu = MeasuredFamily("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed in seconds.", (*_OF_CADVISOR, "cpu"))
    memory = MeasuredFamily("container_memory_usage_bytes", "gauge", "Current memory usage in bytes.", _OF_CADVISOR)
    working_set = MeasuredFamily("container_memory_working_set_bytes", "gauge", "Current working set in bytes.", _OF_CADVISOR)
    started = MeasuredFamily("container_start_time_seconds", "gauge", "Start time of the container since unix epoch.", _OF_CADVISOR)
    cores = MeasuredFamily("machine_cpu_cores", "gauge", "Number of logical CPU cores.")
    whole = MeasuredFamily("machine_memory_bytes", "gauge", "Amount of memory installed on the machine.")
    for one in found.pods:
        for used, labels in _labelled(one):
            cpu.add(used.cpu_s, *labels, "total", at_s=found.at)
            memory.add(round(used.memory_bytes), *labels, at_s=found.at)
            working_set.add(round(used.memory_bytes), *labels, at_s=found.at)
            started.add(used.since, *labels)
    capacity = (node.get("status") or {}).get("capacity") or {}
    for family, resource in ((cores, "cpu"), (whole, "memory")):
        if resource in capacity:
            family.add(float(quantity.of(capacity[resource])))
    return _lines(cpu, memory, started, working_set, cores, whole)


def _labelled(one: PodUsed) -> Iterator[tuple[Used, tuple[str, ...]]]:
    """What the containers of a pod use, with what cAdvisor says of each."""
    status = one.pod.get("status") or {}
    statuses = {each["name"]: each for field in ("initContainerStatuses", "containerStatuses") for each in status.get(field) or ()}
    for used in one.containers:
        said = statuses.get(used.name) or {}
        runtime_id = str(said.get("containerID") or "").rpartition("//")[2]
        path = f"/kubepods/pod{uid_of(one.pod)}/{runtime_id}"
        yield used, (used.name, path, str(said.get("image") or ""), runtime_id, namespace_of(one.pod), name_of(one.pod))


def _add(families: tuple[MeasuredFamily, MeasuredFamily], used: Used, labels: tuple[str, ...], at: float) -> None:
    cpu, memory = families
    cpu.add(used.cpu_s, *labels, at_s=at)
    memory.add(round(used.memory_bytes), *labels, at_s=at)


def _lines(*families: MeasuredFamily) -> list[str]:
    return [line for family in families for line in family.lines()]

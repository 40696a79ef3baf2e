"""Ports of a pod's containers that get in each other's way, or get lost in an apply, which tells them apart by number and protocol."""

from collections.abc import Iterator

from svcsim.meta.pods import CONTAINERS
from svcsim.meta.types import Object


def port_warnings(spec: Object, path: str) -> Iterator[str]:
    """All ports of the pod, each held against those before it."""
    seen: dict[tuple[object, object], list[tuple[str, Object]]] = {}
    for part in CONTAINERS:
        for index, container in enumerate(spec.get(part) or ()):
            for position, port in enumerate(container.get("ports") or ()):
                where = f"{path}.{part}[{index}].ports[{position}]"
                if port.get("hostIP") and not port.get("hostPort"):
                    yield f"{where}: hostIP set without hostPort: {_in_go(port)}"
                others = seen.setdefault((port.get("containerPort"), port.get("protocol")), [])
                for other_where, other in others:
                    if word := _conflict(port, other):
                        yield f"{where}: {word} port definition with {other_where}"
                others.append((where, port))


def _conflict(port: Object, other: Object) -> str:
    """How two ports of the same number and protocol get in each other's way; empty if they don't."""
    address, other_address = port.get("hostIP") or "", other.get("hostIP") or ""
    number, other_number = port.get("hostPort") or 0, other.get("hostPort") or 0
    if (address, number) == (other_address, other_number):
        return "duplicate"
    if not number or not other_number:
        return "overlapping"
    return "dangerously ambiguous" if number == other_number and bool(address) != bool(other_address) else ""


def _in_go(port: Object) -> str:
    """A port as servers print it."""
    fields = (("Name", "name", ""), ("HostPort", "hostPort", 0), ("ContainerPort", "containerPort", 0), ("Protocol", "protocol", ""))
    listed = " ".join(f"{shown}:{port.get(name, zero)}" for shown, name, zero in (*fields, ("HostIP", "hostIP", "")))
    return f"{{{listed}}}"

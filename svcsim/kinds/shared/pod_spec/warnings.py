"""What is allowed in pods and pod templates, and hardly ever meant: of two definitions, the second wins, or one gets lost in an apply."""

from collections.abc import Callable, Iterator

from svcsim.meta.objects import get_path
from svcsim.meta.types import Object


def warnings_of(path: str) -> Callable[[Object], Iterator[str]]:
    """Finds such definitions in the pod spec at a path."""

    def warnings(obj: Object) -> Iterator[str]:
        spec = get_path(obj, path) or {}
        for name in ("initContainers", "containers"):
            for index, container in enumerate(spec.get(name) or ()):
                where = f"{path}.{name}[{index}]"
                yield from _hidden_variables(container.get("env") or [], f"{where}.env")
                yield from _repeated_ports(container.get("ports") or [], f"{where}.ports")

    return warnings


def _hidden_variables(env: list[Object], path: str) -> Iterator[str]:
    """Variables that are defined again. One that makes use of its older value is meant so."""
    seen: set[str] = set()
    for index, variable in enumerate(env if len(env) > 1 else ()):
        name, value = variable.get("name") or "", variable.get("value") or ""
        reference = f"$({name})"
        if name in seen and ("valueFrom" in variable or reference not in value or value == reference):
            yield f'{path}[{index}]: hides previous definition of "{name}", which may be dropped when using apply'
        seen.add(name)


def _repeated_ports(ports: list[Object], path: str) -> Iterator[str]:
    """Ports that are there already, all but the name."""
    seen: dict[tuple[object, ...], int] = {}
    for index, port in enumerate(ports if len(ports) > 1 else ()):
        first = seen.setdefault(tuple(port.get(name) for name in ("containerPort", "protocol", "hostPort", "hostIP")), index)
        if first != index:
            yield f"{path}[{index}]: duplicate port definition with {path}[{first}]"

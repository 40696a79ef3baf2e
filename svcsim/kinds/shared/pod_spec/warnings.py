"""What is allowed in pods and pod templates, and hardly ever meant.

Of two definitions, the second wins, or one gets lost in an apply; a source of volumes that is on its way out may give nothing.
"""

from collections.abc import Callable, Iterator

from svcsim.kinds.shared.deprecated import VOLUME_SOURCES
from svcsim.kinds.shared.volume_claim_rules import claim_warnings
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
        yield from _volume_warnings(spec.get("volumes") or [], f"{path}.volumes")

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


def _volume_warnings(volumes: list[Object], path: str) -> Iterator[str]:
    """Sources that are on their way out, and sizes that can't be."""
    for index, volume in enumerate(volumes):
        yield from (f"{path}[{index}].{name}: {since}" for name, since in VOLUME_SOURCES.items() if volume.get(name) is not None)
        template = get_path(volume, "ephemeral.volumeClaimTemplate.spec")
        yield from claim_warnings(template or {}, f"{path}[{index}].ephemeral.volumeClaimTemplate.spec")

"""ExtendedResourceToleration: a pod that asks for devices tolerates the taints that keep others off the nodes which have them.

Administrators dedicate nodes with devices by a taint with the device's name; with this plugin pods needn't tolerate it themselves.
"""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.extended_resources import is_extended
from svcsim.meta.pods import containers_of
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest

_STARTED = ("containers", "initContainers")


class ExtendedResourceToleration:
    """Adds a toleration for each device that any of a pod's containers asks for."""

    name = "ExtendedResourceToleration"
    rules = (Rule(("CREATE", "UPDATE"), ("pods",)),)

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        spec = request.obj["spec"]
        asked = {
            name
            for container in containers_of(spec, _STARTED)
            for name in (container.get("resources") or {}).get("requests") or {}
            if is_extended(name, self._dialect)
        }
        for name in sorted(asked):
            _tolerate(spec, {"key": name, "operator": "Exists", "effect": "NoSchedule"})


def _tolerate(spec: Object, toleration: Object) -> None:
    """Add it, unless it is there."""
    present = spec.setdefault("tolerations", [])
    if toleration not in present:
        present.append(toleration)

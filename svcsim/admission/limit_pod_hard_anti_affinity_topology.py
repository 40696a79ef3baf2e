"""LimitPodHardAntiAffinityTopology: a pod may keep others off its node, and off nothing larger.

A pod that has to be alone in a zone would keep everybody else's from there.
"""

from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.objects import get_path
from svcsim.registry.admission import AdmissionRequest


class LimitPodHardAntiAffinityTopology:
    """Refuses pods whose required anti-affinity is about anything but nodes."""

    name = "LimitPodHardAntiAffinityTopology"
    rules = (Rule(("CREATE", "UPDATE"), ("pods",)),)

    def __init__(self, dialect: Dialect) -> None:
        self._allowed = dialect.key("hostname")

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        for term in get_path(request.obj, "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution") or ():
            if term["topologyKey"] != self._allowed:
                found = f"has TopologyKey {term['topologyKey']} but only key {self._allowed} is allowed"
                why = f"affinity.PodAntiAffinity.RequiredDuringScheduling {found}"
                raise request.refusal(why)

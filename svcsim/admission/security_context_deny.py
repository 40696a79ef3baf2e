"""SecurityContextDeny: pods say nothing of who their processes are on the machine. PodSecurity has taken its place."""

from collections.abc import Iterator

from svcsim.admission.plugin import Rule
from svcsim.meta.pods import containers_of
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest

_OF_PODS = (
    ("supplementalGroups", "SupplementalGroups"),
    ("seLinuxOptions", "SELinuxOptions"),
    ("runAsUser", "RunAsUser"),
    ("fsGroup", "FSGroup"),
)
_OF_CONTAINERS = (("seLinuxOptions", "SELinuxOptions"), ("runAsUser", "RunAsUser"))


class SecurityContextDeny:
    """Refuses pods whose security contexts have any of some fields."""

    name = "SecurityContextDeny"
    rules = (Rule(("CREATE", "UPDATE"), ("pods", "pods/ephemeralcontainers")),)

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        for found in _denied(request.obj["spec"]):
            raise request.refusal(f"{found} is forbidden")


def _denied(spec: Object) -> Iterator[str]:
    context = spec.get("securityContext") or {}
    yield from (f"pod.Spec.SecurityContext.{word}" for name, word in _OF_PODS if context.get(name) is not None)
    for container in containers_of(spec):
        context = container.get("securityContext") or {}
        yield from (f"SecurityContext.{word}" for name, word in _OF_CONTAINERS if context.get(name) is not None)

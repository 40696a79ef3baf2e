"""A plugin that keeps what it is asked."""

from svcsim.admission.plugin import ANY, Rule
from svcsim.meta.objects import copy_json
from svcsim.registry.admission import AdmissionRequest


class Spy:
    """Keeps all it is asked about, as it was at that moment."""

    name = "Spy"
    rules = (Rule(("CREATE", "UPDATE", "DELETE", "CONNECT"), ("*/*",), ANY),)

    def __init__(self) -> None:
        self.admitted: list[AdmissionRequest] = []
        self.validated: list[AdmissionRequest] = []

    async def admit(self, request: AdmissionRequest) -> None:
        self.admitted.append(_copy(request))

    async def validate(self, request: AdmissionRequest) -> None:
        self.validated.append(_copy(request))

    def forget(self) -> None:
        """All it was asked so far."""
        self.admitted.clear()
        self.validated.clear()


def _copy(request: AdmissionRequest) -> AdmissionRequest:
    obj, old = copy_json(request.obj), copy_json(request.old)
    return AdmissionRequest(request.operation, request.target, obj, old, request.caller, request.options_kind, request.given)

"""PodTolerationRestriction: the pods of a namespace tolerate what its annotations say, and nothing that those don't allow."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from svcsim.admission.listed_tolerations import read_tolerations
from svcsim.admission.plugin import Rule
from svcsim.dialect import Dialect
from svcsim.meta.codec import decode_json
from svcsim.meta.errors import StatusError
from svcsim.meta.json_syntax import wrong_with
from svcsim.meta.merged_tolerations import conflict, covers, merged
from svcsim.meta.objects import annotations_of
from svcsim.meta.pod_amounts import Part, amounts_of
from svcsim.meta.pods import containers_of
from svcsim.meta.quantity import parse
from svcsim.meta.types import Object
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers
from svcsim.schema.compile import Compiled

_PARTS: Final[tuple[Part, ...]] = ("requests", "limits")
_NOTHING = parse("0")
_OF_A_BODY = "couldn't get version/kind; json parse error: "
_CONFLICT = "namespace tolerations and pod tolerations conflict"
_NOT_ALLOWED = "pod tolerations (possibly merged with namespace default tolerations) conflict with its {} whitelist"


class Tolerations(NamedTuple):
    """What the cluster's configuration says for namespaces that say nothing."""

    default: tuple[Object, ...] = ()
    allowed: tuple[Object, ...] = ()
    """All that pods may tolerate; anything where there are none."""


class PodTolerationRestriction:
    """Adds the namespace's default tolerations to new pods, unless they conflict, and refuses what is not on its list, if it has one."""

    name = "PodTolerationRestriction"
    rules = (Rule(("CREATE", "UPDATE"), ("pods",)),)

    def __init__(self, listers: Listers, dialect: Dialect, configured: Tolerations, toleration: Compiled) -> None:
        """``toleration``: the schema of one."""
        self._configured = configured
        self._toleration = toleration
        self._namespaces = listers.of("namespaces")
        self._defaults = dialect.key("defaultTolerations", "scheduler.alpha")
        self._allowed = dialect.key("tolerationsWhitelist", "scheduler.alpha")
        self._memory_pressure = {"key": dialect.key("memory-pressure", "node"), "operator": "Exists", "effect": "NoSchedule"}

    async def admit(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        spec = request.obj["spec"]
        own = spec.get("tolerations") or []
        extra = list(self._listed(request, self._defaults, self._configured.default)) if request.operation == "CREATE" else []
        if any(conflict(one, other) for one in own for other in extra):
            raise request.refusal(_CONFLICT)
        if any(_asks_for_something(container) for container in containers_of(spec)):
            extra.append(self._memory_pressure)
        if extra:
            spec["tolerations"] = merged(own, extra)

    async def validate(self, request: AdmissionRequest) -> None:
        assert request.obj is not None
        allowed = self._listed(request, self._allowed, self._configured.allowed)
        if allowed and not all(any(covers(one, own) for one in allowed) for own in request.obj["spec"].get("tolerations") or ()):
            raise request.refusal(_NOT_ALLOWED.format("cluster" if allowed is self._configured.allowed else "namespace"))

    def _listed(self, request: AdmissionRequest, annotation: str, otherwise: Sequence[Object]) -> Sequence[Object]:
        """The tolerations that an annotation of the namespace lists, as JSON. Raises 403 where it can't be read."""
        namespace = self._namespaces.get("", request.namespace)
        text = None if namespace is None else annotations_of(namespace).get(annotation)
        if text is None:
            return otherwise
        if not text:
            return ()
        body = text.encode()
        try:
            return [one for one, _ in read_tolerations(self._toleration, decode_json(body))]
        except StatusError as error:
            syntax = wrong_with(body)
            why = f"is no JSON: {syntax}" if syntax else f"is no list of tolerations: {error.message.removeprefix(_OF_A_BODY)}"
            raise request.refusal(f"the annotation {annotation} of its namespace {why}") from error


def _asks_for_something(container: Object) -> bool:
    """Whether the pod isn't one that is driven out first."""
    return any(amounts_of(container, part).get(name, _NOTHING).number > 0 for part in _PARTS for name in ("cpu", "memory"))

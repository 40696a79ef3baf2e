"""The plugin: a new pod needs a policy that lets it in, and that its user or its service account may ``use``.

Of several, one that leaves the pod as it is goes before one that fills something in, and then the first by name. Pods that are there are
never changed: an update needs a policy that lets the outcome in as it is.
"""

from svcsim.admission.collected import is_collected
from svcsim.admission.plugin import Rule
from svcsim.auth.attributes import Attributes
from svcsim.auth.authorization import Authorizer, Verdict, decided
from svcsim.auth.service_account_names import groups_of_account, user_of_account
from svcsim.dialect import Dialect
from svcsim.meta.aside import aside
from svcsim.meta.errors import FieldError, StatusError
from svcsim.meta.objects import annotations_of, deep_equal, name_of
from svcsim.meta.types import Object, User
from svcsim.registry.admission import AdmissionRequest
from svcsim.registry.lister import Listers

_PLURAL = "podsecuritypolicies"
_GROUPS = ("policy", "extensions")
"""In which the right to use policies may be given; they were of the other group once."""
_EPHEMERAL = "ephemeralcontainers"


class PodSecurityPolicy:
    """Fills in what the policy says of pods that don't, and refuses those that no policy lets in."""

    name = "PodSecurityPolicy"
    rules = (Rule(("CREATE", "UPDATE"), ("pods",)), Rule(("UPDATE",), (f"pods/{_EPHEMERAL}",)))

    def __init__(self, listers: Listers, authorizer: Authorizer, dialect: Dialect) -> None:
        self._policies = listers.of(f"{_PLURAL}.policy")
        self._authorizer = authorizer
        self._dialect = dialect
        self._mark = dialect.key("psp")
        self._note = f"podsecuritypolicy.{dialect.group('policy')}"

    async def admit(self, request: AdmissionRequest) -> None:
        """Raises 403."""
        assert request.obj is not None
        if request.operation != "CREATE" and request.subresource != _EPHEMERAL:
            return
        pod, policy = await self._find(request, request.obj, changing=True)
        if not request.subresource:
            pod["metadata"]["annotations"] = {**annotations_of(pod), self._mark: policy}
        request.obj = pod
        request.annotate(f"{self._note}/admit-policy", policy)

    async def validate(self, request: AdmissionRequest) -> None:
        """Raises 403."""
        assert request.obj is not None
        if request.old is not None and is_collected(request.obj, request.old):
            return
        _, policy = await self._find(request, request.obj, changing=False)
        request.annotate(f"{self._note}/validate-policy", policy)

    async def _find(self, request: AdmissionRequest, pod: Object, *, changing: bool) -> tuple[Object, str]:
        """The pod as a policy lets it in, and the policy's name."""
        from svcsim.admission.pod_security_policy.labels import is_complete  # noqa: PLC0415 - most clusters never ask
        from svcsim.admission.pod_security_policy.trying import under_policy  # noqa: PLC0415

        policies = [policy for policy in self._sorted("" if changing else annotations_of(pod).get(self._mark, "")) if is_complete(policy)]
        if not policies:
            raise request.refusal("PodSecurityPolicy: no providers available to validate pod request")
        second_best: tuple[Object, str] | None = None
        refused: list[tuple[str, list[FieldError]]] = []
        for policy in policies:
            name = name_of(policy)
            outcome, findings = await aside(request.size_bytes, under_policy, pod, policy, self._dialect)
            if findings:
                refused.append((name, findings))
                continue
            as_it_is = deep_equal(outcome, pod)
            if not as_it_is and (not changing or second_best is not None):
                continue
            if await self._may_use(request, pod, name):
                if as_it_is:
                    return outcome, name
                second_best = outcome, name
        if second_best is not None:
            return second_best
        told = [finding for name, findings in refused if await self._may_use(request, pod, name) for finding in findings]
        raise _refusal(request, "admit" if changing else "validate", told)

    def _sorted(self, first: str) -> list[Object]:
        """All policies, by name; the one first that let the pod in before."""
        return sorted(self._policies.list(), key=lambda policy: (name_of(policy) != first, name_of(policy)))

    async def _may_use(self, request: AdmissionRequest, pod: Object, policy: str) -> bool:
        """Whether the pod's account or the user may use a policy: policies of other users aren't mentioned."""
        namespace, account = request.target.namespace, pod["spec"].get("serviceAccountName")
        users = [request.user]
        if account:
            users.insert(0, User(user_of_account(namespace, account), groups_of_account(namespace)))
        for user in users:
            for group in _GROUPS:
                asked = Attributes(user, "use", group, "*", _PLURAL, namespace=namespace, name=policy)
                if (await decided(self._authorizer, asked)).verdict is Verdict.ALLOW:
                    return True
        return False


def _refusal(request: AdmissionRequest, verb: str, findings: list[FieldError]) -> StatusError:
    told = " ".join(f"{finding.path}: {finding.message}" for finding in findings)
    return request.refusal(f"PodSecurityPolicy: unable to {verb} pod: [{told}]")

"""What makes it right when a container restarts: after it has ended, by its policy and its rules, and when it is resized."""

from collections.abc import Iterator

from svcsim.kinds.shared.checks import one_of
from svcsim.meta.errors import FieldError, duplicate, forbidden_field, invalid_value, required, too_many
from svcsim.meta.pods import is_sidecar
from svcsim.meta.types import Json, Object

_POLICY = one_of("Always", "Never", "OnFailure")
_ACTION = one_of("Restart", "RestartAllContainers")
_OPERATOR = one_of("In", "NotIn")
_RESOURCE = one_of("cpu", "memory")
_RESIZED = one_of("NotRequired", "RestartContainer")
_RULES = 20
_EXIT_CODES = 255
NOT_BEFORE_THE_END = dict.fromkeys(("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")).keys()
"""What only a container has that goes on running."""


def restart_rules(container: Object, path: str) -> Iterator[FieldError]:
    """A container's own policy, and rules that go before it, which need one."""
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or ()
    if policy is not None:
        yield from _POLICY(policy, f"{path}.restartPolicy")
    elif rules:
        yield required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")
    if len(rules) > _RULES:
        yield too_many(f"{path}.restartPolicyRules", len(rules), _RULES)
    for index, rule in enumerate(rules):
        yield from _rule(rule, f"{path}.restartPolicyRules[{index}]")


def _rule(rule: Object, path: str) -> Iterator[FieldError]:
    if rule.get("action"):
        yield from _ACTION(rule["action"], f"{path}.action")
    codes = rule.get("exitCodes")
    if codes is None:
        yield required(f"{path}.exitCodes", "must be specified")
        return
    if codes.get("operator"):
        yield from _OPERATOR(codes["operator"], f"{path}.exitCodes.operator")
    if len(codes.get("values") or ()) > _EXIT_CODES:
        yield too_many(f"{path}.exitCodes.values", len(codes["values"]), _EXIT_CODES)


def init_container_rules(container: Object, path: str) -> Iterator[FieldError]:
    """An init container that always restarts is a sidecar, with probes and hooks; the others have none."""
    if is_sidecar(container):
        return
    for name in NOT_BEFORE_THE_END:
        if container.get(name) is not None:
            yield forbidden_field(f"{path}.{name}", "may not be set for init containers without restartPolicy=Always")


def resize_policy_rules(policies: Json, path: str) -> Iterator[FieldError]:
    """One policy a resource, of the two that can be resized."""
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        resource = policy.get("resourceName") or ""
        if resource in seen:
            yield duplicate(f"{path}[{index}]", resource)
        seen.add(resource)
        for name, known in (("resourceName", _RESOURCE), ("restartPolicy", _RESIZED)):
            if policy.get(name):
                yield from known(policy[name], path)


def resize_fits_restart(container: Object, path: str) -> Iterator[FieldError]:
    """In a pod that never restarts, a resize restarts nothing either."""
    for policy in container.get("resizePolicy") or ():
        if policy.get("restartPolicy") != "NotRequired":
            detail = "must be 'NotRequired' when `restartPolicy` is 'Never'"
            yield invalid_value(f"{path}.resizePolicy", policy.get("restartPolicy"), detail)

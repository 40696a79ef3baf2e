"""SELinux labels: any, or those that the policy says."""

from collections.abc import Iterator

from svcsim.admission.pod_security_policy.case import MUST, Case, set_in_context
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.types import Object

_FIELD = "seLinuxOptions"


def is_complete(policy: Object) -> bool:
    """Whether a policy that insists on labels says which. One that doesn't lets nobody in."""
    rule = policy["spec"].get("seLinux") or {}
    return rule.get("rule") != MUST or rule.get(_FIELD) is not None


def fill_pod(case: Case) -> None:
    if (wanted := _wanted(case)) is not None and case.context.get(_FIELD) is None:
        set_in_context(case.spec, _FIELD, dict(wanted))


def fill_container(case: Case, container: Object) -> None:
    if (wanted := _wanted(case)) is not None and case.effective(container, _FIELD) is None:
        set_in_context(container, _FIELD, dict(wanted))


def check_pod(case: Case) -> Iterator[FieldError]:
    return _check(case, case.context.get(_FIELD), f"spec.securityContext.{_FIELD}")


def check_container(case: Case, container: Object, path: str) -> Iterator[FieldError]:
    return _check(case, case.effective(container, _FIELD), f"{path}.securityContext.{_FIELD}")


def _wanted(case: Case) -> Object | None:
    rule: Object = case.rules.get("seLinux") or {}
    return rule.get(_FIELD) if rule.get("rule") == MUST else None


def _check(case: Case, found: Object | None, path: str) -> Iterator[FieldError]:
    wanted = _wanted(case)
    if wanted is None:
        return
    if found is None:
        yield required(path)
        return
    for part in ("level", "role", "type", "user"):
        has, needs = found.get(part) or "", wanted.get(part) or ""
        same = _parts(has) == _parts(needs) if part == "level" else has == needs
        if not same:
            yield invalid_value(f"{path}.{part}", has, f"must be {needs}")


def _parts(level: str) -> list[list[str]]:
    """A sensitivity and its categories, whose order means nothing."""
    return [sorted(part.split(",")) for part in level.split(":")]

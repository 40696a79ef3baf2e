"""Users and groups that processes are of: any, or those of ranges, the first of which is taken where nobody says."""

from collections.abc import Iterator

from svcsim.admission.pod_security_policy.case import MAY, MUST, NOT_ROOT, Case, ranges_of, set_in_context
from svcsim.meta.errors import FieldError, invalid_value, required
from svcsim.meta.types import Object

_GROUPS_OF_PODS = ("fsGroup", "supplementalGroups")


def fill_pod(case: Case) -> None:
    if not case.context.get("supplementalGroups") and (first := _first(case, "supplementalGroups")) is not None:
        set_in_context(case.spec, "supplementalGroups", [first])
    if case.context.get("fsGroup") is None and (first := _first(case, "fsGroup")) is not None:
        set_in_context(case.spec, "fsGroup", first)


def fill_container(case: Case, container: Object) -> None:
    for name in ("runAsUser", "runAsGroup"):
        if case.effective(container, name) is None and (first := _first(case, name)) is not None:
            set_in_context(container, name, first)
    says = any(case.effective(container, name) is not None for name in ("runAsNonRoot", "runAsUser"))
    if not says and _rule(case, "runAsUser") == NOT_ROOT:
        # Nobody knows yet who that will be: the node sees to it.
        set_in_context(container, "runAsNonRoot", True)


def check_pod(case: Case) -> Iterator[FieldError]:
    for name in _GROUPS_OF_PODS:
        found = case.context.get(name)
        groups = found if isinstance(found, list) else [] if found is None else [found]
        yield from _check_groups(case, name, groups, f"spec.securityContext.{name}")


def check_container(case: Case, container: Object, path: str) -> Iterator[FieldError]:
    where = f"{path}.securityContext"
    yield from _check_user(case, container, where)
    group = case.effective(container, "runAsGroup")
    yield from _check_groups(case, "runAsGroup", [] if group is None else [group], f"{where}.runAsGroup")


def _check_user(case: Case, container: Object, where: str) -> Iterator[FieldError]:
    rule, user, not_root = _rule(case, "runAsUser"), case.effective(container, "runAsUser"), case.effective(container, "runAsNonRoot")
    if rule == MUST:
        if user is None:
            yield required(f"{where}.runAsUser")
        elif not _within(case, "runAsUser", user):
            yield invalid_value(f"{where}.runAsUser", user, f"must be in the ranges: {_told(case, 'runAsUser')}")
    elif rule == NOT_ROOT:
        if not_root is None and user is None:
            yield required(f"{where}.runAsNonRoot", "must be true")
        elif not_root is False:
            yield invalid_value(f"{where}.runAsNonRoot", not_root, "must be true")
        elif user == 0:
            yield invalid_value(f"{where}.runAsUser", user, "running with the root UID is forbidden")


def _check_groups(case: Case, name: str, groups: list[int], where: str) -> Iterator[FieldError]:
    rule = _rule(case, name)
    if rule == MUST and not groups:
        yield invalid_value(where, groups, "unable to validate empty groups against required ranges")
    if rule in (MUST, MAY):
        for group in groups:
            if not _within(case, name, group):
                yield invalid_value(where, groups, f"group {group} must be in the ranges: {_told(case, name)}")


def _rule(case: Case, name: str) -> str:
    rule: str = (case.rules.get(name) or {}).get("rule") or ""
    return rule


def _ranges(case: Case, name: str) -> list[tuple[int, int]]:
    return ranges_of((case.rules.get(name) or {}).get("ranges"))


def _first(case: Case, name: str) -> int | None:
    """What is taken where nobody says: nothing, unless there has to be something."""
    return _ranges(case, name)[0][0] if _rule(case, name) == MUST else None


def _within(case: Case, name: str, wanted: int) -> bool:
    return any(first <= wanted <= last for first, last in _ranges(case, name))


def _told(case: Case, name: str) -> str:
    return f"[{' '.join(f'{{{first} {last}}}' for first, last in _ranges(case, name))}]"

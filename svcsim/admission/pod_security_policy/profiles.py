"""Profiles of seccomp and AppArmor, which policies name in annotations: what stands for those that don't say, and which may be had.

Pods once named theirs in annotations, too. Today nodes go by fields: what an annotation of a pod says of seccomp is put into the field,
so that what was checked is what counts; and a default is written as both.
"""

from collections.abc import Iterator

from svcsim.admission.pod_security_policy.case import ALL, Case, context_of, set_in_context
from svcsim.meta.errors import FieldError, forbidden_field
from svcsim.meta.objects import annotations_of
from svcsim.meta.quoting import quoted
from svcsim.meta.types import Object

_SECCOMP, _SECCOMP_OF_CONTAINER = "seccomp.security.alpha", "container.seccomp.security.alpha"
_ARMOR, _ARMOR_OF_CONTAINER = "apparmor.security.beta", "container.apparmor.security.beta"
_DEFAULT, _ALLOWED = "defaultProfileName", "allowedProfileNames"
_LOCAL = "localhost/"
_WORDS = {"RuntimeDefault": "runtime/default", "Unconfined": "unconfined"}
"""What annotations call the types of profiles."""
_SAME = ("runtime/default", "docker/default")
_PATH = "pod.metadata.annotations"


def fill_pod(case: Case) -> None:
    key = case.dialect.key("pod", _SECCOMP)
    if not case.annotations.get(key) and not _field(case.spec, "seccompProfile"):
        default = _said(case, _SECCOMP, _DEFAULT)
        if not default:
            return
        case.annotate(key, default)
    _into_field(case.spec, case.annotations.get(key))


def fill_container(case: Case, container: Object) -> None:
    _into_field(container, case.annotations.get(_seccomp_key(case, container)))
    default, key = _said(case, _ARMOR, _DEFAULT), _armor_key(case, container)
    if default and not _armor(case, container):
        case.annotate(key, default)


def check_pod(case: Case) -> Iterator[FieldError]:
    key = case.dialect.key("pod", _SECCOMP)
    return _check_seccomp(case, key, case.annotations.get(key) or _field(case.spec, "seccompProfile"))


def check_container(case: Case, container: Object, _path: str) -> Iterator[FieldError]:
    yield from _check_armor(case, container)
    of_pod, key = case.dialect.key("pod", _SECCOMP), _seccomp_key(case, container)
    own = case.annotations.get(key) or _field(container, "seccompProfile")
    yield from _check_seccomp(case, key, own or case.annotations.get(of_pod) or _field(case.spec, "seccompProfile"))


def _check_seccomp(case: Case, key: str, profile: str) -> Iterator[FieldError]:
    said = _said(case, _SECCOMP, _ALLOWED)
    allowed = [] if said is None else said.split(",")
    if any(name in allowed for name in _SAME):
        allowed += _SAME
    if ALL in allowed or profile in allowed or (not allowed and not profile):
        return
    wrong = f"{profile} is not an allowed seccomp profile. Valid values are {said}" if allowed else "seccomp may not be set"
    yield forbidden_field(f"{_PATH}[{key}]", wrong)


def _check_armor(case: Case, container: Object) -> Iterator[FieldError]:
    said = _said(case, _ARMOR, _ALLOWED)
    if said is None:
        return
    profile, path = _armor(case, container), f"{_PATH}[{_armor_key(case, container)}]"
    if not profile:
        yield forbidden_field(path, "AppArmor profile must be set")
    elif profile not in said.split(","):
        yield forbidden_field(path, f"{profile} is not an allowed profile. Allowed values: {quoted(said)}")


def _armor(case: Case, container: Object) -> str:
    said = case.annotations.get(_armor_key(case, container))
    return said or _field(container, "appArmorProfile") or _field(case.spec, "appArmorProfile")


def _seccomp_key(case: Case, container: Object) -> str:
    return case.dialect.key(container.get("name") or "", _SECCOMP_OF_CONTAINER)


def _armor_key(case: Case, container: Object) -> str:
    return case.dialect.key(container.get("name") or "", _ARMOR_OF_CONTAINER)


def _said(case: Case, prefix: str, name: str) -> str | None:
    """What the policy says; nothing at all isn't the same as an empty text."""
    return annotations_of(case.policy).get(case.dialect.key(name, prefix))


def _field(container_or_spec: Object, name: str) -> str:
    """The profile that a field names, as an annotation would; empty where none is named."""
    profile = context_of(container_or_spec).get(name) or {}
    kind: str = profile.get("type") or ""
    return f"{_LOCAL}{profile.get('localhostProfile') or ''}" if kind == "Localhost" else _WORDS.get(kind, kind)


def _into_field(container_or_spec: Object, profile: str | None) -> None:
    if not profile or context_of(container_or_spec).get("seccompProfile") is not None:
        return
    if profile.startswith(_LOCAL):
        value: Object = {"type": "Localhost", "localhostProfile": profile.removeprefix(_LOCAL)}
    elif profile in _SAME:
        value = {"type": "RuntimeDefault"}
    elif profile == _WORDS["Unconfined"]:
        value = {"type": "Unconfined"}
    else:
        return  # Validation refuses it.
    set_in_context(container_or_spec, "seccompProfile", value)

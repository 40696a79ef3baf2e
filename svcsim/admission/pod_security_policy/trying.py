"""A pod under a policy: what the policy fills in, and what of the outcome it doesn't let in. Everything in one order."""

from svcsim.admission.pod_security_policy import capabilities, identities, labels, nodes_own, privileges, profiles, volumes
from svcsim.admission.pod_security_policy.case import Case, ContainerCheck, ContainerDefault, PodCheck, PodDefault
from svcsim.dialect import Dialect
from svcsim.meta.errors import FieldError
from svcsim.meta.objects import copy_json
from svcsim.meta.types import Object

_POD_DEFAULTS: tuple[PodDefault, ...] = (identities.fill_pod, labels.fill_pod, profiles.fill_pod, nodes_own.fill_pod)
_CONTAINER_DEFAULTS: tuple[ContainerDefault, ...] = (
    identities.fill_container,
    labels.fill_container,
    profiles.fill_container,
    capabilities.fill_container,
    privileges.fill_container,
)
_POD_CHECKS: tuple[PodCheck, ...] = (
    identities.check_pod,
    profiles.check_pod,
    labels.check_pod,
    nodes_own.check_pod,
    volumes.check_pod,
    nodes_own.check_runtime_class,
)
_CONTAINER_CHECKS: tuple[ContainerCheck, ...] = (
    identities.check_container,
    labels.check_container,
    profiles.check_container,
    privileges.check_privileged,
    capabilities.check_container,
    nodes_own.check_container,
    privileges.check_gains,
)


def under_policy(pod: Object, policy: Object, dialect: Dialect) -> tuple[Object, list[FieldError]]:
    """What a policy makes of a pod, which stays as it is, and what of that it objects to."""
    case = Case(copy_json(pod), policy, dialect)
    for fill_pod in _POD_DEFAULTS:
        fill_pod(case)
    for _, container in case.containers():
        for fill_container in _CONTAINER_DEFAULTS:
            fill_container(case, container)
    found = [finding for check_pod in _POD_CHECKS for finding in check_pod(case)]
    for path, container in case.containers():
        for check_container in _CONTAINER_CHECKS:
            found += check_container(case, container, path)
    return case.pod, found
